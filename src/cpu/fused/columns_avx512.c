/* Columns for AVX-512. */
#define VECTOR_BYTES 64
#define COLUMNS fused_columns_avx512
#include "cpu/fused/columns_tmpl.h"
