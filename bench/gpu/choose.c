/* Which GPU a name of Abbe's device stands for; the rules are docs/vulkan.md's. */
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MANY = 32 };

static bool software_allowed(void)
{
    const char *value = getenv("ABBE_VULKAN_SOFTWARE");
    return value && *value && strcmp(value, "0") != 0;
}

static int rank(VkPhysicalDeviceType type)
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

static bool holds(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++)
        if (!strncasecmp(text, part, length))
            return true;
    return false;
}

static bool is_named(const struct gpu *gpu, VkPhysicalDevice adapter, const char *name)
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
    return holds(all.properties.deviceName, name) || holds(driver.driverName, name) ||
           holds(driver.driverInfo, name) ||
           (software && (!strcasecmp(name, "lavapipe") || !strcasecmp(name, "software")));
}

/* 0: not this one. `word` is what follows "vulkan:", or NULL. */
static int points(const struct gpu *gpu, VkPhysicalDevice adapter, uint32_t index, const char *word)
{
    VkPhysicalDeviceProperties properties;
    if (word && word[strspn(word, "0123456789")] == '\0')
        return strtoul(word, NULL, 10) == index;
    if (word)
        return is_named(gpu, adapter, word);
    gpu->f.GetPhysicalDeviceProperties(adapter, &properties);
    return rank(properties.deviceType);
}

static bool find_family(struct gpu *gpu)
{
    VkQueueFamilyProperties families[MANY];
    uint32_t count = MANY;
    gpu->f.GetPhysicalDeviceQueueFamilyProperties(gpu->adapter, &count, families);
    for (uint32_t i = 0; i < count; i++)
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT && families[i].timestampValidBits) {
            gpu->family = i;
            gpu->stamp_bits = families[i].timestampValidBits;
            return true;
        }
    snprintf(gpu->problem, sizeof gpu->problem, "the GPU has no clock that a queue could read");
    return false;
}

bool gpu_choose(struct gpu *gpu, const char *device)
{
    VkPhysicalDevice adapters[MANY];
    uint32_t count = MANY;
    const char *colon = strchr(device, ':'), *word = colon && colon[1] ? colon + 1 : NULL;
    int best = 0;
    VkResult result = gpu->f.EnumeratePhysicalDevices(gpu->instance, &count, adapters);
    if (result != VK_INCOMPLETE && !gpu_ok(gpu, result, "listing the GPUs"))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (points(gpu, adapters[i], i, word) > best) {
            best = points(gpu, adapters[i], i, word);
            gpu->adapter = adapters[i];
        }
    if (!best) {
        snprintf(gpu->problem, sizeof gpu->problem, "no GPU%s%s", word ? " is called " : "",
                 word ? word : "; --device vulkan:lavapipe takes Mesa's software driver");
        return false;
    }
    gpu->f.GetPhysicalDeviceProperties(gpu->adapter, &gpu->properties);
    gpu->f.GetPhysicalDeviceMemoryProperties(gpu->adapter, &gpu->memory);
    return find_family(gpu);
}
