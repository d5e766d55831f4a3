/* The packed spectrum of a real picture: eq. 10 of Moreland & Angel 2003, case by case. */
#include "spectrum/packed.h"

/* Columns 0 and M/2 are spectra of real columns, packed as one dimension is (eq. 9). */
static struct packed_place place_in_real_column(int height, int u, int v)
{
    if (v == 0 || 2 * (long long)v == height)
        return (struct packed_place){ u, v, u, v, 0 };
    if (2 * (long long)v < height)
        return (struct packed_place){ u, v, u, height - v, -1 };
    return (struct packed_place){ u, height - v, u, v, 1 };
}

struct packed_place packed_place(int width, int height, int u, int v)
{
    if (u == 0 || 2 * (long long)u == width)
        return place_in_real_column(height, u, v);
    if (2 * (long long)u > width)
        return (struct packed_place){ width - u, v, u, v, 1 };
    int mirrored = v == 0 ? 0 : height - v;
    return (struct packed_place){ u, mirrored, width - u, mirrored, -1 };
}
