// Pixels of the source as elements ready to filter, and elements as pixels of a result.
#include "samples.glsl"

// Below half a level of 16 bits a pixel is transparent and has no colour of its own.
const float TRANSPARENT = 0.5 / 65535.0;

float clean(float value)
{
    return ZERO_NONFINITE && !is_finite(value) ? 0.0 : value;
}

// Whether channel c is a colour, which the light curve, alpha and the offset act on.
bool is_colour(uint c)
{
    return !ALPHA || c + 1u != channels;
}

#if SOURCE_IMAGE
ELEMENT load_stored(uint row, uint column, uint group)
{
    return texelFetch(source_image, ivec2(column, row), 0);
}

float load_alpha(uint row, uint column)
{
    return load_stored(row, column, 0u).a;
}
#else
// Sample `index` of source row `row`.
float load_sample(uint row, uint index)
{
    uint bits = bits_per(SOURCE_TYPE), bit = index * bits;
    uint word = source[row * source_pitch + (bit >> 5)];
    return sample_of(bits == 32u ? word : word >> (bit & 31u) & ((1u << bits) - 1u));
}

#if PLANES == 2
// Four channels at once, where they are whole words.
vec4 load_quad(uint row, uint column)
{
    uint first = row * source_pitch;
    if (SOURCE_TYPE == U8) {
        uint word = source[first + column];
        return vec4(sample_of(word & 255u), sample_of(word >> 8 & 255u), sample_of(word >> 16 & 255u),
                    sample_of(word >> 24));
    }
    if (SOURCE_TYPE == F32) {
        uvec4 words = source_quads[(first >> 2) + column];
        return uintBitsToFloat(words);
    }
    uint low = source[first + 2u * column], high = source[first + 2u * column + 1u];
    return vec4(sample_of(low & 0xffffu), sample_of(low >> 16), sample_of(high & 0xffffu), sample_of(high >> 16));
}
#endif

ELEMENT load_stored(uint row, uint column, uint group)
{
    ELEMENT pixel = ELEMENT(0);
#if PLANES == 2
    if (QUAD)
        return load_quad(row, column);
#endif
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
        if (group * CHANNELS + c < channels)
            pixel[c] = load_sample(row, column * channels + group * CHANNELS + c);
    return pixel;
}

float load_alpha(uint row, uint column)
{
    return load_sample(row, column * channels + channels - 1u);
}
#endif

// The border's pixel, which the host has made ready.
ELEMENT outside(uint group)
{
    ELEMENT pixel = ELEMENT(0);
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
        if (group * CHANNELS + c < channels)
            pixel[c] = is_colour(group * CHANNELS + c) ? outside_colour : outside_alpha;
    return pixel;
}

// The pixel at (row, column) of the source, either of which is −1 outside: clean, in linear light, alpha multiplied
// in.
ELEMENT load_pixel(int row, int column, uint group)
{
    if (row < 0 || column < 0)
        return outside(group);
    ELEMENT pixel = load_stored(uint(row), uint(column), group);
    float alpha = PREMULTIPLY ? clean(load_alpha(uint(row), uint(column))) : 1.0;
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++) {
        pixel[c] = clean(pixel[c]);
        if (is_colour(group * CHANNELS + c)) {
            pixel[c] = LIGHT ? srgb_decode(pixel[c]) : pixel[c];
            pixel[c] = PREMULTIPLY ? pixel[c] * alpha : pixel[c];
        }
    }
    return pixel;
}

// √(a² + b²), without losing small or large numbers on the way.
float length_of(float a, float b)
{
    float large = max(abs(a), abs(b)), small = min(abs(a), abs(b));
    float ratio = large > 0.0 ? small / large : 0.0;
    return large * sqrt(1.0 + ratio * ratio);
}

ELEMENT magnitude(ELEMENT a, ELEMENT b)
{
    ELEMENT lengths;
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
        lengths[c] = length_of(a[c], b[c]);
    return lengths;
}

// Where pixel (x, y) of the region lies in the source; it is inside, so the maps know.
uvec2 source_place(uint x, uint y)
{
    return uvec2(maps[map_x + before_x + x], maps[map_y + before_y + y]);
}

// Alpha of the result at (x, y): the filtered one freed of the filter's gain, or the source's.
float result_alpha(float filtered, uint x, uint y)
{
    if (alpha_gain != 0.0)
        return filtered / alpha_gain;
    uvec2 place = source_place(x, y);
    float alpha = load_alpha(place.y, place.x);
    return is_finite(alpha) ? alpha : 0.0;
}

// One filtered colour on its way out.
float finish_colour(float value, float alpha)
{
    if (PREMULTIPLY && alpha_gain != 0.0)
        value = alpha > TRANSPARENT ? value / alpha : 0.0;
    if (LIGHT)
        value = srgb_encode(value);
    return value + offset;
}

// An element that holds all channels of pixel (x, y), each as bits of RESULT_TYPE.
uint[CHANNELS] finish_pixel(ELEMENT pixel, uint x, uint y)
{
    uint bits[CHANNELS];
    float alpha = PREMULTIPLY ? result_alpha(pixel[channels - 1u], x, y) : 1.0;
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++) {
        float value = is_colour(c) ? finish_colour(pixel[c], alpha) : PREMULTIPLY ? alpha : pixel[c];
        bits[c] = c < channels ? bits_of(value) : 0u;
    }
    return bits;
}

#if RESULT_IMAGE
// What the bits stand for, which the image turns into the same bits.
void store_words(uint bits[CHANNELS], uint x, uint y)
{
    vec4 pixel;
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
        pixel[c] = value_of(bits[c], RESULT_TYPE);
    imageStore(result_image, ivec2(x, y), pixel);
}
#else
// Whole words of a pixel that takes whole words.
void store_words(uint bits[CHANNELS], uint x, uint y)
{
    uint first = (number * height + y) * result_pitch;
    if (RESULT_TYPE == F32) {
#if PLANES == 2
        if (QUAD) {
            result_quads[(first >> 2) + x] = uvec4(bits[0], bits[1], bits[2], bits[3]);
            return;
        }
#endif
        [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
            if (c < channels)
                result[first + x * channels + c] = bits[c];
        return;
    }
#if PLANES == 2
    if (RESULT_TYPE == U8) {
        result[first + x] = bits[0] | bits[1] << 8 | bits[2] << 16 | bits[3] << 24;
        return;
    }
    result[first + 2u * x] = bits[0] | bits[1] << 16;
    result[first + 2u * x + 1u] = bits[2] | bits[3] << 16;
#else
    result[first + x] = bits[0] | bits[1] << 16;
#endif
}
#endif

// One element of the results. WIDE where pixels are not whole words or have more channels than an element.
void store_pixel(ELEMENT pixel, uint x, uint y, uint group)
{
    if (x >= width || y >= height)
        return;
    if (!WIDE) {
        store_words(finish_pixel(pixel, x, y), x, y);
        return;
    }
    uint first = ((number * height + y) * width + x) * channels + group * CHANNELS;
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
        if (group * CHANNELS + c < channels)
            wide[first + c] = pixel[c];
}
