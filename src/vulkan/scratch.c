/* Scratch: the buffers, commands and descriptors of one run at a time. The engine keeps it for later runs. */
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/run.h"

static VkResult create_scratch_buffers(const struct vk *vk, const struct engine *engine,
                                       struct vk_scratch *scratch)
{
    const struct vk_geometry *g = &engine->geometry;
    const struct {
        double bytes;
        enum vk_memory memory;
        struct vk_buffer *buffer;
    } wanted[] = {
        { g->source, ABVK_MEMORY_EXCHANGE, &scratch->source },
        { g->result, ABVK_MEMORY_EXCHANGE, &scratch->result },
        { g->grids, ABVK_MEMORY_DEVICE, &scratch->grid },
        { g->back, ABVK_MEMORY_DEVICE, &scratch->back },
        { g->wide_bytes, ABVK_MEMORY_DEVICE, &scratch->wide },
        { vk->unified ? 0 : g->source, ABVK_MEMORY_UPLOAD, &scratch->upload },
        { vk->unified ? 0 : g->result, ABVK_MEMORY_DOWNLOAD, &scratch->download },
    };
    VkResult result = VK_SUCCESS;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && !result; i++)
        if (wanted[i].bytes > 0)
            result = vk_buffer_create(vk, (VkDeviceSize)wanted[i].bytes, wanted[i].memory, wanted[i].buffer);
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

/* A binding that the method does not use gets the maps, which always exist. Unless the plan is a bank,
 * columns are filtered in place; a grid that has the shape of the result lies in the result's buffer. */
void vk_set_infos(const struct engine *engine, const struct vk_scratch *scratch,
                  VkDescriptorBufferInfo infos[ABVK_BUFFERS])
{
    const struct vk_buffer *grid = engine->geometry.in_place ? &scratch->result : &scratch->grid;
    const struct vk_buffer *buffers[ABVK_BUFFERS] = {
        [ABVK_SOURCE] = &scratch->source,
        [ABVK_RESULT] = &scratch->result,
        [ABVK_GRID] = grid,
        [ABVK_BACK] = scratch->back.buffer ? &scratch->back : grid,
        [ABVK_FILTERS] = &engine->filters,
        [ABVK_TABLES] = &engine->tables,
        [ABVK_MAPS] = &engine->maps,
        [ABVK_WIDE] = &scratch->wide,
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

static VkResult create_scratch_commands(const struct vk *vk, struct vk_scratch *scratch)
{
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .queueFamilyIndex = vk->family };
    const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    const VkQueryPoolCreateInfo times = { .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                          .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                          .queryCount = ABVK_TIMES_MAX };
    VkResult result = vk->f.CreateCommandPool(vk->device, &pool, NULL, &scratch->pool);
    const VkCommandBufferAllocateInfo commands = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                   .commandPool = scratch->pool,
                                                   .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                   .commandBufferCount = 1 };
    if (!result)
        result = vk->f.AllocateCommandBuffers(vk->device, &commands, &scratch->commands);
    if (!result)
        result = vk->f.CreateFence(vk->device, &fence, NULL, &scratch->fence);
    if (!result && vk->time_bits)
        result = vk->f.CreateQueryPool(vk->device, &times, NULL, &scratch->times);
    return result;
}

/* Releases everything except the struct. */
static void release_scratch(const struct vk *vk, struct vk_scratch *scratch)
{
    struct vk_buffer *buffers[] = { &scratch->source, &scratch->result, &scratch->grid,    &scratch->back,
                                    &scratch->wide,   &scratch->upload, &scratch->download };
    vk_copies_destroy(vk, &scratch->copies);
    vk->f.DestroyQueryPool(vk->device, scratch->times, NULL);
    vk->f.DestroyFence(vk->device, scratch->fence, NULL);
    vk->f.DestroyCommandPool(vk->device, scratch->pool, NULL);
    vk->f.DestroyDescriptorPool(vk->device, scratch->descriptors, NULL);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        vk_buffer_destroy(vk, buffers[i]);
}

static int create_scratch(struct vk *vk, const struct engine *engine, struct vk_scratch **scratch)
{
    struct vk_scratch *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(vk);
    VkResult result = create_scratch_buffers(vk, engine, made);
    if (!result)
        result = vk_pool_create(vk, 1, &made->descriptors);
    if (!result)
        result = vk_set_create(vk, made->descriptors, &made->set);
    if (!result)
        result = create_scratch_commands(vk, made);
    if (result) {
        vk_scratch_destroy(vk, made);
        return vk_fail(vk, result, "creating the buffers of a run");
    }
    VkDescriptorBufferInfo infos[ABVK_BUFFERS];
    vk_set_infos(engine, made, infos);
    vk_set_write(vk, made->set, infos, NULL, NULL);
    *scratch = made;
    return ABBE_OK;
}

int vk_scratch_take(struct vk *vk, struct engine *engine, struct vk_scratch **scratch)
{
    pthread_mutex_lock(&engine->lock);
    struct vk_scratch *idle = engine->scratch;
    while (idle && idle->busy)
        idle = idle->next;
    if (idle)
        idle->busy = true;
    pthread_mutex_unlock(&engine->lock);
    if (idle) {
        *scratch = idle;
        return ABBE_OK;
    }
    int error = create_scratch(vk, engine, &idle);
    if (error)
        return error;
    idle->busy = true;
    pthread_mutex_lock(&engine->lock);
    idle->next = engine->scratch;
    engine->scratch = idle;
    pthread_mutex_unlock(&engine->lock);
    *scratch = idle;
    return ABBE_OK;
}

void vk_scratch_return(struct engine *engine, struct vk_scratch *scratch)
{
    pthread_mutex_lock(&engine->lock);
    scratch->busy = false;
    pthread_mutex_unlock(&engine->lock);
}

void vk_scratch_drop(const struct vk *vk, struct engine *engine, struct vk_scratch *scratch)
{
    pthread_mutex_lock(&engine->lock);
    struct vk_scratch **place = &engine->scratch;
    while (*place != scratch)
        place = &(*place)->next;
    *place = scratch->next;
    pthread_mutex_unlock(&engine->lock);
    vk_scratch_destroy(vk, scratch);
}

void vk_scratch_abandon(const struct vk *vk, struct engine *engine)
{
    while (engine->scratch) {
        struct vk_scratch *gone = engine->scratch;
        engine->scratch = gone->next;
        release_scratch(vk, gone);
        gone->orphan = true;
        if (!gone->busy)
            core_free(gone);
    }
}

void vk_scratch_destroy(const struct vk *vk, struct vk_scratch *scratch)
{
    release_scratch(vk, scratch);
    core_free(scratch);
}
