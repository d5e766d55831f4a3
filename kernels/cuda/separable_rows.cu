// Separable convolution, first half: filters every row of the region's window by the row factor of every
// term.
//
// A block of ROW threads computes ROW results of one row: x counts such runs, y rows, z groups · terms.
// Results are stored in the grid as [term][group][row][column].
#include "space.cuh"

ABCU_KERNEL(separable_rows)
{
    const int group = (int)blockIdx.z % p.groups, term = (int)blockIdx.z / p.groups;
    const int row = (int)blockIdx.y, x = (int)blockIdx.x * ABCU_ROW, t = (int)threadIdx.x;
    const float *taps = p.filters + p.taps_first + term * p.taps_x;
    float4 *pixels = abcu_shared; // of coordinates x + centre_x − high + 1 and on
    float4 sum = make_float4(0, 0, 0, 0);
    for (int low = 0; low < p.taps_x; low += ABCU_ROW) {
        int high = min(low + ABCU_ROW, p.taps_x), corner = x + p.centre_x - high + 1;
        __syncthreads();
        for (int i = t; i < high - low + ABCU_ROW - 1; i += ABCU_ROW)
            pixels[i] = pixel_at(p, corner + i, row - p.before_y, group);
        __syncthreads();
        float4 part = make_float4(0, 0, 0, 0); // a sum of many floats loses in proportion to its length
        for (int i = low; i < high; i++)
            part = added(part, __ldg(taps + i), pixels[t + high - 1 - i]);
        sum = added(sum, 1, part);
    }
    if (x + t >= p.width)
        return;
    long long at = (((long long)term * p.groups + group) * p.rows + row) * p.width + x + t;
    if (ABCU_HELD == 2)
        ((float4 *)p.grid)[at] = sum;
    else
        ((float2 *)p.grid)[at] = make_float2(sum.x, sum.y);
}
