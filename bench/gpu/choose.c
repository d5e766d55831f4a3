/* Chooses the GPU that a name of Abbe's device stands for, by the rules in docs/vulkan.md.
 *
 * The rules are a copy of those in src/vulkan/adapters.c. The benchmark must
 * time Abbe and its peers on the same GPU, but the public API lists only kinds
 * of devices and does not tell which physical device an abbe_device uses. */
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ADAPTERS_MAX = 32, FAMILIES_MAX = 32 };

static bool software_allowed(void)
{
    const char *value = getenv("ABBE_VULKAN_SOFTWARE");
    return value && *value && strcmp(value, "0") != 0;
}

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

static bool contains_text(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++)
        if (!strncasecmp(text, part, length))
            return true;
    return false;
}

static bool has_name(const struct gpu *gpu, VkPhysicalDevice adapter, const char *name)
{
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES
    };
    VkPhysicalDeviceProperties2 all = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 };
    gpu->f.GetPhysicalDeviceProperties2(adapter, &all);
    if (all.properties.apiVersion >= VK_API_VERSION_1_2) {
        all.pNext = &driver;
        gpu->f.GetPhysicalDeviceProperties2(adapter, &all);
    }
    bool software = all.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    return contains_text(all.properties.deviceName, name) || contains_text(driver.driverName, name) ||
           contains_text(driver.driverInfo, name) ||
           (software && (!strcasecmp(name, "lavapipe") || !strcasecmp(name, "software")));
}

/* Ranks an adapter; 0 excludes it. `word` is the text after "vulkan:", or NULL. */
static int rank_adapter(const struct gpu *gpu, VkPhysicalDevice adapter, uint32_t index, const char *word)
{
    VkPhysicalDeviceProperties properties;
    if (word && word[strspn(word, "0123456789")] == '\0')
        return strtoul(word, NULL, 10) == index;
    if (word)
        return has_name(gpu, adapter, word);
    gpu->f.GetPhysicalDeviceProperties(adapter, &properties);
    return rank_type(properties.deviceType);
}

static bool find_queue_family(struct gpu *gpu)
{
    VkQueueFamilyProperties families[FAMILIES_MAX];
    uint32_t count = FAMILIES_MAX;
    gpu->f.GetPhysicalDeviceQueueFamilyProperties(gpu->adapter, &count, families);
    for (uint32_t i = 0; i < count; i++)
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT && families[i].timestampValidBits) {
            gpu->family = i;
            gpu->stamp_bits = families[i].timestampValidBits;
            return true;
        }
    snprintf(gpu->problem, sizeof gpu->problem, "no queue of the GPU supports both compute and timestamps");
    return false;
}

bool gpu_choose(struct gpu *gpu, const char *device)
{
    VkPhysicalDevice adapters[ADAPTERS_MAX];
    uint32_t count = ADAPTERS_MAX;
    const char *colon = strchr(device, ':'), *word = colon && colon[1] ? colon + 1 : NULL;
    int best = 0;
    VkResult result = gpu->f.EnumeratePhysicalDevices(gpu->instance, &count, adapters);
    if (result != VK_INCOMPLETE && !gpu_ok(gpu, result, "listing the GPUs"))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (rank_adapter(gpu, adapters[i], i, word) > best) {
            best = rank_adapter(gpu, adapters[i], i, word);
            gpu->adapter = adapters[i];
        }
    if (!best) {
        snprintf(gpu->problem, sizeof gpu->problem, "no GPU%s%s", word ? " is called " : "",
                 word ? word : "; --device vulkan:lavapipe selects Mesa's software driver");
        return false;
    }
    gpu->f.GetPhysicalDeviceProperties(gpu->adapter, &gpu->properties);
    gpu->f.GetPhysicalDeviceMemoryProperties(gpu->adapter, &gpu->memory);
    return find_queue_family(gpu);
}
