/* The sentence behind a failure, kept per device and per thread. */
#include "core/error.h"

#include <abbe/abbe.h>

#include <stdarg.h>
#include <stdio.h>

enum { SLOTS = 4, TEXT = 512 };

struct slot {
    const void *device;
    unsigned long when; /* 0: empty */
    char text[TEXT];
};

/* Thread-local storage instead of a field of the device: no lock, no allocation, so failing cannot fail. */
static _Thread_local struct slot slots[SLOTS];
static _Thread_local unsigned long clock_ticks;

static struct slot *find(const void *device)
{
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].when && slots[i].device == device)
            return &slots[i];
    return NULL;
}

static struct slot *oldest(void)
{
    struct slot *found = &slots[0];
    for (int i = 1; i < SLOTS; i++)
        if (slots[i].when < found->when)
            found = &slots[i];
    return found;
}

int core_fail(const void *device, int code, const char *format, ...)
{
    struct slot *slot = find(device);
    if (!slot)
        slot = oldest();
    slot->device = device;
    slot->when = ++clock_ticks;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(slot->text, sizeof slot->text, format, arguments);
    va_end(arguments);
    return code;
}

int core_fail_memory(const void *device)
{
    return core_fail(device, ABBE_ERR_MEMORY, "out of memory");
}

const char *core_failure(const void *device)
{
    const struct slot *slot = find(device);
    return slot ? slot->text : "";
}

void core_forget(const void *device)
{
    struct slot *slot = find(device);
    if (slot)
        slot->when = 0;
}

const char *abbe_error_text(const abbe_device *device)
{
    return core_failure(device);
}
