/* The part of Vulkan that a program needs before it can draw. */
#include "gpu.h"

#include <stdio.h>

enum { MANY = 16 };

bool gpu_ok(VkResult result, const char *what)
{
    if (result)
        fprintf(stderr, "night: %s failed with %d\n", what, (int)result);
    return !result;
}

/* ---- Opening ------------------------------------------------------------------------------------------ */

static bool open_instance(struct gpu *gpu)
{
    const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                            .pApplicationName = "night",
                                            .apiVersion = VK_API_VERSION_1_1 };
    const VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                        .pApplicationInfo = &application };
    return gpu_ok(vkCreateInstance(&info, NULL, &gpu->instance), "opening Vulkan");
}

/* Returns a queue family that draws and computes, or −1. */
static int find_family(VkPhysicalDevice adapter)
{
    const VkQueueFlags both = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    VkQueueFamilyProperties families[MANY];
    uint32_t count = MANY;
    vkGetPhysicalDeviceQueueFamilyProperties(adapter, &count, families);
    for (uint32_t i = 0; i < count; i++)
        if ((families[i].queueFlags & both) == both)
            return (int)i;
    return -1;
}

static int rank(VkPhysicalDevice adapter)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(adapter, &properties);
    if (find_family(adapter) < 0)
        return 0;
    return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ? 3
           : properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU        ? 1
                                                                         : 2;
}

static bool choose_adapter(struct gpu *gpu)
{
    VkPhysicalDevice adapters[MANY];
    uint32_t count = MANY;
    int best = 0;
    if (vkEnumeratePhysicalDevices(gpu->instance, &count, adapters) < 0)
        count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (rank(adapters[i]) > best) {
            best = rank(adapters[i]);
            gpu->adapter = adapters[i];
            gpu->family = (uint32_t)find_family(adapters[i]);
        }
    if (!best)
        fprintf(stderr, "night: no driver draws and computes\n");
    return best > 0;
}

/* Enables the feature that Abbe needs for image results, if the GPU has it. */
static bool open_device(struct gpu *gpu)
{
    VkPhysicalDeviceFeatures there;
    vkGetPhysicalDeviceFeatures(gpu->adapter, &there);
    gpu->features.shaderStorageImageWriteWithoutFormat = there.shaderStorageImageWriteWithoutFormat;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                            .queueFamilyIndex = gpu->family,
                                            .queueCount = 1,
                                            .pQueuePriorities = &priority };
    const VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queue,
                                      .pEnabledFeatures = &gpu->features };
    if (!gpu_ok(vkCreateDevice(gpu->adapter, &info, NULL, &gpu->device), "opening the GPU"))
        return false;
    vkGetDeviceQueue(gpu->device, gpu->family, 0, &gpu->queue);
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .queueFamilyIndex = gpu->family };
    return gpu_ok(vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->pool), "making a command pool");
}

bool gpu_open(struct gpu *gpu)
{
    *gpu = (struct gpu){ 0 };
    return open_instance(gpu) && choose_adapter(gpu) && open_device(gpu);
}

void gpu_close(struct gpu *gpu)
{
    if (gpu->device) {
        vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
        vkDestroyDevice(gpu->device, NULL);
    }
    if (gpu->instance)
        vkDestroyInstance(gpu->instance, NULL);
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

static bool allocate(const struct gpu *gpu, const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted,
                     VkDeviceMemory *memory)
{
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(gpu->adapter, &types);
    VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .allocationSize = needs->size };
    for (uint32_t i = types.memoryTypeCount; i-- > 0;)
        if (needs->memoryTypeBits >> i & 1 && (types.memoryTypes[i].propertyFlags & wanted) == wanted)
            info.memoryTypeIndex = i;
    return gpu_ok(vkAllocateMemory(gpu->device, &info, NULL, memory), "allocating memory");
}

bool gpu_image_create(const struct gpu *gpu, VkFormat format, uint32_t width, uint32_t height,
                      VkImageUsageFlags usage, struct gpu_image *image)
{
    const VkImageCreateInfo info = { .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = format,
                                     .extent = { width, height, 1 },
                                     .mipLevels = 1,
                                     .arrayLayers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .usage = usage };
    VkMemoryRequirements needs;
    image->format = format;
    if (!gpu_ok(vkCreateImage(gpu->device, &info, NULL, &image->image), "making an image"))
        return false;
    vkGetImageMemoryRequirements(gpu->device, image->image, &needs);
    if (!allocate(gpu, &needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &image->memory) ||
        !gpu_ok(vkBindImageMemory(gpu->device, image->image, image->memory, 0), "binding an image"))
        return false;
    const VkImageViewCreateInfo view = { .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                         .image = image->image,
                                         .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                         .format = format,
                                         .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 } };
    return gpu_ok(vkCreateImageView(gpu->device, &view, NULL, &image->view), "viewing an image");
}

void gpu_image_destroy(const struct gpu *gpu, struct gpu_image *image)
{
    vkDestroyImageView(gpu->device, image->view, NULL);
    vkDestroyImage(gpu->device, image->image, NULL);
    vkFreeMemory(gpu->device, image->memory, NULL);
}

bool gpu_buffer_create(const struct gpu *gpu, VkDeviceSize size, struct gpu_buffer *buffer)
{
    const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = size,
                                      .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT };
    const VkMemoryPropertyFlags readable = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryRequirements needs;
    if (!gpu_ok(vkCreateBuffer(gpu->device, &info, NULL, &buffer->buffer), "making a buffer"))
        return false;
    vkGetBufferMemoryRequirements(gpu->device, buffer->buffer, &needs);
    return allocate(gpu, &needs, readable, &buffer->memory) &&
           gpu_ok(vkBindBufferMemory(gpu->device, buffer->buffer, buffer->memory, 0), "binding a buffer") &&
           gpu_ok(vkMapMemory(gpu->device, buffer->memory, 0, size, 0, &buffer->bytes), "mapping a buffer");
}

void gpu_buffer_destroy(const struct gpu *gpu, struct gpu_buffer *buffer)
{
    vkDestroyBuffer(gpu->device, buffer->buffer, NULL);
    vkFreeMemory(gpu->device, buffer->memory, NULL);
}

/* ---- Commands ----------------------------------------------------------------------------------------- */

bool gpu_begin(const struct gpu *gpu, VkCommandBuffer *commands)
{
    const VkCommandBufferAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .commandPool = gpu->pool,
                                               .commandBufferCount = 1 };
    const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                             .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
    return gpu_ok(vkAllocateCommandBuffers(gpu->device, &info, commands), "making a command buffer") &&
           gpu_ok(vkBeginCommandBuffer(*commands, &begin), "beginning to record");
}

bool gpu_finish(const struct gpu *gpu, VkCommandBuffer commands)
{
    const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &commands };
    return gpu_ok(vkEndCommandBuffer(commands), "recording") &&
           gpu_ok(vkQueueSubmit(gpu->queue, 1, &info, VK_NULL_HANDLE), "submitting") &&
           gpu_ok(vkQueueWaitIdle(gpu->queue), "waiting for the GPU");
}
