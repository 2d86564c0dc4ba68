/* A whole run as firmware has it: one static buffer, sensors read feature by feature, one step at a time.
 *
 * The same source runs on Cortex-M, RISC-V, WebAssembly and the host, and must print the same hashes everywhere: they
 * are made of the bits of every tensor and of the labels. run.sh builds and runs it all; board.h is what it asks of a
 * machine.
 */
#include "board.h"
#include "sensors.h"
#include <cstgl.h>

#ifndef SAMPLES
#define SAMPLES 40
#define VIEWS 2
#define CLUSTERS 3
#endif
#ifndef THREADS
#define THREADS 1
#endif
/* A board with no byte to spare asks cstgl_layout_f32 once, and has the answer here. */
#ifndef WORKSPACE
#define WORKSPACE CSTGL_WORKSPACE_BYTES_F32(SAMPLES, VIEWS, CLUSTERS)
#endif

static union {
    uint64_t align;
    unsigned char bytes[WORKSPACE];
} workspace;
static uint32_t labels[SAMPLES];
/* A tensor's slice to be hashed, and before that a sensor's readings. LABELS_ONLY does without the former. */
#ifdef LABELS_ONLY
static float numbers[SAMPLES];
#else
static float numbers[SAMPLES * SAMPLES];
#endif

/* ---- the sensors ---------------------------------------------------------------------------------------------- */

/* What a sensor reads of all samples. TABLE is for a machine that has it in flash, from where the library takes it; on
 * others the numbers pass by, and are stored nowhere. */
static const float *readings(uint32_t view, uint32_t feature) {
#ifdef TABLE
    for (uint32_t v = 0; v < view; v++) feature += features(v);
    return table[feature];
#else
    for (uint32_t i = 0; i < SAMPLES; i++) numbers[i] = reading(CLUSTERS, view, feature, i);
    return numbers;
#endif
}

/* ---- words, numbers and hashes ---------------------------------------------------------------------------------- */

static void write_number(uint64_t x) {
    char text[21];
    char *start = text + sizeof text - 1;
    *start = 0;
    do *--start = (char)('0' + x % 10);
    while (x /= 10);
    board_write(start);
}

static void line(const char *what, uint64_t x) {
    board_write(what);
    board_write(" ");
    write_number(x);
    board_write("\n");
}

/* FNV-1a over the bytes of 32-bit words; every machine here has the lowest first. */
static uint64_t hash(const void *words, uint32_t count) {
    const unsigned char *bytes = words;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < 4 * count; i++) h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    return h;
}

static void write_hash(const char *what, uint32_t view, const void *words, uint32_t count) {
    uint64_t h = hash(words, count);
    char text[18];
    for (int i = 0; i < 16; i++) text[i] = "0123456789abcdef"[h >> (60 - 4 * i) & 15];
    text[16] = '\n';
    text[17] = 0;
    board_write("hash ");
    board_write(what);
    board_write(" ");
    write_number(view);
    board_write(" ");
    board_write(text);
}

static int failures;

/* A status that is not the one expected is printed and counted. */
static int expect(const char *what, cstgl_status status, cstgl_status expected) {
    if (status == expected) return 1;
    board_write("FAILED ");
    board_write(what);
    line(": status minus", (uint64_t)-(int64_t)status);
    failures++;
    return 0;
}

/* ---- the run ------------------------------------------------------------------------------------------------------ */

static void fill(cstgl_config *config) {
    cstgl_config_init(config);
    config->samples = SAMPLES;
    config->views = VIEWS;
    config->clusters = CLUSTERS;
    config->threads = THREADS;
#ifdef REFERENCE
    cstgl_config_profile(config, CSTGL_PROFILE_REFERENCE, NULL); /* transforms along the samples: for measurements */
#endif
}

/* What must be a status and not a fault. */
static void refusals(void) {
    cstgl_config config;
    cstgl_layout need;
    cstgl_f32 *run;
    fill(&config);
    if (!expect("layout", cstgl_layout_f32(&config, &need, NULL), CSTGL_OK)) return;
    line("workspace", need.bytes);
    expect("a byte too few", cstgl_init_f32(workspace.bytes, need.bytes - 1, &config, &run, NULL), CSTGL_ERROR_MEMORY);
    expect("misaligned", cstgl_init_f32(workspace.bytes + 1, sizeof workspace - 1, &config, &run, NULL),
           CSTGL_ERROR_ALIGNMENT);
    config.samples = (uint64_t)1 << 31;
    cstgl_status huge = cstgl_layout_f32(&config, &need, NULL);
    /* With the code for many samples it is the size that is refused, without it the number. */
    if (huge != CSTGL_ERROR_PARAMETER && (sizeof(size_t) < 8 || huge != CSTGL_OK)) expect("huge", huge, CSTGL_ERROR_OVERFLOW);
    config.samples = 0;
    expect("empty", cstgl_layout_f32(&config, &need, NULL), CSTGL_ERROR_EMPTY);

    fill(&config);
    if (!expect("init", cstgl_init_f32(workspace.bytes, sizeof workspace, &config, &run, NULL), CSTGL_OK)) return;
    const uint32_t quiet = UINT32_C(0x7fc00000);
    union {
        uint32_t bits;
        float number;
    } not_a_number = {quiet};
    for (uint32_t i = 0; i < SAMPLES; i++) numbers[i] = 1.0f;
    numbers[7] = not_a_number.number;
    expect("NaN", cstgl_push_f32(run, 1, numbers, 1, SAMPLES, CSTGL_BY_FEATURE, NULL), CSTGL_ERROR_NOT_FINITE);
    expect("step before data", cstgl_step_f32(run, NULL, NULL), CSTGL_ERROR_SEQUENCE);
}

#ifdef SCORES
static void scores(void) {
    static uint32_t truth[SAMPLES];
    cstgl_scores found;
    for (uint32_t i = 0; i < SAMPLES; i++) truth[i] = i % CLUSTERS;
    if (expect("score", cstgl_score(truth, labels, SAMPLES, workspace.bytes, sizeof workspace, &found, NULL), CSTGL_OK)) {
        line("acc_permille", (uint64_t)(found.acc * 1000.0 + 0.5));
        line("nmi_permille", (uint64_t)(found.nmi * 1000.0 + 0.5));
    }
}
#endif

int example(void) {
    cstgl_config config;
    cstgl_info info;
    cstgl_f32 *run;

    failures = 0;
    refusals();
    if (failures) return 1;

    uint64_t start = board_instructions(), previous = start, most = 0, steps = 0;
    fill(&config);
    if (!expect("init", cstgl_init_f32(workspace.bytes, sizeof workspace, &config, &run, NULL), CSTGL_OK)) return 1;
    for (uint32_t view = 0; view < VIEWS; view++) {
        for (uint32_t f = 0; f < features(view); f++) {
            const float *row = readings(view, f);
            if (!expect("push", cstgl_push_f32(run, view, row, 1, SAMPLES, CSTGL_BY_FEATURE, NULL), CSTGL_OK)) return 1;
        }
    }
    uint64_t now = board_instructions();
    line("instructions_push", now - start);

    start = previous = now;
    do {
        /* Here firmware feeds its watchdog. */
        if (!expect("step", cstgl_step_f32(run, &info, NULL), CSTGL_OK)) return 1;
        now = board_instructions();
        if (now - previous > most) most = now - previous;
        previous = now;
        steps++;
    } while (info.outcome == CSTGL_RUNNING);
    line("steps", steps);
    line("instructions_step_mean", (now - start) / steps);
    line("instructions_step_most", most);

    start = board_instructions();
    if (!expect("labels", cstgl_labels_f32(run, labels, SAMPLES, NULL), CSTGL_OK)) return 1;
    line("instructions_labels", board_instructions() - start);
    line("stack", board_stack());

#ifndef LABELS_ONLY
    for (uint32_t view = 0; view < VIEWS; view++) {
        const uint32_t area = SAMPLES * SAMPLES;
        expect("S1", cstgl_consistent_f32(run, view, numbers, area, NULL), CSTGL_OK);
        write_hash("S1", view, numbers, area);
        expect("S2", cstgl_specific_f32(run, view, numbers, area, NULL), CSTGL_OK);
        write_hash("S2", view, numbers, area);
        expect("E", cstgl_noise_f32(run, view, numbers, area, NULL), CSTGL_OK);
        write_hash("E", view, numbers, area);
    }
    expect("affinity", cstgl_affinity_f32(run, CSTGL_PARTS_DEFAULT, numbers, SAMPLES * SAMPLES, NULL), CSTGL_OK);
    write_hash("affinity", 0, numbers, SAMPLES * SAMPLES);
#endif
    write_hash("labels", 0, labels, SAMPLES);

    board_write("labels");
    for (uint32_t i = 0; i < SAMPLES; i++) {
        board_write(" ");
        write_number(labels[i]);
#ifndef REFERENCE
        /* Right ones differ within the first CLUSTERS samples, and repeat from there on. */
        for (uint32_t j = 0; j < i && j < CLUSTERS; j++) failures += (labels[i] == labels[j]) != (i % CLUSTERS == j);
#endif
    }
    board_write("\n");
    if (failures) line("FAILED labels", (uint64_t)failures);
#ifdef SCORES
    scores();
#endif
    return failures != 0;
}
