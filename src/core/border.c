/* Borders as index maps: the pixel that a coordinate outside the picture reads. */
#include "core/border.h"

static long long wrap_index(long long x, long long period)
{
    long long rest = x % period;
    return rest < 0 ? rest + period : rest;
}

/* dcba|abcd|dcba: period 2n, of which the second half runs backwards. */
static int reflect_index(long long x, int n)
{
    long long place = wrap_index(x, 2LL * n);
    return (int)(place < n ? place : 2LL * n - 1 - place);
}

/* dcb|abcd|cba: period 2n − 2, the ends are not repeated. A picture of one pixel has period 1. */
static int mirror_index(long long x, int n)
{
    if (n == 1)
        return 0;
    long long place = wrap_index(x, 2LL * n - 2);
    return (int)(place < n ? place : 2LL * (n - 1) - place);
}

int core_border_index(abbe_border border, long long x, int n)
{
    if (x >= 0 && x < n)
        return (int)x;
    switch (border) {
    case ABBE_BORDER_REFLECT: return reflect_index(x, n);
    case ABBE_BORDER_MIRROR: return mirror_index(x, n);
    case ABBE_BORDER_CLAMP: return x < 0 ? 0 : n - 1;
    case ABBE_BORDER_WRAP: return (int)wrap_index(x, n);
    case ABBE_BORDER_ZERO:
    case ABBE_BORDER_CONSTANT: break;
    }
    return -1;
}

void core_border_map(abbe_border border, long long first, int count, int n, struct border_map *map)
{
    map->count = count;
    map->low = n;
    map->high = -1;
    for (int i = 0; i < count; i++) {
        int index = core_border_index(border, first + i, n);
        map->index[i] = index;
        if (index >= 0 && index < map->low)
            map->low = index;
        if (index > map->high)
            map->high = index;
    }
}
