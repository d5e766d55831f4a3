/* A CUDA context that is lost, at every call of a plan and a run: clean errors, no more work, nothing
 * leaked; runs in progress, a device that closes, and the CPU of `auto`, which takes over.
 *
 * * Needs the emulated driver; skipped (77) without. */
#include "cuda/driver.h"
#include "support/blur.h"
#include "support/emulated.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static const struct emulator *driver;
enum { ILLEGAL_ADDRESS = 700, UNCORRECTABLE = 214 };

static abbe_device *open_device(void)
{
    abbe_device *device = NULL;
    driver->fail_at(-1, CUDA_OK, false);
    if (abbe_device_open("cuda", NULL, &device))
        fail_msg("%s", abbe_error_text(NULL));
    return device;
}

static void soil(float *out)
{
    memset(out, 0x7e, BLUR_SAMPLES * sizeof *out);
}

static bool is_soiled(const float *out)
{
    return ((const unsigned char *)out)[0] == 0x7e &&
           !memcmp(out, (const char *)out + 1, BLUR_SAMPLES * sizeof *out - 1);
}

static void assert_lost(abbe_device *device, int error, long n)
{
    if (error != ABBE_ERR_DEVICE || !strstr(abbe_error_text(device), "lost") ||
        strchr(abbe_error_text(device), '\n'))
        fail_msg("call %ld: %s, %s", n, abbe_error_name(error), abbe_error_text(device));
}

/* Nothing is written by a run whose context is lost, and later ones fail in the same way. */
static void lost_at_each_call(void **state)
{
    (void)state;
    float out[BLUR_SAMPLES];
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        int error = ABBE_ERR_DEVICE;
        long n = 0;
        for (; error; n++) {
            abbe_device *device = open_device();
            soil(out);
            driver->fail_at(n, n % 2 ? ILLEGAL_ADDRESS : UNCORRECTABLE, false);
            error = blur_run(device, (abbe_method)method, out);
            if (error) {
                assert_lost(device, error, n);
                assert_true(is_soiled(out));
                assert_lost(device, blur_run(device, (abbe_method)method, out), n);
            }
            abbe_device_close(&device);
            emulated_assert_empty(driver, "a lost context", n);
        }
        blur_assert_right(out);
        assert_true(n > 10);
    }
}

enum { RUNS = 3 };

/* Tickets end with errors, in any order; the plan and the device are released. */
static void under_way(void **state)
{
    (void)state;
    float out[RUNS][BLUR_SAMPLES];
    bool failed = true;
    int most = 0;
    for (long n = 0; failed; n++) {
        abbe_device *device = open_device();
        abbe_plan *plan = NULL;
        abbe_ticket *tickets[RUNS] = { NULL };
        int errors = 0;
        assert_int_equal(blur_plan(device, ABBE_METHOD_SEPARABLE, &plan), ABBE_OK);
        driver->fail_at(n, ILLEGAL_ADDRESS, false);
        for (int r = 0; r < RUNS; r++) {
            abbe_image source = blur_source(), result = blur_view(out[r]);
            soil(out[r]);
            int error = abbe_submit(plan, &source, &result, &tickets[r]);
            if (error)
                assert_lost(device, error, n);
            assert_true(!error == !!tickets[r]);
        }
        for (int r = RUNS - 1; r >= 0; r--) {
            int error = tickets[r] ? abbe_wait(&tickets[r]) : ABBE_ERR_DEVICE;
            if (!error)
                blur_assert_right(out[r]);
            else
                assert_true(error == ABBE_ERR_DEVICE && is_soiled(out[r]));
            errors += error != ABBE_OK;
        }
        failed = driver->failed();
        assert_true(failed || !errors);
        most = errors > most ? errors : most;
        abbe_plan_destroy(&plan);
        abbe_device_close(&device);
        emulated_assert_empty(driver, "runs in progress", n);
    }
    assert_int_equal(most, RUNS);
}

/* A plan outlives the loss: its runs fail, and it is released. */
static void plan_of_a_lost_context(void **state)
{
    (void)state;
    float out[BLUR_SAMPLES];
    abbe_image source = blur_source(), result = blur_view(out);
    abbe_device *device = open_device();
    abbe_plan *plan = NULL, *none = NULL;
    assert_int_equal(blur_plan(device, ABBE_METHOD_FFT, &plan), ABBE_OK);
    assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
    driver->fail_at(0, ILLEGAL_ADDRESS, false);
    for (int i = 0; i < 3; i++) {
        soil(out);
        assert_lost(device, abbe_run(plan, &source, &result), i);
        assert_true(is_soiled(out));
        assert_lost(device, blur_plan(device, ABBE_METHOD_DIRECT, &none), i);
        assert_null(none);
    }
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
    emulated_assert_empty(driver, "a plan", 0);
}

int main(void)
{
    driver = emulated_require();
    test_require_device("cuda");
    const struct CMUnitTest tests[] = { cmocka_unit_test(lost_at_each_call), cmocka_unit_test(under_way),
                                        cmocka_unit_test(plan_of_a_lost_context) };
    return cmocka_run_group_tests(tests, blur_make_expected, NULL);
}
