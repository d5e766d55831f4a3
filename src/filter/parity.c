/* Even and odd lines of taps: what keeps symmetric kernels symmetric to the last bit. */
#include "filter/parity.h"

static double tap_or_zero(const double *line, int length, int i)
{
    return i >= 0 && i < length ? line[i] : 0.0;
}

enum parity parity_of(const double *line, int length, int centre)
{
    unsigned parity = PARITY_BOTH;
    for (int i = 0; i < length && parity; i++) {
        double mirrored = tap_or_zero(line, length, 2 * centre - i);
        if (line[i] != mirrored)
            parity &= ~(unsigned)PARITY_EVEN;
        if (line[i] != -mirrored)
            parity &= ~(unsigned)PARITY_ODD;
    }
    return (enum parity)parity;
}

enum parity parity_product(enum parity a, enum parity b)
{
    if (a == PARITY_BOTH || b == PARITY_BOTH)
        return PARITY_BOTH;
    if (a == PARITY_NONE || b == PARITY_NONE)
        return PARITY_NONE;
    return a == b ? PARITY_EVEN : PARITY_ODD;
}

void parity_enforce(double *line, int length, int centre, enum parity parity)
{
    if (parity == PARITY_NONE)
        return;
    double sign = parity & PARITY_EVEN ? 1.0 : -1.0;
    for (int i = 0; i < length; i++) {
        int mirror = 2 * centre - i;
        if (mirror < 0 || mirror >= length)
            line[i] = 0.0;
        else if (mirror <= i)
            line[i] = mirror == i && sign < 0.0 ? 0.0 : sign * line[mirror];
    }
}
