// Separable convolution, second half: the filtered rows of every term are filtered by its column factor and added.
//
// A workgroup of 256 threads makes 32 × TILE results of one group of channels, EACH of a column per thread: x and y
// count tiles, z groups. Of filter_first terms the first filter_place make the first component.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "interface.glsl"
#include "pixels.glsl"
#include "tile.glsl"

const uint ACROSS = TILE, PIECE = 16u;
shared ELEMENT lines[(TILE + PIECE - 1u) * ACROSS];
ELEMENT sums[EACH];

void add_piece(uint first, uint term, uint low, uint high, uint group)
{
    uint px = gl_WorkGroupID.x * ACROSS + gl_LocalInvocationID.x % ACROSS, y = gl_LocalInvocationID.x / ACROSS;
    int corner = int(gl_WorkGroupID.y * TILE + before_y) + centre_y - int(high) + 1;
    barrier();
    for (uint i = y; i < high - low + TILE - 1u; i += 256u / ACROSS) {
        uint row = uint(clamp(corner + int(i), 0, int(rows) - 1));
        lines[i * ACROSS + gl_LocalInvocationID.x % ACROSS] =
            grid[((term * filter_count + group) * rows + row) * width + min(px, width - 1u)];
    }
    barrier();
    for (uint j = low; j < high; j++) {
        float tap = filters[first + j];
        uint at = (y + high - 1u - j) * ACROSS + gl_LocalInvocationID.x % ACROSS;
        [[unroll]] for (uint k = 0u; k < EACH; k++)
            sums[k] += tap * lines[at + k * (TILE / EACH) * ACROSS];
    }
}

void convolve(uint low_term, uint high_term, uint group)
{
    uint factors = taps_first + filter_first * taps_x;
    [[unroll]] for (uint k = 0u; k < EACH; k++)
        sums[k] = ELEMENT(0);
    for (uint term = low_term; term < high_term; term++)
        for (uint low = 0u; low < taps_y; low += PIECE)
            add_piece(factors + term * taps_y, term, low, min(low + PIECE, taps_y), group);
}

void main()
{
    uint group = gl_WorkGroupID.z;
    ELEMENT other[EACH];
    convolve(0u, filter_place, group);
    if (MAGNITUDE) {
        other = sums;
        convolve(filter_place, filter_first, group);
    }
    if (MAGNITUDE)
        [[unroll]] for (uint k = 0u; k < EACH; k++)
            sums[k] = magnitude(other[k], sums[k]);
    store_tile(sums, gl_WorkGroupID.xy * TILE, group);
}
