/* cuFFT: its calls are in the module made of cufft.cu. */
#include "module.h"

#include <stdio.h>

static void version(char *text, size_t size)
{
    snprintf(text, size, "of CUDA %s", ABBE_BENCH_CUDA);
}

static bool prepare(const struct peer_work *work, void **state, struct peer_note *note)
{
    return module_prepare("abbe-bench-cufft.so", work, state, note);
}

const struct peer peer_cufft = {
    .name = "cuFFT",
    .version = version,
    .suits = module_suits,
    .prepare = prepare,
    .run = module_run,
    .destroy = module_destroy,
    .time = module_time,
    .gpu = true,
};
