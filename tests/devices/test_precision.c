/* Half precision: results keep its bound for every number of channels and need no more memory than full
 * precision.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>

static abbe_device *device;

static void results_are_near(void **state)
{
    (void)state;
    static const abbe_type types[] = { ABBE_F32, ABBE_U8, ABBE_U16, ABBE_F16 };
    struct random random = { 16 };
    for (int number = 0; number < 10; number++) {
        struct trial_kernel kernel = trial_kernel_create(5, 9, number % 2 ? TAPS_ANY : TAPS_SYMMETRIC, true,
                                                         &random);
        struct trial trial = { .seed = (uint64_t)number,
                               .width = number % 3 ? 60 : 97,
                               .height = 41 + number,
                               .channels = 1 + number % 5,
                               .source_type = types[number % 4],
                               .result_type = types[number / 2 % 4],
                               .border = (abbe_border)(number % 6),
                               .method = number % 2 ? ABBE_METHOD_TILES : ABBE_METHOD_FFT,
                               .precision = ABBE_PRECISION_HALF };
        struct trial_case one = trial_case_create(&trial, &kernel);
        assert_true(trial_run(device, &trial, &kernel, &one));
        trial_case_free(&one);
        trial_kernel_free(&kernel);
    }
}

/* A constant picture, which has the largest sums, stays the same. */
static void bright_pictures_stay_in_range(void **state)
{
    (void)state;
    abbe_filter *blur = apply_filter("box:radius=2");
    struct picture in = apply_noise(512, 8, 4, 1, true);
    for (int i = 0; i < 512 * 8 * 4; i++)
        in.samples[i] = 500;
    struct picture out = apply(device,
                               (abbe_plan_params){ .method = ABBE_METHOD_FFT,
                                                   .border = ABBE_BORDER_WRAP,
                                                   .precision = ABBE_PRECISION_HALF },
                               blur, &in);
    assert_true(apply_near(&out, &in, 500 * 2e-3));
    picture_free(&in);
    picture_free(&out);
    abbe_filter_destroy(&blur);
}

static double scratch(abbe_precision precision)
{
    abbe_filter *blur = apply_filter("box:radius=2");
    const abbe_plan_params params = { .width = 256,
                                      .height = 256,
                                      .channels = 4,
                                      .source_type = ABBE_F32,
                                      .result_type = ABBE_F32,
                                      .filters = (const abbe_filter *const[]){ blur },
                                      .filter_count = 1,
                                      .method = ABBE_METHOD_FFT,
                                      .precision = precision };
    abbe_plan *plan = apply_plan(device, &params);
    double bytes = (double)abbe_plan_choice(plan)->bytes;
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&blur);
    return bytes;
}

static void takes_no_more_memory(void **state)
{
    (void)state;
    assert_true(scratch(ABBE_PRECISION_HALF) <= scratch(ABBE_PRECISION_FULL));
}

static void unknown_is_refused(void **state)
{
    (void)state;
    abbe_filter *blur = apply_filter("box:radius=2");
    abbe_plan *plan = NULL;
    const abbe_plan_params params = { .width = 8,
                                      .height = 8,
                                      .channels = 1,
                                      .source_type = ABBE_F32,
                                      .result_type = ABBE_F32,
                                      .filters = (const abbe_filter *const[]){ blur },
                                      .filter_count = 1,
                                      .precision = (abbe_precision)7 };
    assert_int_equal(abbe_plan_create(device, &params, &plan), ABBE_ERR_INVALID);
    assert_string_equal(abbe_error_text(device), "plan: unknown precision 7");
    assert_null(abbe_precision_name((abbe_precision)7));
    abbe_filter_destroy(&blur);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(results_are_near),
    cmocka_unit_test(bright_pictures_stay_in_range),
    cmocka_unit_test(takes_no_more_memory),
    cmocka_unit_test(unknown_is_refused),
};

TEST_MAIN_ON_DEVICE(tests, device, 2)
