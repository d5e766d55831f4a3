/* The devices of this build. Only this file names their tables. `auto` is the CPU with a GPU beside it. */
#include "core/error.h"
#include "core/lock.h"
#include "core/text.h"
#include "device/device.h"
#include "device/list.h"

#include <stdio.h>
#include <string.h>

extern const struct device_table cpu_device_table;
extern const struct device_table cuda_device_table;
extern const struct device_table gl_device_table;
extern const struct device_table vk_device_table;

static const struct device_table *const tables[] = { &cpu_device_table, &cuda_device_table, &vk_device_table,
                                                     &gl_device_table };
enum { TABLES = sizeof tables / sizeof *tables };

static abbe_device_entry entries[TABLES];
static const abbe_device_entry *catalogue[TABLES];

static void fill_catalogue(void)
{
    static struct core_lock lock;
    static bool filled;
    core_lock(&lock);
    for (int i = 0; i < TABLES && !filled; i++) {
        entries[i] = (abbe_device_entry){ .name = tables[i]->name, .summary = tables[i]->summary };
        catalogue[i] = &entries[i];
    }
    filled = true;
    core_unlock(&lock);
}

const abbe_device_entry *const *abbe_device_catalogue(size_t *count)
{
    fill_catalogue();
    if (count)
        *count = TABLES;
    return catalogue;
}

int device_list_all(struct adapter_list *list)
{
    int error = ABBE_OK;
    for (int i = 0; i < TABLES && !error; i++)
        if (tables[i]->list)
            error = tables[i]->list(list);
    return error;
}

/* The table whose name is the part of `name` in front of ':'; NULL when there is none. */
static const struct device_table *find_table(const char *name)
{
    size_t length = strcspn(name, ":");
    for (int i = 0; i < TABLES; i++)
        if (strlen(tables[i]->name) == length && !strncmp(tables[i]->name, name, length))
            return tables[i];
    return NULL;
}

/* The GPUs of `auto`, in the order in which they are tried: CUDA is the faster one where a GPU has both. */
static const struct device_table *const gpu_tables[] = { &cuda_device_table, &vk_device_table };
enum { GPU_TABLES = sizeof gpu_tables / sizeof *gpu_tables };

static int open_auto(const abbe_device_params *params, abbe_device **device)
{
    abbe_device *opened = NULL;
    int error = cpu_device_table.open(NULL, params, &opened);
    if (!error)
        error = device_add_auto_gpu(opened, gpu_tables, GPU_TABLES, params);
    if (error)
        abbe_device_close(&opened);
    else
        *device = opened;
    return error;
}

static int fail_unknown_device(const char *name)
{
    char names[128] = "auto";
    for (int i = 0; i < TABLES; i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", i + 1 < TABLES ? ", " : " and ",
                 tables[i]->name);
    }
    return core_fail(NULL, ABBE_ERR_UNSUPPORTED, "device '%s' is not in this build; the devices are %s",
                     text_show(name, strlen(name)).text, names);
}

int abbe_device_open(const char *name, const abbe_device_params *params, abbe_device **device)
{
    if (!device)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_device_open: device is NULL");
    abbe_device_params known;
    int error = device_read_params(params, &known);
    if (error)
        return error;
    if (!name || !strcmp(name, "auto"))
        return open_auto(&known, device);
    const struct device_table *table = find_table(name);
    if (!table)
        return fail_unknown_device(name);
    const char *argument = strchr(name, ':');
    return table->open(argument ? argument + 1 : NULL, &known, device);
}
