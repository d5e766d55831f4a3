/* Filling buffers on the device before any run. */
#include "core/error.h"
#include "vulkan/recording.h"

#include <string.h>

/* A command buffer that lives for one submission. */
struct errand {
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
};

static VkResult errand_open(const struct vk *vk, struct errand *errand)
{
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                           .queueFamilyIndex = vk->family };
    VkResult result = vk->f.CreateCommandPool(vk->device, &pool, NULL, &errand->pool);
    const VkCommandBufferAllocateInfo commands = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                   .commandPool = errand->pool,
                                                   .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                   .commandBufferCount = 1 };
    if (!result)
        result = vk->f.AllocateCommandBuffers(vk->device, &commands, &errand->commands);
    const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    if (!result)
        result = vk->f.CreateFence(vk->device, &fence, NULL, &errand->fence);
    return result;
}

static void errand_close(const struct vk *vk, struct errand *errand)
{
    vk->f.DestroyFence(vk->device, errand->fence, NULL);
    vk->f.DestroyCommandPool(vk->device, errand->pool, NULL);
}

static VkResult copy(struct vk *vk, const struct errand *errand, const struct vk_buffer *from,
                     const struct vk_buffer *to, size_t offset, size_t count)
{
    const VkBufferCopy region = { 0, offset, count };
    VkResult result = vk_begin_commands(vk, errand->commands);
    if (result)
        return result;
    vk->f.CmdCopyBuffer(errand->commands, from->buffer, to->buffer, 1, &region);
    vk_order(vk, errand->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    result = vk->f.EndCommandBuffer(errand->commands);
    if (!result)
        result = vk_submit(vk, errand->commands, errand->fence);
    return result ? result : vk->f.WaitForFences(vk->device, 1, &errand->fence, VK_TRUE, UINT64_MAX);
}

int vk_upload(struct vk *vk, const void *bytes, size_t count, struct vk_buffer *buffer, size_t offset)
{
    if (buffer->bytes) {
        memcpy((char *)buffer->bytes + offset, bytes, count);
        return ABBE_OK;
    }
    struct vk_buffer staging = { 0 };
    struct errand errand = { 0 };
    VkResult result = vk_buffer_create(vk, count, ABVK_MEMORY_UPLOAD, &staging);
    if (!result)
        result = errand_open(vk, &errand);
    if (!result) {
        memcpy(staging.bytes, bytes, count);
        result = copy(vk, &errand, &staging, buffer, offset, count);
    }
    errand_close(vk, &errand);
    vk_buffer_destroy(vk, &staging);
    return result ? vk_fail(vk, result, "filling a buffer") : ABBE_OK;
}
