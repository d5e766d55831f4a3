/* Buffers in the GPU's memory, and copies between them and the host. */
#include "gpu.h"

#include <stdio.h>
#include <string.h>

static bool create_buffer(struct gpu *gpu, VkDeviceSize size, VkMemoryPropertyFlags wanted,
                          struct gpu_buffer *buffer)
{
    const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = size,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_DST_BIT };
    VkMemoryRequirements needs;
    buffer->size = size;
    if (!gpu_ok(gpu, gpu->f.CreateBuffer(gpu->device, &info, NULL, &buffer->buffer), "creating a buffer"))
        return false;
    gpu->f.GetBufferMemoryRequirements(gpu->device, buffer->buffer, &needs);
    VkMemoryAllocateInfo memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                    .allocationSize = needs.size,
                                    .memoryTypeIndex = UINT32_MAX };
    for (uint32_t i = gpu->memory.memoryTypeCount; i-- > 0;)
        if (needs.memoryTypeBits >> i & 1 && (gpu->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            memory.memoryTypeIndex = i;
    if (memory.memoryTypeIndex == UINT32_MAX) {
        snprintf(gpu->problem, sizeof gpu->problem, "the GPU has no memory of the required kind");
        return false;
    }
    return gpu_ok(gpu, gpu->f.AllocateMemory(gpu->device, &memory, NULL, &buffer->memory),
                  "allocating GPU memory") &&
           gpu_ok(gpu, gpu->f.BindBufferMemory(gpu->device, buffer->buffer, buffer->memory, 0),
                  "binding memory");
}

bool gpu_buffer_create(struct gpu *gpu, size_t size, struct gpu_buffer *buffer)
{
    if (size > gpu->properties.limits.maxStorageBufferRange) {
        snprintf(gpu->problem, sizeof gpu->problem, "the GPU allows storage buffers of at most %u MiB",
                 gpu->properties.limits.maxStorageBufferRange >> 20);
        return false;
    }
    return create_buffer(gpu, size, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, buffer);
}

void gpu_buffer_destroy(struct gpu *gpu, struct gpu_buffer *buffer)
{
    if (!gpu->device)
        return;
    gpu->f.DestroyBuffer(gpu->device, buffer->buffer, NULL);
    gpu->f.FreeMemory(gpu->device, buffer->memory, NULL);
    *buffer = (struct gpu_buffer){ 0 };
}

/* ---- Copies ------------------------------------------------------------------------------------------- */

enum {
    COPY = VK_PIPELINE_STAGE_TRANSFER_BIT,
    SHADER = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
    HOST = VK_PIPELINE_STAGE_HOST_BIT
};

static void record_copy_barrier(const struct gpu *gpu, VkPipelineStageFlags before, VkAccessFlags written,
                                VkPipelineStageFlags after, VkAccessFlags read)
{
    const VkMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                      .srcAccessMask = written,
                                      .dstAccessMask = read };
    gpu->f.CmdPipelineBarrier(gpu->copy_commands, before, after, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* Copies all of `from` to `to` and waits. */
static bool copy_buffer(struct gpu *gpu, const struct gpu_buffer *from, const struct gpu_buffer *to)
{
    const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
    const VkBufferCopy all = { .size = from->size };
    const VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                  .commandBufferCount = 1,
                                  .pCommandBuffers = &gpu->copy_commands };
    if (!gpu_ok(gpu, gpu->f.BeginCommandBuffer(gpu->copy_commands, &begin), "recording a copy"))
        return false;
    record_copy_barrier(gpu, SHADER | COPY, VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, COPY,
                        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    gpu->f.CmdCopyBuffer(gpu->copy_commands, from->buffer, to->buffer, 1, &all);
    record_copy_barrier(gpu, COPY, VK_ACCESS_TRANSFER_WRITE_BIT, HOST, VK_ACCESS_HOST_READ_BIT);
    return gpu_ok(gpu, gpu->f.EndCommandBuffer(gpu->copy_commands), "recording a copy") &&
           gpu_ok(gpu, gpu->f.ResetFences(gpu->device, 1, &gpu->fence), "resetting a fence") &&
           gpu_ok(gpu, gpu->f.QueueSubmit(gpu->queue, 1, &submit, gpu->fence), "submitting a copy") &&
           gpu_ok(gpu, gpu->f.WaitForFences(gpu->device, 1, &gpu->fence, VK_TRUE, UINT64_MAX),
                  "waiting for a copy");
}

/* Uploads `up` or downloads to `down` through a staging buffer that the host can map. */
static bool copy_staged(struct gpu *gpu, const struct gpu_buffer *buffer, const void *up, void *down)
{
    struct gpu_buffer staging = { 0 };
    void *bytes = NULL;
    bool done = create_buffer(gpu, buffer->size,
                              VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                              &staging) &&
                gpu_ok(gpu, gpu->f.MapMemory(gpu->device, staging.memory, 0, VK_WHOLE_SIZE, 0, &bytes),
                       "mapping memory");
    if (done && up)
        memcpy(bytes, up, buffer->size);
    done = done && (up ? copy_buffer(gpu, &staging, buffer) : copy_buffer(gpu, buffer, &staging));
    if (done && down)
        memcpy(down, bytes, buffer->size);
    gpu_buffer_destroy(gpu, &staging);
    return done;
}

bool gpu_upload(struct gpu *gpu, const struct gpu_buffer *buffer, const void *bytes)
{
    return copy_staged(gpu, buffer, bytes, NULL);
}

bool gpu_download(struct gpu *gpu, const struct gpu_buffer *buffer, void *bytes)
{
    return copy_staged(gpu, buffer, NULL, bytes);
}
