/* The kernels for avx2. */
#define VECTOR_BYTES 32
#define LEVEL "avx2"
#define KERNELS space_avx2
#include "cpu/space/space_tmpl.h"
