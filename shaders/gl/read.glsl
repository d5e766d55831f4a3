// Results, wherever an engine has left them.
//
// READ is FLAT: pixel (x, y) of group g is texel (x, y) + read_first of layer g.
//         ROWS: four rows lie in four layers: row y is row y div 4 of layer 4g + y mod 4.
//         WINDOWS: in windows of a natural grid, one at a time; read_first is what lies in front of their results.
//         GRID: in windows of the fast engine's grid.
#define FLAT 0
#define ROWS 1
#define WINDOWS 2
#define GRID 3

uniform ivec2 read_first;

#if READ == GRID
#include "grid.glsl"

uniform ivec2 grid_size;
uniform int last_butterflies; // of the last step, whose results k = 0, 1, … stand that far apart
uniform int last_block;       // texels from one block of layers to the next

// (x, y) of window w.
vec4 read_window(sampler2DArray from, int w, ivec2 at)
{
#if LAST_DOWN
    int k = at.y / last_butterflies, j = at.y % last_butterflies;
    int place = (w * last_butterflies + j) * grid_size.x + at.x;
#else
    int k = at.x / last_butterflies, j = at.x % last_butterflies;
    int place = (w * grid_size.y + at.y) * last_butterflies + j;
#endif
    return swapped(grid_texel(from, place + k / LAYERS * last_block, k % LAYERS));
}
#elif READ == WINDOWS
vec4 read_window(sampler2DArray from, int w, ivec2 at)
{
    vec4 value = texelFetch(from, ivec3(at, 0), 0);
    return value;
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
#else
uniform int window_count; // of this pass; what lies elsewhere is not there

// The window that holds pixel `at` of a group.
int window_of(ivec2 at, int group)
{
    ivec2 place = at / tile_step;
    return (place.y * tiles_across + place.x) / tiles_shared * groups + group - window_first;
}

vec4 read_result(sampler2DArray from, ivec2 at, int group)
{
    ivec2 place = at / tile_step;
    int shared_place = (place.y * tiles_across + place.x) % tiles_shared;
    vec4 value = read_window(from, window_of(at, group), at - place * tile_step + read_first);
    if (tiles_shared == 4)
        return vec4(value[shared_place], 0, 0, 0);
    return tiles_shared == 2 && shared_place == 1 ? vec4(value.zw, 0, 0) : value;
}
#endif
