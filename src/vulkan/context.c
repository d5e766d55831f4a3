/* What one run at a time uses: buffers, commands, descriptors. Kept by the engine from run to run. */
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/vk.h"

static VkResult create_buffers(const struct vk *vk, const struct engine *engine, struct vk_context *context)
{
    const struct vk_geometry *g = &engine->geometry;
    const struct {
        double bytes;
        enum vk_place place;
        struct vk_buffer *buffer;
    } wanted[] = {
        { g->source, VK_EXCHANGED, &context->source },
        { g->result, VK_EXCHANGED, &context->result },
        { g->grids, VK_ON_DEVICE, &context->grid },
        { g->back, VK_ON_DEVICE, &context->back },
        { g->wide_bytes, VK_ON_DEVICE, &context->wide },
        { vk->unified ? 0 : g->source, VK_UPLOAD, &context->upload },
        { vk->unified ? 0 : g->result, VK_DOWNLOAD, &context->download },
    };
    VkResult result = VK_SUCCESS;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && !result; i++)
        if (wanted[i].bytes > 0)
            result = vk_buffer_create(vk, (VkDeviceSize)wanted[i].bytes, wanted[i].place, wanted[i].buffer);
    return result;
}

static VkResult create_set(const struct vk *vk, struct vk_context *context)
{
    const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_BINDINGS };
    const VkDescriptorPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                              .maxSets = 1,
                                              .poolSizeCount = 1,
                                              .pPoolSizes = &size };
    VkResult result = vk->f.CreateDescriptorPool(vk->device, &pool, NULL, &context->descriptors);
    const VkDescriptorSetAllocateInfo set = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = context->descriptors,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &vk->set_layout };
    return result ? result : vk->f.AllocateDescriptorSets(vk->device, &set, &context->set);
}

/* A binding that the method has no use for gets the maps, which are always there. Without a bank the columns are
 * filtered in place. */
static void write_set(const struct vk *vk, const struct engine *engine, const struct vk_context *context)
{
    const struct vk_buffer *buffers[VK_BINDINGS] = {
        [VK_SOURCE] = &context->source,  [VK_RESULT] = &context->result,
        [VK_GRID] = &context->grid,      [VK_BACK] = context->back.buffer ? &context->back : &context->grid,
        [VK_FILTERS] = &engine->filters, [VK_TABLES] = &engine->tables,
        [VK_MAPS] = &engine->maps,       [VK_WIDE] = &context->wide,
    };
    VkDescriptorBufferInfo infos[VK_BINDINGS];
    VkWriteDescriptorSet writes[VK_BINDINGS];
    for (uint32_t i = 0; i < VK_BINDINGS; i++) {
        const struct vk_buffer *buffer = buffers[i]->buffer ? buffers[i] : &engine->maps;
        infos[i] = (VkDescriptorBufferInfo){ buffer->buffer, 0, buffer->size };
        writes[i] = (VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = context->set,
                                            .dstBinding = i,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &infos[i] };
    }
    vk->f.UpdateDescriptorSets(vk->device, VK_BINDINGS, writes, 0, NULL);
}

static VkResult create_commands(const struct vk *vk, struct vk_context *context)
{
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .queueFamilyIndex = vk->family };
    const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    const VkQueryPoolCreateInfo times = { .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                          .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                          .queryCount = VK_TIMES_MAX };
    VkResult result = vk->f.CreateCommandPool(vk->device, &pool, NULL, &context->pool);
    const VkCommandBufferAllocateInfo commands = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                   .commandPool = context->pool,
                                                   .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                   .commandBufferCount = 1 };
    if (!result)
        result = vk->f.AllocateCommandBuffers(vk->device, &commands, &context->commands);
    if (!result)
        result = vk->f.CreateFence(vk->device, &fence, NULL, &context->fence);
    if (!result && vk->time_bits)
        result = vk->f.CreateQueryPool(vk->device, &times, NULL, &context->times);
    return result;
}

static int create(struct vk *vk, const struct engine *engine, struct vk_context **context)
{
    struct vk_context *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(vk);
    VkResult result = create_buffers(vk, engine, made);
    if (!result)
        result = create_set(vk, made);
    if (!result)
        result = create_commands(vk, made);
    if (result) {
        vk_context_destroy(vk, made);
        return vk_fail(vk, result, "making a run's buffers");
    }
    write_set(vk, engine, made);
    *context = made;
    return ABBE_OK;
}

int vk_context_take(struct vk *vk, struct engine *engine, struct vk_context **context)
{
    pthread_mutex_lock(&engine->lock);
    struct vk_context *idle = engine->contexts;
    if (idle)
        engine->contexts = idle->next;
    pthread_mutex_unlock(&engine->lock);
    if (!idle)
        return create(vk, engine, context);
    *context = idle;
    return ABBE_OK;
}

void vk_context_return(struct engine *engine, struct vk_context *context)
{
    pthread_mutex_lock(&engine->lock);
    context->next = engine->contexts;
    engine->contexts = context;
    pthread_mutex_unlock(&engine->lock);
}

void vk_context_destroy(const struct vk *vk, struct vk_context *context)
{
    struct vk_buffer *buffers[] = { &context->source, &context->result, &context->grid,    &context->back,
                                    &context->wide,   &context->upload, &context->download };
    vk_copies_destroy(vk, &context->copies);
    vk->f.DestroyQueryPool(vk->device, context->times, NULL);
    vk->f.DestroyFence(vk->device, context->fence, NULL);
    vk->f.DestroyCommandPool(vk->device, context->pool, NULL);
    vk->f.DestroyDescriptorPool(vk->device, context->descriptors, NULL);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        vk_buffer_destroy(vk, buffers[i]);
    core_free(context);
}
