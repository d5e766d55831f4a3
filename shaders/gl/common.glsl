// Precision, integer division, and arithmetic on texels that hold two complex numbers: (R + iG, B + iA).
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
precision highp usampler2DArray;

// a div n for 0 ≤ a < 2^20, where floats are exact enough: GPUs have no integer division.
int quotient(int a, int n)
{
    return int((float(a) + 0.5) / float(n));
}

// a · (−i)
vec4 turned(vec4 a)
{
    return vec4(a.y, -a.x, a.w, -a.z);
}

// Swaps real and imaginary parts. A forward transform of swapped values is a swapped inverse transform.
vec4 swapped(vec4 a)
{
    return a.yxwz;
}

// a · w
vec4 times(vec4 a, vec2 w)
{
    return a * w.x - turned(a) * w.y;
}

vec2 product(vec2 a, vec2 b)
{
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// The value to write to a target of 16 or 32 bits. Drivers may truncate to halves instead of rounding, and
// the errors of many passes would then add up; so the shader rounds.
vec4 stored(vec4 value)
{
#if HALVES
    uvec4 bits = floatBitsToUint(value);
    return uintBitsToFloat((bits + 0xfffu + (bits >> 13 & 1u)) & 0xffffe000u);
#else
    return value;
#endif
}
