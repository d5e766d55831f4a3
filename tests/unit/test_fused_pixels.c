/* The kernels between stored pixels and rows of the fused Fourier engine, at every level, compared with plain
 * loops. */
#include "core/memory.h"
#include "core/sample.h"
#include "cpu/levels.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

/* Random samples of a type: integers in their whole range, floats a little beyond 0 … 1. */
static void fill_samples(struct random *random, abbe_type type, size_t count, void *samples)
{
    float *wide = core_alloc(count, sizeof *wide);
    assert_non_null(wide);
    for (size_t i = 0; i < count; i++)
        wide[i] = (float)random_signed(random) * 1.5f;
    core_store_samples(type, wide, samples, count);
    core_free(wide);
}

enum { WIDTH_MAX = 96, CHANNELS = 5, BYTES = WIDTH_MAX * CHANNELS * 4 + 64 };

struct pixels {
    const struct fused_row_kernels *kernels;
    const char *level;
    abbe_type type;
    bool planar;
    int channels, width, count, first;
    int *index;
    struct fused_span *spans;
    float *rows[(CHANNELS + 1) / 2], *line;
    unsigned char *source, *result, *expected; /* `expected` is interleaved */
};

/* Bytes from one plane to the next: three samples more than a row. */
static ptrdiff_t plane_bytes(const struct pixels *p)
{
    return (p->count + 3) * (ptrdiff_t)abbe_type_size(p->type);
}

/* The place of interleaved sample i in the source and in the result. */
static size_t place_of(const struct pixels *p, int i)
{
    size_t size = abbe_type_size(p->type);
    return p->planar ? (size_t)(i % p->channels) * (size_t)plane_bytes(p) + (size_t)(i / p->channels) * size
                     : (size_t)i * size;
}

static float row_sample(const struct pixels *p, int x, int c, int part)
{
    int lanes = p->kernels->lanes, single = p->channels % 2 && c == p->channels - 1;
    return p->rows[c / 2][2 * (x / lanes * lanes) + (single ? part : c % 2) * lanes + x % lanes];
}

static void pixels_fail(const struct pixels *p, const char *what, int x, int c, double got, double expected)
{
    fail_msg(
        "%s, %d lanes, %s type %d, %d channels%s, %d of %d pixels from %d: x %d channel %d is %g, not %g",
        p->level, p->kernels->lanes, what, p->type, p->channels, p->planar ? " in planes" : "", p->count,
        p->width, p->first, x, c, got, expected);
}

/* Places `count` pixels in a row of `width`: in one span, shifted, or scattered. */
static void lay_index(struct pixels *p, struct random *random, int way, struct fused_pixels *how)
{
    int lanes = p->kernels->lanes, vectors = p->width / lanes;
    for (int i = 0; i < p->width; i++)
        p->index[i] = way == 0 ? i : random_int(random, -1, p->count - 1);
    how->span_count = way == 0 ? 1 : vectors;
    for (int v = 0; v < how->span_count; v++)
        p->spans[v] = (struct fused_span){ v, 1, -1 };
    if (way == 0)
        p->spans[0] = (struct fused_span){ 0, vectors, 0 };
    how->index = p->index;
    how->spans = p->spans;
}

/* Reads the source as interleaved floats. */
static void read_source(const struct pixels *p)
{
    for (int i = 0; i < p->count * p->channels; i++)
        core_load_samples(p->type, p->source + place_of(p, i), p->line + i, 1);
}

static void check_load(struct pixels *p, struct random *random, int way, bool premultiply)
{
    float outside[CHANNELS] = { 0.25f, 0.5f, 0.75f, 1, -2 };
    float pedestal[CHANNELS] = { 0.5f, -0.25f, 3, 0.125f, 1 };
    struct fused_pixels how = { .type = p->type,
                                .channels = p->channels,
                                .planar = p->planar,
                                .plane = plane_bytes(p),
                                .premultiply = premultiply,
                                .outside = outside,
                                .pedestal = way == 2 ? pedestal : NULL };
    lay_index(p, random, way, &how);
    int part = way % 2;
    read_source(p);
    if (!p->kernels->load_row(&how, p->source, part, p->rows))
        fail_msg("%s: finite pixels of type %d are reported as not finite", p->level, p->type);
    for (int x = 0; x < p->width; x++)
        for (int c = 0; c < p->channels; c++) {
            const float *pixel = p->line + (size_t)(p->index[x] < 0 ? 0 : p->index[x]) * p->channels;
            double expected = pixel[c];
            if (premultiply && c + 1 < p->channels)
                expected *= pixel[p->channels - 1];
            double scale = fabs(expected);
            if (how.pedestal)
                expected -= (double)pedestal[c];
            if (p->index[x] < 0)
                expected = outside[c];
            double got = row_sample(p, x, c, part);
            if (fabs(got - expected) > 3e-7 * (scale + fabs(expected)))
                pixels_fail(p, "loading", x, c, got, expected);
        }
}

static double stored_level(const struct pixels *p, int i)
{
    uint16_t level;
    memcpy(&level, p->result + place_of(p, i), sizeof level);
    return p->type == ABBE_U8 ? p->result[place_of(p, i)] : level;
}

/* Whether a value lies so near the middle between two integers that float arithmetic may round it either
 * way. */
static bool is_tie(const struct pixels *p, int i)
{
    double white = p->type == ABBE_U8 ? 255 : 65535;
    bool integer = p->type == ABBE_U8 || p->type == ABBE_U16;
    return integer && fabs(stored_level(p, i) - (double)p->line[i] * white) < 0.5 + white * 1.2e-7;
}

/* What the kernels must do when they store, besides converting. */
struct storing {
    int part;
    float offset;
    bool premultiply, alpha, stream;
};

/* The expected result by definition: alpha is divided by its gain, colours by alpha, and all but alpha take
 * the offset. */
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

/* Whether a float is within the error of float arithmetic, for offsets of at most a quarter. */
static bool is_near(const struct pixels *p, int i)
{
    float got;
    memcpy(&got, p->result + place_of(p, i), sizeof got);
    return p->type == ABBE_F32 &&
           fabs((double)got - (double)p->line[i]) <= 3e-7 * (fabs((double)p->line[i]) + 0.25);
}

static void check_store(struct pixels *p, struct random *random, struct storing way)
{
    const float gain = 0.75f;
    int size = (int)abbe_type_size(p->type), samples = p->count * p->channels;
    float offset[CHANNELS];
    for (int c = 0; c < p->channels; c++)
        offset[c] = way.alpha && c == p->channels - 1 ? 0 : way.offset;
    struct fused_pixels how = { .type = p->type,
                                .channels = p->channels,
                                .planar = p->planar,
                                .plane = plane_bytes(p),
                                .first = p->first,
                                .count = p->count,
                                .offset = way.offset != 0 ? offset : NULL,
                                .premultiply = way.premultiply,
                                .alpha_gain = gain,
                                .stream = way.stream };
    for (int c = 0; c < (p->channels + 1) / 2; c++)
        for (int i = 0; i < 2 * p->width; i++)
            p->rows[c][i] = (float)random_signed(random) * 1.5f;
    memset(p->result, 0xa5, BYTES);
    p->kernels->store_row(&how, (const float *const *)p->rows, way.part, p->result);
    expect_pixels(p, &way, gain);
    core_store_samples(p->type, p->line, p->expected, (size_t)samples);
    for (int i = 0; i < samples; i++)
        if (memcmp(p->result + place_of(p, i), p->expected + i * size, (size_t)size) && !is_tie(p, i) &&
            !(way.premultiply && (is_near(p, i) || p->type == ABBE_F16)))
            pixels_fail(p, "storing", i / p->channels, i % p->channels, stored_level(p, i), p->line[i]);
    for (int i = 0; i < samples; i++)
        memset(p->result + place_of(p, i), 0xa5, (size_t)size);
    for (int i = 0; i < BYTES; i++)
        if (p->result[i] != 0xa5)
            pixels_fail(p, "storing beyond pixels of", i, 0, p->result[i], 0xa5);
}

/* split() into either part of a single channel's row, and merge() back. */
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
    fill_samples(random, p->type, BYTES / abbe_type_size(p->type), p->source);
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

/* Every width, and numbers of pixels with all kinds of edges. */
static void check_widths(struct pixels *p, struct random *random)
{
    for (p->width = p->kernels->lanes; p->width <= WIDTH_MAX; p->width += p->kernels->lanes)
        for (p->count = 1; p->count <= p->width;
             p->count += p->count >= 5 && p->width - p->count > 9 ? 9 : 1) {
            p->first = random_int(random, 0, p->width - p->count);
            check_pixels_of(p, random);
        }
}

static void check_pixels(const char *level, const struct fused_kernels *kernels)
{
    struct random random = { 7 };
    struct pixels p = { .kernels = kernels->rows, .level = level };
    p.index = core_alloc(WIDTH_MAX, sizeof(int));
    p.spans = core_alloc(WIDTH_MAX, sizeof *p.spans);
    for (int i = 0; i < 3; i++)
        p.rows[i] = core_alloc_zero(2 * WIDTH_MAX, sizeof(float));
    p.line = core_alloc(CHANNELS * WIDTH_MAX, sizeof(float));
    p.source = core_alloc(BYTES, 1), p.result = core_alloc(BYTES, 1), p.expected = core_alloc(BYTES, 1);
    void *memory[] = { p.index, p.spans,  p.rows[0], p.rows[1], p.rows[2],
                       p.line,  p.source, p.result,  p.expected };
    for (int i = 0; i < 9; i++)
        assert_non_null(memory[i]);
    for (int type = ABBE_U8; type <= ABBE_F32; type++)
        for (p.channels = 1; p.channels <= CHANNELS; p.channels++)
            for (int planar = p.channels > FUSED_DIRECT; planar < 2; planar++) {
                p.type = (abbe_type)type;
                p.planar = planar;
                check_widths(&p, &random);
            }
    for (int i = 0; i < 9; i++)
        core_free(memory[i]);
}

/* Non-finite samples are reported at every position, and finite samples are not. */
static void spoilt_of_level(const char *level, const struct fused_kernels *kernels)
{
    enum { WIDTH = 64 };
    float row[2 * WIDTH + 64], pixels_[WIDTH];
    int index[WIDTH];
    float *rows_[2] = { row, row };
    struct fused_span run = { 0, WIDTH / kernels->rows->lanes, 0 };
    struct fused_pixels how = {
        .type = ABBE_F32, .channels = 1, .index = index, .span_count = 1, .spans = &run
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

/* ---- All levels --------------------------------------------------------------------------------------- */

typedef void kernels_function(const char *level, const struct fused_kernels *kernels);

static void each_level(kernels_function *check)
{
    for (int level = 0; level < LEVEL_COUNT; level++)
        for (int i = 0; i < LEVEL_KERNELS; i++)
            if (core_level_present(level) && cpu_levels[level].fused[i])
                check(core_level_name(level), cpu_levels[level].fused[i]);
}

static void pixels(void **state)
{
    (void)state;
    each_level(check_pixels);
}

static void nonfinite_samples(void **state)
{
    (void)state;
    each_level(spoilt_of_level);
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(pixels), cmocka_unit_test(nonfinite_samples) };

TEST_MAIN(tests)
