/* Sums of pictures in double precision. */
#ifndef ABBE_TOOL_SUM_H
#define ABBE_TOOL_SUM_H

#include "picture.h"

/* A picture in a sum: its samples stand for (sample − offset) / gain. */
struct term {
    const struct picture *picture;
    double gain, offset;
};

/* The offset that a picture of that type has where none is stated: middle grey of integers, which have no
 * negative numbers, and 0 of floats. */
double sum_default_offset(abbe_type type);

/* Channels of colours, without alpha. */
int sum_colours(const struct picture *picture);

/* The sum of the terms in colour c of a pixel. The pictures have the same size and number of colours. */
double sum_sample(const struct term *terms, int count, size_t pixel, int c);

/* Makes the picture that is left of `source` when the terms are subtracted, stored as that type:
 * gain · (source − Σ terms) + offset. Alpha is that of the source. Counts the samples that do not fit the
 * type. Prints errors. */
bool sum_rest(const struct picture *source, const struct term *terms, int count, abbe_type type, double gain,
              double offset, struct picture *rest, size_t *clipped);

#endif
