/* Rows for any CPU of the architecture. */
#define VECTOR_BYTES 16
#define ROWS fused_rows_baseline
#include "cpu/fused/rows_tmpl.h"
