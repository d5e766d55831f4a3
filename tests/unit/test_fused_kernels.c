/* The transforms of the fused Fourier engine, kernel by kernel, compared with naive sums in double precision.
 *
 * Arguments: "time" prints how long the kernels take instead, of sizes that may follow. */
#include "core/memory.h"
#include "cpu/fused/fused.h"
#include "cpu/levels.h"
#include "support/random.h"
#include "support/test.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- One layout with its memory ----------------------------------------------------------------------- */

struct bench {
    const char *level;
    const struct fused_kernels *kernels;
    int width, height;
    struct fused_layout layout;
    struct fused_grid grid;
    float *row, *scratch, *beside; /* as in struct fused_worker */
};

static struct bench bench_create(const char *level, const struct fused_kernels *kernels, int width,
                                 int height)
{
    struct bench bench = { .level = level, .kernels = kernels, .width = width, .height = height };
    assert_int_equal(fused_layout_create(kernels, width, height, &bench.layout), ABBE_OK);
    size_t blocks = (size_t)bench.layout.blocks[FUSED_PAIR] + (size_t)bench.layout.blocks[FUSED_SINGLE];
    bench.grid = (struct fused_grid){
        .data = core_alloc_zero(blocks, bench.layout.block_floats * sizeof(float)),
        .block_floats = bench.layout.block_floats,
        .lanes = kernels->columns->lanes,
        .group_blocks = kernels->rows->lanes,
        /* of every second size; prefetches and non-temporal stores change nothing but the time */
        .ahead = height % 2 ? 0 : 2 * (size_t)kernels->columns->lanes,
        .stream = width / kernels->rows->lanes % 2 && kernels->rows->lanes == kernels->columns->lanes,
    };
    bench.row = core_alloc_zero((size_t)fused_buffer_rows(kernels, width),
                                fused_buffer_apart(kernels, width) * sizeof(float));
    bench.beside = core_alloc_zero(fused_beside_floats(kernels, width), sizeof(float));
    bench.scratch = core_alloc_zero(fused_scratch_floats(kernels->columns->lanes, height), sizeof(float));
    assert_non_null(bench.grid.data);
    assert_true(bench.row && bench.scratch && bench.beside);
    return bench;
}

static void bench_free(struct bench *bench)
{
    fused_layout_free(&bench->layout);
    core_free(bench->grid.data);
    core_free(bench->row);
    core_free(bench->scratch);
    core_free(bench->beside);
}

static void complain(const struct bench *bench, const char *what, double error, double bound)
{
    fail_msg("%s, rows of %d lanes, columns of %d, %d x %d: %s is off by %g, allowed are %g", bench->level,
             bench->kernels->rows->lanes, bench->kernels->columns->lanes, bench->width, bench->height, what,
             error, bound);
}

/* ---- The oracle --------------------------------------------------------------------------------------- */

/* Σ x(j) W^(±jk), W = e^(−2πi/n). */
static void naive_dft(int n, const double complex *x, int sign, double complex *out)
{
    double complex *roots = core_alloc((size_t)n, sizeof *roots);
    assert_non_null(roots);
    for (int k = 0; k < n; k++) {
        double angle = -2 * 3.14159265358979323846 * k / n;
        roots[k] = cos(angle) + (double)sign * I * sin(angle);
    }
    for (int k = 0; k < n; k++) {
        out[k] = 0;
        for (int j = 0, turn = 0; j < n; j++, turn = (turn + k) % n)
            out[k] += x[j] * roots[turn];
    }
    core_free(roots);
}

static double norm(int n, const double complex *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    return sqrt(sum);
}

/* ‖a − b‖ / ‖b‖ against the accuracy of a transform in float; or ‖a − b‖ / `least` where ‖b‖ is smaller. */
static void check_near_scaled(const struct bench *bench, const char *what, int n, const double complex *a,
                              const double complex *b, int length, double least)
{
    double bound = 3e-7 * sqrt(log2(length < 2 ? 2 : length)), sum = 0, size = fmax(norm(n, b), least);
    for (int i = 0; i < n; i++)
        sum += creal(a[i] - b[i]) * creal(a[i] - b[i]) + cimag(a[i] - b[i]) * cimag(a[i] - b[i]);
    double error = sqrt(sum) / (size > 0 ? size : 1);
    if (!(error <= bound))
        complain(bench, what, error, bound);
}

static void check_near(const struct bench *bench, const char *what, int n, const double complex *a,
                       const double complex *b, int length)
{
    check_near_scaled(bench, what, n, a, b, length, 0);
}

/* Random numbers, or an edge case: zeros, one impulse, all equal. */
static void fill(struct random *random, int kind, int n, double complex *x)
{
    for (int i = 0; i < n; i++)
        switch (kind) {
        case 0: x[i] = 0; break;
        case 1: x[i] = i == n / 3 ? 1 - 2 * I : 0; break;
        case 2: x[i] = 1 + 0.5 * I; break;
        default: x[i] = (float)random_signed(random) + I * (float)random_signed(random); break;
        }
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

static void put_row(const struct bench *bench, const double complex *x)
{
    int lanes = bench->kernels->rows->lanes;
    for (int i = 0; i < bench->width; i++) {
        float *vector = bench->row + 2 * (size_t)(i / lanes * lanes) + i % lanes;
        vector[0] = (float)creal(x[i]);
        vector[lanes] = (float)cimag(x[i]);
    }
}

static void get_row(const struct bench *bench, double complex *x)
{
    int lanes = bench->kernels->rows->lanes;
    for (int i = 0; i < bench->width; i++) {
        const float *vector = bench->row + 2 * (size_t)(i / lanes * lanes) + i % lanes;
        x[i] = vector[0] + I * vector[lanes];
    }
}

static size_t grid_row(const struct bench *bench, int y)
{
    return 2 * (size_t)bench->grid.lanes * (size_t)bench->layout.columns.offset[y];
}

/* The place of frequency u of a row in the grid, NULL when it is not kept. */
static float *grid_at(const struct bench *bench, enum fused_kind kind, int u, size_t row)
{
    int column = bench->layout.column[kind][u];
    return column < 0 ? NULL
                      : bench->grid.data + (size_t)(column / bench->grid.lanes) * bench->grid.block_floats +
                            row + column % bench->grid.lanes;
}

/* The row in the buffer of a bench. */
static struct fused_strand row_strand(const struct bench *bench)
{
    return fused_buffer_strand(bench->kernels, bench->row);
}

/* A picture of floats with a real and an imaginary row, which have levels. */
struct picture_rows {
    float *samples;
    struct fused_strand strand;
};

static struct picture_rows put_picture_rows(const struct bench *bench, const double complex *x)
{
    size_t n = (size_t)bench->width;
    float *samples = core_alloc(2 * n, sizeof *samples);
    assert_non_null(samples);
    for (size_t i = 0; i < n; i++) {
        samples[i] = (float)creal(x[i]) + 0.5f;
        samples[n + i] = (float)cimag(x[i]) - 0.25f;
    }
    return (struct picture_rows){ samples,
                                  { .part = { samples, samples + n },
                                    .step = (size_t)bench->kernels->rows->lanes,
                                    .level = { 0.5f, -0.25f } } };
}

static void get_picture_rows(const struct bench *bench, const struct picture_rows *rows, double complex *x)
{
    for (int i = 0; i < bench->width; i++)
        x[i] = (double)rows->strand.part[0][i] - 0.5 + I * ((double)rows->strand.part[1][i] + 0.25);
}

/* Rows that the first step reads from a picture, and the last one writes there; a row that is not finite is found. */
static void check_strands(const struct bench *bench, const double complex *x, double complex *scratch)
{
    int n = bench->width;
    const struct fused_row_kernels *kernels = bench->kernels->rows;
    const struct fused_row *transform = &bench->layout.rows[FUSED_PAIR];
    double complex *got = scratch, *expected = scratch + n;
    if (!fused_begins_rows(&bench->layout))
        return;
    struct picture_rows rows = put_picture_rows(bench, x);
    size_t row = grid_row(bench, 0);
    assert_true(kernels->begin_row(transform, &rows.strand, bench->row));
    kernels->pair_forward(transform, 1, bench->row, &bench->grid, row);
    kernels->pair_inverse(transform, 1, &bench->grid, row, bench->row);
    kernels->end_row(transform, bench->row, &rows.strand);
    get_picture_rows(bench, &rows, got);
    for (int i = 0; i < n; i++)
        expected[i] = x[i] * n;
    check_near_scaled(bench, "rows of a picture and back", n, got, expected, n, n);
    for (int i = 0; i < n; i++)
        rows.strand.part[0][i] = rows.strand.part[1][i] = 0;
    rows.strand.part[n % 2][n / 3] = n % 4 < 2 ? INFINITY : NAN;
    assert_false(kernels->begin_row(transform, &rows.strand, bench->row));
    assert_false(kernels->fold_strand(&rows.strand, n, bench->row));
    core_free(rows.samples);
}

static void check_pair_row(const struct bench *bench, const double complex *x, double complex *scratch)
{
    int n = bench->width;
    double complex *spectrum = scratch, *got = scratch + n;
    size_t row = grid_row(bench, bench->height - 1);
    put_row(bench, x);
    bench->kernels->rows->pair_forward(&bench->layout.rows[FUSED_PAIR], 0, bench->row, &bench->grid, row);
    naive_dft(n, x, 1, spectrum);
    for (int u = 0; u < n; u++) {
        const float *at = grid_at(bench, FUSED_PAIR, u, row);
        assert_non_null(at);
        got[u] = at[0] + I * at[bench->grid.lanes];
    }
    check_near(bench, "a pair row forward", n, got, spectrum, n);
    bench->kernels->rows->pair_inverse(&bench->layout.rows[FUSED_PAIR], 0, &bench->grid, row, bench->row);
    get_row(bench, got);
    for (int i = 0; i < n; i++)
        spectrum[i] = x[i] * n;
    check_near(bench, "a pair row and back", n, got, spectrum, n);
}

/* Two real rows: of each frequency and its opposite, one is kept. */
static void check_single_row(const struct bench *bench, const double complex *x, double complex *scratch)
{
    int n = bench->width;
    double complex *expected = scratch, *got = scratch + n, *part = scratch + 2 * n,
                   *spectrum = scratch + 3 * n;
    size_t rows[2] = { grid_row(bench, 0), grid_row(bench, bench->height / 2) };
    put_row(bench, x);
    bench->kernels->rows->single_forward(&bench->layout.rows[FUSED_SINGLE], 0, bench->row, &bench->grid,
                                         rows[0], rows[1]);
    for (int which = 0; which < 2; which++) {
        int kept = 0;
        for (int i = 0; i < n; i++)
            part[i] = which ? cimag(x[i]) : creal(x[i]);
        naive_dft(n, part, 1, spectrum);
        for (int u = 0; u < n; u++) {
            const float *at = grid_at(bench, FUSED_SINGLE, u, rows[which]);
            if (!at && !grid_at(bench, FUSED_SINGLE, (n - u) % n, rows[which]))
                fail_msg("%s, %d lanes, width %d: neither %d nor its opposite is kept", bench->level,
                         bench->kernels->rows->lanes, n, u);
            if (!at)
                continue;
            expected[kept] = 2 * spectrum[u];
            got[kept++] = at[0] + I * at[bench->grid.lanes];
        }
        check_near(bench, which ? "the imaginary row" : "the real row", kept, got, expected, n);
    }
    bench->kernels->rows->single_inverse(&bench->layout.rows[FUSED_SINGLE], 0, &bench->grid, rows[0], rows[1],
                                         bench->row);
    get_row(bench, got);
    for (int i = 0; i < n; i++)
        expected[i] = x[i] * 2 * n;
    check_near(bench, "a row of a single plane and back", n, got, expected, n);
}

static void check_rows(const char *level, const struct fused_kernels *kernels, int width)
{
    struct random random = { (uint64_t)width };
    struct bench bench = bench_create(level, kernels, width, 6);
    double complex *x = core_alloc(5 * (size_t)width, sizeof *x);
    assert_non_null(x);
    for (int kind = 0; kind < 4; kind++) {
        bench.grid.ahead = kind % 2 ? 2 * (size_t)bench.grid.lanes : 0; /* prefetching changes nothing */
        fill(&random, kind, width, x);
        check_pair_row(&bench, x, x + width);
        check_single_row(&bench, x, x + width);
        check_strands(&bench, x, x + width);
    }
    core_free(x);
    bench_free(&bench);
}

/* ---- Rows side by side -------------------------------------------------------------------------------- */

/* Makes row r of those side by side the row of a bench. */
static struct bench select_row(const struct bench *bench, int r)
{
    struct bench one = *bench;
    one.row += (size_t)r * fused_buffer_apart(bench->kernels, bench->width);
    return one;
}

/* The rows side by side, in buffers. */
static void put_strands(const struct bench *bench, struct fused_strand *strands)
{
    for (int l = 0; l < bench->kernels->rows->lanes; l++) {
        struct bench one = select_row(bench, l);
        strands[l] = row_strand(&one);
    }
}

/* Compares what is kept of row r of the grid with `scale` times the transform of x. */
static void check_grid_row(const struct bench *bench, enum fused_kind kind, int r, const double complex *x,
                           double scale, double complex *scratch)
{
    int n = bench->width, kept = 0;
    double complex *spectrum = scratch, *expected = scratch + n, *got = scratch + 2 * n;
    naive_dft(n, x, 1, spectrum);
    for (int u = 0; u < n; u++) {
        const float *at = grid_at(bench, kind, u, grid_row(bench, r));
        if (!at && !grid_at(bench, kind, (n - u) % n, grid_row(bench, r)))
            fail_msg("%s, %d lanes, width %d: neither %d nor its opposite is kept", bench->level,
                     bench->kernels->rows->lanes, n, u);
        if (!at)
            continue;
        expected[kept] = scale * spectrum[u];
        got[kept++] = at[0] + I * at[bench->grid.lanes];
    }
    check_near(bench, "a row beside others", kept, got, expected, n);
}

/* `count` complex rows of a pair plane at x, one behind the other. */
static void check_pairs(const struct bench *bench, int count, const double complex *x,
                        double complex *scratch)
{
    int n = bench->width;
    size_t rows[FUSED_LANES_MAX];
    struct fused_strand strands[FUSED_LANES_MAX];
    const struct fused_beside *beside = &bench->layout.beside;
    for (int r = 0; r < bench->kernels->rows->lanes; r++) {
        struct bench one = select_row(bench, r);
        rows[r] = grid_row(bench, r < count ? r : count - 1);
        put_row(&one, x + (size_t)(r < count ? r : 0) * n);
    }
    put_strands(bench, strands);
    bench->kernels->rows->pairs_forward(beside, strands, &bench->grid, rows, count, bench->beside);
    for (int r = 0; r < count; r++)
        check_grid_row(bench, FUSED_PAIR, r, x + (size_t)r * n, 1, scratch);
    bench->kernels->rows->pairs_inverse(beside, &bench->grid, rows, strands, count, bench->beside);
    for (int r = 0; r < count; r++) {
        struct bench one = select_row(bench, r);
        get_row(&one, scratch);
        for (int i = 0; i < n; i++)
            scratch[n + i] = x[(size_t)r * n + i] * n;
        check_near(bench, "a row beside others and back", n, scratch, scratch + n, n);
    }
}

/* `count` real rows of a single plane: the real and the imaginary parts of the rows at x. Without a last row,
 * the one before it is there twice. */
static void check_singles(const struct bench *bench, int count, const double complex *x,
                          double complex *scratch)
{
    int n = bench->width;
    size_t rows[2 * FUSED_LANES_MAX];
    struct fused_strand strands[FUSED_LANES_MAX];
    const struct fused_beside *beside = &bench->layout.beside;
    double complex *row = scratch + 3 * n;
    for (int r = 0; r < 2 * bench->kernels->rows->lanes; r++)
        rows[r] = grid_row(bench, r < count ? r : count - 1);
    for (int l = 0; 2 * l < count; l++) {
        struct bench one = select_row(bench, l);
        for (int i = 0; i < n; i++)
            row[i] = 2 * l + 1 < count ? x[(size_t)l * n + i] : creal(x[(size_t)l * n + i]) * (1 + I);
        put_row(&one, row);
    }
    put_strands(bench, strands);
    bench->kernels->rows->singles_forward(beside, strands, &bench->grid, rows, count, bench->beside);
    for (int r = 0; r < count; r++) {
        for (int i = 0; i < n; i++)
            row[i] = r % 2 ? cimag(x[(size_t)(r / 2) * n + i]) : creal(x[(size_t)(r / 2) * n + i]);
        check_grid_row(bench, FUSED_SINGLE, r, row, 2, scratch);
    }
    bench->kernels->rows->singles_inverse(beside, &bench->grid, rows, strands, count, bench->beside);
    for (int l = 0; 2 * l + 1 < count; l++) {
        struct bench one = select_row(bench, l);
        get_row(&one, scratch);
        for (int i = 0; i < n; i++)
            scratch[n + i] = x[(size_t)l * n + i] * 2 * n;
        check_near(bench, "a row of a single plane beside others and back", n, scratch, scratch + n, n);
    }
}

static void check_beside(const char *level, const struct fused_kernels *kernels, int width)
{
    struct random random = { (uint64_t)width };
    struct bench bench = bench_create(level, kernels, width, 2 * FUSED_LANES_MAX);
    int lanes = kernels->rows->lanes;
    double complex *x = core_alloc((size_t)(lanes + 4) * (size_t)width, sizeof *x);
    assert_true(x && bench.layout.is_beside);
    for (int kind = 0; kind < 4; kind++) {
        for (int r = 0; r < lanes; r++)
            fill(&random, r ? 3 : kind, width, x + (size_t)r * width);
        check_pairs(&bench, kind % 2 ? lanes : 1 + kind, x, x + (size_t)lanes * width);
        check_singles(&bench, kind % 2 ? 2 * lanes : 1 + kind, x, x + (size_t)lanes * width);
    }
    core_free(x);
    bench_free(&bench);
}

/* ---- Columns ------------------------------------------------------------------------------------------ */

/* One lane of a block. */
static void put_column(const struct bench *bench, float *block, int lane, const double complex *x)
{
    for (int y = 0; y < bench->height; y++) {
        block[grid_row(bench, y) + (size_t)lane] = (float)creal(x[y]);
        block[grid_row(bench, y) + (size_t)(bench->grid.lanes + lane)] = (float)cimag(x[y]);
    }
}

static void get_column(const struct bench *bench, const float *block, int lane, double complex *x)
{
    for (int y = 0; y < bench->height; y++)
        x[y] = block[grid_row(bench, y) + (size_t)lane] +
               I * block[grid_row(bench, y) + (size_t)(bench->grid.lanes + lane)];
}

/* `filter`, and `forward` followed by `apply`, must both yield IDFT(DFT(x) · h). An input of one frequency may
 * meet a small gain, and rounding errors spread to frequencies of larger gains; so errors are compared with
 * what the root mean square of the gains, 1/√3, makes of the input. */
static void check_column(const struct bench *bench, const double complex *x, const float *h, bool real,
                         int lane, double complex *scratch)
{
    int n = bench->height, lanes = bench->grid.lanes, parts = real ? 1 : 2;
    const struct fused_column *columns = &bench->layout.columns;
    double complex *spectrum = scratch, *expected = scratch + n, *got = scratch + 2 * n;
    float *block = bench->grid.data, *other = block + bench->grid.block_floats;
    double typical = n * norm(n, x) / sqrt(3);
    naive_dft(n, x, 1, spectrum);
    for (int v = 0; v < n; v++) {
        const float *gain = h + (size_t)v * parts * lanes + lane;
        spectrum[bench->layout.order[v]] *= real ? gain[0] : gain[0] + I * gain[lanes];
    }
    naive_dft(n, spectrum, -1, expected);
    put_column(bench, block, lane, x);
    bench->kernels->columns->filter(columns, block, h, real, bench->scratch);
    get_column(bench, block, lane, got);
    check_near_scaled(bench, real ? "columns times a real H" : "columns times H", n, got, expected, n * n,
                      typical);
    put_column(bench, block, lane, x);
    bench->kernels->columns->forward(columns, block, bench->scratch);
    bench->kernels->columns->apply(columns, block, h, real, other, bench->scratch);
    get_column(bench, other, lane, got);
    check_near_scaled(bench, "columns forward, then times H", n, got, expected, n * n, typical);
}

static void check_columns(const char *level, const struct fused_kernels *kernels, int height)
{
    struct random random = { (uint64_t)height };
    struct bench bench = bench_create(level, kernels, 4 * kernels->columns->lanes, height);
    size_t gains = 2 * (size_t)height * (size_t)bench.grid.lanes;
    double complex *x = core_alloc(4 * (size_t)height, sizeof *x);
    float *h = core_alloc(gains, sizeof *h);
    assert_true(x && h);
    for (int kind = 0; kind < 4; kind++) {
        fill(&random, kind, height, x);
        for (size_t i = 0; i < gains; i++)
            h[i] = (float)random_signed(&random);
        int lane = random_int(&random, 0, bench.grid.lanes - 1);
        check_column(&bench, x, h, true, lane, x + height);
        check_column(&bench, x, h, false, lane, x + height);
    }
    core_free(h);
    core_free(x);
    bench_free(&bench);
}

/* ---- All levels --------------------------------------------------------------------------------------- */

typedef void kernels_function(const char *level, const struct fused_kernels *kernels);

/* Whether kernels are the same as the ones before them, for rows of other lengths. */
static bool repeats_kernels(const struct fused_kernels *const *kernels, int i)
{
    return i > 0 && kernels[i]->rows == kernels[i - 1]->rows &&
           kernels[i]->columns == kernels[i - 1]->columns;
}

static void each_level(kernels_function *check)
{
    for (int level = 0; level < LEVEL_COUNT; level++)
        for (int i = 0; i < LEVEL_KERNELS; i++) {
            const struct fused_kernels *const *kernels = cpu_levels[level].fused;
            if (core_level_present(level) && kernels[i] && !repeats_kernels(kernels, i))
                check(core_level_name(level), kernels[i]);
        }
}

/* Every radix, and primes of either algorithm: alone, several of them, twice, with and without padding. */
static void rows_of_level(const char *level, const struct fused_kernels *kernels)
{
    int lanes = kernels->rows->lanes;
    for (int residues = 1; residues <= 48; residues++)
        if (!fused_is_beside(kernels, residues * lanes))
            check_rows(level, kernels, residues * lanes);
    const int more[] = { 55, 59, 61, 67, 71, 72, 77, 83, 90, 97, 121, 125, 127, 128, 137 };
    for (int i = 0; i < 15; i++)
        check_rows(level, kernels, more[i] * lanes);
    if (lanes == 4)
        for (int residues = 138; residues <= 275; residues++)
            check_rows(level, kernels, residues * lanes);
}

static void rows_beside_of_level(const char *level, const struct fused_kernels *kernels)
{
    const int wide[] = { 127, 134, 143, 151, 173, 251, 334, 499, 997 };
    for (int width = 2; width <= 70; width++)
        if (fused_is_beside(kernels, width))
            check_beside(level, kernels, width);
    for (int width = 80; width < kernels->beside_below; width += kernels->rows->lanes)
        check_beside(level, kernels, width);
    for (int i = 0; i < 9; i++)
        check_beside(level, kernels, wide[i]);
}

static void columns_of_level(const char *level, const struct fused_kernels *kernels)
{
    for (int height = 2; height <= 260; height++)
        check_columns(level, kernels, height);
    const int tall[] = { 509, 512, 527, 720, 961, 983, 991, 1006, 1024, 1080, 1344, 1441, 2048, 2209 };
    for (int i = 0; i < 14; i++)
        check_columns(level, kernels, tall[i]);
}

static void rows(void **state)
{
    (void)state;
    each_level(rows_of_level);
}

static void rows_beside(void **state)
{
    (void)state;
    each_level(rows_beside_of_level);
}

static void columns(void **state)
{
    (void)state;
    each_level(columns_of_level);
}

/* ---- Timing ------------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

enum timed { ROW_FORWARD, ROW_INVERSE, LONE_FORWARD, LONE_INVERSE, COLUMN_REAL, COLUMN_COMPLEX, KERNELS };

static void run_kernel(const struct bench *bench, enum timed kernel, const float *h)
{
    const struct fused_row_kernels *rows_ = bench->kernels->rows;
    const struct fused_row *row = bench->layout.rows;
    size_t second = grid_row(bench, 1);
    switch (kernel) {
    case ROW_FORWARD: rows_->pair_forward(&row[FUSED_PAIR], 0, bench->row, &bench->grid, 0); break;
    case ROW_INVERSE: rows_->pair_inverse(&row[FUSED_PAIR], 0, &bench->grid, 0, bench->row); break;
    case LONE_FORWARD:
        rows_->single_forward(&row[FUSED_SINGLE], 0, bench->row, &bench->grid, 0, second);
        break;
    case LONE_INVERSE:
        rows_->single_inverse(&row[FUSED_SINGLE], 0, &bench->grid, 0, second, bench->row);
        break;
    case COLUMN_REAL:
        bench->kernels->columns->filter(&bench->layout.columns, bench->grid.data, h, true, bench->scratch);
        break;
    case COLUMN_COMPLEX:
    case KERNELS:
        bench->kernels->columns->filter(&bench->layout.columns, bench->grid.data, h, false, bench->scratch);
        break;
    }
}

static double time_kernel(const struct bench *bench, enum timed kernel, const float *h)
{
    double least = INFINITY;
    for (int repeat = 0; repeat < 200; repeat++) {
        for (int i = 0; i < 2 * bench->width; i++)
            bench->row[i] = (float)(i % 7);
        double start = now();
        run_kernel(bench, kernel, h);
        double taken = now() - start;
        least = taken < least ? taken : least;
    }
    bool across = kernel < COLUMN_REAL;
    return least / (across ? bench->width : bench->height * bench->grid.lanes);
}

/* The sizes of the command line; 0 ends them. */
static int sizes[32] = { 64, 256, 1024, 4096 };

static void time_level(const char *level, const struct fused_kernels *kernels)
{
    for (int i = 0; sizes[i]; i++) {
        int size = sizes[i], lanes = kernels->rows->lanes;
        if (size < kernels->beside_below)
            continue;
        struct bench bench = bench_create(level, kernels, (size + lanes - 1) / lanes * lanes, size);
        float *h = core_alloc_zero((size_t)size, 2 * sizeof(float) * (size_t)bench.grid.lanes);
        printf("%-9s %5d %5d %5d ", level, lanes, kernels->columns->lanes, size);
        for (int kernel = 0; kernel < KERNELS; kernel++)
            printf("%9.3f", time_kernel(&bench, (enum timed)kernel, h));
        printf("\n");
        core_free(h);
        bench_free(&bench);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "time")) {
        for (int i = 2; i < argc && i < 32; i++)
            sizes[i - 2] = atoi(argv[i]), sizes[i - 1] = 0;
        printf("ns per complex sample, the least of 200, in the caches; rows are whole vectors\n"
               "level      rows  cols  size  pair fwd pair bck sngl fwd sngl bck col real col cplx\n");
        each_level(time_level);
        return 0;
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows), cmocka_unit_test(rows_beside),
                                        cmocka_unit_test(columns) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
