/* Columns for AVX2 with FMA. */
#define VECTOR_BYTES 32
#define COLUMNS fused_columns_avx2
#include "cpu/fused/columns_tmpl.h"
