// Results as they lie in memory: every texel is 16 bytes of a row.
#include "common.glsl"
#include "source.glsl"

uniform ivec2 tile_step;
uniform int tiles_across, tiles_shared, groups, window_first;
#include "read.glsl"

uniform sampler2DArray results, others; // of a gradient's first and second component
uniform ivec2 size;                     // of the region's results
uniform ivec2 region_first;             // coordinate of the first of them
uniform int result_type;
uniform int components;
uniform float alpha_gain, offset;

out uvec4 stored;

// Below half a level of 16 bits a pixel is transparent and has no colour of its own.
const float TRANSPARENT = 0.5 / 65535.0;

// √(a² + b²), without losing small or large numbers on the way.
float length_of(float a, float b)
{
    float large = max(abs(a), abs(b)), small = min(abs(a), abs(b));
    float ratio = large > 0.0 ? small / large : 0.0;
    return large * sqrt(1.0 + ratio * ratio);
}

vec4 filtered(ivec2 at, int group)
{
    vec4 a = read_result(results, at, group);
    if (components == 1)
        return a;
    vec4 b = read_result(others, at, group);
    return vec4(length_of(a.x, b.x), length_of(a.y, b.y), length_of(a.z, b.z), length_of(a.w, b.w));
}

// Alpha of the result: the filtered one freed of the filter's gain, or the source's.
float result_alpha(ivec2 at)
{
    if (alpha_gain != 0.0)
        return filtered(at, (channels - 1) >> 2)[(channels - 1) & 3] / alpha_gain;
    ivec2 place = region_first + at - source_first;
    float alpha = load_alpha(place.y, place.x);
    return is_finite(alpha) ? alpha : 0.0;
}

float finish_colour(float value, float alpha)
{
    if (has(PREMULTIPLY) && alpha_gain != 0.0)
        value = alpha > TRANSPARENT ? value / alpha : 0.0;
    if (has(LIGHT))
        value = srgb_encode(value);
    return value + offset;
}

// The pixel at hand, so that its other samples need not look for it again.
int held_x = -1, held_group = -1;
vec4 held;
float held_alpha = 1.0;

uint finish_sample(int index, int y)
{
    int x = index / channels, c = index - x * channels;
    if (x != held_x || c >> 2 != held_group) {
        held = filtered(ivec2(x, y), c >> 2);
        if (has(PREMULTIPLY) && x != held_x)
            held_alpha = result_alpha(ivec2(x, y));
        held_x = x;
        held_group = c >> 2;
    }
    float value = held[c & 3];
    value = is_colour(c) ? finish_colour(value, held_alpha) : has(PREMULTIPLY) ? held_alpha : value;
    return bits_of(result_type, value);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    int bytes = bytes_per(result_type), each = 4 / bytes;
    stored = uvec4(0);
    for (int word = 0; word < 4; word++)
        for (int i = 0; i < each; i++) {
            int index = (4 * at.x + word) * each + i;
            if (index < size.x * channels)
                stored[word] |= finish_sample(index, at.y) << (8 * bytes * i);
        }
}
