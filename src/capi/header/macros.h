
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
