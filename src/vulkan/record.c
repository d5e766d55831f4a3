/* Commands of one region: the three passes in the Fourier plane, or the convolutions in space,
 * and the copies around them. */
#include "device/outside.h"
#include "vulkan/run.h"

/* Workgroups for `count` items when each takes `size` of them. */
static uint32_t groups_for(int count, int size)
{
    return (uint32_t)((count + size - 1) / size);
}

/* ---- Single commands ---------------------------------------------------------------------------------- */

VkResult vk_begin_commands(const struct vk *vk, VkCommandBuffer commands)
{
    const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                             .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
    return vk->f.BeginCommandBuffer(commands, &begin);
}

void vk_barrier(const struct vk *vk, VkCommandBuffer commands, struct vk_stage before, struct vk_stage after)
{
    const VkMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                      .srcAccessMask = before.access,
                                      .dstAccessMask = after.access };
    vk->f.CmdPipelineBarrier(commands, before.stage, after.stage, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* What a barrier separates: a pipeline stage and how it accesses memory. */
static const struct vk_stage copies_write = { VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT };
static const struct vk_stage copies_read = { VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT };
static const struct vk_stage shaders_write = { VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                               VK_ACCESS_SHADER_WRITE_BIT };
static const struct vk_stage shaders_read = { VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                              VK_ACCESS_SHADER_READ_BIT };
static const struct vk_stage shaders_use = { VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                             VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT };
static const struct vk_stage host_reads = { VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT };

void vk_copy_source(const struct vk_recording *recording, VkCommandBuffer commands)
{
    const struct engine *engine = recording->engine;
    const struct vk_scratch *scratch = recording->scratch;
    size_t rows = (size_t)(engine->geometry.whole ? engine->work->height : recording->y.window);
    const VkBufferCopy all = { 0, 0, (size_t)engine->geometry.source_pitch * rows };
    recording->vk->f.CmdCopyBuffer(commands, scratch->upload.buffer, scratch->source.buffer, 1, &all);
}

void vk_copy_results(const struct vk_recording *recording, VkCommandBuffer commands)
{
    const struct engine *engine = recording->engine;
    const struct vk_scratch *scratch = recording->scratch;
    size_t rows = (size_t)engine->work->result_count * recording->y.results;
    const VkBufferCopy all = { 0, 0, (size_t)engine->geometry.result_pitch * rows };
    recording->vk->f.CmdCopyBuffer(commands, scratch->result.buffer, scratch->download.buffer, 1, &all);
    vk_barrier(recording->vk, commands, copies_write, host_reads);
}

static void bind_set(const struct vk_recording *recording, VkDescriptorSet set)
{
    const struct vk *vk = recording->vk;
    vk->f.CmdBindDescriptorSets(recording->scratch->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                vk->pipeline_layout, 0, 1, &set, 0, NULL);
}

/* Workgroups of a dispatch along each axis. */
struct extent {
    uint32_t x, y, z;
};

static void dispatch(const struct vk_recording *recording, VkPipeline pipeline, const struct vk_push *push,
                     struct extent groups)
{
    const struct vk *vk = recording->vk;
    VkCommandBuffer commands = recording->scratch->commands;
    vk->f.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk->f.CmdPushConstants(commands, vk->pipeline_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof *push, push);
    vk->f.CmdDispatch(commands, groups.x, groups.y, groups.z);
}

/* Writes a timestamp at the end of the pass of that name. */
static void write_time(struct vk_recording *recording, const char *name)
{
    if (!recording->timed || recording->times == ABVK_TIMES_MAX)
        return;
    recording->names[recording->times] = name;
    recording->vk->f.CmdWriteTimestamp(recording->scratch->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                       recording->scratch->times, (uint32_t)recording->times);
    recording->times++;
}

/* Ends a pass: later shaders see what it wrote. */
static void end_pass(struct vk_recording *recording, const char *name)
{
    vk_barrier(recording->vk, recording->scratch->commands, shaders_write, shaders_use);
    write_time(recording, name);
}

/* Sets what differs between results: push constants, and the set of targets. */
static void select_result(struct vk_recording *recording, int r)
{
    const struct vk_target *targets = recording->targets;
    recording->push.number = targets ? 0 : (uint32_t)r;
    if (targets) {
        bind_set(recording, targets[r].set);
        recording->push.result_pitch = targets[r].pitch;
    }
    recording->push.alpha_gain = (float)recording->engine->work->results[r].alpha_gain;
}

/* Stores results that were written as floats; timed as part of the pass of that name. */
static void record_finish(struct vk_recording *recording, const char *name)
{
    const struct engine *engine = recording->engine;
    size_t bytes = (size_t)recording->x.results * engine->work->channels *
                   abbe_type_size(engine->work->result_type);
    size_t words = (bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t);
    const struct extent groups = { (uint32_t)((words + ABVK_FINISH_THREADS - 1) / ABVK_FINISH_THREADS),
                                   (uint32_t)recording->y.results, 1 };
    for (int r = 0; r < engine->work->result_count && engine->geometry.wide; r++) {
        select_result(recording, r);
        dispatch(recording, recording->pipelines->finish, &recording->push, groups);
        end_pass(recording, name);
    }
}

/* ---- In the Fourier plane ----------------------------------------------------------------------------- */

/* Workgroups of a row pass for a number of rows. */
static uint32_t row_groups(const struct engine *engine, int rows)
{
    const struct vk_geometry *geometry = &engine->geometry;
    int pairs = (rows + 1) / 2, channels = engine->work->channels;
    int transforms = geometry->single ? pairs : geometry->mixed ? pairs * channels : rows;
    return groups_for(transforms, geometry->lanes);
}

static const char *pass_name(const struct vk_recording *recording, const char *name)
{
    return recording->engine->work->method == ABBE_METHOD_TILES ? "tiles" : name;
}

/* One past the last result whose filters fit into one dispatch of the column pass together with those of
 * result `first`. */
static int share_end(const struct engine *engine, int first)
{
    const struct work *work = engine->work;
    int last = first, filters = 0;
    int each = engine->geometry.spectra;
    while (last < work->result_count &&
           filters + each * work->results[last].components <= engine->geometry.share)
        filters += each * work->results[last++].components;
    return last;
}

static void record_rows(struct vk_recording *recording, uint32_t tiles)
{
    const struct engine *engine = recording->engine;
    const struct vk_geometry *geometry = &engine->geometry;
    int rows = geometry->gathered ? geometry->gathered : engine->work->y.length;
    const struct extent groups = { row_groups(engine, rows), (uint32_t)(geometry->groups * geometry->x.parts),
                                   tiles };
    struct vk_push push = recording->push;
    push.rows = (uint32_t)rows;
    dispatch(recording, recording->pipelines->rows, &push, groups);
    end_pass(recording, pass_name(recording, "rows"));
}

/* Columns · H of results first … last − 1. */
static void record_columns(struct vk_recording *recording, uint32_t tiles, int first, int last)
{
    const struct vk_geometry *geometry = &recording->engine->geometry;
    const struct work_result *results = recording->engine->work->results, *end = &results[last - 1];
    const struct extent groups = { (uint32_t)geometry->blocks,
                                   (uint32_t)(geometry->groups * geometry->y.parts), tiles };
    struct vk_push push = recording->push;
    uint32_t span = geometry->two_columns ? 2 : 1; /* row-pass elements in one element of this pass */
    push.table = (uint32_t)vk_transform_pairs(&geometry->x);
    push.tile_stride /= span;
    push.group_stride /= span;
    push.back_stride /= span;
    push.filter_first = (uint32_t)(results[first].first * geometry->spectra);
    push.filter_count = (uint32_t)((end->first + end->components - results[first].first) * geometry->spectra);
    dispatch(recording, recording->pipelines->columns, &push, groups);
    end_pass(recording, pass_name(recording, "columns"));
}

static void record_rows_back(struct vk_recording *recording, uint32_t tiles, int first, int last)
{
    const struct engine *engine = recording->engine;
    const struct work_result *results = engine->work->results;
    const struct extent groups = { row_groups(engine, engine->work->y.step),
                                   (uint32_t)(engine->geometry.groups * engine->geometry.x.parts), tiles };
    for (int r = first; r < last; r++) {
        select_result(recording, r);
        recording->push.filter_place = (uint32_t)((results[r].first - results[first].first) *
                                                  engine->geometry.spectra);
        dispatch(recording, recording->pipelines->rows_back[results[r].components - 1], &recording->push,
                 groups);
    }
    end_pass(recording, pass_name(recording, "rows back"));
}

/* Rows, columns · H for each share of the bank, rows back: for each batch of tiles. */
static void record_fourier(struct vk_recording *recording)
{
    const struct vk_geometry *geometry = &recording->engine->geometry;
    const struct work *work = recording->engine->work;
    struct vk_push *push = &recording->push;
    push->step_x = (uint32_t)work->x.step;
    push->step_y = (uint32_t)work->y.step;
    push->across = (uint32_t)recording->x.tiles;
    push->rows = (uint32_t)work->y.length;
    push->columns = (uint32_t)work->x.length;
    push->tile_stride = (uint32_t)geometry->grid;
    push->group_stride = (uint32_t)(geometry->grid / geometry->groups);
    push->back_stride = (uint32_t)(geometry->grid * geometry->batch);
    int tiles = recording->x.tiles * recording->y.tiles;
    for (int tile = 0; tile < tiles; tile += geometry->batch) {
        uint32_t batch = (uint32_t)(tiles - tile < geometry->batch ? tiles - tile : geometry->batch);
        push->first_tile = (uint32_t)tile;
        record_rows(recording, batch);
        for (int first = 0, last; first < work->result_count; first = last) {
            last = share_end(recording->engine, first);
            record_columns(recording, batch, first, last);
            record_rows_back(recording, batch, first, last);
        }
    }
    record_finish(recording, pass_name(recording, "rows back"));
}

/* ---- In space ----------------------------------------------------------------------------------------- */

static void set_kernel(const struct tap_box *kernel, struct vk_push *push)
{
    push->taps_x = (uint32_t)kernel->width;
    push->taps_y = (uint32_t)kernel->height;
    push->centre_x = kernel->centre_x;
    push->centre_y = kernel->centre_y;
    push->taps_first = (uint32_t)kernel->first;
}

/* Rows and columns of all terms of result r. */
static void record_separable(struct vk_recording *recording, int r, struct extent squares)
{
    const struct engine *engine = recording->engine;
    const struct tap_box *kernel = &engine->kernels[r];
    const struct extent strips = { groups_for(recording->x.results, ABVK_STRIP),
                                   (uint32_t)recording->y.window, squares.z * (uint32_t)kernel->terms };
    recording->push.filter_first = (uint32_t)kernel->terms;
    recording->push.filter_place = (uint32_t)kernel->first_terms;
    recording->push.filter_count = squares.z;
    dispatch(recording, recording->pipelines->separable_rows, &recording->push, strips);
    end_pass(recording, abbe_method_name(engine->work->method));
    dispatch(recording, recording->pipelines->separable_columns[engine->work->results[r].components - 1],
             &recording->push, squares);
}

/* A workgroup computes a square of results. */
static void record_space(struct vk_recording *recording)
{
    const struct engine *engine = recording->engine;
    const struct work *work = engine->work;
    const char *name = abbe_method_name(work->method);
    const struct extent squares = { groups_for(recording->x.results, ABVK_SQUARE),
                                    groups_for(recording->y.results, ABVK_SQUARE),
                                    (uint32_t)engine->geometry.groups };
    recording->push.columns = (uint32_t)recording->x.window;
    recording->push.rows = (uint32_t)recording->y.window;
    for (int r = 0; r < work->result_count; r++) {
        select_result(recording, r);
        set_kernel(&engine->kernels[r], &recording->push);
        if (work->method == ABBE_METHOD_DIRECT)
            dispatch(recording, recording->pipelines->direct[work->results[r].components - 1],
                     &recording->push, squares);
        else
            record_separable(recording, r, squares);
        end_pass(recording, name);
    }
    record_finish(recording, name);
}

/* ---- Regions ------------------------------------------------------------------------------------------ */

void vk_place_region(struct vk_recording *recording, int column, int row)
{
    const struct engine *engine = recording->engine;
    const struct vk_geometry *geometry = &engine->geometry;
    struct outside_pixel outside = outside_pixel(engine->work);
    recording->x = region_span(engine->work, false, geometry->region_x, column);
    recording->y = region_span(engine->work, true, geometry->region_y, row);
    recording->push = (struct vk_push){
        .width = (uint32_t)recording->x.results,
        .height = (uint32_t)recording->y.results,
        .channels = (uint32_t)engine->work->channels,
        .source_pitch = (uint32_t)(geometry->source_pitch / sizeof(uint32_t)),
        .result_pitch = (uint32_t)(geometry->result_pitch / sizeof(uint32_t)),
        .before_x = (uint32_t)recording->x.before,
        .before_y = (uint32_t)recording->y.before,
        .map_x = engine->maps_x[column],
        .map_y = engine->maps_y[row],
        .outside_colour = (float)outside.colour,
        .outside_alpha = (float)outside.alpha,
        .offset = (float)engine->work->offset,
    };
}

void vk_record_passes(struct vk_recording *recording, VkDescriptorSet set)
{
    bind_set(recording, set);
    if (recording->engine->geometry.fourier)
        record_fourier(recording);
    else
        record_space(recording);
}

VkResult vk_record_region(struct vk_recording *recording)
{
    const struct vk *vk = recording->vk;
    struct vk_scratch *scratch = recording->scratch;
    VkCommandBuffer commands = scratch->commands;
    VkResult result = vk->f.ResetCommandPool(vk->device, scratch->pool, 0);
    if (!result)
        result = vk_begin_commands(vk, commands);
    if (result)
        return result;
    if (!vk->unified && recording->apart < ABVK_UPLOAD_APART) {
        vk_copy_source(recording, commands);
        vk_barrier(vk, commands, copies_write, shaders_read);
    }
    if (recording->timed)
        vk->f.CmdResetQueryPool(commands, scratch->times, 0, ABVK_TIMES_MAX);
    recording->times = 0;
    write_time(recording, NULL);
    vk_record_passes(recording, scratch->set);
    if (vk->unified)
        vk_barrier(vk, commands, shaders_write, host_reads);
    else if (recording->apart < ABVK_COPIES_APART) {
        vk_barrier(vk, commands, shaders_write, copies_read);
        vk_copy_results(recording, commands);
    }
    return vk->f.EndCommandBuffer(commands);
}
