/* Everything that was learned, as CSV files: the convergence curve, what the views share, what is their own, and noise.
 *
 *     ./inspect [directory]
 *
 * Labels, how many clusters there seem to be and how good the labels are go to stdout.
 */
#include <cstgl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 24
#define VIEWS 2
#define FEATURES 6

static double feature(unsigned view, unsigned f, unsigned i) {
    double own = f % 3 == (i + view) % 3 ? 1.0 : 0.0;
    return own + (double)((i * 7 + f * 13 + view * 29 + i * f) % 11) / 22.0;
}

static cstgl_error error;

static void check(cstgl_status status) {
    if (status != CSTGL_OK) {
        fprintf(stderr, "cstgl: %s\n", error.message);
        exit(EXIT_FAILURE);
    }
}

static FILE *create(const char *directory, const char *name, unsigned view) {
    char path[512];
    snprintf(path, sizeof path, name, directory, view);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    return file;
}

static void write_matrix(FILE *file, const double *matrix) {
    for (size_t k = 0; k < SAMPLES * SAMPLES; k++) fprintf(file, "%.17g%c", matrix[k], (k + 1) % SAMPLES ? ',' : '\n');
    fclose(file);
}

int main(int argc, char **argv) {
    static double matrix[SAMPLES * SAMPLES];
    static uint32_t labels[SAMPLES], truth[SAMPLES];
    const char *directory = argc > 1 ? argv[1] : ".";
    cstgl_config config;
    cstgl_layout need, score_need;
    cstgl_clustering found;
    cstgl_scores scores;
    cstgl_f64 *run = NULL;
    uint64_t steps;

    cstgl_config_init(&config);
    config.samples = SAMPLES;
    config.views = VIEWS;
    config.clusters = 0; /* to be estimated */
    config.neighbours = 5;
    check(cstgl_layout_f64(&config, &need, &error));
    check(cstgl_score_layout(SAMPLES, &score_need, &error));
    void *memory = malloc(need.bytes), *scratch = malloc(score_need.bytes);
    check(cstgl_init_f64(memory, need.bytes, &config, &run, &error));
    for (unsigned view = 0; view < VIEWS; view++) {
        for (unsigned f = 0; f < FEATURES; f++)
            for (unsigned i = 0; i < SAMPLES; i++) matrix[f * SAMPLES + i] = feature(view, f, i);
        check(cstgl_push_f64(run, view, matrix, FEATURES, SAMPLES, CSTGL_BY_FEATURE, &error));
    }
    check(cstgl_run_f64(run, NULL, NULL, NULL, &error));

    FILE *trace = create(directory, "%s/trace.csv", 0);
    fprintf(trace, "iteration,rho,change,split_residual,low_rank_residual,noise_residual,rank\n");
    check(cstgl_iteration_f64(run, &steps, &error));
    for (size_t k = 0; k < steps; k++) {
        cstgl_record r;
        check(cstgl_record_f64(run, k, &r, &error));
        fprintf(trace, "%" PRIu64 ",%.17g,%.17g,%.17g,%.17g,%.17g,%" PRIu64 "\n", r.iteration, r.rho, r.change,
                r.split_residual, r.low_rank_residual, r.noise_residual, r.rank);
    }
    fclose(trace);
    for (unsigned view = 0; view < VIEWS; view++) {
        check(cstgl_consistent_f64(run, view, matrix, SAMPLES * SAMPLES, &error));
        write_matrix(create(directory, "%s/consistent_%u.csv", view), matrix);
        check(cstgl_specific_f64(run, view, matrix, SAMPLES * SAMPLES, &error));
        write_matrix(create(directory, "%s/specific_%u.csv", view), matrix);
        check(cstgl_noise_f64(run, view, matrix, SAMPLES * SAMPLES, &error));
        write_matrix(create(directory, "%s/noise_%u.csv", view), matrix);
    }
    check(cstgl_affinity_f64(run, CSTGL_PARTS_DEFAULT, matrix, SAMPLES * SAMPLES, &error));
    write_matrix(create(directory, "%s/affinity.csv", 0), matrix);

    check(cstgl_cluster_f64(run, CSTGL_PARTS_DEFAULT, labels, SAMPLES, NULL, 0, &found, &error));
    for (unsigned i = 0; i < SAMPLES; i++) truth[i] = i % 3;
    check(cstgl_score(truth, labels, SAMPLES, scratch, score_need.bytes, &scores, &error));
    for (unsigned i = 0; i < SAMPLES; i++) printf("%" PRIu32 "%c", labels[i], i + 1 < SAMPLES ? ' ' : '\n');
    printf("clusters %" PRIu64 ", accuracy %.3f, nmi %.3f\n", found.clusters, scores.acc, scores.nmi);
    free(scratch);
    free(memory);
    return EXIT_SUCCESS;
}
