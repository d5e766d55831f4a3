/* Conversion of samples: units, rounding and saturation of U8, U16 and F16, by every method.
 *
 * Argument: DEVICE. */
#include "core/sample.h"
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static abbe_device *device;

static const abbe_method methods[] = { ABBE_METHOD_DIRECT, ABBE_METHOD_SEPARABLE, ABBE_METHOD_FFT,
                                       ABBE_METHOD_TILES };
enum { METHODS = sizeof methods / sizeof *methods };

/* ---- Halves ------------------------------------------------------------------------------------------- */

enum { HALF_INFINITY = 0x7c00, HALF_LARGEST = 0x7bff, HALF_SIGN = 0x8000 };

static bool half_is_nan(uint16_t half)
{
    return (half & 0x7fff) > HALF_INFINITY;
}

/* Samples are converted one by one and several at a time; the last of these is one of those that are left over. */
enum { SEVERAL = 9 };

static float load_half(uint16_t half)
{
    uint16_t halves[SEVERAL];
    float values[SEVERAL];
    for (int i = 0; i < SEVERAL; i++)
        halves[i] = half;
    core_load_samples(ABBE_F16, halves, values, SEVERAL);
    for (int i = 0; i < SEVERAL; i++)
        if (!half_is_nan(half) && memcmp(&values[i], &values[SEVERAL - 1], sizeof *values))
            fail_msg("half %04x is %g and %g", half, (double)values[i], (double)values[SEVERAL - 1]);
    return values[0];
}

static uint16_t store_half(float value)
{
    float values[SEVERAL];
    uint16_t halves[SEVERAL];
    for (int i = 0; i < SEVERAL; i++)
        values[i] = value;
    core_store_samples(ABBE_F16, values, halves, SEVERAL);
    for (int i = 0; i < SEVERAL; i++)
        if (!isnan(value) && halves[i] != halves[SEVERAL - 1])
            fail_msg("%.9g gives %04x and %04x", (double)value, halves[i], halves[SEVERAL - 1]);
    return halves[0];
}

static void every_half(void **state)
{
    (void)state;
    for (int i = 0; i <= UINT16_MAX; i++) {
        uint16_t half = (uint16_t)i, size = half & 0x7fff;
        float value = load_half(half);
        uint16_t back = store_half(value);
        if (half_is_nan(half)) {
            assert_true(isnan(value) && half_is_nan(back));
            continue;
        }
        if ((double)value != half_value(half) || !signbit(value) != !(half & HALF_SIGN))
            fail_msg("half %04x is %g, not %g", i, (double)value, half_value(half));
        uint16_t expected = size == HALF_INFINITY ? (uint16_t)((half & HALF_SIGN) | HALF_LARGEST) : half;
        if (back != expected)
            fail_msg("half %04x came back as %04x", i, back);
    }
}

static void assert_half(float value, int expected)
{
    uint16_t up = store_half(value), down = store_half(-value);
    if (up != expected || down != (expected | HALF_SIGN))
        fail_msg("%.9g gives %04x and its negative %04x, expected %04x", (double)value, up, down, expected);
}

/* The middle between two neighbours, which a float holds exactly, rounds to the even one; the floats next
 * to the middle round to their own sides. Neighbouring halves have neighbouring bit patterns. */
static void halves_round_to_even(void **state)
{
    (void)state;
    for (int low = 0; low < HALF_LARGEST; low++) {
        float middle = (float)((half_value((uint16_t)low) + half_value((uint16_t)(low + 1))) / 2);
        assert_half(middle, low + (low & 1));
        assert_half(nextafterf(middle, 0), low);
        assert_half(nextafterf(middle, INFINITY), low + 1);
    }
    static const float beyond[] = { 65504, 65519.996f, 65520, 65536, 1e30f, INFINITY };
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        assert_half(beyond[i], HALF_LARGEST);
    assert_half(0x1p-26f, 0);
    assert_half(0, 0);
}

/* ---- Integers ----------------------------------------------------------------------------------------- */

static int stored_level(abbe_type type, float value)
{
    uint16_t word = 0;
    unsigned char byte = 0;
    core_store_samples(type, &value, type == ABBE_U8 ? (void *)&byte : (void *)&word, 1);
    return type == ABBE_U8 ? byte : word;
}

/* Each level k loads as k / white and stores as k, as does every value that is nearer to it than to its
 * neighbours. */
static void levels_round_to_nearest(void **state)
{
    (void)state;
    static const abbe_type types[] = { ABBE_U8, ABBE_U16 };
    for (int t = 0; t < 2; t++) {
        int white = (int)type_levels(types[t]);
        for (int k = 0; k <= white; k++) {
            unsigned char byte = (unsigned char)k;
            uint16_t word = (uint16_t)k;
            float value;
            core_load_samples(types[t], t == 0 ? (void *)&byte : (void *)&word, &value, 1);
            assert_true(value == (float)k / (float)white);
            assert_int_equal(stored_level(types[t], value), k);
            assert_int_equal(stored_level(types[t], (float)((k + 0.49) / white)), k);
            assert_int_equal(stored_level(types[t], (float)((k - 0.49) / white)), k);
        }
        /* The only exact tie, half of an odd number, rounds to the even level. */
        assert_int_equal(stored_level(types[t], 0.5f), (white + 1) / 2);
    }
}

static void levels_saturate(void **state)
{
    (void)state;
    static const float dark[] = { 0, -0.0f, -1e-9f, -0.001f, -1, -1e30f, -INFINITY, NAN };
    static const float bright[] = { 1, 1.0000001f, 1.5f, 300, 1e30f, INFINITY };
    for (size_t i = 0; i < sizeof dark / sizeof *dark; i++) {
        assert_int_equal(stored_level(ABBE_U8, dark[i]), 0);
        assert_int_equal(stored_level(ABBE_U16, dark[i]), 0);
    }
    for (size_t i = 0; i < sizeof bright / sizeof *bright; i++) {
        assert_int_equal(stored_level(ABBE_U8, bright[i]), 255);
        assert_int_equal(stored_level(ABBE_U16, bright[i]), 65535);
    }
}

/* ---- Through a plan ----------------------------------------------------------------------------------- */

static struct picture all_levels(int white, int width, int height)
{
    struct picture picture = picture_create(width, height, 1);
    for (int i = 0; i < width * height; i++)
        picture.samples[i] = (double)i / white;
    return picture;
}

/* Every level of an integer type through the identity into every other type. One level of 8 bits is 257
 * levels of 16. */
static void check_units(abbe_type source, abbe_type result, abbe_method method, int width, int height)
{
    abbe_filter *identity = apply_filter("identity");
    struct picture in = all_levels(width * height - 1, width, height);
    abbe_plan_params params = { .source_type = source,
                                .result_type = result,
                                .method = method,
                                .tile_width = method == ABBE_METHOD_TILES ? 24 : 0 };
    struct picture got = apply(device, params, identity, &in);
    double allowed = result == ABBE_F16 ? 0x1p-11 : result == ABBE_F32 ? 2e-6 : 0x1p-40;
    if (!apply_near(&got, &in, allowed))
        fail_msg("types %d > %d by %s", (int)source, (int)result, abbe_method_name(method));
    picture_free(&in);
    picture_free(&got);
    abbe_filter_destroy(&identity);
}

static void units_survive(void **state)
{
    (void)state;
    static const abbe_type from_bytes[] = { ABBE_U8, ABBE_U16, ABBE_F16, ABBE_F32 };
    for (int m = 0; m < METHODS; m++) {
        for (int i = 0; i < 4; i++)
            check_units(ABBE_U8, from_bytes[i], methods[m], 32, 8);
        check_units(ABBE_F32, ABBE_U8, methods[m], 32, 8);
        check_units(ABBE_U16, ABBE_U16, methods[m], 256, 256);
        check_units(ABBE_F32, ABBE_U16, methods[m], 256, 256);
    }
}

/* A kernel of one tap; every method gives tap · sample up to rounding. */
static struct picture scaled(double tap, const struct picture *in, abbe_method method, abbe_type type)
{
    abbe_matrix taps = { 1, 1, &tap };
    abbe_filter *filter = apply_kernel(&taps, NULL);
    struct picture out = apply(device, (abbe_plan_params){ .result_type = type, .method = method }, filter,
                               in);
    abbe_filter_destroy(&filter);
    return out;
}

/* Ten times a picture of −0.5 … 0.5: most results saturate at 0 or 1. */
static void results_saturate(void **state)
{
    (void)state;
    struct picture in = apply_noise(31, 23, 3, 1, false);
    for (int m = 0; m < METHODS; m++)
        for (int type = ABBE_U8; type <= ABBE_U16; type++) {
            struct picture got = scaled(10, &in, methods[m], (abbe_type)type);
            struct picture expected = picture_create(31, 23, 3);
            for (size_t i = 0; i < 31 * 23 * 3; i++)
                expected.samples[i] = fmin(fmax(10 * in.samples[i], 0), 1);
            if (!apply_near(&got, &expected, 0.5 / type_levels((abbe_type)type) + 1e-5))
                fail_msg("saturation of type %d by %s", type, abbe_method_name(methods[m]));
            picture_free(&got);
            picture_free(&expected);
        }
    picture_free(&in);
}

/* ±100000 times a picture of −1 … 1: results are finite and at most 65504. */
static void halves_saturate(void **state)
{
    (void)state;
    struct picture in = apply_noise(16, 9, 2, 2, false);
    for (int m = 0; m < METHODS; m++) {
        struct picture got = scaled(1e5, &in, methods[m], ABBE_F16);
        struct picture expected = picture_create(16, 9, 2);
        for (size_t i = 0; i < 16 * 9 * 2; i++)
            expected.samples[i] = fmin(fmax(1e5 * in.samples[i], -65504), 65504);
        /* Half a step of the largest halves is 16. */
        if (!apply_near(&got, &expected, 16.5))
            fail_msg("saturation of F16 by %s", abbe_method_name(methods[m]));
        picture_free(&got);
        picture_free(&expected);
    }
    picture_free(&in);
}

/* A box of width × height equal taps with the sum `gain`. */
static abbe_filter *box_of(int width, int height, double gain)
{
    double values[64];
    for (int i = 0; i < width * height; i++)
        values[i] = gain / (width * height);
    return apply_kernel(&(abbe_matrix){ width, height, values }, NULL);
}

/* Black and white stay black and white up to one level: sums must not overflow arithmetic in 16 bits. */
static void check_box(int width, int height, double gain, double sample)
{
    abbe_filter *filter = box_of(width, height, gain);
    struct picture in = picture_create(37, 9, 1);
    for (size_t i = 0; i < picture_count(&in); i++)
        in.samples[i] = sample;
    for (int m = 0; m < METHODS; m++) {
        abbe_plan_params params = { .source_type = ABBE_U8, .result_type = ABBE_U8, .method = methods[m] };
        struct picture got = apply(device, params, filter, &in);
        for (size_t i = 0; i < picture_count(&got); i++)
            if (!(fabs(got.samples[i] - fmin(sample * gain, 1)) < 1.0 / 255))
                fail_msg("%d x %d taps of sum %g make level %g of %g by %s", width, height, gain,
                         255 * got.samples[i], 255 * sample, abbe_method_name(methods[m]));
        picture_free(&got);
    }
    picture_free(&in);
    abbe_filter_destroy(&filter);
}

static void gains_near_one_overflow_nothing(void **state)
{
    (void)state;
    int step = effort_is_slight() ? 3 : 1;
    for (int gain = 127; gain <= 131; gain += step)
        for (int width = 1; width <= 8; width += step)
            for (int height = 1; height <= 8; height += 3) {
                check_box(width, height, gain / 128.0, 0);
                check_box(width, height, gain / 128.0, 1);
            }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_half),      cmocka_unit_test(halves_round_to_even),
    cmocka_unit_test(units_survive),   cmocka_unit_test(levels_round_to_nearest),
    cmocka_unit_test(levels_saturate), cmocka_unit_test(results_saturate),
    cmocka_unit_test(halves_saturate), cmocka_unit_test(gains_near_one_overflow_nothing),
};

TEST_MAIN_ON_DEVICE(tests, device, 1)
