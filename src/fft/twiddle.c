/* Roots of unity, correct to the last bit. */
#include "fft/twiddle.h"

#include <math.h>
#include <stdbool.h>

/* The octant of the angle is found in integers; within it long double has bits to spare, so that the only
 * error that counts is the rounding to double. */
void fft_twiddle(long long k, long long n, double value[2])
{
    const long double quarter_pi = 0.785398163397448309615660845819875721L;
    int octant = (int)(8 * k / n);
    long long rest = 8 * k % n;
    if (octant & 1)
        rest = n - rest; /* odd octants are counted back from their end */
    long double angle = quarter_pi * (long double)rest / (long double)n;
    double cosine = (double)cosl(angle), sine = (double)sinl(angle);
    bool steep = octant == 1 || octant == 2 || octant == 5 || octant == 6;
    double x = steep ? sine : cosine, y = steep ? cosine : sine;
    value[0] = octant >= 2 && octant < 6 ? -x : x;
    value[1] = octant < 4 ? -y : y;
}
