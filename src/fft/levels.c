/* The vector kernels of transforms in double, of each instruction-set level. */
#include "fft/levels.h"

const struct fft_level fft_levels[LEVEL_COUNT] = {
#if defined __x86_64__
    [LEVEL_AVX2] = { 4, fft_f64_forward_avx2, fft_f64_inverse_avx2 },
    [LEVEL_AVX512] = { 8, fft_f64_forward_avx512, fft_f64_inverse_avx512 },
#else
    [LEVEL_PLAIN] = { 0 },
#endif
};
