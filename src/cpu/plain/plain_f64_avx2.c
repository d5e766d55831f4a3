/* The plain engines in double, for AVX2 with FMA. */
#define TABLE plain_f64_avx2
#include "cpu/plain/plain_f64_tmpl.h"
