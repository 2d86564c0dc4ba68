/* A program that was compiled when cstgl_config was shorter: the library must neither read nor write beyond its end. */
#include <cstgl.h>
#include <stdio.h>
#include <string.h>

/* As far as a first version might have gone. */
struct older {
    uint32_t struct_size, abi;
    uint64_t samples, views, clusters, max_clusters;
    uint32_t distance, unit_length, graph, self_loops;
    uint64_t neighbours;
    double weight;
};

static int failures;
#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            printf("line %d: " #condition "\n", __LINE__); \
            failures++; \
        } \
    } while (0)

int main(void) {
    struct {
        struct older config;
        unsigned char canary[256];
    } old;
    cstgl_config full;
    cstgl_layout need, full_need;
    cstgl_error error;

    memset(&old, 0xa5, sizeof old);
    CHECK(cstgl_config_init_sized((cstgl_config *)(void *)&old.config, sizeof old.config, CSTGL_ABI) == CSTGL_OK);
    CHECK(old.config.struct_size == sizeof old.config && old.config.weight == 100.0);
    old.config.samples = 20;
    old.config.views = 2;
    old.config.clusters = 2;
    CHECK(cstgl_layout_f32((cstgl_config *)(void *)&old.config, &need, &error) == CSTGL_OK);

    /* What it could not say is as by default. */
    CHECK(cstgl_config_init(&full) == CSTGL_OK);
    full.samples = 20;
    full.views = 2;
    full.clusters = 2;
    CHECK(cstgl_layout_f32(&full, &full_need, &error) == CSTGL_OK);
    CHECK(need.bytes == full_need.bytes);

    /* A profile writes the fields that there are. */
    CHECK(cstgl_config_profile((cstgl_config *)(void *)&old.config, CSTGL_PROFILE_PAPER, &error) == CSTGL_OK);
    CHECK(old.config.graph == CSTGL_GRAPH_FIXED && old.config.samples == 20);
    for (size_t k = 0; k < sizeof old.canary; k++) CHECK(old.canary[k] == 0xa5);

    /* Shorter than anything there was, longer than anything there is, or of no possible size. */
    size_t wrong[] = {0, 4, 8, 16, 24, 31, 33, 100, sizeof full - 1, sizeof full + 1, sizeof full + 8, 1u << 30, SIZE_MAX};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        cstgl_config before = full;
        CHECK(cstgl_config_init_sized(&full, wrong[k], CSTGL_ABI) == CSTGL_ERROR_ABI);
        CHECK(memcmp(&before, &full, sizeof full) == 0);
        full.struct_size = (uint32_t)wrong[k];
        CHECK(cstgl_layout_f32(&full, &need, &error) == CSTGL_ERROR_ABI);
        full = before;
    }
    return failures != 0;
}
