/* The kernels that multiply batches by gains, for AVX2 with FMA. */
#define VECTOR_BYTES 32
#define LEVEL(x) x##_avx2
#include "filter/sampling/gain_kernels_tmpl.h"
