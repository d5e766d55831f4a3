/* A Vulkan device that is lost: at every call of a plan and a run, twice, for good; with other plans, runs in
 * progress and threads beside it.
 *
 * Needs a software driver; skipped (77) without one. */
#include "support/apply.h"
#include "support/blur.h"
#include "support/halving.h"
#include "support/shims.h"
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static abbe_device *open_shimmed(void)
{
    abbe_device *device = NULL;
    assert_int_equal(abbe_device_open("vulkan:lavapipe", NULL, &device), ABBE_OK);
    shims_fail(-1, VK_SUCCESS);
    shims_put(device);
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

/* A loss at any call n is invisible outside. Tiles make the same calls as a whole transform, and every fifth
 * of them is lost. */
static void lost_once(void **state)
{
    (void)state;
    float out[BLUR_SAMPLES];
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        abbe_device *device = open_shimmed();
        bool failed = true;
        long n = 0, step = method == ABBE_METHOD_TILES ? 5 : 1;
        for (; failed; n += step) {
            soil(out);
            shims_fail(n, VK_ERROR_DEVICE_LOST);
            if (blur_run(device, (abbe_method)method, out))
                fail_msg("method %d, call %ld: %s", method, n, abbe_error_text(device));
            failed = shims_failed();
            blur_assert_right(out);
        }
        assert_true(n > 15);
        assert_int_equal(((struct vk *)device)->generation, n / step - 1);
        abbe_device_close(&device);
    }
}

/* A second loss, on the new device, is an error; nothing is written, and the next
 * run opens a third device. */
static void lost_twice(void **state)
{
    (void)state;
    float out[BLUR_SAMPLES];
    abbe_device *device = open_shimmed();
    int errors = 0;
    for (long n = 0; n < 24; n++) {
        abbe_method method = n % 4 ? ABBE_METHOD_SEPARABLE : ABBE_METHOD_FFT;
        soil(out);
        shims_fail_each(n % 20, 2 * n, VK_ERROR_DEVICE_LOST);
        int error = blur_run(device, method, out);
        shims_fail(-1, VK_SUCCESS);
        if (error && (error != ABBE_ERR_DEVICE || !is_soiled(out) ||
                      !strstr(abbe_error_text(device), "the device was lost")))
            fail_msg("call %ld: %s, %s", n, abbe_error_name(error), abbe_error_text(device));
        errors += error != ABBE_OK;
        assert_int_equal(blur_run(device, method, out), ABBE_OK);
        blur_assert_right(out);
    }
    assert_true(errors > 10);
    abbe_device_close(&device);
}

/* While the GPU does not open again, runs fail; plans survive it. */
static void gone_for_a_while(void **state)
{
    (void)state;
    float out[BLUR_SAMPLES];
    abbe_device *device = open_shimmed();
    abbe_plan *plan = NULL, *none = NULL;
    abbe_ticket *ticket = NULL;
    abbe_image source = blur_source(), result = blur_view(out);
    assert_int_equal(blur_plan(device, ABBE_METHOD_FFT, &plan), ABBE_OK);
    shims_fail_for_good(0, VK_ERROR_DEVICE_LOST);
    for (int i = 0; i < 2; i++) {
        soil(out);
        assert_int_equal(abbe_run(plan, &source, &result), ABBE_ERR_DEVICE);
        assert_true(is_soiled(out));
        assert_non_null(strstr(abbe_error_text(device), "could not be opened again"));
        assert_int_equal(blur_plan(device, ABBE_METHOD_FFT, &none), ABBE_ERR_DEVICE);
        assert_null(none);
    }
    shims_fail(-1, VK_SUCCESS);
    assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
    blur_assert_right(out);
    assert_int_equal(abbe_submit(plan, &source, &result, &ticket), ABBE_OK);
    shims_fail_for_good(0, VK_ERROR_DEVICE_LOST);
    assert_int_equal(abbe_run(plan, &source, &result), ABBE_ERR_DEVICE);
    assert_int_equal(abbe_wait(&ticket), ABBE_ERR_DEVICE);
    abbe_plan_destroy(&plan); /* without a VkDevice */
    abbe_device_close(&device);
}

/* ---- Plans that were there before --------------------------------------------------------------------- */

/* A plan with a caller's transfer function is restored without calling that function. */
static void other_plans(void **state)
{
    (void)state;
    float out[BLUR_SAMPLES];
    abbe_image source = blur_source(), result = blur_view(out);
    abbe_device *device = open_shimmed();
    abbe_filter *halving = halving_filter();
    abbe_plan *plan = NULL;
    halving_may_be_asked = true;
    shims_fail(4, VK_ERROR_DEVICE_LOST); /* the function may be called twice while the plan is made */
    plan = apply_plan(device, &(abbe_plan_params){ .width = BLUR_WIDTH,
                                                   .height = BLUR_HEIGHT,
                                                   .channels = 1,
                                                   .source_type = ABBE_F32,
                                                   .result_type = ABBE_F32,
                                                   .filters = (const abbe_filter *const *)&halving,
                                                   .filter_count = 1 });
    halving_may_be_asked = false;
    assert_true(shims_failed());
    for (int turn = 0; turn < 3; turn++) {
        shims_fail(turn, VK_ERROR_DEVICE_LOST);
        assert_int_equal(blur_run(device, ABBE_METHOD_FFT, out), ABBE_OK);
        assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
        for (int i = 0; i < BLUR_SAMPLES; i++)
            assert_true(fabsf(out[i] - 0.5f * ((float *)source.data)[i]) < 1e-5f);
    }
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&halving);
    abbe_device_close(&device);
}

/* ---- Runs under way ----------------------------------------------------------------------------------- */

enum { RUNS = 3 };

/* Tickets of a lost device end with errors, in any order, and new runs can be submitted. */
static int submit_all(const abbe_plan *plan, float out[RUNS][BLUR_SAMPLES])
{
    abbe_ticket *tickets[RUNS] = { NULL };
    int errors = 0;
    for (int r = 0; r < RUNS; r++) {
        abbe_image source = blur_source(), result = blur_view(out[r]);
        soil(out[r]);
        assert_int_equal(abbe_submit(plan, &source, &result, &tickets[r]), ABBE_OK);
    }
    for (int r = RUNS - 1; r >= 0; r--) {
        int error = abbe_wait(&tickets[r]);
        if (!error)
            blur_assert_right(out[r]);
        else
            assert_true(error == ABBE_ERR_DEVICE && is_soiled(out[r]));
        errors += error != ABBE_OK;
    }
    return errors;
}

static void under_way(void **state)
{
    (void)state;
    float out[RUNS][BLUR_SAMPLES];
    abbe_device *device = open_shimmed();
    abbe_plan *plan = NULL;
    bool failed = true;
    int most = 0;
    assert_int_equal(blur_plan(device, ABBE_METHOD_SEPARABLE, &plan), ABBE_OK);
    for (long n = 0; failed; n++) {
        shims_fail(n, VK_ERROR_DEVICE_LOST);
        int errors = submit_all(plan, out);
        failed = shims_failed();
        assert_true(failed || !errors);
        most = errors > most ? errors : most;
        shims_fail(-1, VK_SUCCESS);
        assert_int_equal(submit_all(plan, out), 0);
    }
    assert_int_equal(most, RUNS);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
}

/* Makes three plans one after the other and runs each; returns the argument if all are right. */
static void *run_three(void *device)
{
    bool right = true;
    for (int i = 0; i < 3; i++) {
        float out[BLUR_SAMPLES];
        int error = blur_run(device, i % 2 ? ABBE_METHOD_SEPARABLE : ABBE_METHOD_DIRECT, out);
        right = right && !error && blur_is_right(out);
    }
    return right ? device : NULL;
}

/* Several threads and plans: each recovers. */
static void threads(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    abbe_device *device = open_shimmed();
    int wrong = 0;
    for (int turn = 0; turn < 4; turn++) {
        pthread_t started[THREADS];
        void *answer;
        shims_fail(7 + 20 * turn, VK_ERROR_DEVICE_LOST);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&started[i], NULL, run_three, device), 0);
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(started[i], &answer), 0);
            wrong += !answer;
        }
        assert_true(shims_failed());
    }
    assert_int_equal(wrong, 0);
    abbe_device_close(&device);
}

/* ---- Regions ------------------------------------------------------------------------------------------ */

enum { SIDE = 96, BYTES = 60000 };

static struct picture noise;
static float samples[SIDE * SIDE];

static abbe_plan *plan_in_regions(abbe_device *device)
{
    abbe_filter *box = apply_filter("box:radius=1");
    device->memory = BYTES;
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = SIDE,
                                                              .height = SIDE,
                                                              .channels = 1,
                                                              .source_type = ABBE_F32,
                                                              .result_type = ABBE_F32,
                                                              .filters = (const abbe_filter *const *)&box,
                                                              .filter_count = 1,
                                                              .method = ABBE_METHOD_DIRECT,
                                                              .border = ABBE_BORDER_WRAP });
    abbe_filter_destroy(&box);
    return plan;
}

/* The mean of nine neighbours, or after an error the unchanged source. */
static double expected_at(int x, int y, int error)
{
    double sum = 0;
    for (int k = 0; k < 9; k++)
        sum += noise.samples[(y + k / 3 + SIDE - 1) % SIDE * SIDE + (x + k % 3 + SIDE - 1) % SIDE] / 9;
    return error ? noise.samples[y * SIDE + x] : sum;
}

/* In place, in two regions: the device is lost in the second, after the first has
 * replaced its part of the source. */
static void in_place(void **state)
{
    (void)state;
    abbe_device *device = open_shimmed();
    abbe_plan *plan = plan_in_regions(device);
    abbe_image view = { .data = samples,
                        .width = SIDE,
                        .height = SIDE,
                        .channels = 1,
                        .stride = SIDE * sizeof *samples,
                        .type = ABBE_F32 };
    int errors = 0;
    noise = apply_noise(SIDE, SIDE, 1, 5, true);
    for (int n = 0; n < 24; n++) {
        for (int i = 0; i < SIDE * SIDE; i++)
            samples[i] = (float)noise.samples[i];
        shims_fail_each(n, n % 2 ? n : -1, VK_ERROR_DEVICE_LOST);
        int error = abbe_run(plan, &view, &view);
        errors += error != ABBE_OK;
        for (int i = 0; i < SIDE * SIDE; i++)
            if (fabs(samples[i] - expected_at(i % SIDE, i / SIDE, error)) > 1e-5)
                fail_msg("call %d, %d, %d: %s", n, i % SIDE, i / SIDE, abbe_error_name(error));
    }
    assert_true(errors > 5);
    picture_free(&noise);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
}

int main(void)
{
    test_require_device("vulkan:lavapipe");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_once),   cmocka_unit_test(lost_twice), cmocka_unit_test(gone_for_a_while),
        cmocka_unit_test(other_plans), cmocka_unit_test(under_way),  cmocka_unit_test(threads),
        cmocka_unit_test(in_place),
    };
    return cmocka_run_group_tests(tests, blur_make_expected, NULL);
}
