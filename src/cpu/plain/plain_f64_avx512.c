/* The plain engines in double, for AVX-512. */
#define TABLE plain_f64_avx512
#include "cpu/plain/plain_f64_tmpl.h"
