/* Submissions to the queue that computes, and to the copy queues beside it. */
#include "vulkan/run.h"

/* Locks the queues against other threads of the library and, for an adopted device, of the application. */
static void lock_queues(struct vk *vk)
{
    pthread_mutex_lock(&vk->lock);
    if (vk->lock_queue)
        vk->lock_queue(vk->queue_user);
}

static void unlock_queues(struct vk *vk)
{
    if (vk->unlock_queue)
        vk->unlock_queue(vk->queue_user);
    pthread_mutex_unlock(&vk->lock);
}

static VkResult submit_to(struct vk *vk, VkQueue queue, const VkSubmitInfo *info, VkFence fence)
{
    lock_queues(vk);
    VkResult result = vk->f.QueueSubmit(queue, 1, info, fence);
    unlock_queues(vk);
    return result;
}

VkResult vk_submit(struct vk *vk, VkCommandBuffer commands, VkFence fence)
{
    const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &commands };
    return submit_to(vk, vk->queue, &info, fence);
}

void vk_drain(struct vk *vk)
{
    lock_queues(vk);
    vk->f.QueueWaitIdle(vk->queue);
    for (uint32_t i = 0; i < vk->copy_count; i++)
        vk->f.QueueWaitIdle(vk->copy_queues[i]);
    unlock_queues(vk);
}

/* ---- Copy queues -------------------------------------------------------------------------------------- */

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
    const struct vk_copies *copies = &recording->scratch->copies;
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

/* upload ──uploaded──▶ passes ──computed──▶ download: each on its own queue, so that no run waits for a later
 * one. Uploads and downloads need two queues: in one queue an upload would wait behind the download of the
 * previous run, which waits for the passes of that run. */
VkResult vk_submit_apart(const struct vk_recording *recording)
{
    struct vk *vk = recording->vk;
    const struct vk_scratch *scratch = recording->scratch;
    const struct vk_copies *copies = &scratch->copies;
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
                                  .pCommandBuffers = &scratch->commands,
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
        result = submit_to(vk, vk->copy_queues[0], &upload, VK_NULL_HANDLE);
    if (!result)
        result = submit_to(vk, vk->queue, &passes, both ? VK_NULL_HANDLE : scratch->fence);
    if (!result && both)
        result = submit_to(vk, vk->copy_queues[1], &download, scratch->fence);
    return result;
}
