/* One run: each region is brought to the device, filtered there, and taken back. */
#include "vulkan/recording.h"

static int run_on(struct vk_recording *recording, const abbe_image *source, const abbe_image *results,
                  abbe_watch *watch)
{
    int columns = vk_regions(recording->engine, false), rows = vk_regions(recording->engine, true);
    int error = ABBE_OK;
    recording->timed = watch && recording->context->times;
    if (watch)
        watch->pass_count = 0; /* of a run that is repeated */
    for (int i = 0; i < columns * rows && !error; i++) {
        error = vk_region_begin(recording, i % columns, i / columns, source);
        if (!error)
            error = vk_region_end(recording, results, watch);
        if (!error && watch && watch->progress)
            watch->progress(watch->user, (double)(i + 1) / (columns * rows));
    }
    return error;
}

/* What one run is about. */
struct errand {
    struct engine *engine;
    const abbe_image *source, *results;
    abbe_watch *watch;
};

static int run_once(struct vk *vk, void *user)
{
    const struct errand *errand = user;
    struct engine *engine = errand->engine;
    struct vk_recording recording = { .vk = vk, .engine = engine, .pipelines = &engine->pipelines };
    int error = vk_engine_renew(vk, engine);
    if (!error)
        error = vk_context_take(vk, engine, &recording.context);
    if (error)
        return error;
    error = run_on(&recording, errand->source, errand->results, errand->watch);
    if (error)
        vk_context_drop(vk, engine, recording.context);
    else
        vk_context_return(engine, recording.context);
    return error;
}

int vk_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
           const abbe_image *results, abbe_watch *watch)
{
    abbe_image kept;
    struct errand errand = { (struct engine *)engine, &kept, results, watch }; /* it has locks of its own */
    int error = region_keep(device, engine->work, vk_is_whole(engine), source, results, &kept);
    if (error)
        return error;
    error = vk_attempt((struct vk *)device, run_once, &errand);
    region_release(source, &kept, error);
    return error;
}
