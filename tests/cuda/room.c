/* The memory of the emulated driver of CUDA. */
#include "support/room.h"
#include "cuda/driver.h"
#include "support/emulated.h"

static void require_emulator(abbe_device *device)
{
    (void)device;
    emulated_require();
}

static void limit_emulator(size_t bytes)
{
    emulated_find()->room(bytes);
}

static void fail_full(long n)
{
    emulated_find()->fail_at(n, CUDA_OUT_OF_MEMORY, false);
}

static bool has_failed(void)
{
    return emulated_find()->failed();
}

const struct room room = { "cuda", require_emulator, limit_emulator, fail_full, has_failed };
