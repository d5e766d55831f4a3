/* The GPU of `auto`: a GPU beside the CPU, opened when the first work comes that is worth it. */
#include "core/error.h"
#include "core/memory.h"
#include "device/device.h"
#include "device/prices.h"

#include <pthread.h>
#include <stdio.h>

enum delay { OPEN, PLAN, DELAYS };

struct auto_gpu {
    const struct device_table *table;
    abbe_device_params params;
    double delays[DELAYS];
    pthread_mutex_t lock;
    bool tried;
    abbe_device *opened;
    char reason[256]; /* why it did not open */
};

int device_add_auto_gpu(abbe_device *device, const struct device_table *table,
                        const abbe_device_params *params)
{
    static const char *const names[DELAYS] = { [OPEN] = "open", [PLAN] = "plan" };
    struct auto_gpu *gpu = core_alloc_zero(1, sizeof *gpu);
    if (!gpu)
        return core_fail_memory(NULL);
    gpu->table = table;
    gpu->params = *params;
    gpu->delays[OPEN] = 0.25; /* a driver, and the context of its GPU */
    gpu->delays[PLAN] = 5e-3; /* pipelines from the cache */
    prices_read(&(struct price_list){ "auto", names, DELAYS, gpu->delays });
    pthread_mutex_init(&gpu->lock, NULL);
    device->auto_gpu = gpu;
    return ABBE_OK;
}

void device_remove_auto_gpu(abbe_device *device)
{
    struct auto_gpu *gpu = device->auto_gpu;
    if (!gpu)
        return;
    if (gpu->opened) {
        core_forget(gpu->opened);
        gpu->table->close(gpu->opened);
    }
    pthread_mutex_destroy(&gpu->lock);
    core_free(gpu);
    device->auto_gpu = NULL;
}

abbe_device *device_auto_gpu(abbe_device *device, const char **reason)
{
    struct auto_gpu *gpu = device->auto_gpu;
    pthread_mutex_lock(&gpu->lock);
    if (!gpu->tried && gpu->table->open(NULL, &gpu->params, &gpu->opened))
        snprintf(gpu->reason, sizeof gpu->reason, "%s", core_failure(NULL));
    gpu->tried = true;
    pthread_mutex_unlock(&gpu->lock);
    *reason = gpu->reason;
    return gpu->opened;
}

double device_auto_gpu_delay(const abbe_device *device)
{
    struct auto_gpu *gpu = device->auto_gpu;
    pthread_mutex_lock(&gpu->lock);
    double delay = gpu->delays[PLAN] + (gpu->opened ? 0 : gpu->delays[OPEN]);
    pthread_mutex_unlock(&gpu->lock);
    return delay;
}
