/* What all devices share: parameters, closing, names; and the version of the library. */
#include "device/device.h"

#include "core/error.h"

/* With more threads the system may refuse to start them, which OpenMP does not survive. */
enum { THREADS_MAX = 1024 };

const char *abbe_version(void)
{
#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
    return VERSION(ABBE_VERSION_MAJOR, ABBE_VERSION_MINOR, ABBE_VERSION_PATCH);
}

int device_check_params(const abbe_device_params *params)
{
    if (params->threads >= 0 && params->threads <= THREADS_MAX)
        return ABBE_OK;
    return core_fail(NULL, ABBE_ERR_INVALID,
                     "device: %d threads; the number must be 1 to %d, or 0 for every processor",
                     params->threads, THREADS_MAX);
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
