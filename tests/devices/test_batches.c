/* abbe_run_batch: stacks of pictures against convolution in double precision; pictures that fail,
 * cancellation, bad input.
 *
 * Arguments: DEVICE. */
#include "support/apply.h"
#include "support/stopper.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static abbe_device *device;

enum { PICTURES = 9, WIDTH = 21, HEIGHT = 17, SAMPLES = WIDTH * HEIGHT };

/* A stack of pictures, and two results of each. */
struct stack {
    float pixels[PICTURES][SAMPLES], made[PICTURES][2][SAMPLES];
    abbe_image sources[PICTURES], results[2 * PICTURES];
};

static abbe_image view_of(float *pixels)
{
    return (abbe_image){ .data = pixels, .width = WIDTH, .height = HEIGHT, .channels = 1, .type = ABBE_F32 };
}

static void fill_stack(struct stack *stack, int filters)
{
    struct random random = { 3 };
    for (int i = 0; i < PICTURES; i++) {
        stack->sources[i] = view_of(stack->pixels[i]);
        for (int k = 0; k < SAMPLES; k++)
            stack->pixels[i][k] = (float)random_unit(&random);
        for (int r = 0; r < filters; r++)
            stack->results[i * filters + r] = view_of(stack->made[i][r]);
        for (int k = 0; k < 2 * SAMPLES; k++)
            stack->made[i][k / SAMPLES][k % SAMPLES] = 77;
    }
}

static abbe_plan *stack_plan(const abbe_filter *const *filters, size_t count)
{
    return apply_plan(device, &(abbe_plan_params){ .width = WIDTH,
                                                   .height = HEIGHT,
                                                   .channels = 1,
                                                   .source_type = ABBE_F32,
                                                   .border = ABBE_BORDER_MIRROR,
                                                   .filters = filters,
                                                   .filter_count = count });
}

static struct picture picture_of(const float *pixels)
{
    struct picture picture = picture_create(WIDTH, HEIGHT, 1);
    for (int k = 0; k < SAMPLES; k++)
        picture.samples[k] = pixels[k];
    return picture;
}

static void banks_of_stacks(void **state)
{
    (void)state;
    static struct stack stack;
    struct random random = { 8 };
    struct trial_kernel kernels[2] = { trial_kernel_create(3, 5, TAPS_ANY, true, &random),
                                       trial_kernel_create(4, 3, TAPS_ANY, true, &random) };
    const abbe_filter *const bank[] = { kernels[0].filter, kernels[1].filter };
    abbe_plan *plan = stack_plan(bank, 2);
    fill_stack(&stack, 2);
    assert_int_equal(abbe_run_batch(plan, PICTURES, stack.sources, stack.results, NULL), ABBE_OK);
    for (int i = 0; i < 2 * PICTURES; i++) {
        struct picture in = picture_of(stack.pixels[i / 2]), got = picture_of(stack.made[i / 2][i % 2]);
        struct picture right = reference_convolve(&in, ABBE_BORDER_MIRROR, 0, &kernels[i % 2].taps,
                                                  kernels[i % 2].centre_x, kernels[i % 2].centre_y);
        assert_true(apply_near(&got, &right, trial_tolerance(1e-4)));
        picture_free(&in), picture_free(&got), picture_free(&right);
    }
    abbe_plan_destroy(&plan);
    for (int i = 0; i < 2; i++)
        trial_kernel_free(&kernels[i]);
}

static void cancelled_batches(void **state)
{
    (void)state;
    static struct stack stack;
    abbe_filter *filter = apply_filter("box:radius=1");
    const abbe_filter *const bank[] = { filter };
    abbe_plan *plan = stack_plan(bank, 1);
    fill_stack(&stack, 1);
    struct stopper stopper = { .stop_at = -1 };
    const abbe_watch watch = { .progress = stop_late, .user = &stopper };
    assert_int_equal(abbe_run_batch(plan, PICTURES, stack.sources, stack.results, &watch), ABBE_OK);
    assert_true(stopper.last == 1 && stopper.calls >= 2);
    stopper = (struct stopper){ .stop_at = 0 };
    fill_stack(&stack, 1);
    test_refused("cancel", abbe_run_batch(plan, PICTURES, stack.sources, stack.results, &watch),
                 ABBE_ERR_CANCELLED, device, "stopped it");
    assert_int_equal(stopper.calls, 1);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

static void pictures_that_fail(void **state)
{
    (void)state;
    static struct stack stack;
    abbe_filter *filter = apply_filter("box:radius=1");
    const abbe_filter *const bank[] = { filter };
    abbe_plan *plan = stack_plan(bank, 1);
    for (int i = 0; i < PICTURES; i++) {
        fill_stack(&stack, 1);
        stack.pixels[i][40] = NAN;
        char text[32];
        snprintf(text, sizeof text, "picture %d: source", i + 1);
        test_refused("NaN", abbe_run_batch(plan, PICTURES, stack.sources, stack.results, NULL),
                     ABBE_ERR_NONFINITE, device, text);
        assert_true(stack.made[i][0][0] == 77);
        fill_stack(&stack, 1);
        stack.results[i].width--;
        snprintf(text, sizeof text, "picture %d: result 1", i + 1);
        test_refused("size", abbe_run_batch(plan, PICTURES, stack.sources, stack.results, NULL),
                     ABBE_ERR_INVALID, device, text);
        for (int k = 0; k < PICTURES; k++)
            assert_true(stack.made[k][0][0] == 77);
    }
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

static void bad_batches(void **state)
{
    (void)state;
    static struct stack stack;
    abbe_filter *filter = apply_filter("box:radius=1");
    const abbe_filter *const bank[] = { filter };
    abbe_plan *plan = stack_plan(bank, 1);
    fill_stack(&stack, 1);
    const abbe_watch odd = { .size = 3 };
    test_refused("plan", abbe_run_batch(NULL, 1, stack.sources, stack.results, NULL), ABBE_ERR_INVALID, NULL,
                 "plan is NULL");
    test_refused("sources", abbe_run_batch(plan, 1, NULL, stack.results, NULL), ABBE_ERR_INVALID, device,
                 "sources is NULL");
    test_refused("results", abbe_run_batch(plan, 1, stack.sources, NULL, NULL), ABBE_ERR_INVALID, device,
                 "results is NULL");
    test_refused("watch", abbe_run_batch(plan, 1, stack.sources, stack.results, &odd), ABBE_ERR_INVALID,
                 device, "abbe_run_batch: watch");
    assert_int_equal(abbe_run_batch(plan, 0, NULL, NULL, NULL), ABBE_OK);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(banks_of_stacks),
                                           cmocka_unit_test(cancelled_batches),
                                           cmocka_unit_test(pictures_that_fail),
                                           cmocka_unit_test(bad_batches) };

TEST_MAIN_ON_DEVICE(tests, device, 4)
