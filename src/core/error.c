/* Error messages, kept per device and per thread. */
#include "core/error.h"

#include <abbe/abbe.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGES = 4, TEXT = 512 };

struct message {
    const void *device;
    unsigned long time; /* of recording, in ticks of message_clock; 0: empty */
    char text[TEXT];
};

/* Thread-local storage instead of a field of the device needs no lock and no allocation: recording cannot
 * fail. */
static _Thread_local struct message messages[MESSAGES];
static _Thread_local unsigned long message_clock;
static _Thread_local const struct message *last_message;

static struct message *find_message(const void *device)
{
    for (int i = 0; i < MESSAGES; i++)
        if (messages[i].time && messages[i].device == device)
            return &messages[i];
    return NULL;
}

static struct message *oldest_message(void)
{
    struct message *found = &messages[0];
    for (int i = 1; i < MESSAGES; i++)
        if (messages[i].time < found->time)
            found = &messages[i];
    return found;
}

int core_fail(const void *device, int code, const char *format, ...)
{
    char text[TEXT]; /* the arguments may be earlier messages */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct message *message = find_message(device);
    if (!message)
        message = oldest_message();
    message->device = device;
    message->time = ++message_clock;
    memcpy(message->text, text, sizeof text);
    last_message = message;
    return code;
}

int core_fail_memory(const void *device)
{
    return core_fail(device, ABBE_ERR_MEMORY, "out of memory");
}

const char *core_failure(const void *device)
{
    const struct message *message = find_message(device);
    return message ? message->text : "";
}

void core_forget(const void *device)
{
    struct message *message = find_message(device);
    if (message)
        message->time = 0;
}

const char *abbe_error_text(const abbe_device *device)
{
    return core_failure(device);
}

/* A message that core_forget removed keeps its text until the next failure. */
const char *abbe_last_error(void)
{
    return last_message ? last_message->text : "";
}
