// Precision, whole numbers, and arithmetic on texels that hold two complex numbers: (R + iG, B + iA).
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
precision highp usampler2DArray;

// a div n for 0 ≤ a < 2^20: floats are exact enough, and GPUs have no division of whole numbers.
int quotient(int a, int n)
{
    return int((float(a) + 0.5) / float(n));
}

vec4 turned(vec4 a) // a · (−i)
{
    return vec4(a.y, -a.x, a.w, -a.z);
}

// With its parts swapped, a forward transform is an inverse one.
vec4 swapped(vec4 a)
{
    return a.yxwz;
}

vec4 times(vec4 a, vec2 w) // a · w
{
    return a * w.x - turned(a) * w.y;
}

vec2 product(vec2 a, vec2 b)
{
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// What a target of 16 or 32 bits is given. Drivers may cut halves off instead of rounding them, and the error of many
// passes would then add up to one side.
vec4 stored(vec4 value)
{
#if HALVES
    uvec4 bits = floatBitsToUint(value);
    return uintBitsToFloat((bits + 0xfffu + (bits >> 13 & 1u)) & 0xffffe000u);
#else
    return value;
#endif
}
