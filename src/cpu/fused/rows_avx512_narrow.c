/* Rows for AVX-512, half as wide: quicker as long as the grid stays in the caches. */
#define VECTOR_BYTES 32
#define ROWS fused_rows_avx512_narrow
#include "cpu/fused/rows_tmpl.h"
