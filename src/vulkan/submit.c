/* Runs that begin now and end later: the device copies and computes while the host goes on. */
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/recording.h"

#include <string.h>

/* A run that has begun, and where its results go. One that was run at once has no context. */
struct job {
    struct vk_recording recording;
    const abbe_image *source; /* while it begins */
    abbe_image results[];
};

static struct job *create(struct vk *vk, const struct engine *engine, const abbe_image *results)
{
    size_t bytes = (size_t)engine->work->result_count * sizeof *results;
    struct job *job = core_alloc_zero(1, sizeof *job + bytes);
    if (!job)
        return NULL;
    job->recording = (struct vk_recording){ .vk = vk, .engine = engine, .pipelines = &engine->pipelines };
    memcpy(job->results, results, bytes);
    return job;
}

/* Copies on queues of their own, where there are such queues and anything to copy. */
static VkResult set_apart(struct vk_recording *recording)
{
    const struct vk *vk = recording->vk;
    struct vk_context *context = recording->context;
    recording->apart = vk->unified ? ABVK_COPIES_TOGETHER : (enum vk_apart)vk->copy_count;
    return recording->apart && !context->copies.computed ? vk_copies_create(vk, &context->copies)
                                                         : VK_SUCCESS;
}

static int begin(struct vk *vk, void *user)
{
    struct job *job = user;
    struct vk_recording *recording = &job->recording;
    struct engine *engine = (struct engine *)recording->engine; /* it has locks of its own */
    int error = vk_engine_renew(vk, engine);
    if (!error)
        error = vk_context_take(vk, engine, &recording->context);
    if (error)
        return error;
    VkResult result = set_apart(recording);
    error = result ? vk_fail(vk, result, "making a run's queues")
                   : vk_region_begin(recording, 0, 0, job->source);
    if (error)
        vk_context_drop(vk, engine, recording->context);
    return error;
}

int vk_run_submit(abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, struct job **job)
{
    struct job *made = create((struct vk *)device, engine, results);
    if (!made)
        return core_fail_memory(device);
    made->source = source;
    /* A picture of several regions needs the host between them. */
    int error = vk_is_whole(engine) ? vk_attempt((struct vk *)device, begin, made)
                                    : vk_run(device, engine, source, results, NULL);
    if (error) {
        core_free(made);
        return error;
    }
    *job = made;
    return ABBE_OK;
}

/* The source may be another picture by now, so a run that was lost under way cannot be repeated here. */
static int end(struct vk *vk, void *user)
{
    struct job *job = user;
    struct vk_recording *recording = &job->recording;
    struct engine *engine = (struct engine *)recording->engine;
    if (recording->context->orphan)
        return core_fail(vk, ABBE_ERR_DEVICE, "vulkan: a run: the device was lost under way");
    int error = vk_region_end(recording, job->results, NULL);
    if (error)
        vk_context_drop(vk, engine, recording->context);
    else
        vk_context_return(engine, recording->context);
    recording->context = NULL;
    return error;
}

int vk_run_wait(abbe_device *device, struct job *job)
{
    int error = job->recording.context ? vk_attempt_once((struct vk *)device, end, job) : ABBE_OK;
    core_free(job->recording.context); /* what a lost device left of it */
    core_free(job);
    return error;
}
