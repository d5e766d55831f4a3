/* Borders as index maps: which pixel stands at a coordinate outside the picture. */
#include "core/border.h"

static int modulo(long long x, long long period)
{
    long long rest = x % period;
    return (int)(rest < 0 ? rest + period : rest);
}

/* dcba|abcd|dcba: period 2n, the second half runs backwards. */
static int reflect(long long x, int n)
{
    long long place = x % (2LL * n);
    if (place < 0)
        place += 2LL * n;
    return (int)(place < n ? place : 2LL * n - 1 - place);
}

/* dcb|abcd|cba: period 2n − 2, the ends are not repeated; one pixel is all there is when n = 1. */
static int mirror(long long x, int n)
{
    if (n == 1)
        return 0;
    int place = modulo(x, 2LL * n - 2);
    return place < n ? place : 2 * (n - 1) - place;
}

int core_border_index(abbe_border border, long long x, int n)
{
    if (x >= 0 && x < n)
        return (int)x;
    switch (border) {
    case ABBE_BORDER_REFLECT: return reflect(x, n);
    case ABBE_BORDER_MIRROR: return mirror(x, n);
    case ABBE_BORDER_CLAMP: return x < 0 ? 0 : n - 1;
    case ABBE_BORDER_WRAP: return modulo(x, n);
    case ABBE_BORDER_ZERO:
    case ABBE_BORDER_CONSTANT: break;
    }
    return -1;
}
