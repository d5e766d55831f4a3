/* The GPUs of the machine: the choice of the best one or of the one that is named, and their list. */
#define _GNU_SOURCE
#include "core/error.h"
#include "core/text.h"
#include "device/list.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ADAPTERS_MAX = 32 };

static bool software_allowed(void)
{
    const char *value = secure_getenv("ABBE_VULKAN_SOFTWARE");
    return value && *value && strcmp(value, "0") != 0;
}

/* Discrete before integrated before virtual GPUs; software drivers only where they are
 * allowed. 0 is never chosen. */
static int rank_type(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return software_allowed() ? 1 : 0;
    case VK_PHYSICAL_DEVICE_TYPE_OTHER:
    case VK_PHYSICAL_DEVICE_TYPE_MAX_ENUM: break;
    }
    return 1;
}

/* Reads the properties of an adapter, and of its driver where that is new enough to tell. */
static void read_adapter(const struct vk *vk, VkPhysicalDevice adapter,
                         VkPhysicalDeviceProperties *properties, VkPhysicalDeviceDriverProperties *driver)
{
    *driver = (VkPhysicalDeviceDriverProperties){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES
    };
    VkPhysicalDeviceProperties2 all = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 };
    vk->f.GetPhysicalDeviceProperties2(adapter, &all);
    *properties = all.properties;
    if (all.properties.apiVersion >= VK_API_VERSION_1_2) {
        all.pNext = driver;
        vk->f.GetPhysicalDeviceProperties2(adapter, &all);
    }
}

/* Makes an adapter the current one and reads its properties. */
static void set_adapter(struct vk *vk, VkPhysicalDevice adapter)
{
    VkPhysicalDeviceDriverProperties driver;
    read_adapter(vk, adapter, &vk->properties, &driver);
    vk->adapter = adapter;
    snprintf(vk->driver, sizeof vk->driver, "%s%s%s", driver.driverName, *driver.driverInfo ? " " : "",
             driver.driverInfo);
}

/* Mesa's software driver calls itself llvmpipe, but is known as lavapipe. */
static bool matches_name(const struct vk *vk, const char *name)
{
    bool software = vk->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    return text_contains(vk->properties.deviceName, name) || text_contains(vk->driver, name) ||
           (software && (!strcasecmp(name, "lavapipe") || !strcasecmp(name, "software")));
}

/* Finds a family of queues that compute, and up to two queues of a family that only copies. Returns false
 * without the first. */
static bool find_queues(struct vk *vk)
{
    enum { COPIES = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT };
    VkQueueFamilyProperties families[ADAPTERS_MAX];
    uint32_t count = ADAPTERS_MAX;
    bool found = false;
    vk->f.GetPhysicalDeviceQueueFamilyProperties(vk->adapter, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        VkQueueFlags flags = families[i].queueFlags;
        if (flags & VK_QUEUE_COMPUTE_BIT && !found) {
            vk->family = i;
            vk->time_bits = families[i].timestampValidBits;
            found = true;
        }
        if (flags & VK_QUEUE_TRANSFER_BIT && !(flags & ~(VkQueueFlags)COPIES) && !vk->copy_count) {
            vk->copy_family = i;
            vk->copy_count = families[i].queueCount < 2 ? families[i].queueCount : 2;
        }
    }
    return found;
}

/* Returns NULL, or what the adapter lacks and what to use instead. */
static const char *missing_feature(const struct vk *vk)
{
    const VkPhysicalDeviceLimits *limits = &vk->properties.limits;
    if (vk->properties.apiVersion < VK_API_VERSION_1_1)
        return "Vulkan 1.1, which a newer driver may have";
    if (limits->maxPerStageDescriptorStorageBuffers < ABVK_BUFFERS)
        return "8 storage buffers in a shader; other devices are gl and cpu";
    if (limits->maxComputeWorkGroupInvocations < ABVK_SEPARABLE_THREADS ||
        limits->maxComputeWorkGroupSize[0] < ABVK_SEPARABLE_THREADS)
        return "256 threads in a workgroup; other devices are gl and cpu";
    if (limits->maxComputeSharedMemorySize < 32768)
        return "32 KiB of shared memory; other devices are gl and cpu";
    return NULL;
}

static int fail_lacking(const struct vk *vk, const char *what)
{
    return core_fail(NULL, ABBE_ERR_DEVICE, "device 'vulkan': %s lacks %s", vk->properties.deviceName, what);
}

static int choose_by_number(struct vk *vk, const VkPhysicalDevice *adapters, uint32_t count,
                            const char *argument)
{
    unsigned long number = strtoul(argument, NULL, 10);
    if (number >= count)
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'vulkan:%s': there %s %u GPU%s, counted from 0",
                         text_show(argument, strlen(argument)).text, count == 1 ? "is" : "are", count,
                         count == 1 ? "" : "s");
    set_adapter(vk, adapters[number]);
    return ABBE_OK;
}

/* Logs why an adapter is passed over where any would do. */
static void log_skipped(const struct vk *vk, bool suits)
{
    const char *missing = missing_feature(vk);
    if (missing)
        device_log(&vk->head, ABBE_LOG_WARNING, "vulkan: %s is passed over: it lacks %s",
                   vk->properties.deviceName, missing);
    else if (!suits)
        device_log(&vk->head, ABBE_LOG_INFO, "vulkan: %s is passed over: it is a software driver",
                   vk->properties.deviceName);
}

/* Chooses the first of the best adapters, those that lack nothing before all others. */
static int choose_by_rank(struct vk *vk, const VkPhysicalDevice *adapters, uint32_t count, const char *name)
{
    enum { ENOUGH = 8 };
    int best = 0;
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < count; i++) {
        set_adapter(vk, adapters[i]);
        int points = name ? matches_name(vk, name) : rank_type(vk->properties.deviceType);
        points += points && !missing_feature(vk) ? ENOUGH : 0;
        if (!name)
            log_skipped(vk, points >= ENOUGH);
        if (points > best) {
            best = points;
            chosen = i;
        }
    }
    if (!best && name)
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'vulkan:%s': no GPU or driver has that name",
                         text_show(name, strlen(name)).text);
    if (!best)
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "device 'vulkan': no GPU%s; install its driver, or ask for a software driver with "
                         "vulkan:lavapipe or ABBE_VULKAN_SOFTWARE=1",
                         count ? " among the drivers here" : "");
    set_adapter(vk, adapters[chosen]);
    return ABBE_OK;
}

int vk_choose_adapter(struct vk *vk, const char *argument)
{
    VkPhysicalDevice adapters[ADAPTERS_MAX];
    uint32_t count = ADAPTERS_MAX;
    VkResult result = vk->f.EnumeratePhysicalDevices(vk->instance, &count, adapters);
    if (result && result != VK_INCOMPLETE)
        return vk_fail(NULL, result, "listing the GPUs");
    bool number = argument && *argument && argument[strspn(argument, "0123456789")] == '\0';
    int error = number ? choose_by_number(vk, adapters, count, argument)
                       : choose_by_rank(vk, adapters, count, argument && *argument ? argument : NULL);
    if (error)
        return error;
    const char *lacking = missing_feature(vk);
    if (!lacking && !find_queues(vk))
        lacking = "a compute queue; other devices are gl and cpu";
    if (lacking)
        return fail_lacking(vk, lacking);
    vk->f.GetPhysicalDeviceMemoryProperties(vk->adapter, &vk->memory);
    return ABBE_OK;
}

int vk_adopt_adapter(struct vk *vk, VkPhysicalDevice adapter, uint32_t family)
{
    VkQueueFamilyProperties families[ADAPTERS_MAX];
    uint32_t count = ADAPTERS_MAX;
    set_adapter(vk, adapter);
    const char *lacking = missing_feature(vk);
    if (lacking)
        return fail_lacking(vk, lacking);
    vk->f.GetPhysicalDeviceQueueFamilyProperties(adapter, &count, families);
    if (family >= count || !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_vulkan_adopt: queue_family %u of %s %s", family,
                         vk->properties.deviceName, family < count ? "does not compute" : "does not exist");
    vk->family = family;
    vk->time_bits = families[family].timestampValidBits;
    vk->f.GetPhysicalDeviceMemoryProperties(adapter, &vk->memory);
    return ABBE_OK;
}

/* ---- The list of adapters ----------------------------------------------------------------------------- */

static abbe_adapter_kind kind_of(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return ABBE_ADAPTER_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return ABBE_ADAPTER_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return ABBE_ADAPTER_VIRTUAL;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return ABBE_ADAPTER_SOFTWARE;
    case VK_PHYSICAL_DEVICE_TYPE_OTHER:
    case VK_PHYSICAL_DEVICE_TYPE_MAX_ENUM: break;
    }
    return ABBE_ADAPTER_UNKNOWN;
}

uint64_t vk_local_memory(const VkPhysicalDeviceMemoryProperties *memory)
{
    VkDeviceSize most = 0;
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++)
        if (memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT &&
            memory->memoryHeaps[i].size > most)
            most = memory->memoryHeaps[i].size;
    return most;
}

static void list_adapter(struct vk *vk, VkPhysicalDevice adapter, uint32_t number, struct adapter_list *list)
{
    VkPhysicalDeviceDriverProperties driver;
    char name[24], problem[160] = "";
    vk->adapter = adapter;
    read_adapter(vk, adapter, &vk->properties, &driver);
    vk->f.GetPhysicalDeviceMemoryProperties(adapter, &vk->memory);
    const char *lacking = missing_feature(vk);
    if (!lacking && !find_queues(vk))
        lacking = "a compute queue";
    if (lacking)
        snprintf(problem, sizeof problem, "it lacks %s", lacking);
    snprintf(name, sizeof name, "vulkan:%u", number);
    device_list_add(list, &(abbe_adapter){ .name = name,
                                           .kind = kind_of(vk->properties.deviceType),
                                           .model = vk->properties.deviceName,
                                           .memory = vk_local_memory(&vk->memory),
                                           .driver = driver.driverName,
                                           .driver_version = driver.driverInfo,
                                           .problem = problem });
}

int vk_list(struct adapter_list *list)
{
    VkPhysicalDevice adapters[ADAPTERS_MAX];
    uint32_t count = ADAPTERS_MAX;
    struct vk *vk = vk_create();
    if (!vk)
        return core_fail_memory(NULL);
    bool listed = !vk_load(vk) &&
                  vk->f.EnumeratePhysicalDevices(vk->instance, &count, adapters) >= VK_SUCCESS;
    for (uint32_t i = 0; listed && i < count; i++)
        list_adapter(vk, adapters[i], i, list);
    vk_close(&vk->head);
    return ABBE_OK;
}
