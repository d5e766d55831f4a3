/* An application that has opened Vulkan, for tests of abbe/vulkan.h. */
#include "support/program.h"
#include "support/stored.h"
#include "support/test.h"

#include <vulkan/vulkan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Opening ------------------------------------------------------------------------------------------ */

static VkBool32 VKAPI_PTR tell(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                               VkDebugUtilsMessageTypeFlagsEXT types,
                               const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity, (void)types, (void)user;
    fprintf(stderr, "vulkan validation: %s\n", data->pMessage);
    return VK_FALSE;
}

static bool open_instance(struct program *program)
{
    const VkValidationFeatureEnableEXT watched[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
    };
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = tell
    };
    const VkValidationFeaturesEXT features = { .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                               .pNext = &messenger,
                                               .enabledValidationFeatureCount = 1,
                                               .pEnabledValidationFeatures = watched };
    const char *const layer = "VK_LAYER_KHRONOS_validation";
    const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                            .apiVersion = VK_API_VERSION_1_1 };
    const VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                        .pNext = &features,
                                        .pApplicationInfo = &application,
                                        .enabledLayerCount = 1,
                                        .ppEnabledLayerNames = &layer,
                                        .enabledExtensionCount = 1,
                                        .ppEnabledExtensionNames = &extension };
    if (vkCreateInstance(&info, NULL, &program->instance))
        return false;
    PFN_vkCreateDebugUtilsMessengerEXT create = (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
        program->instance, "vkCreateDebugUtilsMessengerEXT");
    return create && !create(program->instance, &messenger, NULL, &program->messenger);
}

static bool find_gpu(struct program *program)
{
    VkPhysicalDevice all[16];
    uint32_t count = 16;
    if (vkEnumeratePhysicalDevices(program->instance, &count, all) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(all[i], &properties);
        if (properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
            continue;
        program->gpu = all[i];
        program->limits = properties.limits;
        vkGetPhysicalDeviceMemoryProperties(all[i], &program->memory);
        return true;
    }
    return false;
}

bool program_open(struct program *program)
{
    *program = (struct program){ .features.shaderStorageImageWriteWithoutFormat = VK_TRUE };
    if (!open_instance(program) || !find_gpu(program))
        return false;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                            .queueCount = 1,
                                            .pQueuePriorities = &priority };
    const VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queue,
                                      .pEnabledFeatures = &program->features };
    if (vkCreateDevice(program->gpu, &info, NULL, &program->device))
        return false;
    vkGetDeviceQueue(program->device, 0, 0, &program->queue);
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
    return !vkCreateCommandPool(program->device, &pool, NULL, &program->pool);
}

void program_close(struct program *program)
{
    PFN_vkDestroyDebugUtilsMessengerEXT destroy = (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
        program->instance, "vkDestroyDebugUtilsMessengerEXT");
    vkDestroyCommandPool(program->device, program->pool, NULL);
    vkDestroyDevice(program->device, NULL);
    destroy(program->instance, program->messenger, NULL);
    vkDestroyInstance(program->instance, NULL);
}

abbe_vulkan_params program_params(const struct program *program)
{
    static const abbe_device_params one_thread = { .threads = 1 };
    return (abbe_vulkan_params){ .get_instance_proc_addr = vkGetInstanceProcAddr,
                                 .instance = program->instance,
                                 .physical_device = program->gpu,
                                 .device = program->device,
                                 .queue = program->queue,
                                 .queue_family = program->family,
                                 .features = &program->features,
                                 .options = &one_thread };
}

/* ---- Commands ----------------------------------------------------------------------------------------- */

static void must(VkResult result)
{
    if (result)
        fail_msg("a call of Vulkan answers %d", (int)result);
}

VkCommandBuffer program_begin(const struct program *program)
{
    VkCommandBuffer commands;
    const VkCommandBufferAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .commandPool = program->pool,
                                               .commandBufferCount = 1 };
    const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
    must(vkAllocateCommandBuffers(program->device, &info, &commands));
    must(vkBeginCommandBuffer(commands, &begin));
    return commands;
}

enum {
    STAGES = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT |
             VK_PIPELINE_STAGE_HOST_BIT,
    WRITES = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT,
    READS = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_HOST_READ_BIT
};

void program_barrier(VkCommandBuffer commands)
{
    const VkMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                      .srcAccessMask = WRITES,
                                      .dstAccessMask = READS | WRITES };
    vkCmdPipelineBarrier(commands, STAGES, STAGES, 0, 1, &barrier, 0, NULL, 0, NULL);
}

void program_submit_again(const struct program *program, VkCommandBuffer commands)
{
    const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &commands };
    must(vkQueueSubmit(program->queue, 1, &info, VK_NULL_HANDLE));
}

void program_submit(const struct program *program, VkCommandBuffer commands)
{
    must(vkEndCommandBuffer(commands));
    program_submit_again(program, commands);
}

void program_wait(const struct program *program)
{
    must(vkQueueWaitIdle(program->queue));
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

static VkDeviceMemory allocate(const struct program *program, VkMemoryRequirements needs, bool mapped)
{
    VkDeviceMemory memory;
    VkMemoryPropertyFlags wanted = mapped ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                                          : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .allocationSize = needs.size };
    while (!(needs.memoryTypeBits >> info.memoryTypeIndex & 1) ||
           (program->memory.memoryTypes[info.memoryTypeIndex].propertyFlags & wanted) != wanted)
        info.memoryTypeIndex++;
    must(vkAllocateMemory(program->device, &info, NULL, &memory));
    return memory;
}

static struct held buffer_of(const struct program *program, VkDeviceSize size, VkBufferUsageFlags usage)
{
    struct held held = { .size = size };
    VkMemoryRequirements needs;
    void *bytes;
    const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = size,
                                      .usage = usage };
    must(vkCreateBuffer(program->device, &info, NULL, &held.picture.buffer));
    vkGetBufferMemoryRequirements(program->device, held.picture.buffer, &needs);
    held.memory = allocate(program, needs, true);
    must(vkBindBufferMemory(program->device, held.picture.buffer, held.memory, 0));
    must(vkMapMemory(program->device, held.memory, 0, VK_WHOLE_SIZE, 0, &bytes));
    held.bytes = bytes;
    return held;
}

struct held program_buffer(const struct program *program, int width, int height, int channels, abbe_type type,
                           VkDeviceSize offset, int padding)
{
    VkDeviceSize stride = (VkDeviceSize)width * channels * abbe_type_size(type) + padding;
    struct held held = buffer_of(program, offset + stride * height, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    held.picture.width = width;
    held.picture.height = height;
    held.picture.offset = offset;
    held.picture.stride = stride;
    held.channels = channels;
    held.type = type;
    memset(held.bytes, 0xEE, held.size);
    return held;
}

static abbe_type type_of(VkFormat format)
{
    if (format == VK_FORMAT_R8G8B8A8_UNORM || format == VK_FORMAT_B8G8R8A8_UNORM)
        return ABBE_U8;
    return format == VK_FORMAT_R16G16B16A16_UNORM    ? ABBE_U16
           : format == VK_FORMAT_R16G16B16A16_SFLOAT ? ABBE_F16
                                                     : ABBE_F32;
}

static const VkImageSubresourceRange whole = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };

/* Changes the layout, with a barrier for all uses before and after. */
static void change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                           .srcAccessMask = WRITES,
                                           .dstAccessMask = READS | WRITES,
                                           .oldLayout = from,
                                           .newLayout = to,
                                           .image = image,
                                           .subresourceRange = whole };
    vkCmdPipelineBarrier(commands, STAGES, STAGES, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void to_general(const struct program *program, VkImage image)
{
    VkCommandBuffer commands = program_begin(program);
    change_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    program_submit(program, commands);
    program_wait(program);
}

struct held program_image(const struct program *program, int width, int height, VkFormat format)
{
    struct held held = { .channels = 4, .type = type_of(format) };
    const VkImageCreateInfo info = { .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = format,
                                     .extent = { (uint32_t)width, (uint32_t)height, 1 },
                                     .mipLevels = 1,
                                     .arrayLayers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                              VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                              VK_IMAGE_USAGE_TRANSFER_DST_BIT };
    VkMemoryRequirements needs;
    must(vkCreateImage(program->device, &info, NULL, &held.image));
    vkGetImageMemoryRequirements(program->device, held.image, &needs);
    held.memory = allocate(program, needs, false);
    must(vkBindImageMemory(program->device, held.image, held.memory, 0));
    const VkImageViewCreateInfo view = { .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                         .image = held.image,
                                         .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                         .format = format,
                                         .subresourceRange = whole };
    held.picture = (abbe_vulkan_picture){
        .width = width, .height = height, .format = format, .layout = VK_IMAGE_LAYOUT_GENERAL
    };
    must(vkCreateImageView(program->device, &view, NULL, &held.picture.view));
    to_general(program, held.image);
    return held;
}

void program_free(const struct program *program, struct held *held)
{
    vkDestroyImageView(program->device, held->picture.view, NULL);
    vkDestroyImage(program->device, held->image, NULL);
    vkDestroyBuffer(program->device, held->picture.buffer, NULL);
    vkFreeMemory(program->device, held->memory, NULL);
    *held = (struct held){ 0 };
}

/* ---- Pixels ------------------------------------------------------------------------------------------- */

/* Copies rows between a buffer and a stored picture; for BGRA images the first and
 * third channel are swapped. */
static void exchange(const struct held *held, unsigned char *bytes, VkDeviceSize stride,
                     struct stored *stored, bool out)
{
    size_t row = (size_t)held->picture.width * held->channels * abbe_type_size(held->type);
    for (int y = 0; y < held->picture.height; y++) {
        unsigned char *there = bytes + stride * y, *here = stored->first + row * y;
        memcpy(out ? there : here, out ? here : there, row);
        unsigned char *moved = out ? there : here;
        for (size_t i = 0; held->picture.format == VK_FORMAT_B8G8R8A8_UNORM && i < row; i += 4) {
            unsigned char first = moved[i];
            moved[i] = moved[i + 2];
            moved[i + 2] = first;
        }
    }
}

static void copy_image(const struct program *program, const struct held *held, const struct held *staging,
                       bool out)
{
    VkCommandBuffer commands = program_begin(program);
    const VkBufferImageCopy region = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
                                       .imageExtent = { (uint32_t)held->picture.width,
                                                        (uint32_t)held->picture.height, 1 } };
    VkImageLayout layout = out ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    change_layout(commands, held->image, VK_IMAGE_LAYOUT_GENERAL, layout);
    if (out)
        vkCmdCopyBufferToImage(commands, staging->picture.buffer, held->image, layout, 1, &region);
    else
        vkCmdCopyImageToBuffer(commands, held->image, layout, staging->picture.buffer, 1, &region);
    change_layout(commands, held->image, layout, VK_IMAGE_LAYOUT_GENERAL);
    program_barrier(commands);
    program_submit(program, commands);
    program_wait(program);
}

static void move(const struct program *program, const struct held *held, struct stored *stored, bool out)
{
    VkDeviceSize row = (VkDeviceSize)held->picture.width * held->channels * abbe_type_size(held->type);
    if (held->picture.buffer) {
        exchange(held, held->bytes + held->picture.offset, held->picture.stride, stored, out);
        return;
    }
    struct held staging = buffer_of(program, row * held->picture.height,
                                    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    if (out)
        exchange(held, staging.bytes, row, stored, true);
    copy_image(program, held, &staging, out);
    if (!out)
        exchange(held, staging.bytes, row, stored, false);
    program_free(program, &staging);
}

void program_write(const struct program *program, struct held *held, const struct picture *picture)
{
    struct stored stored = stored_create(picture->width, picture->height, picture->channels, held->type, 0,
                                         false, true);
    stored_write(&stored, picture);
    move(program, held, &stored, true);
    stored_free(&stored);
}

struct picture program_read(const struct program *program, const struct held *held)
{
    struct stored stored = stored_create(held->picture.width, held->picture.height, held->channels,
                                         held->type, 0, false, true);
    move(program, held, &stored, false);
    struct picture picture = stored_read(&stored);
    stored_free(&stored);
    return picture;
}
