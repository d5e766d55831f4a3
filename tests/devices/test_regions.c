/* Pictures that do not fit the device's memory: with the least memory that a plan accepts, results agree
 * with the oracle, in place too.
 *
 * Argument: DEVICE. */
#include "device/device.h"
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <stdlib.h>
#include <string.h>

static abbe_device *device;

static abbe_plan_params params_of(const struct trial *trial, const struct trial_kernel *kernel)
{
    return (abbe_plan_params){ .width = trial->width,
                               .height = trial->height,
                               .channels = trial->channels,
                               .source_type = trial->source_type,
                               .result_type = trial->result_type,
                               .filters = (const abbe_filter *const *)&kernel->filter,
                               .filter_count = 1,
                               .border = trial->border,
                               .border_value = trial->border_value,
                               .method = trial->method,
                               .tile_width = trial->tile_width,
                               .tile_height = trial->tile_height };
}

/* Sets the device's memory to the least of a growing series that suffices for the plan. */
static void starve_device(const struct trial *trial, const struct trial_kernel *kernel)
{
    abbe_plan_params params = params_of(trial, kernel);
    int error = ABBE_ERR_MEMORY;
    for (size_t memory = 1 << 12; error; memory += memory / 4) {
        abbe_plan *plan = NULL;
        device->memory = memory;
        error = abbe_plan_create(device, &params, &plan);
        abbe_plan_destroy(&plan);
        if (error && error != ABBE_ERR_MEMORY)
            fail_msg("%s", abbe_error_text(device));
    }
}

/* A run in place gives the same bytes as a run into separate memory. */
static void check_in_place(const struct trial *trial, const struct trial_kernel *kernel)
{
    abbe_plan_params params = params_of(trial, kernel);
    abbe_plan *plan = apply_plan(device, &params);
    struct random random = { trial->seed };
    struct stored source = stored_create(trial->width, trial->height, trial->channels, trial->source_type, 0,
                                         false, true);
    struct stored apart = stored_create(trial->width, trial->height, trial->channels, trial->source_type, 0,
                                        false, true);
    stored_randomize(&source, &random, true);
    assert_int_equal(abbe_run(plan, &source.view, &apart.view), ABBE_OK);
    assert_int_equal(abbe_run(plan, &source.view, &source.view), ABBE_OK);
    assert_memory_equal(source.first, apart.first, source.pixels);
    stored_free(&source);
    stored_free(&apart);
    abbe_plan_destroy(&plan);
}

static void little_memory(void **state)
{
    (void)state;
    static const abbe_method methods[] = { ABBE_METHOD_DIRECT, ABBE_METHOD_SEPARABLE, ABBE_METHOD_TILES };
    static const abbe_type types[] = { ABBE_F32, ABBE_U8, ABBE_F16, ABBE_U16 };
    struct random random = { 4 };
    struct trial_kernel kernel = trial_kernel_create(7, 5, TAPS_SEPARABLE, true, &random);
    size_t memory = device->memory;
    int step = effort_is_slight() ? 5 : 1; /* meets every method and border */
    for (int number = 0; number < 3 * 6 * 2; number += step) {
        abbe_type type = types[number % 4];
        struct trial trial = { .seed = (uint64_t)number,
                               .width = 181 + number,
                               .height = 97,
                               .channels = 1 + number % 5,
                               .source_type = type,
                               .result_type = type,
                               .border = (abbe_border)(number / 3 % 6),
                               .method = methods[number % 3],
                               .tile_width = 20,
                               .tile_height = 20 };
        trial.border_value = trial.border == ABBE_BORDER_CONSTANT ? 0.5f : 0;
        struct trial_case one = trial_case_create(&trial, &kernel);
        starve_device(&trial, &kernel);
        assert_true(trial_run(device, &trial, &kernel, &one));
        check_in_place(&trial, &kernel);
        trial_case_free(&one);
    }
    device->memory = memory;
    trial_kernel_free(&kernel);
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(little_memory) };

TEST_MAIN_ON_DEVICE(tests, device, 2)
