/* The CUDA device of a build without CUDA: it never opens. */
#include "core/error.h"
#include "cuda/summary.h"
#include "device/device.h"

extern const struct device_table cuda_device_table;

static int cuda_stub_open(const char *argument, const abbe_device_params *params, abbe_device **device)
{
    (void)argument, (void)params, (void)device;
    return core_fail(NULL, ABBE_ERR_UNSUPPORTED,
                     "device 'cuda' is not in this build; it was configured with ABBE_CUDA=OFF");
}

const struct device_table cuda_device_table = { .name = "cuda",
                                                .summary = ABCU_SUMMARY,
                                                .open = cuda_stub_open };
