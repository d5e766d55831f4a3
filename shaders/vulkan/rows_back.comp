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
#include "even.glsl"
#include "pack.glsl"

const bool TWO = MAGNITUDE || ODD; // a result is made of two spectra
const uint KEPT = TWO ? REGISTERS : 1u;
ELEMENT kept[KEPT]; // of the first of them

// ½ V(u) of the folded row whose products C(u) · H and C(LENGTH − u) · H are `near` and `far`; C(LENGTH) = 0. The
// products of an odd part belong to the opposite frequencies.
vec2 folded_at(vec2 near, vec2 far, uint u, bool odd)
{
    if (u == 0u)
        return odd ? vec2(0) : folded_spectrum(near, vec2(0), u);
    return odd ? folded_spectrum(far, near, u) : folded_spectrum(near, far, u);
}

// The same for all elements of planes of two channels.
void fold_spectra(bool odd)
{
    uint radix = frequency_radix();
    [[unroll]] for (uint plane = 0u; plane < PLANES; plane++) {
        find_opposite(plane, !single);
        [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++)
            [[unroll]] for (uint k = 0u; k < radix; k++) {
                uint i = b * radix + k;
                if (!single && is_sample(radix, b, k))
                    set_plane(i, plane, folded_at(plane_of(x[i], plane), opposite[i],
                                                  element_at(radix, b, k), odd));
            }
    }
}

#if PLANES == 1
// F(u) + i G(u) of two rows, of which the grid holds u up to LENGTH / 2: F(−u) = F*(u), or C(u) and C(LENGTH − u).
vec2 pair_at(uint first, uint row, uint u, bool odd)
{
    uint other = mirrored(u), near = column_of(min(u, other));
    vec2 f = from_grid(back[first + grid_place(near, before_y + row)]);
    vec2 g = row + 1u < step_y ? from_grid(back[first + grid_place(near, before_y + row + 1u)]) : vec2(0);
    if (EVEN && u <= other)
        return folded_at(vec2(f.x, g.x), vec2(f.y, g.y), u, odd);
    if (EVEN)
        return folded_at(vec2(f.y, g.y), vec2(f.x, g.x), u, odd);
    vec2 side = u == other ? vec2(1, 0) : u < other ? vec2(1, 1) : vec2(1, -1);
    f *= side;
    g *= side;
    return vec2(f.x - g.y, f.y + g.x);
}

void load_pair(uint first, uint row, bool odd)
{
    uint radix = frequency_radix();
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++)
        [[unroll]] for (uint k = 0u; k < radix; k++) {
            uint u = element_at(radix, b, k);
            x[b * radix + k] = u < LENGTH && row < step_y ? SCALED(pair_at(first, row, u, odd)) : vec2(0);
        }
}
#endif

void load(uint first, uint row, bool odd)
{
    uint radix = frequency_radix();
#if PLANES == 1
    if (single) {
        load_pair(first, row, odd);
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
void load_back(uint first, uint row, bool odd)
{
    for (part = 0u; part < PARTS; part++) {
        load(first, row, odd);
        inverse();
        add_part();
    }
    load_sums();
}
#else
#define load_back(first, row, odd) \
    load(first, row, odd);         \
    if (EVEN)                      \
        fold_spectra(odd);         \
    inverse()
#endif

// Column and row of the picture at sample n of a row, and at row n of the grid.
uint column_at(uint n)
{
    return EVEN ? unfolded(n, LENGTH) : SAMPLE_AT(n) - before_x;
}

uint picture_row(uint n)
{
    return EVEN ? unfolded(n, step_y) : n;
}

#if !LONG
// Adds what an odd part contributes to the even part: its sign alternates along the rows and columns of the picture,
// of which the second half of a folded row or column holds the odd ones.
void add_odd(uint row)
{
    uint radix = space_radix();
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++)
        [[unroll]] for (uint k = 0u; k < radix; k++) {
            uint i = b * radix + k;
            bool odd = 2u * element_at(radix, b, k) >= LENGTH;
            ELEMENT value = odd == (2u * row >= step_y) ? x[i] : -x[i];
#if PLANES == 1
            if (single)
                value.y = odd == (2u * row + 2u >= step_y) ? x[i].y : -x[i].y;
#endif
            x[i] = kept[ODD ? i : 0u] + value;
        }
}
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
            uint n = column_at(element_at(space_radix(), b, k));
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
            store_packed(top + picture_row(y), i % words, first + i);
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
            uint n = column_at(element_at(space_radix(), b, k));
            ELEMENT value = value_at(b * space_radix() + k);
            if (INTERIOR ? is_sample(space_radix(), b, k) : n < pixels_across) {
                store_pixel(value, left + n, top + picture_row(row), group);
                if (single && row + 1u < pixels_down)
                    store_pixel(swapped(value), left + n, top + picture_row(row + 1u), group);
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
    for (uint i = 0u; i < (TWO ? 2u : 1u); i++) {
        load_back(first + i * back_stride, row, ODD && i == 1u);
        if (TWO && i == 0u)
            [[unroll]] for (uint j = 0u; j < KEPT; j++)
                kept[j] = x[j];
    }
#if !LONG
    if (ODD)
        add_odd(row);
#endif
    if (PACKED) {
        store_row(tile / across * step_y, row);
        return;
    }
    store(tile, row);
}
