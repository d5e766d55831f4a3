/* Queues: submissions to the one that computes, and to those that only copy beside it. */
#include "vulkan/recording.h"

void vk_lock_queues(struct vk *vk)
{
    pthread_mutex_lock(&vk->lock);
    if (vk->lock_queue)
        vk->lock_queue(vk->queue_user);
}

void vk_unlock_queues(struct vk *vk)
{
    if (vk->unlock_queue)
        vk->unlock_queue(vk->queue_user);
    pthread_mutex_unlock(&vk->lock);
}

static VkResult submit(struct vk *vk, VkQueue queue, const VkSubmitInfo *info, VkFence fence)
{
    vk_lock_queues(vk);
    VkResult result = vk->f.QueueSubmit(queue, 1, info, fence);
    vk_unlock_queues(vk);
    return result;
}

VkResult vk_submit(struct vk *vk, VkCommandBuffer commands, VkFence fence)
{
    const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &commands };
    return submit(vk, vk->queue, &info, fence);
}

void vk_drain(struct vk *vk)
{
    vk_lock_queues(vk);
    vk->f.QueueWaitIdle(vk->queue);
    for (uint32_t i = 0; i < vk->copy_count; i++)
        vk->f.QueueWaitIdle(vk->copy_queues[i]);
    vk_unlock_queues(vk);
}

VkResult vk_begin_commands(const struct vk *vk, VkCommandBuffer commands)
{
    const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                             .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
    return vk->f.BeginCommandBuffer(commands, &begin);
}

void vk_order(const struct vk *vk, VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags wrote,
              VkPipelineStageFlags to, VkAccessFlags reads)
{
    const VkMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                      .srcAccessMask = wrote,
                                      .dstAccessMask = reads };
    vk->f.CmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* ---- Copies ------------------------------------------------------------------------------------------- */

void vk_copy_source(const struct vk_recording *recording, VkCommandBuffer commands)
{
    const struct engine *engine = recording->engine;
    const struct vk_context *context = recording->context;
    size_t rows = (size_t)(vk_is_whole(engine) ? engine->work->height : recording->y.window);
    const VkBufferCopy all = { 0, 0, (size_t)engine->geometry.source_pitch * rows };
    recording->vk->f.CmdCopyBuffer(commands, context->upload.buffer, context->source.buffer, 1, &all);
}

void vk_copy_results(const struct vk_recording *recording, VkCommandBuffer commands)
{
    const struct engine *engine = recording->engine;
    const struct vk_context *context = recording->context;
    size_t rows = (size_t)engine->work->result_count * recording->y.results;
    const VkBufferCopy all = { 0, 0, (size_t)engine->geometry.result_pitch * rows };
    recording->vk->f.CmdCopyBuffer(commands, context->result.buffer, context->download.buffer, 1, &all);
    vk_order(recording->vk, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
             VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

VkResult vk_copies_create(const struct vk *vk, struct vk_copies *copies)
{
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .queueFamilyIndex = vk->copy_family };
    const VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
    VkResult result = vk->f.CreateCommandPool(vk->device, &pool, NULL, &copies->pool);
    const VkCommandBufferAllocateInfo commands = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                   .commandPool = copies->pool,
                                                   .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                   .commandBufferCount = 2 };
    if (!result)
        result = vk->f.AllocateCommandBuffers(vk->device, &commands, copies->commands);
    if (!result)
        result = vk->f.CreateSemaphore(vk->device, &semaphore, NULL, &copies->uploaded);
    if (!result)
        result = vk->f.CreateSemaphore(vk->device, &semaphore, NULL, &copies->computed);
    return result;
}

void vk_copies_destroy(const struct vk *vk, struct vk_copies *copies)
{
    vk->f.DestroySemaphore(vk->device, copies->computed, NULL);
    vk->f.DestroySemaphore(vk->device, copies->uploaded, NULL);
    vk->f.DestroyCommandPool(vk->device, copies->pool, NULL);
    *copies = (struct vk_copies){ 0 };
}

static VkResult record_copies(const struct vk_recording *recording)
{
    const struct vk *vk = recording->vk;
    const struct vk_copies *copies = &recording->context->copies;
    VkResult result = vk->f.ResetCommandPool(vk->device, copies->pool, 0);
    for (int i = 0; i < (int)recording->apart && !result; i++) {
        result = vk_begin_commands(vk, copies->commands[i]);
        if (result)
            return result;
        if (i == 0)
            vk_copy_source(recording, copies->commands[i]);
        else
            vk_copy_results(recording, copies->commands[i]);
        result = vk->f.EndCommandBuffer(copies->commands[i]);
    }
    return result;
}

/* upload ──uploaded──▶ passes ──computed──▶ download: each on its queue, and none of them waits for the next run's.
 * Uploads and downloads need two queues, or an upload would stand in line behind the download of the run before it,
 * which waits for that run's passes. */
VkResult vk_submit_apart(const struct vk_recording *recording)
{
    struct vk *vk = recording->vk;
    const struct vk_context *context = recording->context;
    const struct vk_copies *copies = &context->copies;
    const VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
    bool both = recording->apart == ABVK_COPIES_APART;
    const VkSubmitInfo upload = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                  .commandBufferCount = 1,
                                  .pCommandBuffers = &copies->commands[0],
                                  .signalSemaphoreCount = 1,
                                  .pSignalSemaphores = &copies->uploaded };
    const VkSubmitInfo passes = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                  .waitSemaphoreCount = 1,
                                  .pWaitSemaphores = &copies->uploaded,
                                  .pWaitDstStageMask = &compute,
                                  .commandBufferCount = 1,
                                  .pCommandBuffers = &context->commands,
                                  .signalSemaphoreCount = both,
                                  .pSignalSemaphores = &copies->computed };
    const VkSubmitInfo download = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                    .waitSemaphoreCount = 1,
                                    .pWaitSemaphores = &copies->computed,
                                    .pWaitDstStageMask = &transfer,
                                    .commandBufferCount = 1,
                                    .pCommandBuffers = &copies->commands[1] };
    VkResult result = record_copies(recording);
    if (!result)
        result = submit(vk, vk->copy_queues[0], &upload, VK_NULL_HANDLE);
    if (!result)
        result = submit(vk, vk->queue, &passes, both ? VK_NULL_HANDLE : context->fence);
    if (!result && both)
        result = submit(vk, vk->copy_queues[1], &download, context->fence);
    return result;
}
