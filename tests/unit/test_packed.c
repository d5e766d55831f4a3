/* Packed spectra: their layout term by term, and abbe_spectrum_at, multiply, pack and unpack. */
#include "core/error.h"
#include "spectrum/packed.h"

#include "support/paper.h"
#include "support/test.h"

#include <abbe/abbe.h>

#include <limits.h>
#include <math.h>
#include <string.h>

enum { SIDE = 12, AREA = SIDE * SIDE, CHANNELS = 3 };

static double random_number(void)
{
    static uint64_t seed = 20050605;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0 - 0.5;
}

static void fill(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (float)random_number();
}

static abbe_image view_of(float *values, int width, int height, int channels)
{
    return (abbe_image){ .data = values,
                         .width = width,
                         .height = height,
                         .channels = channels,
                         .stride = (ptrdiff_t)sizeof(float) * width * channels,
                         .type = ABBE_F32 };
}

/* One channel of contiguous values, in double. */
static void pick(const float *values, int width, int height, int channels, int channel, double *picked)
{
    for (int i = 0; i < width * height; i++)
        picked[i] = values[i * channels + channel];
}

static void check_place(int M, int N, int u, int v, const double *a)
{
    struct packed_place place = packed_place(M, N, u, v);
    struct paper_value f = paper_plane(a, M, N, u, v);
    double re = a[place.re_v * M + place.re_u];
    double im = place.im_sign * a[place.im_v * M + place.im_u];
    if (re != f.re || im != f.im)
        fail_msg("%d x %d: F(%d, %d) is (%g, %g), the paper says (%g, %g)", M, N, u, v, re, im, f.re, f.im);
}

static void places_are_those_of_the_paper(void **state)
{
    (void)state;
    double a[AREA];
    for (int i = 0; i < AREA; i++)
        a[i] = i + 1;
    for (int M = 1; M <= SIDE; M++)
        for (int N = 1; N <= SIDE; N++)
            for (int i = 0; i < M * N; i++)
                check_place(M, N, i % M, i / M, a);
}

/* Eq. 9 is eq. 10 of a picture one sample wide or high. */
static void lines_are_those_of_the_paper(void **state)
{
    (void)state;
    double a[AREA];
    for (int i = 0; i < AREA; i++)
        a[i] = i + 1;
    for (int n = 1; n <= AREA; n++)
        for (int u = 0; u < n; u++) {
            struct paper_value f = paper_line(a, 1, n, u);
            struct packed_place across = packed_place(n, 1, u, 0), down = packed_place(1, n, 0, u);
            if (a[across.re_u] != f.re || across.im_sign * a[across.im_u] != f.im)
                fail_msg("row of %d: F(%d)", n, u);
            if (a[down.re_v] != f.re || down.im_sign * a[down.im_v] != f.im)
                fail_msg("column of %d: F(%d)", n, u);
        }
}

/* Every element of A is one part of one conjugate pair; each part is stored exactly once. */
static void check_nothing_is_redundant(int M, int N)
{
    int uses[AREA] = { 0 };
    for (int v = 0; v < N; v++)
        for (int u = 0; u < M; u++) {
            struct packed_place place = packed_place(M, N, u, v);
            struct packed_place mirror = packed_place(M, N, (M - u) % M, (N - v) % N);
            if (place.re_u != mirror.re_u || place.re_v != mirror.re_v || place.im_sign != -mirror.im_sign)
                fail_msg("%d x %d: F(%d, %d) and its conjugate differ in place", M, N, u, v);
            if (place.im_sign > 0)
                continue;
            uses[place.re_v * M + place.re_u]++;
            uses[place.im_v * M + place.im_u] += place.im_sign != 0;
        }
    for (int i = 0; i < M * N; i++)
        if (uses[i] != 1)
            fail_msg("%d x %d: A[%d][%d] is used %d times", M, N, i % M, i / M, uses[i]);
}

static void nothing_is_redundant(void **state)
{
    (void)state;
    for (int M = 1; M <= SIDE; M++)
        for (int N = 1; N <= SIDE; N++)
            check_nothing_is_redundant(M, N);
}

static void at_reads_any_view(void **state)
{
    (void)state;
    enum { M = 6, N = 5, ROW = M * CHANNELS * 4 + 3 };
    float values[M * N * CHANNELS];
    char bytes[ROW * N];
    fill(values, M * N * CHANNELS);
    for (int y = 0; y < N; y++)
        memcpy(bytes + (N - 1 - y) * ROW, values + y * M * CHANNELS, M * CHANNELS * sizeof(float));
    abbe_image upward = { .data = bytes + (N - 1) * ROW,
                          .width = M,
                          .height = N,
                          .channels = CHANNELS,
                          .stride = -ROW,
                          .type = ABBE_F32 };
    double a[M * N];
    for (int c = 0; c < CHANNELS; c++) {
        pick(values, M, N, CHANNELS, c, a);
        for (int i = 0; i < M * N; i++) {
            float value[2];
            struct paper_value f = paper_plane(a, M, N, i % M, i / M);
            assert_int_equal(abbe_spectrum_at(&upward, c, i % M, i / M, value), ABBE_OK);
            if (value[0] != f.re || value[1] != f.im)
                fail_msg("channel %d: F(%d, %d)", c, i % M, i / M);
        }
    }
}

static void unpack_pack(int M, int N)
{
    float packed[AREA], again[AREA], spectrum[2 * AREA];
    double a[AREA];
    fill(packed, AREA);
    assert_int_equal(abbe_spectrum_unpack(M, N, packed, spectrum), ABBE_OK);
    pick(packed, M, N, 1, 0, a);
    for (int i = 0; i < M * N; i++) {
        int u = i % M, v = i / M;
        struct paper_value f = paper_plane(a, M, N, u, v);
        if (spectrum[2 * i] != f.re || spectrum[2 * i + 1] != f.im)
            fail_msg("%d x %d: unpacked F(%d, %d)", M, N, u, v);
    }
    /* The other half of the spectrum is never read. */
    for (int i = 0; i < M * N; i++)
        if (packed_place(M, N, i % M, i / M).im_sign > 0)
            spectrum[2 * i] = spectrum[2 * i + 1] = NAN;
    assert_int_equal(abbe_spectrum_pack(M, N, spectrum, again), ABBE_OK);
    if (memcmp(packed, again, (size_t)(M * N) * sizeof(float)))
        fail_msg("%d x %d: pack does not undo unpack", M, N);
}

static void pack_undoes_unpack(void **state)
{
    (void)state;
    for (int M = 1; M <= SIDE; M++)
        for (int N = 1; N <= SIDE; N++)
            unpack_pack(M, N);
}

/* The packed spectrum of channel c of a picture by the naive sum: each frequency writes its own elements. */
static void naive_packed(const double *f, int M, int N, int channels, int c, float *packed)
{
    float spectrum[2 * AREA] = { 0 }, one[AREA];
    for (int i = 0; i < M * N; i++) {
        struct paper_value value = paper_transform(f, M, N, i % M, i / M);
        spectrum[2 * i] = (float)value.re;
        spectrum[2 * i + 1] = (float)value.im;
    }
    assert_int_equal(abbe_spectrum_pack(M, N, spectrum, one), ABBE_OK);
    for (int i = 0; i < M * N; i++)
        packed[i * channels + c] = one[i];
}

static void convolve(const double *f, const double *g, int M, int N, double *result)
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < M; x++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                for (int i = 0; i < M; i++)
                    sum += f[j * M + i] * g[(y - j + N) % N * M + (x - i + M) % M];
            result[y * M + x] = sum / (M * N);
        }
}

struct factors {
    float a[AREA * CHANNELS], b[AREA * CHANNELS], expected[AREA * CHANNELS];
};

/* Pictures f and g, g with one channel or as many as f, and the spectrum of their circular convolution. */
static void make_factors(int M, int N, int b_channels, struct factors *factors)
{
    double f[AREA], g[AREA], product[AREA];
    for (int c = 0; c < CHANNELS; c++) {
        for (int i = 0; i < M * N; i++) {
            f[i] = random_number();
            g[i] = c < b_channels ? random_number() : g[i];
        }
        convolve(f, g, M, N, product);
        naive_packed(f, M, N, CHANNELS, c, factors->a);
        naive_packed(product, M, N, CHANNELS, c, factors->expected);
        if (c < b_channels)
            naive_packed(g, M, N, b_channels, c, factors->b);
    }
}

static void check_product(const float *product, const struct factors *factors, int M, int N, const char *what)
{
    for (int i = 0; i < M * N * CHANNELS; i++)
        if (!(fabsf(product[i] - factors->expected[i]) <= 1e-6f))
            fail_msg("%s, %d x %d, number %d: %g, not %g", what, M, N, i, product[i], factors->expected[i]);
}

static void check_multiply(int M, int N)
{
    struct factors factors;
    float result[AREA * CHANNELS];
    abbe_image a = view_of(factors.a, M, N, CHANNELS), b = view_of(factors.b, M, N, 1);
    abbe_image c = view_of(result, M, N, CHANNELS);
    make_factors(M, N, 1, &factors);
    assert_int_equal(abbe_spectrum_multiply(&a, &b, &c), ABBE_OK);
    check_product(result, &factors, M, N, "one channel for all");
    assert_int_equal(abbe_spectrum_multiply(&a, &b, &a), ABBE_OK);
    check_product(factors.a, &factors, M, N, "one channel for all, into a");

    b = view_of(factors.b, M, N, CHANNELS);
    make_factors(M, N, CHANNELS, &factors);
    assert_int_equal(abbe_spectrum_multiply(&a, &b, &c), ABBE_OK);
    check_product(result, &factors, M, N, "channel by channel");
    assert_int_equal(abbe_spectrum_multiply(&a, &b, &b), ABBE_OK);
    check_product(factors.b, &factors, M, N, "channel by channel, into b");
}

static void multiply_convolves(void **state)
{
    (void)state;
    for (int M = 1; M <= 7; M++)
        for (int N = 1; N <= 7; N++)
            check_multiply(M, N);
    check_multiply(12, 9);
    check_multiply(8, 12);
}

/* A spectrum is multiplied by itself in place. */
static void square_in_place(void **state)
{
    (void)state;
    float values[30], squared[30];
    abbe_image a = view_of(values, 6, 5, 1), b = view_of(squared, 6, 5, 1);
    fill(values, 30);
    assert_int_equal(abbe_spectrum_multiply(&a, &a, &b), ABBE_OK);
    assert_int_equal(abbe_spectrum_multiply(&a, &a, &a), ABBE_OK);
    assert_memory_equal(values, squared, sizeof values);
}

/* Asserts that a call failed with this code and recorded a message. */
#define assert_fails(call, code)                            \
    do {                                                    \
        core_forget(NULL);                                  \
        assert_int_equal(call, code);                       \
        assert_string_not_equal(abbe_error_text(NULL), ""); \
    } while (0)

static void at_refuses_bad_arguments(void **state)
{
    (void)state;
    float values[24], value[2] = { 7, 8 };
    abbe_image good = view_of(values, 4, 3, 2), half = good, empty = good;
    half.type = ABBE_F16;
    empty.data = NULL;
    fill(values, 24);
    assert_fails(abbe_spectrum_at(NULL, 0, 0, 0, value), ABBE_ERR_INVALID);
    assert_fails(abbe_spectrum_at(&half, 0, 0, 0, value), ABBE_ERR_INVALID);
    assert_fails(abbe_spectrum_at(&empty, 0, 0, 0, value), ABBE_ERR_INVALID);
    assert_fails(abbe_spectrum_at(&good, 0, 0, 0, NULL), ABBE_ERR_INVALID);
    const int bad[][3] = { { -1, 0, 0 }, { 2, 0, 0 }, { 0, -1, 0 },      { 0, 4, 0 },
                           { 0, 0, -1 }, { 0, 0, 3 }, { INT_MAX, 0, 0 }, { 0, INT_MIN, INT_MAX } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(abbe_spectrum_at(&good, bad[i][0], bad[i][1], bad[i][2], value), ABBE_ERR_INVALID);
    assert_true(value[0] == 7 && value[1] == 8);
}

static void multiply_refuses_bad_views(void **state)
{
    (void)state;
    float values[200], before[200];
    fill(values, 200);
    memcpy(before, values, sizeof before);
    abbe_image a = view_of(values, 4, 4, 2), b = view_of(values + 50, 4, 4, 2),
               c = view_of(values + 100, 4, 4, 2);
    abbe_image bytes = c, wide = view_of(values + 100, 5, 4, 2), three = view_of(values + 100, 4, 4, 3);
    abbe_image near_a = view_of(values + 1, 4, 4, 2), near_b = view_of(values + 51, 4, 4, 2);
    abbe_image single = view_of(values + 100, 4, 4, 1);
    bytes.type = ABBE_U8;
    const abbe_image *bad[][3] = {
        { NULL, &b, &c },    { &a, NULL, &c },    { &a, &b, NULL },    { &bytes, &b, &c },
        { &a, &bytes, &b },  { &a, &b, &bytes },  { &a, &b, &wide },   { &a, &wide, &b },
        { &a, &three, &b },  { &a, &b, &three },  { &a, &b, &single }, { &a, &b, &near_a },
        { &a, &b, &near_b }, { &a, &single, &c },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(abbe_spectrum_multiply(bad[i][0], bad[i][1], bad[i][2]), ABBE_ERR_INVALID);
    assert_memory_equal(values, before, sizeof before);
}

static void packing_refuses_bad_arguments(void **state)
{
    (void)state;
    float x[64] = { 0 };
    assert_fails(abbe_spectrum_pack(0, 2, x, x + 32), ABBE_ERR_INVALID);
    assert_fails(abbe_spectrum_pack(2, -1, x, x + 32), ABBE_ERR_INVALID);
    assert_fails(abbe_spectrum_pack(2, 2, NULL, x), ABBE_ERR_INVALID);
    assert_fails(abbe_spectrum_pack(2, 2, x, NULL), ABBE_ERR_INVALID);
    assert_fails(abbe_spectrum_pack(2, 2, x, x), ABBE_ERR_INVALID);
    assert_fails(abbe_spectrum_pack(2, 2, x, x + 7), ABBE_ERR_INVALID);
    assert_fails(abbe_spectrum_unpack(2, 2, x, x), ABBE_ERR_INVALID);
    assert_fails(abbe_spectrum_unpack(2, 2, x, x + 3), ABBE_ERR_INVALID);
    assert_fails(abbe_spectrum_unpack(2, 0, x, x + 32), ABBE_ERR_INVALID);
    assert_fails(abbe_spectrum_pack(ABBE_SIDE_MAX + 1, 1, x, x + 32), ABBE_ERR_SIZE);
    assert_int_equal(abbe_spectrum_pack(2, 2, x, x + 8), ABBE_OK);
    assert_int_equal(abbe_spectrum_unpack(2, 2, x, x + 4), ABBE_OK);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(places_are_those_of_the_paper),
    cmocka_unit_test(lines_are_those_of_the_paper),
    cmocka_unit_test(nothing_is_redundant),
    cmocka_unit_test(at_reads_any_view),
    cmocka_unit_test(pack_undoes_unpack),
    cmocka_unit_test(multiply_convolves),
    cmocka_unit_test(square_in_place),
    cmocka_unit_test(at_refuses_bad_arguments),
    cmocka_unit_test(multiply_refuses_bad_views),
    cmocka_unit_test(packing_refuses_bad_arguments),
};

TEST_MAIN(tests)
