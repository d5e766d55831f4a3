/* Numbers of channels that do not fill pairs or pairs of pairs: every type, method and precision, banks
 * and magnitudes, compared with convolution in double precision.
 *
 * Arguments: DEVICE [LEFT_OUT], the name of a test to skip. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static abbe_device *device;
static bool is_gl; /* OpenGL's textures have four channels */

/* ---- One filter --------------------------------------------------------------------------------------- */

/* Single pixels, single lines, odd and even sides, primes, lengths of every radix. */
static const int shapes[][2] = { { 1, 1 },   { 1, 13 },  { 14, 1 },  { 8, 8 },  { 9, 7 },
                                 { 31, 17 }, { 48, 33 }, { 37, 64 }, { 70, 2 }, { 105, 12 } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Types and methods change with the case number, so that each shape meets both methods. */
static bool run_case(int number, int channels, const struct trial_kernel *kernel)
{
    static const abbe_type types[] = { ABBE_U8, ABBE_F32, ABBE_U16, ABBE_F16 };
    int shape = number % SHAPES;
    struct trial trial = { .seed = (uint64_t)number,
                           .width = shapes[shape][0],
                           .height = shapes[shape][1],
                           .channels = channels,
                           .source_type = types[number / 3 % 4],
                           .result_type = types[number % 4],
                           .border = number % 7 ? (abbe_border)(number % 6) : ABBE_BORDER_WRAP,
                           .border_value = number % 6 == ABBE_BORDER_CONSTANT ? 0.75f : 0,
                           .method = number / 2 % 3 ? ABBE_METHOD_FFT : ABBE_METHOD_TILES,
                           .tile_width = 1 + number % 9,
                           .tile_height = 1 + number % 5,
                           .precision = number % 5 == 3 ? ABBE_PRECISION_HALF : ABBE_PRECISION_FULL,
                           .odd_memory = number % 2 };
    struct trial_case one = trial_case_create(&trial, kernel);
    bool good = trial_run(device, &trial, kernel, &one);
    trial_case_free(&one);
    return good;
}

static void run_cases(int first, int channels, int step)
{
    struct random random = { 3 };
    struct trial_kernel kernels[] = { trial_kernel_create(3, 5, TAPS_SYMMETRIC, false, &random),
                                      trial_kernel_create(4, 3, TAPS_ANY, true, &random),
                                      trial_kernel_create(23, 19, TAPS_ANY, true, &random) };
    int failures = 0;
    for (int number = first; number < 20 * SHAPES && failures < 5; number += step)
        failures += !run_case(number, channels, &kernels[number / 4 % 3]);
    for (int i = 0; i < 3; i++)
        trial_kernel_free(&kernels[i]);
    assert_int_equal(failures, 0);
}

/* The nine slight cases meet every border, type, method and precision. */
static void three(void **state)
{
    (void)state;
    run_cases(0, 3, effort_is_slight() ? 23 : 1);
}

/* Rows so long that a workgroup cannot hold three at once, with results of whole words and others. */
static void three_in_long_rows(void **state)
{
    (void)state;
    struct random random = { 9 };
    struct trial_kernel kernel = trial_kernel_create(3, 2, TAPS_ANY, true, &random);
    static const abbe_type types[] = { ABBE_U8, ABBE_U16, ABBE_F32 };
    for (int i = 0; i < 3; i++) {
        struct trial trial = { .seed = 4,
                               .width = 4095,
                               .height = 5,
                               .channels = 3,
                               .source_type = ABBE_U8,
                               .result_type = types[i],
                               .border = ABBE_BORDER_CLAMP,
                               .method = ABBE_METHOD_FFT };
        struct trial_case one = trial_case_create(&trial, &kernel);
        assert_true(trial_run(device, &trial, &kernel, &one));
        trial_case_free(&one);
    }
    trial_kernel_free(&kernel);
}

/* 61 channels make long rows of planes side by side. The two slight cases of each number of channels meet
 * both layouts of memory, all of them together every border and all shapes but the last; 1, 6 and 61 channels
 * meet half precision. */
static void others(void **state)
{
    (void)state;
    static const int channels[] = { 1, 2, 5, 6, 7, 61 };
    bool slight = effort_is_slight();
    for (int i = 0; i < 6; i++)
        run_cases(slight ? i + 120 : i, channels[i], slight ? 43 : 7);
}

/* ---- Banks -------------------------------------------------------------------------------------------- */

static struct picture convolve(const struct picture *in, const double *values, int width, int height)
{
    abbe_matrix taps = { width, height, (double *)values };
    return reference_convolve(in, ABBE_BORDER_WRAP, 0, &taps, width / 2, height / 2);
}

/* √(a² + b²) of the horizontal and vertical gradients, each smoothed by 1 2 1. */
static struct picture gradient(const struct picture *in)
{
    static const double across[] = { 1, 0, -1, 2, 0, -2, 1, 0, -1 },
                        down[] = { 1, 2, 1, 0, 0, 0, -1, -2, -1 };
    struct picture a = convolve(in, across, 3, 3), b = convolve(in, down, 3, 3);
    for (size_t i = 0; i < picture_count(&a); i++)
        a.samples[i] = hypot(a.samples[i], b.samples[i]);
    picture_free(&b);
    return a;
}

/* A bank with real and complex H; its second result has two components. */
static void check_bank(int width, int height, int channels, abbe_method method)
{
    enum { BANK = 3 };
    double even[] = { 0.125, 0.5, 0.375 }, odd[] = { 0.25, -0.5, 0.75, 0.125 };
    abbe_filter *filters[BANK] = { apply_kernel(&(abbe_matrix){ 3, 1, even }, NULL), apply_filter("sobel"),
                                   apply_kernel(&(abbe_matrix){ 1, 4, odd }, NULL) };
    struct picture in = apply_noise(width, height, channels, (uint64_t)(width * height), true), got[BANK];
    struct picture expected[BANK] = { convolve(&in, even, 3, 1), gradient(&in), convolve(&in, odd, 1, 4) };
    apply_bank(device,
               (abbe_plan_params){ .filters = (const abbe_filter *const *)filters,
                                   .filter_count = BANK,
                                   .border = ABBE_BORDER_WRAP,
                                   .method = method },
               &in, got);
    for (int i = 0; i < BANK; i++) {
        if (!apply_near(&got[i], &expected[i], 2e-5))
            fail_msg("%d x %d x %d, method %s, result %d", width, height, channels, abbe_method_name(method),
                     i + 1);
        picture_free(&got[i]);
        picture_free(&expected[i]);
        abbe_filter_destroy(&filters[i]);
    }
    picture_free(&in);
}

/* Slight tests take the methods in turn for 1, 3, 5 and 7 channels. */
static void banks(void **state)
{
    (void)state;
    bool slight = effort_is_slight();
    for (int channels = 1; channels <= 7; channels += slight ? 2 : 1) {
        if (channels != 4 && (!slight || channels % 4 == 1))
            check_bank(21, 16 + channels, channels, ABBE_METHOD_FFT);
        if (channels != 4 && (!slight || channels % 4 == 3))
            check_bank(40, 30, channels, ABBE_METHOD_TILES);
    }
}

/* Lengths of which a workgroup holds few columns or only one row. */
static void tall_and_wide(void **state)
{
    (void)state;
    bool slight = effort_is_slight(); /* one wide bank and two tall ones */
    for (int channels = slight ? 3 : 1; channels <= 3; channels++) {
        if (!slight)
            check_bank(9, 2050, channels, ABBE_METHOD_FFT);
        check_bank(4100, 5, channels, ABBE_METHOD_FFT);
    }
    check_bank(7, 1151, 3, ABBE_METHOD_FFT); /* a prime */
    if (!slight)
        check_bank(1024, 9, 4, ABBE_METHOD_FFT);
    check_bank(9, 4096, 4, ABBE_METHOD_FFT);
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

static double bytes_of(int channels, abbe_type type)
{
    abbe_filter *blur = apply_filter("box:radius=2");
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = 512,
                                                              .height = 512,
                                                              .channels = channels,
                                                              .source_type = type,
                                                              .result_type = type,
                                                              .filters = (const abbe_filter *const[]){ blur },
                                                              .filter_count = 1,
                                                              .border = ABBE_BORDER_WRAP,
                                                              .method = ABBE_METHOD_FFT });
    double bytes = (double)abbe_plan_choice(plan)->bytes;
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&blur);
    return bytes;
}

/* The memory would show an empty fourth channel. GPUs that are faster with one have it. */
static void three_take_less_than_four(void **state)
{
    (void)state;
    bool is_vulkan = !strcmp(abbe_device_name(device), "vulkan"),
         is_cuda = !strcmp(abbe_device_name(device), "cuda");
    bool has_few = strstr(abbe_device_detail(device), "llvmpipe") && !getenv("ABBE_VULKAN_ELEMENTS");
    if (is_gl || is_cuda || (is_vulkan && !has_few))
        skip();
    double three_bytes = bytes_of(3, ABBE_U8), four_bytes = bytes_of(4, ABBE_U8);
    if (three_bytes > 0.8 * four_bytes)
        fail_msg("three channels take %g bytes, four %g", three_bytes, four_bytes);
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 2);
    is_gl = argc > 1 && !strncmp(argv[1], "gl", 2);
    cmocka_set_skip_filter(argc > 2 ? argv[2] : NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three),         cmocka_unit_test(three_in_long_rows),
        cmocka_unit_test(others),        cmocka_unit_test(banks),
        cmocka_unit_test(tall_and_wide), cmocka_unit_test(three_take_less_than_four),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failures;
}
