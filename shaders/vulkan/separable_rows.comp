// Separable convolution, first half: filters every row of the region, and the rows that columns reach beyond
// it, by the row factor of every term.
//
// A workgroup of 256 threads computes 256 results of one row: x counts strips of a row, y rows, z groups ·
// terms. filter_count is the number of groups. Results are stored in the grid as [term][group][row][column].
#version 450
#extension GL_GOOGLE_include_directive : require
#include "interface.glsl"
#include "pixels.glsl"
#include "space.glsl"

const uint STRIP = ABVK_STRIP;
shared ELEMENT pixels[2u * STRIP];

void main()
{
    uint group = gl_WorkGroupID.z % filter_count, term = gl_WorkGroupID.z / filter_count;
    uint row = gl_WorkGroupID.y, px = gl_WorkGroupID.x * STRIP, t = gl_LocalInvocationID.x;
    ELEMENT sum = ELEMENT(0);
    for (uint low = 0u; low < taps_x; low += STRIP) {
        uint high = min(low + STRIP, taps_x);
        int corner = int(px) + centre_x - int(high) + 1;
        barrier();
        for (uint i = t; i < high - low + STRIP - 1u; i += STRIP)
            pixels[i] = pixel_at(corner + int(i), int(row) - int(before_y), group);
        barrier();
        ELEMENT part = ELEMENT(0); // a sum of many floats loses in proportion to its length
        for (uint i = low; i < high; i++)
            part += filters[taps_first + term * taps_x + i] * pixels[t + high - 1u - i];
        sum += part;
    }
    if (px + t < width)
        grid[((term * filter_count + group) * rows + row) * width + px + t] = sum;
}
