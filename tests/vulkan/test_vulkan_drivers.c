/* Loaders and drivers that are missing, old, broken or lack something: each gives one message that names it,
 * and no leak.
 *
 * Needs a software driver, whose answers are altered; skipped (77) without one. */
#include "support/blur.h"
#include "support/drivers.h"
#include "support/test.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char name[] = "vulkan:0";

/* ---- Answers that are altered -------------------------------------------------------------------------- */

static struct {
    bool no_symbol;
    const char *missing;                    /* name of a function that is not found */
    uint32_t api, threads, shared, buffers; /* 0: unaltered */
    bool idle_queues, no_adapters;
    VkResult listing, device, cache; /* results of calls; `cache` only if there is data from a file */
} lie;

static PFN_vkGetInstanceProcAddr real_instance;
static PFN_vkGetDeviceProcAddr real_device;
static PFN_vkGetPhysicalDeviceProperties2 real_properties;
static PFN_vkGetPhysicalDeviceQueueFamilyProperties real_families;
static PFN_vkEnumeratePhysicalDevices real_adapters;
static PFN_vkCreateDevice real_create;
static PFN_vkCreatePipelineCache real_cache;

static void VKAPI_PTR properties(VkPhysicalDevice adapter, VkPhysicalDeviceProperties2 *all)
{
    real_properties(adapter, all);
    VkPhysicalDeviceLimits *limits = &all->properties.limits;
    all->properties.apiVersion = lie.api ? lie.api : all->properties.apiVersion;
    limits->maxComputeWorkGroupInvocations = lie.threads ? lie.threads
                                                         : limits->maxComputeWorkGroupInvocations;
    limits->maxComputeSharedMemorySize = lie.shared ? lie.shared : limits->maxComputeSharedMemorySize;
    limits->maxPerStageDescriptorStorageBuffers = lie.buffers ? lie.buffers
                                                              : limits->maxPerStageDescriptorStorageBuffers;
}

static void VKAPI_PTR families(VkPhysicalDevice adapter, uint32_t *count, VkQueueFamilyProperties *all)
{
    real_families(adapter, count, all);
    for (uint32_t i = 0; all && i < *count && lie.idle_queues; i++)
        all[i].queueFlags &= ~(VkQueueFlags)VK_QUEUE_COMPUTE_BIT;
}

static VkResult VKAPI_PTR adapters(VkInstance instance, uint32_t *count, VkPhysicalDevice *all)
{
    VkResult result = lie.listing ? lie.listing : real_adapters(instance, count, all);
    if (lie.no_adapters)
        *count = 0;
    return result;
}

static VkResult VKAPI_PTR cache(VkDevice device, const VkPipelineCacheCreateInfo *info,
                                const VkAllocationCallbacks *callbacks, VkPipelineCache *made)
{
    return lie.cache && info->initialDataSize ? lie.cache : real_cache(device, info, callbacks, made);
}

static VkResult VKAPI_PTR create(VkPhysicalDevice adapter, const VkDeviceCreateInfo *info,
                                 const VkAllocationCallbacks *callbacks, VkDevice *device)
{
    return lie.device ? lie.device : real_create(adapter, info, callbacks, device);
}

static PFN_vkVoidFunction VKAPI_PTR find_in_device(VkDevice device, const char *function)
{
    PFN_vkVoidFunction found = real_device(device, function);
    if (lie.missing && !strcmp(function, lie.missing))
        return NULL;
    if (strcmp(function, "vkCreatePipelineCache") != 0)
        return found;
    real_cache = (PFN_vkCreatePipelineCache)found;
    return (PFN_vkVoidFunction)cache;
}

#define ALTER(function, real, ours)                     \
    if (!strcmp(wanted, "vk" #function)) {              \
        real = (PFN_vk##function)found;                 \
        return found ? (PFN_vkVoidFunction)ours : NULL; \
    }

static PFN_vkVoidFunction VKAPI_PTR find(VkInstance instance, const char *wanted)
{
    PFN_vkVoidFunction found = real_instance(instance, wanted);
    if (lie.missing && !strcmp(wanted, lie.missing))
        return NULL;
    ALTER(GetDeviceProcAddr, real_device, find_in_device)
    ALTER(GetPhysicalDeviceProperties2, real_properties, properties)
    ALTER(GetPhysicalDeviceQueueFamilyProperties, real_families, families)
    ALTER(EnumeratePhysicalDevices, real_adapters, adapters)
    ALTER(CreateDevice, real_create, create)
    return found;
}

static void *replace_symbol(const char *symbol, void *found)
{
    PFN_vkGetInstanceProcAddr ours = find;
    if (strcmp(symbol, "vkGetInstanceProcAddr") != 0)
        return found;
    memcpy(&real_instance, &found, sizeof found);
    memcpy(&found, &ours, sizeof found);
    return lie.no_symbol ? NULL : found;
}

static void tell_the_truth(void)
{
    memset(&lie, 0, sizeof lie);
    drivers = (struct drivers){ .replace = replace_symbol };
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

static void refused(const char *words)
{
    abbe_device *device = NULL;
    drivers_assert_refused(name, words);
    tell_the_truth();
    assert_int_equal(abbe_device_open(name, NULL, &device), ABBE_OK);
    abbe_device_close(&device);
}

static void loaders(void **state)
{
    (void)state;
    drivers.missing_library = "vulkan";
    refused("install the Vulkan loader");
    lie.no_symbol = true;
    refused("is not a Vulkan loader");
    lie.missing = "vkCreateInstance";
    refused("older than Vulkan 1.1");
    lie.missing = "vkEnumerateInstanceVersion";
    refused("older than Vulkan 1.1");
    lie.missing = "vkGetPhysicalDeviceProperties2";
    refused("the loader lacks vkGetPhysicalDeviceProperties2");
}

static void broken_drivers(void **state)
{
    (void)state;
    lie.missing = "vkCreateComputePipelines";
    refused("the driver lacks vkCreateComputePipelines");
    lie.listing = VK_ERROR_INITIALIZATION_FAILED;
    refused("listing the GPUs failed");
    lie.device = VK_ERROR_INITIALIZATION_FAILED;
    refused("opening the GPU failed");
    lie.device = VK_ERROR_DEVICE_LOST;
    refused("lost");
}

static void features(void **state)
{
    (void)state;
    lie.api = VK_API_VERSION_1_0;
    refused("lacks Vulkan 1.1, which a newer driver may have");
    lie.threads = 128;
    refused("lacks 256 threads");
    lie.shared = 16384;
    refused("lacks 32 KiB of shared memory");
    lie.buffers = 4;
    refused("lacks 8 storage buffers");
    lie.idle_queues = true;
    refused("lacks a compute queue");
}

/* If every GPU lacks something, the message names the best one, also without a number. */
static void best_of_none(void **state)
{
    (void)state;
    abbe_device *device = NULL;
    lie.shared = 16384;
    assert_int_equal(abbe_device_open("vulkan", NULL, &device), ABBE_ERR_DEVICE);
    assert_non_null(strstr(abbe_error_text(NULL), "lacks 32 KiB"));
    assert_int_equal(abbe_device_open("vulkan:lavapipe", NULL, &device), ABBE_ERR_DEVICE);
    assert_non_null(strstr(abbe_error_text(NULL), "lacks 32 KiB"));
    tell_the_truth();
    lie.no_adapters = true;
    assert_int_equal(abbe_device_open("vulkan", NULL, &device), ABBE_ERR_DEVICE);
    assert_non_null(strstr(abbe_error_text(NULL), "no GPU; install its driver"));
    tell_the_truth();
}

/* ---- Files that are not drivers ------------------------------------------------------------------------ */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void garbage(void **state)
{
    (void)state;
    char folder[] = "/tmp/abbe-test-XXXXXX", library[64], manifest[64], text[256];
    abbe_device *device = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(library, sizeof library, "%s/libdriver.so", folder);
    snprintf(manifest, sizeof manifest, "%s/driver.json", folder);
    snprintf(text, sizeof text,
             "{ \"file_format_version\": \"1.0.0\", \"ICD\": { \"library_path\": \"%s\", \"api_version\": "
             "\"1.1.0\" } }",
             library);
    const char *manifests[] = { text, text, "{ \"file", "" };
    setenv("VK_ICD_FILENAMES", manifest, 1);
    setenv("VK_DRIVER_FILES", manifest, 1);
    for (int i = 0; i < 4; i++) {
        write_file(manifest, manifests[i]);
        if (i)
            write_file(library, "this is not a library");
        int error = abbe_device_open("vulkan", NULL, &device);
        bool memory = error ==
                      ABBE_ERR_MEMORY; /* some loaders answer so for a manifest that they cannot read */
        if (!(error == ABBE_ERR_DEVICE && strstr(abbe_error_text(NULL), "no driver is installed")) &&
            !(memory && i > 1))
            fail_msg("%d: %s", i, abbe_error_text(NULL));
    }
    unsetenv("VK_ICD_FILENAMES");
    unsetenv("VK_DRIVER_FILES");
    assert_int_equal(unlink(library) | unlink(manifest) | rmdir(folder), 0);
}

/* ---- A cache that the driver wrote and rejects --------------------------------------------------------- */

static void stale_cache(void **state)
{
    (void)state;
    char folder[] = "/tmp/abbe-test-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    setenv("ABBE_VULKAN_CACHE", folder, 1);
    for (int turn = 0; turn < 2; turn++) {
        float out[BLUR_SAMPLES];
        abbe_device *device = NULL;
        lie.cache = turn ? VK_ERROR_INITIALIZATION_FAILED : VK_SUCCESS;
        assert_int_equal(abbe_device_open(name, NULL, &device), ABBE_OK);
        assert_int_equal(blur_run(device, ABBE_METHOD_DIRECT, out), ABBE_OK);
        blur_assert_right(out);
        abbe_device_close(&device);
    }
    lie.cache = VK_SUCCESS;
    setenv("ABBE_VULKAN_CACHE", "", 1);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    tell_the_truth();
    test_require_device(name);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loaders),      cmocka_unit_test(broken_drivers), cmocka_unit_test(features),
        cmocka_unit_test(best_of_none), cmocka_unit_test(garbage),        cmocka_unit_test(stale_cache),
    };
    return cmocka_run_group_tests(tests, blur_make_expected, NULL);
}
