/* Views that need not fit in memory: features are read one by one, used, and forgotten.
 *
 *     ./streaming < features.txt        or        ./streaming features.txt
 *
 * The first line is `samples views clusters`; every other line is one feature: the number of its view, counted from 0,
 * and a value for every sample. Labels go to stdout, progress to stderr. Ctrl-C ends the run after the current step, and
 * the labels are those of the steps done so far.
 */
#include <cstgl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1; /* nothing more: the library is not called from here */
}

/* After every step. Returning non-zero cancels. */
static int32_t progress(const cstgl_record *record, void *user) {
    uint64_t iterations = *(const uint64_t *)user;
    fprintf(stderr, "step %" PRIu64 " of %" PRIu64 ": change %.3g, rank %" PRIu64 "\n", record->iteration, iterations,
            record->change, record->rank);
    return interrupted;
}

static int fail(const char *what, const cstgl_error *error) {
    fprintf(stderr, "%s: %s\n", what, error ? error->message : "cannot be read");
    return EXIT_FAILURE;
}

int main(int argc, char **argv) {
    FILE *in = argc > 1 ? fopen(argv[1], "r") : stdin;
    const char *name = argc > 1 ? argv[1] : "stdin";
    cstgl_config config;
    cstgl_layout need;
    cstgl_error error;
    cstgl_info info;
    cstgl_f64 *run = NULL;
    size_t view, features = 0;

    cstgl_config_init(&config);
    if (in == NULL || fscanf(in, "%" SCNu64 "%" SCNu64 "%" SCNu64, &config.samples, &config.views, &config.clusters) != 3)
        return fail(name, NULL);
    if (cstgl_layout_f64(&config, &need, &error)) return fail(name, &error);
    size_t samples = (size_t)config.samples;
    void *memory = malloc(need.bytes);
    double *row = malloc(samples * sizeof *row);
    uint32_t *labels = malloc(samples * sizeof *labels);
    if (row == NULL || labels == NULL) return fail("memory", NULL);
    if (cstgl_init_f64(memory, need.bytes, &config, &run, &error)) return fail("memory", &error);

    while (fscanf(in, "%zu", &view) == 1) {
        for (size_t i = 0; i < samples; i++)
            if (fscanf(in, "%lf", &row[i]) != 1) return fail(name, NULL);
        if (cstgl_push_f64(run, view, row, 1, samples, CSTGL_BY_FEATURE, &error)) return fail(name, &error);
        features++;
    }
    fprintf(stderr, "%zu features of %zu samples, %zu bytes\n", features, samples, need.bytes);

    signal(SIGINT, on_interrupt);
    if (cstgl_run_f64(run, progress, &config.iterations, &info, &error)) return fail("run", &error);
    if (info.outcome == CSTGL_CANCELLED) fprintf(stderr, "cancelled after step %" PRIu64 "\n", info.last.iteration);
    if (cstgl_labels_f64(run, labels, samples, &error)) return fail("labels", &error);
    for (size_t i = 0; i < samples; i++) printf("%" PRIu32 "%c", labels[i], i + 1 < samples ? ' ' : '\n');

    free(labels);
    free(row);
    free(memory);
    return EXIT_SUCCESS;
}
