/* Random phases, the same for a seed on every machine. */
#ifndef ABBE_TOOL_RANDOM_PHASE_H
#define ABBE_TOOL_RANDOM_PHASE_H

#include <stdint.h>

/* Fills width · height floats with the packed spectrum e^(jθ(u,v)): θ uniform and independent but for
 * θ(−u,−v) = −θ(u,v), which makes its picture real. The zeroth frequency is 0. */
void random_phase_fill(uint64_t seed, int width, int height, float *packed);

#endif
