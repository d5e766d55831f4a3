/* One run: each region is brought to the device, filtered there, and taken back. */
#include "core/error.h"
#include "core/memory.h"
#include "core/view.h"
#include "vulkan/recording.h"

#include <string.h>

static int run_on(struct vk_recording *recording, const abbe_image *source, const abbe_image *results,
                  abbe_watch *watch)
{
    int columns = vk_regions(recording->engine, false), rows = vk_regions(recording->engine, true);
    int error = ABBE_OK;
    recording->timed = watch && recording->context->times;
    for (int i = 0; i < columns * rows && !error; i++) {
        error = vk_region_begin(recording, i % columns, i / columns, source);
        if (!error)
            error = vk_region_end(recording, results, watch);
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
    struct vk_recording recording = { .vk = (struct vk *)device,
                                      .engine = engine,
                                      .pipelines = &engine->pipelines };
    abbe_image kept;
    int error = vk_context_take(recording.vk, shared, &recording.context);
    if (error)
        return error;
    error = copy_source(&recording, source, results, &kept);
    if (!error)
        error = run_on(&recording, &kept, results, watch);
    if (kept.data && kept.data != source->data)
        core_free(kept.data);
    if (error)
        vk_context_destroy(recording.vk, recording.context);
    else
        vk_context_return(shared, recording.context);
    return error;
}
