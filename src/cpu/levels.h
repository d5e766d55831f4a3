/* Instruction-set levels: what this library was compiled for, what this machine has, what the user wants. */
#ifndef ABBE_CPU_LEVELS_H
#define ABBE_CPU_LEVELS_H

#include "cpu/fused/kernels.h"
#include "cpu/space/kernels.h"

enum { LEVEL_KERNELS = 3 };

struct level {
    const char *name;
    bool (*present)(void);
    const struct fused_kernels *fused[LEVEL_KERNELS]; /* as many as there are; none: the plain engine alone */
    const struct space_kernels *space;                /* NULL: plain loops */
};

/* In rising order; the first is the plain engine in portable C. */
extern const struct level cpu_levels[];
extern const int cpu_level_count;

/* The best level of this machine, or the one named: by the device's argument, else by ABBE_CPU in the environment.
 * A negative ABBE_ERR_*, with its sentence recorded, for a level that does not exist or that this machine lacks. */
int cpu_level_choose(const char *name);

#endif
