/* The default device: `auto`, which calls without a device share. The first one opens it. */
#include "core/error.h"
#include "core/lock.h"
#include "device/device.h"

static struct core_lock default_lock;
static abbe_device *default_device;
static int default_users; /* calls that use it now */

int device_enter_default(abbe_device **device)
{
    int error = ABBE_OK;
    core_lock(&default_lock);
    if (!default_device)
        error = abbe_device_open(NULL, NULL, &default_device);
    default_users += !error;
    *device = default_device;
    core_unlock(&default_lock);
    return error;
}

bool device_enter_open_default(abbe_device **device)
{
    core_lock(&default_lock);
    *device = default_device;
    default_users += default_device != NULL;
    core_unlock(&default_lock);
    return *device != NULL;
}

int device_leave_default(const abbe_device *device, int error)
{
    if (error)
        core_fail(NULL, error, "%s", core_failure(device));
    core_lock(&default_lock);
    default_users--;
    core_unlock(&default_lock);
    return error;
}

void device_close_default(void)
{
    core_lock(&default_lock);
    abbe_device *unused = default_users ? NULL : default_device;
    if (unused)
        default_device = NULL;
    core_unlock(&default_lock);
    abbe_device_close(&unused);
}

/* Closes the device when the program ends or unloads the library. A GPU is left to the system: its driver may
 * have been unloaded already. */
__attribute__((destructor)) static void release_default(void)
{
    if (default_device && !device_auto_gpu_is_open(default_device))
        device_close_default();
}
