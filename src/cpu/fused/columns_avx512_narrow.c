/* Columns for AVX-512, half as wide, for narrow pictures. */
#define VECTOR_BYTES 32
#define COLUMNS fused_columns_avx512_narrow
#include "cpu/fused/columns_tmpl.h"
