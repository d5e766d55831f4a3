/* One run: each region is brought to the device, filtered there, and taken back. */
#include "core/border.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/sample.h"
#include "core/threads.h"
#include "core/view.h"
#include "vulkan/vk.h"

#include <string.h>

/* ---- Pixels between the views and the device ---------------------------------------------------------- */

static int workers_of(const struct vk_recording *recording, double samples)
{
    return core_workers(recording->vk->head.threads, samples);
}

/* One row of a region's source; a run of columns that are neighbours in the picture is one copy. */
static void gather_row(const struct engine *engine, const abbe_image *source, const struct vk_span *x, int y,
                       char *to)
{
    size_t pixel = (size_t)source->channels * abbe_type_size(source->type);
    const char *row = core_row(source, y);
    for (int k = 0, count; k < x->window; k += count) {
        long long coordinate = (long long)x->first - x->before + k;
        int index = core_border_index(engine->work->border, coordinate, source->width);
        count = 1;
        if (index < 0)
            continue;
        if (coordinate == index)
            count = source->width - index < x->window - k ? source->width - index : x->window - k;
        memcpy(to + (size_t)k * pixel, row + (size_t)index * pixel, (size_t)count * pixel);
    }
}

static void bring(const struct vk_recording *recording, const abbe_image *source, char *to)
{
    const struct engine *engine = recording->engine;
    const struct vk_span *x = &recording->x, *y = &recording->y;
    size_t pitch = (size_t)engine->geometry.source_pitch;
    bool whole = vk_is_whole(engine);
    int rows = whole ? source->height : y->window;
    int workers = workers_of(recording, (double)rows * x->window * source->channels);
#pragma omp parallel for schedule(static) num_threads(workers)
    for (int i = 0; i < rows; i++) {
        int row = whole ? i
                        : core_border_index(engine->work->border, (long long)y->first - y->before + i,
                                            source->height);
        if (whole)
            memcpy(to + (size_t)i * pitch, core_row(source, row), core_row_bytes(source));
        else if (row >= 0)
            gather_row(engine, source, x, row, to + (size_t)i * pitch);
    }
}

static void take_back(const struct vk_recording *recording, const char *from, const abbe_image *results)
{
    const struct engine *engine = recording->engine;
    const struct vk_span *x = &recording->x, *y = &recording->y;
    size_t pitch = (size_t)engine->geometry.result_pitch;
    size_t pixel = (size_t)results[0].channels * abbe_type_size(results[0].type);
    int rows = engine->work->result_count * y->results;
    int workers = workers_of(recording, (double)rows * x->results * results[0].channels);
#pragma omp parallel for schedule(static) num_threads(workers)
    for (int i = 0; i < rows; i++) {
        char *row = core_row(&results[i / y->results], y->first + i % y->results);
        memcpy(row + (size_t)x->first * pixel, from + (size_t)i * pitch, (size_t)x->results * pixel);
    }
}

/* ---- Commands ----------------------------------------------------------------------------------------- */

static void order(const struct vk_recording *recording, VkPipelineStageFlags from, VkAccessFlags wrote,
                  VkPipelineStageFlags to, VkAccessFlags reads)
{
    const VkMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                      .srcAccessMask = wrote,
                                      .dstAccessMask = reads };
    recording->vk->f.CmdPipelineBarrier(recording->context->commands, from, to, 0, 1, &barrier, 0, NULL, 0,
                                        NULL);
}

static void copy(const struct vk_recording *recording, const struct vk_buffer *from,
                 const struct vk_buffer *to, size_t bytes)
{
    const VkBufferCopy region = { 0, 0, bytes };
    recording->vk->f.CmdCopyBuffer(recording->context->commands, from->buffer, to->buffer, 1, &region);
}

static void begin_region(struct vk_recording *recording)
{
    const struct engine *engine = recording->engine;
    struct vk_context *context = recording->context;
    size_t rows = (size_t)(vk_is_whole(engine) ? engine->work->height : recording->y.window);
    if (!recording->vk->unified) {
        copy(recording, &context->upload, &context->source, (size_t)engine->geometry.source_pitch * rows);
        order(recording, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
              VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    }
    recording->vk->f.CmdBindDescriptorSets(context->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                           recording->vk->pipeline_layout, 0, 1, &context->set, 0, NULL);
    if (recording->timed)
        recording->vk->f.CmdResetQueryPool(context->commands, context->times, 0, VK_TIMES_MAX);
    vk_time(recording, NULL);
}

static void end_region(struct vk_recording *recording)
{
    struct vk_context *context = recording->context;
    size_t rows = (size_t)recording->engine->work->result_count * recording->y.results;
    if (recording->vk->unified) {
        order(recording, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
              VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
        return;
    }
    order(recording, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
          VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    copy(recording, &context->result, &context->download,
         (size_t)recording->engine->geometry.result_pitch * rows);
    order(recording, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_HOST_READ_BIT);
}

/* The pixel beyond a ZERO or CONSTANT border, ready to filter. */
static void set_outside(const struct work *work, struct vk_push *push)
{
    float value = work->border_value;
    push->outside_alpha = value;
    push->outside_colour = work->linear_light ? core_srgb_decode(value) : value;
    if (work->alpha == ABBE_ALPHA_PREMULTIPLY)
        push->outside_colour *= value;
}

static void set_push(struct vk_recording *recording, int column, int row)
{
    const struct engine *engine = recording->engine;
    struct vk_push *push = &recording->push;
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

static VkResult record(struct vk_recording *recording)
{
    const struct vk_functions *f = &recording->vk->f;
    VkCommandBuffer commands = recording->context->commands;
    const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                             .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
    VkResult result = f->ResetCommandPool(recording->vk->device, recording->context->pool, 0);
    if (!result)
        result = f->BeginCommandBuffer(commands, &begin);
    if (result)
        return result;
    begin_region(recording);
    if (recording->engine->geometry.fourier)
        vk_record_fourier(recording);
    else
        vk_record_space(recording);
    end_region(recording);
    return f->EndCommandBuffer(commands);
}

/* ---- Times -------------------------------------------------------------------------------------------- */

static void add_time(abbe_watch *watch, const char *name, double seconds)
{
    int i = 0;
    while (i < watch->pass_count && strcmp(watch->passes[i].name, name))
        i++;
    if (i == watch->pass_count)
        watch->passes[watch->pass_count++] = (struct abbe_pass){ name, 0 };
    watch->passes[i].seconds += seconds;
}

static void read_times(const struct vk_recording *recording, abbe_watch *watch)
{
    uint64_t times[VK_TIMES_MAX];
    const struct vk *vk = recording->vk;
    if (!recording->times ||
        vk->f.GetQueryPoolResults(vk->device, recording->context->times, 0, (uint32_t)recording->times,
                                  sizeof times, times, sizeof *times, VK_QUERY_RESULT_64_BIT))
        return;
    uint64_t mask = vk->time_bits < 64 ? ((uint64_t)1 << vk->time_bits) - 1 : UINT64_MAX;
    for (int i = 1; i < recording->times; i++)
        add_time(watch, recording->names[i],
                 (double)((times[i] - times[i - 1]) & mask) * (double)vk->properties.limits.timestampPeriod *
                     1e-9);
}

/* ---- Regions ------------------------------------------------------------------------------------------ */

static int run_region(struct vk_recording *recording, int column, int row, const abbe_image *source,
                      const abbe_image *results, abbe_watch *watch)
{
    const struct vk *vk = recording->vk;
    struct vk_context *context = recording->context;
    recording->x = vk_region_span(recording->engine, false, column);
    recording->y = vk_region_span(recording->engine, true, row);
    recording->timed = watch && context->times;
    recording->times = 0;
    set_push(recording, column, row);
    bring(recording, source, vk->unified ? context->source.bytes : context->upload.bytes);
    VkResult result = record(recording);
    if (!result)
        result = vk->f.ResetFences(vk->device, 1, &context->fence);
    if (!result)
        result = vk_submit(recording->vk, context->commands, context->fence);
    if (result)
        return vk_fail(vk, result, "a run");
    take_back(recording, vk->unified ? context->result.bytes : context->download.bytes, results);
    if (recording->timed)
        read_times(recording, watch);
    return ABBE_OK;
}

static int run_on(struct vk_recording *recording, const abbe_image *source, const abbe_image *results,
                  abbe_watch *watch)
{
    int columns = vk_regions(recording->engine, false), rows = vk_regions(recording->engine, true);
    int error = ABBE_OK;
    for (int i = 0; i < columns * rows && !error; i++) {
        error = run_region(recording, i % columns, i / columns, source, results, watch);
        if (!error && watch && watch->progress)
            watch->progress(watch->user, (double)(i + 1) / (columns * rows));
    }
    return error;
}

/* The picture of a run in place, whose regions would read pixels that are replaced already. */
static int copy_source(const struct vk_recording *recording, const abbe_image *source,
                       const abbe_image *results, abbe_image *kept)
{
    bool in_place = false;
    for (int i = 0; i < recording->engine->work->result_count; i++)
        in_place = in_place || core_overlap(source, &results[i]) == CORE_SAME;
    *kept = *source;
    if (!in_place || vk_is_whole(recording->engine))
        return ABBE_OK;
    kept->stride = (ptrdiff_t)core_row_bytes(source);
    kept->data = core_alloc((size_t)source->height, (size_t)kept->stride);
    if (!kept->data)
        return core_fail_memory(recording->vk);
    for (int y = 0; y < source->height; y++)
        memcpy(core_row(kept, y), core_row(source, y), (size_t)kept->stride);
    return ABBE_OK;
}

int vk_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
           const abbe_image *results, abbe_watch *watch)
{
    struct engine *shared = (struct engine *)engine; /* its idle contexts are behind a lock */
    struct vk_recording recording = { .vk = (struct vk *)device, .engine = engine };
    abbe_image kept;
    int error = vk_context_take(recording.vk, shared, &recording.context);
    if (error)
        return error;
    error = copy_source(&recording, source, results, &kept);
    if (!error)
        error = run_on(&recording, &kept, results, watch);
    if (kept.data && kept.data != source->data)
        core_free(kept.data);
    if (error == ABBE_ERR_DEVICE)
        vk_context_destroy(recording.vk, recording.context);
    else
        vk_context_return(shared, recording.context);
    return error;
}
