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
    const struct device_table *const *tables; /* in the order in which they are tried */
    int table_count;
    abbe_device_params params;
    double delays[DELAYS]; /* seconds */
    unsigned generation;   /* of the process that opened `auto` */
    struct core_lock lock; /* held while the GPU is opened */
    bool tried;            /* to open it */
    abbe_device *opened;
    char reason[512]; /* why the GPU did not open */
};

int device_add_auto_gpu(abbe_device *device, const struct device_table *const *tables, int table_count,
                        const abbe_device_params *params)
{
    static const char *const names[DELAYS] = { [OPENING] = "open", [PLANNING] = "plan" };
    struct auto_gpu *gpu = core_alloc_zero(1, sizeof *gpu);
    if (!gpu)
        return core_fail_memory(NULL);
    gpu->tables = tables;
    gpu->table_count = table_count;
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

/* Opens the first GPU that opens. */
static void open_gpu(const abbe_device *device, struct auto_gpu *gpu)
{
    size_t length = 0;
    for (int i = 0; i < gpu->table_count && !gpu->opened; i++)
        if (gpu->tables[i]->open(NULL, &gpu->params, &gpu->opened) && length < sizeof gpu->reason)
            length += (size_t)snprintf(gpu->reason + length, sizeof gpu->reason - length, "%s%s",
                                       i ? "; " : "", core_failure(NULL));
    if (!gpu->opened)
        device_log(device, ABBE_LOG_INFO, "auto: no GPU is used: %s", gpu->reason);
}

abbe_device *device_auto_gpu(abbe_device *device, const char **reason)
{
    struct auto_gpu *gpu = device->auto_gpu;
    if (gpu->generation != core_generation()) {
        *reason = "'auto' was opened before fork()";
        return NULL;
    }
    core_lock(&gpu->lock);
    if (!gpu->tried)
        open_gpu(device, gpu);
    gpu->tried = true;
    core_unlock(&gpu->lock);
    *reason = gpu->reason;
    return gpu->opened;
}

bool device_auto_gpu_is_open(const abbe_device *device)
{
    struct auto_gpu *gpu = device->auto_gpu;
    if (!gpu)
        return false;
    core_lock(&gpu->lock);
    bool is_open = gpu->opened != NULL;
    core_unlock(&gpu->lock);
    return is_open;
}

double device_auto_gpu_delay(const abbe_device *device)
{
    struct auto_gpu *gpu = device->auto_gpu;
    core_lock(&gpu->lock);
    double delay = gpu->delays[PLANNING] + (gpu->opened ? 0 : gpu->delays[OPENING]);
    core_unlock(&gpu->lock);
    return delay;
}
