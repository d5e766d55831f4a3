/* The GPU that `auto` has beside the CPU, opened for the first plan that is worth it. */
#include "core/error.h"
#include "core/lock.h"
#include "core/memory.h"
#include "device/device.h"
#include "device/prices.h"

#include <stdio.h>

/* Delays before the first run of a plan on the GPU. */
enum { OPENING, PLANNING, DELAYS };

struct auto_gpu {
    const struct device_table *table;
    abbe_device_params params;
    double delays[DELAYS]; /* seconds */
    unsigned generation;   /* of the process that opened `auto` */
    struct core_lock lock; /* held while the GPU is opened */
    bool tried;            /* to open it */
    abbe_device *opened;
    char reason[256]; /* why the GPU did not open */
};

int device_add_auto_gpu(abbe_device *device, const struct device_table *table,
                        const abbe_device_params *params)
{
    static const char *const names[DELAYS] = { [OPENING] = "open", [PLANNING] = "plan" };
    struct auto_gpu *gpu = core_alloc_zero(1, sizeof *gpu);
    if (!gpu)
        return core_fail_memory(NULL);
    gpu->table = table;
    gpu->params = *params;
    gpu->params.cache_dir = device->has_cache_dir ? device->cache_dir : NULL;
    gpu->delays[OPENING] = 0.25;  /* loads a driver and creates its context */
    gpu->delays[PLANNING] = 5e-3; /* takes pipelines from the cache */
    prices_read(device, &(struct price_list){ "auto", names, DELAYS, gpu->delays });
    gpu->generation = core_generation();
    core_lock_init(&gpu->lock);
    device->auto_gpu = gpu;
    return ABBE_OK;
}

void device_remove_auto_gpu(abbe_device *device)
{
    struct auto_gpu *gpu = device->auto_gpu;
    if (!gpu)
        return;
    abbe_device_close(&gpu->opened);
    core_lock_destroy(&gpu->lock);
    core_free(gpu);
    device->auto_gpu = NULL;
}

abbe_device *device_auto_gpu(abbe_device *device, const char **reason)
{
    struct auto_gpu *gpu = device->auto_gpu;
    if (gpu->generation != core_generation()) {
        *reason = "'auto' was opened before fork()";
        return NULL;
    }
    core_lock(&gpu->lock);
    if (!gpu->tried && gpu->table->open(NULL, &gpu->params, &gpu->opened)) {
        snprintf(gpu->reason, sizeof gpu->reason, "%s", core_failure(NULL));
        device_log(device, ABBE_LOG_INFO, "auto: no GPU is used: %s", gpu->reason);
    }
    gpu->tried = true;
    core_unlock(&gpu->lock);
    *reason = gpu->reason;
    return gpu->opened;
}

bool device_auto_gpu_is_open(const abbe_device *device)
{
    return device->auto_gpu && device->auto_gpu->opened;
}

double device_auto_gpu_delay(const abbe_device *device)
{
    struct auto_gpu *gpu = device->auto_gpu;
    core_lock(&gpu->lock);
    double delay = gpu->delays[PLANNING] + (gpu->opened ? 0 : gpu->delays[OPENING]);
    core_unlock(&gpu->lock);
    return delay;
}
