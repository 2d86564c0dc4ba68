/* Calls every probe with small data. That this links is the proof (tests/no_std.sh); that it runs is a check. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int32_t probe_workspace(uint8_t *memory, size_t bytes, size_t length);
int32_t probe_simplex_f32(float *data, size_t length, size_t rows, size_t cols);
int32_t probe_simplex_f64(double *data, size_t length, size_t rows, size_t cols);
int32_t probe_group_f32(float *data, size_t length, uint8_t *work, size_t bytes, size_t *shape, float t);
int32_t probe_group_f64(double *data, size_t length, uint8_t *work, size_t bytes, size_t *shape, double t);
int32_t probe_graph_f32(float *data, size_t length, size_t *pointers, size_t rows, uint32_t *indices, size_t count,
                        size_t *shape, uint8_t *work, size_t bytes);
int32_t probe_graph_f64(double *data, size_t length, size_t *pointers, size_t rows, uint32_t *indices, size_t count,
                        size_t *shape, uint8_t *work, size_t bytes);
int32_t probe_cluster_f32(uint8_t *memory, size_t bytes, size_t n, size_t k, size_t limit);
int32_t probe_cluster_f64(uint8_t *memory, size_t bytes, size_t n, size_t k, size_t limit);
int32_t probe_capi(void);
int32_t probe_fft_f32(float *data, size_t length, uint8_t *work, size_t bytes, size_t n);
int32_t probe_fft_f64(double *data, size_t length, uint8_t *work, size_t bytes, size_t n);
int32_t probe_linalg_f32(float *data, size_t length, uint8_t *work, size_t bytes, size_t n, float tau);
int32_t probe_linalg_f64(double *data, size_t length, uint8_t *work, size_t bytes, size_t n, double tau);
int32_t probe_tensor_f32(float *data, size_t length, uint8_t *work, size_t bytes, size_t n, size_t slices, float tau);
int32_t probe_tensor_f64(double *data, size_t length, uint8_t *work, size_t bytes, size_t n, size_t slices, double tau);
int32_t probe_session_f32(uint8_t *memory, size_t bytes, size_t n, size_t clusters, size_t profiles);
int32_t probe_session_f64(uint8_t *memory, size_t bytes, size_t n, size_t clusters, size_t profiles);
double probe_canary(double *data, size_t length, size_t index);

static union {
    double align;
    uint8_t bytes[1 << 20];
} work;

static union {
    double align;
    uint8_t bytes[4 << 20];
} cluster_work;

#define LENGTH 512
static float f[LENGTH];
static double d[LENGTH];

static void fill(void) {
    for (int k = 0; k < LENGTH; k++) {
        d[k] = (k * 7 % 11 + k * 5 % 13) / 24.0 - 0.3;
        f[k] = (float)d[k];
    }
}

static int failures;

/* A probe that must succeed. */
static void expect(const char *name, int32_t status) {
    if (status != 0) {
        printf("%s: refused (%d)\n", name, (int)status);
        failures++;
    }
}

int main(void) {
    size_t shape[3] = {2, 3, 4};
    fill();
    expect("workspace", probe_workspace(work.bytes, sizeof work.bytes, 16));
    expect("simplex f32", probe_simplex_f32(f, 24, 4, 6));
    expect("simplex f64", probe_simplex_f64(d, 24, 4, 6));
    fill();
    expect("group f32", probe_group_f32(f, 24, work.bytes, sizeof work.bytes, shape, 0.1f));
    expect("group f64", probe_group_f64(d, 24, work.bytes, sizeof work.bytes, shape, 0.1));
    fill();
    {
        /* Two matrices of 2 x 2 pairs, then 2 features of 2 samples; in the sparse view they are a diagonal. */
        size_t graph[5] = {2, 2, 2, 1, 3}, pointers[3] = {0, 1, 2};
        uint32_t indices[2] = {0, 1};
        d[0] = d[1] = d[2] = d[3] = f[0] = f[1] = f[2] = f[3] = 0;
        expect("graph f32", probe_graph_f32(f, 12, pointers, 3, indices, 2, graph, work.bytes, sizeof work.bytes));
        expect("graph f64", probe_graph_f64(d, 12, pointers, 3, indices, 2, graph, work.bytes, sizeof work.bytes));
    }
    /* Below and above the size from which eigenvectors come from a Krylov basis. */
    for (size_t n = 12; n <= 120; n += 108) {
        expect("cluster f32", probe_cluster_f32(cluster_work.bytes, sizeof cluster_work.bytes, n, 2, 4));
        expect("cluster f64", probe_cluster_f64(cluster_work.bytes, sizeof cluster_work.bytes, n, 2, 4));
    }
    /* Every profile, and every way to keep the consistent part; clusters asked for and estimated. */
    for (size_t k = 0; k <= 4; k += 4) {
        expect("session f32", probe_session_f32(cluster_work.bytes, sizeof cluster_work.bytes, 40, k, 5));
        expect("session f64", probe_session_f64(cluster_work.bytes, sizeof cluster_work.bytes, 40, k, 5));
    }
    expect("capi", probe_capi());
    /* Powers of two, mixed radices, an odd radix of its own, and a prime that goes through a convolution. */
    static const size_t lengths[] = {1, 16, 30, 49, 13, 67};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        fill();
        expect("fft f32", probe_fft_f32(f, LENGTH, work.bytes, sizeof work.bytes, lengths[k]));
        expect("fft f64", probe_fft_f64(d, LENGTH, work.bytes, sizeof work.bytes, lengths[k]));
    }
    fill();
    expect("linalg f32", probe_linalg_f32(f, LENGTH, work.bytes, sizeof work.bytes, 9, 0.1f));
    expect("linalg f64", probe_linalg_f64(d, LENGTH, work.bytes, sizeof work.bytes, 9, 0.1));
    fill();
    expect("tensor f32", probe_tensor_f32(f, LENGTH, work.bytes, sizeof work.bytes, 6, 3, 0.1f));
    expect("tensor f64", probe_tensor_f64(d, LENGTH, work.bytes, sizeof work.bytes, 6, 3, 0.1));
#ifdef CANARY
    printf("%g\n", probe_canary(d, 24, shape[0]));
#endif
    return failures != 0;
}
