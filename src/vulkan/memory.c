/* Buffers on the device and buffers that the host sees, and uploads outside of runs. */
#include "core/error.h"
#include "vulkan/run.h"

#include <string.h>

enum { CHOICES = 3 };

/* Properties that a kind of memory should have, best first; the last ones are required. */
static const VkMemoryPropertyFlags *properties_of(const struct vk *vk, enum vk_memory memory)
{
    enum {
        DEVICE = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
        HOST = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
        CACHED = VK_MEMORY_PROPERTY_HOST_CACHED_BIT
    };
    static const VkMemoryPropertyFlags device[CHOICES] = { DEVICE, DEVICE, 0 };
    static const VkMemoryPropertyFlags shared[CHOICES] = { DEVICE | HOST | CACHED, DEVICE | HOST, HOST };
    static const VkMemoryPropertyFlags upload[CHOICES] = { HOST, HOST, HOST };
    static const VkMemoryPropertyFlags download[CHOICES] = { HOST | CACHED, HOST, HOST };
    switch (memory) {
    case ABVK_MEMORY_DEVICE:
    case ABVK_MEMORY_EXCHANGE: return vk->unified ? shared : device;
    case ABVK_MEMORY_UPLOAD: return upload;
    case ABVK_MEMORY_DOWNLOAD: return download;
    }
    return device;
}

/* Index of the best memory type among those allowed; −1 if none has the required properties. */
static int find_memory_type(const struct vk *vk, enum vk_memory memory, uint32_t allowed)
{
    const VkMemoryPropertyFlags *choices = properties_of(vk, memory);
    for (int choice = 0; choice < CHOICES; choice++)
        for (uint32_t i = 0; i < vk->memory.memoryTypeCount; i++)
            if (allowed >> i & 1 &&
                (vk->memory.memoryTypes[i].propertyFlags & choices[choice]) == choices[choice])
                return (int)i;
    return -1;
}

static VkResult bind_memory(const struct vk *vk, enum vk_memory memory, struct vk_buffer *buffer)
{
    VkMemoryRequirements needs;
    vk->f.GetBufferMemoryRequirements(vk->device, buffer->buffer, &needs);
    int type = find_memory_type(vk, memory, needs.memoryTypeBits);
    if (type < 0)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    const VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .allocationSize = needs.size,
                                        .memoryTypeIndex = (uint32_t)type };
    VkResult result = vk->f.AllocateMemory(vk->device, &info, NULL, &buffer->memory);
    if (!result)
        result = vk->f.BindBufferMemory(vk->device, buffer->buffer, buffer->memory, 0);
    bool on_device = memory == ABVK_MEMORY_DEVICE || memory == ABVK_MEMORY_EXCHANGE;
    if (!result && (!on_device || vk->unified))
        result = vk->f.MapMemory(vk->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->bytes);
    return result;
}

VkResult vk_buffer_create(const struct vk *vk, VkDeviceSize size, enum vk_memory memory,
                          struct vk_buffer *buffer)
{
    *buffer = (struct vk_buffer){ .size = size ? (size + 15) / 16 * 16 : 16 };
    const uint32_t families[] = { vk->family, vk->copy_family };
    bool exclusive = memory != ABVK_MEMORY_EXCHANGE || !vk->copy_count || vk->copy_family == vk->family;
    const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = buffer->size,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                      .sharingMode = exclusive ? VK_SHARING_MODE_EXCLUSIVE
                                                               : VK_SHARING_MODE_CONCURRENT,
                                      .queueFamilyIndexCount = exclusive ? 0 : 2,
                                      .pQueueFamilyIndices = families };
    VkResult result = vk->f.CreateBuffer(vk->device, &info, NULL, &buffer->buffer);
    return result ? result : bind_memory(vk, memory, buffer);
}

void vk_buffer_destroy(const struct vk *vk, struct vk_buffer *buffer)
{
    vk->f.DestroyBuffer(vk->device, buffer->buffer, NULL);
    vk->f.FreeMemory(vk->device, buffer->memory, NULL); /* unmaps it too */
    *buffer = (struct vk_buffer){ 0 };
}

/* ---- Uploads ------------------------------------------------------------------------------------------ */

/* A command buffer for one submission. */
struct one_shot {
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
};

static VkResult open_one_shot(const struct vk *vk, struct one_shot *shot)
{
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                           .queueFamilyIndex = vk->family };
    VkResult result = vk->f.CreateCommandPool(vk->device, &pool, NULL, &shot->pool);
    const VkCommandBufferAllocateInfo commands = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                   .commandPool = shot->pool,
                                                   .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                   .commandBufferCount = 1 };
    if (!result)
        result = vk->f.AllocateCommandBuffers(vk->device, &commands, &shot->commands);
    const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    if (!result)
        result = vk->f.CreateFence(vk->device, &fence, NULL, &shot->fence);
    return result;
}

static void close_one_shot(const struct vk *vk, struct one_shot *shot)
{
    vk->f.DestroyFence(vk->device, shot->fence, NULL);
    vk->f.DestroyCommandPool(vk->device, shot->pool, NULL);
}

/* Copies a range between buffers and waits until shaders see it. */
static VkResult copy_range(struct vk *vk, const struct one_shot *shot, VkBuffer from, VkBuffer to,
                           const VkBufferCopy *range)
{
    VkResult result = vk_begin_commands(vk, shot->commands);
    if (result)
        return result;
    vk->f.CmdCopyBuffer(shot->commands, from, to, 1, range);
    vk_barrier(vk, shot->commands,
               (struct vk_stage){ VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT },
               (struct vk_stage){ VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT });
    result = vk->f.EndCommandBuffer(shot->commands);
    if (!result)
        result = vk_submit(vk, shot->commands, shot->fence);
    return result ? result : vk->f.WaitForFences(vk->device, 1, &shot->fence, VK_TRUE, UINT64_MAX);
}

int vk_upload(struct vk *vk, const void *bytes, size_t count, struct vk_buffer *buffer, size_t offset)
{
    if (buffer->bytes) {
        memcpy((char *)buffer->bytes + offset, bytes, count);
        return ABBE_OK;
    }
    struct vk_buffer staging = { 0 };
    struct one_shot shot = { 0 };
    VkResult result = vk_buffer_create(vk, count, ABVK_MEMORY_UPLOAD, &staging);
    if (!result)
        result = open_one_shot(vk, &shot);
    if (!result) {
        memcpy(staging.bytes, bytes, count);
        result = copy_range(vk, &shot, staging.buffer, buffer->buffer, &(VkBufferCopy){ 0, offset, count });
    }
    close_one_shot(vk, &shot);
    vk_buffer_destroy(vk, &staging);
    return result ? vk_fail(vk, result, "filling a buffer") : ABBE_OK;
}
