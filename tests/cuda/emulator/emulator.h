/* What tests ask of the emulated driver: failures, little memory, and counts of what is alive.
 *
 * libcuda.so.1 and libnvrtc.so.13, in the folder in which this is built, are one library. Its environment:
 *   ABBE_EMULATOR_SEED         of the order in which threads and blocks run (1)
 *   ABBE_EMULATOR_DEVICES      number of GPUs (1)
 *   ABBE_EMULATOR_CAPABILITY   10 · major + minor (90)
 *   ABBE_EMULATOR_PROCESSORS   multiprocessors (3)
 *   ABBE_EMULATOR_SHARED       most bytes of shared memory of a block (232448)
 *   ABBE_EMULATOR_MEMORY       bytes of the GPU's memory (8 GiB)
 *   ABBE_EMULATOR_DRIVER       version of the driver (13000)
 *   ABBE_EMULATOR_NVRTC        version of NVRTC, 10 · major + minor (130)
 *   ABBE_EMULATOR_FAIL         N:RESULT: call N of the driver (0 is the first) returns RESULT */
#ifndef ABBE_TESTS_CUDA_EMULATOR_H
#define ABBE_TESTS_CUDA_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>

/* What exists at present. */
struct emulator_counts {
    int contexts; /* retained primary contexts */
    int modules, allocations, pinned, streams, events, graphs, programs;
    size_t bytes;  /* of the GPU's memory */
    long calls;    /* that could have failed, since the start */
    long compiled; /* programs, since the start */
    long launches; /* of kernels, since the start */
};

/* A test finds this struct as the symbol `emulator` of libcuda.so.1; a real driver has none. */
struct emulator {
    /* Call n from now on (0 is the next; −1: none) returns `result`; with `for_good`, every later one as
     * well. A result that a context does not survive stays with the context until fail_at() is called again,
     * which stands for a new process. Calls that release something never fail this way. */
    void (*fail_at)(long n, int result, bool for_good);
    bool (*failed)(void);       /* whether call n has been reached */
    void (*room)(size_t bytes); /* larger allocations of memory fail; SIZE_MAX: none does */
    void (*set)(const char *variable, long long value); /* as if it were in the environment */
    struct emulator_counts (*counts)(void);
    const char *(*first_difference)(struct emulator_counts before,
                                    struct emulator_counts after); /* NULL: none */
};
extern const struct emulator emulator;

#endif
