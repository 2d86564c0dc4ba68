/* CSTGL_WORKSPACE_BYTES_* against the query, for all three profiles: never less, and not much more.
 * Prints the largest excess over the largest of the three queries. */
#include <cstgl.h>
#include <stdio.h>

static int failures;
static double worst;

/* No clusters: their number is estimated. `tight` as well as enough. */
static void check(size_t n, size_t m, size_t clusters, int wide, int tight) {
    size_t k = clusters ? clusters : 21;
    size_t bound = wide ? CSTGL_WORKSPACE_BYTES_F64(n, m, k) : CSTGL_WORKSPACE_BYTES_F32(n, m, k), largest = 0;
    for (uint32_t profile = CSTGL_PROFILE_DEFAULT; profile <= CSTGL_PROFILE_REFERENCE; profile++) {
        cstgl_config config;
        cstgl_layout need;
        cstgl_error error;
        cstgl_config_init(&config);
        config.samples = n;
        config.views = m;
        config.clusters = clusters;
        if (cstgl_config_profile(&config, profile, &error) ||
            (wide ? cstgl_layout_f64(&config, &need, &error) : cstgl_layout_f32(&config, &need, &error))) {
            printf("%zu %zu %zu: %s\n", n, m, k, error.message);
            failures++;
            return;
        }
        if (need.bytes > largest) largest = need.bytes;
    }
    double excess = ((double)bound - 4096.0) / (double)largest - 1.0;
    if (tight && excess > worst) worst = excess;
    if (bound < largest || (tight && excess > 0.1)) {
        if (failures++ < 20)
            printf("f%d, n = %zu, m = %zu, k = %zu: %zu for %zu\n", wide ? 64 : 32, n, m, k, bound, largest);
    }
}

int main(void) {
    for (int wide = 0; wide < 2; wide++) {
        for (size_t m = 1; m <= 8; m++)
            for (size_t n = 2; n <= 300; n++)
                for (size_t k = 1; k <= 12 && k <= n; k++) check(n, m, k, wide, 1);
        /* Beyond the grid the bound must hold as well. */
        for (size_t n = 1; n <= 20000; n = n < 100 ? n + 1 : n * 10 / 9)
            for (size_t m = 1; m <= 30; m++) {
                for (size_t k = 1; k < n; k = k * 5 / 4 + 1) check(n, m, k, wide, 0);
                check(n, m, n, wide, 0);
                check(n, m, 0, wide, 0);
            }
    }
    printf("largest excess beyond 4 KiB: %.1f %%\n", 100.0 * worst);
    if (failures) printf("%d failures\n", failures);
    return failures != 0;
}
