/* The kernels of kernels/cuda, compiled with prelude.cuh, and the variables that stand for their
 * constants. */
#ifndef ABBE_TESTS_CUDA_KERNELS_H
#define ABBE_TESTS_CUDA_KERNELS_H

#include "interface.h"

#define DECLARE_CONSTANT(name) extern int ABCU_##name;
ABCU_CONSTANTS(DECLARE_CONSTANT)
#undef DECLARE_CONSTANT

#define DECLARE_KERNEL(name) void abcu_##name(const void *parameters);
ABCU_KERNELS(DECLARE_KERNEL)
#undef DECLARE_KERNEL

#endif
