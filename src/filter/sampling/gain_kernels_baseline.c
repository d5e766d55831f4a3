/* The kernels that multiply batches by gains, for every processor, and the choice of a level's kernels. */
#define LEVEL(x) x##_baseline
#include "filter/sampling/gain_kernels_tmpl.h"

const struct gain_kernels *gain_kernels_of(enum core_level level)
{
#if defined __x86_64__
    if (level == LEVEL_AVX2)
        return &gain_kernels_avx2;
    if (level == LEVEL_AVX512)
        return &gain_kernels_avx512;
#endif
    (void)level;
    return &gain_kernels_baseline;
}
