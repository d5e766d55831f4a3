// Separable convolution, second half: filters the rows of every term by its column factor and adds the terms.
//
// A workgroup of 256 threads computes SQUARE × SQUARE results of one group of channels, EACH of a
// column per thread: x and y count squares, z groups. Of filter_first terms the first filter_place
// belong to the first component.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "interface.glsl"
#include "pixels.glsl"

const uint EACH = ABVK_SEPARABLE_EACH;
#include "square.glsl"

const uint PIECE = 16u, LINES = SQUARE + PIECE - 1u;
const uint LOADS = (LINES * SQUARE + THREADS - 1u) / THREADS;
shared ELEMENT lines[LINES * SQUARE];
ELEMENT sums[EACH];

// Loads the filtered rows that taps low … high − 1 read. All loads of a thread are issued
// before the first is used.
void load_piece(uint term, uint low, uint high, uint group)
{
    uint px = gl_LocalInvocationID.x % SQUARE, py = gl_LocalInvocationID.x / SQUARE;
    uint column = min(gl_WorkGroupID.x * SQUARE + px, width - 1u);
    int corner = int(gl_WorkGroupID.y * SQUARE + before_y) + centre_y - int(high) + 1;
    ELEMENT loaded[LOADS];
    [[unroll]] for (uint k = 0u; k < LOADS; k++) {
        uint row = uint(clamp(corner + int(py + k * (SQUARE / EACH)), 0, int(rows) - 1));
        loaded[k] = grid[((term * filter_count + group) * rows + row) * width + column];
    }
    barrier();
    [[unroll]] for (uint k = 0u; k < LOADS; k++)
        if (py + k * (SQUARE / EACH) < LINES)
            lines[(py + k * (SQUARE / EACH)) * SQUARE + px] = loaded[k];
    barrier();
}

// Adds taps low … high − 1 of the factor that begins at float `first`. From tap to tap, the rows that a
// thread's results read advance by one.
void add_piece(uint first, uint low, uint high)
{
    uint corner = gl_LocalInvocationID.x / SQUARE * EACH * SQUARE + gl_LocalInvocationID.x % SQUARE;
    ELEMENT window[EACH];
    [[unroll]] for (uint k = 0u; k < EACH; k++)
        window[k] = lines[corner + k * SQUARE];
    [[unroll]] for (uint d = 0u; d < PIECE; d++)
        if (d < high - low) {
            float tap = filters[first + high - 1u - d];
            if (d > 0u) {
                [[unroll]] for (uint k = 1u; k < EACH; k++)
                    window[k - 1u] = window[k];
                window[EACH - 1u] = lines[corner + (d + EACH - 1u) * SQUARE];
            }
            [[unroll]] for (uint k = 0u; k < EACH; k++)
                sums[k] += tap * window[k];
        }
}

// A sum of many floats loses in proportion to its length, a sum of sums in proportion to its root.
void convolve(uint low_term, uint high_term, uint group)
{
    ELEMENT totals[EACH];
    uint factors = taps_first + filter_first * taps_x, added = 0u;
    [[unroll]] for (uint k = 0u; k < EACH; k++)
        totals[k] = sums[k] = ELEMENT(0);
    for (uint term = low_term; term < high_term; term++)
        for (uint low = 0u; low < taps_y; low += PIECE) {
            uint high = min(low + PIECE, taps_y);
            load_piece(term, low, high, group);
            add_piece(factors + term * taps_y, low, high);
            added += PIECE;
            if (MANY_TAPS && added >= ABVK_PART) {
                [[unroll]] for (uint k = 0u; k < EACH; k++) {
                    totals[k] += sums[k];
                    sums[k] = ELEMENT(0);
                }
                added = 0u;
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
    convolve(0u, filter_place, group);
    if (MAGNITUDE) {
        other = sums;
        convolve(filter_place, filter_first, group);
    }
    if (MAGNITUDE)
        [[unroll]] for (uint k = 0u; k < EACH; k++)
            sums[k] = magnitude(other[k], sums[k]);
    store_square(sums, gl_WorkGroupID.xy * SQUARE, group);
}
