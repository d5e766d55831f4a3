// Where a step of the fast engine's transforms finds its inputs.
//
// A step of radix r does N/r butterflies along one axis (Stockham): butterfly j takes values j + m · N/r, m = 0 … r − 1,
// and its result k stands at (j div l) · l · r + j mod l + k · l, where l, the span, is the product of the radices before
// it. In the grid result k of butterfly j lies in layer k mod LAYERS at the place of the butterfly, whose number is
// [outer][j][inner]: for rows inner is nothing and outer all rows of all windows; for columns (DOWN) inner is the row and
// outer the windows. Results beyond LAYERS lie in a block behind. So nothing is ever moved to be put in order.
//
// FROM is SOURCE: the first step takes pixels.
//         SAME: the step before was along the same axis.
//         OTHER: it was the last along the other one.
//         TURN: the way back begins with the step that the way there ended with; spectra are multiplied in.
#define SOURCE 0
#define SAME 1
#define OTHER 2
#define TURN 3
#include "grid.glsl"

uniform sampler2DArray grid;
uniform ivec2 grid_size;
uniform int butterflies;          // N/r
uniform int inner;                // of a butterfly's number
uniform int span;                 // l
uniform int previous_butterflies; // N/r of the step before
uniform int previous_span;
uniform int previous_block; // texels from one block of layers to the next

struct butterfly {
    int place;         // its number
    int inner, outer, j;
};

butterfly butterfly_at(int place)
{
    int rest = place / inner;
    return butterfly(place, place - rest * inner, rest / butterflies, rest % butterflies);
}

#if FROM == SOURCE
#include "source.glsl"
#include "windows.glsl"

void find_inputs(butterfly at)
{
}

vec4 read_input(butterfly at, int m)
{
    int n = at.j + m * butterflies;
#if DOWN
    return window_pixel(at.outer, ivec2(at.inner, n));
#else
    return window_pixel(at.outer / grid_size.y, ivec2(n, at.outer % grid_size.y));
#endif
}
#elif FROM == TURN
uniform sampler2DArray spectrum; // H, real in R or complex in (R, G)

void find_inputs(butterfly at)
{
}

vec4 read_input(butterfly at, int m)
{
    int n = at.j + m * butterflies;
    vec4 value = grid_texel(grid, at.place + m / LAYERS * previous_block, m % LAYERS);
#if DOWN
    ivec2 frequency = ivec2(at.inner, n);
#else
    ivec2 frequency = ivec2(n, at.outer % grid_size.y);
#endif
    vec2 gain = texelFetch(spectrum, ivec3(frequency, 0), 0).xy;
    return swapped(times(value, gain));
}
#else
int input_place, input_stride, input_layer;

void find_inputs(butterfly at)
{
#if FROM == SAME
    int rest = at.j / span, p = at.j - rest * span, k = p / previous_span;
    int j = rest * previous_span + p - k * previous_span;
    input_place = (at.outer * previous_butterflies + j) * inner + at.inner;
    input_stride = previous_butterflies / RADIX * inner;
#elif DOWN
    int k = at.inner / previous_butterflies, j = at.inner % previous_butterflies;
    input_place = (at.outer * grid_size.y + at.j) * previous_butterflies + j;
    input_stride = butterflies * previous_butterflies;
#else
    int w = at.outer / grid_size.y, y = at.outer % grid_size.y;
    int k = y / previous_butterflies, j = y % previous_butterflies;
    input_place = (w * previous_butterflies + j) * grid_size.x + at.j;
    input_stride = butterflies;
#endif
    input_place += k / LAYERS * previous_block;
    input_layer = k % LAYERS;
}

vec4 read_input(butterfly at, int m)
{
    return grid_texel(grid, input_place + m * input_stride, input_layer);
}
#endif
