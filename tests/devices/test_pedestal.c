/* Large samples that differ little: what Fourier methods subtract before they transform comes back exactly,
 * and the error is in proportion to the differences. Compared with convolution in double precision.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static abbe_device *device;

enum { WIDTH = 53, HEIGHT = 38, CHANNELS = 3 };

static const abbe_method fourier[] = { ABBE_METHOD_FFT, ABBE_METHOD_TILES };

/* GPUs get samples less the pedestal from the host, and have no outside pixel less the pedestal. */
static bool is_on_gpu(void)
{
    return strcmp(abbe_device_name(device), "cpu") != 0;
}

static bool has_outside(abbe_border border)
{
    return border == ABBE_BORDER_ZERO || border == ABBE_BORDER_CONSTANT;
}

/* Σ taps(i, j) · in(…) + offset with the filter's own taps. */
static struct picture convolve_by(const abbe_filter *filter, abbe_border border, double constant,
                                  double offset, const struct picture *in)
{
    abbe_matrix taps;
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
    struct picture out = reference_convolve(in, border, constant, &taps, taps.width / 2, taps.height / 2);
    for (size_t i = 0; i < picture_count(&out); i++)
        out.samples[i] += offset;
    abbe_matrix_free(&taps);
    return out;
}

static double largest_difference(const struct picture *a, const struct picture *b)
{
    double largest = 0;
    for (size_t i = 0; i < picture_count(a); i++) {
        double difference = fabs(a->samples[i] - b->samples[i]);
        largest = difference <= largest ? largest : difference; /* keeps a NaN */
    }
    return largest;
}

/* ---- Detail ------------------------------------------------------------------------------------------- */

/* One kind of samples around a million, in the library's unit, and the error that is allowed. */
struct large {
    abbe_type type;
    abbe_scale scale;
    double unit;    /* of a sample of 1 */
    double grain;   /* samples are multiples of this, which the type holds */
    double allowed; /* in samples: half a step of the result, and the arithmetic */
};

static const struct large larges[] = {
    { ABBE_F32, ABBE_SCALE_UNIT, 1, 1.0 / 16, 1.0 / 32 + 1e-5 },
    { ABBE_F64, ABBE_SCALE_UNIT, 1, 1.0 / 1024, 2e-5 },
    { ABBE_I32, ABBE_SCALE_VALUE, 1 / 2147483647.0, 1, 0.5 + 1e-4 },
};

static struct picture large_picture(const struct large *large, uint64_t seed)
{
    struct random random = { seed };
    struct picture picture = picture_create(WIDTH, HEIGHT, CHANNELS);
    double amplitude = large->grain < 1 ? 1 : 8;
    for (size_t i = 0; i < picture_count(&picture); i++) {
        double level = 1e6 - 250000 * (double)(i % CHANNELS);
        double detail = rint(random_signed(&random) * amplitude / large->grain) * large->grain;
        picture.samples[i] = (level + detail) * large->unit;
    }
    return picture;
}

static void detail_comes_back(void **state)
{
    (void)state;
    static const char *const filters[] = { "disk:radius=3", "gaussian:sigma=1.5", "laplacian" };
    static const abbe_border borders[] = { ABBE_BORDER_REFLECT, ABBE_BORDER_MIRROR, ABBE_BORDER_CLAMP,
                                           ABBE_BORDER_WRAP };
    for (int number = 0; number < 3 * 3 * 4 * 2; number += is_on_gpu() ? 25 : effort_is_slight() ? 5 : 1) {
        const struct large *large = &larges[number % 3];
        abbe_filter *filter = apply_filter(filters[number / 3 % 3]);
        abbe_border border = borders[number / 9 % 4];
        struct picture in = large_picture(large, (uint64_t)number);
        struct picture expected = convolve_by(filter, border, 0, 0, &in);
        struct picture got = apply(device,
                                   (abbe_plan_params){ .source_type = large->type,
                                                       .result_type = large->type,
                                                       .scale = large->scale,
                                                       .border = border,
                                                       .method = fourier[number / 36] },
                                   filter, &in);
        double error = largest_difference(&got, &expected) / large->unit;
        if (!(error <= large->allowed))
            fail_msg("%s, type %s, border %d, method %s: an error of %g where the detail is about 1",
                     filters[number / 3 % 3], abbe_type_name(large->type), (int)border,
                     abbe_method_name(fourier[number / 36]), error);
        picture_free(&in);
        picture_free(&expected);
        picture_free(&got);
        abbe_filter_destroy(&filter);
    }
}

/* ---- Constant pictures -------------------------------------------------------------------------------- */

static void constants_stay(void **state)
{
    (void)state;
    static const char *const filters[] = { "gaussian:sigma=2", "box:radius=3", "disk:radius=4" };
    for (int number = 0; number < 3 * 6 * 2 * 2; number += is_on_gpu() ? 31 : 1) {
        abbe_border border = (abbe_border)(number / 3 % 6);
        if (border == ABBE_BORDER_ZERO || (has_outside(border) && is_on_gpu()))
            continue;
        abbe_filter *filter = apply_filter(filters[number % 3]);
        bool doubles = number / 18 % 2;
        const float value = 123456.789f;
        struct picture in = picture_create(WIDTH, HEIGHT, CHANNELS);
        for (size_t i = 0; i < picture_count(&in); i++)
            in.samples[i] = doubles && !has_outside(border) ? 123456.789 : (double)value;
        abbe_type type = doubles ? ABBE_F64 : ABBE_F32;
        struct picture got = apply(device,
                                   (abbe_plan_params){ .source_type = type,
                                                       .result_type = type,
                                                       .border = border,
                                                       .border_value = value,
                                                       .method = fourier[number / 36] },
                                   filter, &in);
        for (size_t i = 0; i < picture_count(&in); i++)
            if (got.samples[i] != in.samples[i])
                fail_msg("%s, border %d, type %s: sample %zu is %.17g, not %.17g", filters[number % 3],
                         (int)border, abbe_type_name(type), i, got.samples[i], in.samples[i]);
        picture_free(&in);
        picture_free(&got);
        abbe_filter_destroy(&filter);
    }
}

/* Types of a source and of its results, and a level that both hold exactly or that F32 rounds. */
struct level {
    abbe_type source, result;
    double value;
    double allowed; /* less than a step of the results */
};

static const struct level levels[] = {
    { ABBE_F32, ABBE_F32, 0.3f, 0 },
    { ABBE_F64, ABBE_F64, 0.3, 0 },
    { ABBE_I16, ABBE_I16, -9830 / 32767.0, 1e-9 },
    { ABBE_I32, ABBE_I32, 644245094 / 2147483647.0, 1e-11 },
    { ABBE_U32, ABBE_U32, 858993459 / 4294967295.0, 1e-11 },
    /* GPUs have no pedestal for the types below. */
    { ABBE_U8, ABBE_U8, 77 / 255.0, 1e-9 },
    { ABBE_U16, ABBE_U16, 20000 / 65535.0, 1e-9 },
    { ABBE_F16, ABBE_F16, 1365 / 4096.0, 0 },
    { ABBE_U8, ABBE_F32, 77 / 255.0, 1e-7 },
    { ABBE_U16, ABBE_U8, 51 / 255.0, 1e-9 },
    { ABBE_U8, ABBE_U16, 77 / 255.0, 1e-9 },
};

enum { LEVELS = sizeof levels / sizeof *levels, LEVELS_OF_GPUS = 5 };

/* Power laws amplify the lowest frequencies by up to the square of the picture's size, and rounding errors with
 * them; a constant picture has none. */
static void amplified_constants_stay(void **state)
{
    (void)state;
    static const char *const filters[] = { "power:exponent=-1", "power:exponent=-2" };
    static const abbe_border borders[] = { ABBE_BORDER_REFLECT, ABBE_BORDER_MIRROR, ABBE_BORDER_CLAMP,
                                           ABBE_BORDER_WRAP };
    static const int sizes[][2] = { { 64, 480 }, { 233, 251 }, { 361, 105 } };
    int count = is_on_gpu() ? LEVELS_OF_GPUS : LEVELS, step = is_on_gpu() ? 61 : effort_is_slight() ? 17 : 5;
    for (int number = 0; number < 4 * 3 * 2 * count; number += step) {
        const struct level *level = &levels[number / 24];
        const int *size = sizes[number / 4 % 3];
        abbe_border border = borders[number % 4];
        abbe_filter *filter = apply_filter(filters[number / 12 % 2]);
        struct picture in = picture_create(size[0], size[1], 1 + 2 * (number % 3));
        for (size_t i = 0; i < picture_count(&in); i++)
            in.samples[i] = level->value;
        struct picture got = apply(device,
                                   (abbe_plan_params){ .source_type = level->source,
                                                       .result_type = level->result,
                                                       .border = border },
                                   filter, &in);
        for (size_t i = 0; i < picture_count(&in); i++)
            if (!(fabs(got.samples[i] - level->value) <= level->allowed))
                fail_msg("%s, %d × %d × %d, %s to %s, border %d: sample %zu is %.17g, not %.17g",
                         filters[number / 12 % 2], in.width, in.height, in.channels,
                         abbe_type_name(level->source), abbe_type_name(level->result), (int)border, i,
                         got.samples[i], level->value);
        picture_free(&in);
        picture_free(&got);
        abbe_filter_destroy(&filter);
    }
}

/* ---- What else a plan does ---------------------------------------------------------------------------- */

/* Taps whose sum is 2.5, and of an odd shape. */
static abbe_filter *gaining_filter(void)
{
    double values[] = { 0.5, -1, 0.75, 1.25, 0.5, 0.5 };
    return apply_kernel(&(abbe_matrix){ 3, 2, values }, NULL);
}

/* Outside pixels, offsets, alpha and banks. */
static void plans_are_right(void **state)
{
    (void)state;
    abbe_filter *gaining = gaining_filter(), *sobel = apply_filter("sobel"), *disk = apply_filter("disk");
    const abbe_filter *bank[3] = { gaining, sobel, disk };
    for (int number = 0; number < 6 * 3 * 2; number += is_on_gpu() ? 17 : 1) {
        abbe_border border = (abbe_border)(number % 6);
        abbe_alpha alpha = number / 6 % 3 == 1 ? ABBE_ALPHA_INDEPENDENT : ABBE_ALPHA_NONE;
        float offset = number / 6 % 3 ? 5000 : 0;
        struct picture in = large_picture(&larges[0], (uint64_t)number), got[3];
        apply_bank(device,
                   (abbe_plan_params){ .border = border,
                                       .border_value = 700000,
                                       .offset = offset,
                                       .alpha = alpha,
                                       .filters = bank,
                                       .filter_count = 3,
                                       .method = fourier[number / 18] },
                   &in, got);
        for (int r = 0; r < 3; r += 2) {
            struct picture expected = convolve_by(bank[r], border, border == ABBE_BORDER_ZERO ? 0 : 700000, 0,
                                                  &in);
            for (size_t i = 0; i < picture_count(&in); i++)
                if (alpha == ABBE_ALPHA_NONE || i % CHANNELS < CHANNELS - 1)
                    expected.samples[i] += (double)offset;
            if (!apply_near(&got[r], &expected, trial_tolerance(5)))
                fail_msg("result %d, border %d, alpha %d, offset %g", r, (int)border, (int)alpha,
                         (double)offset);
            picture_free(&expected);
        }
        for (int r = 0; r < 3; r++)
            picture_free(&got[r]);
        picture_free(&in);
    }
    abbe_filter_destroy(&gaining);
    abbe_filter_destroy(&sobel);
    abbe_filter_destroy(&disk);
}

/* Nonfinite samples count as 0, not as the pedestal. */
static void replaced_by_zero(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("gaussian:sigma=1.5");
    for (int m = is_on_gpu(); m < 2; m++) {
        struct picture in = large_picture(&larges[0], 3);
        for (int i = 0; i < 30; i++)
            in.samples[i * 61] = i % 2 ? NAN : INFINITY;
        struct picture got = apply(device,
                                   (abbe_plan_params){ .border = ABBE_BORDER_CLAMP,
                                                       .nonfinite = ABBE_NONFINITE_ZERO,
                                                       .method = fourier[m] },
                                   filter, &in);
        for (int i = 0; i < 30; i++)
            in.samples[i * 61] = 0;
        struct picture expected = convolve_by(filter, ABBE_BORDER_CLAMP, 0, 0, &in);
        assert_true(apply_near(&got, &expected, trial_tolerance(5)));
        picture_free(&in);
        picture_free(&got);
        picture_free(&expected);
    }
    abbe_filter_destroy(&filter);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(detail_comes_back),        cmocka_unit_test(constants_stay),
    cmocka_unit_test(amplified_constants_stay), cmocka_unit_test(plans_are_right),
    cmocka_unit_test(replaced_by_zero),
};

TEST_MAIN_ON_DEVICE(tests, device, 1)
