/* cstgl: multi-view clustering by tensor-based graph learning.
 *
 * Several views (kinds of features) of the same samples go in, a label for every sample comes out, and with it what
 * the views share, what is each view's own, and what is noise. This file is all there is to include. It is made from
 * src/capi by cbindgen: change it there.
 *
 * EXAMPLE: four samples, two views, two clusters
 *
 *     #include <cstgl.h>
 *     #include <stdio.h>
 *     #include <stdlib.h>
 *
 *     int main(void) {
 *         const float shape[4 * 2] = {1, 0,  9, 1,  1, .1f,  8, 1};     // a row is a sample, two features
 *         const float colour[4 * 1] = {1, -1, 2, -2};                   // one feature
 *         cstgl_config config;
 *         cstgl_layout need;
 *         cstgl_error error;
 *         cstgl_f32 *run;
 *         uint32_t labels[4];
 *
 *         cstgl_config_init(&config);
 *         config.samples = 4;
 *         config.views = 2;
 *         config.clusters = 2;
 *         if (cstgl_layout_f32(&config, &need, &error) ||
 *             cstgl_init_f32(malloc(need.bytes), need.bytes, &config, &run, &error) ||
 *             cstgl_push_f32(run, 0, shape, 2, 4, CSTGL_BY_SAMPLE, &error) ||
 *             cstgl_push_f32(run, 1, colour, 1, 4, CSTGL_BY_SAMPLE, &error) ||
 *             cstgl_run_f32(run, NULL, NULL, NULL, &error) ||
 *             cstgl_labels_f32(run, labels, 4, &error)) {
 *             fprintf(stderr, "%s\n", error.message);
 *             return 1;
 *         }
 *         printf("%u %u %u %u\n", labels[0], labels[1], labels[2], labels[3]);
 *         free(run);                                                    // the memory that malloc gave
 *         return 0;
 *     }
 *
 * RULES, for every function below
 *
 * Memory. The library allocates nothing. A run lives in memory that the caller provides: cstgl_layout says how much,
 *   cstgl_init begins a run in it, and the handle is its address. There is nothing to free but that memory. Data that is
 *   passed in belongs to the caller and is not kept: it may be reused as soon as the call has returned.
 * Alignment. A run's memory starts at a multiple of 8 bytes, as everything does that malloc returns; arrays are aligned as
 *   their type. Anything else is refused (CSTGL_ERROR_ALIGNMENT).
 * Copies. There is no address inside a run. Its memory may be copied with memcpy, moved, saved to a file or mapped by
 *   another process of the same machine type: pass the new address to cstgl_attach, or use it as a handle. Both go on
 *   independently, to the same bits.
 * Status. Every function that can fail returns a cstgl_status: zero is success, negative an error. Being converged, out of
 *   iterations or cancelled is not an error: see cstgl_info.
 * Errors. The last parameter of such a function, `error`, may be NULL. If not, it tells what was wrong, where (view,
 *   feature, sample), what would have been right, and says so in English. It is written only when a call fails.
 * A refused call changes nothing: neither the run, nor a result. So it can be made again, better.
 * Results are written only when a call succeeds. Result parameters that may be NULL say so.
 * Pointers may be NULL only where that is said, and for arrays of length zero. No argument may overlap the run's memory.
 * Order. All views are pushed, in any order and any number of blocks; then come steps; after the first step results can be
 *   read at any time. Anything else is refused (CSTGL_ERROR_SEQUENCE).
 * Numbers that are NaN or infinite are refused with their position. Sizes that overflow are refused.
 * Threads. One thread at a time for a run. Runs are independent of each other. There is no global state. Nothing here is
 *   to be called from a signal handler; a handler that sets a flag, and a callback that looks at it, cancel a run.
 * Same bits. The same input gives the same bits on every machine, for any number of threads.
 * Types. Functions ending in _f32 take float, those ending in _f64 double. Both are in the library, and a run of one
 *   type is refused by the functions of the other.
 * Versions. A program asks for what it was compiled with: cstgl_config_init passes the size of the struct and CSTGL_ABI.
 *   A newer library accepts an older, shorter struct; what it does not know it refuses (CSTGL_ERROR_ABI). Structs other than
 *   cstgl_config never grow. There are no enums here, because their size depends on the compiler.
 */

#ifndef CSTGL_H
#define CSTGL_H

#include <stddef.h>
#include <stdint.h>

/**
 * Fills a cstgl_config with the default profile: to be called before its fields are set.
 */
#define cstgl_config_init(config) cstgl_config_init_sized((config), sizeof(cstgl_config), CSTGL_ABI)

/**
 * Bytes that are enough for a run of n samples, m views and k clusters, as a constant expression: for a static array.
 *
 * They are enough for all three profiles with the other fields as by default (20 iterations, 1 thread, rank_limit 0); at
 * most 10 % and 4 KiB more than the exact number of cstgl_layout_f32 up to 300 samples, 8 views and 12 clusters. Where the
 * number of clusters is estimated, k is max_clusters + 1. The array must be aligned to 8 bytes: put it in a union with a
 * uint64_t. An argument is evaluated more than once.
 */
#define CSTGL_WORKSPACE_BYTES_F32(n, m, k) (4 * CSTGL_WORKSPACE_NUMBERS((size_t)(n), (size_t)(m), (size_t)(k)))
/**
 * The same in double precision.
 */
#define CSTGL_WORKSPACE_BYTES_F64(n, m, k) (8 * CSTGL_WORKSPACE_NUMBERS((size_t)(n), (size_t)(m), (size_t)(k)))

/* What the two above are made of. Seven tensors; then what a step needs for its slices (real up to two views, complex
 * beyond), by a dense method or by a search that has a size of its own; then clustering into many clusters. */
#define CSTGL_WORKSPACE_NUMBERS(n, m, k) \
    (7 * (n) * (n) * (m) + ((n) <= 128 ? CSTGL_WORKSPACE_SMALL(n, m) : CSTGL_WORKSPACE_LARGE(n, m)) + \
     ((k) > 12 && 21 * (k) >= (n) ? 3 * (n) * (n) / 2 : 0) + ((m) > 8 ? (12 + ((n) < 256 ? (n) : 8 * (n))) * (m) * (m) : 0))
#define CSTGL_WORKSPACE_SMALL(n, m) \
    ((m) > 2 ? 5 * (n) * (n) + 24 * (n) * (m) + ((n) > 7 && (n) < 11 && (m) > 7 ? 1280 : 900) \
             : ((n) <= 60 ? 3 * (n) * (n) : 10 * (n) * (n) / 3) + 50 * (n) + 540)
#define CSTGL_WORKSPACE_LARGE(n, m) \
    (2 * CSTGL_WORKSPACE_RANK(n) * (n) * (m) + (m) * (m) + 4 * (m) + \
     ((m) > 2 ? CSTGL_MAX(4 * (n) * (n) + 230 * (n) + 2000, 2 * CSTGL_WORKSPACE_SEARCH(n)) \
              : CSTGL_MAX(5 * (n) * (n) / 2 + 125 * (n) + 400, CSTGL_WORKSPACE_SEARCH(n))))
#define CSTGL_WORKSPACE_SEARCH(n) \
    ((13 * CSTGL_WORKSPACE_RANK(n) + 180) * (n) + 76 * (CSTGL_WORKSPACE_RANK(n) + 16) * (CSTGL_WORKSPACE_RANK(n) + 16))
#define CSTGL_WORKSPACE_RANK(n) ((n) < 256 ? 16 : (n) < 8192 ? (n) / 16 : 512)
#define CSTGL_MAX(a, b) ((a) > (b) ? (a) : (b))


/**
 * Version of the library that this header belongs to: changes that break a program.
 */
#define CSTGL_VERSION_MAJOR 0

/**
 * Additions; before 1.0, changes that break a program as well.
 */
#define CSTGL_VERSION_MINOR 1

/**
 * Corrections.
 */
#define CSTGL_VERSION_PATCH 0

/**
 * `10000 * major + 100 * minor + patch`, to be compared with `cstgl_version_number()`.
 */
#define CSTGL_VERSION_NUMBER 100

/**
 * The binary interface. It changes when a program must be compiled anew, and so does the library's SONAME,
 * `libcstgl.so.1`.
 */
#define CSTGL_ABI 1

/**
 * Success.
 */
#define CSTGL_OK 0

/**
 * A pointer that must not be NULL is.
 */
#define CSTGL_ERROR_NULL -1

/**
 * The program was compiled with a header that this library does not know: `struct_size` or `abi` of a configuration
 * is not one that `cstgl_config_init` writes.
 */
#define CSTGL_ERROR_ABI -2

/**
 * The memory behind a handle holds no run of this kind: not initialised, written over, or of the other type.
 */
#define CSTGL_ERROR_HANDLE -3

/**
 * A size computed from the arguments does not fit in `size_t`.
 */
#define CSTGL_ERROR_OVERFLOW -4

/**
 * The memory is too small: `needed` and `given` of the error tell by how much.
 */
#define CSTGL_ERROR_MEMORY -5

/**
 * A pointer is not a multiple of the alignment that its type needs; `needed` of the error.
 */
#define CSTGL_ERROR_ALIGNMENT -6

/**
 * An array has another length than it must have: `needed` and `given` of the error.
 */
#define CSTGL_ERROR_LENGTH -7

/**
 * Something that must not be empty is.
 */
#define CSTGL_ERROR_EMPTY -8

/**
 * A number is NaN or infinite: `view`, `feature` and `sample`, or `index`, of the error tell which.
 */
#define CSTGL_ERROR_NOT_FINITE -9

/**
 * A position in a sparse block is outside the block or not in ascending order: `index` of the error.
 */
#define CSTGL_ERROR_INDEX -10

/**
 * Sums of squares of a view leave the range of the type: scale the view down. `view` of the error.
 */
#define CSTGL_ERROR_RANGE -11

/**
 * A call came too early or too late.
 */
#define CSTGL_ERROR_SEQUENCE -12

/**
 * A parameter is outside its domain.
 */
#define CSTGL_ERROR_PARAMETER -13

/**
 * The consistent part has a higher rank than `rank_limit` allows: `given` of the error is the limit.
 */
#define CSTGL_ERROR_RANK -14

/**
 * An inner iteration did not settle: `given` of the error is its limit.
 */
#define CSTGL_ERROR_NOT_CONVERGED -15

/**
 * Two arguments share memory that must not, such as labels inside the run's own memory.
 */
#define CSTGL_ERROR_OVERLAP -16

/**
 * A number of `cstgl_error` that means nothing for its status.
 */
#define CSTGL_NONE UINT64_MAX

/**
 * Bytes of `cstgl_error.message`.
 */
#define CSTGL_MESSAGE_BYTES 128

/**
 * Pseudo-Stiefel, `d - <x, y>` (Eq. 10).
 */
#define CSTGL_DISTANCE_STIEFEL 0

/**
 * Squared Euclidean.
 */
#define CSTGL_DISTANCE_EUCLIDEAN 1

/**
 * Distances as they are, weighed by `alpha`.
 */
#define CSTGL_GRAPH_FIXED 0

/**
 * Distances rescaled so that a sample has `neighbours` neighbours at first, whatever their scale.
 */
#define CSTGL_GRAPH_ADAPTIVE 1

/**
 * The transform runs along the views, as in the paper.
 */
#define CSTGL_AXIS_VIEWS 0

/**
 * The transform runs along the samples, as in the authors' program: the result depends on their order.
 */
#define CSTGL_AXIS_SAMPLES 1

/**
 * Noise is measured in tubes: the same pair of samples in all views.
 */
#define CSTGL_NOISE_TUBE 0

/**
 * Noise is measured in columns: a sample in all views.
 */
#define CSTGL_NOISE_COLUMN 1

/**
 * `beta / rho`.
 */
#define CSTGL_THRESHOLD_PLAIN 0

/**
 * `views * beta / rho`.
 */
#define CSTGL_THRESHOLD_TIMES_VIEWS 1

/**
 * The fused graph, made symmetric.
 */
#define CSTGL_AFFINITY_SYMMETRIC 0

/**
 * The diagonal zeroed and columns scaled to unit length besides.
 */
#define CSTGL_AFFINITY_UNIT_COLUMNS 1

/**
 * The same, made symmetric again and without negative weights.
 */
#define CSTGL_AFFINITY_UNIT_COLUMNS_CLAMPED 2

/**
 * Leading eigenvectors of the symmetric normalised graph.
 */
#define CSTGL_SPECTRAL_SYMMETRIC 0

/**
 * Right singular vectors, as in the authors' program.
 */
#define CSTGL_SPECTRAL_REFERENCE 1

/**
 * Any rank; up to `rank_limit` it is found by a cheaper method.
 */
#define CSTGL_RANK_ANY 0

/**
 * At most `rank_limit`, and no memory for more: exceeding it is `CSTGL_ERROR_RANK`.
 */
#define CSTGL_RANK_AT_MOST 1

/**
 * Ours: shuffling the samples permutes the labels and changes nothing else.
 */
#define CSTGL_PROFILE_DEFAULT 0

/**
 * The paper's text.
 */
#define CSTGL_PROFILE_PAPER 1

/**
 * The authors' program. Its result depends on the order of the samples: it is here to reproduce published figures.
 */
#define CSTGL_PROFILE_REFERENCE 2

/**
 * There are steps left to do.
 */
#define CSTGL_RUNNING 0

/**
 * The consistent part moves by no more than `tolerance`.
 */
#define CSTGL_CONVERGED 1

/**
 * All iterations are done.
 */
#define CSTGL_ITERATION_LIMIT 2

/**
 * The callback said stop. The next call goes on, to the same bits as one long run.
 */
#define CSTGL_CANCELLED 3

/**
 * Rows of a block are features: sample j of feature f at `f * samples + j`.
 */
#define CSTGL_BY_FEATURE 0

/**
 * Rows of a block are samples: feature f of sample j at `j * features + f`.
 */
#define CSTGL_BY_SAMPLE 1

/**
 * The part of the graphs that the views share, `S1`. Parts are added up with `|`.
 */
#define CSTGL_PART_CONSISTENT 1

/**
 * The part that is a view's own, `S2`.
 */
#define CSTGL_PART_SPECIFIC 2

/**
 * The noise, `E`.
 */
#define CSTGL_PART_NOISE 4

/**
 * What labels are made of, Eq. (36): the consistent and the specific part.
 */
#define CSTGL_PARTS_DEFAULT 3

/**
 * A run in single precision: the start of the caller's memory. Its contents are the library's.
 */
typedef struct cstgl_f32 cstgl_f32;

/**
 * A run in double precision: the start of the caller's memory. Its contents are the library's.
 */
typedef struct cstgl_f64 cstgl_f64;

/**
 * What a function returns: zero is success, a negative number is an error (`CSTGL_ERROR_...`).
 */
typedef int32_t cstgl_status;

/**
 * Every choice of a run. `cstgl_config_init` fills it; then set `samples` and `views`, and what you like.
 *
 * It may grow at its end. A program that was compiled with a shorter one works with a newer library, which takes
 * the defaults for the rest.
 */
typedef struct cstgl_config {
    /**
     * Bytes of this struct as the program knows it. `cstgl_config_init` sets it; leave it.
     */
    uint32_t struct_size;
    /**
     * The program's `CSTGL_ABI`. `cstgl_config_init` sets it; leave it.
     */
    uint32_t abi;
    /**
     * Samples n. To be set.
     */
    uint64_t samples;
    /**
     * Views m. To be set.
     */
    uint64_t views;
    /**
     * Clusters, at most n; 0 (the default) estimates their number from the eigenvalues.
     */
    uint64_t clusters;
    /**
     * Clusters at most where their number is estimated: 20.
     */
    uint64_t max_clusters;
    /**
     * `CSTGL_DISTANCE_STIEFEL` (default) or `CSTGL_DISTANCE_EUCLIDEAN`.
     */
    uint32_t distance;
    /**
     * 1 (default): scale every sample of every view to unit length first. 0: do not.
     */
    uint32_t unit_length;
    /**
     * `CSTGL_GRAPH_ADAPTIVE` (default) or `CSTGL_GRAPH_FIXED`.
     */
    uint32_t graph;
    /**
     * 1: a sample may be its own neighbour. 0 (default): it may not.
     */
    uint32_t self_loops;
    /**
     * Of the adaptive graph: neighbours of a sample, 10.
     */
    uint64_t neighbours;
    /**
     * Of the adaptive graph: weight against the regularisers, 100.
     */
    double weight;
    /**
     * Of the fixed graph: larger means more neighbours, 1.
     */
    double alpha;
    /**
     * Weight of the nuclear norm of the consistent part, 10.
     */
    double beta;
    /**
     * Weight of the norm of the specific parts, 10.
     */
    double gamma;
    /**
     * The first penalty, 0.01.
     */
    double rho;
    /**
     * The penalty's growth in a step, at least 1: 2.
     */
    double mu;
    /**
     * Stop when the consistent part moves by no more than this. 0 (default) stops only where it does not move at all.
     */
    double tolerance;
    /**
     * Steps at most, 20.
     */
    uint64_t iterations;
    /**
     * `CSTGL_AXIS_VIEWS` (default) or `CSTGL_AXIS_SAMPLES`.
     */
    uint32_t axis;
    /**
     * `CSTGL_NOISE_COLUMN` (default) or `CSTGL_NOISE_TUBE`.
     */
    uint32_t noise;
    /**
     * `CSTGL_THRESHOLD_PLAIN` (default) or `CSTGL_THRESHOLD_TIMES_VIEWS`.
     */
    uint32_t threshold;
    /**
     * `CSTGL_AFFINITY_UNIT_COLUMNS_CLAMPED` (default) or another `CSTGL_AFFINITY_...`.
     */
    uint32_t affinity;
    /**
     * `CSTGL_SPECTRAL_SYMMETRIC` (default) or `CSTGL_SPECTRAL_REFERENCE`.
     */
    uint32_t spectral;
    /**
     * `CSTGL_RANK_ANY` (default) or `CSTGL_RANK_AT_MOST`, which needs less memory. Of the views axis alone.
     */
    uint32_t rank;
    /**
     * What `rank` speaks of; 0 (default, of `CSTGL_RANK_ANY`): a sixteenth of the samples, from 16 to 512.
     */
    uint64_t rank_limit;
    /**
     * Runs of k-means, the best of which counts: 20.
     */
    uint64_t restarts;
    /**
     * Names the random numbers. The same seed gives the same bits on every machine.
     */
    uint64_t seed;
    /**
     * Threads at most: 1. The result does not depend on it; more than 64 are as good as 64, and a library for small
     * targets has no threads.
     */
    uint64_t threads;
} cstgl_config;

/**
 * Why a call was refused. Written only when a call fails, and only where the caller passed one; it refers to nothing,
 * so it may be kept, copied and printed at any time. It never grows.
 */
typedef struct cstgl_error {
    /**
     * What the function returned.
     */
    cstgl_status status;
    /**
     * Zero.
     */
    uint32_t reserved;
    /**
     * The view at fault, or `CSTGL_NONE`; so for all numbers below.
     */
    uint64_t view;
    /**
     * The feature within the block that was pushed; of a matrix of pairs, its row.
     */
    uint64_t feature;
    /**
     * The sample; of a matrix of pairs, its column.
     */
    uint64_t sample;
    /**
     * The element of the array at fault.
     */
    uint64_t index;
    /**
     * What would have been right: bytes of memory, elements of an array, or an alignment.
     */
    uint64_t needed;
    /**
     * What was given.
     */
    uint64_t given;
    /**
     * All of it in English, such as "view 1: feature 3 of sample 17 is not finite". Zero-terminated.
     */
    char message[CSTGL_MESSAGE_BYTES];
} cstgl_error;

/**
 * Memory that is needed. It never grows.
 */
typedef struct cstgl_layout {
    /**
     * Bytes.
     */
    size_t bytes;
    /**
     * What its address must be a multiple of: never more than `malloc` gives. Many samples are faster
     * from a multiple of 64 on.
     */
    size_t align;
} cstgl_layout;

/**
 * How well labels agree with classes; 1 is perfect. It never grows.
 */
typedef struct cstgl_scores {
    /**
     * Accuracy: the share of samples whose label is right, labels being named after classes in the best way.
     */
    double acc;
    /**
     * Mutual information over the larger of the two entropies, as the paper's authors have it.
     */
    double nmi;
    /**
     * Mutual information over the mean of the two entropies, as scikit-learn has it.
     */
    double nmi_arithmetic;
    /**
     * Adjusted Rand index: 0 is chance, and it can be negative.
     */
    double ari;
    /**
     * Harmonic mean of precision and recall.
     */
    double fscore;
    /**
     * Of the pairs of samples that share a label, those that share a class.
     */
    double precision;
    /**
     * Of the pairs of samples that share a class, those that share a label.
     */
    double recall;
    /**
     * The share of samples in the largest class of their label.
     */
    double purity;
} cstgl_scores;

/**
 * What one step reports. It never grows.
 */
typedef struct cstgl_record {
    /**
     * Steps so far, this one included.
     */
    uint64_t iteration;
    /**
     * The penalty of this step.
     */
    double rho;
    /**
     * How far the consistent part has moved: `||S1_new - S1||_F`.
     */
    double change;
    /**
     * `||A - S1 - S2 - E||_F`.
     */
    double split_residual;
    /**
     * `||S1 - K||_F`.
     */
    double low_rank_residual;
    /**
     * `||E - W||_F`.
     */
    double noise_residual;
    /**
     * The largest rank of a slice of the consistent part.
     */
    uint64_t rank;
    /**
     * The sum of the ranks of all slices.
     */
    uint64_t total_rank;
} cstgl_record;

/**
 * Where a run stands. It never grows.
 */
typedef struct cstgl_info {
    /**
     * `CSTGL_RUNNING`, `CSTGL_CONVERGED`, `CSTGL_ITERATION_LIMIT` or `CSTGL_CANCELLED`.
     */
    int32_t outcome;
    /**
     * Zero.
     */
    uint32_t reserved;
    /**
     * The last step.
     */
    struct cstgl_record last;
} cstgl_info;

/**
 * Called after every step with its record, on the thread that called `cstgl_run`; non-zero cancels. It may call any
 * function with the same handle (labels of an unfinished run, say), but must neither `longjmp` nor throw through it.
 */
typedef int32_t (*cstgl_progress)(const struct cstgl_record *record, void *user);

/**
 * What was found beside the labels. It never grows.
 */
typedef struct cstgl_clustering {
    /**
     * Clusters: what was asked for, or the estimate.
     */
    uint64_t clusters;
    /**
     * 1 where the number of clusters was estimated, 0 where it was asked for.
     */
    uint32_t estimated;
    /**
     * Zero.
     */
    uint32_t reserved;
    /**
     * Sum of the squared distances of the embedded samples to the centres of their clusters.
     */
    double inertia;
} cstgl_clustering;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Version of the library that is linked: `10000 * major + 100 * minor + patch`.
 */
uint32_t cstgl_version_number(void);

/**
 * Version of the library that is linked, such as "0.1.0". Static.
 */
const char *cstgl_version_string(void);

/**
 * Binary interface of the library that is linked; it must be the header's `CSTGL_ABI`.
 */
uint32_t cstgl_abi(void);

/**
 * A short sentence for a status. Static, never NULL, for any integer.
 */
const char *cstgl_status_string(cstgl_status status);

/**
 * Fills a configuration with the default profile. Call the macro `cstgl_config_init(config)`, which passes
 * `sizeof(cstgl_config)` and `CSTGL_ABI` of the header that the program is compiled with.
 *
 * `CSTGL_ERROR_ABI`: this library does not know such a struct; nothing is written.
 */
cstgl_status cstgl_config_init_sized(struct cstgl_config *config, size_t struct_size, uint32_t abi);

/**
 * Sets the choices of a profile, `CSTGL_PROFILE_...`: everything but `samples`, `views`, `clusters`, `max_clusters`,
 * `neighbours`, `weight`, `alpha`, `beta`, `gamma`, `tolerance`, `rank`, `rank_limit`, `restarts`, `seed` and
 * `threads`, which stay. The paper's and the reference profile have no weights of their own: set `alpha`, `beta` and
 * `gamma`.
 */
cstgl_status cstgl_config_profile(struct cstgl_config *config,
                                  uint32_t profile,
                                  struct cstgl_error *error);

/**
 * Memory that `cstgl_score` needs for so many samples; linear in them.
 */
cstgl_status cstgl_score_layout(size_t samples, struct cstgl_layout *layout, struct cstgl_error *error);

/**
 * Scores labels against the classes in `truth`. Both are any numbers; only which samples share one matters.
 */
cstgl_status cstgl_score(const uint32_t *truth,
                         const uint32_t *labels,
                         size_t samples,
                         void *memory,
                         size_t bytes,
                         struct cstgl_scores *scores,
                         struct cstgl_error *error);

/**
 * Memory that a run with this configuration needs, to the byte.
 *
 * `CSTGL_WORKSPACE_BYTES_F32` is a bound for a static array.
 */
cstgl_status cstgl_layout_f32(const struct cstgl_config *config,
                              struct cstgl_layout *layout,
                              struct cstgl_error *error);

/**
 * Begins a run in the caller's memory, which may hold anything and be larger than needed. The handle is the memory's
 * address; the run lives as long as the memory does, and there is nothing to free.
 */
cstgl_status cstgl_init_f32(void *memory,
                            size_t bytes,
                            const struct cstgl_config *config,
                            struct cstgl_f32 **handle,
                            struct cstgl_error *error);

/**
 * Goes on with a run whose memory was copied or saved: the copy, at its new address, is a run of its own.
 *
 * `CSTGL_ERROR_HANDLE`: the memory holds no run of this type.
 */
cstgl_status cstgl_attach_f32(void *memory,
                              size_t bytes,
                              struct cstgl_f32 **handle,
                              struct cstgl_error *error);

/**
 * The configuration of a run. `config` must have been filled by `cstgl_config_init` before.
 */
cstgl_status cstgl_get_config_f32(struct cstgl_f32 *handle,
                                  struct cstgl_config *config,
                                  struct cstgl_error *error);

/**
 * Adds a dense block of features to a view. A view is pushed in any number of blocks, and is not stored: the block may
 * be reused at once.
 *
 * `features` are those of this block, `samples` all that the run has; `order` is `CSTGL_BY_FEATURE` (each row of the
 * block is a feature) or `CSTGL_BY_SAMPLE` (each row is a sample).
 */
cstgl_status cstgl_push_f32(struct cstgl_f32 *handle,
                            size_t view,
                            const float *block,
                            size_t features,
                            size_t samples,
                            uint32_t order,
                            struct cstgl_error *error);

/**
 * Adds a dense block with any strides, in elements: feature f of sample j stands at
 * `f * feature_stride + j * sample_stride`. `length` is the number of elements that may be read. Several features
 * that all stand at one place (a `feature_stride` of zero) are refused.
 */
cstgl_status cstgl_push_strided_f32(struct cstgl_f32 *handle,
                                    size_t view,
                                    const float *block,
                                    size_t length,
                                    size_t features,
                                    size_t samples,
                                    size_t feature_stride,
                                    size_t sample_stride,
                                    struct cstgl_error *error);

/**
 * Adds a sparse block in compressed rows to a view: the columns of row r, strictly ascending, stand at
 * `indices[pointers[r]]` to `indices[pointers[r + 1] - 1]`, and their values beside them.
 *
 * Rows are features or samples as `order` says, so `pointers` has one element more than there are of them; `indices`
 * and `values` have `nonzeros`. The first pointer need not be zero: some rows of a larger matrix are a block as they
 * stand.
 */
cstgl_status cstgl_push_csr_f32(struct cstgl_f32 *handle,
                                size_t view,
                                const size_t *pointers,
                                const uint32_t *indices,
                                const float *values,
                                size_t nonzeros,
                                size_t features,
                                size_t samples,
                                uint32_t order,
                                struct cstgl_error *error);

/**
 * Adds the Gram matrix of a block of features (inner products of all pairs of samples, `samples * samples`) to a view.
 */
cstgl_status cstgl_push_gram_f32(struct cstgl_f32 *handle,
                                 size_t view,
                                 const float *matrix,
                                 size_t samples,
                                 struct cstgl_error *error);

/**
 * A view's distances, `samples * samples`, row after row, used as they are. They need not be symmetric.
 */
cstgl_status cstgl_push_distances_f32(struct cstgl_f32 *handle,
                                      size_t view,
                                      const float *matrix,
                                      size_t samples,
                                      struct cstgl_error *error);

/**
 * A view's similarities (a kernel, or weights of a graph), `samples * samples`, row after row: the larger, the nearer.
 */
cstgl_status cstgl_push_similarities_f32(struct cstgl_f32 *handle,
                                         size_t view,
                                         const float *matrix,
                                         size_t samples,
                                         struct cstgl_error *error);

/**
 * One iteration. The first one turns the views into distances; no view can be pushed after it.
 *
 * `info` may be NULL. Its `outcome` is `CSTGL_RUNNING` while `cstgl_run_f32` would go on. A step more is allowed then,
 * until all iterations are done: `CSTGL_ERROR_SEQUENCE`.
 */
cstgl_status cstgl_step_f32(struct cstgl_f32 *handle,
                            struct cstgl_info *info,
                            struct cstgl_error *error);

/**
 * Steps until converged, done, or cancelled: cancelling is a success, and the next call goes on.
 *
 * `progress` and `info` may be NULL; `user` is passed on to `progress`.
 */
cstgl_status cstgl_run_f32(struct cstgl_f32 *handle,
                           cstgl_progress progress,
                           void *user,
                           struct cstgl_info *info,
                           struct cstgl_error *error);

/**
 * Steps done so far.
 */
cstgl_status cstgl_iteration_f32(struct cstgl_f32 *handle, uint64_t *iteration, struct cstgl_error *error);

/**
 * The record of step `index`, counted from zero: together they are the convergence curve.
 */
cstgl_status cstgl_record_f32(struct cstgl_f32 *handle,
                              size_t index,
                              struct cstgl_record *record,
                              struct cstgl_error *error);

/**
 * A label, from 0 on, for every sample. At any time after the first step; the run can go on afterwards.
 */
cstgl_status cstgl_labels_f32(struct cstgl_f32 *handle,
                              uint32_t *labels,
                              size_t samples,
                              struct cstgl_error *error);

/**
 * Labels from chosen parts, `CSTGL_PARTS_DEFAULT` or a sum of `CSTGL_PART_...`, and what was found beside them.
 *
 * `clustering` may be NULL. `embedding` may be NULL if `length` is zero; otherwise it takes what k-means saw, a row for
 * every sample with as many numbers as there are clusters, and `length` is at least `samples` times the number of
 * clusters, or `max_clusters + 1` where that is estimated.
 */
cstgl_status cstgl_cluster_f32(struct cstgl_f32 *handle,
                               uint32_t parts,
                               uint32_t *labels,
                               size_t samples,
                               float *embedding,
                               size_t length,
                               struct cstgl_clustering *clustering,
                               struct cstgl_error *error);

/**
 * `S1` of a view, the part that the views share: `samples * samples` elements, row after row. `length` is
 * their number. After the first step.
 */
cstgl_status cstgl_consistent_f32(struct cstgl_f32 *handle,
                                  size_t view,
                                  float *matrix,
                                  size_t length,
                                  struct cstgl_error *error);

/**
 * `S2` of a view, the part that is its own: `samples * samples` elements, row after row. `length` is
 * their number. After the first step.
 */
cstgl_status cstgl_specific_f32(struct cstgl_f32 *handle,
                                size_t view,
                                float *matrix,
                                size_t length,
                                struct cstgl_error *error);

/**
 * `E` of a view, the noise: `samples * samples` elements, row after row. `length` is
 * their number. After the first step.
 */
cstgl_status cstgl_noise_f32(struct cstgl_f32 *handle,
                             size_t view,
                             float *matrix,
                             size_t length,
                             struct cstgl_error *error);

/**
 * The mean over the views of the chosen parts (Eq. 36): `samples * samples` elements, row after row.
 */
cstgl_status cstgl_fused_f32(struct cstgl_f32 *handle,
                             uint32_t parts,
                             float *matrix,
                             size_t length,
                             struct cstgl_error *error);

/**
 * The same made symmetric, `(Sa + Sa^T)/2`: the graph that is clustered, before it is normalised.
 */
cstgl_status cstgl_affinity_f32(struct cstgl_f32 *handle,
                                uint32_t parts,
                                float *matrix,
                                size_t length,
                                struct cstgl_error *error);

/**
 * How far the consistent parts of the views are apart, `||S1(v) - S1(w)||_F`: `views * views` elements.
 */
cstgl_status cstgl_slice_distances_f32(struct cstgl_f32 *handle,
                                       float *matrix,
                                       size_t length,
                                       struct cstgl_error *error);

/**
 * `cstgl_layout_f32` in double precision.
 *
 * `CSTGL_WORKSPACE_BYTES_F64` is a bound for a static array.
 */
cstgl_status cstgl_layout_f64(const struct cstgl_config *config,
                              struct cstgl_layout *layout,
                              struct cstgl_error *error);

/**
 * `cstgl_init_f32` in double precision.
 */
cstgl_status cstgl_init_f64(void *memory,
                            size_t bytes,
                            const struct cstgl_config *config,
                            struct cstgl_f64 **handle,
                            struct cstgl_error *error);

/**
 * `cstgl_attach_f32` in double precision.
 */
cstgl_status cstgl_attach_f64(void *memory,
                              size_t bytes,
                              struct cstgl_f64 **handle,
                              struct cstgl_error *error);

/**
 * `cstgl_get_config_f32` in double precision.
 */
cstgl_status cstgl_get_config_f64(struct cstgl_f64 *handle,
                                  struct cstgl_config *config,
                                  struct cstgl_error *error);

/**
 * `cstgl_push_f32` in double precision.
 */
cstgl_status cstgl_push_f64(struct cstgl_f64 *handle,
                            size_t view,
                            const double *block,
                            size_t features,
                            size_t samples,
                            uint32_t order,
                            struct cstgl_error *error);

/**
 * `cstgl_push_strided_f32` in double precision.
 */
cstgl_status cstgl_push_strided_f64(struct cstgl_f64 *handle,
                                    size_t view,
                                    const double *block,
                                    size_t length,
                                    size_t features,
                                    size_t samples,
                                    size_t feature_stride,
                                    size_t sample_stride,
                                    struct cstgl_error *error);

/**
 * `cstgl_push_csr_f32` in double precision.
 */
cstgl_status cstgl_push_csr_f64(struct cstgl_f64 *handle,
                                size_t view,
                                const size_t *pointers,
                                const uint32_t *indices,
                                const double *values,
                                size_t nonzeros,
                                size_t features,
                                size_t samples,
                                uint32_t order,
                                struct cstgl_error *error);

/**
 * `cstgl_push_gram_f32` in double precision.
 */
cstgl_status cstgl_push_gram_f64(struct cstgl_f64 *handle,
                                 size_t view,
                                 const double *matrix,
                                 size_t samples,
                                 struct cstgl_error *error);

/**
 * `cstgl_push_distances_f32` in double precision.
 */
cstgl_status cstgl_push_distances_f64(struct cstgl_f64 *handle,
                                      size_t view,
                                      const double *matrix,
                                      size_t samples,
                                      struct cstgl_error *error);

/**
 * `cstgl_push_similarities_f32` in double precision.
 */
cstgl_status cstgl_push_similarities_f64(struct cstgl_f64 *handle,
                                         size_t view,
                                         const double *matrix,
                                         size_t samples,
                                         struct cstgl_error *error);

/**
 * `cstgl_step_f32` in double precision.
 */
cstgl_status cstgl_step_f64(struct cstgl_f64 *handle, struct cstgl_info *info, struct cstgl_error *error);

/**
 * `cstgl_run_f32` in double precision.
 */
cstgl_status cstgl_run_f64(struct cstgl_f64 *handle,
                           cstgl_progress progress,
                           void *user,
                           struct cstgl_info *info,
                           struct cstgl_error *error);

/**
 * `cstgl_iteration_f32` in double precision.
 */
cstgl_status cstgl_iteration_f64(struct cstgl_f64 *handle, uint64_t *iteration, struct cstgl_error *error);

/**
 * `cstgl_record_f32` in double precision.
 */
cstgl_status cstgl_record_f64(struct cstgl_f64 *handle,
                              size_t index,
                              struct cstgl_record *record,
                              struct cstgl_error *error);

/**
 * `cstgl_labels_f32` in double precision.
 */
cstgl_status cstgl_labels_f64(struct cstgl_f64 *handle,
                              uint32_t *labels,
                              size_t samples,
                              struct cstgl_error *error);

/**
 * `cstgl_cluster_f32` in double precision.
 */
cstgl_status cstgl_cluster_f64(struct cstgl_f64 *handle,
                               uint32_t parts,
                               uint32_t *labels,
                               size_t samples,
                               double *embedding,
                               size_t length,
                               struct cstgl_clustering *clustering,
                               struct cstgl_error *error);

/**
 * `cstgl_consistent_f32` in double precision.
 */
cstgl_status cstgl_consistent_f64(struct cstgl_f64 *handle,
                                  size_t view,
                                  double *matrix,
                                  size_t length,
                                  struct cstgl_error *error);

/**
 * `cstgl_specific_f32` in double precision.
 */
cstgl_status cstgl_specific_f64(struct cstgl_f64 *handle,
                                size_t view,
                                double *matrix,
                                size_t length,
                                struct cstgl_error *error);

/**
 * `cstgl_noise_f32` in double precision.
 */
cstgl_status cstgl_noise_f64(struct cstgl_f64 *handle,
                             size_t view,
                             double *matrix,
                             size_t length,
                             struct cstgl_error *error);

/**
 * `cstgl_fused_f32` in double precision.
 */
cstgl_status cstgl_fused_f64(struct cstgl_f64 *handle,
                             uint32_t parts,
                             double *matrix,
                             size_t length,
                             struct cstgl_error *error);

/**
 * `cstgl_affinity_f32` in double precision.
 */
cstgl_status cstgl_affinity_f64(struct cstgl_f64 *handle,
                                uint32_t parts,
                                double *matrix,
                                size_t length,
                                struct cstgl_error *error);

/**
 * `cstgl_slice_distances_f32` in double precision.
 */
cstgl_status cstgl_slice_distances_f64(struct cstgl_f64 *handle,
                                       double *matrix,
                                       size_t length,
                                       struct cstgl_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CSTGL_H */
