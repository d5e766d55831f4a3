/* Rows for AVX-512. */
#define VECTOR_BYTES 64
#define ROWS fused_rows_avx512
#include "cpu/fused/rows_tmpl.h"
