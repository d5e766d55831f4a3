/* Every public function with every kind of bad input returns a specific error with a message that names
 * the argument, writes nothing, and leaves its objects usable.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/test.h"

#include <abbe/measure.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 8, HEIGHT = 6, CHANNELS = 2, SAMPLES = WIDTH * HEIGHT * CHANNELS, UNKNOWN_VALUES = 5 };

static abbe_device *device;
static abbe_filter *blur, *low, *full; /* separable, a transfer function, a kernel of full rank */
static abbe_matrix taps;               /* of `full` */
static float source_pixels[SAMPLES], result_pixels[2 * SAMPLES];
static const int unknown_values[UNKNOWN_VALUES] = { -1, 1000, INT_MAX, INT_MIN, 0x7f00 };

static void gain_nan(void *user, double fx, double fy, double gain[2])
{
    (void)user;
    gain[0] = fx > 0.2 && fy > 0.2 ? NAN : 1;
    gain[1] = 0;
}

static int make_filters(void **state)
{
    (void)state;
    struct random random = { 4 };
    assert_int_equal(abbe_matrix_create(10, 10, &taps), ABBE_OK);
    for (int i = 0; i < 100; i++)
        taps.values[i] = random_signed(&random);
    for (int i = 0; i < SAMPLES; i++)
        source_pixels[i] = (float)random_unit(&random);
    blur = apply_filter("gaussian:sigma=1");
    low = apply_filter("lowpass");
    full = apply_kernel(&taps, NULL);
    return 0;
}

static int free_filters(void **state)
{
    (void)state;
    abbe_filter_destroy(&blur);
    abbe_filter_destroy(&low);
    abbe_filter_destroy(&full);
    abbe_matrix_free(&taps);
    return 0;
}

/* ---- Plans -------------------------------------------------------------------------------------------- */

static abbe_plan_params sound_params(void)
{
    static const abbe_filter *bank[1];
    bank[0] = blur;
    return (abbe_plan_params){ .width = WIDTH,
                               .height = HEIGHT,
                               .channels = CHANNELS,
                               .source_type = ABBE_F32,
                               .result_type = ABBE_F32,
                               .filters = bank,
                               .filter_count = 1 };
}

static void refuse_plan(const char *what, const abbe_plan_params *params, int expected, const char *says)
{
    static char somewhere;
    abbe_plan *const untouched = (abbe_plan *)&somewhere, *plan = untouched;
    test_refused(what, abbe_plan_create(device, params, &plan), expected, device, says);
    assert_ptr_equal(plan, untouched);
}

#define FIELD(name) #name, offsetof(abbe_plan_params, name)

static void numbers_of_plans(void **state)
{
    (void)state;
    const struct {
        const char *name;
        size_t offset;
        int value, code;
        const char *says;
    } cases[] = {
        { FIELD(width), 0, ABBE_ERR_INVALID, "size 0 x 6" },
        { FIELD(width), -8, ABBE_ERR_INVALID, "size -8 x 6" },
        { FIELD(width), INT_MIN, ABBE_ERR_INVALID, "size -2147483648 x 6" },
        { FIELD(width), INT_MAX, ABBE_ERR_SIZE, "size 2147483647 x 6" },
        { FIELD(width), ABBE_SIDE_MAX + 1, ABBE_ERR_SIZE, "limit of 1073741824" },
        { FIELD(height), 0, ABBE_ERR_INVALID, "size 8 x 0" },
        { FIELD(height), -1, ABBE_ERR_INVALID, "size 8 x -1" },
        { FIELD(height), INT_MIN, ABBE_ERR_INVALID, "size 8 x -2147483648" },
        { FIELD(height), INT_MAX, ABBE_ERR_SIZE, "size 8 x 2147483647" },
        { FIELD(channels), 0, ABBE_ERR_INVALID, "0 channels" },
        { FIELD(channels), 65, ABBE_ERR_INVALID, "65 channels" },
        { FIELD(channels), -1, ABBE_ERR_INVALID, "-1 channels" },
        { FIELD(channels), INT_MIN, ABBE_ERR_INVALID, "channels" },
        { FIELD(source_type), 0, ABBE_ERR_INVALID, "source: unknown sample type 0" },
        { FIELD(result_type), 9, ABBE_ERR_INVALID, "result: unknown sample type 9" },
        { FIELD(source_type), 9, ABBE_ERR_INVALID, "source: unknown sample type 9" },
        { FIELD(scale), 2, ABBE_ERR_INVALID, "unknown scale 2" },
        { FIELD(border), 6, ABBE_ERR_INVALID, "unknown border 6" },
        { FIELD(method), 5, ABBE_ERR_INVALID, "unknown method 5" },
        { FIELD(alpha), 3, ABBE_ERR_INVALID, "unknown alpha treatment 3" },
        { FIELD(nonfinite), 3, ABBE_ERR_INVALID, "non-finite samples 3" },
        { FIELD(tile_width), -1, ABBE_ERR_INVALID, "tile of -1 x 0" },
        { FIELD(tile_height), INT_MIN, ABBE_ERR_INVALID, "tile of 0 x -2147483648" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_plan_params params = sound_params();
        memcpy((char *)&params + cases[i].offset, &cases[i].value, sizeof(int));
        refuse_plan(cases[i].name, &params, cases[i].code, cases[i].says);
    }
    const struct {
        const char *name;
        size_t offset;
        const char *says;
    } choices[] = { { FIELD(source_type), "source" }, { FIELD(result_type), "result" },
                    { FIELD(border), "border" },      { FIELD(method), "method" },
                    { FIELD(alpha), "alpha" },        { FIELD(nonfinite), "non-finite" } };
    for (int i = 0; i < 6 * UNKNOWN_VALUES; i++) {
        abbe_plan_params params = sound_params();
        memcpy((char *)&params + choices[i / UNKNOWN_VALUES].offset, &unknown_values[i % UNKNOWN_VALUES],
               sizeof(int));
        refuse_plan(choices[i / UNKNOWN_VALUES].name, &params, ABBE_ERR_INVALID,
                    choices[i / UNKNOWN_VALUES].says);
    }
}

static void banks_and_pointers_of_plans(void **state)
{
    (void)state;
    static const abbe_filter *many[1025];
    abbe_plan_params params = sound_params();
    abbe_plan *plan = NULL;
    test_refused("no device", abbe_plan_create(NULL, &params, &plan), ABBE_ERR_INVALID, NULL, "device");
    assert_null(plan);
    test_refused("no plan", abbe_plan_create(device, &params, NULL), ABBE_ERR_INVALID, device, "plan");
    refuse_plan("no parameters", NULL, ABBE_ERR_INVALID, "params");
    params.filter_count = 0;
    refuse_plan("a bank of none", &params, ABBE_ERR_INVALID, "no filter");
    params = sound_params();
    params.filters = NULL;
    refuse_plan("no bank", &params, ABBE_ERR_INVALID, "no filter");
    params.filters = (const abbe_filter *const[]){ blur, blur, NULL };
    params.filter_count = 3;
    refuse_plan("a hole in the bank", &params, ABBE_ERR_INVALID, "filter 3");
    params.filters = many;
    params.filter_count = 1025;
    refuse_plan("too large a bank", &params, ABBE_ERR_SIZE, "1025 filters");
    params.filter_count = SIZE_MAX;
    refuse_plan("too large a bank", &params, ABBE_ERR_SIZE, "filters");
}

static void values_of_plans(void **state)
{
    (void)state;
    const float wild[] = { NAN, INFINITY, -INFINITY };
    abbe_plan *plan = NULL;
    for (int i = 0; i < 3; i++) {
        abbe_plan_params params = sound_params();
        params.border_value = wild[i];
        assert_int_equal(abbe_plan_create(device, &params, &plan), ABBE_OK); /* REFLECT does not use it */
        abbe_plan_destroy(&plan);
        params.border = ABBE_BORDER_CONSTANT;
        refuse_plan("constant", &params, ABBE_ERR_NONFINITE, "constant");
    }
    abbe_plan_params params = sound_params();
    params.channels = 1;
    params.alpha = ABBE_ALPHA_PREMULTIPLY;
    refuse_plan("alpha alone", &params, ABBE_ERR_INVALID, "alpha");
    params.alpha = ABBE_ALPHA_INDEPENDENT;
    refuse_plan("alpha alone", &params, ABBE_ERR_INVALID, "alpha");
    params = sound_params();
    params.width = params.height = ABBE_SIDE_MAX;
    refuse_plan("too many samples", &params, ABBE_ERR_SIZE, "cannot be addressed");
}

static void methods_that_cannot(void **state)
{
    (void)state;
    const struct {
        abbe_method method;
        const abbe_filter *filter;
        const char *says;
    } cases[] = {
        { ABBE_METHOD_DIRECT, low, "method direct: a transfer function" },
        { ABBE_METHOD_SEPARABLE, low, "method separable: a transfer function" },
        { ABBE_METHOD_TILES, low, "method tiles: a transfer function" },
        { ABBE_METHOD_SEPARABLE, full, "method separable: the kernel" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_plan_params params = sound_params();
        params.method = cases[i].method;
        params.filters = (const abbe_filter *const[]){ blur, cases[i].filter };
        params.filter_count = 2;
        refuse_plan(abbe_method_name(cases[i].method), &params, ABBE_ERR_UNSUPPORTED, cases[i].says);
    }
}

static void gains_that_are_not_finite(void **state)
{
    (void)state;
    abbe_filter *sick = NULL;
    assert_int_equal(abbe_filter_from_transfer(gain_nan, NULL, &sick), ABBE_OK);
    for (int border = ABBE_BORDER_REFLECT; border <= ABBE_BORDER_WRAP; border++) {
        abbe_plan_params params = sound_params();
        params.border = (abbe_border)border;
        params.filters = (const abbe_filter *const[]){ blur, sick };
        params.filter_count = 2;
        refuse_plan(abbe_border_name(params.border), &params, ABBE_ERR_NONFINITE, "filter 2");
    }
    abbe_filter_destroy(&sick);
}

/* ---- Runs --------------------------------------------------------------------------------------------- */

static abbe_image view_of(float *pixels)
{
    return (abbe_image){ .data = pixels,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .channels = CHANNELS,
                         .stride = WIDTH * CHANNELS * 4,
                         .type = ABBE_F32 };
}

static void refuse_run(const char *what, const abbe_plan *plan, const abbe_image *source,
                       const abbe_image *results, int expected, const char *says)
{
    float before[2 * SAMPLES];
    memcpy(before, result_pixels, sizeof before);
    test_refused(what, abbe_run(plan, source, results), expected, plan ? device : NULL, says);
    assert_memory_equal(before, result_pixels, sizeof before);
}

/* One wrong member of a view, in the source and in the second result; both must be checked. */
static void refuse_view(const abbe_plan *plan, abbe_image wrong, int expected, const char *says)
{
    abbe_image good = view_of(source_pixels);
    abbe_image results[2] = { view_of(result_pixels), view_of(result_pixels + SAMPLES) };
    char message[128];
    snprintf(message, sizeof message, "source: %s", says);
    refuse_run("source", plan, &wrong, results, expected, message);
    snprintf(message, sizeof message, "result 2: %s", says);
    if (wrong.data)
        wrong.data = results[1].data;
    results[1] = wrong;
    refuse_run("result", plan, &good, results, expected, message);
}

static void views_of_runs(void **state)
{
    (void)state;
    abbe_plan_params params = sound_params();
    params.filters = (const abbe_filter *const[]){ blur, full };
    params.filter_count = 2;
    abbe_plan *plan = apply_plan(device, &params);
    const ptrdiff_t row = WIDTH * CHANNELS * 4;
    const struct {
        abbe_image view;
        int code;
        const char *says;
    } cases[] = {
        { { { NULL }, WIDTH, HEIGHT, CHANNELS, row, ABBE_F32 }, ABBE_ERR_INVALID, "data is NULL" },
        { { { source_pixels }, 0, HEIGHT, CHANNELS, row, ABBE_F32 }, ABBE_ERR_INVALID, "size 0 x 6" },
        { { { source_pixels }, WIDTH, -1, CHANNELS, row, ABBE_F32 }, ABBE_ERR_INVALID, "size 8 x -1" },
        { { { source_pixels }, INT_MAX, HEIGHT, CHANNELS, row, ABBE_F32 }, ABBE_ERR_SIZE, "size 2147483647" },
        { { { source_pixels }, WIDTH, HEIGHT, 0, row, ABBE_F32 }, ABBE_ERR_INVALID, "0 channels" },
        { { { source_pixels }, WIDTH, HEIGHT, 65, row, ABBE_F32 }, ABBE_ERR_INVALID, "65 channels" },
        { { { source_pixels }, WIDTH, HEIGHT, CHANNELS, row, (abbe_type)9 },
          ABBE_ERR_INVALID,
          "unknown sample type 9" },
        { { { source_pixels }, WIDTH, HEIGHT, CHANNELS, row - 1, ABBE_F32 },
          ABBE_ERR_INVALID,
          "a stride of 63" },
        { { { source_pixels }, WIDTH, HEIGHT, CHANNELS, 0, ABBE_F32, 5, 0 },
          ABBE_ERR_INVALID,
          "a pixel_stride of 5" },
        { { { source_pixels }, WIDTH, HEIGHT, CHANNELS, 0, ABBE_F32, 0, 8 },
          ABBE_ERR_INVALID,
          "a channel_stride of 8" },
        { { { source_pixels }, WIDTH, HEIGHT, CHANNELS, 0, ABBE_F32, 0, PTRDIFF_MIN },
          ABBE_ERR_SIZE,
          "2 steps by a channel_stride" },
        { { { source_pixels }, WIDTH, HEIGHT, CHANNELS, 1 - row, ABBE_F32 },
          ABBE_ERR_INVALID,
          "a stride of -63" },
        { { { source_pixels }, WIDTH, HEIGHT, CHANNELS, PTRDIFF_MAX, ABBE_F32 },
          ABBE_ERR_SIZE,
          "6 steps by a stride" },
        { { { source_pixels }, WIDTH, HEIGHT, CHANNELS, PTRDIFF_MIN, ABBE_F32 },
          ABBE_ERR_SIZE,
          "6 steps by a stride" },
        { { { source_pixels }, WIDTH, HEIGHT, CHANNELS, PTRDIFF_MAX / 5, ABBE_F32 },
          ABBE_ERR_SIZE,
          "6 steps" },
        { { { source_pixels }, WIDTH - 1, HEIGHT, CHANNELS, row, ABBE_F32 },
          ABBE_ERR_INVALID,
          "7 x 6 with 2" },
        { { { source_pixels }, WIDTH, HEIGHT - 1, CHANNELS, row, ABBE_F32 },
          ABBE_ERR_INVALID,
          "8 x 5 with 2" },
        { { { source_pixels }, WIDTH, HEIGHT, CHANNELS - 1, row, ABBE_F32 },
          ABBE_ERR_INVALID,
          "8 x 6 with 1" },
        { { { source_pixels }, WIDTH, HEIGHT, CHANNELS, row, ABBE_U8 },
          ABBE_ERR_INVALID,
          "its samples are u8, but the plan is for f32" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse_view(plan, cases[i].view, cases[i].code, cases[i].says);
    abbe_image source = view_of(source_pixels),
               results[2] = { view_of(result_pixels), view_of(result_pixels) };
    refuse_run("no plan", NULL, &source, results, ABBE_ERR_INVALID, "plan");
    refuse_run("no source", plan, NULL, results, ABBE_ERR_INVALID, "source: view is NULL");
    refuse_run("no results", plan, &source, NULL, ABBE_ERR_INVALID, "results: view is NULL");
    refuse_run("twice the same result", plan, &source, results, ABBE_ERR_INVALID,
               "result 2 overlaps result 1");
    results[1] = view_of(result_pixels + SAMPLES / 2);
    refuse_run("results that overlap", plan, &source, results, ABBE_ERR_INVALID,
               "result 2 overlaps result 1");
    results[1] = view_of(source_pixels + 4);
    refuse_run("a result on the source", plan, &source, results, ABBE_ERR_INVALID,
               "result 2 overlaps the source");
    results[1] = view_of(result_pixels + SAMPLES);
    assert_int_equal(abbe_run(plan, &source, results), ABBE_OK);
    abbe_plan_destroy(&plan);
}

static void samples_that_are_not_finite(void **state)
{
    (void)state;
    const float wild[] = { NAN, INFINITY, -INFINITY };
    for (int method = ABBE_METHOD_AUTO; method <= ABBE_METHOD_TILES; method++) {
        abbe_plan_params params = sound_params();
        params.method = (abbe_method)method;
        abbe_plan *plan = apply_plan(device, &params);
        abbe_image source = view_of(source_pixels), result = view_of(result_pixels);
        for (int i = 0; i < 3; i++) {
            float kept = source_pixels[(3 * WIDTH + 5) * CHANNELS + 1];
            source_pixels[(3 * WIDTH + 5) * CHANNELS + 1] = wild[i];
            refuse_run("a wild sample", plan, &source, &result, ABBE_ERR_NONFINITE, "x 5, y 3, channel 1");
            source_pixels[(3 * WIDTH + 5) * CHANNELS + 1] = kept;
        }
        assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
        abbe_plan_destroy(&plan);
    }
}

/* A kernel larger than the picture is allowed: every border defines the samples that it reads. */
static void kernels_larger_than_the_picture(void **state)
{
    (void)state;
    struct picture in = apply_noise(3, 2, 1, 1, false);
    for (int border = ABBE_BORDER_REFLECT; border <= ABBE_BORDER_WRAP; border++)
        for (int method = ABBE_METHOD_AUTO; method <= ABBE_METHOD_TILES; method++) {
            if (method == ABBE_METHOD_SEPARABLE)
                continue;
            abbe_plan_params params = { .border = (abbe_border)border, .method = (abbe_method)method };
            struct picture got = apply(device, params, full, &in);
            struct picture right = reference_convolve(&in, (abbe_border)border, 0, &taps, 5, 5);
            if (!apply_near(&got, &right, 1e-4))
                fail_msg("%s, %s", abbe_border_name(params.border), abbe_method_name(params.method));
            picture_free(&got);
            picture_free(&right);
        }
    picture_free(&in);
}

static void explanations(void **state)
{
    (void)state;
    abbe_plan_params params = sound_params();
    abbe_plan *plan = apply_plan(device, &params);
    size_t count = 99;
    assert_null(abbe_plan_explain(NULL, &count));
    assert_int_equal(count, 0);
    assert_ptr_equal(abbe_plan_explain(plan, NULL), abbe_plan_explain(plan, &count));
    assert_true(count > 0 && abbe_plan_explain(plan, NULL)[count - 1]);
    assert_null(abbe_plan_choice(NULL));
    assert_true(abbe_plan_choice(plan)->chosen);
    assert_true(abbe_plan_memory(NULL) == 0 && abbe_plan_memory(plan) >= abbe_plan_choice(plan)->bytes);
    assert_null(abbe_plan_charges(NULL, ABBE_METHOD_FFT, &count));
    assert_int_equal(count, 0);
    assert_null(abbe_plan_charges(plan, ABBE_METHOD_AUTO, &count));
    assert_null(abbe_plan_charges(plan, (abbe_method)INT_MAX, NULL));
    abbe_plan_destroy(&plan);
    abbe_plan_destroy(&plan);
    abbe_plan_destroy(NULL);
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_plans),
        cmocka_unit_test(banks_and_pointers_of_plans),
        cmocka_unit_test(values_of_plans),
        cmocka_unit_test(methods_that_cannot),
        cmocka_unit_test(gains_that_are_not_finite),
        cmocka_unit_test(views_of_runs),
        cmocka_unit_test(samples_that_are_not_finite),
        cmocka_unit_test(kernels_larger_than_the_picture),
        cmocka_unit_test(explanations),
    };
    int failures = cmocka_run_group_tests(tests, make_filters, free_filters);
    abbe_device_close(&device);
    return failures;
}
