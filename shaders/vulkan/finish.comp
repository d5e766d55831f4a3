// Results that were kept as floats are finished and stored, one word at a time: pixels that are not whole words, or
// have more channels than an element.
//
// x counts words of a row, y rows.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "interface.glsl"
#include "pixels.glsl"

uint finish_sample(uint pixel, uint c, uint y)
{
    uint first = ((number * height + y) * width + pixel) * channels;
    float alpha = PREMULTIPLY ? result_alpha(wide[first + channels - 1u], pixel, y) : 1.0;
    float value = wide[first + c];
    return bits_of(is_colour(c) ? finish_colour(value, alpha) : PREMULTIPLY ? alpha : value);
}

void main()
{
    uint word = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    uint bits = bits_per(RESULT_TYPE), samples = 32u / bits;
    if (word * samples >= width * channels || y >= height)
        return;
    uint packed = 0u;
    [[unroll]] for (uint i = 0u; i < samples; i++) {
        uint at = word * samples + i;
        if (at < width * channels)
            packed |= finish_sample(at / channels, at % channels, y) << (i * bits);
    }
    result[(number * height + y) * result_pitch + word] = packed;
}
