/* Sizes and offsets of every struct. The numbers are the interface: where they change, so does CSTGL_ABI. */
#include "cstgl.h"
#include "cstgl.h" /* twice: it must not mind */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
/* C99 has no _Static_assert. */
#define ASSERT(condition) typedef char JOIN(assertion_, __LINE__)[(condition) ? 1 : -1] UNUSED
#if defined(__GNUC__)
#define UNUSED __attribute__((unused))
#else
#define UNUSED
#endif
#define AT(type, field, offset) ASSERT(offsetof(type, field) == (offset))
#define SIZE(type, bytes) ASSERT(sizeof(type) == (bytes))

SIZE(cstgl_status, 4);
ASSERT((cstgl_status)-1 < 0);

SIZE(cstgl_config, 184);
AT(cstgl_config, struct_size, 0);
AT(cstgl_config, abi, 4);
AT(cstgl_config, samples, 8);
AT(cstgl_config, views, 16);
AT(cstgl_config, clusters, 24);
AT(cstgl_config, max_clusters, 32);
AT(cstgl_config, distance, 40);
AT(cstgl_config, unit_length, 44);
AT(cstgl_config, graph, 48);
AT(cstgl_config, self_loops, 52);
AT(cstgl_config, neighbours, 56);
AT(cstgl_config, weight, 64);
AT(cstgl_config, alpha, 72);
AT(cstgl_config, beta, 80);
AT(cstgl_config, gamma, 88);
AT(cstgl_config, rho, 96);
AT(cstgl_config, mu, 104);
AT(cstgl_config, tolerance, 112);
AT(cstgl_config, iterations, 120);
AT(cstgl_config, axis, 128);
AT(cstgl_config, noise, 132);
AT(cstgl_config, threshold, 136);
AT(cstgl_config, affinity, 140);
AT(cstgl_config, spectral, 144);
AT(cstgl_config, rank, 148);
AT(cstgl_config, rank_limit, 152);
AT(cstgl_config, restarts, 160);
AT(cstgl_config, seed, 168);
AT(cstgl_config, threads, 176);

SIZE(cstgl_error, 184);
AT(cstgl_error, status, 0);
AT(cstgl_error, reserved, 4);
AT(cstgl_error, view, 8);
AT(cstgl_error, feature, 16);
AT(cstgl_error, sample, 24);
AT(cstgl_error, index, 32);
AT(cstgl_error, needed, 40);
AT(cstgl_error, given, 48);
AT(cstgl_error, message, 56);

SIZE(cstgl_layout, 2 * sizeof(size_t));
AT(cstgl_layout, bytes, 0);
AT(cstgl_layout, align, sizeof(size_t));

SIZE(cstgl_record, 64);
AT(cstgl_record, iteration, 0);
AT(cstgl_record, rho, 8);
AT(cstgl_record, change, 16);
AT(cstgl_record, split_residual, 24);
AT(cstgl_record, low_rank_residual, 32);
AT(cstgl_record, noise_residual, 40);
AT(cstgl_record, rank, 48);
AT(cstgl_record, total_rank, 56);

SIZE(cstgl_info, 72);
AT(cstgl_info, outcome, 0);
AT(cstgl_info, reserved, 4);
AT(cstgl_info, last, 8);

SIZE(cstgl_clustering, 24);
AT(cstgl_clustering, clusters, 0);
AT(cstgl_clustering, estimated, 8);
AT(cstgl_clustering, reserved, 12);
AT(cstgl_clustering, inertia, 16);

SIZE(cstgl_scores, 64);
AT(cstgl_scores, acc, 0);
AT(cstgl_scores, nmi, 8);
AT(cstgl_scores, nmi_arithmetic, 16);
AT(cstgl_scores, ari, 24);
AT(cstgl_scores, fscore, 32);
AT(cstgl_scores, precision, 40);
AT(cstgl_scores, recall, 48);
AT(cstgl_scores, purity, 56);

/* A constant expression: it sizes an array at file scope. */
extern char buffer[CSTGL_WORKSPACE_BYTES_F32(10, 2, 3)];
extern char wide_buffer[CSTGL_WORKSPACE_BYTES_F64(10, 2, 3)];
ASSERT(sizeof(buffer) < sizeof(wide_buffer));
ASSERT(CSTGL_OK == 0 && CSTGL_ERROR_NULL < 0 && CSTGL_VERSION_NUMBER > 0);
