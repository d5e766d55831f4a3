// Two rows of a single channel in one transform, f + i·g (Moreland & Angel 2003, eq. 7 and 8): their spectra
// are
//
//     F(u) = ½ (Z(u) + Z*(−u)),    G(u) = ½ (Z(u) − Z*(−u)) / i
//
// and of each the grid has the columns u = 0 … LENGTH / 2 in natural order. Frequencies pass through shared
// memory, because Z(u) and Z(−u) are in different threads; the table has the position of each frequency
// there.
#ifndef ABBE_KERNELS_CUDA_PAIRS_CUH
#define ABBE_KERNELS_CUDA_PAIRS_CUH

#include "grid.cuh"
#include "pixels.cuh"
#include "transform.cuh"

// The table of positions, behind the chirp and its spectrum if there are any.
ABCU_INLINE const int *positions(const lane &me)
{
    int chirps = is_bluestein() ? (2 * ABCU_LENGTH + 3) / 4 * 4 + (2 * ABCU_POINTS + 3) / 4 * 4 : 0;
    return (const int *)(me.table + table_behind() + chirps);
}

ABCU_INLINE float2 *word_of_frequency(const lane &me, int u)
{
    return (float2 *)word_at(me, __ldg(positions(me) + u));
}

// The columns of the source that a thread's samples of a row are, by the map of the border.
ABCU_INLINE void load_columns(const lane &me, const int *map, int *columns)
{
    const int radix = ABCU_RADIX0;
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++) {
            int n = is_element(me.t, radix, b, k) ? element_at(me.t, radix, b, k) : 0;
            columns[b * radix + k] = ABCU_HAS(INTERIOR) ? n : __ldg(map + n);
        }
}

ABCU_INLINE void load_two_rows(const struct abcu_params &p, const lane &me, int from, int below, int tile,
                               float2 *x, unsigned long long policy)
{
    const int radix = ABCU_RADIX0;
    const int *map = p.map_x + (ABCU_HAS(MAPPED_ROWS) ? 0 : tile % p.across * p.step_x);
    int columns[ABCU_REGISTERS];
    load_columns(me, map, columns);
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++) {
            float2 one[2] = { { 0, 0 }, { 0, 0 } }, two[2] = { { 0, 0 }, { 0, 0 } };
            if (is_element(me.t, radix, b, k)) {
                int column = columns[b * radix + k];
                load_pixel(p, column, from, 0, 0, one, policy);
                load_pixel(p, column, below, 0, 0, two, policy);
            }
            x[b * radix + k] = make_float2(one[0].x, two[0].x);
        }
}

// Untangles two rows and stores them.
ABCU_INLINE void store_two_rows(const struct abcu_params &p, const lane &me, const float2 *x, long long first,
                                int row, unsigned long long policy)
{
    const float half = 0.5f * row_scale();
    put_stage(me, x, frequency_stage(), 0);
    __syncthreads();
    for (int u = me.t; u <= ABCU_LENGTH / 2; u += ABCU_THREADS) {
        float2 z = *word_of_frequency(me, u);
        float2 mirror = conjugate(*word_of_frequency(me, u == 0 ? 0 : ABCU_LENGTH - u));
        float2 f = scaled(sum(z, mirror), half), g = scaled(difference(z, mirror), half);
        g = make_float2(g.y, -g.x);
        if (row < p.rows)
            store_unit(grid_at(p.grid, first, u, row, 0), &f, policy);
        if (row + 1 < p.rows)
            store_unit(grid_at(p.grid, first, u, row + 1, 0), &g, policy);
    }
}

// Loads Z(u) = F(u) + i·G(u) of rows `row` and `row` + 1 of `count`, in the order of frequency_stage().
ABCU_INLINE void load_spectra_of_two(const lane &me, void *back, long long first, int row, int count,
                                     float2 *x, unsigned long long policy)
{
    __syncthreads();
    for (int u = me.t; u <= ABCU_LENGTH / 2; u += ABCU_THREADS) {
        float2 f = make_float2(0, 0), g = make_float2(0, 0);
        if (row < count)
            load_unit(grid_at(back, first, u, row, 0), &f, policy);
        if (row + 1 < count)
            load_unit(grid_at(back, first, u, row + 1, 0), &g, policy);
        bool is_alone = u == 0 || 2 * u == ABCU_LENGTH; // F(u) and G(u) are real but for rounding
        float2 z = is_alone ? make_float2(f.x, g.x) : make_float2(f.x - g.y, f.y + g.x);
        *word_of_frequency(me, u) = scaled(z, row_scale());
        if (!is_alone)
            *word_of_frequency(me, ABCU_LENGTH - u) = scaled(make_float2(f.x + g.y, g.x - f.y), row_scale());
    }
    __syncthreads();
    get_stage(me, x, frequency_stage(), 0); // what lies beyond LENGTH is made 0 by the chirp
}

#endif
