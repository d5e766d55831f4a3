/* The memory of the software driver of Vulkan. */
#include "support/room.h"
#include "support/shims.h"

static void limit_shims(size_t bytes)
{
    shims_room(bytes);
}

static void fail_full(long n)
{
    shims_fail(n, n < 0 ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

const struct room room = { "vulkan:lavapipe", shims_put, limit_shims, fail_full, shims_failed };
