/* Prints what a run needs on this machine, and how much fits into how much memory: the tables of README.md. */
#include "board.h"
#include <cstgl.h>

#define STACK 4096

static void write_number(uint64_t x, int width) {
    char text[24];
    char *start = text + sizeof text - 1, *least = start - width;
    *start = 0;
    do *--start = (char)('0' + x % 10);
    while (x /= 10);
    while (start > least) *--start = ' ';
    board_write(start);
}

/* Bytes, or more than any machine has where the library refuses. */
static uint64_t need(uint32_t samples, uint32_t views, uint32_t clusters) {
    cstgl_config config;
    cstgl_layout layout;
    cstgl_config_init(&config);
    config.samples = samples;
    config.views = views;
    config.clusters = clusters;
    return cstgl_layout_f32(&config, &layout, NULL) == CSTGL_OK ? layout.bytes : UINT64_MAX / 2;
}

int example(void) {
    static const uint32_t samples[] = {24, 40, 64, 96, 128, 192, 256}, views[] = {2, 3, 4}, clusters[] = {3, 10};
    static const uint32_t memories[] = {32, 64, 96, 128, 192, 256, 320, 512, 1024, 2048};

    board_write("bytes of workspace:       n        m        k    bytes\n");
    for (uint32_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (uint32_t j = 0; j < sizeof views / sizeof *views; j++)
            for (uint32_t l = 0; l < sizeof clusters / sizeof *clusters; l++) {
                board_write("                   ");
                write_number(samples[i], 8);
                write_number(views[j], 9);
                write_number(clusters[l], 9);
                write_number(need(samples[i], views[j], clusters[l]), 9);
                board_write("\n");
            }

    board_write("most samples beside a stack of 4 KiB and the labels, k = 3:\n      KiB    m = 2    m = 3    m = 4\n");
    for (uint32_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        write_number(memories[i], 9);
        for (uint32_t j = 0; j < sizeof views / sizeof *views; j++) {
            uint32_t n = 3;
            while (need(n + 1, views[j], 3) + 4 * (n + 1) <= 1024 * memories[i] - STACK) n++;
            write_number(n, 9);
        }
        board_write("\n");
    }
    return 0;
}
