// Second pass: transforms columns of the grid, multiplies them by H and transforms them back.
//
// A block takes LANES tiles of SIDE · HELD / PLANES columns; x counts blocks, y groups, z tiles of the
// picture. Neighbouring threads have neighbouring units: the planes of a column, then the next column. With
// MAPPED_ROWS the grid has the rows of the source, and the border is the map through which a column is read;
// border rows are never stored. Results go to rows 0 … step_y − 1 of `back`, which may be the grid: a block
// reads its columns before it writes them.
//
// In a BANK, all filters of the launch share one forward transform, which waits in slots of shared memory. A
// PERSISTENT block takes every gridDim.x-th tile, and its slots receive the next tile while it transforms the
// current one.
#include "even.cuh"
#include "gains.cuh"
#include "grid.cuh"
#include "pixels.cuh"
#include "transform.cuh"

struct column_of_grid {
    int column;      // of the grid; COLUMNS or more: none
    int plane;       // first plane that the thread holds
    int group;       // of channels
    long long first; // pixel of the grid at which tile and group begin
};

ABCU_INLINE column_of_grid find_column(const struct abcu_params &p, const lane &me, int tile)
{
    const int units = ABCU_PLANES / ABCU_HELD; // of a pixel
    column_of_grid at;
    at.column = tile * (ABCU_SIDE / units) + me.side / units;
    at.plane = me.side % units * ABCU_HELD;
    at.group = (int)blockIdx.y;
    at.first = (int)blockIdx.z * p.tile_stride + at.group * p.group_stride;
    return at;
}

// Whether the thread's column exists: the last tile may reach beyond the grid, if its columns do not divide
// those of the grid.
ABCU_INLINE bool has_column(const column_of_grid &at)
{
    const int each = ABCU_SIDE * ABCU_HELD / ABCU_PLANES * ABCU_LANES;
    return ABCU_COLUMNS % each == 0 || at.column < ABCU_COLUMNS;
}

// Row of the grid that holds row y of the window; −1 outside.
ABCU_INLINE int stored_row(const struct abcu_params &p, int y)
{
    return ABCU_HAS(MAPPED_ROWS) ? p.map_y[y] : y;
}

// Address of the unit `on` rows below that of sample t, which is at `unit`, and which lies in `row` of the
// grid.
ABCU_INLINE const char *unit_on(const struct abcu_params &p, const column_of_grid &at, const char *unit,
                                int on, int row)
{
    return !ABCU_HAS(MAPPED_ROWS) && on % ABCU_BAND == 0
               ? unit + bytes_of_rows(on)
               : grid_at(p.grid, at.first, at.column, row, at.plane);
}

// Whether the second-level cache shall keep the row of register number m: the last RESIDENT sixteenths of
// them.
ABCU_INLINE bool is_kept(int b, int k, int radix)
{
    return 16 * (k * butterflies_of(radix) + b) >= (16 - ABCU_RESIDENT) * ABCU_REGISTERS;
}

ABCU_INLINE void load(const struct abcu_params &p, const lane &me, const column_of_grid &at,
                      const policies &cache, float2 *x)
{
    const int radix = ABCU_RADIX0;
    const char *unit = grid_at(p.grid, at.first, at.column, me.t, at.plane);
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++) {
            float2 *z = &x[(b * radix + k) * ABCU_HELD];
            const int on = element_at(0, radix, b, k);
            bool is_read = has_column(at) && is_element(me.t, radix, b, k);
            int row = is_read ? stored_row(p, me.t + on) : -1;
#pragma unroll
            for (int v = 0; v < ABCU_HELD; v++)
                z[v] = make_float2(0, 0);
            if (row >= 0)
                load_unit(unit_on(p, at, unit, on, row), z, is_kept(b, k, radix) ? cache.keep : cache.drop);
            else if (ABCU_HAS(MAPPED_ROWS) && is_read &&
                     at.column == 0) // a row of outside pixels has frequency 0 alone
                load_outside(p, at.group, at.plane, p.outside_sum, z);
        }
}

// Stores the rows that hold results.
ABCU_INLINE void store(const struct abcu_params &p, const lane &me, const column_of_grid &at,
                       const policies &cache, const float2 *x, long long filter)
{
    const int radix = ABCU_RADIX0;
    char *unit = grid_at(p.back, at.first + filter, at.column, me.t, at.plane);
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++) {
            const int on = element_at(0, radix, b, k);
            int row = me.t + on - (ABCU_HAS(INTERIOR) ? 0 : p.before_y);
            bool is_result = has_column(at) && is_element(me.t, radix, b, k);
            if (!ABCU_HAS(INTERIOR))
                is_result = is_result && row >= 0 && row < p.step_y;
            if (is_result)
                store_unit(ABCU_HAS(INTERIOR) && on % ABCU_BAND == 0
                               ? unit + bytes_of_rows(on)
                               : grid_at(p.back, at.first + filter, at.column, row, at.plane),
                           &x[(b * radix + k) * ABCU_HELD], is_kept(b, k, radix) ? cache.keep : cache.drop);
        }
}

// ---- One tile for each block ----

// From cosine coefficients to folded columns. The products of an odd part belong to the opposite frequencies,
// with the other sign.
ABCU_INLINE void fold_columns(const lane &me, float2 *x, bool odd)
{
    fold(me, x, odd);
    if (odd)
#pragma unroll
        for (int i = 0; i < ABCU_HELD * ABCU_REGISTERS; i++)
            x[i] = make_float2(-x[i].x, -x[i].y);
}

ABCU_INLINE void filter_tile(const struct abcu_params &p, const policies &cache, float2 *x)
{
    lane me = make_lane(p.table);
    column_of_grid at = find_column(p, me, (int)blockIdx.x * ABCU_LANES + lane_number());
    load(p, me, at, cache, x);
    forward(me, x);
    if (ABCU_HAS(EVEN))
        take_cosines(make_lane(p.table), x);
    if (ABCU_HAS(BANK))
        keep(x);
    int filter = 0;
    do {
        me = make_lane(p.table);
        at = find_column(p, me, (int)blockIdx.x * ABCU_LANES + lane_number());
        if (ABCU_HAS(BANK))
#pragma unroll
            for (int m = 0; m < ABCU_REGISTERS; m++)
                kept(m, &x[m * ABCU_HELD]);
        multiply(p, me, at.column, p.filter_first + filter, x);
        if (ABCU_HAS(EVEN))
            fold_columns(me, x, ABCU_HAS(ODD) && (p.filter_first + filter) % 2 == 1);
        if (ABCU_HAS(BANK) && filter)
            __syncthreads(); // the exchanges of the filter before are finished
        inverse(me, x);
        me = make_lane(p.table);
        at = find_column(p, me, (int)blockIdx.x * ABCU_LANES + lane_number());
        store(p, me, at, cache, x, filter * p.back_stride);
    } while (ABCU_HAS(BANK) && ++filter < p.filter_count);
}

// ---- Several tiles for each block ----

ABCU_INLINE void fetch_tile(const struct abcu_params &p, int tile, const policies &cache)
{
    const int radix = ABCU_RADIX0;
    lane me = make_lane(p.table);
    column_of_grid at = find_column(p, me, tile);
    const char *unit = grid_at(p.grid, at.first, at.column, me.t, at.plane);
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++) {
            const int on = element_at(0, radix, b, k);
            bool is_read = has_column(at) && is_element(me.t, radix, b, k);
            int row = is_read ? stored_row(p, me.t + on) : -1;
            if (row >= 0)
                copy_async(slot_of(b * radix + k, unit_bytes()), unit_on(p, at, unit, on, row), unit_bytes(),
                           is_kept(b, k, radix) ? cache.keep : cache.drop);
        }
    commit_copies();
}

// Takes the tile that was fetched. Rows outside, and registers without a sample, were not.
ABCU_INLINE void take_tile(const struct abcu_params &p, const lane &me, const column_of_grid &at, float2 *x)
{
    const int radix = ABCU_RADIX0;
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++) {
            float2 *z = &x[(b * radix + k) * ABCU_HELD];
            unit_of_slot(slot_of(b * radix + k, unit_bytes()), z);
            if (ABCU_HAS(MAPPED_ROWS) || !ABCU_REGULAR || is_bluestein()) {
                bool is_read = is_element(me.t, radix, b, k);
                bool is_inside = is_read && stored_row(p, element_at(me.t, radix, b, k)) >= 0;
                if (!is_inside)
#pragma unroll
                    for (int v = 0; v < ABCU_HELD; v++)
                        z[v] = make_float2(0, 0);
                if (is_read && !is_inside && at.column == 0)
                    load_outside(p, at.group, at.plane, p.outside_sum, z);
            }
        }
}

ABCU_INLINE void filter_tiles(const struct abcu_params &p, const policies &cache, float2 *x)
{
    int tile = (int)blockIdx.x;
    fetch_tile(p, tile, cache);
    for (; tile < p.column_tiles; tile += (int)gridDim.x) {
        wait_for_copies();
        lane me = make_lane(p.table);
        column_of_grid at = find_column(p, me, tile);
        take_tile(p, me, at, x);
        butterflies(me, x, 0, false); // empties the slots before they are filled again
        if (tile + (int)gridDim.x < p.column_tiles)
            fetch_tile(p, tile + (int)gridDim.x, cache);
        later_stages(me, x);
        multiply(p, me, at.column, p.filter_first, x);
        me = make_lane(p.table);
        inverse(me, x);
        me = make_lane(p.table);
        at = find_column(p, me, tile);
        store(p, me, at, cache, x, 0);
    }
}

ABCU_KERNEL(columns)
{
    const policies cache = make_policies();
    float2 x[ABCU_HELD * ABCU_REGISTERS];
    if (ABCU_PERSISTENT)
        filter_tiles(p, cache, x);
    else
        filter_tile(p, cache, x);
}
