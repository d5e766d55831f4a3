// Direct convolution: every thread reads the pixels that its results need, each of them once for a column of
// taps:
//
//     out(x, y) = Σ tap(i, j) · in(x − i + centre_x, y − j + centre_y)
//
// A workgroup of 128 threads computes SQUARE × SQUARE results of one group of channels, EACH of a column per
// thread: x and y count squares, z groups. Pixels that threads share come from the first-level cache, which is
// as fast as shared memory and needs no barriers.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "interface.glsl"
#include "pixels.glsl"

const uint EACH = ABVK_DIRECT_EACH;
#include "square.glsl"
#include "space.glsl"

const uint PIECE = ABVK_PIECE; // taps of a column that are unrolled: the window advances by renaming alone
ELEMENT sums[EACH];
ivec2 shift; // from coordinates to pixels, if all are inside

ELEMENT pixel_near(bool inside, int px, int py, uint group)
{
    uvec2 place = uvec2(ivec2(px, py) + shift);
    return inside ? load_inside(place.y, place.x, group) : pixel_at(px, py, group);
}

// Adds taps low … high − 1 of column i of the kernel that begins at float `first`. From tap to tap, the
// pixels that a thread's results read advance by one.
void add_piece(bool inside, uint first, uint i, uint low, uint high, uint group)
{
    uvec2 thread = uvec2(gl_LocalInvocationID.x % SQUARE, gl_LocalInvocationID.x / SQUARE * EACH);
    ivec2 at = ivec2(gl_WorkGroupID.xy * SQUARE + thread) + ivec2(centre_x, centre_y) - ivec2(i, high - 1u);
    ELEMENT window[EACH];
    [[unroll]] for (uint k = 0u; k < EACH; k++)
        window[k] = pixel_near(inside, at.x, at.y + int(k), group);
    [[unroll]] for (uint d = 0u; d < PIECE; d++)
        if (d < high - low) {
            float tap = filters[first + (high - 1u - d) * taps_x + i];
            if (d > 0u) {
                [[unroll]] for (uint k = 1u; k < EACH; k++)
                    window[k - 1u] = window[k];
                window[EACH - 1u] = pixel_near(inside, at.x, at.y + int(d + EACH - 1u), group);
            }
            [[unroll]] for (uint k = 0u; k < EACH; k++)
                sums[k] += tap * window[k];
        }
}

// A sum of many floats loses in proportion to its length, a sum of sums in proportion to its root.
void convolve(bool inside, uint first, uint group)
{
    ELEMENT totals[EACH];
    uint pieces = (taps_y + PIECE - 1u) / PIECE, each = (taps_y + pieces - 1u) / pieces, added = 0u;
    [[unroll]] for (uint k = 0u; k < EACH; k++)
        totals[k] = sums[k] = ELEMENT(0);
    for (uint i = 0u; i < taps_x; i++) {
        for (uint low = 0u; low < taps_y; low += each) {
            add_piece(inside, first, i, low, min(low + each, taps_y), group);
            added += each;
            if (MANY_TAPS && added >= ABVK_PART) {
                [[unroll]] for (uint k = 0u; k < EACH; k++) {
                    totals[k] += sums[k];
                    sums[k] = ELEMENT(0);
                }
                added = 0u;
            }
        }
    }
    if (MANY_TAPS)
        [[unroll]] for (uint k = 0u; k < EACH; k++)
            sums[k] += totals[k];
}

void main()
{
    uint group = gl_WorkGroupID.z;
    ELEMENT other[EACH];
    ivec2 taps = ivec2(taps_x, taps_y), from;
    ivec2 corner = ivec2(gl_WorkGroupID.xy * SQUARE) + ivec2(centre_x, centre_y) - taps + 1;
    bool inside = is_inside(corner, taps + int(SQUARE) - 1, from);
    shift = from - corner;
    if (MAGNITUDE) {
        convolve(inside, taps_first, group);
        other = sums;
        convolve(inside, taps_first + taps_x * taps_y, group);
    } else if (inside)
        convolve(true, taps_first, group);
    else
        convolve(false, taps_first, group);
    if (MAGNITUDE)
        [[unroll]] for (uint k = 0u; k < EACH; k++)
            sums[k] = magnitude(other[k], sums[k]);
    store_square(sums, gl_WorkGroupID.xy * SQUARE, group);
}
