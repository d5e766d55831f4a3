/* The kernels of each instruction-set level. */
#ifndef ABBE_CPU_LEVELS_H
#define ABBE_CPU_LEVELS_H

#include "core/level.h"
#include "cpu/fused/kernels.h"
#include "cpu/plain/plain.h"
#include "cpu/space/kernels.h"

enum { LEVEL_KERNELS = 4 };

struct cpu_level {
    const struct fused_kernels
        *fused[LEVEL_KERNELS];         /* NULL behind the last; the plain engine where there are none */
    const struct space_kernels *space; /* NULL: the plain loops */
    const struct plain_table *doubles; /* all methods in double precision */
};

extern const struct cpu_level cpu_levels[LEVEL_COUNT];

#endif
