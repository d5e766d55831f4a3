/* Every vector kernel of the fused Fourier engine against naive double precision, on random and edge data.
 *
 * Argument: "time" prints how long the kernels take instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/sample.h"
#include "cpu/fused/fused.h"
#include "cpu/levels.h"
#include "support/random.h"

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
    float *row;
};

static struct bench bench_create(const char *level, const struct fused_kernels *kernels, int width,
                                 int height)
{
    struct bench bench = { .level = level, .kernels = kernels, .width = width, .height = height };
    assert_int_equal(fused_layout_create(kernels, width, height, &bench.layout), ABBE_OK);
    size_t blocks = (size_t)bench.layout.blocks[FUSED_PAIR] + (size_t)bench.layout.blocks[FUSED_LONE];
    bench.grid = (struct fused_grid){
        .data = core_alloc_zero(blocks, bench.layout.block_floats * sizeof(float)),
        .block_floats = bench.layout.block_floats,
        .lanes = kernels->columns->lanes,
    };
    bench.row = core_alloc_zero(2 * ((size_t)width + kernels->rows->lanes), sizeof(float));
    assert_non_null(bench.grid.data);
    assert_non_null(bench.row);
    return bench;
}

static void bench_free(struct bench *bench)
{
    fused_layout_free(&bench->layout);
    core_free(bench->grid.data);
    core_free(bench->row);
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

/* ‖a − b‖ / ‖b‖ against the accuracy of a transform in float. */
static void check_near(const struct bench *bench, const char *what, int n, const double complex *a,
                       const double complex *b, int length)
{
    double bound = 3e-7 * sqrt(log2(length < 2 ? 2 : length)), sum = 0, size = norm(n, b);
    for (int i = 0; i < n; i++)
        sum += creal(a[i] - b[i]) * creal(a[i] - b[i]) + cimag(a[i] - b[i]) * cimag(a[i] - b[i]);
    double error = sqrt(sum) / (size > 0 ? size : 1);
    if (!(error <= bound))
        complain(bench, what, error, bound);
}

/* Random, or one of the edges: zero, one impulse, all alike. */
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

/* Where frequency u of a row stands, NULL when it is not kept. */
static float *grid_at(const struct bench *bench, enum fused_kind kind, int u, size_t row)
{
    int column = bench->layout.column[kind][u];
    return column < 0 ? NULL
                      : bench->grid.data + (size_t)(column / bench->grid.lanes) * bench->grid.block_floats +
                            row + column % bench->grid.lanes;
}

static void check_pair_row(const struct bench *bench, const double complex *x, double complex *scratch)
{
    int n = bench->width;
    double complex *spectrum = scratch, *got = scratch + n;
    size_t row = grid_row(bench, bench->height - 1);
    put_row(bench, x);
    bench->kernels->rows->row_forward(&bench->layout.rows[FUSED_PAIR], bench->row, &bench->grid, row);
    naive_dft(n, x, 1, spectrum);
    for (int u = 0; u < n; u++) {
        const float *at = grid_at(bench, FUSED_PAIR, u, row);
        assert_non_null(at);
        got[u] = at[0] + I * at[bench->grid.lanes];
    }
    check_near(bench, "a pair row forward", n, got, spectrum, n);
    bench->kernels->rows->row_inverse(&bench->layout.rows[FUSED_PAIR], &bench->grid, row, bench->row);
    get_row(bench, got);
    for (int i = 0; i < n; i++)
        spectrum[i] = x[i] * n;
    check_near(bench, "a pair row and back", n, got, spectrum, n);
}

/* Two real rows: each frequency of each, or that of its opposite, is kept. */
static void check_lone_row(const struct bench *bench, const double complex *x, double complex *scratch)
{
    int n = bench->width;
    double complex *expected = scratch, *got = scratch + n, *part = scratch + 2 * n,
                   *spectrum = scratch + 3 * n;
    size_t rows[2] = { grid_row(bench, 0), grid_row(bench, bench->height / 2) };
    put_row(bench, x);
    bench->kernels->rows->lone_forward(&bench->layout.rows[FUSED_LONE], bench->row, &bench->grid, rows[0],
                                       rows[1]);
    for (int which = 0; which < 2; which++) {
        int kept = 0;
        for (int i = 0; i < n; i++)
            part[i] = which ? cimag(x[i]) : creal(x[i]);
        naive_dft(n, part, 1, spectrum);
        for (int u = 0; u < n; u++) {
            const float *at = grid_at(bench, FUSED_LONE, u, rows[which]);
            if (!at && !grid_at(bench, FUSED_LONE, (n - u) % n, rows[which]))
                fail_msg("%s, %d lanes, width %d: neither %d nor its opposite is kept", bench->level,
                         bench->kernels->rows->lanes, n, u);
            if (!at)
                continue;
            expected[kept] = 2 * spectrum[u];
            got[kept++] = at[0] + I * at[bench->grid.lanes];
        }
        check_near(bench, which ? "the imaginary row" : "the real row", kept, got, expected, n);
    }
    bench->kernels->rows->lone_inverse(&bench->layout.rows[FUSED_LONE], &bench->grid, rows[0], rows[1],
                                       bench->row);
    get_row(bench, got);
    for (int i = 0; i < n; i++)
        expected[i] = x[i] * 2 * n;
    check_near(bench, "a lone row and back", n, got, expected, n);
}

static void check_rows(const char *level, const struct fused_kernels *kernels, int width)
{
    struct random random = { (uint64_t)width };
    struct bench bench = bench_create(level, kernels, width, 6);
    double complex *x = core_alloc(5 * (size_t)width, sizeof *x);
    assert_non_null(x);
    for (int kind = 0; kind < 4; kind++) {
        bench.grid.ahead = kind % 2 ? 2 * (size_t)bench.grid.lanes : 0; /* asking early changes nothing */
        fill(&random, kind, width, x);
        check_pair_row(&bench, x, x + width);
        check_lone_row(&bench, x, x + width);
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

/* Whatever the way, what must come out is IDFT(DFT(x) · h). */
static void check_column(const struct bench *bench, const double complex *x, const float *h, bool real,
                         int lane, double complex *scratch)
{
    int n = bench->height, lanes = bench->grid.lanes, parts = real ? 1 : 2;
    const struct fused_column *columns = &bench->layout.columns;
    double complex *spectrum = scratch, *expected = scratch + n, *got = scratch + 2 * n;
    float *block = bench->grid.data, *other = block + bench->grid.block_floats;
    naive_dft(n, x, 1, spectrum);
    for (int v = 0; v < n; v++) {
        const float *gain = h + (size_t)v * parts * lanes + lane;
        spectrum[bench->layout.order[v]] *= real ? gain[0] : gain[0] + I * gain[lanes];
    }
    naive_dft(n, spectrum, -1, expected);
    put_column(bench, block, lane, x);
    bench->kernels->columns->filter(columns, block, h, real);
    get_column(bench, block, lane, got);
    check_near(bench, real ? "columns times a real H" : "columns times H", n, got, expected, n * n);
    put_column(bench, block, lane, x);
    bench->kernels->columns->forward(columns, block);
    bench->kernels->columns->apply(columns, block, h, real, other);
    get_column(bench, other, lane, got);
    check_near(bench, "columns forward, then times H", n, got, expected, n * n);
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

/* ---- Pixels ------------------------------------------------------------------------------------------- */

/* Samples of a type, integers anywhere in their range and floats a little beyond 0 … 1. */
static void fill_samples(struct random *random, abbe_type type, size_t count, void *samples)
{
    float *wide = core_alloc(count, sizeof *wide);
    assert_non_null(wide);
    for (size_t i = 0; i < count; i++)
        wide[i] = (float)random_signed(random) * 1.5f;
    core_store_samples(type, wide, samples, count);
    core_free(wide);
}

struct pixels {
    const struct fused_row_kernels *kernels;
    const char *level;
    abbe_type type;
    int channels, width, count, first;
    int *index;
    struct fused_run *runs;
    float *rows[2], *line;
    unsigned char *source, *result, *expected;
};

static float row_sample(const struct pixels *p, int x, int c, int part)
{
    int lanes = p->kernels->lanes, lone = p->channels % 2 && c == p->channels - 1;
    return p->rows[c / 2][2 * (x / lanes * lanes) + (lone ? part : c % 2) * lanes + x % lanes];
}

static void pixels_fail(const struct pixels *p, const char *what, int x, int c, double got, double expected)
{
    fail_msg("%s, %d lanes, %s type %d, %d channels, %d of %d pixels from %d: x %d channel %d is %g, not %g",
             p->level, p->kernels->lanes, what, p->type, p->channels, p->count, p->width, p->first, x, c, got,
             expected);
}

/* A picture of `count` pixels stands in a row of `width`, by turns in one run, shifted, or scattered. */
static void lay_index(struct pixels *p, struct random *random, int way, struct fused_pixels *how)
{
    int lanes = p->kernels->lanes, vectors = p->width / lanes;
    for (int i = 0; i < p->width; i++)
        p->index[i] = way == 0 ? i : random_int(random, -1, p->count - 1);
    how->run_count = way == 0 ? 1 : vectors;
    for (int v = 0; v < how->run_count; v++)
        p->runs[v] = (struct fused_run){ v, 1, -1 };
    if (way == 0)
        p->runs[0] = (struct fused_run){ 0, vectors, 0 };
    how->index = p->index;
    how->runs = p->runs;
}

static void check_load(struct pixels *p, struct random *random, int way, bool premultiply)
{
    float outside[4] = { 0.25f, 0.5f, 0.75f, 1 };
    struct fused_pixels how = {
        .type = p->type, .channels = p->channels, .premultiply = premultiply, .outside = outside
    };
    lay_index(p, random, way, &how);
    int part = way % 2;
    core_load_samples(p->type, p->source, p->line, (size_t)p->count * p->channels);
    if (!p->kernels->load_row(&how, p->source, part, p->rows))
        fail_msg("%s: finite pixels of type %d are called spoilt", p->level, p->type);
    for (int x = 0; x < p->width; x++)
        for (int c = 0; c < p->channels; c++) {
            const float *pixel = p->line + (size_t)(p->index[x] < 0 ? 0 : p->index[x]) * p->channels;
            double expected = pixel[c];
            if (premultiply && c + 1 < p->channels)
                expected *= pixel[p->channels - 1];
            if (p->index[x] < 0)
                expected = outside[c];
            double got = row_sample(p, x, c, part);
            if (fabs(got - expected) > 3e-7 * fabs(expected))
                pixels_fail(p, "loading", x, c, got, expected);
        }
}

static double stored_level(const struct pixels *p, int i)
{
    uint16_t level;
    memcpy(&level, p->result + 2 * i, sizeof level);
    return p->type == ABBE_U8 ? p->result[i] : level;
}

/* Whether an integer sample lies so near to the middle of two levels that float may round it either way. */
static bool is_tie(const struct pixels *p, int i)
{
    double white = p->type == ABBE_U8 ? 255 : 65535;
    bool integer = p->type == ABBE_U8 || p->type == ABBE_U16;
    return integer && fabs(stored_level(p, i) - (double)p->line[i] * white) < 0.5 + white * 1.2e-7;
}

/* A way of storing: what the kernels must do besides converting. */
struct storing {
    int part;
    float offset;
    bool premultiply, alpha, stream;
};

/* What must come out, by its definition: alpha freed of its gain, colours divided by it, an offset on all but alpha. */
static void expect_pixels(struct pixels *p, const struct storing *way, float gain)
{
    for (int x = 0; x < p->count; x++) {
        float *pixel = p->line + (size_t)x * p->channels;
        int last = p->channels - 1;
        for (int c = 0; c <= last; c++)
            pixel[c] = row_sample(p, p->first + x, c, way->part);
        double coverage = (double)pixel[last] / (double)gain;
        for (int c = 0; c < last && way->premultiply; c++)
            pixel[c] = coverage > 0.5 / 65535 ? (float)((double)pixel[c] / coverage) : 0;
        if (way->premultiply)
            pixel[last] = (float)coverage;
        for (int c = 0; c <= last - way->alpha; c++)
            pixel[c] += way->offset;
    }
}

/* Whether a float is as near as float arithmetic brings it, with an offset of a quarter at most. */
static bool is_near(const struct pixels *p, int i)
{
    float got;
    memcpy(&got, p->result + 4 * i, sizeof got);
    return p->type == ABBE_F32 &&
           fabs((double)got - (double)p->line[i]) <= 3e-7 * (fabs((double)p->line[i]) + 0.25);
}

static void check_store(struct pixels *p, struct random *random, struct storing way)
{
    const float gain = 0.75f;
    int size = (int)abbe_type_size(p->type), bytes = p->count * p->channels * size;
    struct fused_pixels how = { .type = p->type,
                                .channels = p->channels,
                                .first = p->first,
                                .count = p->count,
                                .offset = way.offset,
                                .premultiply = way.premultiply,
                                .alpha = way.alpha,
                                .alpha_gain = gain,
                                .stream = way.stream };
    for (int i = 0; i < 2 * p->width; i++)
        p->rows[0][i] = (float)random_signed(random) * 1.5f, p->rows[1][i] = (float)random_signed(random);
    memset(p->result, 0xa5, (size_t)bytes + 64);
    p->kernels->store_row(&how, (const float *const *)p->rows, way.part, p->result);
    expect_pixels(p, &way, gain);
    core_store_samples(p->type, p->line, p->expected, (size_t)p->count * p->channels);
    for (int i = 0; i < p->count * p->channels; i++)
        if (memcmp(p->result + i * size, p->expected + i * size, (size_t)size) && !is_tie(p, i) &&
            !(way.premultiply && (is_near(p, i) || p->type == ABBE_F16)))
            pixels_fail(p, "storing", i / p->channels, i % p->channels, stored_level(p, i), p->line[i]);
    for (int i = bytes; i < bytes + 64; i++)
        if (p->result[i] != 0xa5)
            fail_msg("%s: storing type %d writes beyond its pixels", p->level, p->type);
}

/* Rows of interleaved floats apart, into either part of the last odd channel's row, and together again. */
static void check_split(struct pixels *p, struct random *random)
{
    int part = p->count % 2, samples = p->width * p->channels;
    for (int i = 0; i < samples; i++)
        p->line[i] = (float)random_signed(random);
    p->kernels->split(p->line, p->channels, p->width, part, p->rows);
    for (int i = 0; i < samples; i++)
        if (row_sample(p, i / p->channels, i % p->channels, part) != p->line[i])
            pixels_fail(p, "taking apart", i / p->channels, i % p->channels,
                        row_sample(p, i / p->channels, i % p->channels, part), p->line[i]);
    float *merged = (float *)(void *)p->result;
    p->kernels->merge((const float *const *)p->rows, p->first, p->channels, p->count, part, merged);
    if (memcmp(merged, p->line + p->first * p->channels, sizeof(float) * (size_t)(p->count * p->channels)))
        pixels_fail(p, "putting together", p->first, 0, merged[0], p->line[p->first * p->channels]);
}

static void check_pixels_of(struct pixels *p, struct random *random)
{
    fill_samples(random, p->type, (size_t)p->count * p->channels, p->source);
    for (int way = 0; way < 4; way++)
        if (way > 0 || p->count == p->width)
            check_load(p, random, way, way == 3);
    bool alpha = p->channels > 1;
    check_store(p, random, (struct storing){ .part = 0 });
    check_store(p, random, (struct storing){ .part = 1, .stream = true });
    check_store(p, random, (struct storing){ .part = 1, .offset = 0.125f, .alpha = alpha });
    if (alpha)
        check_store(p, random, (struct storing){ .offset = 0.125f, .alpha = true, .premultiply = true });
    check_split(p, random);
}

static void check_pixels(const char *level, const struct fused_kernels *kernels)
{
    enum { WIDTH_MAX = 96, BYTES = WIDTH_MAX * 16 + 64 };
    struct random random = { 7 };
    struct pixels p = { .kernels = kernels->rows, .level = level };
    p.index = core_alloc(WIDTH_MAX, sizeof(int));
    p.runs = core_alloc(WIDTH_MAX, sizeof *p.runs);
    p.rows[0] = core_alloc_zero(2 * WIDTH_MAX, sizeof(float));
    p.rows[1] = core_alloc_zero(2 * WIDTH_MAX, sizeof(float));
    p.line = core_alloc(4 * WIDTH_MAX, sizeof(float));
    p.source = core_alloc(BYTES, 1), p.result = core_alloc(BYTES, 1), p.expected = core_alloc(BYTES, 1);
    assert_true(p.index && p.runs && p.rows[0] && p.rows[1] && p.line && p.source && p.result && p.expected);
    for (int type = ABBE_U8; type <= ABBE_F32; type++)
        for (p.channels = 1; p.channels <= FUSED_DIRECT; p.channels++)
            for (p.width = p.kernels->lanes; p.width <= WIDTH_MAX; p.width += p.kernels->lanes)
                for (p.count = 1; p.count <= p.width; p.count += p.count < 5             ? 1
                                                                 : p.width - p.count > 9 ? 9
                                                                                         : 1) {
                    p.type = (abbe_type)type;
                    p.first = random_int(&random, 0, p.width - p.count);
                    check_pixels_of(&p, &random);
                }
    void *memory[] = { p.index, p.runs, p.rows[0], p.rows[1], p.line, p.source, p.result, p.expected };
    for (int i = 0; i < 8; i++)
        core_free(memory[i]);
}

/* ---- All levels --------------------------------------------------------------------------------------- */

/* Products of 2, 3, 5 and 7 up to `largest`, from `smallest` on. */
static bool is_smooth(int n)
{
    for (int prime = 2; prime <= 7; prime++)
        while (n % prime == 0)
            n /= prime;
    return n == 1;
}

typedef void kernels_function(const char *level, const struct fused_kernels *kernels);

static void each_level(kernels_function *check)
{
    for (int level = 0; level < cpu_level_count; level++)
        for (int i = 0; i < LEVEL_KERNELS; i++)
            if (cpu_levels[level].present() && cpu_levels[level].fused[i])
                check(cpu_levels[level].name, cpu_levels[level].fused[i]);
}

static void rows_of_level(const char *level, const struct fused_kernels *kernels)
{
    for (int residues = 1; residues <= 1100 / kernels->rows->lanes; residues++)
        if (is_smooth(residues))
            check_rows(level, kernels, residues * kernels->rows->lanes);
}

static void columns_of_level(const char *level, const struct fused_kernels *kernels)
{
    for (int height = 2; height <= 260; height++)
        if (is_smooth(height))
            check_columns(level, kernels, height);
    const int tall[] = { 512, 720, 1024, 1080, 1344, 2048 };
    for (int i = 0; i < 6; i++)
        check_columns(level, kernels, tall[i]);
}

static void rows(void **state)
{
    (void)state;
    each_level(rows_of_level);
}

static void columns(void **state)
{
    (void)state;
    each_level(columns_of_level);
}

static void pixels(void **state)
{
    (void)state;
    each_level(check_pixels);
}

/* Samples that are not finite are found wherever they stand, and only they. */
static void spoilt_of_level(const char *level, const struct fused_kernels *kernels)
{
    enum { WIDTH = 64 };
    float row[2 * WIDTH + 64], pixels_[WIDTH];
    int index[WIDTH];
    float *rows_[2] = { row, row };
    struct fused_run run = { 0, WIDTH / kernels->rows->lanes, 0 };
    struct fused_pixels how = {
        .type = ABBE_F32, .channels = 1, .index = index, .run_count = 1, .runs = &run
    };
    const float bad[] = { INFINITY, -INFINITY, NAN };
    for (int x = 0; x < WIDTH; x++) {
        for (int i = 0; i < WIDTH; i++)
            index[i] = i, pixels_[i] = i % 2 ? 3.4e38f : -3.4e38f;
        pixels_[x] = bad[x % 3];
        how.zero_nonfinite = false;
        if (kernels->rows->load_row(&how, pixels_, 0, rows_))
            fail_msg("%s: %g at %d passes for finite", level, (double)bad[x % 3], x);
        how.zero_nonfinite = true;
        if (!kernels->rows->load_row(&how, pixels_, 0, rows_))
            fail_msg("%s: %g at %d was to be replaced", level, (double)bad[x % 3], x);
    }
}

static void spoilt(void **state)
{
    (void)state;
    each_level(spoilt_of_level);
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
    case ROW_FORWARD: rows_->row_forward(&row[FUSED_PAIR], bench->row, &bench->grid, 0); break;
    case ROW_INVERSE: rows_->row_inverse(&row[FUSED_PAIR], &bench->grid, 0, bench->row); break;
    case LONE_FORWARD: rows_->lone_forward(&row[FUSED_LONE], bench->row, &bench->grid, 0, second); break;
    case LONE_INVERSE: rows_->lone_inverse(&row[FUSED_LONE], &bench->grid, 0, second, bench->row); break;
    case COLUMN_REAL:
        bench->kernels->columns->filter(&bench->layout.columns, bench->grid.data, h, true);
        break;
    case COLUMN_COMPLEX:
    case KERNELS: bench->kernels->columns->filter(&bench->layout.columns, bench->grid.data, h, false); break;
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

static void time_level(const char *level, const struct fused_kernels *kernels)
{
    for (int size = 64; size <= 4096; size *= 4) {
        struct bench bench = bench_create(level, kernels, size, size);
        float *h = core_alloc_zero((size_t)size, 2 * sizeof(float) * (size_t)bench.grid.lanes);
        printf("%-9s %5d %5d %5d ", level, kernels->rows->lanes, kernels->columns->lanes, size);
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
        printf("ns per complex sample, the least of 200, in the caches\n"
               "level      rows  cols  size  row fwd row back lone fwd lone bck col real col cplx\n");
        each_level(time_level);
        return 0;
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows), cmocka_unit_test(columns),
                                        cmocka_unit_test(pixels), cmocka_unit_test(spoilt) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
