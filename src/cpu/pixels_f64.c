/* Rows of pixels between their stored form and doubles ready to filter. */
#define REAL double
#define NAME(x) x##_f64
/* Doubles are precise enough without a pedestal. */
#define OUTSIDE(engine, pedestal) ((void)(pedestal), (engine)->outside_f64)

#include "cpu/pixels_tmpl.h"

void cpu_magnitude_f64(double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = hypot(a[i], b[i]);
}
