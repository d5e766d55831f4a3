/* The steps of transforms in double, for vectors that not every machine has: which there are. */
#include "fft/levels.h"

#include "core/processor.h"

const struct fft_level fft_levels[] = {
#if defined __x86_64__
    { "avx512", core_has_avx512, 8, fft_f64_forward_avx512, fft_f64_inverse_avx512 },
    { "avx2", core_has_avx2, 4, fft_f64_forward_avx2, fft_f64_inverse_avx2 },
#endif
    { NULL, NULL, 0, NULL, NULL },
};

const struct fft_level *fft_level_best(void)
{
    for (const struct fft_level *level = fft_levels; level->name; level++)
        if (level->present())
            return level;
    return NULL;
}
