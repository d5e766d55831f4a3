/* Rows for AVX2 with FMA. */
#define VECTOR_BYTES 32
#define ROWS fused_rows_avx2
#include "cpu/fused/rows_tmpl.h"
