/* Times every kernel of convolution in space, level by level, on rows that stay in the caches. */
#include "unit/space_times.h"

#include "cpu/levels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A square of TAPS² taps; rows of COUNT results. */
enum { TAPS = 9, COUNT = 4096, ROWS = TAPS + SPACE_ROWS - 1, CHANNELS = 4, REPEATS = 200 };
enum { LINE = COUNT + TAPS * CHANNELS + SPACE_SLACK };

/* All memory that the kernels read and write. */
static struct {
    uint8_t bytes[ROWS][LINE];
    float floats[ROWS][LINE];
    int16_t shorts[ROWS][LINE];
    float taps[(TAPS + SPACE_ROWS) * TAPS * SPACE_ROWS];
    int32_t short_taps[(TAPS + SPACE_ROWS) * TAPS * SPACE_ROWS];
    struct space_tap sparse[TAPS * TAPS];
    float results[SPACE_ROWS][LINE];
    int16_t short_results[SPACE_ROWS][LINE];
    uint8_t byte_results[SPACE_ROWS][LINE];
} memory;

static void fill_memory(void)
{
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < LINE; x++) {
            memory.bytes[y][x] = (uint8_t)(37 * x + 11 * y);
            memory.floats[y][x] = memory.bytes[y][x];
            memory.shorts[y][x] = (int16_t)((memory.bytes[y][x] - 128) * SPACE_STEP);
        }
    for (int i = 0; i < TAPS * TAPS; i++)
        memory.sparse[i] = (struct space_tap){ i / TAPS, i % TAPS, 1.0f / (TAPS * TAPS) };
    for (size_t i = 0; i < sizeof memory.taps / sizeof memory.taps[0]; i++) {
        memory.taps[i] = 1.0f / (TAPS * TAPS);
        memory.short_taps[i] = (32768 / (TAPS * TAPS)) * 0x10001;
    }
}

enum timed {
    LOAD_U8,
    STORE_U8,
    LOAD_U16,
    STORE_U16,
    FINITE,
    ALPHA_IN,
    ALPHA_OUT,
    COLUMNS_U8,
    COLUMNS_U16,
    COLUMNS_F32,
    DENSE_ROW,
    DENSE_3,
    DENSE_9,
    SPARSE_81,
    SHORT_LOAD,
    SHORT_COLUMNS,
    SHORT_ROW,
    SHORT_3,
    SHORT_9,
    KERNELS
};

/* The name of a kernel, and the number of taps per result; 0 for kernels without taps. */
static const struct {
    const char *name;
    int taps;
} names[KERNELS] = {
    [LOAD_U8] = { "load U8", 0 },
    [STORE_U8] = { "store U8", 0 },
    [LOAD_U16] = { "load U16", 0 },
    [STORE_U16] = { "store U16", 0 },
    [FINITE] = { "finite", 0 },
    [ALPHA_IN] = { "multiply_alpha", 0 },
    [ALPHA_OUT] = { "divide_alpha", 0 },
    [COLUMNS_U8] = { "columns of 9, U8", TAPS },
    [COLUMNS_U16] = { "columns of 9, U16", TAPS },
    [COLUMNS_F32] = { "columns of 9, F32", TAPS },
    [DENSE_ROW] = { "dense 9 x 1", TAPS },
    [DENSE_3] = { "dense 3 x 3", 9 },
    [DENSE_9] = { "dense 9 x 9", TAPS *TAPS },
    [SPARSE_81] = { "sparse, 81", TAPS *TAPS },
    [SHORT_LOAD] = { "short_load", 0 },
    [SHORT_COLUMNS] = { "short_columns of 9", TAPS },
    [SHORT_ROW] = { "short_dense 9 x 1", TAPS },
    [SHORT_3] = { "short_dense 3 x 3", 9 },
    [SHORT_9] = { "short_dense 9 x 9", TAPS *TAPS },
};

/* The number of rows of results of one call. */
static int count_rows(enum timed kernel)
{
    bool several = (kernel >= COLUMNS_U8 && kernel <= COLUMNS_F32) || kernel == DENSE_3 ||
                   kernel == DENSE_9 || kernel == SHORT_COLUMNS || kernel == SHORT_3 || kernel == SHORT_9;
    return several ? SPACE_ROWS : 1;
}

static void run_dense(const struct space_kernels *kernels, int width, int height, int results)
{
    const float *rows[ROWS];
    const struct space_taps taps = { width, height, memory.taps, memory.taps };
    for (int j = 0; j < ROWS; j++)
        rows[j] = memory.floats[j];
    kernels->dense(rows, CHANNELS, &taps, results, COUNT, false,
                   (struct space_lines){ memory.results[0], LINE });
}

static void run_columns(const struct space_kernels *kernels, abbe_type type)
{
    const void *rows[ROWS];
    const struct space_taps taps = { 1, TAPS, memory.taps, memory.taps };
    for (int j = 0; j < ROWS; j++) /* floats are used as words too */
        rows[j] = type == ABBE_U8 ? (const void *)memory.bytes[j] : (const void *)memory.floats[j];
    kernels->columns(type, rows, &taps, SPACE_ROWS, COUNT, (struct space_lines){ memory.results[0], LINE });
}

static void run_short_dense(const struct space_kernels *kernels, int width, int height, int results)
{
    const int16_t *rows[ROWS];
    const struct space_short_taps taps = { width, height, 128, memory.short_taps, memory.short_taps };
    for (int j = 0; j < ROWS; j++)
        rows[j] = memory.shorts[j];
    kernels->short_dense(rows, CHANNELS, &taps, results, COUNT, LINE, memory.byte_results[0]);
}

static void run_short_columns(const struct space_kernels *kernels)
{
    const uint8_t *rows[ROWS];
    const struct space_short_taps taps = { 1, TAPS, 0, memory.short_taps, memory.short_taps };
    for (int j = 0; j < ROWS; j++)
        rows[j] = memory.bytes[j];
    kernels->short_columns(rows, &taps, SPACE_ROWS, COUNT,
                           (struct space_shorts){ memory.short_results[0], LINE });
}

static void run_sparse(const struct space_kernels *kernels)
{
    const float *rows[ROWS];
    for (int j = 0; j < ROWS; j++)
        rows[j] = memory.floats[j];
    kernels->sparse(rows, CHANNELS, memory.sparse, TAPS * TAPS, COUNT, memory.results[0]);
}

static void run_kernel(const struct space_kernels *kernels, enum timed kernel)
{
    float *row = memory.results[0];
    void *stored = memory.byte_results;
    switch (kernel) {
    case LOAD_U8: kernels->load(ABBE_U8, memory.bytes, COUNT, row); break;
    case STORE_U8: kernels->store(ABBE_U8, memory.floats[0], COUNT, stored); break;
    case LOAD_U16: kernels->load(ABBE_U16, memory.bytes, COUNT, row); break;
    case STORE_U16: kernels->store(ABBE_U16, memory.floats[0], COUNT, stored); break;
    case FINITE: kernels->finite(memory.floats[0], COUNT); break;
    case ALPHA_IN: kernels->multiply_alpha(row, COUNT / 4, 255); break;
    case ALPHA_OUT: kernels->divide_alpha(row, COUNT / 4, 1, 255); break;
    case COLUMNS_U8: run_columns(kernels, ABBE_U8); break;
    case COLUMNS_U16: run_columns(kernels, ABBE_U16); break;
    case COLUMNS_F32: run_columns(kernels, ABBE_F32); break;
    case DENSE_ROW: run_dense(kernels, TAPS, 1, 1); break;
    case DENSE_3: run_dense(kernels, 3, 3, SPACE_ROWS); break;
    case DENSE_9: run_dense(kernels, TAPS, TAPS, SPACE_ROWS); break;
    case SPARSE_81: run_sparse(kernels); break;
    case SHORT_LOAD: kernels->short_load(memory.bytes[0], COUNT, memory.short_results[0]); break;
    case SHORT_COLUMNS: run_short_columns(kernels); break;
    case SHORT_ROW: run_short_dense(kernels, TAPS, 1, 1); break;
    case SHORT_3: run_short_dense(kernels, 3, 3, SPACE_ROWS); break;
    case SHORT_9: run_short_dense(kernels, TAPS, TAPS, SPACE_ROWS); break;
    case KERNELS: break;
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* Nanoseconds per sample. The results are reset before each call, because some kernels read them. */
static double time_kernel(const struct space_kernels *kernels, enum timed kernel)
{
    double least = INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        memcpy(memory.results, memory.floats, sizeof memory.results);
        double start = now();
        run_kernel(kernels, kernel);
        least = fmin(least, now() - start);
    }
    return least / (COUNT * count_rows(kernel));
}

void space_print_times(void)
{
    fill_memory();
    printf("ns, the least of %d, in the caches\n%-9s %-20s %9s %9s\n", REPEATS, "level", "kernel", "a sample",
           "a tap");
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct space_kernels *kernels = cpu_levels[level].space;
        bool here = kernels && core_level_present(level);
        for (int kernel = 0; here && kernel < (kernels->short_load ? KERNELS : SHORT_LOAD); kernel++) {
            double taken = time_kernel(kernels, (enum timed)kernel);
            printf("%-9s %-20s %9.4f", kernels->name, names[kernel].name, taken);
            if (names[kernel].taps)
                printf(" %9.4f", taken / names[kernel].taps);
            printf("\n");
        }
    }
}
