/* What a device keeps of abbe_device_params: the logger and the cache folder. */
#define _GNU_SOURCE
#include "core/error.h"
#include "core/params.h"
#include "device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The pool of threads has room for one less (core/pool.c); the caller is one more. */
enum { THREADS_MAX = 1024 };

int device_read_params(const abbe_device_params *params, abbe_device_params *known)
{
    static const struct core_params about = { "device: params", DEVICE_PARAMS_0_2, sizeof *known };
    static const abbe_device_params defaults;
    int error = core_read_params(NULL, &about, params ? params : &defaults, known);
    if (error)
        return error;
    if (known->threads < 0 || known->threads > THREADS_MAX)
        return core_fail(NULL, ABBE_ERR_INVALID,
                         "device: %d threads; the number must be 1 to %d, or 0 for every processor",
                         known->threads, THREADS_MAX);
    if (known->cache_dir && strlen(known->cache_dir) >= DEVICE_FOLDER_BYTES)
        return core_fail(NULL, ABBE_ERR_INVALID, "device: cache_dir has %zu bytes; %d is the limit",
                         strlen(known->cache_dir), DEVICE_FOLDER_BYTES - 1);
    return ABBE_OK;
}

void device_set_options(abbe_device *device, const abbe_device_params *params)
{
    device->log = params->log;
    device->log_user = params->log_user;
    device->has_cache_dir = params->cache_dir != NULL;
    if (params->cache_dir)
        strcpy(device->cache_dir, params->cache_dir);
}

void device_log(const abbe_device *device, abbe_log_level level, const char *format, ...)
{
    char text[512];
    if (!device->log)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    device->log(device->log_user, level, text);
}

bool device_cache_folder(const abbe_device *device, char folder[DEVICE_FOLDER_BYTES])
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    int length = 0;
    if (device->has_cache_dir)
        length = snprintf(folder, DEVICE_FOLDER_BYTES, "%s", device->cache_dir);
    else if (cache && cache[0] == '/')
        length = snprintf(folder, DEVICE_FOLDER_BYTES, "%s/abbe", cache);
    else if (home && home[0] == '/')
        length = snprintf(folder, DEVICE_FOLDER_BYTES, "%s/.cache/abbe", home);
    return length > 0 && length < DEVICE_FOLDER_BYTES;
}

bool device_files_folder(const abbe_device *device, const char *variable, char folder[DEVICE_FOLDER_BYTES])
{
    const char *own = device->has_cache_dir ? NULL : secure_getenv(variable);
    if (!own)
        return device_cache_folder(device, folder);
    int length = snprintf(folder, DEVICE_FOLDER_BYTES, "%s", own);
    return length > 0 && length < DEVICE_FOLDER_BYTES;
}
