/* Borders as index maps: the pixel that a coordinate outside the picture reads. */
#ifndef ABBE_CORE_BORDER_H
#define ABBE_CORE_BORDER_H

#include <abbe/abbe.h>

/* The index 0 … n − 1 of the pixel at coordinate x, for any x; −1 where the outside pixel is read (ZERO, CONSTANT). */
int core_border_index(abbe_border border, long long x, int n);

#endif
