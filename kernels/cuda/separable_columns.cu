// Separable convolution, second half: filters the rows of every term by its column factor and adds the terms.
//
// A block of COLUMNS_THREADS threads computes SQUARE × SQUARE results of one group of channels, COLUMNS_EACH
// of a column per thread: x and y count squares, z groups. Of `terms` terms the first `first_terms` belong to
// the first component.
#include "space.cuh"

#define EACH ABCU_COLUMNS_EACH
#define TAPS (ABCU_COLUMNS_LINES - ABCU_SQUARE + 1) // of a piece
#define STEP (ABCU_SQUARE / EACH)                   // rows that the block's threads load at a time
#define LOADS ((ABCU_COLUMNS_LINES + STEP - 1) / STEP)

// Loads the filtered rows that taps low … high − 1 read. All loads of a thread are issued before the first is
// used.
ABCU_INLINE void load_piece(const struct abcu_params &p, int term, int high, int group)
{
    const int x = (int)threadIdx.x % ABCU_SQUARE, y = (int)threadIdx.x / ABCU_SQUARE;
    int column = min((int)blockIdx.x * ABCU_SQUARE + x, p.width - 1);
    int corner = (int)blockIdx.y * ABCU_SQUARE + p.before_y + p.centre_y - high + 1;
    float4 loaded[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        int row = min(max(corner + y + k * STEP, 0), p.rows - 1);
        long long at = (((long long)term * p.groups + group) * p.rows + row) * p.width + column;
        if (ABCU_HELD == 2)
            loaded[k] = ((const float4 *)p.grid)[at];
        else {
            float2 pair = ((const float2 *)p.grid)[at];
            loaded[k] = make_float4(pair.x, pair.y, 0, 0);
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        if (y + k * STEP < ABCU_COLUMNS_LINES)
            abcu_shared[(y + k * STEP) * ABCU_SQUARE + x] = loaded[k];
    __syncthreads();
}

// Adds taps low … high − 1 of a factor. From tap to tap, the rows that a thread's results read advance by
// one.
ABCU_INLINE void add_piece(const float *taps, int low, int high, float4 *sums)
{
    const float4 *corner = abcu_shared + (int)threadIdx.x / ABCU_SQUARE * EACH * ABCU_SQUARE +
                           (int)threadIdx.x % ABCU_SQUARE;
    float4 window[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        window[k] = corner[k * ABCU_SQUARE];
#pragma unroll
    for (int d = 0; d < TAPS; d++)
        if (d < high - low) {
            float tap = __ldg(taps + high - 1 - d);
            if (d > 0) {
#pragma unroll
                for (int k = 1; k < EACH; k++)
                    window[k - 1] = window[k];
                window[EACH - 1] = corner[(d + EACH - 1) * ABCU_SQUARE];
            }
#pragma unroll
            for (int k = 0; k < EACH; k++)
                sums[k] = added(sums[k], tap, window[k]);
        }
}

// A sum of many floats loses in proportion to its length, a sum of sums in proportion to its root.
ABCU_INLINE void convolve(const struct abcu_params &p, int first_term, int end_term, int group, float4 *sums)
{
    const float *factors = p.filters + p.taps_first + p.terms * p.taps_x;
    float4 totals[EACH];
    int count = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        totals[k] = sums[k] = make_float4(0, 0, 0, 0);
    for (int term = first_term; term < end_term; term++)
        for (int low = 0; low < p.taps_y; low += TAPS) {
            int high = min(low + TAPS, p.taps_y);
            load_piece(p, term, high, group);
            add_piece(factors + term * p.taps_y, low, high, sums);
            count += TAPS;
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

ABCU_KERNEL(separable_columns)
{
    const int group = (int)blockIdx.z;
    float4 sums[EACH], other[EACH];
    convolve(p, 0, p.first_terms, group, sums);
    if (ABCU_HAS(MAGNITUDE)) {
        convolve(p, p.first_terms, p.terms, group, other);
#pragma unroll
        for (int k = 0; k < EACH; k++)
            sums[k] = magnitudes_of(other[k], sums[k]);
    }
    store_results(p, sums, EACH, (int)blockIdx.x * ABCU_SQUARE + (int)threadIdx.x % ABCU_SQUARE,
                  (int)blockIdx.y * ABCU_SQUARE + (int)threadIdx.x / ABCU_SQUARE * EACH, group);
}
