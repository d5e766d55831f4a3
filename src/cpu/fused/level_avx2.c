/* The kernels for avx2. */
#define VECTOR_BYTES 32
#define LEVEL "avx2"
#define KERNELS fused_avx2
#include "cpu/fused/template.h"
