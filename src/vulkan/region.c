/* One region: its commands, its way to the device and back, and the times of its passes. */
#include "core/error.h"
#include "core/sample.h"
#include "vulkan/recording.h"

/* ---- Commands ----------------------------------------------------------------------------------------- */

/* The pixel beyond a ZERO or CONSTANT border, ready to filter. */
static void set_outside(const struct work *work, struct vk_push *push)
{
    float value = work->border_value;
    push->outside_alpha = value;
    push->outside_colour = work->linear_light ? core_srgb_decode(value) : value;
    if (work->alpha == ABBE_ALPHA_PREMULTIPLY)
        push->outside_colour *= value;
}

void vk_region_place(struct vk_recording *recording, int column, int row)
{
    const struct engine *engine = recording->engine;
    struct vk_push *push = &recording->push;
    recording->x = vk_region_span(engine, false, column);
    recording->y = vk_region_span(engine, true, row);
    *push = (struct vk_push){
        .width = (uint32_t)recording->x.results,
        .height = (uint32_t)recording->y.results,
        .channels = (uint32_t)engine->work->channels,
        .source_pitch = (uint32_t)(engine->geometry.source_pitch / sizeof(uint32_t)),
        .result_pitch = (uint32_t)(engine->geometry.result_pitch / sizeof(uint32_t)),
        .before_x = (uint32_t)recording->x.before,
        .before_y = (uint32_t)recording->y.before,
        .map_x = engine->maps_x[column],
        .map_y = engine->maps_y[row],
        .offset = engine->work->offset,
    };
    set_outside(engine->work, push);
}

void vk_region_record(struct vk_recording *recording)
{
    if (recording->engine->geometry.fourier)
        vk_record_fourier(recording);
    else
        vk_record_space(recording);
}

static void order(const struct vk_recording *recording, VkPipelineStageFlags from, VkAccessFlags wrote,
                  VkPipelineStageFlags to, VkAccessFlags reads)
{
    vk_order(recording->vk, recording->context->commands, from, wrote, to, reads);
}

static void begin_region(struct vk_recording *recording)
{
    const struct vk *vk = recording->vk;
    struct vk_context *context = recording->context;
    if (!vk->unified && recording->apart < ABVK_UPLOAD_APART) {
        vk_copy_source(recording, context->commands);
        order(recording, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
              VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    }
    vk_bind_set(recording, context->set);
    if (recording->timed)
        vk->f.CmdResetQueryPool(context->commands, context->times, 0, ABVK_TIMES_MAX);
    vk_time(recording, NULL);
}

static void end_region(struct vk_recording *recording)
{
    if (recording->apart == ABVK_COPIES_APART)
        return;
    if (recording->vk->unified) {
        order(recording, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
              VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
        return;
    }
    order(recording, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
          VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    vk_copy_results(recording, recording->context->commands);
}

static VkResult record(struct vk_recording *recording)
{
    const struct vk_functions *f = &recording->vk->f;
    struct vk_context *context = recording->context;
    VkResult result = f->ResetCommandPool(recording->vk->device, context->pool, 0);
    if (!result)
        result = vk_begin_commands(recording->vk, context->commands);
    if (result)
        return result;
    begin_region(recording);
    vk_region_record(recording);
    end_region(recording);
    return f->EndCommandBuffer(context->commands);
}

/* ---- Times -------------------------------------------------------------------------------------------- */

static void read_times(const struct vk_recording *recording, abbe_watch *watch)
{
    uint64_t times[ABVK_TIMES_MAX];
    const struct vk *vk = recording->vk;
    if (!recording->times ||
        vk->f.GetQueryPoolResults(vk->device, recording->context->times, 0, (uint32_t)recording->times,
                                  sizeof times, times, sizeof *times, VK_QUERY_RESULT_64_BIT))
        return;
    uint64_t mask = vk->time_bits < 64 ? ((uint64_t)1 << vk->time_bits) - 1 : UINT64_MAX;
    for (int i = 1; i < recording->times; i++)
        region_add_time(watch, recording->names[i],
                        (double)((times[i] - times[i - 1]) & mask) *
                            (double)vk->properties.limits.timestampPeriod * 1e-9);
}

/* ---- There and back ----------------------------------------------------------------------------------- */

int vk_region_begin(struct vk_recording *recording, int column, int row, const abbe_image *source)
{
    const struct vk *vk = recording->vk;
    struct vk_context *context = recording->context;
    recording->times = 0;
    vk_region_place(recording, column, row);
    vk_bring(recording, source, vk->unified ? context->source.bytes : context->upload.bytes);
    VkResult result = record(recording);
    if (!result)
        result = vk->f.ResetFences(vk->device, 1, &context->fence);
    if (!result)
        result = recording->apart ? vk_submit_apart(recording)
                                  : vk_submit(recording->vk, context->commands, context->fence);
    if (result && recording->apart)
        vk_drain(recording->vk); /* an upload may be on its way */
    return result ? vk_fail(recording->vk, result, "a run") : ABBE_OK;
}

int vk_region_end(struct vk_recording *recording, const abbe_image *results, abbe_watch *watch)
{
    const struct vk *vk = recording->vk;
    struct vk_context *context = recording->context;
    VkResult result = vk->f.WaitForFences(vk->device, 1, &context->fence, VK_TRUE, UINT64_MAX);
    if (result) {
        vk_drain(recording->vk); /* before anybody lets go of its buffers */
        return vk_fail(recording->vk, result, "a run");
    }
    vk_take_back(recording, vk->unified ? context->result.bytes : context->download.bytes, results);
    if (recording->timed)
        read_times(recording, watch);
    return ABBE_OK;
}
