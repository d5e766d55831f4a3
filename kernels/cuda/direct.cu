// Direct convolution: every thread reads the pixels that its results need, each of them once for a column of
// taps:
//
//     out(x, y) = Σ tap(i, j) · in(x − i + centre_x, y − j + centre_y)
//
// A block of DIRECT_THREADS threads computes SQUARE × SQUARE results of one group of channels, DIRECT_EACH of
// a column per thread: x and y count squares, z groups. Pixels that threads share come from the first-level
// cache.
#include "space.cuh"

#define EACH ABCU_DIRECT_EACH

// Where a block reads: if all its pixels are neighbours in the source, a column and row are sums.
struct reach {
    bool is_inside;
    int column, row; // of the source at coordinate (0, 0)
};

// Maps increase by at most one, so testing the ends is enough.
ABCU_INLINE reach find_reach(const struct abcu_params &p, int x, int y, int width, int height)
{
    int2 from = mapped(p, x, y), last = mapped(p, x + width - 1, y + height - 1);
    reach found;
    found.is_inside = x + p.before_x >= 0 && y + p.before_y >= 0 && x + width - 1 + p.before_x < p.columns &&
                      y + height - 1 + p.before_y < p.rows && from.x >= 0 && from.y >= 0 &&
                      last.x - from.x == width - 1 && last.y - from.y == height - 1;
    found.column = from.x - x;
    found.row = from.y - y;
    return found;
}

ABCU_INLINE float4 pixel_near(const struct abcu_params &p, const reach &inside, int x, int y, int group)
{
    if (!inside.is_inside)
        return pixel_at(p, x, y, group);
    float2 z[2];
    load_inside(p, source_at(p, x + inside.column, y + inside.row), group, 0, z, 0);
    return as_pixel(z);
}

// Adds taps low … high − 1 of column i of the kernel, for results from (x, y) down. From tap to tap, the
// pixels that a thread's results read advance by one: the window moves by renaming alone.
ABCU_INLINE void add_piece(const struct abcu_params &p, const reach &inside, const float *taps, int i,
                           int low, int high, int x, int y, int group, float4 *sums)
{
    int column = x + p.centre_x - i, row = y + p.centre_y - (high - 1);
    float4 window[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        window[k] = pixel_near(p, inside, column, row + k, group);
#pragma unroll
    for (int d = 0; d < ABCU_PIECE; d++)
        if (d < high - low) {
            float tap = __ldg(taps + (high - 1 - d) * p.taps_x + i);
            if (d > 0) {
#pragma unroll
                for (int k = 1; k < EACH; k++)
                    window[k - 1] = window[k];
                window[EACH - 1] = pixel_near(p, inside, column, row + d + EACH - 1, group);
            }
#pragma unroll
            for (int k = 0; k < EACH; k++)
                sums[k] = added(sums[k], tap, window[k]);
        }
}

// A sum of many floats loses in proportion to its length, a sum of sums in proportion to its root.
ABCU_INLINE void convolve(const struct abcu_params &p, const reach &inside, const float *taps, int x, int y,
                          int group, float4 *sums)
{
    float4 totals[EACH];
    int pieces = (p.taps_y + ABCU_PIECE - 1) / ABCU_PIECE, each = (p.taps_y + pieces - 1) / pieces, count = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        totals[k] = sums[k] = make_float4(0, 0, 0, 0);
    for (int i = 0; i < p.taps_x; i++)
        for (int low = 0; low < p.taps_y; low += each) {
            add_piece(p, inside, taps, i, low, min(low + each, p.taps_y), x, y, group, sums);
            count += each;
            if (ABCU_HAS(MANY_TAPS) && count >= ABCU_PART) {
#pragma unroll
                for (int k = 0; k < EACH; k++) {
                    totals[k] = added(totals[k], 1, sums[k]);
                    sums[k] = make_float4(0, 0, 0, 0);
                }
                count = 0;
            }
        }
    if (ABCU_HAS(MANY_TAPS))
#pragma unroll
        for (int k = 0; k < EACH; k++)
            sums[k] = added(totals[k], 1, sums[k]);
}

ABCU_KERNEL(direct)
{
    const int group = (int)blockIdx.z, left = (int)blockIdx.x * ABCU_SQUARE,
              top = (int)blockIdx.y * ABCU_SQUARE;
    const int x = left + (int)threadIdx.x % ABCU_SQUARE, y = top + (int)threadIdx.x / ABCU_SQUARE * EACH;
    const float *taps = p.filters + p.taps_first;
    const reach inside = find_reach(p, left + p.centre_x - p.taps_x + 1, top + p.centre_y - p.taps_y + 1,
                                    p.taps_x + ABCU_SQUARE - 1, p.taps_y + ABCU_SQUARE - 1);
    float4 sums[EACH], other[EACH];
    if (ABCU_HAS(MAGNITUDE)) {
        convolve(p, inside, taps, x, y, group, other);
        convolve(p, inside, taps + p.taps_x * p.taps_y, x, y, group, sums);
#pragma unroll
        for (int k = 0; k < EACH; k++)
            sums[k] = magnitudes_of(other[k], sums[k]);
    } else if (inside.is_inside) {
        const reach known = { true, inside.column, inside.row };
        convolve(p, known, taps, x, y, group, sums);
    } else {
        const reach unknown = { false, 0, 0 };
        convolve(p, unknown, taps, x, y, group, sums);
    }
    store_results(p, sums, EACH, x, y, group);
}
