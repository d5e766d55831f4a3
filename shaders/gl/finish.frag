// The last pass: magnitude, alpha, light, offset, and samples as they are stored.
//
// Every texel is 16 bytes of a row; with TEXTURES it is a pixel of the application's texture. UNTREATED:
// samples are in neither linear light nor premultiplied. RESULT_TYPE is a constant for four untreated
// channels and a uniform otherwise.
#include "common.glsl"
#include "source.glsl"
#include "read.glsl"

uniform sampler2DArray results, others; // first and second component of a gradient
uniform ivec2 size;                     // of the results of the region
uniform ivec2 region_first;             // coordinate of the first result
uniform int components;
#if !QUAD || !UNTREATED
uniform int result_type;
#define RESULT_TYPE result_type
#endif
uniform float alpha_gain, offset;

#if TEXTURES
out vec4 pixel;
#else
out uvec4 words;
#endif

// A pixel whose alpha is below half a level of 16 bits is transparent and has no colour.
const float TRANSPARENT = 0.5 / 65535.0;

// √(a² + b²) without overflow or underflow of the squares.
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

// Alpha of the result: the filtered alpha divided by the gain of the filter, or, if that is 0, the alpha of
// the source.
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
#if !UNTREATED
    if (has(PREMULTIPLY) && alpha_gain != 0.0)
        value = alpha > TRANSPARENT ? value / alpha : 0.0;
    if (has(LIGHT))
        value = srgb_encode(value);
#endif
    return value + offset;
}

uint finish_sample(float value, int c, float alpha)
{
    value = is_colour(c) ? finish_colour(value, alpha) : has(PREMULTIPLY) ? alpha : value;
    return bits_of(RESULT_TYPE, value);
}

float alpha_at(ivec2 at)
{
#if UNTREATED
    return 1.0;
#else
    return has(PREMULTIPLY) ? result_alpha(at) : 1.0;
#endif
}

#if QUAD
uvec4 finish_pixel(ivec2 at)
{
    vec4 value = filtered(at, 0);
    float alpha = alpha_at(at);
    return uvec4(finish_sample(value.x, 0, alpha), finish_sample(value.y, 1, alpha),
                 finish_sample(value.z, 2, alpha), finish_sample(value.w, 3, alpha));
}

#if TEXTURES
// Draws values that the format can store exactly, so that the result does not depend on the rounding of the
// driver.
void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    uvec4 bits = finish_pixel(ivec2(at.x, texture_row(at.y)));
    pixel = vec4(sample_of(RESULT_TYPE, bits.x), sample_of(RESULT_TYPE, bits.y),
                 sample_of(RESULT_TYPE, bits.z), sample_of(RESULT_TYPE, bits.w));
}
#else
uint word_of(uvec4 bits)
{
    return bits.x | bits.y << 8 | bits.z << 16 | bits.w << 24;
}

// Texels may reach beyond the end of a row; what they hold there is not downloaded.
uvec4 pixel_at(int x, int y)
{
    return finish_pixel(ivec2(min(x, size.x - 1), y));
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    if (RESULT_TYPE == F32)
        words = finish_pixel(at);
    else if (RESULT_TYPE == U8)
        words = uvec4(word_of(pixel_at(4 * at.x, at.y)), word_of(pixel_at(4 * at.x + 1, at.y)),
                      word_of(pixel_at(4 * at.x + 2, at.y)), word_of(pixel_at(4 * at.x + 3, at.y)));
    else {
        uvec4 left = pixel_at(2 * at.x, at.y), right = pixel_at(2 * at.x + 1, at.y);
        words = uvec4(left.x | left.y << 16, left.z | left.w << 16, right.x | right.y << 16,
                      right.z | right.w << 16);
    }
}
#endif
#else
// The pixel that was read last, which serves its other samples too.
int held_x = -1, held_group = -1;
vec4 held;
float held_alpha = 1.0;

uint next_sample(int index, int y)
{
    int x = quotient(index, channels), c = index - x * channels;
    if (x != held_x || c >> 2 != held_group) {
        held = filtered(ivec2(x, y), c >> 2);
        if (x != held_x)
            held_alpha = alpha_at(ivec2(x, y));
        held_x = x;
        held_group = c >> 2;
    }
    return finish_sample(held[c & 3], c, held_alpha);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    int bytes = bytes_per(RESULT_TYPE), each = 4 / bytes, end = size.x * channels;
    uvec4 found = uvec4(0); // WebGL refuses variable indices into outputs
    for (int i = 4 * each * at.x; i < min(4 * each * (at.x + 1), end); i++)
        found[i / each & 3] |= next_sample(i, at.y) << (8 * bytes * (i % each));
    words = found;
}
#endif
