/* Documents as counts of words, and as links between them: two sparse views, in both orders of rows. */
#include <cstgl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define DOCUMENTS 9
#define WORDS 7
#define LINKS 6

/* A row is a document: words pointers[i] to pointers[i + 1] - 1 of the list are its own. Three talk of football, three of
 * cooking and three of music; the word 6 is in many. */
static const size_t word_pointers[DOCUMENTS + 1] = {0, 3, 5, 8, 10, 13, 15, 18, 20, 23};
static const uint32_t words[] = {0, 1, 6, 0, 1, 0, 1, 6, 2, 3, 2, 3, 6, 2, 3, 4, 5, 6, 4, 5, 4, 5, 6};
static const float counts[] = {3, 1, 1, 2, 2, 1, 4, 2, 3, 3, 2, 1, 1, 1, 2, 2, 2, 1, 3, 1, 1, 2, 1};

/* A row is a page that is linked to, and lists the documents that do. */
static const size_t link_pointers[LINKS + 1] = {0, 2, 4, 6, 8, 10, 12};
static const uint32_t linking[] = {0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8};
static const float once[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

int main(void) {
    cstgl_config config;
    cstgl_layout need;
    cstgl_error error;
    cstgl_clustering found;
    cstgl_f32 *run = NULL;
    uint32_t labels[DOCUMENTS];

    cstgl_config_init(&config);
    config.samples = DOCUMENTS;
    config.views = 2;
    config.clusters = 3;
    config.neighbours = 2; /* there are only three of each kind */

    if (cstgl_layout_f32(&config, &need, &error)) goto failed;
    void *memory = malloc(need.bytes);
    if (cstgl_init_f32(memory, need.bytes, &config, &run, &error) ||
        cstgl_push_csr_f32(run, 0, word_pointers, words, counts, COUNT(words), WORDS, DOCUMENTS, CSTGL_BY_SAMPLE, &error) ||
        cstgl_push_csr_f32(run, 1, link_pointers, linking, once, COUNT(linking), LINKS, DOCUMENTS, CSTGL_BY_FEATURE,
                           &error) ||
        cstgl_run_f32(run, NULL, NULL, NULL, &error) ||
        cstgl_cluster_f32(run, CSTGL_PARTS_DEFAULT, labels, DOCUMENTS, NULL, 0, &found, &error))
        goto failed;

    for (unsigned i = 0; i < DOCUMENTS; i++) printf("%" PRIu32 "%c", labels[i], i + 1 < DOCUMENTS ? ' ' : '\n');
    fprintf(stderr, "%" PRIu64 " clusters, inertia %.4g\n", found.clusters, found.inertia);
    free(memory);
    return EXIT_SUCCESS;

failed:
    fprintf(stderr, "cstgl: %s\n", error.message);
    return EXIT_FAILURE;
}
