/* Instruction-set levels of the CPU: their names, whether this machine has them, and which one is used.
 *
 * Tables of kernels (cpu/levels.h, fft/levels.h) are indexed by level. */
#ifndef ABBE_CORE_LEVEL_H
#define ABBE_CORE_LEVEL_H

#include <stdbool.h>

/* In rising order. */
enum core_level {
    LEVEL_PLAIN,    /* portable C, the readable reference */
    LEVEL_BASELINE, /* vectors of 16 bytes, which every processor of this kind has; called neon on ARM */
#if defined __x86_64__
    LEVEL_AVX2,   /* with FMA */
    LEVEL_AVX512, /* with the extensions F, BW, DQ and VL */
#endif
    LEVEL_COUNT
};

const char *core_level_name(enum core_level level);

/* Whether this machine has the instructions of a level. */
bool core_level_present(enum core_level level);

/* The highest level that is present. */
enum core_level core_level_best(void);

/* The level called `name`; for NULL the one that ABBE_CPU in the environment names, or the best when it is
 * unset or empty. A negative ABBE_ERR_*, with its message recorded, for a level that does not exist or is not
 * present. */
int core_level_choose(const char *name);

#endif
