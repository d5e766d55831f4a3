/* The Vulkan device of a build without Vulkan: it never opens. */
#include "core/error.h"
#include "device/device.h"
#include "vulkan/summary.h"

extern const struct device_table vk_device_table;

static int vk_stub_open(const char *argument, const abbe_device_params *params, abbe_device **device)
{
    (void)argument, (void)params, (void)device;
    return core_fail(NULL, ABBE_ERR_UNSUPPORTED,
                     "device 'vulkan' is not in this build; building it needs the Vulkan headers and "
                     "glslangValidator (Debian: libvulkan-dev and glslang-tools)");
}

const struct device_table vk_device_table = { .name = "vulkan",
                                              .summary = ABVK_SUMMARY,
                                              .open = vk_stub_open };
