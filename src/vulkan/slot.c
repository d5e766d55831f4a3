/* Recordings into a program's command buffers: the slot that holds the scratch of one, and the commands. */
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/picture.h"
#include "vulkan/recording.h"

#include <stdio.h>

struct abbe_vulkan_slot {
    struct vk *vk;
    const struct engine *engine;
    struct vk_pipeline_set pipelines;
    struct vk_context *context; /* without pictures, and with the program's commands while it is recorded */
    struct vk_target *targets;  /* one for each result */
    VkDeviceSize wide; /* bytes of one result as floats, a multiple of any alignment of descriptors */
    bool aimed;        /* the targets point at pictures */
    uint32_t source_pitch;
};

/* The largest minStorageBufferOffsetAlignment that Vulkan allows. */
enum { OFFSET_ALIGNMENT = 256 };

/* ---- Slots -------------------------------------------------------------------------------------------- */

static bool is_kind(abbe_vulkan_kind kind)
{
    return kind == ABBE_VULKAN_BUFFER || kind == ABBE_VULKAN_IMAGE;
}

static int check_device(const abbe_device *device, abbe_vulkan_kind source, abbe_vulkan_kind result)
{
    const struct vk *vk = (const struct vk *)device;
    if (!is_kind(source) || !is_kind(result))
        return core_fail(device, ABBE_ERR_INVALID, "slot: a picture is a buffer or an image, not %d or %d",
                         (int)source, (int)result);
    if (device->table != &vk_device_table || !vk->adopted)
        return core_fail(device, ABBE_ERR_INVALID,
                         "slot: the plan's device is not one that abbe_vulkan_adopt has made");
    if (result == ABBE_VULKAN_IMAGE && !vk->storable)
        return core_fail(device, ABBE_ERR_UNSUPPORTED,
                         "slot: results that are images take shaderStorageImageWriteWithoutFormat, which is "
                         "not among the features that the device was adopted with");
    return ABBE_OK;
}

static int check_engine(const abbe_device *device, const struct engine *engine, bool images)
{
    const struct work *work = engine->work;
    bool floats = work->source_type == ABBE_F16 || work->source_type == ABBE_F32;
    if (images && work->channels != 4)
        return core_fail(device, ABBE_ERR_INVALID, "slot: images have four channels, and the plan has %d",
                         work->channels);
    if (floats && work->nonfinite == ABBE_NONFINITE_ERROR)
        return core_fail(device, ABBE_ERR_INVALID,
                         "slot: a recording cannot look for samples that are not finite; make the plan with "
                         "ABBE_NONFINITE_ZERO or ABBE_NONFINITE_TRUST");
    if (!vk_is_whole(engine))
        return core_fail(device, ABBE_ERR_SIZE, "slot: the picture does not fit the device as a whole");
    return ABBE_OK;
}

static VkResult create_scratch(struct abbe_vulkan_slot *slot)
{
    const struct vk *vk = slot->vk;
    const struct vk_geometry *g = &slot->engine->geometry;
    struct vk_context *context = slot->context;
    VkDeviceSize results = (VkDeviceSize)slot->engine->work->result_count;
    VkDeviceSize one = (VkDeviceSize)g->wide_bytes / results;
    slot->wide = (one + OFFSET_ALIGNMENT - 1) / OFFSET_ALIGNMENT * OFFSET_ALIGNMENT;
    VkResult result = VK_SUCCESS;
    double grids = g->in_place ? g->result : g->grids; /* for results that have another pitch */
    if (grids > 0)
        result = vk_buffer_create(vk, (VkDeviceSize)grids, ABVK_MEMORY_DEVICE, &context->grid);
    if (!result && g->back > 0)
        result = vk_buffer_create(vk, (VkDeviceSize)g->back, ABVK_MEMORY_DEVICE, &context->back);
    if (!result && slot->wide > 0)
        result = vk_buffer_create(vk, slot->wide * results, ABVK_MEMORY_DEVICE, &context->wide);
    return result;
}

static int fill(struct abbe_vulkan_slot *slot)
{
    uint32_t results = (uint32_t)slot->engine->work->result_count;
    slot->context = core_alloc_zero(1, sizeof *slot->context);
    slot->targets = core_alloc_zero(results, sizeof *slot->targets);
    if (!slot->context || !slot->targets)
        return core_fail_memory(slot->vk);
    int error = vk_engine_pipelines(slot->vk, slot->engine, &slot->pipelines);
    if (error)
        return error;
    VkResult result = create_scratch(slot);
    if (!result)
        result = vk_pool_create(slot->vk, results, &slot->context->descriptors);
    for (uint32_t r = 0; r < results && !result; r++)
        result = vk_set_create(slot->vk, slot->context->descriptors, &slot->targets[r].set);
    return result ? vk_fail(slot->vk, result, "making a slot's buffers") : ABBE_OK;
}

int abbe_vulkan_slot_create(const abbe_plan *plan, abbe_vulkan_kind source, abbe_vulkan_kind result,
                            abbe_vulkan_slot **slot)
{
    if (!plan || !slot)
        return core_fail(plan ? plan_device(plan) : NULL, ABBE_ERR_INVALID, "slot: no %s given",
                         plan ? "place for the result" : "plan");
    bool images = source == ABBE_VULKAN_IMAGE || result == ABBE_VULKAN_IMAGE;
    int error = check_device(plan_device(plan), source, result);
    if (!error)
        error = check_engine(plan_device(plan), plan_engine(plan), images);
    if (error)
        return error;
    struct abbe_vulkan_slot *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(plan_device(plan));
    made->vk = (struct vk *)plan_device(plan);
    made->engine = plan_engine(plan);
    made->pipelines.from_image = source == ABBE_VULKAN_IMAGE;
    made->pipelines.to_image = result == ABBE_VULKAN_IMAGE;
    error = fill(made);
    if (error) {
        abbe_vulkan_slot_destroy(&made);
        return error == DEVICE_ERR_FULL ? ABBE_ERR_MEMORY : error;
    }
    *slot = made;
    return ABBE_OK;
}

void abbe_vulkan_slot_destroy(abbe_vulkan_slot **slot)
{
    if (!slot || !*slot)
        return;
    if ((*slot)->context)
        vk_context_destroy((*slot)->vk, (*slot)->context);
    core_free((*slot)->targets);
    core_free(*slot);
    *slot = NULL;
}

/* ---- Recordings --------------------------------------------------------------------------------------- */

static int check_pictures(const struct abbe_vulkan_slot *slot, const abbe_vulkan_picture *source,
                          const abbe_vulkan_picture *results)
{
    const struct vk_pipeline_set *set = &slot->pipelines;
    const struct work *work = slot->engine->work;
    int error = vk_picture_check(slot->vk, work, source, set->from_image, false, "source");
    char what[32];
    for (int i = 0; i < work->result_count && !error; i++) {
        snprintf(what, sizeof what, "result %d", i + 1);
        error = vk_picture_check(slot->vk, work, &results[i], set->to_image, true, what);
        if (!error && vk_pictures_overlap(source, &results[i]))
            error = core_fail(slot->vk, ABBE_ERR_INVALID, "%s shares memory with the source", what);
        for (int j = 0; j < i && !error; j++)
            if (vk_pictures_overlap(&results[j], &results[i]))
                error = core_fail(slot->vk, ABBE_ERR_INVALID, "%s shares memory with result %d", what, j + 1);
    }
    return error;
}

/* The grid lies in the result where that is a buffer without gaps, and in the slot elsewhere. */
static void place_grid(const struct abbe_vulkan_slot *slot, const abbe_vulkan_picture *result,
                       VkDescriptorBufferInfo infos[ABVK_BUFFERS])
{
    const struct vk_geometry *g = &slot->engine->geometry;
    const struct vk_buffer *grid = &slot->context->grid;
    if (!g->in_place)
        return;
    bool gapless = !slot->pipelines.to_image && (double)result->stride == g->result_pitch;
    infos[ABVK_GRID] = gapless ? infos[ABVK_RESULT] : (VkDescriptorBufferInfo){ grid->buffer, 0, grid->size };
    infos[ABVK_BACK] = infos[ABVK_GRID];
}

/* Points every target at its result, and all of them at the source. */
static void aim(struct abbe_vulkan_slot *slot, const abbe_vulkan_picture *source,
                const abbe_vulkan_picture *results)
{
    const struct vk_pipeline_set *set = &slot->pipelines;
    VkDescriptorBufferInfo infos[ABVK_BUFFERS];
    vk_set_infos(slot->engine, slot->context, infos);
    if (!set->from_image)
        infos[ABVK_SOURCE] = vk_picture_buffer(source);
    VkDescriptorImageInfo from = vk_picture_image(source), to;
    for (int r = 0; r < slot->engine->work->result_count; r++) {
        if (!set->to_image)
            infos[ABVK_RESULT] = vk_picture_buffer(&results[r]);
        place_grid(slot, &results[r], infos);
        if (slot->wide) {
            infos[ABVK_WIDE].offset = slot->wide * (VkDeviceSize)r;
            infos[ABVK_WIDE].range = slot->wide;
        }
        to = vk_picture_image(&results[r]);
        slot->targets[r].pitch = (uint32_t)(results[r].stride / sizeof(uint32_t));
        vk_set_write(slot->vk, slot->targets[r].set, infos, set->from_image ? &from : NULL,
                     set->to_image ? &to : NULL);
    }
    slot->source_pitch = (uint32_t)(source->stride / sizeof(uint32_t));
    slot->aimed = true;
}

static void record(const struct abbe_vulkan_slot *slot)
{
    struct vk_recording recording = { .vk = slot->vk,
                                      .engine = slot->engine,
                                      .context = slot->context,
                                      .pipelines = &slot->pipelines,
                                      .targets = slot->targets };
    vk_region_place(&recording, 0, 0);
    recording.push.source_pitch = slot->source_pitch;
    vk_bind_set(&recording, slot->targets[0].set);
    vk_region_record(&recording);
}

int abbe_vulkan_record(abbe_vulkan_slot *slot, VkCommandBuffer commands, const abbe_vulkan_picture *source,
                       const abbe_vulkan_picture *results)
{
    bool again = slot && slot->aimed && !source && !results;
    if (!slot || !commands || (!again && (!source || !results)))
        return core_fail(slot ? slot->vk : NULL, ABBE_ERR_INVALID, "record: no %s given",
                         !slot       ? "slot"
                         : !commands ? "command buffer"
                         : !source   ? "source"
                                     : "result");
    int error = again ? ABBE_OK : check_pictures(slot, source, results);
    if (error)
        return error;
    if (!again)
        aim(slot, source, results);
    slot->context->commands = commands;
    record(slot);
    return ABBE_OK;
}
