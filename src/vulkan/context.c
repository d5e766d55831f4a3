/* What one run at a time uses: buffers, commands, descriptors. Kept by the engine from run to run. */
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/recording.h"

static VkResult create_buffers(const struct vk *vk, const struct engine *engine, struct vk_context *context)
{
    const struct vk_geometry *g = &engine->geometry;
    const struct {
        double bytes;
        enum vk_place place;
        struct vk_buffer *buffer;
    } wanted[] = {
        { g->source, ABVK_MEMORY_EXCHANGE, &context->source },
        { g->result, ABVK_MEMORY_EXCHANGE, &context->result },
        { g->grids, ABVK_MEMORY_DEVICE, &context->grid },
        { g->back, ABVK_MEMORY_DEVICE, &context->back },
        { g->wide_bytes, ABVK_MEMORY_DEVICE, &context->wide },
        { vk->unified ? 0 : g->source, ABVK_MEMORY_UPLOAD, &context->upload },
        { vk->unified ? 0 : g->result, ABVK_MEMORY_DOWNLOAD, &context->download },
    };
    VkResult result = VK_SUCCESS;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && !result; i++)
        if (wanted[i].bytes > 0)
            result = vk_buffer_create(vk, (VkDeviceSize)wanted[i].bytes, wanted[i].place, wanted[i].buffer);
    return result;
}

VkResult vk_pool_create(const struct vk *vk, uint32_t count, VkDescriptorPool *pool)
{
    const VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, ABVK_BUFFERS * count },
                                           { VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, count },
                                           { VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, count } };
    const VkDescriptorPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                              .maxSets = count,
                                              .poolSizeCount = sizeof sizes / sizeof *sizes,
                                              .pPoolSizes = sizes };
    return vk->f.CreateDescriptorPool(vk->device, &info, NULL, pool);
}

VkResult vk_set_create(const struct vk *vk, VkDescriptorPool pool, VkDescriptorSet *set)
{
    const VkDescriptorSetAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                               .descriptorPool = pool,
                                               .descriptorSetCount = 1,
                                               .pSetLayouts = &vk->set_layout };
    return vk->f.AllocateDescriptorSets(vk->device, &info, set);
}

/* A binding that the method has no use for gets the maps, which are always there. Without a bank the columns are
 * filtered in place, and where the grid has no buffer of its own it is that of the result. */
void vk_set_infos(const struct engine *engine, const struct vk_context *context,
                  VkDescriptorBufferInfo infos[ABVK_BUFFERS])
{
    const struct vk_buffer *grid = engine->geometry.in_place ? &context->result : &context->grid;
    const struct vk_buffer *buffers[ABVK_BUFFERS] = {
        [ABVK_SOURCE] = &context->source,
        [ABVK_RESULT] = &context->result,
        [ABVK_GRID] = grid,
        [ABVK_BACK] = context->back.buffer ? &context->back : grid,
        [ABVK_FILTERS] = &engine->filters,
        [ABVK_TABLES] = &engine->tables,
        [ABVK_MAPS] = &engine->maps,
        [ABVK_WIDE] = &context->wide,
    };
    for (int i = 0; i < ABVK_BUFFERS; i++) {
        const struct vk_buffer *buffer = buffers[i]->buffer ? buffers[i] : &engine->maps;
        infos[i] = (VkDescriptorBufferInfo){ buffer->buffer, 0, buffer->size };
    }
}

void vk_set_write(const struct vk *vk, VkDescriptorSet set, const VkDescriptorBufferInfo infos[ABVK_BUFFERS],
                  const VkDescriptorImageInfo *source, const VkDescriptorImageInfo *result)
{
    VkWriteDescriptorSet writes[ABVK_BUFFERS + 2];
    const VkWriteDescriptorSet one = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = set,
                                       .descriptorCount = 1,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER };
    uint32_t count = 0;
    for (; count < ABVK_BUFFERS; count++) {
        writes[count] = one;
        writes[count].dstBinding = count;
        writes[count].pBufferInfo = &infos[count];
    }
    for (int i = 0; i < 2; i++)
        if (i ? result : source) {
            writes[count] = one;
            writes[count].dstBinding = i ? ABVK_RESULT_IMAGE : ABVK_SOURCE_IMAGE;
            writes[count].descriptorType = i ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                                             : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
            writes[count++].pImageInfo = i ? result : source;
        }
    vk->f.UpdateDescriptorSets(vk->device, count, writes, 0, NULL);
}

static VkResult create_commands(const struct vk *vk, struct vk_context *context)
{
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .queueFamilyIndex = vk->family };
    const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    const VkQueryPoolCreateInfo times = { .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                          .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                          .queryCount = ABVK_TIMES_MAX };
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

/* All but the memory of the struct itself. */
static void release(const struct vk *vk, struct vk_context *context)
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
}

static int create(struct vk *vk, const struct engine *engine, struct vk_context **context)
{
    struct vk_context *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(vk);
    VkResult result = create_buffers(vk, engine, made);
    if (!result)
        result = vk_pool_create(vk, 1, &made->descriptors);
    if (!result)
        result = vk_set_create(vk, made->descriptors, &made->set);
    if (!result)
        result = create_commands(vk, made);
    if (result) {
        vk_context_destroy(vk, made);
        return vk_fail(vk, result, "making a run's buffers");
    }
    VkDescriptorBufferInfo infos[ABVK_BUFFERS];
    vk_set_infos(engine, made, infos);
    vk_set_write(vk, made->set, infos, NULL, NULL);
    *context = made;
    return ABBE_OK;
}

int vk_context_take(struct vk *vk, struct engine *engine, struct vk_context **context)
{
    pthread_mutex_lock(&engine->lock);
    struct vk_context *idle = engine->contexts;
    while (idle && idle->busy)
        idle = idle->next;
    if (idle)
        idle->busy = true;
    pthread_mutex_unlock(&engine->lock);
    if (idle) {
        *context = idle;
        return ABBE_OK;
    }
    int error = vk_engine_run_pipelines(vk, engine);
    if (!error)
        error = create(vk, engine, &idle);
    if (error)
        return error;
    idle->busy = true;
    pthread_mutex_lock(&engine->lock);
    idle->next = engine->contexts;
    engine->contexts = idle;
    pthread_mutex_unlock(&engine->lock);
    *context = idle;
    return ABBE_OK;
}

void vk_context_return(struct engine *engine, struct vk_context *context)
{
    pthread_mutex_lock(&engine->lock);
    context->busy = false;
    pthread_mutex_unlock(&engine->lock);
}

void vk_context_drop(const struct vk *vk, struct engine *engine, struct vk_context *context)
{
    pthread_mutex_lock(&engine->lock);
    struct vk_context **place = &engine->contexts;
    while (*place != context)
        place = &(*place)->next;
    *place = context->next;
    pthread_mutex_unlock(&engine->lock);
    vk_context_destroy(vk, context);
}

void vk_contexts_abandon(const struct vk *vk, struct engine *engine)
{
    while (engine->contexts) {
        struct vk_context *gone = engine->contexts;
        engine->contexts = gone->next;
        release(vk, gone);
        gone->orphan = true;
        if (!gone->busy)
            core_free(gone);
    }
}

void vk_context_destroy(const struct vk *vk, struct vk_context *context)
{
    release(vk, context);
    core_free(context);
}
