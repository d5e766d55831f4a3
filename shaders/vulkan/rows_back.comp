// Third pass: transforms the rows that hold results back, crops, converts and stores them.
//
// A workgroup transforms LANES rows of one group of channels: x counts rows, y groups, z tiles. A single
// channel has two rows in one transform, F + iG.
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
#include "pack.glsl"

const uint KEPT = MAGNITUDE ? REGISTERS : 1u;
ELEMENT kept[KEPT]; // MAGNITUDE: the first component

#if PLANES == 1
// F(u) + i G(u) of two rows, of which the grid holds u up to LENGTH / 2: F(−u) = F*(u).
vec2 pair_at(uint first, uint row, uint u)
{
    uint other = u == 0u ? 0u : LENGTH - u, near = column_of(min(u, other));
    vec2 f = from_grid(back[first + grid_place(near, before_y + row)]);
    vec2 g = row + 1u < step_y ? from_grid(back[first + grid_place(near, before_y + row + 1u)]) : vec2(0);
    vec2 side = u == other ? vec2(1, 0) : u < other ? vec2(1, 1) : vec2(1, -1);
    f *= side;
    g *= side;
    return vec2(f.x - g.y, f.y + g.x);
}

void load_pair(uint first, uint row)
{
    uint radix = frequency_radix();
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++)
        [[unroll]] for (uint k = 0u; k < radix; k++) {
            uint u = element_at(radix, b, k);
            x[b * radix + k] = u < LENGTH && row < step_y ? SCALED(pair_at(first, row, u)) : vec2(0);
        }
}
#endif

void load(uint first, uint row)
{
    uint radix = frequency_radix();
#if PLANES == 1
    if (single) {
        load_pair(first, row);
        return;
    }
#endif
    row = before_y + min(row, step_y - 1u); // rows beyond the last one are not stored
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++) {
        uint u = column_of(PLACE(element_at(radix, b, 0u))), place = grid_place(u, row);
        [[unroll]] for (uint k = 0u; k < radix; k++) {
            uint at = first + columns_on(place, u, row, k * (N / radix));
            x[b * radix + k] = is_sample(radix, b, k) ? SCALED(from_grid(back[at])) : ELEMENT(0);
        }
    }
}

#if LONG
void load_back(uint first, uint row)
{
    for (part = 0u; part < PARTS; part++) {
        load(first, row);
        inverse();
        add_part();
    }
    load_sums();
}
#else
#define load_back(first, row) \
    load(first, row);         \
    inverse()
#endif

ELEMENT value_at(uint i)
{
    return MAGNITUDE ? magnitude(kept[MAGNITUDE ? i : 0u], x[i]) : x[i];
}

// Packs and stores all of row `top` + row, which begins at a word of the result. Two rows are packed at once
// if one transform has both, or three transforms on neighbouring lanes.
void store_row(uint top, uint row)
{
    uint lanes = MIXED ? 3u : 1u, first = lane / lanes * lanes * (SHARED / LANES);
    uint words = row_words(width), all = SINGLE || MIXED ? 2u * words : words;
    uint second = MIXED ? row % 2u : 0u, step = lanes * T, begin = lane % lanes * T + thread;
    barrier();
    for (uint i = begin; i < all; i += step)
        shared_words[first + i] = 0u;
    barrier();
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(space_radix()); b++)
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            uint n = element_at(space_radix(), b, k) - before_x;
            if (n < width && row < step_y && top + row < height) {
                ELEMENT value = value_at(b * space_radix() + k);
                pack_pixel(first + second * words, n, group, finish_pixel(value, group));
                if (single)
                    pack_pixel(first + words, n, group, finish_pixel(swapped(value), group));
            }
        }
    barrier();
    for (uint i = begin; i < all; i += step) {
        uint y = row - second + i / words;
        if (y < step_y && top + y < height)
            store_packed(top + y, i % words, first + i);
    }
}

// Stores row `row` of the tile pixel by pixel, as far as it lies in the picture.
void store(uint tile, uint row)
{
    uint left = INTERIOR ? 0u : tile % across * step_x, top = INTERIOR ? 0u : tile / across * step_y;
    uint pixels_across = min(step_x, width - left), pixels_down = min(step_y, height - top);
    if (row >= pixels_down)
        return;
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(space_radix()); b++)
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            uint n = SAMPLE_AT(element_at(space_radix(), b, k)) - before_x;
            ELEMENT value = value_at(b * space_radix() + k);
            if (INTERIOR ? is_sample(space_radix(), b, k) : n < pixels_across) {
                store_pixel(value, left + n, top + row, group);
                if (single && row + 1u < pixels_down)
                    store_pixel(swapped(value), left + n, top + row + 1u, group);
            }
        }
}

void main()
{
    uint row = find_row(), tile = first_tile + gl_WorkGroupID.z;
    uint first = gl_WorkGroupID.z * tile_stride + GROUP * group_stride + filter_place * back_stride;
#if LONG
    output_part = gl_WorkGroupID.y % PARTS;
#endif
    if (MAGNITUDE) {
        load_back(first, row);
        [[unroll]] for (uint i = 0u; i < KEPT; i++)
            kept[i] = x[i];
        first += back_stride;
    }
    load_back(first, row);
    if (PACKED) {
        store_row(tile / across * step_y, row);
        return;
    }
    store(tile, row);
}
