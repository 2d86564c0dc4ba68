/* Two views of twelve samples in, twelve labels out.
 *
 *     cc quickstart.c $(pkg-config --cflags --libs cstgl) -o quickstart && ./quickstart
 */
#include <cstgl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 12
#define CLUSTERS 3
static const size_t FEATURES[2] = {6, 9};

/* Sample i belongs to class i % 3, whose features are larger than the others: that is all the views know. */
static float feature(unsigned view, unsigned f, unsigned i) {
    float own = f % 3 == (i + view) % 3 ? 1.0f : 0.0f;
    return own + (float)((i * 7 + f * 13 + view * 29 + i * f) % 11) / 22.0f;
}

static int fail(const cstgl_error *error) {
    fprintf(stderr, "cstgl: %s (status %" PRId32 ")\n", error->message, error->status);
    return EXIT_FAILURE;
}

int main(void) {
    cstgl_config config;
    cstgl_layout need;
    cstgl_error error;
    cstgl_info info;
    cstgl_f32 *run = NULL;
    float block[SAMPLES * 9];
    uint32_t labels[SAMPLES];

    /* What is to be done: the defaults, and the shape of the data. */
    cstgl_config_init(&config);
    config.samples = SAMPLES;
    config.views = 2;
    config.clusters = CLUSTERS; /* 0 would estimate it */

    /* All the memory that the library will ever use. */
    if (cstgl_layout_f32(&config, &need, &error)) return fail(&error);
    void *memory = malloc(need.bytes);
    if (cstgl_init_f32(memory, need.bytes, &config, &run, &error)) return fail(&error);

    /* The views, one after the other in the same block: the library keeps no pointer to it. */
    for (unsigned view = 0; view < 2; view++) {
        size_t d = FEATURES[view];
        for (unsigned i = 0; i < SAMPLES; i++)
            for (unsigned f = 0; f < d; f++) block[i * d + f] = feature(view, f, i);
        if (cstgl_push_f32(run, view, block, d, SAMPLES, CSTGL_BY_SAMPLE, &error)) return fail(&error);
    }

    if (cstgl_run_f32(run, NULL, NULL, &info, &error)) return fail(&error);
    if (cstgl_labels_f32(run, labels, SAMPLES, &error)) return fail(&error);

    for (unsigned i = 0; i < SAMPLES; i++) printf("%" PRIu32 "%c", labels[i], i + 1 < SAMPLES ? ' ' : '\n');
    fprintf(stderr, "%" PRIu64 " steps in %zu bytes\n", info.last.iteration, need.bytes);
    free(memory);
    return EXIT_SUCCESS;
}
