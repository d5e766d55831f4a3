// Loads source pixels as elements that are ready to filter, and stores elements as pixels of a result.
//
// Calls are nested as little as possible: with one more level of calls, NVIDIA's compiler kept the elements
// of a thread in memory instead of registers, and a pass took four times as long.
#include "samples.glsl"

// Below half a level of 16 bits a pixel is transparent, and its colour is 0.
const float TRANSPARENT = 0.5 / 65535.0;

// Replaces a nonfinite sample by 0 if the plan does.
float clean(float value)
{
    return ZERO_NONFINITE && !is_finite(value) ? 0.0 : value;
}

// Whether channel c is a colour, to which the light curve, alpha and the offset apply.
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

// The stored samples of a group of channels. Four channels are unpacked from whole words.
ELEMENT load_stored(uint row, uint column, uint group)
{
    ELEMENT pixel = ELEMENT(0);
    if (!QUAD)
        [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
            if (group * CHANNELS + c < channels)
                pixel[c] = load_sample(row, column * channels + group * CHANNELS + c);
#if PLANES == 2
    uint first = row * source_pitch;
    if (QUAD && SOURCE_TYPE == F32)
        pixel = uintBitsToFloat(source_quads[(first >> 2) + column]);
    else if (QUAD && SOURCE_TYPE == U8) {
        uint word = source[first + column];
        pixel = vec4(sample_of(word & 255u), sample_of(word >> 8 & 255u), sample_of(word >> 16 & 255u),
                     sample_of(word >> 24));
    } else if (QUAD) {
        uint low = source[first + 2u * column], high = source[first + 2u * column + 1u];
        pixel = vec4(sample_of(low & 0xffffu), sample_of(low >> 16), sample_of(high & 0xffffu),
                     sample_of(high >> 16));
    }
#endif
    return pixel;
}

float load_alpha(uint row, uint column)
{
    return load_sample(row, column * channels + channels - 1u);
}
#endif

// The outside pixel, which the host has converted.
ELEMENT outside(uint group)
{
    ELEMENT pixel = ELEMENT(0);
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
        if (group * CHANNELS + c < channels)
            pixel[c] = is_colour(group * CHANNELS + c) ? outside_colour : outside_alpha;
    return pixel;
}

// A source pixel ready to filter: finite, in linear light, multiplied by alpha, as the plan asks.
ELEMENT load_inside(uint row, uint column, uint group)
{
    ELEMENT pixel = load_stored(row, column, group);
    float alpha = PREMULTIPLY ? clean(load_alpha(row, column)) : 1.0;
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++) {
        pixel[c] = clean(pixel[c]);
        if (is_colour(group * CHANNELS + c)) {
            pixel[c] = LIGHT ? srgb_decode(pixel[c]) : pixel[c];
            pixel[c] = PREMULTIPLY ? pixel[c] * alpha : pixel[c];
        }
    }
    return pixel;
}

// The same, or the outside pixel if row or column is −1. INTERIOR windows have no outside.
ELEMENT load_pixel(int row, int column, uint group)
{
    return !INTERIOR && (row < 0 || column < 0) ? outside(group)
                                                : load_inside(uint(row), uint(column), group);
}

// √(a² + b²) of each channel, without overflow or underflow.
ELEMENT magnitude(ELEMENT a, ELEMENT b)
{
    ELEMENT large = max(abs(a), abs(b)), small = min(abs(a), abs(b));
    ELEMENT ratio = mix(small / large, ELEMENT(0), equal(large, ELEMENT(0)));
    return large * sqrt(1.0 + ratio * ratio);
}

// Undoes premultiplication and linear light of a filtered colour, and adds the offset.
float finish_colour(float value, float alpha)
{
    if (PREMULTIPLY && alpha_gain != 0.0)
        value = alpha > TRANSPARENT ? value / alpha : 0.0;
    if (LIGHT)
        value = srgb_encode(value);
    return OFFSET ? value + offset : value;
}

// Stored bits of channel c of a pixel.
uint finish_channel(float value, uint c, float alpha)
{
    float finished = is_colour(c) ? finish_colour(value, alpha) : PREMULTIPLY ? alpha : value;
    return QUAD || c < channels ? bits_of(finished) : 0u;
}

// Stored bits of an element that holds all channels of a pixel, or with MIXED one group of them, which is
// never premultiplied. Results that keep the source's alpha are stored by finish.comp.
BITS finish_pixel(ELEMENT pixel, uint group)
{
#if PLANES == 2
    float alpha = PREMULTIPLY ? (QUAD ? pixel.w : pixel.z) / alpha_gain : 1.0;
    return BITS(finish_channel(pixel.x, 0u, alpha), finish_channel(pixel.y, 1u, alpha),
                finish_channel(pixel.z, 2u, alpha), finish_channel(pixel.w, 3u, alpha));
#else
    float alpha = PREMULTIPLY ? (channels == 1u ? pixel.x : pixel.y) / alpha_gain : 1.0;
    uint first = MIXED ? group * CHANNELS : 0u;
    return BITS(finish_channel(pixel.x, first, alpha), finish_channel(pixel.y, first + 1u, alpha));
#endif
}

#if RESULT_IMAGE
// Stores the value of the bits, which the image converts to the same bits.
void store_words(BITS bits, uint x, uint y, uint group)
{
    vec4 pixel;
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
        pixel[c] = value_of(bits[c], RESULT_TYPE);
    imageStore(result_image, ivec2(x, y), pixel);
}
#else
// Stores a pixel of whole words.
void store_words(BITS bits, uint x, uint y, uint group)
{
    uint first = (number * height + y) * result_pitch;
#if PLANES == 2
    if (RESULT_TYPE == F32 && QUAD)
        result_quads[(first >> 2) + x] = bits;
    else if (RESULT_TYPE == U8)
        result[first + x] = bits[0] | bits[1] << 8 | bits[2] << 16 | bits[3] << 24;
    else if (RESULT_TYPE != F32) {
        result[first + 2u * x] = bits[0] | bits[1] << 16;
        result[first + 2u * x + 1u] = bits[2] | bits[3] << 16;
    }
#else
    if (RESULT_TYPE != F32)
        result[first + x] = bits[0] | bits[1] << 16;
#endif
    uint before = MIXED ? group * CHANNELS : 0u;
    if (RESULT_TYPE == F32 && !QUAD)
        [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
            if (before + c < channels)
                result[first + x * channels + before + c] = bits[c];
}
#endif

// Stores one element at an existing pixel. With WIDE, where pixels are not whole words or have more channels
// than an element, it goes to the buffer of floats.
void store_pixel(ELEMENT pixel, uint x, uint y, uint group)
{
    if (!WIDE)
        store_words(finish_pixel(pixel, group), x, y, group);
    uint first = ((number * height + y) * width + x) * channels + group * CHANNELS;
    uint count = WIDE ? channels - group * CHANNELS : 0u;
    if (count > 0u)
        wide[first] = pixel.x;
    if (count > 1u)
        wide[first + 1u] = pixel.y;
#if PLANES == 2
    if (count > 2u)
        wide[first + 2u] = pixel.z;
    if (count > 3u)
        wide[first + 3u] = pixel.w;
#endif
}
