/* The Vulkan device of a build without it. */
#include "core/error.h"
#include "device/device.h"

extern const struct device_table vk_device_table;

static int vk_open(const char *argument, const abbe_device_params *params, abbe_device **device)
{
    (void)argument, (void)params, (void)device;
    return core_fail(NULL, ABBE_ERR_UNSUPPORTED,
                     "device 'vulkan' is not in this build; building it takes Vulkan's headers and "
                     "glslangValidator (Debian: libvulkan-dev and glslang-tools)");
}

/* Nothing else is ever called: it never opens. */
const struct device_table vk_device_table = { .name = "vulkan", .open = vk_open };
