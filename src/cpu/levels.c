/* The kernels of each instruction-set level. */
#include "cpu/levels.h"

static const struct fused_kernels baseline = {
    &fused_rows_baseline, &fused_columns_baseline, 1.1, 1.1, &fused_columns_baseline, 0
};
#if defined __x86_64__
static const struct fused_kernels avx2 = {
    &fused_rows_avx2, &fused_columns_avx2, 1.15, 1.1, &fused_columns_avx2, 0
};
static const struct fused_kernels wide = {
    &fused_rows_avx512, &fused_columns_avx512, 1.5, 1.8, &fused_columns_avx512, 256
};
/* As `wide`, but rows of 256 samples are transformed side by side, too: faster for single planes. */
static const struct fused_kernels beside = {
    &fused_rows_avx512, &fused_columns_avx512, 1.5, 1.8, &fused_columns_avx512, 257
};
static const struct fused_kernels mixed = {
    &fused_rows_avx512_narrow, &fused_columns_avx512, 1.8, 2, &fused_columns_avx512_narrow, 0
};
static const struct fused_kernels narrow = {
    &fused_rows_avx512_narrow, &fused_columns_avx512_narrow, 1, 1.1, &fused_columns_avx512_narrow, 0
};
#endif

const struct cpu_level cpu_levels[LEVEL_COUNT] = {
    [LEVEL_PLAIN] = { .doubles = &plain_f64_baseline },
    [LEVEL_BASELINE] = { { &baseline }, &space_baseline, &plain_f64_baseline },
#if defined __x86_64__
    [LEVEL_AVX2] = { { &avx2 }, &space_avx2, &plain_f64_avx2 },
    [LEVEL_AVX512] = { { &wide, &beside, &mixed, &narrow }, &space_avx512, &plain_f64_avx512 },
#endif
};
