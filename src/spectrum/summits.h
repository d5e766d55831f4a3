/* Summits: bins of a surface that are local maxima and stand out of their surroundings in every direction. */
#ifndef ABBE_SPECTRUM_SUMMITS_H
#define ABBE_SPECTRUM_SUMMITS_H

#include "spectrum/surface.h"

struct summit {
    int u, v;
    float amplitude;
};

/* A growing list; the one who makes it releases `items` with core_free. */
struct summits {
    struct summit *items;
    size_t count, room;
};

/* Finds the summits with amplitudes above `floor`, at least `prominence` times their surroundings. Returns false
 * without memory. */
bool summits_find(const struct surface *surface, double prominence, float floor, struct summits *summits);

/* The largest median of the surroundings of a bin, which is what `prominence` multiplies. */
float summit_background(const struct surface *surface, int u, int v);

/* Orders floats for qsort. */
int summit_compare(const void *a, const void *b);

#endif
