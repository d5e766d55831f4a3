/* Where frequencies lie: among copies of a point of the periodic plane, and between samples of a gain. */
#ifndef ABBE_FILTER_PLACES_H
#define ABBE_FILTER_PLACES_H

#include "filter/filter.h"

#include <math.h>

/* The distance to the nearest whole number, for |d| < 1.5. */
static inline double distance_to_whole(double d)
{
    d = fabs(d);
    return d <= 0.5 ? d : fabs(d - 1);
}

/* Whether x^order is a few multiplications. */
static inline bool order_is_small(double order)
{
    enum { MULTIPLIED = 8 };
    return order <= MULTIPLIED && order == floor(order);
}

/* The samples of a periodic axis on both sides of a frequency. */
struct place {
    size_t index, next;
    double fraction; /* of the way from one to the other */
};

/* Finds a frequency, −½ ≤ f ≤ ½, on an axis of `length` samples, of which number `zero` has frequency 0.
 * Frequencies k / length are exactly on a sample, whatever rounding has done to them. Calls no functions,
 * because spectra have many samples. */
static inline struct place find_place(double f, int length, int zero)
{
    double at = (f < 0.0 ? f + 1.0 : f) * length;
    int below = (int)at, nearest = (int)(at + 0.5), index = below + zero;
    if (fabs(at - nearest) < 1e-9) {
        at = nearest;
        index = nearest + zero;
        below = nearest;
    }
    while (index >= length)
        index -= length;
    return (struct place){ (size_t)index, (size_t)(index + 1 < length ? index + 1 : 0), at - below };
}

/* The samples along x of a transfer function that is interpolated, around a frequency. */
static inline struct place transfer_place_x(const struct transfer *transfer, double fx)
{
    int length = transfer->mask.width / transfer->step;
    return find_place(fx, length, transfer->step == 1 ? length / 2 : 0);
}

static inline struct place transfer_place_y(const struct transfer *transfer, double fy)
{
    int length = transfer->mask.height;
    return find_place(fy, length, transfer->step == 1 ? length / 2 : 0);
}

/* Interpolates between samples that are `step` doubles apart. */
static inline double interpolate_line(const double *line, size_t step, struct place at)
{
    double here = line[step * at.index];
    return here + at.fraction * (line[step * at.next] - here);
}

#endif
