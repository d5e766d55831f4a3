/* Borders as index maps: the pixel that a coordinate outside the picture reads. */
#ifndef ABBE_CORE_BORDER_H
#define ABBE_CORE_BORDER_H

#include <abbe/abbe.h>

/* The index 0 … n − 1 of the pixel at coordinate x, for any x; −1 where the outside pixel is read (ZERO,
 * CONSTANT). */
int core_border_index(abbe_border border, long long x, int n);

/* The pixels that consecutive coordinates along one axis read. */
struct border_map {
    int count;
    int *index;    /* `count` entries; −1 where the outside pixel is read */
    int low, high; /* the range of pixels that occur; low > high when none does */
};

/* Fills the map of coordinates first … first + count − 1 of an axis of n pixels. The caller owns
 * map->index. */
void core_border_map(abbe_border border, long long first, int count, int n, struct border_map *map);

#endif
