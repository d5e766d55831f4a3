// Last step of results that were written as floats: pixels that are not whole words, have more channels than
// an element, or keep the alpha of the source.
//
// x counts words of a row, or pixels of an image; y counts rows.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "interface.glsl"
#include "pixels.glsl"

// Alpha of the result at (x, y): the filtered alpha divided by the filter's gain, or the source's alpha.
float result_alpha(float filtered, uint x, uint y)
{
    if (alpha_gain != 0.0)
        return filtered / alpha_gain;
    float alpha = EVEN ? load_alpha(y, x) // the maps fold
                       : load_alpha(uint(maps[map_y + before_y + y]), uint(maps[map_x + before_x + x]));
    return is_finite(alpha) ? alpha : 0.0;
}

uint finish_sample(uint pixel, uint c, uint y)
{
    uint first = ((number * height + y) * width + pixel) * channels;
    float alpha = PREMULTIPLY ? result_alpha(wide[first + channels - 1u], pixel, y) : 1.0;
    return finish_channel(wide[first + c], c, alpha);
}

void main()
{
    uint at = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
#if RESULT_IMAGE
    if (at < width && y < height)
        store_words(BITS(finish_sample(at, 0u, y), finish_sample(at, 1u, y), finish_sample(at, 2u, y),
                         finish_sample(at, 3u, y)),
                    at, y, 0u);
#else
    uint bits = bits_per(RESULT_TYPE), samples = 32u / bits, packed = 0u;
    if (at * samples >= width * channels || y >= height)
        return;
    [[unroll]] for (uint i = 0u; i < samples; i++) {
        uint index = at * samples + i;
        if (index < width * channels)
            packed |= finish_sample(index / channels, index % channels, y) << (i * bits);
    }
    result[(number * height + y) * result_pitch + at] = packed;
#endif
}
