/* The public transforms: complex arrays, and packed spectra of pictures of any type, stride and size.
 *
 * Argument: DEVICE. */
#include "core/error.h"
#include "core/sample.h"
#include "device/device.h"

#include "support/paper.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static abbe_device *device;

static const abbe_type types[] = { ABBE_U8, ABBE_U16, ABBE_F16, ABBE_F32 };

static double random_number(void)
{
    static uint64_t seed = 20070615;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* A view of newly allocated memory, with rows bottom up at an odd stride, so that nothing is aligned. */
struct canvas {
    abbe_image view;
    unsigned char *memory;
    size_t bytes;
};

static void canvas_create(int width, int height, int channels, abbe_type type, struct canvas *canvas)
{
    size_t stride = (size_t)width * (size_t)channels * abbe_type_size(type) + 3;
    canvas->bytes = stride * (size_t)height + 1;
    canvas->memory = malloc(canvas->bytes);
    memset(canvas->memory, 0xA5, canvas->bytes);
    canvas->view = (abbe_image){ .data = canvas->memory + 1 + stride * (size_t)(height - 1),
                                 .width = width,
                                 .height = height,
                                 .channels = channels,
                                 .stride = -(ptrdiff_t)stride,
                                 .type = type };
}

static char *sample(const abbe_image *view, int x, int y, int c)
{
    size_t index = (size_t)x * (size_t)view->channels + (size_t)c;
    return (char *)view->data + y * view->stride + index * abbe_type_size(view->type);
}

static double get(const abbe_image *view, int x, int y, int c)
{
    float value;
    core_load_samples(view->type, sample(view, x, y, c), &value, 1);
    return value;
}

static void set(const abbe_image *view, int x, int y, int c, double value)
{
    float narrow = (float)value;
    core_store_samples(view->type, &narrow, sample(view, x, y, c), 1);
}

static void randomize(const abbe_image *view)
{
    for (int y = 0; y < view->height; y++)
        for (int x = 0; x < view->width; x++)
            for (int c = 0; c < view->channels; c++)
                set(view, x, y, c, random_number());
}

static void pick(const abbe_image *view, int channel, double *values)
{
    for (int y = 0; y < view->height; y++)
        for (int x = 0; x < view->width; x++)
            values[y * view->width + x] = get(view, x, y, channel);
}

/* Every F(u, v), read from A by the paper's equations, against the naive sum over the picture. */
static void check_channel(const double *picture, const double *packed, int M, int N, const char *what)
{
    double error = 0, norm = 0;
    for (int v = 0; v < N; v++)
        for (int u = 0; u < M; u++) {
            struct paper_value expected = paper_transform(picture, M, N, u, v);
            struct paper_value f = paper_plane(packed, M, N, u, v);
            error += pow(f.re - expected.re, 2) + pow(f.im - expected.im, 2);
            norm += pow(expected.re, 2) + pow(expected.im, 2);
        }
    double bound = 3e-7 * sqrt(1 + log2((double)M * N));
    if (!(sqrt(error) <= bound * sqrt(norm)))
        fail_msg("%s, %d x %d: error %g, bound %g", what, M, N, sqrt(error / norm), bound);
}

static void check_forward(int M, int N, int channels, abbe_type type)
{
    struct canvas source, packed;
    double *picture = malloc(2 * (size_t)(M * N) * sizeof *picture), *a = picture + M * N;
    canvas_create(M, N, channels, type, &source);
    canvas_create(M, N, channels, ABBE_F32, &packed);
    randomize(&source.view);
    assert_int_equal(abbe_spectrum_forward(device, &source.view, &packed.view), ABBE_OK);
    for (int c = 0; c < channels; c++) {
        char what[64];
        snprintf(what, sizeof what, "type %d, channel %d of %d", (int)type, c, channels);
        pick(&source.view, c, picture);
        pick(&packed.view, c, a);
        check_channel(picture, a, M, N, what);
    }
    free(packed.memory);
    free(source.memory);
    free(picture);
}

static void forward_packs_as_in_the_paper(void **state)
{
    (void)state;
    for (int M = 1; M <= 9; M++)
        for (int N = 1; N <= 9; N++)
            check_forward(M, N, 1 + (M + N) % 5, types[(M * 3 + N) % 4]);
    for (int channels = 1; channels <= 5; channels++)
        for (int t = 0; t < 4; t++)
            check_forward(12, 10, channels, types[t]);
    check_forward(33, 20, 2, ABBE_F32);
    check_forward(22, 37, 1, ABBE_U16);
    /* Lengths that the vector kernels of the CPU take. */
    static const int widths[] = { 4, 8, 16, 32, 48, 56, 80, 112 };
    static const int heights[] = { 2, 3, 5, 8, 10, 21 };
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 6; j++)
            check_forward(widths[i], heights[j], 1 + (i + j) % 5, types[(i + 2 * j) % 4]);
}

/* Half of the largest step of a type near 1: the error of rounding to it. */
static double type_error(abbe_type type)
{
    switch (type) {
    case ABBE_U8: return 0.5 / 255;
    case ABBE_U16: return 0.5 / 65535;
    case ABBE_F16: return 0x1p-12;
    default: return 0;
    }
    return 0;
}

static void check_round_trip(int M, int N, int channels, abbe_type type)
{
    struct canvas source, packed, result;
    canvas_create(M, N, channels, type, &source);
    canvas_create(M, N, channels, ABBE_F32, &packed);
    canvas_create(M, N, channels, type, &result);
    randomize(&source.view);
    assert_int_equal(abbe_spectrum_forward(device, &source.view, &packed.view), ABBE_OK);
    assert_int_equal(abbe_spectrum_inverse(device, &packed.view, &result.view), ABBE_OK);
    double error = 0, norm = 0;
    for (int i = 0; i < M * N * channels; i++) {
        int c = i % channels, x = i / channels % M, y = i / channels / M;
        error += pow(get(&result.view, x, y, c) - get(&source.view, x, y, c), 2);
        norm += pow(get(&source.view, x, y, c), 2);
    }
    if (!(sqrt(error) <= (1e-6 + type_error(type)) * sqrt(norm)))
        fail_msg("%d x %d x %d, type %d: error %g", M, N, channels, (int)type, sqrt(error / norm));
    /* Integers are reproduced exactly, and the gaps between rows are unchanged. */
    if ((type == ABBE_U8 || type == ABBE_U16) && memcmp(source.memory, result.memory, source.bytes))
        fail_msg("%d x %d x %d, type %d: other bytes", M, N, channels, (int)type);
    free(result.memory);
    free(packed.memory);
    free(source.memory);
}

static void inverse_undoes_forward(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++)
        for (int M = 1; M <= 9; M++)
            for (int N = 1; N <= 9; N++)
                check_round_trip(M, N, 1 + (M + N) % 4, types[t]);
    const int sizes[][3] = { { 128, 64, 3 }, { 97, 101, 4 }, { 257, 2, 1 }, { 1, 300, 64 }, { 120, 75, 5 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int t = 0; t < 4; t++)
            check_round_trip(sizes[i][0], sizes[i][1], sizes[i][2], types[t]);
}

static void same_view_in_and_out(void **state)
{
    (void)state;
    for (int channels = 1; channels <= 4; channels++) {
        struct canvas source, packed;
        canvas_create(14, 9, channels, ABBE_F32, &source);
        canvas_create(14, 9, channels, ABBE_F32, &packed);
        randomize(&source.view);
        assert_int_equal(abbe_spectrum_forward(device, &source.view, &packed.view), ABBE_OK);
        assert_int_equal(abbe_spectrum_forward(device, &source.view, &source.view), ABBE_OK);
        assert_memory_equal(source.memory, packed.memory, source.bytes);
        assert_int_equal(abbe_spectrum_inverse(device, &packed.view, &source.view), ABBE_OK);
        assert_int_equal(abbe_spectrum_inverse(device, &packed.view, &packed.view), ABBE_OK);
        assert_memory_equal(source.memory, packed.memory, source.bytes);
        free(packed.memory);
        free(source.memory);
    }
}

static void conjugates_are_symmetric(void **state)
{
    (void)state;
    struct canvas source, packed;
    enum { M = 10, N = 7 };
    canvas_create(M, N, 3, ABBE_U8, &source);
    canvas_create(M, N, 3, ABBE_F32, &packed);
    randomize(&source.view);
    assert_int_equal(abbe_spectrum_forward(device, &source.view, &packed.view), ABBE_OK);
    for (int i = 0; i < M * N; i++) {
        float f[2], mirrored[2];
        int u = i % M, v = i / M;
        assert_int_equal(abbe_spectrum_at(&packed.view, 2, u, v, f), ABBE_OK);
        assert_int_equal(abbe_spectrum_at(&packed.view, 2, (M - u) % M, (N - v) % N, mirrored), ABBE_OK);
        if (f[0] != mirrored[0] || f[1] != -mirrored[1])
            fail_msg("F(%d, %d) is (%g, %g), its mirror (%g, %g)", u, v, f[0], f[1], mirrored[0],
                     mirrored[1]);
    }
    free(packed.memory);
    free(source.memory);
}

/* The zero frequency is the mean, and the product of two spectra is a convolution divided by the area. */
static void mean_and_convolution(void **state)
{
    (void)state;
    float picture[6 * 4], spectrum[6 * 4], shift[6 * 4] = { 0 }, mean[2];
    abbe_image a = { .data = picture,
                     .width = 6,
                     .height = 4,
                     .channels = 1,
                     .stride = 24,
                     .type = ABBE_F32 },
               b = { .data = shift, .width = 6, .height = 4, .channels = 1, .stride = 24, .type = ABBE_F32 };
    abbe_image c = {
        .data = spectrum, .width = 6, .height = 4, .channels = 1, .stride = 24, .type = ABBE_F32
    };
    double sum = 0;
    randomize(&a);
    for (int i = 0; i < 24; i++)
        sum += picture[i];
    shift[1 * 6 + 2] = 24; /* an impulse of weight 24, the area: two to the right and one down */
    assert_int_equal(abbe_spectrum_forward(device, &a, &c), ABBE_OK);
    assert_int_equal(abbe_spectrum_at(&c, 0, 0, 0, mean), ABBE_OK);
    assert_true(fabs(mean[0] - sum / 24) < 1e-6 && mean[1] == 0);
    assert_int_equal(abbe_spectrum_forward(device, &b, &b), ABBE_OK);
    assert_int_equal(abbe_spectrum_multiply(&c, &b, &c), ABBE_OK);
    assert_int_equal(abbe_spectrum_inverse(device, &c, &c), ABBE_OK);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 6; x++)
            if (fabsf(spectrum[y * 6 + x] - picture[(y + 3) % 4 * 6 + (x + 4) % 6]) > 1e-6f)
                fail_msg("shifted pixel (%d, %d) is %g", x, y, spectrum[y * 6 + x]);
}

/* Arrays: forward against the sum of two real transforms, then back, in place and not. */
static void check_array(int M, int N)
{
    size_t area = (size_t)(M * N);
    float *in = calloc(4 * area, sizeof *in), *out = in + 2 * area;
    double *re = malloc(2 * area * sizeof *re), *im = re + area, error = 0;
    for (size_t i = 0; i < area; i++) {
        re[i] = in[2 * i] = (float)random_number();
        im[i] = in[2 * i + 1] = (float)random_number();
    }
    assert_int_equal(abbe_fft_forward(device, M, N, in, out), ABBE_OK);
    for (int i = 0; i < M * N; i++) {
        struct paper_value f = paper_transform(re, M, N, i % M, i / M);
        struct paper_value g = paper_transform(im, M, N, i % M, i / M);
        error = fmax(error, hypot(out[2 * i] - f.re + g.im, out[2 * i + 1] - f.im - g.re));
    }
    if (!(error < 2e-7))
        fail_msg("forward %d x %d: error %g", M, N, error);
    assert_int_equal(abbe_fft_inverse(device, M, N, out, out), ABBE_OK);
    for (size_t i = 0; i < 2 * area; i++)
        if (!(fabsf(out[i] - in[i]) < 1e-6f))
            fail_msg("inverse %d x %d: number %zu is %g, not %g", M, N, i, out[i], in[i]);
    free(re);
    free(in);
}

static void arrays_match_the_sum(void **state)
{
    (void)state;
    for (int M = 1; M <= 8; M++)
        for (int N = 1; N <= 8; N++)
            check_array(M, N);
    check_array(211, 1);
    check_array(1, 96);
    check_array(26, 19);
    check_array(16, 9);
    check_array(48, 10);
    check_array(80, 6);
}

/* Sizes of every engine: a NaN spreads over all frequencies. */
static void arrays_with_a_nan(void **state)
{
    (void)state;
    static const int sides[][2] = { { 64, 48 }, { 61, 67 } };
    for (int i = 0; i < 2; i++)
        for (int inverse = 0; inverse < 2; inverse++) {
            int width = sides[i][0], height = sides[i][1];
            size_t numbers = 2 * (size_t)width * (size_t)height;
            float *in = calloc(numbers, sizeof *in), *out = calloc(numbers, sizeof *out);
            in[numbers / 3] = NAN;
            assert_int_equal(inverse ? abbe_fft_inverse(device, width, height, in, out)
                                     : abbe_fft_forward(device, width, height, in, out),
                             ABBE_OK);
            for (size_t k = 0; k < numbers; k += 2)
                assert_false(isfinite(out[k]) && isfinite(out[k + 1]));
            free(in);
            free(out);
        }
}

/* Asserts that a call failed with this code and recorded a message for `owner`. */
#define assert_fails(call, code, owner)                      \
    do {                                                     \
        core_forget(owner);                                  \
        assert_int_equal(call, code);                        \
        assert_string_not_equal(abbe_error_text(owner), ""); \
    } while (0)

static void arrays_refuse_bad_arguments(void **state)
{
    (void)state;
    float x[64] = { 1, 2, 3 }, before[64];
    int (*const calls[])(abbe_device *, int, int, const float *, float *) = { abbe_fft_forward,
                                                                              abbe_fft_inverse };
    memcpy(before, x, sizeof x);
    for (int i = 0; i < 2; i++) {
        assert_fails(calls[i](NULL, 2, 2, NULL, x), ABBE_ERR_INVALID, NULL);
        assert_fails(calls[i](device, 2, 2, NULL, x), ABBE_ERR_INVALID, device);
        assert_fails(calls[i](device, 2, 2, x, NULL), ABBE_ERR_INVALID, device);
        assert_fails(calls[i](device, 0, 2, x, x), ABBE_ERR_INVALID, device);
        assert_fails(calls[i](device, 2, -2, x, x), ABBE_ERR_INVALID, device);
        assert_fails(calls[i](device, 2, 2, x, x + 1), ABBE_ERR_INVALID, device);
        assert_fails(calls[i](device, ABBE_SIDE_MAX + 1, 1, x, x), ABBE_ERR_SIZE, device);
        assert_fails(calls[i](device, 1, INT32_MAX, x, x), ABBE_ERR_SIZE, device);
        assert_fails(calls[i](device, ABBE_SIDE_MAX - 1, 1, x, x), ABBE_ERR_SIZE, device);
    }
    assert_memory_equal(x, before, sizeof x);
}

static void spectra_refuse_bad_views(void **state)
{
    (void)state;
    float x[100], before[100];
    for (int i = 0; i < 100; i++)
        x[i] = (float)i;
    memcpy(before, x, sizeof x);
    abbe_image a = { .data = x, .width = 4, .height = 3, .channels = 2, .stride = 32, .type = ABBE_F32 },
               b = { .data = x + 50, .width = 4, .height = 3, .channels = 2, .stride = 32, .type = ABBE_F32 };
    abbe_image bytes = b, wide = b, single = b, overlapping = a, tight = b, empty = b;
    bytes.type = ABBE_U8;
    wide.width = 5, wide.stride = 40;
    single.channels = 1;
    overlapping.data = x + 2;
    tight.stride = 31;
    empty.height = 0;
    const abbe_image *bad[] = { NULL, &bytes, &wide, &single, &overlapping, &tight, &empty };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_fails(abbe_spectrum_forward(device, &a, bad[i]), ABBE_ERR_INVALID, device);
        assert_fails(abbe_spectrum_inverse(device, bad[i], &a), ABBE_ERR_INVALID, device);
    }
    assert_fails(abbe_spectrum_forward(device, NULL, &b), ABBE_ERR_INVALID, device);
    assert_fails(abbe_spectrum_inverse(device, &a, NULL), ABBE_ERR_INVALID, device);
    assert_memory_equal(x, before, sizeof x);
}

static void check_nonfinite(abbe_type type, float value, int y)
{
    struct canvas source, packed;
    canvas_create(5, 4, 3, type, &source);
    canvas_create(5, 4, 3, ABBE_F32, &packed);
    randomize(&source.view);
    if (type == ABBE_F16)
        memcpy(sample(&source.view, 4, y, 2), &(uint16_t){ isnan(value) ? 0x7E00 : 0x7C00 }, 2);
    else
        set(&source.view, 4, y, 2, value);
    unsigned char *before = malloc(packed.bytes);
    memcpy(before, packed.memory, packed.bytes);
    assert_fails(abbe_spectrum_forward(device, &source.view, &packed.view), ABBE_ERR_NONFINITE, device);
    assert_memory_equal(packed.memory, before, packed.bytes);
    if (type == ABBE_F32)
        assert_fails(abbe_spectrum_inverse(device, &source.view, &packed.view), ABBE_ERR_NONFINITE, device);
    assert_memory_equal(packed.memory, before, packed.bytes);
    free(before);
    free(packed.memory);
    free(source.memory);
}

static void nonfinite_samples_are_refused(void **state)
{
    (void)state;
    for (int y = 0; y < 4; y++) {
        check_nonfinite(ABBE_F32, NAN, y);
        check_nonfinite(ABBE_F32, INFINITY, y);
        check_nonfinite(ABBE_F32, -INFINITY, y);
        check_nonfinite(ABBE_F16, NAN, y);
        check_nonfinite(ABBE_F16, INFINITY, y);
    }
}

/* Without a device, spectra are those of the device "auto", of its threads and its level. */
static void no_device_is_the_default_one(void **state)
{
    (void)state;
    enum { M = 48, N = 20 };
    abbe_device *automatic = NULL;
    float picture[M * N], one[M * N], other[M * N], array[2 * M * N], spectra[2][2 * M * N];
    for (int i = 0; i < 2 * M * N; i++)
        array[i] = (float)random_number();
    memcpy(picture, array, sizeof picture);
    abbe_image source = { .data = picture, .width = M, .height = N, .channels = 1, .type = ABBE_F32 };
    abbe_image packed[2] = { source, source };
    packed[0].data = one, packed[1].data = other;
    assert_int_equal(abbe_device_open(NULL, NULL, &automatic), ABBE_OK);
    for (int i = 0; i < 2; i++) {
        abbe_device *cpu = i ? NULL : automatic;
        assert_int_equal(abbe_spectrum_forward(cpu, &source, &packed[i]), ABBE_OK);
        assert_int_equal(abbe_fft_forward(cpu, M, N, array, spectra[i]), ABBE_OK);
    }
    assert_memory_equal(one, other, sizeof one);
    assert_memory_equal(spectra[0], spectra[1], sizeof spectra[0]);
    abbe_apply_clear(NULL); /* the next call opens the device again */
    assert_int_equal(abbe_spectrum_inverse(NULL, &packed[1], &packed[1]), ABBE_OK);
    assert_int_equal(abbe_fft_inverse(NULL, M, N, spectra[1], spectra[1]), ABBE_OK);
    for (int i = 0; i < M * N; i++) {
        assert_float_equal(other[i], picture[i], 1e-5);
        assert_float_equal(spectra[1][i], array[i], 1e-5);
    }
    packed[1].type = ABBE_U8;
    assert_fails(abbe_spectrum_forward(NULL, &source, &packed[1]), ABBE_ERR_INVALID, NULL);
    assert_fails(abbe_fft_forward(NULL, 0, N, array, array), ABBE_ERR_INVALID, NULL);
    abbe_apply_clear(NULL);
    abbe_device_close(&automatic);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(forward_packs_as_in_the_paper), cmocka_unit_test(inverse_undoes_forward),
    cmocka_unit_test(same_view_in_and_out),          cmocka_unit_test(conjugates_are_symmetric),
    cmocka_unit_test(mean_and_convolution),          cmocka_unit_test(arrays_match_the_sum),
    cmocka_unit_test(arrays_refuse_bad_arguments),   cmocka_unit_test(spectra_refuse_bad_views),
    cmocka_unit_test(nonfinite_samples_are_refused), cmocka_unit_test(arrays_with_a_nan),
    cmocka_unit_test(no_device_is_the_default_one),
};

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 2);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failures;
}
