/* One run: each region is brought to the device, filtered there, and taken back. */
#include "vulkan/recording.h"

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
    error = region_keep(device, engine->work, vk_is_whole(engine), source, results, &kept);
    if (!error)
        error = run_on(&recording, &kept, results, watch);
    region_release(source, &kept);
    if (error)
        vk_context_destroy(recording.vk, recording.context);
    else
        vk_context_return(shared, recording.context);
    return error;
}
