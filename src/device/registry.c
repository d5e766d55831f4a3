/* The devices of this build. Only this file names their tables. `auto` is the CPU with a GPU beside it. */
#include "core/error.h"
#include "core/text.h"
#include "device/device.h"

#include <string.h>

extern const struct device_table cpu_device_table;
extern const struct device_table gl_device_table;
extern const struct device_table vk_device_table;

static const struct device_table *const tables[] = { &cpu_device_table, &vk_device_table, &gl_device_table };
enum { TABLES = sizeof tables / sizeof *tables };

const abbe_device_entry *abbe_device_catalogue(size_t *count)
{
    static const abbe_device_entry entries[] = {
        { "cpu", "the processors of this machine" },
        { "vulkan", "a GPU through Vulkan; vulkan:1 or vulkan:NAME selects one" },
        { "gl", "a GPU through OpenGL ES; gl:fast, gl:fialka or gl:moreland selects the engine, gl:f16 half "
                "precision" },
    };
    if (count)
        *count = sizeof entries / sizeof *entries;
    return entries;
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

static int open_auto(const abbe_device_params *params, abbe_device **device)
{
    abbe_device *opened = NULL;
    int error = cpu_device_table.open(NULL, params, &opened);
    if (!error)
        error = device_add_auto_gpu(opened, &vk_device_table, params);
    if (error)
        abbe_device_close(&opened);
    else
        *device = opened;
    return error;
}

int abbe_device_open(const char *name, const abbe_device_params *params, abbe_device **device)
{
    if (!device)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_device_open: device is NULL");
    static const abbe_device_params defaults;
    if (!params)
        params = &defaults;
    int error = device_check_params(params);
    if (error)
        return error;
    if (!name || !strcmp(name, "auto"))
        return open_auto(params, device);
    const struct device_table *table = find_table(name);
    if (!table)
        return core_fail(NULL, ABBE_ERR_UNSUPPORTED,
                         "device '%s' is not in this build; the devices are auto, cpu, vulkan and gl",
                         text_show(name, strlen(name)).text);
    const char *argument = strchr(name, ':');
    return table->open(argument ? argument + 1 : NULL, params, device);
}
