/* Runs: each region is uploaded, filtered on the device and downloaded; at once, or as a job that the device
 * works on while the host goes on. */
#include "vulkan/run.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

/* ---- One region --------------------------------------------------------------------------------------- */

static void upload_region(const struct vk_recording *recording, const abbe_image *source)
{
    const struct vk *vk = recording->vk;
    const struct engine *engine = recording->engine;
    const struct pedestal *pedestal = &recording->pedestal;
    const struct vk_buffer *to = vk->unified ? &recording->scratch->source : &recording->scratch->upload;
    const struct region_copy copy = { .threads = vk->head.threads,
                                      .work = engine->work,
                                      .x = recording->x,
                                      .y = recording->y,
                                      .whole = engine->geometry.whole,
                                      .pitch = (size_t)engine->geometry.source_pitch,
                                      .pedestal = pedestal->used ? pedestal->level : NULL };
    region_gather(&copy, source, to->bytes);
}

static void download_region(const struct vk_recording *recording, const abbe_image *results)
{
    const struct vk *vk = recording->vk;
    const struct engine *engine = recording->engine;
    const struct vk_buffer *from = vk->unified ? &recording->scratch->result : &recording->scratch->download;
    double add[ABBE_CHANNELS_MAX];
    const struct region_copy copy = { .threads = vk->head.threads,
                                      .x = recording->x,
                                      .y = recording->y,
                                      .pitch = (size_t)engine->geometry.result_pitch,
                                      .pedestal = recording->pedestal.used ? add : NULL };
    size_t bytes = copy.pitch * (size_t)recording->y.results; /* of one result */
    for (int r = 0; r < engine->work->result_count; r++) {
        pedestal_filter(engine->work, &recording->pedestal, r, add);
        region_scatter(&copy, (const char *)from->bytes + bytes * (size_t)r, &results[r]);
    }
}

static void read_times(const struct vk_recording *recording, struct watch *watch)
{
    uint64_t times[ABVK_TIMES_MAX];
    const struct vk *vk = recording->vk;
    if (!recording->times ||
        vk->f.GetQueryPoolResults(vk->device, recording->scratch->times, 0, (uint32_t)recording->times,
                                  sizeof times, times, sizeof *times, VK_QUERY_RESULT_64_BIT))
        return;
    uint64_t mask = vk->time_bits < 64 ? ((uint64_t)1 << vk->time_bits) - 1 : UINT64_MAX;
    for (int i = 1; i < recording->times; i++)
        region_add_time(watch, recording->names[i],
                        (double)((times[i] - times[i - 1]) & mask) *
                            (double)vk->properties.limits.timestampPeriod * 1e-9);
}

/* Uploads a region and starts filtering it. */
static int begin_region(struct vk_recording *recording, int column, int row, const abbe_image *source)
{
    struct vk *vk = recording->vk;
    struct vk_scratch *scratch = recording->scratch;
    vk_place_region(recording, column, row);
    upload_region(recording, source);
    VkResult result = vk_record_region(recording);
    if (!result)
        result = vk->f.ResetFences(vk->device, 1, &scratch->fence);
    if (!result)
        result = recording->apart ? vk_submit_apart(recording)
                                  : vk_submit(vk, scratch->commands, scratch->fence);
    if (result && recording->apart)
        vk_drain(vk); /* an upload may be in progress */
    return result ? vk_fail(vk, result, "a run") : ABBE_OK;
}

/* Nanoseconds between two calls of the application while the device works. */
enum { REPORT_INTERVAL = 20 * 1000 * 1000 };

/* Waits for a region and downloads its results. Calls the application meanwhile, with `done` before the end
 * and `next` at the end; a region that it stops is waited for and not downloaded. */
static int end_region(struct vk_recording *recording, const abbe_image *results, struct watch *watch,
                      double done, double next)
{
    struct vk *vk = recording->vk;
    bool watched = watch && watch->progress, stopped = false;
    VkResult result = VK_TIMEOUT;
    while (result == VK_TIMEOUT) {
        result = vk->f.WaitForFences(vk->device, 1, &recording->scratch->fence, VK_TRUE,
                                     watched && !stopped ? REPORT_INTERVAL : UINT64_MAX);
        stopped = stopped || (result == VK_TIMEOUT && device_report(watch, done));
    }
    if (result) {
        vk_drain(vk); /* the scratch's buffers must not be freed while the device uses them */
        return vk_fail(vk, result, "a run");
    }
    if (stopped || device_report(watch, next))
        return ABBE_ERR_CANCELLED;
    download_region(recording, results);
    if (recording->timed)
        read_times(recording, watch);
    return ABBE_OK;
}

/* Gives the scratch back to the engine, or destroys it after an error. The device has finished a region that
 * was cancelled. */
static void end_scratch(struct vk_recording *recording, int error)
{
    struct engine *engine = (struct engine *)recording->engine; /* its scratch has a lock */
    if (error && error != ABBE_ERR_CANCELLED)
        vk_scratch_drop(recording->vk, engine, recording->scratch);
    else
        vk_scratch_return(engine, recording->scratch);
    recording->scratch = NULL;
}

/* ---- Runs --------------------------------------------------------------------------------------------- */

/* Arguments of a run. */
struct run_args {
    struct engine *engine;
    const abbe_image *source, *results;
    struct watch *watch;
};

/* Step of vk_attempt: runs all regions. */
static int run_all_regions(struct vk *vk, void *user)
{
    const struct run_args *args = user;
    struct engine *engine = args->engine;
    struct watch *watch = args->watch;
    struct vk_recording recording = { .vk = vk, .engine = engine, .pipelines = &engine->pipelines };
    int error = vk_engine_prepare(vk, engine);
    if (!error)
        error = vk_scratch_take(vk, engine, &recording.scratch);
    if (error)
        return error;
    recording.timed = watch && recording.scratch->times;
    pedestal_find_on_host(engine->work, args->source, &recording.pedestal);
    if (watch)
        watch->times.pass_count = 0; /* the run may be repeated */
    int columns = engine->geometry.regions_x, count = columns * engine->geometry.regions_y;
    for (int i = 0; i < count && !error; i++) {
        error = begin_region(&recording, i % columns, i / columns, args->source);
        if (!error)
            error = end_region(&recording, args->results, watch, (double)i / count, (i + 1.0) / count);
    }
    end_scratch(&recording, error);
    return error;
}

int vk_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
           const abbe_image *results, struct watch *watch)
{
    abbe_image kept;
    struct run_args args = { (struct engine *)engine, &kept, results, watch }; /* an engine has a lock */
    int error = region_keep(device, engine->work, engine->geometry.whole, source, results, &kept);
    if (error)
        return error;
    error = vk_attempt((struct vk *)device, run_all_regions, &args);
    region_release(source, &kept, error);
    return error;
}

/* ---- Jobs --------------------------------------------------------------------------------------------- */

/* A submitted run. It has no scratch if it was run at once. */
struct job {
    struct vk_recording recording;
    const abbe_image *source; /* valid while it is submitted */
    abbe_image results[];
};

/* Step of vk_attempt: submits the only region, its copies to copy queues where the device has them. */
static int begin_job(struct vk *vk, void *user)
{
    struct job *job = user;
    struct vk_recording *recording = &job->recording;
    struct engine *engine = (struct engine *)recording->engine; /* it has a lock */
    int error = vk_engine_prepare(vk, engine);
    if (!error)
        error = vk_scratch_take(vk, engine, &recording->scratch);
    if (error)
        return error;
    pedestal_find_on_host(engine->work, job->source, &recording->pedestal);
    recording->apart = vk->unified ? ABVK_COPIES_TOGETHER : (enum vk_apart)vk->copy_count;
    struct vk_copies *copies = &recording->scratch->copies;
    VkResult result = recording->apart && !copies->computed ? vk_copies_create(vk, copies) : VK_SUCCESS;
    error = result ? vk_fail(vk, result, "creating the command buffers of a run")
                   : begin_region(recording, 0, 0, job->source);
    if (error)
        end_scratch(recording, error);
    return error;
}

int vk_run_submit(abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, struct job **job)
{
    struct vk *vk = (struct vk *)device;
    size_t bytes = (size_t)engine->work->result_count * sizeof *results;
    struct job *made = core_alloc_zero(1, sizeof *made + bytes);
    if (!made)
        return core_fail_memory(device);
    made->recording = (struct vk_recording){ .vk = vk, .engine = engine, .pipelines = &engine->pipelines };
    made->source = source;
    memcpy(made->results, results, bytes);
    /* A picture of several regions needs the host between them, so it is run at once. */
    int error = engine->geometry.whole ? vk_attempt(vk, begin_job, made)
                                       : vk_run(device, engine, source, results, NULL);
    if (error) {
        core_free(made);
        return error;
    }
    *job = made;
    return ABBE_OK;
}

/* Step of vk_attempt_once. A job whose device was lost cannot be repeated: its source may have changed. */
static int end_job(struct vk *vk, void *user)
{
    struct job *job = user;
    if (job->recording.scratch->orphan)
        return core_fail(vk, ABBE_ERR_DEVICE,
                         "vulkan: a run: the device was lost while the run was in progress");
    int error = end_region(&job->recording, job->results, NULL, 0, 1);
    end_scratch(&job->recording, error);
    return error;
}

int vk_run_wait(abbe_device *device, struct job *job)
{
    int error = job->recording.scratch ? vk_attempt_once((struct vk *)device, end_job, job) : ABBE_OK;
    core_free(job->recording.scratch); /* the struct of an orphan */
    core_free(job);
    return error;
}
