/* Directions in image coordinates: angles turn counter-clockwise on the screen while y points down. */
#ifndef ABBE_FILTER_ANGLE_H
#define ABBE_FILTER_ANGLE_H

#include <math.h>

/* Writes the unit vector at `degrees`: 0 gives (1, 0) and 90 gives (0, −1). Multiples of 90 are exact,
 * because sine and cosine are taken within ±45 degrees only. */
static inline void angle_vector(double degrees, double *x, double *y)
{
    double turn = remainder(degrees, 360.0);
    double quarter = rint(turn / 90.0);
    double rest = (turn - 90.0 * quarter) * (M_PI / 180.0);
    double c = cos(rest), s = sin(rest);
    const double cosine[4] = { c, -s, -c, s }, sine[4] = { s, c, -s, -c };
    *x = cosine[(int)quarter & 3];
    *y = -sine[(int)quarter & 3];
}

#endif
