/* The devices of this build; the only file that names them. `auto` is the CPU, with a GPU beside it for large works. */
#include "core/error.h"
#include "core/text.h"
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

extern const struct device_table cpu_device_table;
extern const struct device_table gl_device_table;
extern const struct device_table vk_device_table;

static const struct device_table *const tables[] = { &cpu_device_table, &vk_device_table, &gl_device_table };
enum { TABLES = sizeof tables / sizeof *tables };

/* More than this many and the system may refuse to start them, which OpenMP does not survive. */
enum { THREADS_MAX = 1024 };

const char *abbe_version(void)
{
#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
    return VERSION(ABBE_VERSION_MAJOR, ABBE_VERSION_MINOR, ABBE_VERSION_PATCH);
}

const abbe_device_entry *abbe_device_catalogue(size_t *count)
{
    static const abbe_device_entry entries[] = {
        { "cpu", "every processor of this machine" },
        { "vulkan", "a GPU; vulkan:1 or vulkan:NAME chooses which" },
        { "gl",
          "a GPU by OpenGL ES; gl:fast, gl:fialka or gl:moreland is its engine, gl:f16 halves precision" },
    };
    if (count)
        *count = sizeof entries / sizeof *entries;
    return entries;
}

/* The table whose name is the part of `name` before ':'. */
static const struct device_table *find(const char *name)
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

int device_check_params(const abbe_device_params *params)
{
    if (params->threads >= 0 && params->threads <= THREADS_MAX)
        return ABBE_OK;
    return core_fail(NULL, ABBE_ERR_INVALID,
                     "device: %d threads; 1 to %d are possible, 0 takes every processor", params->threads,
                     THREADS_MAX);
}

int abbe_device_open(const char *name, const abbe_device_params *params, abbe_device **device)
{
    if (!device)
        return core_fail(NULL, ABBE_ERR_INVALID, "device: no place given for the result");
    static const abbe_device_params defaults;
    if (!params)
        params = &defaults;
    int error = device_check_params(params);
    if (error)
        return error;
    if (!name || !strcmp(name, "auto"))
        return open_auto(params, device);
    const struct device_table *table = find(name);
    if (!table)
        return core_fail(NULL, ABBE_ERR_UNSUPPORTED,
                         "device '%s' is not in this build; there are auto, cpu, vulkan, gl",
                         text_show(name, strlen(name)).text);
    const char *argument = strchr(name, ':');
    return table->open(argument ? argument + 1 : NULL, params, device);
}

void abbe_device_close(abbe_device **device)
{
    if (!device || !*device)
        return;
    core_forget(*device);
    device_remove_auto_gpu(*device);
    (*device)->table->close(*device);
    *device = NULL;
}

const char *abbe_device_name(const abbe_device *device)
{
    return device ? device->table->name : "";
}

const char *abbe_device_section(const abbe_device *device)
{
    return device ? device->section : "";
}

const char *abbe_device_detail(const abbe_device *device)
{
    return device ? device->detail : "";
}
