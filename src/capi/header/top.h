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
