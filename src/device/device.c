/* What all devices share: closing and names. */
#include "device/device.h"

#include "core/error.h"
#include "core/lock.h"

bool device_is_inherited(const abbe_device *device)
{
    return device->generation && device->generation != core_generation();
}

int device_check_process(const abbe_device *device)
{
    if (!device_is_inherited(device))
        return ABBE_OK;
    return core_fail(device, ABBE_ERR_DEVICE,
                     "%s: the device was opened before fork(); open another one in the child process",
                     device->table->name);
}

/* The memory of an inherited device is not freed, because its driver still refers to it. */
void abbe_device_close(abbe_device **device)
{
    if (!device || !*device)
        return;
    if ((*device)->drop_applied)
        (*device)->drop_applied(*device);
    core_forget(*device);
    device_remove_auto_gpu(*device);
    if (!device_is_inherited(*device))
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
