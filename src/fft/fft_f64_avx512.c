/* The steps of transforms in double, for AVX-512. */
#define VECTOR_BYTES 64
#define LEVEL(x) x##_avx512
#include "fft/level_tmpl.h"
