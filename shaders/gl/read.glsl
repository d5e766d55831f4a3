// Reads results from where an engine has written them.
//
// READ is FLAT: pixel (x, y) of group g is texel (x, y) + read_first of layer g.
//         ROWS: four rows are in four layers: row y is row y div 4 of layer 4g + y mod 4.
//         WINDOWS: results are in one window in natural order, read_first texels from its corner.
//         GRID: results are in windows of the fast engine's grid.
#define FLAT 0
#define ROWS 1
#define WINDOWS 2
#define GRID 3

uniform ivec2 read_first;

#if READ == GRID
#include "layers.glsl"

uniform ivec2 grid_size;
uniform int last_butterflies, last_rows; // of the last step, whose results lie as inputs.glsl describes

// Texel (x, y) of window w.
vec4 read_window(sampler2DArray from, int w, ivec2 at)
{
#if LAST_DOWN
    int k = quotient(at.y, last_butterflies);
    ivec2 place = ivec2(at.x, w * last_butterflies + at.y - k * last_butterflies);
#else
    int k = quotient(at.x, last_butterflies);
    int line = w * grid_size.y + at.y, strip = quotient(line, last_rows);
    ivec2 place = ivec2(strip * last_butterflies + at.x - k * last_butterflies, line - strip * last_rows);
#endif
    return swapped(texelFetch(from, ivec3(place, 0) + layer_of(k, last_rows), 0));
}
#elif READ == WINDOWS
vec4 read_window(sampler2DArray from, int w, ivec2 at)
{
    return texelFetch(from, ivec3(at, 0), 0);
}
#endif

#if READ == FLAT
vec4 read_result(sampler2DArray from, ivec2 at, int group)
{
    return texelFetch(from, ivec3(at + read_first, group), 0);
}
#elif READ == ROWS
vec4 read_result(sampler2DArray from, ivec2 at, int group)
{
    return texelFetch(from, ivec3(at.x, at.y >> 2, 4 * group + (at.y & 3)), 0);
}
#elif WHOLE
// The region is one tile, and each window is one group of its channels.
vec4 read_result(sampler2DArray from, ivec2 at, int group)
{
    return read_window(from, group, at + read_first);
}
#else
uniform ivec2 tile_step;
uniform int tiles_across, tiles_per_texel, groups;
uniform int window_first, window_count; // windows of this pass

int tile_of(ivec2 at)
{
    return quotient(at.y, tile_step.y) * tiles_across + quotient(at.x, tile_step.x);
}

// The window of this pass, counted from window_first, that holds pixel `at` of a group.
int window_of(ivec2 at, int group)
{
    return tile_of(at) / tiles_per_texel * groups + group - window_first;
}

vec4 read_result(sampler2DArray from, ivec2 at, int group)
{
    ivec2 corner = ivec2(quotient(at.x, tile_step.x), quotient(at.y, tile_step.y)) * tile_step;
    int place = tile_of(at) % tiles_per_texel;
    vec4 value = read_window(from, window_of(at, group), at - corner + read_first);
    if (tiles_per_texel == 4)
        return vec4(value[place], 0, 0, 0);
    return tiles_per_texel == 2 && place == 1 ? vec4(value.zw, 0, 0) : value;
}
#endif
