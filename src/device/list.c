/* The adapters of this machine, listed without opening one. */
#include "device/list.h"

#include "core/error.h"
#include "core/memory.h"

#include <stdio.h>

enum { ADAPTERS_MAX = 96, TEXT_BYTES = 256 };

/* An adapter with its texts. */
struct listed_adapter {
    abbe_adapter adapter;
    char name[32];
    char model[TEXT_BYTES], driver[TEXT_BYTES], driver_version[TEXT_BYTES], problem[TEXT_BYTES];
};

struct adapter_list {
    const abbe_adapter *adapters[ADAPTERS_MAX]; /* first: what the application receives */
    size_t count;
    struct listed_adapter listed[ADAPTERS_MAX];
};

static const char *keep_text(char *kept, size_t size, const char *text)
{
    snprintf(kept, size, "%s", text ? text : "");
    return kept;
}

void device_list_add(struct adapter_list *list, const abbe_adapter *adapter)
{
    if (list->count == ADAPTERS_MAX)
        return;
    struct listed_adapter *listed = &list->listed[list->count];
    listed->adapter = *adapter;
    listed->adapter.name = keep_text(listed->name, sizeof listed->name, adapter->name);
    listed->adapter.model = keep_text(listed->model, TEXT_BYTES, adapter->model);
    listed->adapter.driver = keep_text(listed->driver, TEXT_BYTES, adapter->driver);
    listed->adapter.driver_version = keep_text(listed->driver_version, TEXT_BYTES, adapter->driver_version);
    listed->adapter.problem = keep_text(listed->problem, TEXT_BYTES, adapter->problem);
    list->adapters[list->count++] = &listed->adapter;
}

int abbe_device_list(const abbe_adapter *const **adapters, size_t *count)
{
    if (!adapters || !count)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_device_list: %s is NULL",
                         adapters ? "count" : "adapters");
    struct adapter_list *list = core_alloc_zero(1, sizeof *list);
    int error = list ? device_list_all(list) : core_fail_memory(NULL);
    if (error) {
        core_free(list);
        return error;
    }
    *adapters = list->adapters;
    *count = list->count;
    return ABBE_OK;
}

void abbe_device_list_free(const abbe_adapter *const **adapters)
{
    if (!adapters)
        return;
    core_free((void *)*adapters);
    *adapters = NULL;
}
