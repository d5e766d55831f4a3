/* Roots of unity, correct to the last bit. */
#include "fft/twiddle.h"

#include "core/memory.h"

#include <math.h>
#include <stdbool.h>

/* The octant of the angle is found in integers. Within it, long double is precise enough that the only
 * significant error is the rounding to double. */
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

static void set_root(double *roots, int k, double re, double im)
{
    roots[2 * (size_t)k] = re;
    roots[2 * (size_t)k + 1] = im;
}

/* Computes angles up to an eighth, a quarter or a half of a turn, depending on how often two divides n, and
 * then their reflections: in the diagonal, in the imaginary axis, in the real axis. */
double *fft_roots(int n)
{
    double *roots = core_alloc((size_t)n, 2 * sizeof *roots);
    if (!roots)
        return NULL;
    int eighth = n % 4 == 0 ? n / 8 : n % 2 == 0 ? n / 4 : n / 2;
    for (int k = 0; k <= eighth; k++)
        fft_twiddle(k, n, roots + 2 * (size_t)k);
    for (int k = 0; n % 4 == 0 && k <= n / 8; k++)
        set_root(roots, n / 4 - k, -roots[2 * k + 1], -roots[2 * k]);
    for (int k = 0; n % 2 == 0 && k <= n / 4; k++)
        set_root(roots, n / 2 - k, -roots[2 * k], roots[2 * k + 1]);
    for (int k = 1; k <= n / 2; k++)
        set_root(roots, n - k, roots[2 * k], -roots[2 * k + 1]);
    return roots;
}
