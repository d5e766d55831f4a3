/* The kernels that multiply batches by gains, for AVX-512. */
#define VECTOR_BYTES 64
#define LEVEL(x) x##_avx512
#include "filter/sampling/gain_kernels_tmpl.h"
