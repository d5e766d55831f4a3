/* Adoption and slots when memory runs out or a call fails: an error, no leak, and success afterwards.
 *
 * Needs a software driver; skipped (77) without one. */
#include "support/apply.h"
#include "support/faults.h"
#include "support/program.h"
#include "support/shims.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static struct program program;
static abbe_filter *filters[2];

static int make_plan(abbe_device *device, abbe_plan **plan)
{
    return abbe_plan_create(device,
                            &(abbe_plan_params){ .width = 16,
                                                 .height = 12,
                                                 .channels = 4,
                                                 .source_type = ABBE_U8,
                                                 .result_type = ABBE_U8,
                                                 .filters = (const abbe_filter *const *)filters,
                                                 .filter_count = 2,
                                                 .method = ABBE_METHOD_FFT },
                            plan);
}

static int try_slot(const abbe_plan *plan)
{
    abbe_vulkan_slot *slot = NULL;
    int error = abbe_vulkan_slot_create(plan, ABBE_VULKAN_IMAGE, ABBE_VULKAN_IMAGE, &slot);
    assert_true(!error == !!slot);
    abbe_vulkan_slot_destroy(&slot);
    return error;
}

static int try_all(void)
{
    abbe_vulkan_params params = program_params(&program);
    abbe_device *device = NULL;
    abbe_plan *plan = NULL;
    int error = abbe_vulkan_adopt(&params, &device);
    if (!error)
        error = make_plan(device, &plan);
    if (!error)
        error = try_slot(plan);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
    return error;
}

static void no_memory(void **state)
{
    (void)state;
    size_t live = faults_live();
    bool failed = true;
    for (long n = 0; failed; n++) {
        faults_arm(n, n % 2);
        int error = try_all();
        failed = faults_disarm();
        if (error != (failed ? ABBE_ERR_MEMORY : ABBE_OK))
            fail_msg("allocation %ld: %s", n, abbe_error_name(error));
        assert_int_equal(faults_live(), live);
    }
}

static void every_call(void **state)
{
    (void)state;
    const VkResult failures[] = { VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST };
    for (int i = 0; i < 2; i++) {
        abbe_vulkan_params params = program_params(&program);
        abbe_device *device = NULL;
        abbe_plan *plan = NULL;
        assert_int_equal(abbe_vulkan_adopt(&params, &device), ABBE_OK);
        assert_int_equal(make_plan(device, &plan), ABBE_OK);
        shims_put(device);
        int error = ABBE_ERR_DEVICE;
        long n = 0;
        for (; error; n++) {
            shims_fail(n, failures[i]);
            error = try_slot(plan);
            if (error && error != shims_code(failures[i]))
                fail_msg("call %ld: %s, %s", n, abbe_error_name(error), abbe_error_text(device));
        }
        assert_false(shims_failed());
        assert_true(n > 8);
        abbe_plan_destroy(&plan);
        abbe_device_close(&device);
    }
}

/* The application must replace its lost device; a run does not. */
static void lost(void **state)
{
    (void)state;
    static uint8_t pixels[16 * 12 * 4], out[2][16 * 12 * 4];
    abbe_vulkan_params params = program_params(&program);
    abbe_image source = { .data = pixels,
                          .width = 16,
                          .height = 12,
                          .channels = 4,
                          .stride = 64,
                          .type = ABBE_U8 },
               results[2] = { source, source };
    abbe_device *device = NULL;
    abbe_plan *plan = NULL;
    for (int i = 0; i < 2; i++)
        results[i].data = out[i];
    assert_int_equal(abbe_vulkan_adopt(&params, &device), ABBE_OK);
    assert_int_equal(make_plan(device, &plan), ABBE_OK);
    shims_put(device);
    bool failed = true;
    for (long n = 0; failed; n++) {
        shims_fail(n, VK_ERROR_DEVICE_LOST);
        int error = abbe_run(plan, &source, results);
        failed = shims_failed();
        assert_int_equal(error, failed ? ABBE_ERR_DEVICE : ABBE_OK);
        assert_true(!error || strstr(abbe_error_text(device), "the application that owns it"));
    }
    assert_int_equal(((struct vk *)device)->generation, 0);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
}

int main(void)
{
    if (!program_open(&program)) {
        printf("no software driver, or no validation layer\n");
        return TEST_SKIPPED;
    }
    filters[0] = apply_filter("gaussian:sigma=1");
    filters[1] = apply_filter("sobel");
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_memory), cmocka_unit_test(every_call),
                                        cmocka_unit_test(lost) };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 2; i++)
        abbe_filter_destroy(&filters[i]);
    program_close(&program); /* the validation layer reports objects that were not destroyed */
    return failures;
}
