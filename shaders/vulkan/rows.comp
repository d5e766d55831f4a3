// First pass: converts rows of the source, with their border, and transforms them into the grid.
//
// A workgroup transforms LANES rows of one group of channels: x counts rows, y groups, z tiles. A single
// channel has two rows in one transform, which are untangled afterwards (Moreland & Angel 2003, eq. 7 and 8).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "interface.glsl"
#include "pixels.glsl"

const uint SIDE_BY_SIDE = 1u;
const bool EARLY = true;
#define BEFORE_LAST_EXCHANGE
#include "transform.glsl"
#include "long.glsl"
#include "row.glsl"
#include "grid.glsl"
#include "even.glsl"

// Source row at `row` of a tile's window; −1 outside. Rows beyond the last one of an INTERIOR window are not stored. With
// GATHER rows are those of the picture, and behind them one outside if a border needs it.
int row_at(uint row, uint tile)
{
    return INTERIOR      ? int(min(row, rows - 1u))
           : GATHER      ? row < height ? int(row) : -1
           : row >= rows ? -1
                         : maps[map_y + tile / across * step_y + row];
}

#if LONG
// Loads the sums of row `row` of the window that the current part transforms.
void load(uint row, uint tile)
{
    uint map = map_x + tile % across * step_x;
    int from = row_at(row, tile);
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(space_radix()); b++)
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            ELEMENT sum = ELEMENT(0);
            for (uint n = element_at(space_radix(), b, k); n < PARTS * N; n += N)
                sum += times(load_pixel(from, INTERIOR ? int(n) : maps[map + n], group), root_at(n));
            x[b * space_radix() + k] = sum;
        }
}
#else
// Loads row `row` of the window, with its border.
void load(uint row, uint tile)
{
    uint map = map_x + tile % across * step_x;
    int from = row_at(row, tile), below = single ? row_at(row + 1u, tile) : -1;
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(space_radix()); b++)
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            uint n = element_at(space_radix(), b, k);
            ELEMENT pixel = ELEMENT(0);
            if (is_sample(space_radix(), b, k)) {
                int column = INTERIOR ? int(n) : maps[map + n];
                pixel = load_pixel(from, column, group);
                if (single)
                    pixel.y = load_pixel(below, column, group).x;
            }
            x[b * space_radix() + k] = pixel;
        }
}
#endif

#if PLANES == 1
// Stores two untangled rows: F(u) = ½ (Z(u) + Z*(−u)) of the first and G(u) = ½ (Z(u) − Z*(−u)) / i of the
// second, or real C(u) and C(LENGTH − u) of both, for u up to LENGTH / 2.
void store_pair(uint first, uint row)
{
    uint radix = frequency_radix();
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++)
        [[unroll]] for (uint k = 0u; k < radix; k++) {
            uint u = element_at(radix, b, k);
            vec2 z = x[b * radix + k].xy, other = opposite[b * radix + k], mirror = other * vec2(1, -1);
            vec2 f = EVEN ? vec2(z.x, other.x) : 0.5 * (z + mirror);
            vec2 g = EVEN ? vec2(z.y, other.y) : times_minus_i(ELEMENT(0.5 * (z - mirror)));
            if (u <= LENGTH / 2u && row < rows)
                grid[first + grid_place(column_of(u), row)] = to_grid(SCALED(f));
            if (u <= LENGTH / 2u && row + 1u < rows)
                grid[first + grid_place(column_of(u), row + 1u)] = to_grid(SCALED(g));
        }
}
#endif

void main()
{
    uint row = find_row();
    uint first = gl_WorkGroupID.z * tile_stride + GROUP * group_stride;
#if LONG
    part = gl_WorkGroupID.y % PARTS;
#endif
    load(row, first_tile + gl_WorkGroupID.z);
    forward();
    if (EVEN)
        [[unroll]] for (uint plane = 0u; plane < PLANES; plane++)
            take_cosines(plane);
    else if (SINGLE || MIXED)
        find_opposite(0u, single);
    if (!single && row < rows)
        [[unroll]] for (uint b = 0u; b < butterflies_per_thread(frequency_radix()); b++) {
            uint u = column_of(PLACE(element_at(frequency_radix(), b, 0u))), place = grid_place(u, row);
            [[unroll]] for (uint k = 0u; k < frequency_radix(); k++)
                if (is_sample(frequency_radix(), b, k))
                    grid[first + columns_on(place, u, row, k * (N / frequency_radix()))] =
                        to_grid(SCALED(x[b * frequency_radix() + k]));
        }
#if PLANES == 1
    if (single)
        store_pair(first, row);
#endif
}
