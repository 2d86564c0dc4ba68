/* The sensors of the example: whole numbers and a power of two, exact, and so the same bits on every machine. */
#ifndef SENSORS_H
#define SENSORS_H

#include <stdint.h>

static inline uint32_t mix(uint32_t x) {
    x = (x ^ x >> 16) * UINT32_C(0x7feb352d);
    x = (x ^ x >> 15) * UINT32_C(0x846ca68b);
    return x ^ x >> 16;
}

static inline int32_t draw(uint32_t what, uint32_t view, uint32_t feature, uint32_t which) {
    return (int32_t)(mix(mix(mix(what * 64 + view) ^ feature) ^ which) >> 16) - 32768;
}

/* How many a view has. */
static inline uint32_t features(uint32_t view) { return 12 + 4 * view; }

/* Sample i belongs to class i mod clusters. View v hardly tells the classes v and v + 1 apart: it takes all views. */
static inline float reading(uint32_t clusters, uint32_t view, uint32_t feature, uint32_t i) {
    uint32_t class = i % clusters, seen = class;
    if (class == (view + 1) % clusters) seen = view % clusters;
    int32_t centre = 2 * draw(1, view, feature, seen) + draw(2, view, feature, class);
    return (float)(centre + draw(3, view, feature, i)) / 65536.0f;
}

#endif
