/* The kernels for the baseline, the instructions that every processor of the architecture has. */
#define VECTOR_BYTES 16
#define LEVEL "baseline"
#define KERNELS space_baseline
#include "cpu/space/space_tmpl.h"
