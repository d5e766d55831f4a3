/* Lost devices: the driver hung or was restarted, or the GPU is gone.
 *
 * A lost VkDevice and everything created on it are useless; the device must be opened again. Threads that use
 * the device hold a read lock of vk->device_lock. The thread that finds it lost takes the write lock,
 * releases everything on the device and opens the adapter again. Engines are filled again from their work
 * when their next run needs them. */
#include "core/error.h"
#include "vulkan/run.h"

/* Releases everything on the device, and the device. Jobs keep the structs of their
 * scratch, marked as orphans. */
static void release_device(struct vk *vk)
{
    vk_drain(vk); /* the driver may still use it */
    for (struct engine *engine = vk->engines; engine; engine = engine->next)
        if (engine->generation == vk->generation)
            vk_engine_empty(vk, engine);
    vk_device_close(vk);
}

static bool reopen_device(struct vk *vk)
{
    if (vk->device)
        release_device(vk);
    vk->generation++;
    bool opened = !vk_device_open(vk);
    if (opened) {
        atomic_store(&vk->lost, false);
        device_log(&vk->head, ABBE_LOG_WARNING, "vulkan: the device was lost and has been opened again");
        return true;
    }
    core_fail(vk, ABBE_ERR_DEVICE, "vulkan: the device was lost and could not be opened again; %s",
              core_failure(NULL));
    vk_device_close(vk);
    return false;
}

static bool was_replaced(const struct vk *vk, unsigned generation)
{
    return vk->generation != generation && vk->device;
}

/* Opens a lost device again, unless another thread has done so. Returns whether there is a newer device than
 * that of `generation`. */
static bool replace_device(struct vk *vk, unsigned generation)
{
    pthread_rwlock_rdlock(&vk->device_lock);
    bool replaced = was_replaced(vk, generation);
    pthread_rwlock_unlock(&vk->device_lock);
    if (replaced || vk->adopted || !atomic_load(&vk->lost))
        return replaced;
    pthread_rwlock_wrlock(&vk->device_lock);
    replaced = was_replaced(vk, generation) || reopen_device(vk);
    pthread_rwlock_unlock(&vk->device_lock);
    return replaced;
}

/* Calls the step on the current device and writes the generation of that device to *generation. */
static int call_step(struct vk *vk, int (*step)(struct vk *vk, void *user), void *user, unsigned *generation)
{
    pthread_rwlock_rdlock(&vk->device_lock);
    *generation = vk->generation;
    int error = vk->device ? step(vk, user) : core_fail(vk, ABBE_ERR_DEVICE, "vulkan: the device was lost");
    pthread_rwlock_unlock(&vk->device_lock);
    return error;
}

int vk_attempt(struct vk *vk, int (*step)(struct vk *vk, void *user), void *user)
{
    unsigned generation;
    int error = call_step(vk, step, user, &generation);
    if (error == ABBE_ERR_CANCELLED)
        return error;
    return error && replace_device(vk, generation) ? vk_attempt_once(vk, step, user) : error;
}

int vk_attempt_once(struct vk *vk, int (*step)(struct vk *vk, void *user), void *user)
{
    unsigned generation;
    int error = call_step(vk, step, user, &generation);
    if (error)
        replace_device(vk, generation);
    return error;
}
