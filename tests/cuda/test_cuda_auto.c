/* `auto` beside a GPU with CUDA, which a file of prices makes cheap: it takes the plans that are worth it,
 * the CPU takes over when it fails, and without NVRTC or the driver the CPU does everything.
 *
 * * Needs the emulated driver; skipped (77) without. */
#include "cuda/driver.h"
#include "support/apply.h"
#include "support/blur.h"
#include "support/drivers.h"
#include "support/emulated.h"
#include "support/test.h"

#include <abbe/measure.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct emulator *driver;
static const int MANY = 1000000;
static char prices[] = "/tmp/abbe-test-XXXXXX";

/* The built-in prices of the GPU, divided by 900. */
static int write_prices(void **state)
{
    abbe_device *device = NULL;
    abbe_plan *plan = NULL;
    int file = mkstemp(prices);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    size_t count;
    assert_non_null(out);
    assert_int_equal(abbe_device_open("cuda", NULL, &device), ABBE_OK);
    assert_int_equal(blur_plan(device, ABBE_METHOD_DIRECT, &plan), ABBE_OK);
    const abbe_charge *charges = abbe_plan_charges(plan, ABBE_METHOD_DIRECT, &count);
    fprintf(out, "abbe-prices 1\n[auto]\nopen 1e-2\nplan 1e-3\n[%s]\n", abbe_device_section(device));
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s %g\n", charges[i].name, charges[i].seconds / 900);
    fclose(out);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
    setenv("ABBE_PRICES", prices, 1);
    return blur_make_expected(state);
}

static int remove_prices(void **state)
{
    (void)state;
    return unlink(prices);
}

static abbe_device *open_auto(void)
{
    abbe_device *device = NULL;
    driver->fail_at(-1, CUDA_OK, false);
    assert_int_equal(abbe_device_open("auto", NULL, &device), ABBE_OK);
    return device;
}

static abbe_plan *plan_for(abbe_device *device, int runs)
{
    abbe_filter *blur = apply_filter("gaussian:sigma=1");
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = BLUR_WIDTH,
                                                              .height = BLUR_HEIGHT,
                                                              .channels = 1,
                                                              .source_type = ABBE_F32,
                                                              .result_type = ABBE_F32,
                                                              .filters = (const abbe_filter *const *)&blur,
                                                              .filter_count = 1,
                                                              .runs = runs });
    abbe_filter_destroy(&blur);
    return plan;
}

/* Checks that a plan is on the named device for that reason, and that its result is right. */
static void check(const abbe_plan *plan, const char *name, const char *reason)
{
    float out[BLUR_SAMPLES] = { 0 };
    abbe_image source = blur_source(), result = blur_view(out);
    assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
    blur_assert_right(out);
    if (strcmp(abbe_device_name(abbe_plan_device(plan)), name) || !strstr(abbe_plan_reason(plan), reason))
        fail_msg("%s: %s", abbe_device_name(abbe_plan_device(plan)), abbe_plan_reason(plan));
}

static void choices(void **state)
{
    (void)state;
    abbe_device *device = open_auto();
    abbe_plan *small = plan_for(device, 0), *large = plan_for(device, MANY);
    check(small, "cpu", "not worth");
    check(large, "cuda", "on the CPU");
    abbe_plan_destroy(&small);
    abbe_plan_destroy(&large);
    abbe_device_close(&device);
    emulated_assert_empty(driver, "auto", 0);
}

/* Every call from call n on fails: the CPU takes over. */
static void fails_for_good(void **state)
{
    (void)state;
    const int failures[] = { 700, CUDA_OUT_OF_MEMORY, CUDA_UNKNOWN };
    for (int i = 0; i < 3; i++) {
        bool failed = true;
        for (long n = 0; failed; n += 3) {
            float out[BLUR_SAMPLES] = { 0 };
            abbe_device *device = open_auto();
            abbe_plan *plan = plan_for(device, MANY);
            abbe_image source = blur_source(), result = blur_view(out);
            assert_string_equal(abbe_device_name(abbe_plan_device(plan)), "cuda");
            driver->fail_at(n, failures[i], true);
            if (abbe_run(plan, &source, &result))
                fail_msg("failure %d, call %ld: %s", i, n, abbe_error_text(device));
            blur_assert_right(out);
            failed = driver->failed();
            if (failed)
                check(plan, "cpu", "cuda failed");
            abbe_plan_destroy(&plan);
            abbe_device_close(&device);
            emulated_assert_empty(driver, "auto", n);
        }
    }
}

static void no_gpu(void **state)
{
    (void)state;
    static const char *const missing[] = { "libcuda", "libnvrtc" };
    for (int i = 0; i < 2; i++) {
        drivers.missing_library = missing[i];
        abbe_device *device = open_auto();
        abbe_plan *plan = plan_for(device, MANY);
        assert_string_not_equal(abbe_device_name(abbe_plan_device(plan)), "cuda");
        check(plan, abbe_device_name(abbe_plan_device(plan)), "");
        abbe_plan_destroy(&plan);
        abbe_device_close(&device);
    }
    drivers.missing_library = NULL;
}

int main(void)
{
    driver = emulated_require();
    test_require_device("cuda");
    const struct CMUnitTest tests[] = { cmocka_unit_test(choices), cmocka_unit_test(fails_for_good),
                                        cmocka_unit_test(no_gpu) };
    return cmocka_run_group_tests(tests, write_prices, remove_prices);
}
