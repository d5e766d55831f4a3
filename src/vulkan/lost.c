/* A device that is lost: a driver that hung or was restarted, a GPU that is gone.
 *
 * VkDevice and all that was made on it are useless then, and nothing but a new one helps. Whoever uses the device holds
 * vk->presence together with others; who finds it lost takes it alone, lets go of everything, and opens the adapter
 * again. Engines are filled again when the next run needs them, from their work. */
#include "core/error.h"
#include "vulkan/recording.h"

/* Lets go of all that is on the device. Jobs keep the shells of their contexts, which tell them. */
static void abandon(struct vk *vk)
{
    vk_drain(vk); /* the driver may be at some of it still */
    for (struct engine *engine = vk->engines; engine; engine = engine->next)
        if (engine->generation == vk->generation)
            vk_engine_empty(vk, engine);
    vk_device_close(vk);
}

static bool open_another(struct vk *vk)
{
    if (vk->device)
        abandon(vk);
    vk->generation++;
    bool opened = !vk_device_open(vk);
    if (opened) {
        atomic_store(&vk->lost, false);
        return true;
    }
    core_fail(vk, ABBE_ERR_DEVICE, "vulkan: the device was lost and could not be opened again; %s",
              core_failure(NULL));
    vk_device_close(vk);
    return false;
}

static bool is_younger(const struct vk *vk, unsigned generation)
{
    return vk->generation != generation && vk->device;
}

/* Whether there is a device now that is younger than that of `generation`: another thread may have opened it. */
static bool replace(struct vk *vk, unsigned generation)
{
    pthread_rwlock_rdlock(&vk->presence);
    bool replaced = is_younger(vk, generation);
    pthread_rwlock_unlock(&vk->presence);
    if (replaced || vk->adopted || !atomic_load(&vk->lost))
        return replaced;
    pthread_rwlock_wrlock(&vk->presence);
    replaced = is_younger(vk, generation) || open_another(vk);
    pthread_rwlock_unlock(&vk->presence);
    return replaced;
}

static int step_on(struct vk *vk, int (*step)(struct vk *vk, void *user), void *user, unsigned *generation)
{
    pthread_rwlock_rdlock(&vk->presence);
    *generation = vk->generation;
    int error = vk->device ? step(vk, user) : core_fail(vk, ABBE_ERR_DEVICE, "vulkan: the device was lost");
    pthread_rwlock_unlock(&vk->presence);
    return error;
}

int vk_attempt(struct vk *vk, int (*step)(struct vk *vk, void *user), void *user)
{
    unsigned generation;
    int error = step_on(vk, step, user, &generation);
    return error && replace(vk, generation) ? vk_attempt_once(vk, step, user) : error;
}

int vk_attempt_once(struct vk *vk, int (*step)(struct vk *vk, void *user), void *user)
{
    unsigned generation;
    int error = step_on(vk, step, user, &generation);
    if (error)
        replace(vk, generation);
    return error;
}

int vk_engine_renew(struct vk *vk, struct engine *engine)
{
    int error = ABBE_OK;
    pthread_mutex_lock(&engine->lock);
    if (engine->generation != vk->generation) {
        error = vk_engine_fill(vk, engine);
        if (error) {
            vk_engine_empty(vk, engine);
            engine->generation = vk->generation - 1;
        }
    }
    pthread_mutex_unlock(&engine->lock);
    return error;
}
