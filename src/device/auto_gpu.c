/* The second device of `auto`: a GPU beside the CPU, opened when the first work comes that is worth it. */
#include "core/error.h"
#include "core/memory.h"
#include "device/device.h"
#include "device/prices.h"

#include <pthread.h>
#include <stdio.h>

enum delay { OPEN, PLAN, DELAYS };

struct second_device {
    const struct device_table *table;
    abbe_device_params params;
    double delays[DELAYS];
    pthread_mutex_t lock;
    bool tried;
    abbe_device *opened;
    char reason[256]; /* why it did not open */
};

int device_add_second(abbe_device *device, const struct device_table *table, const abbe_device_params *params)
{
    static const char *const names[DELAYS] = { [OPEN] = "open", [PLAN] = "plan" };
    struct second_device *second = core_alloc_zero(1, sizeof *second);
    if (!second)
        return core_fail_memory(NULL);
    second->table = table;
    second->params = *params;
    second->delays[OPEN] = 0.25; /* a driver, and the context of its GPU */
    second->delays[PLAN] = 5e-3; /* pipelines from the cache */
    prices_read(&(struct price_list){ "auto", names, DELAYS, second->delays });
    pthread_mutex_init(&second->lock, NULL);
    device->second = second;
    return ABBE_OK;
}

void device_remove_second(abbe_device *device)
{
    struct second_device *second = device->second;
    if (!second)
        return;
    if (second->opened) {
        core_forget(second->opened);
        second->table->close(second->opened);
    }
    pthread_mutex_destroy(&second->lock);
    core_free(second);
    device->second = NULL;
}

abbe_device *device_second(abbe_device *device, const char **reason)
{
    struct second_device *second = device->second;
    pthread_mutex_lock(&second->lock);
    if (!second->tried && second->table->open(NULL, &second->params, &second->opened))
        snprintf(second->reason, sizeof second->reason, "%s", core_failure(NULL));
    second->tried = true;
    pthread_mutex_unlock(&second->lock);
    *reason = second->reason;
    return second->opened;
}

double device_second_delay(const abbe_device *device)
{
    struct second_device *second = device->second;
    pthread_mutex_lock(&second->lock);
    double delay = second->delays[PLAN] + (second->opened ? 0 : second->delays[OPEN]);
    pthread_mutex_unlock(&second->lock);
    return delay;
}
