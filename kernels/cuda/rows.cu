// First pass: converts rows of the source, with the border of columns, and transforms them into the grid.
//
// A block transforms LANES rows of one group of channels; x counts blocks of rows, y groups, z tiles. SIDE =
// PLANES / HELD neighbouring threads share the pixels of a row. With MAPPED_ROWS the rows are those of the
// source, otherwise those of a tile's window, with its border. A single channel has two rows in one transform
// (pairs.cuh).
#include "even.cuh"
#include "grid.cuh"
#include "pairs.cuh"
#include "pixels.cuh"

// Row of the source at a row of a tile's grid; −1 outside.
ABCU_INLINE int row_at(const struct abcu_params &p, int row, int tile)
{
    if (ABCU_HAS(INTERIOR) || ABCU_HAS(MAPPED_ROWS))
        return min(row, p.rows - 1); // rows beyond the last one are not stored
    return row < p.rows ? p.map_y[tile / p.across * p.step_y + row] : -1;
}

ABCU_INLINE void load_row(const struct abcu_params &p, const lane &me, int from, int tile, int group,
                          float2 *x, unsigned long long policy)
{
    const int radix = ABCU_RADIX0, plane = me.side * ABCU_HELD;
    const int *map = p.map_x + (ABCU_HAS(MAPPED_ROWS) ? 0 : tile % p.across * p.step_x);
    const char *first = ABCU_HAS(INTERIOR) ? source_at(p, me.t, from) : (const char *)0;
    int columns[ABCU_REGISTERS];
    load_columns(me, map, columns);
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++) {
            float2 *z = &x[(b * radix + k) * ABCU_HELD];
            const int on = element_at(0, radix, b, k);
#pragma unroll
            for (int v = 0; v < ABCU_HELD; v++)
                z[v] = make_float2(0, 0);
            if (!is_element(me.t, radix, b, k))
                continue;
            if (ABCU_HAS(INTERIOR))
                load_inside(p, first + on * source_step(p), group, plane, z, policy);
            else
                load_pixel(p, columns[b * radix + k], from, group, plane, z, policy);
        }
}

ABCU_INLINE void store_row(const struct abcu_params &p, const lane &me, const float2 *x, long long first,
                           int row, unsigned long long policy)
{
    const int radix = radix_at(frequency_stage()), plane = me.side * ABCU_HELD;
    char *unit = grid_at(p.grid, first, me.t, row, plane);
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++) {
            const int on = element_at(0, radix, b, k);
            float2 z[2];
#pragma unroll
            for (int v = 0; v < ABCU_HELD; v++)
                z[v] = ABCU_HALF ? scaled(x[(b * radix + k) * ABCU_HELD + v], row_scale())
                                 : x[(b * radix + k) * ABCU_HELD + v];
            if (is_element(me.t, radix, b, k))
                store_unit(on % ABCU_STRIP == 0 ? unit + bytes_of_columns(on)
                                                : grid_at(p.grid, first, me.t + on, row, plane),
                           z, policy);
        }
}

ABCU_KERNEL(rows)
{
    const int group = (int)blockIdx.y, tile = p.first_tile + (int)blockIdx.z;
    const long long first = (int)blockIdx.z * p.tile_stride + group * p.group_stride;
    const policies cache = make_policies();
    float2 x[ABCU_HELD * ABCU_REGISTERS];
    lane me = make_lane(p.table);
    int row = (int)blockIdx.x * ABCU_LANES + lane_number();
    if (ABCU_HAS(SINGLE))
        load_two_rows(p, me, row_at(p, 2 * row, tile), row_at(p, 2 * row + 1, tile), tile, x, cache.drop);
    else
        load_row(p, me, row_at(p, row, tile), tile, group, x, cache.drop);
    forward(me, x);
    me = make_lane(p.table);
    if (ABCU_HAS(EVEN))
        take_cosines(me, x);
    row = (int)blockIdx.x * ABCU_LANES + lane_number();
    if (ABCU_HAS(SINGLE) && ABCU_HAS(EVEN))
        store_two_even_rows(p, me, x, first, 2 * row, cache.drop);
    else if (ABCU_HAS(SINGLE))
        store_two_rows(p, me, x, first, 2 * row, cache.drop);
    else if (row < p.rows)
        store_row(p, me, x, first, row,
                  row >= p.rows - p.rows / 16 * ABCU_RESIDENT ? cache.keep : cache.drop);
}
