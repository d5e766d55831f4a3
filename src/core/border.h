/* Borders as index maps: which pixel stands at a coordinate outside the picture. */
#ifndef ABBE_CORE_BORDER_H
#define ABBE_CORE_BORDER_H

#include <abbe/abbe.h>

/* The index 0 … n − 1 that stands at coordinate x, any x; −1 where the border's constant stands. */
int core_border_index(abbe_border border, long long x, int n);

#endif
