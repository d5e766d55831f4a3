/* Drivers that are missing, old or failing. */
#include "support/drivers.h"
#include "support/blur.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

struct drivers drivers;

void *__real_dlopen(const char *file, int flags);
void *__wrap_dlopen(const char *file, int flags);
void *__real_dlsym(void *library, const char *symbol);
void *__wrap_dlsym(void *library, const char *symbol);

void *__wrap_dlopen(const char *file, int flags)
{
    bool missing = drivers.missing_library && strstr(file, drivers.missing_library);
    return missing ? NULL : __real_dlopen(drivers.file ? drivers.file(file) : file, flags);
}

void *__wrap_dlsym(void *library, const char *symbol)
{
    void *found = __real_dlsym(library, symbol);
    return drivers.replace ? drivers.replace(symbol, found) : found;
}

void drivers_assert_refused(const char *name, const char *part)
{
    abbe_device *device = NULL;
    assert_int_equal(abbe_device_open(name, NULL, &device), ABBE_ERR_DEVICE);
    assert_null(device);
    const char *text = abbe_error_text(NULL);
    if (!strstr(text, part) || strchr(text, '\n'))
        fail_msg("'%s' does not contain '%s' in one line", text, part);
}

void drivers_assert_software_on_request(const char *kind, const char *variable)
{
    abbe_device *device = NULL;
    unsetenv(variable);
    if (!abbe_device_open(kind, NULL, &device))
        assert_null(strstr(abbe_device_detail(device), "llvmpipe"));
    else
        assert_non_null(strstr(abbe_error_text(NULL), variable));
    abbe_device_close(&device);
    setenv(variable, "1", 1);
    assert_int_equal(abbe_device_open(kind, NULL, &device), ABBE_OK);
    abbe_device_close(&device);
}

long drivers_fail_each_call(abbe_device *device, abbe_method method, const struct drivers_calls *calls)
{
    float out[BLUR_SAMPLES];
    int error = ABBE_ERR_MEMORY;
    long n = 0;
    for (; error; n++) {
        memset(out, 0x7e, sizeof out);
        calls->fail_at(n);
        error = blur_run(device, method, out);
        if (error && error != calls->code)
            fail_msg("call %ld: %s, %s", n, abbe_error_name(error), abbe_error_text(device));
        if (error && (((unsigned char *)out)[0] != 0x7e || memcmp(out, (char *)out + 1, sizeof out - 1)))
            fail_msg("call %ld: something was written", n);
        if (!error && calls->failed())
            fail_msg("call %ld: its failure is not noticed", n);
    }
    blur_assert_right(out);
    return n;
}
