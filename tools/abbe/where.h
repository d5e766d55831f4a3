/* --where of abbe filter: a picture that says where results are filtered. */
#ifndef ABBE_TOOL_WHERE_H
#define ABBE_TOOL_WHERE_H

#include "picture.h"

/* Weights of the filtered picture, 0 to 1, row by row. */
struct where {
    const char *name;
    int width, height;
    float *weights; /* NULL without a mask */
};

/* Reads a mask: white is filtered, black is not, grey is mixed. Its weight is the mean of the colours, times
 * alpha: what was not painted is not filtered. Prints errors, and a warning if nothing is filtered. */
bool where_read(const char *name, const struct reading *reading, struct where *where);
void where_free(struct where *where);

/* Whether the mask has the size of a picture. Prints an error. */
bool where_fits(const struct where *where, const char *name, const struct picture *picture);

/* Mixes `filtered` with the pixel of the source by that weight, into `filtered`. `by_alpha`: the last channel
 * is alpha, and colours are weighted by it. */
void where_mix(double weight, const double *source, int channels, bool by_alpha, double *filtered);

#endif
