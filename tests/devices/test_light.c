/* Light and alpha: the sRGB curve, filtering in linear light, and the colours of transparent pixels.
 *
 * Argument: DEVICE. The oracle decodes, multiplies, convolves, divides and encodes in double precision. */
#include "core/sample.h"
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static abbe_device *device;

/* ---- The curve ---------------------------------------------------------------------------------------- */

/* IEC 61966-2-1, continued below 0 as an odd function. */
static double decode(double coded)
{
    double size = fabs(coded), linear = size <= 0.04045 ? size / 12.92 : pow((size + 0.055) / 1.055, 2.4);
    return coded < 0 ? -linear : linear;
}

static double encode(double linear)
{
    double size = fabs(linear), coded = size <= 0.0031308 ? size * 12.92 : 1.055 * pow(size, 1 / 2.4) - 0.055;
    return linear < 0 ? -coded : coded;
}

static void curve_is_srgb(void **state)
{
    (void)state;
    for (int i = -6000; i <= 6000; i++) {
        float value = (float)i / 4096;
        double linear = decode((double)value), coded = encode((double)value);
        if (fabs((double)core_srgb_decode(value) - linear) > 1e-6 * fabs(linear))
            fail_msg("decode %g: %g, not %g", (double)value, (double)core_srgb_decode(value), linear);
        if (fabs((double)core_srgb_encode(value) - coded) > 1e-6 * fabs(coded))
            fail_msg("encode %g: %g, not %g", (double)value, (double)core_srgb_encode(value), coded);
    }
}

/* Decoding to linear light and encoding again must keep every level of 16 bits. */
static void levels_survive_light(void **state)
{
    (void)state;
    abbe_filter *identity = apply_filter("identity");
    struct picture in = picture_create(256, 256, 1);
    for (int i = 0; i < 65536; i++)
        in.samples[i] = i / 65535.0;
    struct picture got = apply(device,
                               (abbe_plan_params){ .source_type = ABBE_U16,
                                                   .result_type = ABBE_U16,
                                                   .method = ABBE_METHOD_DIRECT,
                                                   .linear_light = true },
                               identity, &in);
    assert_true(apply_near(&got, &in, 0x1p-40));
    picture_free(&in);
    picture_free(&got);
    abbe_filter_destroy(&identity);
}

/* ---- The oracle --------------------------------------------------------------------------------------- */

/* A pixel whose alpha is below half a level of 16 bits has no colour. */
static const double transparent = 0.5 / 65535;

/* Prepares a pixel for filtering: decodes it to linear light and multiplies it by alpha. */
static void prepare(const abbe_plan_params *params, double *pixel, int channels)
{
    int colours = params->alpha == ABBE_ALPHA_NONE ? channels : channels - 1;
    for (int c = 0; c < colours; c++) {
        pixel[c] = params->linear_light ? decode(pixel[c]) : pixel[c];
        pixel[c] *= params->alpha == ABBE_ALPHA_PREMULTIPLY ? pixel[channels - 1] : 1;
    }
}

static void finish(const abbe_plan_params *params, double *pixel, int channels)
{
    int colours = params->alpha == ABBE_ALPHA_NONE ? channels : channels - 1;
    double alpha = pixel[channels - 1];
    for (int c = 0; c < colours; c++) {
        if (params->alpha == ABBE_ALPHA_PREMULTIPLY)
            pixel[c] = alpha > transparent ? pixel[c] / alpha : 0;
        pixel[c] = params->linear_light ? encode(pixel[c]) : pixel[c];
    }
}

/* Filters one channel at a time, since the prepared outside pixel differs from channel to channel. */
static struct picture convolve(const struct picture *ready, const double *outside, abbe_border border,
                               const abbe_matrix *taps)
{
    struct picture out = picture_create(ready->width, ready->height, ready->channels);
    struct picture plane = picture_create(ready->width, ready->height, 1);
    size_t pixels = (size_t)ready->width * ready->height, channels = (size_t)ready->channels;
    for (size_t c = 0; c < channels; c++) {
        for (size_t i = 0; i < pixels; i++)
            plane.samples[i] = ready->samples[i * channels + c];
        struct picture one = reference_convolve(&plane, border, outside[c], taps, taps->width / 2,
                                                taps->height / 2);
        for (size_t i = 0; i < pixels; i++)
            out.samples[i * channels + c] = one.samples[i];
        picture_free(&one);
    }
    picture_free(&plane);
    return out;
}

static struct picture expected_light(const abbe_plan_params *params, const struct picture *in,
                                     const abbe_matrix *taps)
{
    struct picture ready = picture_create(in->width, in->height, in->channels);
    double outside[4];
    size_t pixels = (size_t)in->width * in->height, channels = (size_t)in->channels;
    for (size_t i = 0; i < pixels * channels; i++)
        ready.samples[i] = in->samples[i];
    for (size_t i = 0; i < pixels; i++)
        prepare(params, ready.samples + i * channels, in->channels);
    for (size_t c = 0; c < channels; c++)
        outside[c] = params->border == ABBE_BORDER_CONSTANT ? (double)params->border_value : 0;
    prepare(params, outside, in->channels);
    struct picture out = convolve(&ready, outside, params->border, taps);
    for (size_t i = 0; i < pixels; i++)
        finish(params, out.samples + i * channels, in->channels);
    picture_free(&ready);
    return out;
}

/* ---- Against the oracle ------------------------------------------------------------------------------- */

/* Colours of 0 … 1; alpha 0 for a block of pixels, at least a quarter for the others, so that filtered by
 * positive taps it is either 0 or far above what counts as transparent. */
static struct picture translucent(int width, int height, int channels, uint64_t seed)
{
    struct picture picture = apply_noise(width, height, channels, seed, true);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double *alpha = picture_at(&picture, x, y, channels - 1);
            *alpha = x < width / 2 && y < 2 * height / 3 ? 0 : (float)(0.25 + 0.75 * *alpha);
        }
    return picture;
}

static void check_light(abbe_plan_params params, int width, int height, int channels)
{
    double values[] = { 0.05, 0.1, 0.2, 0.05, 0.3, 0.3 };
    abbe_matrix taps = { 3, 2, values };
    abbe_filter *filter = apply_kernel(&taps, NULL);
    struct picture in = translucent(width, height, channels, (uint64_t)(width + channels));
    if (params.precision == ABBE_PRECISION_DOUBLE)
        params.source_type = params.result_type = ABBE_F64;
    struct picture got = apply(device, params, filter, &in), expected = expected_light(&params, &in, &taps);
    /* The curve's slope is 12.92 near black; the smallest alpha is 0.05 · 0.25. */
    double allowed = params.precision == ABBE_PRECISION_DOUBLE ? 5e-15 : 5e-7;
    allowed *= params.linear_light ? 12.92 : 1;
    allowed /= params.alpha == ABBE_ALPHA_PREMULTIPLY ? 0.0125 : 1;
    if (!apply_near(&got, &expected, allowed))
        fail_msg("%d x %d x %d, method %s, border %s, alpha %d, linear %d", width, height, channels,
                 abbe_method_name(params.method), abbe_border_name(params.border), (int)params.alpha,
                 params.linear_light);
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
    abbe_filter_destroy(&filter);
}

static void light_and_alpha(void **state)
{
    (void)state;
    static const int shapes[][2] = { { 1, 1 }, { 1, 9 }, { 8, 1 }, { 9, 7 }, { 22, 19 } };
    bool slight = effort_is_slight(), on_cpu = !strcmp(abbe_device_name(device), "cpu");
    for (int number = 0; number < 3 * 2 * 6 * 4; number += slight ? 5 : 1)
        for (int shape = 0; shape < 5; shape++) {
            if (slight && shape != number / 5 % 5)
                continue;
            abbe_plan_params params = {
                .alpha = (abbe_alpha)(number % 3),
                .linear_light = number / 3 % 2,
                .border = (abbe_border)(number / 6 % 6),
                .border_value = 0.6f,
                .method = (abbe_method)(ABBE_METHOD_DIRECT + number / 36),
                .tile_width = number / 36 == 3 ? 6 : 0,
            };
            check_light(params, shapes[shape][0], shapes[shape][1], 2 + (shape + number) % 3);
            params.precision = ABBE_PRECISION_DOUBLE;
            params.border_value = 0.6;
            if (on_cpu)
                check_light(params, shapes[shape][0], shapes[shape][1], 2 + (shape + number) % 3);
        }
}

/* Pictures of 8 bits without alpha, the most common kind. A result is the nearest level, or its neighbour
 * where the exact value lies halfway. */
static void levels_in_light(void **state)
{
    (void)state;
    double values[] = { 0.05, 0.1, 0.2, 0.05, 0.3, 0.3 };
    abbe_matrix taps = { 3, 2, values };
    abbe_filter *filter = apply_kernel(&taps, NULL);
    struct picture in = apply_noise(31, 18, 3, 8, true);
    for (size_t i = 0; i < picture_count(&in); i++)
        in.samples[i] = rint(in.samples[i] * 255) / 255;
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        abbe_plan_params params = { .source_type = ABBE_U8,
                                    .result_type = ABBE_U8,
                                    .linear_light = true,
                                    .method = (abbe_method)method };
        struct picture got = apply(device, params, filter, &in),
                       expected = expected_light(&params, &in, &taps);
        if (!apply_near(&got, &expected, 0.501 / 255))
            fail_msg("method %s", abbe_method_name(params.method));
        picture_free(&got);
        picture_free(&expected);
    }
    picture_free(&in);
    abbe_filter_destroy(&filter);
}

/* ---- Fringes ------------------------------------------------------------------------------------------ */

/* An opaque coloured disc among transparent pixels of extreme colours: wherever the blurred disc is
 * visible, it has the colour of the disc. */
static void check_fringe(abbe_method method, abbe_type type, bool linear_light)
{
    enum { SIDE = 24 };
    static const double colour[] = { 0.8, 0.2, 0.4 };
    abbe_filter *blur = apply_filter("gaussian:sigma=1.5");
    struct picture in = picture_create(SIDE, SIDE, 4);
    for (int i = 0; i < SIDE * SIDE; i++) {
        bool inside = hypot(i % SIDE - 11.5, i / SIDE - 11.5) < 7;
        for (int c = 0; c < 3; c++)
            in.samples[4 * i + c] = inside ? colour[c] : type == ABBE_F32 ? 1e30 * (c - 1) : (i + c) % 2;
        in.samples[4 * i + 3] = inside;
    }
    struct picture got = apply(device,
                               (abbe_plan_params){ .source_type = type,
                                                   .result_type = ABBE_F32,
                                                   .method = method,
                                                   .alpha = ABBE_ALPHA_PREMULTIPLY,
                                                   .linear_light = linear_light },
                               blur, &in);
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int c = 0; c < 3 && got.samples[4 * i + 3] > 0.01; c++)
            if (fabs(got.samples[4 * i + c] - colour[c]) > 1e-3)
                fail_msg("%s, type %d, linear %d: colour %d at %d, %d is %g", abbe_method_name(method),
                         (int)type, linear_light, c, i % SIDE, i / SIDE, got.samples[4 * i + c]);
    picture_free(&in);
    picture_free(&got);
    abbe_filter_destroy(&blur);
}

/* Slight tests take the types in turn. */
static void no_fringes(void **state)
{
    (void)state;
    bool slight = effort_is_slight();
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++)
        for (int linear = 0; linear < 2; linear++) {
            if (!slight || (method + linear) % 2)
                check_fringe((abbe_method)method, ABBE_U8, linear);
            if (!slight || (method + linear) % 2 == 0)
                check_fringe((abbe_method)method, ABBE_F32, linear);
        }
}

/* Fully transparent results are black, in spite of rounding. */
static void transparent_is_black(void **state)
{
    (void)state;
    abbe_filter *blur = apply_filter("gaussian:sigma=1");
    struct picture in = apply_noise(33, 20, 4, 3, true), black = picture_create(33, 20, 4);
    for (int i = 0; i < 33 * 20; i++)
        in.samples[4 * i + 3] = 0;
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        abbe_plan_params params = { .method = (abbe_method)method, .alpha = ABBE_ALPHA_PREMULTIPLY };
        struct picture got = apply(device, params, blur, &in);
        assert_true(apply_near(&got, &black, 0));
        picture_free(&got);
    }
    picture_free(&in);
    picture_free(&black);
    abbe_filter_destroy(&blur);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(curve_is_srgb),   cmocka_unit_test(levels_survive_light),
    cmocka_unit_test(light_and_alpha), cmocka_unit_test(levels_in_light),
    cmocka_unit_test(no_fringes),      cmocka_unit_test(transparent_is_black),
};

TEST_MAIN_ON_DEVICE(tests, device, 1)
