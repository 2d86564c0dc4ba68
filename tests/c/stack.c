/* How much stack the library uses, to the byte: a thread on a stack that was painted before.
 *
 * Whole runs of several sizes, both types and all profiles. The need must stay below one bound for all of them: what grows
 * with the number of samples is in the caller's memory. */
#include <cstgl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 1 << 20, BOUND = 16 * 1024, PAINT = 0x5b };

static size_t samples;
static uint32_t profile;
static int wide;

static float narrow_block[4 * 512];
static double wide_block[4 * 512];

#define RUN(suffix, type, block) \
    do { \
        type *run; \
        if (cstgl_layout_##suffix(&config, &need, NULL)) return "layout"; \
        void *memory = malloc(need.bytes); \
        if (memory == NULL) return "malloc"; \
        if (cstgl_init_##suffix(memory, need.bytes, &config, &run, NULL)) return "init"; \
        for (size_t v = 0; v < 3; v++) { \
            for (size_t k = 0; k < 4 * samples; k++) \
                block[k] = (k % samples + v) % 3 == k / samples % 3 ? 1 : (k * 7 + v) % 11 / (block[0] * 0 + 22); \
            if (cstgl_push_##suffix(run, v, block, 4, samples, CSTGL_BY_FEATURE, NULL)) return "push"; \
        } \
        if (cstgl_run_##suffix(run, NULL, NULL, NULL, NULL)) return "run"; \
        if (cstgl_labels_##suffix(run, labels, samples, NULL)) return "labels"; \
        free(memory); \
    } while (0)

static uint32_t labels[512];

static const char *whole_run(void) {
    cstgl_config config;
    cstgl_layout need;
    cstgl_config_init(&config);
    config.samples = samples;
    config.views = 3;
    config.clusters = 3;
    if (cstgl_config_profile(&config, profile, NULL)) return "profile";
    if (wide) RUN(f64, cstgl_f64, wide_block);
    else RUN(f32, cstgl_f32, narrow_block);
    return NULL;
}

static void *thread(void *nothing) {
    (void)nothing;
    return (void *)whole_run();
}

/* What the thread itself needs: the same without the library. */
static void *idle(void *nothing) { return nothing; }

static unsigned char *stack;

static size_t used(void *(*body)(void *)) {
    pthread_attr_t attributes;
    pthread_t handle;
    void *wrong = NULL;
    memset(stack, PAINT, STACK);
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, stack, STACK) || pthread_create(&handle, &attributes, body, NULL) ||
        pthread_join(handle, &wrong)) {
        printf("no thread\n");
        exit(1);
    }
    if (wrong != NULL) {
        printf("refused: %s\n", (const char *)wrong);
        exit(1);
    }
    size_t free_bytes = 0;
    while (free_bytes < STACK && stack[free_bytes] == PAINT) free_bytes++;
    return STACK - free_bytes;
}

int main(void) {
    static const size_t sizes[] = {8, 30, 100, 256, 400};
    size_t most = 0, runs = 0;
    int failures = 0;
    if (posix_memalign((void **)&stack, 4096, STACK)) return 1;
    size_t base = used(idle);
    for (wide = 0; wide < 2; wide++)
        for (profile = 0; profile < 3; profile++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                /* The authors' spectral step is cubic: a moderate size does. */
                samples = sizes[k];
                if (profile == CSTGL_PROFILE_REFERENCE && samples > 256) continue;
                size_t need = used(thread) - base;
                runs++;
                if (need > most) most = need;
                if (need > BOUND) {
                    printf("%zu bytes of stack for %zu samples, profile %u, %s\n", need, samples, profile,
                           wide ? "double" : "float");
                    failures++;
                }
            }
    printf("TRIED %zu runs on a painted stack, at most %zu bytes used, %d failures\n", runs, most, failures);
    free(stack);
    return failures != 0;
}
