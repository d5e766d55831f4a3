/* The device under test, and calls that must fail. */
#include "support/test.h"
#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static abbe_device *open_or_skip(const char *name, int threads)
{
    abbe_device *device = NULL;
    if (abbe_device_open(name, &(abbe_device_params){ .threads = threads }, &device)) {
        printf("%s\n", abbe_error_text(NULL));
        exit(TEST_SKIPPED);
    }
    return device;
}

abbe_device *test_open_device(int argc, char **argv, int threads)
{
    const char *name = argc > 1 ? argv[1] : "cpu";
    abbe_device *device = open_or_skip(name, threads);
    if (strstr(name, ":f16"))
        trial_set_halves();
    return device;
}

void test_require_device(const char *name)
{
    abbe_device *device = open_or_skip(name, 0);
    abbe_device_close(&device);
}

void test_require_host(const abbe_device *device)
{
    if (strcmp(abbe_device_name(device), "cpu"))
        skip();
}

void test_refused(const char *call, int error, int expected, const abbe_device *device, const char *text)
{
    const char *message = abbe_error_text(device);
    if (error != expected)
        fail_msg("%s: %s (%s) instead of %s", call, abbe_error_name(error), message,
                 abbe_error_name(expected));
    if (!*message || !strstr(message, text))
        fail_msg("%s: the message \"%s\" does not contain \"%s\"", call, message, text);
}
