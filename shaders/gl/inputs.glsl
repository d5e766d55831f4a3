// Where a step of the fast engine's transforms finds its inputs.
//
// A step of radix r does N/r butterflies along one axis (Stockham): butterfly j takes values j + m · N/r, m = 0 … r − 1,
// and its result k stands at (j div l) · l · r + j mod l + k · l, where l, the span, is the product of the radices before
// it. In the grid result k lies in layer k, at the place of its butterfly; where there are more results than layers
// (SLICED), in layer k mod layers of block k div layers, one block below the other. So nothing is ever moved to be put in
// order.
//
//   columns (DOWN): butterfly j of column x of window w is at (x, w · N/r + j).
//   rows: there are `lines` of them, row y of window w being line w · height + y, in r strips side by side of `rows`
//         lines each: butterfly j of line n is at (n div rows · N/r + j, n mod rows).
//
// FROM is SOURCE: the first step takes pixels.
//         SAME: the step before was along the same axis.
//         OTHER: it was the last along the other one.
//         SPECTRUM: the way back begins with the step that the way there ended with; spectra are multiplied in.
#define SOURCE 0
#define SAME 1
#define OTHER 2
#define SPECTRUM 3
#include "layers.glsl"

uniform sampler2DArray grid;
uniform ivec2 grid_size;
uniform int lines;
uniform int butterflies; // N/r
uniform int rows;        // of a block
uniform int span;        // l
uniform int previous_butterflies, previous_rows, previous_span; // of the step before

// A butterfly: where it is, counted from the first of its block, and what it is.
ivec2 place;
int j;
#if DOWN
int column, window;
#else
int line;
#endif

// False where there is none.
bool find_butterfly(ivec2 at)
{
    place = at;
#if DOWN
    column = at.x;
    window = quotient(at.y, butterflies);
    j = at.y - window * butterflies;
    return true;
#else
    int strip = quotient(at.x, butterflies);
    line = strip * rows + at.y;
    j = at.x - strip * butterflies;
    return line < lines;
#endif
}

#if FROM == SOURCE
#include "source.glsl"
#include "windows.glsl"

void find_inputs()
{
}

vec4 read_input(int m)
{
    int n = j + m * butterflies;
#if DOWN
    return window_pixel(window, ivec2(column, n));
#else
    int w = quotient(line, grid_size.y);
    return window_pixel(w, ivec2(n, line - w * grid_size.y));
#endif
}
#elif FROM == SPECTRUM
uniform sampler2DArray spectrum; // H, real in R or complex in (R, G)

void find_inputs()
{
}

vec4 read_input(int m)
{
    int n = j + m * butterflies;
    vec4 value = texelFetch(grid, ivec3(place, 0) + layer_of(m, previous_rows), 0);
#if DOWN
    ivec2 frequency = ivec2(column, n);
#else
    ivec2 frequency = ivec2(n, 0); // rows alone are transformed where there is but one
#endif
    return swapped(times(value, texelFetch(spectrum, ivec3(frequency, 0), 0).xy));
}
#elif FROM == SAME
ivec3 input_place;
int input_stride;

void find_inputs()
{
    int rest = quotient(j, span), p = j - rest * span, k = quotient(p, previous_span);
    int previous_j = rest * previous_span + p - k * previous_span;
    input_stride = previous_butterflies / RADIX;
#if DOWN
    input_place = ivec3(column, window * previous_butterflies + previous_j, 0);
#else
    int strip = quotient(line, previous_rows);
    input_place = ivec3(strip * previous_butterflies + previous_j, line - strip * previous_rows, 0);
#endif
    input_place += layer_of(k, previous_rows);
}

vec4 read_input(int m)
{
#if DOWN
    return texelFetch(grid, input_place + ivec3(0, m * input_stride, 0), 0);
#else
    return texelFetch(grid, input_place + ivec3(m * input_stride, 0, 0), 0);
#endif
}
#elif DOWN
ivec3 input_place;

void find_inputs()
{
    int k = quotient(column, previous_butterflies);
    input_place = ivec3(column - k * previous_butterflies, 0, 0) + layer_of(k, previous_rows);
}

vec4 read_input(int m)
{
    int from = window * grid_size.y + j + m * butterflies, strip = quotient(from, previous_rows);
    ivec2 at = ivec2(strip * previous_butterflies, from - strip * previous_rows);
    return texelFetch(grid, input_place + ivec3(at, 0), 0);
}
#else
ivec3 input_place;

void find_inputs()
{
    int w = quotient(line, grid_size.y), y = line - w * grid_size.y, k = quotient(y, previous_butterflies);
    input_place = ivec3(j, w * previous_butterflies + y - k * previous_butterflies, 0) + layer_of(k, previous_rows);
}

vec4 read_input(int m)
{
    return texelFetch(grid, input_place + ivec3(m * butterflies, 0, 0), 0);
}
#endif
