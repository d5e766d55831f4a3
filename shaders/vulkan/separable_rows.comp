// Separable convolution, first half: every row of the region, and those that columns reach beyond it, filtered by
// the row factor of every term.
//
// A workgroup of 256 threads makes as many results of one row: x counts pieces of a row, y rows, z groups · terms.
// filter_count is the number of groups. The results lie in the grid as [term][group][row][column].
#version 450
#extension GL_GOOGLE_include_directive : require
#include "interface.glsl"
#include "pixels.glsl"
#include "space.glsl"

const uint PIECE = ABVK_STRIP;
shared ELEMENT pixels[2u * PIECE];

void main()
{
    uint group = gl_WorkGroupID.z % filter_count, term = gl_WorkGroupID.z / filter_count;
    uint row = gl_WorkGroupID.y, px = gl_WorkGroupID.x * PIECE, t = gl_LocalInvocationID.x;
    ELEMENT sum = ELEMENT(0);
    for (uint low = 0u; low < taps_x; low += PIECE) {
        uint high = min(low + PIECE, taps_x);
        int corner = int(px) + centre_x - int(high) + 1;
        barrier();
        for (uint i = t; i < high - low + PIECE - 1u; i += PIECE)
            pixels[i] = pixel_at(corner + int(i), int(row) - int(before_y), group);
        barrier();
        for (uint i = low; i < high; i++)
            sum += filters[taps_first + term * taps_x + i] * pixels[t + high - 1u - i];
    }
    if (px + t < width)
        grid[((term * filter_count + group) * rows + row) * width + px + t] = sum;
}
