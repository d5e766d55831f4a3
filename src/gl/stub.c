/* The GL device of a build without it: it never opens, so the other functions are never called. */
#include "core/error.h"
#include "device/device.h"
#include "gl/summary.h"

extern const struct device_table gl_device_table;

static int gl_stub_open(const char *argument, const abbe_device_params *params, abbe_device **device)
{
    (void)argument, (void)params, (void)device;
    return core_fail(
        NULL, ABBE_ERR_UNSUPPORTED,
        "device 'gl' is not in this build; to build it, install the headers of EGL and OpenGL ES "
        "(Debian: libegl-dev and libgles-dev)");
}

const struct device_table gl_device_table = { .name = "gl", .summary = ABGL_SUMMARY, .open = gl_stub_open };
