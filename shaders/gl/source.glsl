// Pixels of the source at any coordinate, ready to filter: the border maps coordinates to pixels.
//
// The texture of the source holds stored rows, 16 bytes in a texel. A group is four channels. TEXTURES: the
// source is a texture of the application instead, with four channels in a texel. QUAD: there are four
// channels. UNTREATED: samples are filtered as they are. If both hold, the most common case, SOURCE_TYPE is a
// constant; otherwise it is a uniform.
#include "samples.glsl"

#if TEXTURES
uniform sampler2D source;
uniform bool bottom_up; // the first row of the texture is the lowest of the picture
#else
uniform usampler2DArray source;
#endif
#if !QUAD || !UNTREATED
uniform int source_type;
#define SOURCE_TYPE source_type
#endif
#if QUAD
const int channels = 4;
#else
uniform int channels;
#endif
uniform ivec2 picture;      // size of the picture
uniform ivec2 source_first; // coordinate of the first pixel in the texture
uniform int border;         // an abbe_border
uniform int flags;
uniform vec2 outside; // colour and alpha beyond a ZERO or CONSTANT border, ready to filter

const int LIGHT = 1;       // samples are sRGB-coded and filtered in linear light
const int ALPHA = 2;       // the last channel is alpha
const int PREMULTIPLY = 4; // colours are multiplied by alpha
const int ZERO_NONFINITE = 8;
const int GATHERED = 16; // the host has copied the border around the region

const int REFLECT = 0, MIRROR = 1, CLAMP = 2, ZERO = 3, CONSTANT = 4, WRAP = 5;

bool has(int flag)
{
    return (flags & flag) != 0;
}

// a mod n, never negative; see quotient.
int modulo(int a, int n)
{
    return a - n * int(floor((float(a) + 0.5) / float(n)));
}

// The pixel 0 … n − 1 that the border puts at a coordinate.
int border_index(int at, int n)
{
    if (border == WRAP)
        return modulo(at, n);
    if (border == CLAMP)
        return clamp(at, 0, n - 1);
    if (border == REFLECT) {
        int place = modulo(at, 2 * n);
        return place < n ? place : 2 * n - 1 - place;
    }
    int place = n == 1 ? 0 : modulo(at, 2 * n - 2);
    return place < n ? place : 2 * n - 2 - place;
}

// The place of a coordinate in the texture of the source; −1 for the outside pixel.
int place_of(int at, int n, int first)
{
    if (at >= 0 && at < n)
        return at - first;
    if (border == ZERO || border == CONSTANT)
        return -1;
    return has(GATHERED) ? at - first : border_index(at, n) - first;
}

#if TEXTURES
// The row of the texture for a row of the picture, and the other way round.
int texture_row(int row)
{
    return bottom_up ? picture.y - 1 - row : row;
}

vec4 load_stored(int row, int column, int group)
{
    return texelFetch(source, ivec2(column, texture_row(row)), 0);
}

float load_alpha(int row, int column)
{
    return load_stored(row, column, 0).w;
}
#else
float load_sample(int row, int index)
{
    int size = bytes_per(SOURCE_TYPE), byte = index * size;
    uint word = texelFetch(source, ivec3(byte >> 4, row, 0), 0)[byte >> 2 & 3];
    if (size != 4)
        word = word >> (8 * (byte & 3)) & ((1u << (8 * size)) - 1u);
    return sample_of(SOURCE_TYPE, word);
}

#if QUAD
// Pixels of four channels never cross the end of a texel.
vec4 load_stored(int row, int column, int group)
{
    if (SOURCE_TYPE == F32)
        return uintBitsToFloat(texelFetch(source, ivec3(column, row, 0), 0));
    if (SOURCE_TYPE == U8) {
        uint word = texelFetch(source, ivec3(column >> 2, row, 0), 0)[column & 3];
        return vec4(uvec4(word, word >> 8, word >> 16, word >> 24) & 255u) / 255.0;
    }
    uvec4 texel = texelFetch(source, ivec3(column >> 1, row, 0), 0);
    uvec2 words = (column & 1) == 0 ? texel.xy : texel.zw;
    uvec4 bits = uvec4(words.x, words.x >> 16, words.y, words.y >> 16) & 65535u;
    return vec4(sample_of(SOURCE_TYPE, bits.x), sample_of(SOURCE_TYPE, bits.y),
                sample_of(SOURCE_TYPE, bits.z), sample_of(SOURCE_TYPE, bits.w));
}
#else
vec4 load_stored(int row, int column, int group)
{
    vec4 pixel = vec4(0);
    int first = column * channels + 4 * group, count = min(channels - 4 * group, 4);
    pixel.x = load_sample(row, first);
    if (count > 1)
        pixel.y = load_sample(row, first + 1);
    if (count > 2)
        pixel.z = load_sample(row, first + 2);
    if (count > 3)
        pixel.w = load_sample(row, first + 3);
    return pixel;
}
#endif

float load_alpha(int row, int column)
{
    return load_sample(row, column * channels + channels - 1);
}
#endif

// Whether channel c is a colour. The light curve, alpha and the offset apply to colours only.
bool is_colour(int c)
{
    return !has(ALPHA) || c + 1 != channels;
}

float clean(float value)
{
    return has(ZERO_NONFINITE) && !is_finite(value) ? 0.0 : value;
}

float ready(float value, int c, float alpha)
{
    value = clean(value);
    if (!is_colour(c))
        return value;
    value = has(LIGHT) ? srgb_decode(value) : value;
    return has(PREMULTIPLY) ? value * alpha : value;
}

// The pixel beyond a ZERO or CONSTANT border.
vec4 outside_pixel(int group)
{
    vec4 pixel;
    for (int c = 0; c < 4; c++)
        pixel[c] = 4 * group + c >= channels ? 0.0 : is_colour(4 * group + c) ? outside.x : outside.y;
    return pixel;
}

// The pixel at a coordinate: finite, in linear light and premultiplied as the flags ask. Missing channels are
// 0.
vec4 load_pixel(ivec2 at, int group)
{
    int column = place_of(at.x, picture.x, source_first.x), row = place_of(at.y, picture.y, source_first.y);
    if (row < 0 || column < 0)
        return outside_pixel(group);
    vec4 pixel = load_stored(row, column, group);
#if !UNTREATED
    float alpha = has(PREMULTIPLY) ? clean(load_alpha(row, column)) : 1.0;
    for (int c = 0; c < 4; c++)
        if (4 * group + c < channels)
            pixel[c] = ready(pixel[c], 4 * group + c, alpha);
#endif
    return pixel;
}
