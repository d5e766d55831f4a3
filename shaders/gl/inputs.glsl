// Where a step of the fast engine's transforms finds its inputs.
//
// A step of radix r computes N/r butterflies along one axis (Stockham). Butterfly j takes values j + m · N/r
// for m = 0 … r − 1; its result k is value (j div l) · l · r + j mod l + k · l, where the span l is the
// product of the radices of the steps before. In the grid, result k is in layer k at the place of its
// butterfly. If there are more results than layers (SLICED), it is in layer k mod layers of slice k div
// layers, and slices lie one below the other. So no pass only reorders.
//
//   columns (DOWN): butterfly j of column x of window w is at (x, w · N/r + j).
//   rows: there are `lines` of them; row y of window w is line w · height + y. They lie in r strips side by
//         side, `rows` lines each: butterfly j of line n is at (n div rows · N/r + j, n mod rows).
//
// FROM is SOURCE: the first step reads pixels.
//         SAME: the step before was along the same axis.
//         OTHER: the step before was the last along the other axis.
//         SPECTRUM: the first step back has the radix of the last step forward and multiplies by H.
#define SOURCE 0
#define SAME 1
#define OTHER 2
#define SPECTRUM 3
#include "layers.glsl"

uniform sampler2DArray grid;
uniform ivec2 grid_size;
uniform int lines;
uniform int butterflies; // N/r
uniform int rows;        // of a slice
uniform int span;        // l
uniform int previous_butterflies, previous_rows, previous_span; // of the step before

// The butterfly of this fragment: its place in its slice, its number, and its column and window or its line.
ivec2 place;
int j;
#if DOWN
int column, window;
#else
int line;
#endif

// Returns false if there is no butterfly at that place.
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
    ivec2 frequency = ivec2(n, 0); // a grid of one row is transformed along its row only
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
    input_place = ivec3(j, w * previous_butterflies + y - k * previous_butterflies, 0) +
                  layer_of(k, previous_rows);
}

vec4 read_input(int m)
{
    return texelFetch(grid, input_place + ivec3(m * butterflies, 0, 0), 0);
}
#endif
