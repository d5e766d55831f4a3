/* Directions: the one place that knows that angles turn counter-clockwise while y points down. */
#include "filter/angle.h"

#include <math.h>

void angle_vector(double degrees, double *x, double *y)
{
    double turn = remainder(degrees, 360.0);
    double quarter = rint(turn / 90.0);
    double rest = (turn - 90.0 * quarter) * (M_PI / 180.0);
    double c = cos(rest), s = sin(rest);
    const double cosine[4] = { c, -s, -c, s }, sine[4] = { s, c, -s, -c };
    *x = cosine[(int)quarter & 3];
    *y = -sine[(int)quarter & 3];
}
