/* Misuse only. Every wrong call must return the right status, say why, and change nothing: neither the run's memory, nor
 * the bytes around it, nor a result. Compiled twice, once with -DWIDE for double precision. */
#include <cstgl.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WIDE
typedef double number;
typedef cstgl_f64 run_type;
typedef cstgl_f32 other_type;
#define F(name) cstgl_##name##_f64
#define OTHER(name) cstgl_##name##_f32
#define LARGEST DBL_MAX
#else
typedef float number;
typedef cstgl_f32 run_type;
typedef cstgl_f64 other_type;
#define F(name) cstgl_##name##_f32
#define OTHER(name) cstgl_##name##_f64
#define LARGEST FLT_MAX
#endif

enum { N = 12, M = 2, K = 3, D = 4, GUARD = 64 };

static int failures, calls;

#define CHECK(condition) check((condition) != 0, #condition, __LINE__)
static void check(int condition, const char *text, int line) {
    if (!condition && failures++ < 40) printf("line %d: %s\n", line, text);
}

/* The run's memory between two guards, and all places for results: everything that a refused call must leave alone. */
static unsigned char *block, *before;
static size_t bytes, block_bytes;
static run_type *run;
static struct results {
    number matrix[N * N];
    uint32_t labels[N];
    cstgl_layout layout;
    cstgl_info info;
    cstgl_record record;
    cstgl_clustering clustering;
    cstgl_scores scores;
    cstgl_config config;
    uint64_t iteration;
    run_type *handle;
    other_type *other;
} out, out_before;

/* The call is an expression of `e`: it is made with an error and without one. */
#define REFUSED(expected, call) \
    do { \
        for (int silent = 0; silent < 2; silent++) { \
            cstgl_error error, *e = silent ? NULL : &error; \
            memset(&error, 0x77, sizeof error); \
            remember(); \
            cstgl_status status = (call); \
            judge((expected), status, e, __LINE__); \
        } \
    } while (0)
static cstgl_error said; /* of the last call that could say something */

static void remember(void) {
    memcpy(before, block, block_bytes);
    memcpy(&out_before, &out, sizeof out);
}

static void judge(cstgl_status expected, cstgl_status status, const cstgl_error *error, int line) {
    calls++;
    if (status != expected && failures++ < 40)
        printf("line %d: status %d (%s), not %d (%s)\n", line, status, cstgl_status_string(status), expected,
               cstgl_status_string(expected));
    if (memcmp(before, block, block_bytes) != 0 && failures++ < 40) printf("line %d: memory has changed\n", line);
    if (memcmp(&out_before, &out, sizeof out) != 0 && failures++ < 40) printf("line %d: a result was written\n", line);
    if (error != NULL) {
        said = *error;
        check(error->status == status, "the error has another status", line);
        check(error->message[0] != 0 && memchr(error->message, 0, sizeof error->message) != NULL, "no message", line);
    }
}

static cstgl_config good_config(void) {
    cstgl_config config;
    CHECK(cstgl_config_init(&config) == CSTGL_OK);
    config.samples = N;
    config.views = M;
    config.clusters = K;
    config.neighbours = 3;
    return config;
}

static number data[D * N];
static void fill(unsigned view) {
    for (unsigned f = 0; f < D; f++)
        for (unsigned i = 0; i < N; i++)
            data[f * N + i] = (number)(f % 3 == (i + view) % 3) + (number)((i * 7 + f * 13 + view) % 11) / 22;
}

static void *start(void) { return block + GUARD; }

static void begin(void) {
    cstgl_config config = good_config();
    memset(block, 0xc3, block_bytes);
    CHECK(F(init)(start(), bytes, &config, &run, NULL) == CSTGL_OK);
    CHECK((void *)run == start());
}

static void push_all(void) {
    for (unsigned view = 0; view < M; view++) {
        fill(view);
        CHECK(F(push)(run, view, data, D, N, CSTGL_BY_FEATURE, NULL) == CSTGL_OK);
    }
}

static void configs(void) {
    cstgl_config config = good_config();
    CHECK(cstgl_config_init((cstgl_config *)NULL) == CSTGL_ERROR_NULL);
    CHECK(cstgl_config_init_sized(&out.config, sizeof out.config, CSTGL_ABI + 1) == CSTGL_ERROR_ABI);
    CHECK(cstgl_config_init_sized(&out.config, sizeof out.config, 0) == CSTGL_ERROR_ABI);
    REFUSED(CSTGL_ERROR_NULL, cstgl_config_profile(NULL, CSTGL_PROFILE_PAPER, e));
    REFUSED(CSTGL_ERROR_ABI, cstgl_config_profile(&out.config, CSTGL_PROFILE_PAPER, e)); /* not initialised */
    out.config = config;
    REFUSED(CSTGL_ERROR_PARAMETER, cstgl_config_profile(&out.config, 3, e));
    REFUSED(CSTGL_ERROR_PARAMETER, cstgl_config_profile(&out.config, UINT32_MAX, e));

    REFUSED(CSTGL_ERROR_NULL, F(layout)(NULL, &out.layout, e));
    REFUSED(CSTGL_ERROR_NULL, F(layout)(&config, NULL, e));
#define WITH(field, value, expected) \
    do { \
        cstgl_config bad = config; \
        bad.field = (value); \
        REFUSED(expected, F(layout)(&bad, &out.layout, e)); \
        REFUSED(expected, F(init)(start(), bytes, &bad, &out.handle, e)); \
    } while (0)
    WITH(struct_size, 0, CSTGL_ERROR_ABI);
    WITH(struct_size, sizeof config + 8, CSTGL_ERROR_ABI);
    WITH(abi, 0, CSTGL_ERROR_ABI);
    WITH(abi, CSTGL_ABI + 1, CSTGL_ERROR_ABI);
    WITH(samples, 0, CSTGL_ERROR_EMPTY);
    WITH(samples, K - 1, CSTGL_ERROR_PARAMETER); /* fewer samples than clusters */
    WITH(samples, UINT32_MAX, CSTGL_ERROR_OVERFLOW);
    WITH(samples, (uint64_t)1 << 40, CSTGL_ERROR_OVERFLOW);
    WITH(samples, UINT64_MAX, CSTGL_ERROR_OVERFLOW);
    WITH(views, 0, CSTGL_ERROR_EMPTY);
    WITH(views, UINT64_MAX, CSTGL_ERROR_OVERFLOW);
    WITH(views, (uint64_t)1 << 60, CSTGL_ERROR_OVERFLOW);
    WITH(clusters, N + 1, CSTGL_ERROR_PARAMETER);
    WITH(clusters, UINT64_MAX, CSTGL_ERROR_PARAMETER);
    WITH(neighbours, 0, CSTGL_ERROR_EMPTY);
    WITH(iterations, 0, CSTGL_ERROR_EMPTY);
    WITH(iterations, UINT64_MAX, CSTGL_ERROR_OVERFLOW);
    WITH(restarts, 0, CSTGL_ERROR_EMPTY);
    WITH(threads, 0, CSTGL_ERROR_EMPTY);
    WITH(distance, 2, CSTGL_ERROR_PARAMETER);
    WITH(unit_length, 2, CSTGL_ERROR_PARAMETER);
    WITH(graph, 2, CSTGL_ERROR_PARAMETER);
    WITH(self_loops, UINT32_MAX, CSTGL_ERROR_PARAMETER);
    WITH(axis, 2, CSTGL_ERROR_PARAMETER);
    WITH(noise, 2, CSTGL_ERROR_PARAMETER);
    WITH(threshold, 2, CSTGL_ERROR_PARAMETER);
    WITH(affinity, 3, CSTGL_ERROR_PARAMETER);
    WITH(spectral, 2, CSTGL_ERROR_PARAMETER);
    WITH(rank, 2, CSTGL_ERROR_PARAMETER);
    const double wrong[] = {NAN, INFINITY, -INFINITY, -1.0};
    for (size_t k = 0; k < 4; k++) {
        WITH(weight, wrong[k], CSTGL_ERROR_PARAMETER);
        WITH(beta, wrong[k], CSTGL_ERROR_PARAMETER);
        WITH(gamma, wrong[k], CSTGL_ERROR_PARAMETER);
        WITH(rho, wrong[k], CSTGL_ERROR_PARAMETER);
        WITH(mu, wrong[k], CSTGL_ERROR_PARAMETER);
        WITH(tolerance, wrong[k], CSTGL_ERROR_PARAMETER);
        config.graph = CSTGL_GRAPH_FIXED;
        WITH(alpha, wrong[k], CSTGL_ERROR_PARAMETER);
        config.graph = CSTGL_GRAPH_ADAPTIVE;
    }
    WITH(mu, 0.5, CSTGL_ERROR_PARAMETER);
    config.clusters = 0;
    WITH(max_clusters, 0, CSTGL_ERROR_EMPTY);
}

static void memory(void) {
    cstgl_config config = good_config();
    REFUSED(CSTGL_ERROR_NULL, F(init)(NULL, bytes, &config, &out.handle, e));
    REFUSED(CSTGL_ERROR_NULL, F(init)(start(), bytes, NULL, &out.handle, e));
    REFUSED(CSTGL_ERROR_NULL, F(init)(start(), bytes, &config, NULL, e));
    REFUSED(CSTGL_ERROR_MEMORY, F(init)(start(), bytes - 1, &config, &out.handle, e));
    CHECK(said.needed == bytes && said.given == bytes - 1 && said.view == CSTGL_NONE);
    REFUSED(CSTGL_ERROR_MEMORY, F(init)(start(), 0, &config, &out.handle, e));
    REFUSED(CSTGL_ERROR_MEMORY, F(init)(NULL, 0, &config, &out.handle, e));
    REFUSED(CSTGL_ERROR_OVERFLOW, F(init)(start(), SIZE_MAX, &config, &out.handle, e));
    for (size_t aside = 1; aside < 8; aside++) {
        REFUSED(CSTGL_ERROR_ALIGNMENT, F(init)(block + GUARD + aside, bytes, &config, &out.handle, e));
        CHECK(said.needed == 8);
    }
    REFUSED(CSTGL_ERROR_OVERLAP, F(init)(start(), bytes, &config, (run_type **)start(), e));

    REFUSED(CSTGL_ERROR_HANDLE, F(attach)(start(), bytes, &out.handle, e)); /* nothing there */
    begin();
    REFUSED(CSTGL_ERROR_NULL, F(attach)(NULL, bytes, &out.handle, e));
    REFUSED(CSTGL_ERROR_NULL, F(attach)(start(), bytes, NULL, e));
    REFUSED(CSTGL_ERROR_MEMORY, F(attach)(start(), bytes - 1, &out.handle, e));
    REFUSED(CSTGL_ERROR_MEMORY, F(attach)(start(), 16, &out.handle, e));
    REFUSED(CSTGL_ERROR_ALIGNMENT, F(attach)(block + GUARD + 4, bytes, &out.handle, e));
    REFUSED(CSTGL_ERROR_HANDLE, OTHER(attach)(start(), bytes, &out.other, e));
    CHECK(F(attach)(start(), bytes, &out.handle, NULL) == CSTGL_OK && out.handle == run);
}

/* Every function with this handle. */
static void with_handle(cstgl_status expected, run_type *handle) {
    static const size_t pointers[D + 1] = {0, 0, 0, 0, 0};
    out.config = good_config();
    REFUSED(expected, F(get_config)(handle, &out.config, e));
    REFUSED(expected, F(push)(handle, 0, data, D, N, CSTGL_BY_FEATURE, e));
    REFUSED(expected, F(push_strided)(handle, 0, data, D * N, D, N, N, 1, e));
    REFUSED(expected, F(push_csr)(handle, 0, pointers, NULL, NULL, 0, D, N, CSTGL_BY_FEATURE, e));
    REFUSED(expected, F(push_gram)(handle, 0, out.matrix, N, e));
    REFUSED(expected, F(push_distances)(handle, 0, out.matrix, N, e));
    REFUSED(expected, F(push_similarities)(handle, 0, out.matrix, N, e));
    REFUSED(expected, F(step)(handle, &out.info, e));
    REFUSED(expected, F(run)(handle, NULL, NULL, &out.info, e));
    REFUSED(expected, F(iteration)(handle, &out.iteration, e));
    REFUSED(expected, F(record)(handle, 0, &out.record, e));
    REFUSED(expected, F(labels)(handle, out.labels, N, e));
    REFUSED(expected, F(cluster)(handle, CSTGL_PARTS_DEFAULT, out.labels, N, NULL, 0, &out.clustering, e));
    REFUSED(expected, F(consistent)(handle, 0, out.matrix, N * N, e));
    REFUSED(expected, F(specific)(handle, 0, out.matrix, N * N, e));
    REFUSED(expected, F(noise)(handle, 0, out.matrix, N * N, e));
    REFUSED(expected, F(fused)(handle, CSTGL_PARTS_DEFAULT, out.matrix, N * N, e));
    REFUSED(expected, F(affinity)(handle, CSTGL_PARTS_DEFAULT, out.matrix, N * N, e));
    REFUSED(expected, F(slice_distances)(handle, out.matrix, M * M, e));
}

static void handles(void) {
    with_handle(CSTGL_ERROR_NULL, NULL);
    memset(block, 0, block_bytes);
    with_handle(CSTGL_ERROR_HANDLE, (run_type *)start());
    begin();
    block[GUARD + 20] ^= 1; /* written over */
    with_handle(CSTGL_ERROR_HANDLE, run);
    begin();
    with_handle(CSTGL_ERROR_ALIGNMENT, (run_type *)(void *)(block + GUARD + 4));
    REFUSED(CSTGL_ERROR_HANDLE, OTHER(iteration)((other_type *)start(), &out.iteration, e));
    REFUSED(CSTGL_ERROR_HANDLE, OTHER(step)((other_type *)start(), &out.info, e));
    REFUSED(CSTGL_ERROR_NULL, F(get_config)(run, NULL, e));
    memset(&out.config, 0, sizeof out.config);
    REFUSED(CSTGL_ERROR_ABI, F(get_config)(run, &out.config, e));
    REFUSED(CSTGL_ERROR_NULL, F(iteration)(run, NULL, e));
}

static void dense(void) {
    fill(0);
#define PUSH(...) F(push)(run, __VA_ARGS__, e)
    REFUSED(CSTGL_ERROR_NULL, PUSH(0, NULL, D, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_PARAMETER, PUSH(M, data, D, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_PARAMETER, PUSH(SIZE_MAX, data, D, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_PARAMETER, PUSH(0, data, D, N, 2));
    REFUSED(CSTGL_ERROR_LENGTH, PUSH(0, data, D, N - 1, CSTGL_BY_FEATURE));
    CHECK(said.needed == N && said.given == N - 1);
    REFUSED(CSTGL_ERROR_EMPTY, PUSH(0, data, D, 0, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_OVERFLOW, PUSH(0, data, SIZE_MAX, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_OVERFLOW, PUSH(0, data, SIZE_MAX / N / sizeof(number) + 1, N, CSTGL_BY_SAMPLE));
    REFUSED(CSTGL_ERROR_ALIGNMENT, PUSH(0, (number *)(void *)((char *)data + 1), D - 1, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_OVERLAP, PUSH(0, (number *)start(), D, N, CSTGL_BY_FEATURE));
    const number wrong[] = {(number)NAN, (number)INFINITY, -(number)INFINITY};
    for (size_t k = 0; k < 3; k++) {
        fill(0);
        data[2 * N + 7] = wrong[k];
        REFUSED(CSTGL_ERROR_NOT_FINITE, PUSH(1, data, D, N, CSTGL_BY_FEATURE));
        CHECK(said.view == 1 && said.feature == 2 && said.sample == 7);
        fill(0);
        data[7 * D + 2] = wrong[k];
        REFUSED(CSTGL_ERROR_NOT_FINITE, PUSH(1, data, D, N, CSTGL_BY_SAMPLE));
        CHECK(said.view == 1 && said.feature == 2 && said.sample == 7);
    }
    fill(0);
#define STRIDED(...) F(push_strided)(run, __VA_ARGS__, e)
    REFUSED(CSTGL_ERROR_NULL, STRIDED(0, NULL, D * N, D, N, N, 1));
    REFUSED(CSTGL_ERROR_LENGTH, STRIDED(0, data, D * N - 1, D, N, N, 1));
    REFUSED(CSTGL_ERROR_LENGTH, STRIDED(0, NULL, 0, D, N, N, 1));
    REFUSED(CSTGL_ERROR_OVERFLOW, STRIDED(0, data, D * N, D, N, SIZE_MAX / 2, 1));
    REFUSED(CSTGL_ERROR_OVERFLOW, STRIDED(0, data, D * N, D, N, 1, SIZE_MAX / 2));
    REFUSED(CSTGL_ERROR_OVERFLOW, STRIDED(0, data, SIZE_MAX, D, N, N, 1));
    REFUSED(CSTGL_ERROR_LENGTH, STRIDED(0, data, D * N, D, N + 1, 1, 1));
    REFUSED(CSTGL_ERROR_PARAMETER, STRIDED(0, data, D * N, SIZE_MAX, N, 0, 1));
}

static void sparse(void) {
    size_t pointers[D + 1] = {0, 2, 2, 3, 4};
    uint32_t indices[4] = {1, 5, 0, N - 1};
    number values[4] = {1, 2, 3, 4};
#define CSR(...) F(push_csr)(run, __VA_ARGS__, e)
    REFUSED(CSTGL_ERROR_NULL, CSR(0, NULL, indices, values, 4, D, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_NULL, CSR(0, pointers, NULL, values, 4, D, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_NULL, CSR(0, pointers, indices, NULL, 4, D, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_PARAMETER, CSR(M, pointers, indices, values, 4, D, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_PARAMETER, CSR(0, pointers, indices, values, 4, D, N, 7));
    REFUSED(CSTGL_ERROR_LENGTH, CSR(0, pointers, indices, values, 4, D, N + 1, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_OVERFLOW, CSR(0, pointers, indices, values, 4, SIZE_MAX, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_OVERFLOW, CSR(0, pointers, indices, values, SIZE_MAX, D, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_OVERLAP, CSR(0, (size_t *)start(), indices, values, 4, D, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_OVERLAP, CSR(0, pointers, (uint32_t *)start(), values, 4, D, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_OVERLAP, CSR(0, pointers, indices, (number *)start(), 4, D, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_INDEX, CSR(0, pointers, indices, values, 3, D, N, CSTGL_BY_FEATURE)); /* ends too early */
    indices[3] = N;
    REFUSED(CSTGL_ERROR_INDEX, CSR(0, pointers, indices, values, 4, D, N, CSTGL_BY_FEATURE));
    CHECK(said.index == 3);
    indices[3] = N - 1, indices[1] = 1;
    REFUSED(CSTGL_ERROR_INDEX, CSR(0, pointers, indices, values, 4, D, N, CSTGL_BY_FEATURE));
    CHECK(said.index == 1);
    indices[1] = 5, pointers[2] = 1;
    REFUSED(CSTGL_ERROR_INDEX, CSR(0, pointers, indices, values, 4, D, N, CSTGL_BY_FEATURE));
    pointers[2] = SIZE_MAX;
    REFUSED(CSTGL_ERROR_INDEX, CSR(0, pointers, indices, values, 4, D, N, CSTGL_BY_FEATURE));
    pointers[2] = 2, values[2] = (number)NAN;
    REFUSED(CSTGL_ERROR_NOT_FINITE, CSR(1, pointers, indices, values, 4, D, N, CSTGL_BY_FEATURE));
    CHECK(said.view == 1 && said.feature == 2 && said.sample == 0);
}

static void pairs(void) {
    static number matrix[N * N];
    cstgl_status (*const push[])(run_type *, size_t, const number *, size_t, cstgl_error *) = {
        F(push_gram), F(push_distances), F(push_similarities)};
    for (size_t k = 0; k < N * N; k++) matrix[k] = (number)(k / N == k % N);
    for (size_t k = 0; k < 3; k++) {
        REFUSED(CSTGL_ERROR_NULL, push[k](run, 0, NULL, N, e));
        REFUSED(CSTGL_ERROR_PARAMETER, push[k](run, M, matrix, N, e));
        REFUSED(CSTGL_ERROR_LENGTH, push[k](run, 0, matrix, N - 1, e));
        REFUSED(CSTGL_ERROR_LENGTH, push[k](run, 0, matrix, 0, e));
        REFUSED(CSTGL_ERROR_OVERFLOW, push[k](run, 0, matrix, SIZE_MAX, e));
        REFUSED(CSTGL_ERROR_OVERLAP, push[k](run, 0, (number *)start(), N, e));
        matrix[3 * N + 4] = (number)NAN;
        REFUSED(CSTGL_ERROR_NOT_FINITE, push[k](run, 1, matrix, N, e));
        CHECK(said.view == 1 && said.feature == 3 && said.sample == 4);
        matrix[3 * N + 4] = 0;
    }
    matrix[0] = -1;
    REFUSED(CSTGL_ERROR_PARAMETER, F(push_gram)(run, 0, matrix, N, e));
    matrix[0] = 1;
    /* Features and distances do not mix, and distances come once. */
    CHECK(F(push_distances)(run, 0, matrix, N, NULL) == CSTGL_OK);
    REFUSED(CSTGL_ERROR_SEQUENCE, F(push_distances)(run, 0, matrix, N, e));
    REFUSED(CSTGL_ERROR_SEQUENCE, F(push_gram)(run, 0, matrix, N, e));
    fill(0);
    REFUSED(CSTGL_ERROR_SEQUENCE, PUSH(0, data, D, N, CSTGL_BY_FEATURE));
}

static void too_early(void) {
    REFUSED(CSTGL_ERROR_SEQUENCE, F(step)(run, &out.info, e));
    REFUSED(CSTGL_ERROR_SEQUENCE, F(run)(run, NULL, NULL, &out.info, e));
    fill(0);
    CHECK(F(push)(run, 0, data, D, N, CSTGL_BY_FEATURE, NULL) == CSTGL_OK);
    REFUSED(CSTGL_ERROR_SEQUENCE, F(step)(run, &out.info, e)); /* a view is missing */
    REFUSED(CSTGL_ERROR_SEQUENCE, F(record)(run, 0, &out.record, e));
    REFUSED(CSTGL_ERROR_SEQUENCE, F(labels)(run, out.labels, N, e));
    REFUSED(CSTGL_ERROR_SEQUENCE, F(consistent)(run, 0, out.matrix, N * N, e));
    REFUSED(CSTGL_ERROR_SEQUENCE, F(specific)(run, 0, out.matrix, N * N, e));
    REFUSED(CSTGL_ERROR_SEQUENCE, F(noise)(run, 0, out.matrix, N * N, e));
    REFUSED(CSTGL_ERROR_SEQUENCE, F(fused)(run, CSTGL_PARTS_DEFAULT, out.matrix, N * N, e));
    REFUSED(CSTGL_ERROR_SEQUENCE, F(affinity)(run, CSTGL_PARTS_DEFAULT, out.matrix, N * N, e));
    REFUSED(CSTGL_ERROR_SEQUENCE, F(slice_distances)(run, out.matrix, M * M, e));
}

/* Squares that overflow are found when the views become distances; both views are there, and the run says which. */
static void range(void) {
    push_all();
    for (size_t k = 0; k < D * N; k++) data[k] = (number)(LARGEST / 4);
    cstgl_status status = F(push)(run, 1, data, D, N, CSTGL_BY_FEATURE, NULL);
    if (status == CSTGL_OK) {
        cstgl_error error;
        CHECK(F(step)(run, NULL, &error) == CSTGL_ERROR_RANGE && error.view == 1);
        CHECK(F(step)(run, NULL, &error) == CSTGL_ERROR_RANGE && error.view == 1);
    } else {
        CHECK(status == CSTGL_ERROR_RANGE);
    }
}

static void readers(void) {
    push_all();
    CHECK(F(step)(run, NULL, NULL) == CSTGL_OK);
    REFUSED(CSTGL_ERROR_SEQUENCE, PUSH(0, data, D, N, CSTGL_BY_FEATURE));
    REFUSED(CSTGL_ERROR_SEQUENCE, F(push_gram)(run, 0, out.matrix, N, e));
    REFUSED(CSTGL_ERROR_SEQUENCE, F(record)(run, 1, &out.record, e));
    REFUSED(CSTGL_ERROR_SEQUENCE, F(record)(run, SIZE_MAX, &out.record, e));
    REFUSED(CSTGL_ERROR_NULL, F(record)(run, 0, NULL, e));
    REFUSED(CSTGL_ERROR_OVERLAP, F(record)(run, 0, (cstgl_record *)start(), e));
    REFUSED(CSTGL_ERROR_OVERLAP, F(step)(run, (cstgl_info *)start(), e));
    REFUSED(CSTGL_ERROR_OVERLAP, F(run)(run, NULL, NULL, (cstgl_info *)start(), e));

    cstgl_status (*const read[])(run_type *, size_t, number *, size_t, cstgl_error *) = {
        F(consistent), F(specific), F(noise)};
    for (size_t k = 0; k < 3; k++) {
        REFUSED(CSTGL_ERROR_NULL, read[k](run, 0, NULL, N * N, e));
        REFUSED(CSTGL_ERROR_LENGTH, read[k](run, 0, out.matrix, N * N - 1, e));
        REFUSED(CSTGL_ERROR_LENGTH, read[k](run, 0, NULL, 0, e));
        REFUSED(CSTGL_ERROR_OVERFLOW, read[k](run, 0, out.matrix, SIZE_MAX, e));
        REFUSED(CSTGL_ERROR_PARAMETER, read[k](run, M, out.matrix, N * N, e));
        REFUSED(CSTGL_ERROR_ALIGNMENT, read[k](run, 0, (number *)(void *)((char *)out.matrix + 1), N * N, e));
        REFUSED(CSTGL_ERROR_OVERLAP, read[k](run, 0, (number *)start(), N * N, e));
    }
    cstgl_status (*const fuse[])(run_type *, uint32_t, number *, size_t, cstgl_error *) = {F(fused), F(affinity)};
    for (size_t k = 0; k < 2; k++) {
        REFUSED(CSTGL_ERROR_NULL, fuse[k](run, CSTGL_PARTS_DEFAULT, NULL, N * N, e));
        REFUSED(CSTGL_ERROR_LENGTH, fuse[k](run, CSTGL_PARTS_DEFAULT, out.matrix, N, e));
        REFUSED(CSTGL_ERROR_PARAMETER, fuse[k](run, 0, out.matrix, N * N, e));
        REFUSED(CSTGL_ERROR_PARAMETER, fuse[k](run, 8, out.matrix, N * N, e));
        REFUSED(CSTGL_ERROR_OVERLAP, fuse[k](run, 1, (number *)start(), N * N, e));
    }
    REFUSED(CSTGL_ERROR_NULL, F(slice_distances)(run, NULL, M * M, e));
    REFUSED(CSTGL_ERROR_LENGTH, F(slice_distances)(run, out.matrix, M * M + 1, e));

    REFUSED(CSTGL_ERROR_NULL, F(labels)(run, NULL, N, e));
    REFUSED(CSTGL_ERROR_LENGTH, F(labels)(run, out.labels, N - 1, e));
    CHECK(said.needed == N && said.given == N - 1);
    REFUSED(CSTGL_ERROR_LENGTH, F(labels)(run, NULL, 0, e));
    REFUSED(CSTGL_ERROR_ALIGNMENT, F(labels)(run, (uint32_t *)(void *)((char *)out.labels + 1), N, e));
    REFUSED(CSTGL_ERROR_OVERLAP, F(labels)(run, (uint32_t *)start(), N, e));
#define CLUSTER(...) F(cluster)(run, __VA_ARGS__, e)
    REFUSED(CSTGL_ERROR_NULL, CLUSTER(CSTGL_PARTS_DEFAULT, out.labels, N, NULL, N * K, &out.clustering));
    REFUSED(CSTGL_ERROR_LENGTH, CLUSTER(CSTGL_PARTS_DEFAULT, out.labels, N, out.matrix, N * K - 1, &out.clustering));
    REFUSED(CSTGL_ERROR_PARAMETER, CLUSTER(0, out.labels, N, NULL, 0, &out.clustering));
    REFUSED(CSTGL_ERROR_PARAMETER, CLUSTER(16, out.labels, N, NULL, 0, &out.clustering));
    REFUSED(CSTGL_ERROR_OVERLAP, CLUSTER(3, out.labels, N, (number *)(void *)(out.labels + 2), N * K, &out.clustering));
    REFUSED(CSTGL_ERROR_OVERLAP, CLUSTER(3, out.labels, N, NULL, 0, (cstgl_clustering *)start()));

    CHECK(F(run)(run, NULL, NULL, NULL, NULL) == CSTGL_OK);
    REFUSED(CSTGL_ERROR_SEQUENCE, F(step)(run, &out.info, e)); /* all iterations are done */
}

static void scores(void) {
    static uint32_t truth[N], labels[N];
    cstgl_layout need;
    CHECK(cstgl_score_layout(N, &need, NULL) == CSTGL_OK);
    void *work = malloc(need.bytes + 8);
    REFUSED(CSTGL_ERROR_NULL, cstgl_score_layout(N, NULL, e));
    REFUSED(CSTGL_ERROR_EMPTY, cstgl_score_layout(0, &out.layout, e));
    REFUSED(CSTGL_ERROR_OVERFLOW, cstgl_score_layout(SIZE_MAX, &out.layout, e));
#define SCORE(...) cstgl_score(__VA_ARGS__, e)
    REFUSED(CSTGL_ERROR_NULL, SCORE(NULL, labels, N, work, need.bytes, &out.scores));
    REFUSED(CSTGL_ERROR_NULL, SCORE(truth, NULL, N, work, need.bytes, &out.scores));
    REFUSED(CSTGL_ERROR_NULL, SCORE(truth, labels, N, NULL, need.bytes, &out.scores));
    REFUSED(CSTGL_ERROR_NULL, SCORE(truth, labels, N, work, need.bytes, NULL));
    REFUSED(CSTGL_ERROR_EMPTY, SCORE(truth, labels, 0, work, need.bytes, &out.scores));
    REFUSED(CSTGL_ERROR_MEMORY, SCORE(truth, labels, N, work, need.bytes - 1, &out.scores));
    REFUSED(CSTGL_ERROR_MEMORY, SCORE(truth, labels, N, NULL, 0, &out.scores));
    REFUSED(CSTGL_ERROR_ALIGNMENT, SCORE(truth, labels, N, (char *)work + 1, need.bytes, &out.scores));
    REFUSED(CSTGL_ERROR_OVERFLOW, SCORE(truth, labels, SIZE_MAX, work, need.bytes, &out.scores));
    REFUSED(CSTGL_ERROR_OVERLAP, SCORE((uint32_t *)work, labels, N, work, need.bytes, &out.scores));
    free(work);
}

struct visit {
    uint64_t stop_at;
    unsigned calls;
    uint32_t labels[N];
};

static int32_t visitor(const cstgl_record *record, void *user) {
    struct visit *visit = user;
    visit->calls++;
    CHECK(record->iteration >= 1 && record->rho > 0);
    /* The same handle from inside: labels so far, and steps so far. */
    CHECK(F(labels)(run, visit->labels, N, NULL) == CSTGL_OK);
    CHECK(F(iteration)(run, &out.iteration, NULL) == CSTGL_OK && out.iteration == record->iteration);
    return record->iteration == visit->stop_at ? -1 : 0;
}

/* A run that is cancelled, copied and gone on with has the labels and the numbers of one that is left alone. */
static void cancellation(void) {
    static uint32_t expected[N], labels[N];
    static number matrix[N * N];
    struct visit visit = {3, 0, {0}};
    cstgl_info info;
    push_all();
    CHECK(F(run)(run, NULL, NULL, &info, NULL) == CSTGL_OK && info.outcome == CSTGL_ITERATION_LIMIT);
    CHECK(F(labels)(run, expected, N, NULL) == CSTGL_OK);
    CHECK(F(affinity)(run, CSTGL_PARTS_DEFAULT, out.matrix, N * N, NULL) == CSTGL_OK);

    begin();
    push_all();
    CHECK(F(run)(run, visitor, &visit, &info, NULL) == CSTGL_OK);
    CHECK(info.outcome == CSTGL_CANCELLED && info.last.iteration == 3 && visit.calls == 3);
    run_type *original = run;
    unsigned char *copy = malloc(bytes);
    memcpy(copy, start(), bytes);
    CHECK(F(attach)(copy, bytes, &run, NULL) == CSTGL_OK && (void *)run == (void *)copy);
    visit.stop_at = 0;
    CHECK(F(run)(run, visitor, &visit, &info, NULL) == CSTGL_OK);
    CHECK(info.outcome == CSTGL_ITERATION_LIMIT && visit.calls == 20);
    CHECK(F(labels)(run, labels, N, NULL) == CSTGL_OK && memcmp(labels, expected, sizeof labels) == 0);
    CHECK(memcmp(visit.labels, expected, sizeof labels) == 0);
    CHECK(F(affinity)(run, CSTGL_PARTS_DEFAULT, matrix, N * N, NULL) == CSTGL_OK);
    CHECK(memcmp(matrix, out.matrix, sizeof matrix) == 0);
    free(copy);
    /* The original stands where it stood. */
    CHECK(F(iteration)(original, &out.iteration, NULL) == CSTGL_OK && out.iteration == 3);
    run = original;
    for (int step = 4; step <= 20; step++) {
        CHECK(F(step)(run, &info, NULL) == CSTGL_OK && info.last.iteration == (uint64_t)step);
        CHECK(info.outcome == (step < 20 ? CSTGL_RUNNING : CSTGL_ITERATION_LIMIT));
    }
    CHECK(F(labels)(run, labels, N, NULL) == CSTGL_OK && memcmp(labels, expected, sizeof labels) == 0);
}

int main(void) {
    cstgl_config config = good_config();
    cstgl_layout need;
    CHECK(F(layout)(&config, &need, NULL) == CSTGL_OK);
    CHECK(need.align <= 8);
    bytes = need.bytes;
    block_bytes = bytes + 2 * GUARD;
    block = malloc(block_bytes), before = malloc(block_bytes);
    if (block == NULL || before == NULL) return 1;
    memset(block, 0xc3, block_bytes);
    memset(&out, 0x5a, sizeof out);

    void (*const parts[])(void) = {configs, memory,  handles, dense,  sparse,      pairs,
                                   too_early, range, readers, scores, cancellation};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (k >= 2) begin();
        parts[k]();
        for (size_t b = 0; b < GUARD && k >= 2; b++) CHECK(block[b] == 0xc3 && block[GUARD + bytes + b] == 0xc3);
    }
    for (int32_t status = -100; status <= 100; status++) CHECK(cstgl_status_string(status)[0] != 0);
    CHECK(strcmp(cstgl_status_string(INT32_MIN), cstgl_status_string(INT32_MAX)) == 0);
    CHECK(cstgl_abi() == CSTGL_ABI && cstgl_version_number() == CSTGL_VERSION_NUMBER);
    printf("%d refused calls, %d failures\n", calls, failures);
    free(block);
    free(before);
    return failures != 0;
}
