/* Runs whose copies go through copy queues, beside the passes of other runs; and each of their calls made to
 * fail once.
 *
 * A software driver has one queue and one memory: the device is told that there are copy queues, and that the
 * host does not see its memory. Skipped (77) without such a driver. */
#include "support/apply.h"
#include "support/shims.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 21, HEIGHT = 18, SAMPLES = WIDTH * HEIGHT * 4, RUNS = 4 };

static float sources[RUNS][SAMPLES], results[RUNS][SAMPLES];
static struct picture expected[RUNS];
static abbe_filter *blur;

static int make_expected(void **state)
{
    (void)state;
    abbe_matrix taps;
    blur = apply_filter("gaussian:sigma=1");
    const abbe_filter_info *info = abbe_filter_describe(blur);
    if (abbe_filter_taps(blur, 0, &taps))
        return 1;
    for (int r = 0; r < RUNS; r++) {
        struct picture in = apply_noise(WIDTH, HEIGHT, 4, (uint64_t)r, true);
        expected[r] = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &taps, info->centre_x, info->centre_y);
        for (int i = 0; i < SAMPLES; i++)
            sources[r][i] = (float)in.samples[i];
        picture_free(&in);
    }
    abbe_matrix_free(&taps);
    return 0;
}

static int free_expected(void **state)
{
    (void)state;
    for (int r = 0; r < RUNS; r++)
        picture_free(&expected[r]);
    abbe_filter_destroy(&blur);
    return 0;
}

/* A device with that many copy queues. */
static abbe_device *open_device(uint32_t copies)
{
    abbe_device *device = NULL;
    assert_int_equal(abbe_device_open("vulkan:lavapipe", NULL, &device), ABBE_OK);
    struct vk *vk = (struct vk *)device;
    vk->unified = false;
    vk->copy_family = vk->family;
    vk->copy_count = copies;
    vk->copy_queues[0] = vk->copy_queues[1] = vk->queue;
    return device;
}

static int make_plan(abbe_device *device, abbe_plan **plan)
{
    return abbe_plan_create(device,
                            &(abbe_plan_params){ .width = WIDTH,
                                                 .height = HEIGHT,
                                                 .channels = 4,
                                                 .source_type = ABBE_F32,
                                                 .result_type = ABBE_F32,
                                                 .filters = (const abbe_filter *const *)&blur,
                                                 .filter_count = 1,
                                                 .method = ABBE_METHOD_FFT },
                            plan);
}

static abbe_image view_of(float *samples)
{
    return (abbe_image){ .data = samples,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .channels = 4,
                         .stride = WIDTH * 4 * sizeof(float),
                         .type = ABBE_F32 };
}

static int submit(const abbe_plan *plan, int r, abbe_ticket **ticket)
{
    abbe_image source = view_of(sources[r]), result = view_of(results[r]);
    memset(results[r], 0x7e, sizeof results[r]);
    return abbe_submit(plan, &source, &result, ticket);
}

static void assert_filtered(int r)
{
    for (int i = 0; i < SAMPLES; i++)
        if (!(fabs(results[r][i] - expected[r].samples[i]) < 1e-5))
            fail_msg("run %d, sample %d: %g, not %g", r, i, (double)results[r][i], expected[r].samples[i]);
}

static void copies_apart(void **state)
{
    (void)state;
    for (uint32_t copies = 0; copies <= 2; copies++) {
        abbe_device *device = open_device(copies);
        abbe_plan *plan = NULL;
        abbe_ticket *tickets[RUNS];
        assert_int_equal(make_plan(device, &plan), ABBE_OK);
        for (int turn = 0; turn < 2; turn++) {
            for (int r = 0; r < RUNS; r++)
                assert_int_equal(submit(plan, r, &tickets[r]), ABBE_OK);
            for (int r = 0; r < RUNS; r++) {
                assert_int_equal(abbe_wait(&tickets[r]), ABBE_OK);
                assert_filtered(r);
            }
        }
        abbe_plan_destroy(&plan);
        abbe_device_close(&device);
    }
}

/* ---- Failures ----------------------------------------------------------------------------------------- */

static bool is_untouched(int r)
{
    const unsigned char *bytes = (const unsigned char *)results[r];
    return bytes[0] == 0x7e && !memcmp(bytes, bytes + 1, sizeof results[r] - 1);
}

/* Two runs in progress; one fails at some step, and the other is right nevertheless. */
static int try_two(const abbe_plan *plan)
{
    abbe_ticket *tickets[2] = { NULL, NULL };
    int first = submit(plan, 0, &tickets[0]), second = submit(plan, 1, &tickets[1]);
    first = first ? first : abbe_wait(&tickets[0]);
    second = second ? second : abbe_wait(&tickets[1]);
    assert_true(!first || !second);
    for (int r = 0; r < 2; r++)
        if (!(r ? second : first))
            assert_filtered(r);
        else
            assert_true(is_untouched(r));
    return first ? first : second;
}

static void check_failures(uint32_t copies, VkResult failure)
{
    abbe_device *device = open_device(copies);
    int error = ABBE_ERR_DEVICE;
    long n = 0;
    shims_put(device);
    for (; error; n++) {
        abbe_plan *plan = NULL;
        assert_int_equal(make_plan(device, &plan), ABBE_OK);
        shims_fail(n, failure);
        error = try_two(plan);
        if (error && error != shims_code(failure))
            fail_msg("call %ld: %s, %s", n, abbe_error_name(error), abbe_error_text(device));
        assert_true(error || !shims_failed());
        shims_fail(-1, failure);
        assert_int_equal(try_two(plan), ABBE_OK);
        abbe_plan_destroy(&plan);
    }
    assert_true(n > 40);
    abbe_device_close(&device);
}

static void every_call(void **state)
{
    (void)state;
    for (uint32_t copies = 0; copies <= 2; copies++)
        check_failures(copies, copies == 1 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_UNKNOWN);
}

int main(void)
{
    test_require_device("vulkan:lavapipe");
    const struct CMUnitTest tests[] = { cmocka_unit_test(copies_apart), cmocka_unit_test(every_call) };
    return cmocka_run_group_tests(tests, make_expected, free_expected);
}
