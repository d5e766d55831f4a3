/* The steps of transforms in double, for AVX2 with FMA. */
#define VECTOR_BYTES 32
#define LEVEL(x) x##_avx2
#include "fft/level_tmpl.h"
