/* Slots: recordings of a plan into the application's command buffers, on the application's pictures. */
#include "core/error.h"
#include "core/memory.h"
#include "core/view.h"
#include "vulkan/run.h"

#include <abbe/vulkan.h>
#include <stdio.h>

struct abbe_vulkan_slot {
    struct vk *vk;
    const struct engine *engine;
    struct vk_pipeline_set pipelines;
    struct vk_scratch *scratch; /* without picture buffers; `commands` are the application's */
    struct vk_target *targets;  /* one for each result */
    VkDeviceSize wide;          /* bytes of one result as floats: a multiple of OFFSET_ALIGNMENT */
    bool bound;                 /* the targets are bound to pictures */
    uint32_t source_pitch;
};

/* The largest minStorageBufferOffsetAlignment that Vulkan allows. */
enum { OFFSET_ALIGNMENT = 256 };

/* ---- Slots -------------------------------------------------------------------------------------------- */

static bool is_kind(abbe_vulkan_kind kind)
{
    return kind == ABBE_VULKAN_BUFFER || kind == ABBE_VULKAN_IMAGE;
}

static int check_slot_device(const abbe_device *device, abbe_vulkan_kind source, abbe_vulkan_kind result)
{
    const struct vk *vk = (const struct vk *)device;
    if (!is_kind(source) || !is_kind(result))
        return core_fail(device, ABBE_ERR_INVALID,
                         "abbe_vulkan_slot_create: source kind %d, result kind %d; use ABBE_VULKAN_BUFFER or "
                         "ABBE_VULKAN_IMAGE",
                         (int)source, (int)result);
    if (device->table != &vk_device_table || !vk->adopted)
        return core_fail(device, ABBE_ERR_INVALID,
                         "abbe_vulkan_slot_create: the plan's device was not opened by abbe_vulkan_adopt");
    int error = device_check_process(device);
    if (error)
        return error;
    if (result == ABBE_VULKAN_IMAGE && !vk->stores_images)
        return core_fail(
            device, ABBE_ERR_UNSUPPORTED,
            "abbe_vulkan_slot_create: image results need shaderStorageImageWriteWithoutFormat; enable "
            "it and name it in abbe_vulkan_params.features");
    return ABBE_OK;
}

static int check_engine(const abbe_device *device, const struct engine *engine, bool images)
{
    if (!engine)
        return core_fail(device, ABBE_ERR_INVALID,
                         "abbe_vulkan_slot_create: plan is a draft, which cannot run");
    const struct work *work = engine->work;
    bool floats = work->source_type == ABBE_F16 || work->source_type == ABBE_F32;
    if (work->converted)
        return core_fail(device, ABBE_ERR_UNSUPPORTED,
                         "abbe_vulkan_slot_create: the plan's types must be U8, U16, F16 or F32");
    if (images && work->channels != 4)
        return core_fail(device, ABBE_ERR_INVALID,
                         "abbe_vulkan_slot_create: images have 4 channels, but the plan has %d",
                         work->channels);
    if (floats && work->nonfinite == ABBE_NONFINITE_ERROR)
        return core_fail(
            device, ABBE_ERR_INVALID,
            "abbe_vulkan_slot_create: a recording cannot refuse nonfinite samples; make the plan with "
            "ABBE_NONFINITE_ZERO or ABBE_NONFINITE_TRUST");
    if (!engine->geometry.whole)
        return core_fail(device, ABBE_ERR_SIZE,
                         "abbe_vulkan_slot_create: the picture does not fit the device's memory as a whole");
    return ABBE_OK;
}

static VkResult create_slot_buffers(struct abbe_vulkan_slot *slot)
{
    const struct vk *vk = slot->vk;
    const struct vk_geometry *g = &slot->engine->geometry;
    struct vk_scratch *scratch = slot->scratch;
    VkDeviceSize results = (VkDeviceSize)slot->engine->work->result_count;
    VkDeviceSize one = (VkDeviceSize)g->wide_bytes / results;
    slot->wide = (one + OFFSET_ALIGNMENT - 1) / OFFSET_ALIGNMENT * OFFSET_ALIGNMENT;
    VkResult result = VK_SUCCESS;
    double grids = g->in_place ? g->result : g->grids; /* for results with another pitch */
    if (grids > 0)
        result = vk_buffer_create(vk, (VkDeviceSize)grids, ABVK_MEMORY_DEVICE, &scratch->grid);
    if (!result && g->back > 0)
        result = vk_buffer_create(vk, (VkDeviceSize)g->back, ABVK_MEMORY_DEVICE, &scratch->back);
    if (!result && slot->wide > 0)
        result = vk_buffer_create(vk, slot->wide * results, ABVK_MEMORY_DEVICE, &scratch->wide);
    return result;
}

static int fill_slot(struct abbe_vulkan_slot *slot)
{
    uint32_t results = (uint32_t)slot->engine->work->result_count;
    slot->scratch = core_alloc_zero(1, sizeof *slot->scratch);
    slot->targets = core_alloc_zero(results, sizeof *slot->targets);
    if (!slot->scratch || !slot->targets)
        return core_fail_memory(slot->vk);
    int error = vk_engine_pipelines(slot->vk, slot->engine, &slot->pipelines);
    if (error)
        return error;
    VkResult result = create_slot_buffers(slot);
    if (!result)
        result = vk_pool_create(slot->vk, results, &slot->scratch->descriptors);
    for (uint32_t r = 0; r < results && !result; r++)
        result = vk_set_create(slot->vk, slot->scratch->descriptors, &slot->targets[r].set);
    return result ? vk_fail(slot->vk, result, "creating the buffers of a slot") : ABBE_OK;
}

int abbe_vulkan_slot_create(const abbe_plan *plan, abbe_vulkan_kind source, abbe_vulkan_kind result,
                            abbe_vulkan_slot **slot)
{
    if (!plan || !slot)
        return core_fail(plan ? plan_device(plan) : NULL, ABBE_ERR_INVALID,
                         "abbe_vulkan_slot_create: %s is NULL", plan ? "slot" : "plan");
    bool images = source == ABBE_VULKAN_IMAGE || result == ABBE_VULKAN_IMAGE;
    int error = check_slot_device(plan_device(plan), source, result);
    if (!error && plan_is_cut(plan))
        error = core_fail(
            plan_device(plan), ABBE_ERR_UNSUPPORTED,
            "abbe_vulkan_slot_create: plan has a window; only abbe_run and abbe_submit cut results "
            "out");
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
    error = fill_slot(made);
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
    if ((*slot)->scratch && !device_is_inherited(&(*slot)->vk->head))
        vk_scratch_destroy((*slot)->vk, (*slot)->scratch);
    core_free((*slot)->targets);
    core_free(*slot);
    *slot = NULL;
}

/* ---- Pictures ----------------------------------------------------------------------------------------- */

static int refuse_picture(const struct vk *vk, const char *what, const char *why)
{
    return core_fail(vk, ABBE_ERR_INVALID, "%s: %s", what, why);
}

static size_t row_bytes(const struct work *work, abbe_type type)
{
    return (size_t)work->width * work->channels * abbe_type_size(type);
}

/* Whether a format holds four channels of a type. */
static bool is_format(VkFormat format, abbe_type type)
{
    switch (type) {
    case ABBE_U8: return format == VK_FORMAT_R8G8B8A8_UNORM || format == VK_FORMAT_B8G8R8A8_UNORM;
    case ABBE_U16: return format == VK_FORMAT_R16G16B16A16_UNORM;
    case ABBE_F16: return format == VK_FORMAT_R16G16B16A16_SFLOAT;
    case ABBE_F32: return format == VK_FORMAT_R32G32B32A32_SFLOAT;
    default: return false;
    }
}

static int check_image(const struct vk *vk, const abbe_vulkan_picture *picture, abbe_type type, bool stored,
                       const char *what)
{
    if (!picture->view || picture->buffer)
        return refuse_picture(vk, what, "the slot takes images; set `view`, and leave `buffer` 0");
    if (!is_format(picture->format, type))
        return core_fail(vk, ABBE_ERR_INVALID, "%s: VkFormat %d does not hold four channels of %s", what,
                         (int)picture->format, abbe_type_name(type));
    if (picture->layout != VK_IMAGE_LAYOUT_GENERAL &&
        (stored || picture->layout != VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL))
        return core_fail(vk, ABBE_ERR_INVALID, "%s: layout is VkImageLayout %d; it must be GENERAL%s", what,
                         (int)picture->layout, stored ? "" : " or SHADER_READ_ONLY_OPTIMAL");
    return ABBE_OK;
}

static int check_buffer(const struct vk *vk, const struct work *work, const abbe_vulkan_picture *picture,
                        abbe_type type, const char *what)
{
    const VkPhysicalDeviceLimits *limits = &vk->properties.limits;
    VkDeviceSize unit = work->channels == 4 && type == ABBE_F32 ? 16 : 4;
    if (!picture->buffer || picture->view)
        return refuse_picture(vk, what, "the slot takes buffers; set `buffer`, and leave `view` 0");
    if (picture->offset % limits->minStorageBufferOffsetAlignment)
        return refuse_picture(vk, what, "offset is not a multiple of minStorageBufferOffsetAlignment");
    if (picture->stride % unit || picture->stride < row_bytes(work, type))
        return core_fail(vk, ABBE_ERR_INVALID,
                         "%s: stride is %llu bytes; it must be a multiple of %d and at least a row of %zu",
                         what, (unsigned long long)picture->stride, (int)unit, row_bytes(work, type));
    if (picture->stride > limits->maxStorageBufferRange / (VkDeviceSize)work->height)
        return refuse_picture(vk, what, "height · stride is larger than maxStorageBufferRange");
    return ABBE_OK;
}

/* Checks that a picture is of the kind, type and size that a recording reads, or stores. `what` names it in
 * the message. Errors: INVALID. */
static int check_picture(const struct vk *vk, const struct work *work, const abbe_vulkan_picture *picture,
                         bool image, bool stored, const char *what)
{
    abbe_type type = stored ? work->result_type : work->source_type;
    if (picture->width != work->width || picture->height != work->height)
        return core_fail(vk, ABBE_ERR_INVALID, "%s: %d x %d pixels, but the plan is for %d x %d", what,
                         picture->width, picture->height, work->width, work->height);
    return image ? check_image(vk, picture, type, stored, what) : check_buffer(vk, work, picture, type, what);
}

static VkDeviceSize picture_bytes(const abbe_vulkan_picture *picture)
{
    return picture->stride * (VkDeviceSize)picture->height;
}

/* Whether two checked pictures share memory, as far as their handles tell. */
static bool pictures_overlap(const abbe_vulkan_picture *a, const abbe_vulkan_picture *b)
{
    if (a->view || b->view)
        return a->view == b->view;
    return a->buffer == b->buffer && a->offset < b->offset + picture_bytes(b) &&
           b->offset < a->offset + picture_bytes(a);
}

static VkDescriptorBufferInfo buffer_info(const abbe_vulkan_picture *picture)
{
    return (VkDescriptorBufferInfo){ picture->buffer, picture->offset, picture_bytes(picture) };
}

static VkDescriptorImageInfo image_info(const abbe_vulkan_picture *picture)
{
    return (VkDescriptorImageInfo){ .imageView = picture->view, .imageLayout = picture->layout };
}

/* ---- Recordings --------------------------------------------------------------------------------------- */

static int check_pictures(const struct abbe_vulkan_slot *slot, const abbe_vulkan_picture *source,
                          const abbe_vulkan_picture *results)
{
    const struct vk_pipeline_set *set = &slot->pipelines;
    const struct work *work = slot->engine->work;
    int error = check_picture(slot->vk, work, source, set->from_image, false, "source");
    char what[32];
    for (int i = 0; i < work->result_count && !error; i++) {
        snprintf(what, sizeof what, "result %d", i + 1);
        error = check_picture(slot->vk, work, &results[i], set->to_image, true, what);
        if (!error && pictures_overlap(source, &results[i]))
            error = core_fail(slot->vk, ABBE_ERR_INVALID, "%s: it shares memory with the source", what);
        for (int j = 0; j < i && !error; j++)
            if (pictures_overlap(&results[j], &results[i]))
                error = core_fail(slot->vk, ABBE_ERR_INVALID, "%s: it shares memory with result %d", what,
                                  j + 1);
    }
    return error;
}

/* A grid that is filtered in place lies in the result if that is a buffer without gaps between rows,
 * otherwise in the slot. */
static void place_grid(const struct abbe_vulkan_slot *slot, const abbe_vulkan_picture *result,
                       VkDescriptorBufferInfo infos[ABVK_BUFFERS])
{
    const struct vk_geometry *g = &slot->engine->geometry;
    const struct vk_buffer *grid = &slot->scratch->grid;
    if (!g->in_place)
        return;
    bool gapless = !slot->pipelines.to_image && (double)result->stride == g->result_pitch;
    infos[ABVK_GRID] = gapless ? infos[ABVK_RESULT] : (VkDescriptorBufferInfo){ grid->buffer, 0, grid->size };
    infos[ABVK_BACK] = infos[ABVK_GRID];
}

/* Binds every target to the source and to its result. */
static void bind_pictures(struct abbe_vulkan_slot *slot, const abbe_vulkan_picture *source,
                          const abbe_vulkan_picture *results)
{
    const struct vk_pipeline_set *set = &slot->pipelines;
    VkDescriptorBufferInfo infos[ABVK_BUFFERS];
    vk_set_infos(slot->engine, slot->scratch, infos);
    if (!set->from_image)
        infos[ABVK_SOURCE] = buffer_info(source);
    VkDescriptorImageInfo from = image_info(source), to;
    for (int r = 0; r < slot->engine->work->result_count; r++) {
        if (!set->to_image)
            infos[ABVK_RESULT] = buffer_info(&results[r]);
        place_grid(slot, &results[r], infos);
        if (slot->wide) {
            infos[ABVK_WIDE].offset = slot->wide * (VkDeviceSize)r;
            infos[ABVK_WIDE].range = slot->wide;
        }
        to = image_info(&results[r]);
        slot->targets[r].pitch = (uint32_t)(results[r].stride / sizeof(uint32_t));
        vk_set_write(slot->vk, slot->targets[r].set, infos, set->from_image ? &from : NULL,
                     set->to_image ? &to : NULL);
    }
    slot->source_pitch = (uint32_t)(source->stride / sizeof(uint32_t));
    slot->bound = true;
}

static void record_slot(const struct abbe_vulkan_slot *slot)
{
    struct vk_recording recording = { .vk = slot->vk,
                                      .engine = slot->engine,
                                      .scratch = slot->scratch,
                                      .pipelines = &slot->pipelines,
                                      .targets = slot->targets };
    vk_place_region(&recording, 0, 0);
    recording.push.source_pitch = slot->source_pitch;
    vk_record_passes(&recording, slot->targets[0].set);
}

int abbe_vulkan_record(abbe_vulkan_slot *slot, VkCommandBuffer commands, const abbe_vulkan_picture *source,
                       const abbe_vulkan_picture *results)
{
    bool again = slot && slot->bound && !source && !results;
    if (!slot || !commands || (!again && (!source || !results)))
        return core_fail(slot ? slot->vk : NULL, ABBE_ERR_INVALID, "abbe_vulkan_record: %s is NULL",
                         !slot       ? "slot"
                         : !commands ? "commands"
                         : !source   ? "source"
                                     : "results");
    int error = device_check_process(&slot->vk->head);
    if (!error && !again)
        error = check_pictures(slot, source, results);
    if (error)
        return error;
    if (!again)
        bind_pictures(slot, source, results);
    slot->scratch->commands = commands;
    record_slot(slot);
    return ABBE_OK;
}
