/* VkFFT: says when it takes part; its calls are in the module made of vkfft_module.c. */
#include "module.h"

#include <stdio.h>

static void version(char *text, size_t size)
{
    snprintf(text, size, "%s", ABBE_BENCH_VKFFT);
}

static bool suits(const struct bench_case *what)
{
    return what->gpu && what->type == ABBE_F32 && what->channels == 4 && what->border == ABBE_BORDER_WRAP &&
           what->kernel == KERNEL_DISK && what->bank <= 1 && what->precision == ABBE_PRECISION_FULL;
}

static bool prepare(const struct peer_work *work, void **state, struct peer_note *note)
{
    return module_prepare("abbe-bench-vkfft.so", work, state, note);
}

const struct peer peer_vkfft = {
    .name = "VkFFT",
    .version = version,
    .suits = suits,
    .prepare = prepare,
    .run = module_run,
    .destroy = module_destroy,
    .time = module_time,
    .gpu = true,
};
