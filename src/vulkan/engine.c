/* Engines: from a work to everything that does not depend on pixels. */
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/run.h"

/* Gets the pipelines of runs if they are missing. engine->lock is held, unless
 * the engine is being created. */
static int get_run_pipelines(struct vk *vk, struct engine *engine)
{
    int error = engine->has_pipelines ? ABBE_OK : vk_engine_pipelines(vk, engine, &engine->pipelines);
    engine->has_pipelines = !error;
    return error;
}

static int create_engine_buffers(struct vk *vk, struct engine *engine)
{
    const struct vk_geometry *geometry = &engine->geometry;
    VkResult result = vk_buffer_create(vk, (VkDeviceSize)geometry->filters, ABVK_MEMORY_DEVICE,
                                       &engine->filters);
    if (!result)
        result = vk_buffer_create(vk, (VkDeviceSize)geometry->tables, ABVK_MEMORY_DEVICE, &engine->tables);
    if (!result)
        result = vk_buffer_create(vk, (VkDeviceSize)geometry->maps, ABVK_MEMORY_DEVICE, &engine->maps);
    return result ? vk_fail(vk, result, "creating the buffers of a plan") : ABBE_OK;
}

/* Fills an engine for the first time, or again on a new VkDevice. On an adopted device, which may only
 * record, the first run compiles the pipelines of runs. */
static int fill_from_work(struct vk *vk, struct engine *engine)
{
    engine->generation = vk->generation;
    int error = create_engine_buffers(vk, engine);
    if (!error)
        error = vk_maps_create(vk, engine);
    if (!error && engine->geometry.fourier)
        error = vk_twiddles_create(vk, engine);
    if (!error)
        error = engine->geometry.fourier ? vk_spectra_create(vk, engine) : vk_kernels_create(vk, engine);
    return error || vk->adopted ? error : get_run_pipelines(vk, engine);
}

void vk_engine_empty(struct vk *vk, struct engine *engine)
{
    vk_scratch_abandon(vk, engine);
    vk_buffer_destroy(vk, &engine->filters);
    vk_buffer_destroy(vk, &engine->tables);
    vk_buffer_destroy(vk, &engine->maps);
    core_free(engine->maps_x);
    core_free(engine->maps_y);
    core_free(engine->kernels);
    engine->maps_x = engine->maps_y = NULL;
    engine->kernels = NULL;
    engine->pipelines = (struct vk_pipeline_set){ 0 };
    engine->has_pipelines = false;
}

int vk_engine_prepare(struct vk *vk, struct engine *engine)
{
    int error = ABBE_OK;
    pthread_mutex_lock(&engine->lock);
    if (engine->generation != vk->generation) {
        error = fill_from_work(vk, engine);
        if (error) {
            vk_engine_empty(vk, engine);
            engine->generation = vk->generation - 1; /* to be filled by the next run */
        }
    }
    if (!error)
        error = get_run_pipelines(vk, engine);
    pthread_mutex_unlock(&engine->lock);
    return error;
}

/* ---- Engines of a device ------------------------------------------------------------------------------ */

/* vk->device_lock guards the list against a thread that replaces the device, vk->lock against all others. */
static void add_engine(struct vk *vk, struct engine *engine)
{
    pthread_rwlock_rdlock(&vk->device_lock);
    pthread_mutex_lock(&vk->lock);
    engine->next = vk->engines;
    vk->engines = engine;
    pthread_mutex_unlock(&vk->lock);
    pthread_rwlock_unlock(&vk->device_lock);
}

static void remove_engine(struct vk *vk, struct engine *engine)
{
    pthread_rwlock_rdlock(&vk->device_lock);
    if (engine->generation == vk->generation)
        vk_engine_empty(vk, engine);
    pthread_mutex_lock(&vk->lock);
    struct engine **place = &vk->engines;
    while (*place != engine)
        place = &(*place)->next;
    *place = engine->next;
    pthread_mutex_unlock(&vk->lock);
    pthread_rwlock_unlock(&vk->device_lock);
}

/* Step of vk_attempt. */
static int fill_or_empty(struct vk *vk, void *engine)
{
    int error = fill_from_work(vk, engine);
    if (error)
        vk_engine_empty(vk, engine);
    return error;
}

int vk_engine_create(abbe_device *device, const struct work *work, struct engine **engine)
{
    struct vk *vk = (struct vk *)device;
    struct engine *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(device);
    made->work = work;
    pthread_mutex_init(&made->lock, NULL);
    add_engine(vk, made);
    const char *reason = vk_geometry_plan(vk, work, &made->geometry);
    int error = reason ? core_fail(device, ABBE_ERR_UNSUPPORTED, "vulkan: %s", reason)
                       : vk_attempt(vk, fill_or_empty, made);
    if (error) {
        vk_engine_destroy(device, made);
        return error;
    }
    *engine = made;
    return ABBE_OK;
}

void vk_engine_destroy(abbe_device *device, struct engine *engine)
{
    remove_engine((struct vk *)device, engine);
    core_free(engine->sampled);
    pthread_mutex_destroy(&engine->lock);
    core_free(engine);
}
