/* The kernels for avx512. */
#define VECTOR_BYTES 64
#define LEVEL "avx512"
#define KERNELS space_avx512
#include "cpu/space/space_tmpl.h"
