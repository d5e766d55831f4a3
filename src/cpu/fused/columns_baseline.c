/* Columns for any CPU of the architecture. */
#define VECTOR_BYTES 16
#define COLUMNS fused_columns_baseline
#include "cpu/fused/columns_tmpl.h"
