/* A GPU whose memory is full: pictures are filtered in smaller regions, until none fits.
 *
 * Needs a software driver of Vulkan or the emulated driver of CUDA; skipped (77) without. */
#include "support/apply.h"
#include "support/halving.h"
#include "support/room.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 150, HEIGHT = 130, CHANNELS = 2, SAMPLES = WIDTH * HEIGHT * CHANNELS };

static float source_samples[SAMPLES], result_samples[SAMPLES];
static struct picture expected;
static abbe_filter *blur;
static abbe_device *device;

static int make_expected(void **state)
{
    (void)state;
    abbe_matrix taps;
    blur = apply_filter("disk:radius=4");
    const abbe_filter_info *info = abbe_filter_describe(blur);
    if (abbe_filter_taps(blur, 0, &taps))
        return 1;
    struct picture in = apply_noise(WIDTH, HEIGHT, CHANNELS, 9, true);
    expected = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &taps, info->centre_x, info->centre_y);
    for (int i = 0; i < SAMPLES; i++)
        source_samples[i] = (float)in.samples[i];
    picture_free(&in);
    abbe_matrix_free(&taps);
    room.prepare(device);
    return 0;
}

static int free_expected(void **state)
{
    (void)state;
    picture_free(&expected);
    abbe_filter_destroy(&blur);
    abbe_device_close(&device);
    return 0;
}

static int make_plan(abbe_method method, abbe_plan **plan)
{
    return abbe_plan_create(device,
                            &(abbe_plan_params){ .width = WIDTH,
                                                 .height = HEIGHT,
                                                 .channels = CHANNELS,
                                                 .source_type = ABBE_F32,
                                                 .result_type = ABBE_F32,
                                                 .filters = (const abbe_filter *const *)&blur,
                                                 .filter_count = 1,
                                                 .method = method },
                            plan);
}

static abbe_image view_of(float *samples)
{
    return (abbe_image){ .data = samples,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .channels = CHANNELS,
                         .stride = WIDTH * CHANNELS * sizeof(float),
                         .type = ABBE_F32 };
}

static int run(const abbe_plan *plan)
{
    abbe_image source = view_of(source_samples), result = view_of(result_samples);
    memset(result_samples, 0x7e, sizeof result_samples);
    return abbe_run(plan, &source, &result);
}

/* Submits and waits. */
static int submit(const abbe_plan *plan)
{
    abbe_image source = view_of(source_samples), result = view_of(result_samples);
    abbe_ticket *ticket = NULL;
    memset(result_samples, 0x7e, sizeof result_samples);
    int error = abbe_submit(plan, &source, &result, &ticket);
    return error ? error : abbe_wait(&ticket);
}

static void assert_right(const char *what, long where)
{
    for (int i = 0; i < SAMPLES; i++)
        if (!(fabs(result_samples[i] - expected.samples[i]) < 1e-5))
            fail_msg("%s, %ld: sample %d: %g, not %g", what, where, i, (double)result_samples[i],
                     expected.samples[i]);
}

static void assert_full(int error)
{
    if (error != ABBE_ERR_MEMORY || !strstr(abbe_error_text(device), "the memory of the device is full"))
        fail_msg("%s: %s", abbe_error_name(error), abbe_error_text(device));
}

/* Ever smaller allocations are allowed: plans adapt to them, or fail with a message. */
static void little_room(void **state)
{
    (void)state;
    int worked[ABBE_METHOD_TILES + 1] = { 0 };
    for (int method = ABBE_METHOD_AUTO; method <= ABBE_METHOD_TILES; method++)
        for (int bits = 20; bits >= 8; bits--) {
            abbe_plan *plan = NULL;
            room.limit(1ul << bits);
            int error = make_plan((abbe_method)method, &plan);
            if (!error)
                error = run(plan);
            if (!error)
                assert_right(abbe_method_name((abbe_method)method), 1l << bits);
            else if (method != ABBE_METHOD_SEPARABLE) /* which a disk is not */
                assert_full(error);
            worked[method] += !error;
            abbe_plan_destroy(&plan);
        }
    room.limit(SIZE_MAX);
    assert_true(worked[ABBE_METHOD_DIRECT] > worked[ABBE_METHOD_FFT] + 2);
    assert_true(worked[ABBE_METHOD_TILES] > worked[ABBE_METHOD_FFT]);
    assert_true(worked[ABBE_METHOD_AUTO] > worked[ABBE_METHOD_FFT] + 2);
}

/* Memory that becomes scarce after a plan was made: its runs move to smaller regions and stay there. */
static void room_that_goes(void **state)
{
    (void)state;
    for (int step = 0; step < 2; step++) {
        abbe_plan *plan = NULL;
        assert_int_equal(make_plan(ABBE_METHOD_DIRECT, &plan), ABBE_OK);
        room.limit(1 << 16);
        assert_int_equal(step ? submit(plan) : run(plan), ABBE_OK);
        assert_right("a run", step);
        room.limit(1 << 8);
        assert_int_equal(step ? submit(plan) : run(plan), ABBE_OK); /* in memory that it already has */
        room.limit(SIZE_MAX);
        assert_int_equal(run(plan), ABBE_OK);
        assert_right("a run after", step);
        abbe_plan_destroy(&plan);
    }
    abbe_plan *plan = NULL;
    assert_int_equal(make_plan(ABBE_METHOD_DIRECT, &plan), ABBE_OK);
    room.limit(1 << 8);
    assert_full(run(plan));
    room.limit(SIZE_MAX);
    assert_int_equal(run(plan), ABBE_OK);
    assert_right("a run after", 2);
    abbe_plan_destroy(&plan);
}

/* Any one call of a plan and a run reports full memory once: smaller regions
 * succeed, whichever call it is. */
static void one_call(void **state)
{
    (void)state;
    bool failed = true;
    long n = 0;
    for (; failed; n++) {
        abbe_plan *plan = NULL;
        room.fail_at(n);
        if (make_plan(ABBE_METHOD_AUTO, &plan) || run(plan))
            fail_msg("call %ld: %s", n, abbe_error_text(device));
        assert_right("call", n);
        failed = room.failed();
        abbe_plan_destroy(&plan);
    }
    room.fail_at(-1);
    assert_true(n > 15);
}

/* A caller's transfer function is not called again when runs fail. */
static void callers_function(void **state)
{
    (void)state;
    abbe_filter *halving = halving_filter();
    halving_may_be_asked = true;
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = WIDTH,
                                                              .height = HEIGHT,
                                                              .channels = CHANNELS,
                                                              .source_type = ABBE_F32,
                                                              .result_type = ABBE_F32,
                                                              .filters = (const abbe_filter *const *)&halving,
                                                              .filter_count = 1 });
    halving_may_be_asked = false;
    room.limit(1 << 8);
    assert_full(run(plan));
    room.limit(SIZE_MAX);
    assert_int_equal(run(plan), ABBE_OK);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&halving);
}

int main(void)
{
    if (abbe_device_open(room.device, NULL, &device)) {
        printf("%s\n", abbe_error_text(NULL));
        return TEST_SKIPPED;
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(little_room), cmocka_unit_test(room_that_goes),
                                        cmocka_unit_test(one_call), cmocka_unit_test(callers_function) };
    return cmocka_run_group_tests(tests, make_expected, free_expected);
}
