/* Runs a kernel on the CPU: block after block, the threads of a block as fibers in a random order. */
#ifndef ABBE_TESTS_CUDA_GRID_H
#define ABBE_TESTS_CUDA_GRID_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GRID_SHARED_MAX = 227 << 10, GRID_THREADS_MAX = 1024 };

/* A kernel of one parameter, a struct by reference (see __grid_constant__ in prelude.cuh). */
typedef void (*emulated_kernel)(const void *parameters);

/* Runs the blocks in a random order; between two barriers, the threads of a block run one after another in a
 * random order, so that a missing barrier shows in the results of some seeds. Shared memory is NaN at the
 * start of each block. Prints a message and aborts if threads wait at different barriers, end while others
 * wait, or write beyond the shared memory. One thread of the host at a time. */
void emulated_run(emulated_kernel kernel, const void *parameters, const unsigned blocks[3],
                  const unsigned threads[3], size_t shared);

/* Of the random orders; 1 at first. */
void emulated_seed(unsigned long seed);

#ifdef __cplusplus
}
#endif

#endif
