/* No heap: one static array, and one step at a time, as a small system wants it.
 *
 *     cc static_buffer.c $(pkg-config --cflags --libs cstgl) -o static_buffer && ./static_buffer
 *
 * cluster_sensors() needs no operating system and no C library: nothing but cstgl. With -DFREESTANDING this file is that
 * function alone, and links with a libcstgl.a that was built by `NO_STD=1 ./install.sh`.
 */
#include <cstgl.h>

#define SAMPLES 24
#define VIEWS 2
#define CLUSTERS 3
#define FEATURES 6

/* The size is known at compile time, so the linker map shows what clustering costs. The union aligns it. */
static union {
    uint64_t align;
    unsigned char bytes[CSTGL_WORKSPACE_BYTES_F32(SAMPLES, VIEWS, CLUSTERS)];
} workspace;

/* A reading of sensor f in group `view` at time i, as a driver would return it. */
static float reading(unsigned view, unsigned f, unsigned i) {
    float own = f % 3 == (i + view) % 3 ? 1.0f : 0.0f;
    return own + (float)((i * 7 + f * 13 + view * 29 + i * f) % 11) / 22.0f;
}

cstgl_status cluster_sensors(uint32_t labels[SAMPLES]) {
    static float row[SAMPLES]; /* one sensor at all times: the data itself is never stored */
    cstgl_config config;
    cstgl_status status;
    cstgl_info info;
    cstgl_f32 *run;

    if ((status = cstgl_config_init(&config)) != CSTGL_OK) return status;
    config.samples = SAMPLES;
    config.views = VIEWS;
    config.clusters = CLUSTERS;
    if ((status = cstgl_init_f32(workspace.bytes, sizeof workspace.bytes, &config, &run, NULL)) != CSTGL_OK)
        return status;

    for (unsigned view = 0; view < VIEWS; view++) {
        for (unsigned f = 0; f < FEATURES; f++) {
            for (unsigned i = 0; i < SAMPLES; i++) row[i] = reading(view, f, i);
            if ((status = cstgl_push_f32(run, view, row, 1, SAMPLES, CSTGL_BY_FEATURE, NULL)) != CSTGL_OK)
                return status;
        }
    }

    /* A step is the longest time that the library keeps the processor. */
    do {
        /* feed the watchdog, yield to other tasks, ... */
        if ((status = cstgl_step_f32(run, &info, NULL)) != CSTGL_OK) return status;
    } while (info.outcome == CSTGL_RUNNING);

    return cstgl_labels_f32(run, labels, SAMPLES, NULL);
}

#ifndef FREESTANDING
#include <inttypes.h>
#include <stdio.h>

int main(void) {
    uint32_t labels[SAMPLES];
    cstgl_status status = cluster_sensors(labels);
    if (status != CSTGL_OK) {
        fprintf(stderr, "cstgl: %s\n", cstgl_status_string(status));
        return 1;
    }
    for (unsigned i = 0; i < SAMPLES; i++) printf("%" PRIu32 "%c", labels[i], i + 1 < SAMPLES ? ' ' : '\n');
    fprintf(stderr, "%zu bytes, no heap\n", sizeof workspace);
    return 0;
}
#endif
