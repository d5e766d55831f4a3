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

const uint PIECE = 8u, SIDE = TILE + PIECE - 1u;
shared ELEMENT pixels[SIDE * SIDE];
ELEMENT sums[EACH];

// Taps i0 … i1 − 1, j0 … j1 − 1 of the kernel that begins at float `first`.
void add_piece(uint first, uvec2 low, uvec2 high, uint group)
{
    ivec2 corner = ivec2(gl_WorkGroupID.xy * TILE) + ivec2(centre_x, centre_y) - ivec2(high) + 1;
    uvec2 size = high - low + TILE - 1u;
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < size.x * size.y; i += 256u) {
        ivec2 at = ivec2(i % size.x, i / size.x);
        pixels[at.y * int(SIDE) + at.x] = pixel_at(corner.x + at.x, corner.y + at.y, group);
    }
    barrier();
    uint px = gl_LocalInvocationID.x % TILE, py = gl_LocalInvocationID.x / TILE;
    for (uint j = low.y; j < high.y; j++)
        for (uint i = low.x; i < high.x; i++) {
            float tap = filters[first + j * taps_x + i];
            uint at = (py + high.y - 1u - j) * SIDE + px + high.x - 1u - i;
            [[unroll]] for (uint k = 0u; k < EACH; k++)
                sums[k] += tap * pixels[at + k * (TILE / EACH) * SIDE];
        }
}

void convolve(uint first, uint group)
{
    [[unroll]] for (uint k = 0u; k < EACH; k++)
        sums[k] = ELEMENT(0);
    for (uint j = 0u; j < taps_y; j += PIECE)
        for (uint i = 0u; i < taps_x; i += PIECE)
            add_piece(first, uvec2(i, j), uvec2(min(i + PIECE, taps_x), min(j + PIECE, taps_y)), group);
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
