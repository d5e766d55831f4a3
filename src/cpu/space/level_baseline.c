/* The kernels for what every machine of its kind has. */
#define VECTOR_BYTES 16
#define LEVEL "baseline"
#define KERNELS space_baseline
#include "cpu/space/space_tmpl.h"
