// Direct convolution: a tile of results, taps in pieces, the pixels that a piece looks at in shared memory.
//
// A workgroup of 256 threads makes TILE × TILE results of one group of channels, EACH of a column per thread: x and
// y count tiles, z groups. out(x, y) = Σ tap(i, j) · in(x − i + centre_x, y − j + centre_y).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "interface.glsl"
#include "pixels.glsl"
#include "tile.glsl"
#include "space.glsl"

const uint PIECE = 8u, SIDE = TILE + PIECE - 1u, THREADS = TILE * TILE / EACH;
const uint LOADS = (SIDE * SIDE + THREADS - 1u) / THREADS;
shared ELEMENT pixels[SIDE * SIDE];
ELEMENT sums[EACH];

// Pixels that taps low … high − 1 look at; all of a thread's are on their way before one is waited for.
void load_piece(uvec2 low, uvec2 high, uint group)
{
    ivec2 corner = ivec2(gl_WorkGroupID.xy * TILE) + ivec2(centre_x, centre_y) - ivec2(high) + 1;
    uvec2 size = high - low + TILE - 1u;
    ELEMENT loaded[LOADS];
    [[unroll]] for (uint k = 0u; k < LOADS; k++) {
        uint i = gl_LocalInvocationID.x + k * THREADS;
        if (i < size.x * size.y)
            loaded[k] = pixel_at(corner.x + int(i % size.x), corner.y + int(i / size.x), group);
    }
    barrier();
    [[unroll]] for (uint k = 0u; k < LOADS; k++) {
        uint i = gl_LocalInvocationID.x + k * THREADS;
        if (i < size.x * size.y)
            pixels[i / size.x * SIDE + i % size.x] = loaded[k];
    }
    barrier();
}

// Taps low … high − 1 of the kernel that begins at float `first`. Down a column of taps, the pixels that a thread's
// results look at move on by one.
void add_piece(uint first, uvec2 low, uvec2 high)
{
    uint corner = gl_LocalInvocationID.x / TILE * EACH * SIDE + gl_LocalInvocationID.x % TILE + high.x - 1u;
    for (uint i = low.x; i < high.x; i++) {
        ELEMENT window[EACH];
        [[unroll]] for (uint k = 0u; k < EACH; k++)
            window[k] = pixels[corner - i + k * SIDE];
        [[unroll]] for (uint d = 0u; d < PIECE; d++)
            if (d < high.y - low.y) {
                float tap = filters[first + (high.y - 1u - d) * taps_x + i];
                if (d > 0u) {
                    [[unroll]] for (uint k = 1u; k < EACH; k++)
                        window[k - 1u] = window[k];
                    window[EACH - 1u] = pixels[corner - i + (d + EACH - 1u) * SIDE];
                }
                [[unroll]] for (uint k = 0u; k < EACH; k++)
                    sums[k] += tap * window[k];
            }
    }
}

void convolve(uint first, uint group)
{
    [[unroll]] for (uint k = 0u; k < EACH; k++)
        sums[k] = ELEMENT(0);
    for (uint j = 0u; j < taps_y; j += PIECE)
        for (uint i = 0u; i < taps_x; i += PIECE) {
            uvec2 low = uvec2(i, j), high = min(low + PIECE, uvec2(taps_x, taps_y));
            load_piece(low, high, group);
            add_piece(first, low, high);
        }
}

void main()
{
    uint group = gl_WorkGroupID.z;
    ELEMENT other[EACH];
    if (MAGNITUDE) {
        convolve(taps_first, group);
        other = sums;
        convolve(taps_first + taps_x * taps_y, group);
    } else
        convolve(taps_first, group);
    if (MAGNITUDE)
        [[unroll]] for (uint k = 0u; k < EACH; k++)
            sums[k] = magnitude(other[k], sums[k]);
    store_tile(sums, gl_WorkGroupID.xy * TILE, group);
}
