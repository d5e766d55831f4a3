/* Numbers that come out exactly, or much closer than the bound of the norm: whole numbers, flat pictures, kernels
 * larger than the picture, and transfer functions that add up to the picture.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static abbe_device *device;

/* Taps of whole numbers whose factors are whole numbers or halves, quarters and eighths. */
static const double integer_taps[][9] = {
    { 1, 0, -1, 2, 0, -2, 1, 0, -1 },   /* Sobel */
    { 3, 10, 3, 0, 0, 0, -3, -10, -3 }, /* Scharr, along y */
    { 0, 1, 0, 1, -4, 1, 0, 1, 0 },
    { 1, 1, 1, 1, -8, 1, 1, 1, 1 },
};

/* Whole numbers stay whole numbers, in space and with F32. */
static void whole_numbers_stay(void **state)
{
    (void)state;
    struct random random = { 1 };
    struct picture in = picture_create(45, 37, 1);
    for (size_t i = 0; i < picture_count(&in); i++)
        in.samples[i] = random_int(&random, 0, 4095);
    for (size_t k = 0; k < sizeof integer_taps / sizeof *integer_taps; k++)
        for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_SEPARABLE; method++) {
            const abbe_matrix taps = { 3, 3, (double *)integer_taps[k] };
            abbe_filter *filter = apply_kernel(&taps, NULL);
            struct picture expected = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &taps, 1, 1);
            struct picture got = apply(device, (abbe_plan_params){ .method = (abbe_method)method }, filter,
                                       &in);
            if (!apply_near(&got, &expected, 0))
                fail_msg("kernel %zu, method %s", k, abbe_method_name((abbe_method)method));
            picture_free(&got);
            picture_free(&expected);
            abbe_filter_destroy(&filter);
        }
    picture_free(&in);
}

/* ---- Flat areas --------------------------------------------------------------------------------------- */

/* A sky of one level above noise. */
static struct picture sky_picture(int level, int horizon)
{
    struct random random = { (uint64_t)level };
    struct picture in = picture_create(96, 80, 1);
    for (int y = 0; y < in.height; y++)
        for (int x = 0; x < in.width; x++)
            *picture_at(&in, x, y, 0) = (y < horizon ? level : random_int(&random, 0, 255)) / 255.0;
    return in;
}

/* Filters without DC give 0 in a flat area, and 127.5 with an offset of 0.5: always 128, wherever the kernel
 * reads nothing else. */
static void flat_bytes_stay_flat(void **state)
{
    (void)state;
    static const char *const filters[] = { "laplacian",           "log:sigma=2",   "sobel:axis=x",
                                           "highpass:cutoff=0.3", "dog:sigma=1.5", "emboss,laplacian" };
    for (int number = 0; number < 6 * 4 * 2; number++) {
        abbe_method method = (abbe_method)(ABBE_METHOD_DIRECT + number / 6 % 4);
        bool in_frequency = number % 6 == 3, flat = number / 24 || in_frequency;
        if (in_frequency && method != ABBE_METHOD_FFT)
            continue;
        abbe_filter *filter = apply_filter(filters[number % 6]);
        int horizon = flat ? 80 : 50;
        struct picture in = sky_picture(30 + 3 * number, horizon);
        struct picture got = apply(
            device,
            (abbe_plan_params){
                .source_type = ABBE_U8, .result_type = ABBE_U8, .method = method, .offset = 0.5 },
            filter, &in);
        for (int y = 0; y < (flat ? 80 : horizon - 20); y++)
            for (int x = 0; x < in.width; x++)
                if (*picture_at(&got, x, y, 0) != 128 / 255.0)
                    fail_msg("%s, method %s, %s: %g at %d, %d", filters[number % 6], abbe_method_name(method),
                             flat ? "flat" : "sky", 255 * *picture_at(&got, x, y, 0), x, y);
        picture_free(&got);
        picture_free(&in);
        abbe_filter_destroy(&filter);
    }
}

/* ---- Kernels larger than the picture ------------------------------------------------------------------ */

/* The convolution of a picture with taps that are the product of their sums along rows and columns. */
static struct picture convolve_lines(const struct picture *in, abbe_border border, const abbe_matrix *taps)
{
    abbe_matrix row, column;
    assert_int_equal(abbe_matrix_create(taps->width, 1, &row), ABBE_OK);
    assert_int_equal(abbe_matrix_create(1, taps->height, &column), ABBE_OK);
    for (int j = 0; j < taps->height; j++)
        for (int i = 0; i < taps->width; i++) {
            row.values[i] += taps->values[(size_t)j * (size_t)taps->width + (size_t)i];
            column.values[j] += taps->values[(size_t)j * (size_t)taps->width + (size_t)i];
        }
    struct picture across = reference_convolve(in, border, 0, &row, taps->width / 2, 0);
    struct picture out = reference_convolve(&across, border, 0, &column, 0, taps->height / 2);
    picture_free(&across);
    abbe_matrix_free(&row);
    abbe_matrix_free(&column);
    return out;
}

/* Kernels wider than the picture, or of very many equal taps, keep a tenth of their bound in docs/maths.md, which
 * is stated for random roundings: those of equal products add up. */
static void many_taps_keep_the_bound(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        int width, height;
        abbe_border border;
    } cases[] = {
        { "gaussian:sigma=100", 64, 64, ABBE_BORDER_REFLECT },
        { "box:radius=400", 37, 24, ABBE_BORDER_WRAP },
        { "gaussian:sigma=40", 30, 41, ABBE_BORDER_MIRROR },
        { "box:radius=400", 37, 24, ABBE_BORDER_CLAMP },
        { "box:radius=60", 130, 125, ABBE_BORDER_REFLECT },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_filter *filter = apply_filter(cases[i].filter);
        struct picture in = apply_noise(cases[i].width, cases[i].height, 1, i, true);
        for (size_t k = 0; k < picture_count(&in); k++)
            in.samples[k] = (float)(0.7 + 0.01 * in.samples[k]);
        abbe_plan_params params = { .border = cases[i].border, .method = ABBE_METHOD_DIRECT };
        abbe_matrix taps;
        assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
        struct picture got = apply(device, params, filter, &in);
        struct picture expected = convolve_lines(&in, params.border, &taps);
        double error = picture_distance(&got, &expected) / picture_norm(&in);
        double bound = 0.1 * trial_bound_taps((double)taps.width * taps.height);
        if (!(error <= bound))
            fail_msg("%s, %d x %d, border %s: an error of %g; allowed are %g", cases[i].filter, in.width,
                     in.height, abbe_border_name(params.border), error, bound);
        abbe_matrix_free(&taps);
        picture_free(&got);
        picture_free(&expected);
        picture_free(&in);
        abbe_filter_destroy(&filter);
    }
}

/* Long rows and columns of equal taps keep the bound, too. The mean of a constant picture is the constant. */
static void long_lines_keep_the_bound(void **state)
{
    (void)state;
    static const char *const texts[] = { "box:width=5001:height=1", "box:width=1:height=5001",
                                         "box:width=2001:height=3" };
    bool slight = effort_is_slight(); /* direct convolution of such lines takes minutes on software drivers */
    for (int number = slight; number < 6; number += slight ? 2 : 1) {
        abbe_filter *filter = apply_filter(texts[number / 2]);
        const abbe_filter_info *kernel = abbe_filter_describe(filter);
        struct picture in = picture_create(kernel->width + 11, kernel->height + 4, 1);
        for (size_t i = 0; i < picture_count(&in); i++)
            in.samples[i] = 0.7f;
        abbe_plan_params params = { .border = ABBE_BORDER_WRAP };
        params.method = number % 2 ? ABBE_METHOD_SEPARABLE : ABBE_METHOD_DIRECT;
        struct picture got = apply(device, params, filter, &in);
        double error = picture_distance(&got, &in) / picture_norm(&in);
        double bound = trial_bound_taps((double)kernel->width * kernel->height);
        if (!(error <= bound))
            fail_msg("%s, method %s: an error of %g; allowed are %g", texts[number / 2],
                     abbe_method_name(params.method), error, bound);
        picture_free(&got);
        picture_free(&in);
        abbe_filter_destroy(&filter);
    }
}

/* The loops of a shader end after 65,535 rounds on llvmpipe, so Vulkan refuses kernels that need more. */
static void endless_kernels_are_refused(void **state)
{
    (void)state;
    if (strcmp(abbe_device_name(device), "vulkan") != 0)
        return;
    static const char *const texts[] = { "box:width=20001:height=9", "box:width=66001:height=1" };
    for (int i = 0; i < 2; i++) {
        abbe_filter *filter = apply_filter(texts[i]);
        const abbe_filter *const bank[] = { filter };
        abbe_plan_params params = { .width = 40000, .height = 10, .channels = 1, .source_type = ABBE_U8 };
        abbe_plan *plan = NULL;
        params.filters = bank, params.filter_count = 1, params.border = ABBE_BORDER_REFLECT;
        params.method = i ? ABBE_METHOD_SEPARABLE : ABBE_METHOD_DIRECT;
        test_refused("abbe_plan_create", abbe_plan_create(device, &params, &plan), ABBE_ERR_SIZE, device,
                     "the kernel has more taps than one dispatch can loop over");
        assert_null(plan);
        abbe_filter_destroy(&filter);
    }
}

/* ---- Very dark and very bright pictures --------------------------------------------------------------- */

/* The error bound is relative down to the magnitudes that abbe_plan_create states. */
static void magnitudes_keep_the_bound(void **state)
{
    (void)state;
    static const double magnitudes[] = { 1e-28, 1e28 };
    abbe_filter *filter = apply_filter("gaussian:sigma=3");
    abbe_matrix taps;
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
    for (int number = 0; number < 2 * 3; number++) {
        double magnitude = magnitudes[number % 2];
        abbe_plan_params params = { .method = (abbe_method)(ABBE_METHOD_DIRECT + number / 2) };
        struct picture in = apply_noise(90, 70, 1, (uint64_t)number, true);
        for (size_t i = 0; i < picture_count(&in); i++)
            in.samples[i] = (float)(magnitude * in.samples[i]);
        struct picture got = apply(device, params, filter, &in);
        struct picture expected = convolve_lines(&in, ABBE_BORDER_REFLECT, &taps);
        double error = picture_distance(&got, &expected) / picture_norm(&in);
        double bound = params.method == ABBE_METHOD_FFT ? trial_bound_fft(90, 70)
                                                        : trial_bound_taps((double)taps.width * taps.height);
        if (!(error <= bound))
            fail_msg("magnitude %g, method %s: an error of %g; allowed are %g", magnitude,
                     abbe_method_name(params.method), error, bound);
        picture_free(&got);
        picture_free(&expected);
        picture_free(&in);
    }
    abbe_matrix_free(&taps);
    abbe_filter_destroy(&filter);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(whole_numbers_stay),          cmocka_unit_test(flat_bytes_stay_flat),
    cmocka_unit_test(many_taps_keep_the_bound),    cmocka_unit_test(long_lines_keep_the_bound),
    cmocka_unit_test(endless_kernels_are_refused), cmocka_unit_test(magnitudes_keep_the_bound),
};

TEST_MAIN_ON_DEVICE(tests, device, 2)
