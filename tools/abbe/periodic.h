/* The periodic plus smooth decomposition of a picture (Moisan 2011).
 *
 * The transform repeats a picture in both directions. Where opposite edges differ, the repetition has seams,
 * which appear as a bright cross in the spectrum. A picture is therefore split into p + s: the periodic
 * component p has the picture's differences between neighbours inside and none across the seams; the smooth
 * component s contains the seams and is harmonic elsewhere:
 *
 *     Δs = b,   b(x,y) = Σ over neighbours across a seam of (neighbour − pixel),
 *     S(u,v) = B(u,v) / (2 cos(2πu/M) + 2 cos(2πv/N) − 4),   S(0,0) = 0,   P = F − S. */
#ifndef ABBE_TOOL_PERIODIC_H
#define ABBE_TOOL_PERIODIC_H

#include <abbe/abbe.h>

/* Writes the packed spectrum of the smooth component of `picture` (F32, without gaps) to `smooth`, which has
 * the same shape and lies apart. Returns an error of the library. */
int smooth_spectrum(abbe_device *cpu, const abbe_image *picture, const abbe_image *smooth);

/* Writes the packed spectrum of the periodic component to `spectrum`, which may be the picture itself.
 * ABBE_ERR_MEMORY may have no text. */
int periodic_spectrum(abbe_device *cpu, const abbe_image *picture, const abbe_image *spectrum);

#endif
