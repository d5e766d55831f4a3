/* VkFFT: its calls are in the module made of vkfft_module.c. */
#include "module.h"

#include <stdio.h>

static void version(char *text, size_t size)
{
    snprintf(text, size, "%s", ABBE_BENCH_VKFFT);
}

static bool prepare(const struct peer_work *work, void **state, struct peer_note *note)
{
    return module_prepare("abbe-bench-vkfft.so", work, state, note);
}

const struct peer peer_vkfft = {
    .name = "VkFFT",
    .version = version,
    .suits = module_suits,
    .prepare = prepare,
    .run = module_run,
    .destroy = module_destroy,
    .time = module_time,
    .gpu = true,
};
