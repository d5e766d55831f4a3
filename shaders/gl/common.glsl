// Precision, and arithmetic on texels that hold two complex numbers: (R + iG, B + iA).
precision highp float;
precision highp int;
precision highp sampler2DArray;
precision highp usampler2DArray;

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
