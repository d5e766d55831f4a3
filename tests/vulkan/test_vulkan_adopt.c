/* Adopted devices: which arguments are refused and with which message; runs beside recordings; the queue's
 * lock; and that the application's objects are untouched at the end.
 *
 * Needs a software driver; skipped (77) without one. */
#include "device/device.h"
#include "support/apply.h"
#include "support/program.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 16, HEIGHT = 12 };

static struct program program;

static void expect_message(const abbe_device *device, const char *words)
{
    if (!strstr(abbe_error_text(device), words))
        fail_msg("'%s' does not contain '%s'", abbe_error_text(device), words);
}

static abbe_device *adopt(void)
{
    abbe_vulkan_params params = program_params(&program);
    abbe_device *device = NULL;
    if (abbe_vulkan_adopt(&params, &device))
        fail_msg("%s", abbe_error_text(NULL));
    return device;
}

static abbe_plan *make_plan(abbe_device *device, int channels, abbe_type type, abbe_nonfinite nonfinite)
{
    abbe_filter *filter = apply_filter("box:radius=1");
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = WIDTH,
                                                              .height = HEIGHT,
                                                              .channels = channels,
                                                              .source_type = type,
                                                              .result_type = type,
                                                              .filters = (const abbe_filter *const *)&filter,
                                                              .filter_count = 1,
                                                              .nonfinite = nonfinite,
                                                              .method = ABBE_METHOD_DIRECT });
    abbe_filter_destroy(&filter);
    return plan;
}

/* ---- Adoption ----------------------------------------------------------------------------------------- */

static void not_adopted(const abbe_vulkan_params *params, int code, const char *words)
{
    static char mark;
    abbe_device *device = (abbe_device *)&mark;
    assert_int_equal(abbe_vulkan_adopt(params, &device), code);
    assert_ptr_equal(device, &mark);
    expect_message(NULL, words);
}

static void ignore_lock(void *user)
{
    (void)user;
}

static void incomplete_parameters(void **state)
{
    (void)state;
    abbe_vulkan_params good = program_params(&program), bad = good;
    not_adopted(NULL, ABBE_ERR_INVALID, "params is NULL");
    assert_int_equal(abbe_vulkan_adopt(&good, NULL), ABBE_ERR_INVALID);
    bad.get_instance_proc_addr = NULL;
    not_adopted(&bad, ABBE_ERR_INVALID, "get_instance_proc_addr");
    bad = good, bad.instance = NULL;
    not_adopted(&bad, ABBE_ERR_INVALID, "params->instance");
    bad = good, bad.physical_device = NULL;
    not_adopted(&bad, ABBE_ERR_INVALID, "physical_device");
    bad = good, bad.device = NULL;
    not_adopted(&bad, ABBE_ERR_INVALID, "params->device is NULL");
    bad = good, bad.queue = NULL;
    not_adopted(&bad, ABBE_ERR_INVALID, "queue");
    bad = good, bad.queue_family = 7;
    not_adopted(&bad, ABBE_ERR_INVALID, "queue_family 7");
    bad = good, bad.size = sizeof bad - 1;
    not_adopted(&bad, ABBE_ERR_INVALID, "params: size is");
    bad = good, bad.options = &(abbe_device_params){ .size = 5 };
    not_adopted(&bad, ABBE_ERR_INVALID, "size is 5");
    bad = good, bad.options = &(abbe_device_params){ .threads = -1 };
    not_adopted(&bad, ABBE_ERR_INVALID, "threads");
    bad = good, bad.lock_queue = ignore_lock;
    not_adopted(&bad, ABBE_ERR_INVALID, "set both lock_queue and unlock_queue");
}

/* A loader in between that reports a GPU without some feature. */
static enum { OLD, NARROW, SMALL, NO_COMPUTE, NO_DISPATCH } lie;
static PFN_vkGetPhysicalDeviceProperties2 real_properties;
static PFN_vkGetPhysicalDeviceQueueFamilyProperties real_families;
static PFN_vkGetDeviceProcAddr real_device_proc;

static void VKAPI_PTR false_properties(VkPhysicalDevice gpu, VkPhysicalDeviceProperties2 *properties)
{
    VkPhysicalDeviceLimits *limits = &properties->properties.limits;
    real_properties(gpu, properties);
    if (lie == OLD)
        properties->properties.apiVersion = VK_API_VERSION_1_0;
    if (lie == NARROW)
        limits->maxComputeWorkGroupInvocations = 128;
    if (lie == SMALL)
        limits->maxComputeSharedMemorySize = 16384;
}

static void VKAPI_PTR false_families(VkPhysicalDevice gpu, uint32_t *count, VkQueueFamilyProperties *families)
{
    real_families(gpu, count, families);
    for (uint32_t i = 0; families && i < *count && lie == NO_COMPUTE; i++)
        families[i].queueFlags &= ~(VkQueueFlags)VK_QUEUE_COMPUTE_BIT;
}

static PFN_vkVoidFunction VKAPI_PTR false_device_proc(VkDevice device, const char *name)
{
    return lie == NO_DISPATCH && !strcmp(name, "vkCmdDispatch") ? NULL : real_device_proc(device, name);
}

static PFN_vkVoidFunction VKAPI_PTR false_instance_proc(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction found = program_params(&program).get_instance_proc_addr(instance, name);
    if (!strcmp(name, "vkGetPhysicalDeviceProperties2")) {
        real_properties = (PFN_vkGetPhysicalDeviceProperties2)found;
        return (PFN_vkVoidFunction)false_properties;
    }
    if (!strcmp(name, "vkGetPhysicalDeviceQueueFamilyProperties")) {
        real_families = (PFN_vkGetPhysicalDeviceQueueFamilyProperties)found;
        return (PFN_vkVoidFunction)false_families;
    }
    if (!strcmp(name, "vkGetDeviceProcAddr")) {
        real_device_proc = (PFN_vkGetDeviceProcAddr)found;
        return (PFN_vkVoidFunction)false_device_proc;
    }
    return found;
}

static void poor_gpus(void **state)
{
    (void)state;
    abbe_vulkan_params params = program_params(&program);
    params.get_instance_proc_addr = false_instance_proc;
    static const char *const lacking[] = {
        [OLD] = "lacks Vulkan 1.1", [NARROW] = "lacks 256 threads", [SMALL] = "lacks 32 KiB of shared memory"
    };
    for (lie = OLD; lie <= SMALL; lie++)
        not_adopted(&params, ABBE_ERR_DEVICE, lacking[lie]);
    lie = NO_COMPUTE;
    not_adopted(&params, ABBE_ERR_INVALID, "does not compute");
    lie = NO_DISPATCH;
    not_adopted(&params, ABBE_ERR_DEVICE, "vkCmdDispatch");
}

/* ---- Slots -------------------------------------------------------------------------------------------- */

static void no_slot(const abbe_plan *plan, const abbe_device *device, abbe_vulkan_kind source,
                    abbe_vulkan_kind result, int code, const char *words)
{
    static char mark;
    abbe_vulkan_slot *slot = (abbe_vulkan_slot *)&mark;
    assert_int_equal(abbe_vulkan_slot_create(plan, source, result, &slot), code);
    assert_ptr_equal(slot, &mark);
    expect_message(device, words);
}

static void plans_of_other_devices(void **state)
{
    (void)state;
    static const char *const names[] = { "cpu", "vulkan:lavapipe" };
    for (int i = 0; i < 2; i++) {
        abbe_device *other = NULL;
        assert_int_equal(abbe_device_open(names[i], NULL, &other), ABBE_OK);
        abbe_plan *plan = make_plan(other, 4, ABBE_U8, ABBE_NONFINITE_TRUST);
        no_slot(plan, other, ABBE_VULKAN_BUFFER, ABBE_VULKAN_BUFFER, ABBE_ERR_INVALID, "abbe_vulkan_adopt");
        abbe_plan_destroy(&plan);
        abbe_device_close(&other);
    }
}

static void no_slots(void **state)
{
    (void)state;
    abbe_device *device = adopt();
    abbe_plan *three = make_plan(device, 3, ABBE_U8, ABBE_NONFINITE_ERROR);
    abbe_plan *looking = make_plan(device, 4, ABBE_F16, ABBE_NONFINITE_ERROR);
    no_slot(NULL, NULL, ABBE_VULKAN_BUFFER, ABBE_VULKAN_BUFFER, ABBE_ERR_INVALID, "plan is NULL");
    assert_int_equal(abbe_vulkan_slot_create(three, ABBE_VULKAN_BUFFER, ABBE_VULKAN_BUFFER, NULL),
                     ABBE_ERR_INVALID);
    no_slot(three, device, (abbe_vulkan_kind)2, ABBE_VULKAN_BUFFER, ABBE_ERR_INVALID,
            "source kind 2, result kind 0");
    no_slot(three, device, ABBE_VULKAN_IMAGE, ABBE_VULKAN_BUFFER, ABBE_ERR_INVALID, "images have 4 channels");
    no_slot(three, device, ABBE_VULKAN_BUFFER, ABBE_VULKAN_IMAGE, ABBE_ERR_INVALID, "images have 4 channels");
    no_slot(looking, device, ABBE_VULKAN_IMAGE, ABBE_VULKAN_IMAGE, ABBE_ERR_INVALID, "ABBE_NONFINITE_ZERO");
    abbe_plan_destroy(&three);
    abbe_plan_destroy(&looking);
    abbe_vulkan_slot *none = NULL;
    abbe_vulkan_slot_destroy(&none);
    abbe_vulkan_slot_destroy(NULL);
    abbe_device_close(&device);
}

/* Without the feature, image results are refused; buffers and image sources are not. */
static void missing_feature(void **state)
{
    (void)state;
    abbe_vulkan_params params = program_params(&program);
    const VkPhysicalDeviceFeatures none = { 0 };
    for (int i = 0; i < 2; i++) {
        abbe_device *device = NULL;
        abbe_vulkan_slot *slot = NULL;
        params.features = i ? &none : NULL;
        assert_int_equal(abbe_vulkan_adopt(&params, &device), ABBE_OK);
        abbe_plan *plan = make_plan(device, 4, ABBE_U8, ABBE_NONFINITE_ERROR);
        no_slot(plan, device, ABBE_VULKAN_BUFFER, ABBE_VULKAN_IMAGE, ABBE_ERR_UNSUPPORTED,
                "shaderStorageImageWriteWithoutFormat");
        assert_int_equal(abbe_vulkan_slot_create(plan, ABBE_VULKAN_IMAGE, ABBE_VULKAN_BUFFER, &slot),
                         ABBE_OK);
        abbe_vulkan_slot_destroy(&slot);
        abbe_plan_destroy(&plan);
        abbe_device_close(&device);
    }
}

/* A picture that is filtered in regions is not recorded. */
static void too_large(void **state)
{
    (void)state;
    abbe_device *device = adopt();
    abbe_filter *filter = apply_filter("box:radius=1");
    abbe_plan *plan = NULL;
    device->memory = 1 << 20;
    assert_int_equal(abbe_plan_create(device,
                                      &(abbe_plan_params){ .width = 512,
                                                           .height = 512,
                                                           .channels = 4,
                                                           .source_type = ABBE_U8,
                                                           .result_type = ABBE_U8,
                                                           .filters = (const abbe_filter *const *)&filter,
                                                           .filter_count = 1,
                                                           .method = ABBE_METHOD_DIRECT },
                                      &plan),
                     ABBE_OK);
    no_slot(plan, device, ABBE_VULKAN_BUFFER, ABBE_VULKAN_BUFFER, ABBE_ERR_SIZE, "as a whole");
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
    abbe_device_close(&device);
}

/* ---- Recordings --------------------------------------------------------------------------------------- */

static abbe_vulkan_slot *slot;
static VkCommandBuffer commands;
static abbe_device *holder;

static void refused(const abbe_vulkan_picture *source, const abbe_vulkan_picture *result, const char *words)
{
    assert_int_equal(abbe_vulkan_record(slot, commands, source, result), ABBE_ERR_INVALID);
    expect_message(holder, words);
}

static void bad_images(const struct held *source, const struct held *result)
{
    abbe_vulkan_picture from = source->picture, to = result->picture;
    refused(NULL, NULL, "source is NULL");
    refused(NULL, &to, "source is NULL");
    refused(&from, NULL, "results is NULL");
    from.width++;
    refused(&from, &to, "source: 17 x 12 pixels, but the plan is for 16 x 12");
    from = source->picture, to.height--;
    refused(&from, &to, "result 1: 16 x 11");
    to = result->picture, from.format = VK_FORMAT_R16G16B16A16_SFLOAT;
    refused(&from, &to, "source: VkFormat 97 does not hold four channels of u8");
    from.format = VK_FORMAT_R8G8B8A8_SRGB;
    refused(&from, &to, "source: VkFormat 43");
    from = source->picture, to.format = VK_FORMAT_R32G32B32A32_SFLOAT;
    refused(&from, &to, "result 1: VkFormat 109");
    to = result->picture, to.layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    refused(&from, &to, "must be GENERAL");
    to = result->picture, from.layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    refused(&from, &to, "GENERAL or SHADER_READ_ONLY_OPTIMAL");
    from = source->picture, from.view = VK_NULL_HANDLE;
    refused(&from, &to, "source: the slot takes images");
    from = source->picture;
    refused(&from, &from, "result 1: it shares memory with the source");
}

static void bad_buffers(const struct held *source, const struct held *result)
{
    abbe_vulkan_picture from = source->picture, to = result->picture;
    from.offset = 1;
    refused(&from, &to, "minStorageBufferOffsetAlignment");
    from = source->picture, from.stride++;
    refused(&from, &to, "source: stride is 65 bytes; it must be a multiple of 4 and at least a row of 64");
    from = source->picture, to.stride = 60;
    refused(&from, &to, "result 1: stride is 60 bytes");
    to = result->picture, to.stride = (VkDeviceSize)1 << 40;
    refused(&from, &to, "maxStorageBufferRange");
    to = result->picture, to.buffer = VK_NULL_HANDLE;
    refused(&from, &to, "result 1: the slot takes buffers");
    to = from, to.offset = 256;
    refused(&from, &to, "result 1: it shares memory with the source");
}

/* A refused picture leaves nothing in the command buffer that the validation layer would report. */
static void bad_pictures(void **state)
{
    (void)state;
    holder = adopt();
    abbe_plan *plan = make_plan(holder, 4, ABBE_U8, ABBE_NONFINITE_ERROR);
    commands = program_begin(&program);
    for (int image = 0; image < 2; image++) {
        struct held pictures[2];
        for (int i = 0; i < 2; i++)
            pictures[i] = image ? program_image(&program, WIDTH, HEIGHT, VK_FORMAT_R8G8B8A8_UNORM)
                                : program_buffer(&program, WIDTH, HEIGHT, 4, ABBE_U8, 0, 0);
        abbe_vulkan_kind kind = image ? ABBE_VULKAN_IMAGE : ABBE_VULKAN_BUFFER;
        assert_int_equal(abbe_vulkan_slot_create(plan, kind, kind, &slot), ABBE_OK);
        assert_int_equal(abbe_vulkan_record(NULL, commands, &pictures[0].picture, &pictures[1].picture),
                         ABBE_ERR_INVALID);
        assert_int_equal(abbe_vulkan_record(slot, NULL, &pictures[0].picture, &pictures[1].picture),
                         ABBE_ERR_INVALID);
        (image ? bad_images : bad_buffers)(&pictures[0], &pictures[1]);
        abbe_vulkan_slot_destroy(&slot);
        program_free(&program, &pictures[0]);
        program_free(&program, &pictures[1]);
    }
    program_submit(&program, commands);
    program_wait(&program);
    abbe_plan_destroy(&plan);
    abbe_device_close(&holder);
}

/* ---- Runs --------------------------------------------------------------------------------------------- */

static int locked, locks;

static void lock(void *user)
{
    assert_ptr_equal(user, &locks);
    assert_int_equal(locked++, 0);
    locks++;
}

static void unlock(void *user)
{
    assert_ptr_equal(user, &locks);
    assert_int_equal(--locked, 0);
}

/* An adopted device runs plans like any other, and locks the queue meanwhile: a box
 * of 3 x 3 on 4 x 4 pixels. */
static void runs(void **state)
{
    (void)state;
    abbe_vulkan_params params = program_params(&program);
    abbe_device *device = NULL;
    params.lock_queue = lock;
    params.unlock_queue = unlock;
    params.user = &locks;
    assert_int_equal(abbe_vulkan_adopt(&params, &device), ABBE_OK);
    assert_string_equal(abbe_device_name(device), "vulkan");
    abbe_filter *filter = apply_filter("box:radius=1");
    struct picture in = apply_noise(WIDTH, HEIGHT, 3, 1, true);
    double ninth = 1.0 / 9, nine[9];
    for (int i = 0; i < 9; i++)
        nine[i] = ninth;
    abbe_matrix taps = { 3, 3, nine };
    struct picture expected = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &taps, 1, 1);
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_FFT; method++) {
        int before = locks;
        struct picture got = apply(device, (abbe_plan_params){ .method = (abbe_method)method }, filter, &in);
        assert_true(apply_near(&got, &expected, 1e-5));
        assert_true(locks > before && !locked);
        picture_free(&got);
    }
    picture_free(&in);
    picture_free(&expected);
    abbe_filter_destroy(&filter);
    abbe_device_close(&device);
}

int main(void)
{
    if (!program_open(&program)) {
        printf("no software driver, or no validation layer\n");
        return TEST_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incomplete_parameters),  cmocka_unit_test(poor_gpus),
        cmocka_unit_test(plans_of_other_devices), cmocka_unit_test(no_slots),
        cmocka_unit_test(missing_feature),        cmocka_unit_test(too_large),
        cmocka_unit_test(bad_pictures),           cmocka_unit_test(runs),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    program_close(&program); /* the validation layer reports objects that were not destroyed */
    return failures;
}
