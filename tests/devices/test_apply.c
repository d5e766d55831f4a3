/* abbe_apply: the results of the oracle, the plans that it keeps and releases, bad input, no memory.
 *
 * Argument: DEVICE. */
#include "device/device.h"
#include "support/apply.h"
#include "support/faults.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 31, HEIGHT = 40, CHANNELS = 3, SAMPLES = WIDTH * HEIGHT * CHANNELS, BORDERS = 6, SHAPES = 24 };

static const char BOX[] = "box:radius=1";

static abbe_device *device;
static float pixels[SAMPLES];
static struct picture expected[SHAPES + 1]; /* of the first rows 1 … SHAPES, border reflect */

static bool is_on_cpu(void)
{
    return !strcmp(abbe_device_name(device), "cpu");
}

static abbe_image view_of(void *samples, int height, abbe_type type)
{
    return (
        abbe_image){ .data = samples, .width = WIDTH, .height = height, .channels = CHANNELS, .type = type };
}

/* The mean of 3 × 3 pixels in the first rows of the picture, by its definition. */
static struct picture mean_of_rows(int height, abbe_border border)
{
    double taps[9];
    for (int i = 0; i < 9; i++)
        taps[i] = 1 / 9.0;
    struct picture in = picture_create(WIDTH, height, CHANNELS);
    for (size_t i = 0; i < picture_count(&in); i++)
        in.samples[i] = (double)pixels[i];
    struct picture mean = reference_convolve(&in, border, 0, &(abbe_matrix){ 3, 3, taps }, 1, 1);
    picture_free(&in);
    return mean;
}

static bool is_near(const float *result, const struct picture *exact)
{
    for (size_t i = 0; i < picture_count(exact); i++)
        if (!(fabs((double)result[i] - exact->samples[i]) <= trial_tolerance(2e-6)))
            return false;
    return true;
}

/* Filters the first rows; whether the result is right. */
static bool apply_rows(abbe_device *used, int height)
{
    float out[SAMPLES] = { 0 };
    abbe_image source = view_of(pixels, height, ABBE_F32), result = view_of(out, height, ABBE_F32);
    return !abbe_apply(used, BOX, ABBE_BORDER_REFLECT, &source, &result) && is_near(out, &expected[height]);
}

/* Whether the plan for the first rows is kept: a call that needs no memory finds it. */
static bool is_kept(abbe_device *used, int height)
{
    faults_arm(0, true);
    bool right = apply_rows(used, height);
    return !faults_disarm() && right;
}

/* ---- Results ------------------------------------------------------------------------------------------ */

static void agrees_with_the_oracle(void **state)
{
    (void)state;
    for (int border = 0; border < BORDERS; border += is_on_cpu() ? 1 : BORDERS) {
        struct picture exact = mean_of_rows(HEIGHT, (abbe_border)border);
        for (int shared = 0; shared < 2; shared++) {
            float out[SAMPLES];
            abbe_image source = view_of(pixels, HEIGHT, ABBE_F32), result = view_of(out, HEIGHT, ABBE_F32);
            abbe_device *used = shared ? NULL : device;
            for (int call = 0; call < 2; call++) {
                memset(out, 0, sizeof out);
                assert_int_equal(abbe_apply(used, BOX, (abbe_border)border, &source, &result), ABBE_OK);
                assert_true(is_near(out, &exact));
            }
            memcpy(out, pixels, sizeof out);
            assert_int_equal(abbe_apply(used, BOX, (abbe_border)border, &result, &result), ABBE_OK);
            assert_true(is_near(out, &exact));
        }
        picture_free(&exact);
    }
}

/* The types of source and result differ; a plan of other types is another plan. */
static void converts(void **state)
{
    (void)state;
    uint8_t bytes[SAMPLES], byte_result[SAMPLES];
    float floats[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        bytes[i] = (uint8_t)(i * 37 % 251);
    abbe_image source = view_of(bytes, HEIGHT, ABBE_U8), result = view_of(floats, HEIGHT, ABBE_F32);
    assert_int_equal(abbe_apply(device, "identity", ABBE_BORDER_ZERO, &source, &result), ABBE_OK);
    for (int i = 0; i < SAMPLES; i++)
        assert_true(fabs((double)floats[i] - bytes[i] / 255.0) <= trial_tolerance(1e-6));
    result = view_of(byte_result, HEIGHT, ABBE_U8);
    assert_int_equal(abbe_apply(device, "identity", ABBE_BORDER_ZERO, &source, &result), ABBE_OK);
    assert_memory_equal(byte_result, bytes, sizeof bytes);
}

/* ---- Plans that are kept ------------------------------------------------------------------------------ */

static void keeps_the_plans_used_last(void **state)
{
    (void)state;
    if (!is_on_cpu() || strstr(abbe_device_detail(device), "plain"))
        return; /* GPUs allocate in their drivers, and the plain loops in each run */
    for (int shared = 0; shared < 2; shared++) {
        abbe_device *used = shared ? NULL : device;
        abbe_apply_clear(used);
        for (int height = 1; height <= SHAPES; height++) {
            assert_true(apply_rows(used, height));
            assert_true(apply_rows(used, 3)); /* stays in use */
        }
        assert_true(is_kept(used, 3));
        for (int height = SHAPES; height > SHAPES - 15; height--)
            assert_true(is_kept(used, height));
        assert_false(is_kept(used, 1));
        assert_false(is_kept(used, SHAPES - 15));
        abbe_apply_clear(used);
        assert_false(is_kept(used, 3));
    }
}

/* Plans that take too much of the device's memory are released after the call. */
static void keeps_few_bytes(void **state)
{
    (void)state;
    if (!is_on_cpu())
        return;
    abbe_device *small = NULL;
    assert_int_equal(abbe_device_open(NULL, &(abbe_device_params){ .threads = 1 }, &small), ABBE_OK);
    assert_true(apply_rows(small, 5));
    abbe_apply_clear(small);
    abbe_filter *box = apply_filter(BOX);
    abbe_plan *plan = apply_plan(small, &(abbe_plan_params){ .width = WIDTH,
                                                             .height = 5,
                                                             .channels = CHANNELS,
                                                             .source_type = ABBE_F32,
                                                             .filters = (const abbe_filter *const *)&box,
                                                             .filter_count = 1 });
    small->memory = 2 * abbe_plan_choice(plan)->bytes; /* enough for a run */
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&box);
    size_t live = faults_live();
    assert_true(apply_rows(small, 5));
    assert_int_equal(faults_live(), live);
    abbe_device_close(&small);
}

/* Closing a device, and clearing, release everything. */
static void releases_all(void **state)
{
    (void)state;
    if (!is_on_cpu())
        return;
    abbe_apply_clear(NULL);
    size_t live = faults_live();
    abbe_device *other = NULL;
    assert_int_equal(abbe_device_open("cpu", NULL, &other), ABBE_OK);
    assert_true(apply_rows(other, 7) && apply_rows(other, 8));
    abbe_device_close(&other);
    assert_true(apply_rows(NULL, 7) && apply_rows(NULL, 8));
    abbe_apply_clear(NULL);
    abbe_apply_clear(NULL);
    assert_int_equal(faults_live(), live);
}

/* ---- Time --------------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of what abbe_apply takes more than abbe_run, turn by turn, on 64 × 64 pixels. */
static double extra_seconds(const abbe_plan *plan, const abbe_image *source, const abbe_image *result)
{
    enum { TURNS = 501 };
    double times[TURNS];
    for (int i = 0; i < TURNS; i++) {
        double start = seconds_now();
        assert_int_equal(abbe_run(plan, source, result), ABBE_OK);
        double middle = seconds_now();
        assert_int_equal(abbe_apply(device, BOX, ABBE_BORDER_REFLECT, source, result), ABBE_OK);
        times[i] = seconds_now() - middle - (middle - start);
    }
    qsort(times, TURNS, sizeof *times, compare_times);
    return times[TURNS / 2];
}

static void takes_little_more_time(void **state)
{
    (void)state;
    static uint8_t bytes[2][64 * 64];
    abbe_image source = { .data = bytes[0], .width = 64, .height = 64, .channels = 1, .type = ABBE_U8 };
    abbe_image result = source;
    result.data = bytes[1];
    abbe_filter *box = apply_filter(BOX);
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = 64,
                                                              .height = 64,
                                                              .channels = 1,
                                                              .source_type = ABBE_U8,
                                                              .filters = (const abbe_filter *const *)&box,
                                                              .filter_count = 1 });
    double least = 1;
    for (int attempt = 0; attempt < 5 && least > 10e-6 && is_on_cpu(); attempt++)
        least = fmin(least, extra_seconds(plan, &source, &result));
    assert_true(least <= 10e-6 || !is_on_cpu());
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&box);
}

/* ---- Failures ----------------------------------------------------------------------------------------- */

static void refused(abbe_device *used, int error, int wanted, const char *text)
{
    test_refused("abbe_apply", error, wanted, used, text);
    assert_non_null(strstr(abbe_last_error(), text));
}

static void bad_input(void **state)
{
    (void)state;
    float out[SAMPLES] = { 0 }, zeros[SAMPLES] = { 0 };
    for (int shared = 0; shared < 2; shared++) {
        abbe_device *used = shared ? NULL : device;
        abbe_image source = view_of(pixels, HEIGHT, ABBE_F32), result = view_of(out, HEIGHT, ABBE_F32);
        abbe_image lower = view_of(out, HEIGHT - 1, ABBE_F32), untyped = view_of(out, HEIGHT, (abbe_type)0);
        abbe_image shifted = view_of(pixels + 3, HEIGHT - 1, ABBE_F32),
                   top = view_of(pixels, HEIGHT - 1, ABBE_F32);
        abbe_border border = ABBE_BORDER_REFLECT;
        refused(used, abbe_apply(used, NULL, border, &source, &result), ABBE_ERR_INVALID, "filter is NULL");
        refused(used, abbe_apply(used, BOX, border, NULL, &result), ABBE_ERR_INVALID, "source");
        refused(used, abbe_apply(used, BOX, border, &source, NULL), ABBE_ERR_INVALID, "result");
        refused(used, abbe_apply(used, BOX, border, &source, &lower), ABBE_ERR_INVALID, "31 x 39");
        refused(used, abbe_apply(used, BOX, border, &source, &untyped), ABBE_ERR_INVALID, "result");
        refused(used, abbe_apply(used, BOX, border, &top, &shifted), ABBE_ERR_INVALID, "overlap");
        refused(used, abbe_apply(used, BOX, (abbe_border)99, &source, &result), ABBE_ERR_INVALID,
                "border 99");
        refused(used, abbe_apply(used, "", border, &source, &result), ABBE_ERR_SYNTAX, "");
        refused(used, abbe_apply(used, "bocks", border, &source, &result), ABBE_ERR_SYNTAX, "bocks");
        refused(used, abbe_apply(used, "box:radius=-1", border, &source, &result), ABBE_ERR_RANGE, "radius");
        refused(used, abbe_apply(used, "kernel:file=a.txt", border, &source, &result), ABBE_ERR_FILE,
                "abbe_apply reads no files");
    }
    assert_memory_equal(out, zeros, sizeof out);
}

/* A plan that was made stays usable after a run that failed. */
static void nonfinite_sample(void **state)
{
    (void)state;
    float out[SAMPLES], spoilt = pixels[77];
    abbe_image source = view_of(pixels, 9, ABBE_F32), result = view_of(out, 9, ABBE_F32);
    pixels[77] = NAN;
    refused(device, abbe_apply(device, BOX, ABBE_BORDER_REFLECT, &source, &result), ABBE_ERR_NONFINITE,
            "not finite");
    pixels[77] = spoilt;
    assert_true(apply_rows(device, 9));
}

/* Every allocation of a call fails in turn. Nothing leaks, and the next call succeeds. */
static void no_memory(void **state)
{
    (void)state;
    if (!is_on_cpu())
        return;
    for (int shared = 0; shared < 2; shared++) {
        abbe_device *used = shared ? NULL : device;
        abbe_apply_clear(used);
        size_t live = faults_live();
        bool failed = true;
        for (long n = 0; failed; n++) {
            float out[SAMPLES];
            abbe_image source = view_of(pixels, 6, ABBE_F32), result = view_of(out, 6, ABBE_F32);
            faults_arm(n, false);
            int error = abbe_apply(used, BOX, ABBE_BORDER_REFLECT, &source, &result);
            failed = faults_disarm();
            assert_true(error == ABBE_OK || (failed && error == ABBE_ERR_MEMORY));
            assert_true(!error || *abbe_error_text(used));
            assert_true(apply_rows(used, 6));
            abbe_apply_clear(used);
            assert_int_equal(faults_live(), live);
        }
    }
}

/* A call for which memory is short releases the kept plans and tries again. */
static void kept_plans_make_room(void **state)
{
    (void)state;
    if (!is_on_cpu() || strstr(abbe_device_detail(device), "plain"))
        skip(); /* the plain loops allocate in each run */
    bool failed = true;
    for (long n = 0; failed; n++) {
        abbe_apply_clear(device);
        assert_true(apply_rows(device, 9));
        faults_arm(n, false);
        bool right = apply_rows(device, 6);
        failed = faults_disarm();
        if (!right)
            fail_msg("allocation %ld failed, and the call with it", n);
        assert_int_equal(is_kept(device, 9), !failed);
    }
    abbe_apply_clear(device);
}

static int prepare(void **state)
{
    (void)state;
    struct random random = { 3 };
    for (int i = 0; i < SAMPLES; i++)
        pixels[i] = (float)random_unit(&random);
    for (int height = 1; height <= SHAPES; height++)
        expected[height] = mean_of_rows(height, ABBE_BORDER_REFLECT);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    for (int height = 1; height <= SHAPES; height++)
        picture_free(&expected[height]);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_oracle),
        cmocka_unit_test(converts),
        cmocka_unit_test(keeps_the_plans_used_last),
        cmocka_unit_test(keeps_few_bytes),
        cmocka_unit_test(releases_all),
        cmocka_unit_test(takes_little_more_time),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(nonfinite_sample),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(kept_plans_make_room),
    };
    device = test_open_device(argc, argv, 2);
    int failures = cmocka_run_group_tests(tests, prepare, finish);
    abbe_device_close(&device);
    return failures;
}
