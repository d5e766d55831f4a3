/* The kernels for baseline. */
#define VECTOR_BYTES 16
#define LEVEL "baseline"
#define KERNELS fused_baseline
#include "cpu/fused/template.h"
