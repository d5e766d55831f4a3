// Taps of a piece of a kernel, four at a time: those that one texel of the source has in four neighbouring results.
// Laid out by the host as the piece is walked (Fialka & Čadík 2006: taps and coordinates are uniforms).

layout(std140) uniform Taps { vec4 taps[1024]; };

uniform ivec4 piece;    // first column and row, and one past the last, of the texels that the piece looks at
uniform ivec2 reach;    // of the first texel, from a result's own place
uniform ivec2 window;   // the size of what is read
uniform bool more;      // sums go on from `sums`
uniform sampler2DArray texels, sums;
uniform int sums_layer; // of the first of four

layout(location = 0) out vec4 sum0;
layout(location = 1) out vec4 sum1;
layout(location = 2) out vec4 sum2;
layout(location = 3) out vec4 sum3;

void begin_sums(ivec2 at)
{
    sum0 = more ? texelFetch(sums, ivec3(at, sums_layer), 0) : vec4(0);
    sum1 = more ? texelFetch(sums, ivec3(at, sums_layer + 1), 0) : vec4(0);
    sum2 = more ? texelFetch(sums, ivec3(at, sums_layer + 2), 0) : vec4(0);
    sum3 = more ? texelFetch(sums, ivec3(at, sums_layer + 3), 0) : vec4(0);
}

void end_sums()
{
    sum0 = stored(sum0);
    sum1 = stored(sum1);
    sum2 = stored(sum2);
    sum3 = stored(sum3);
}

void add(vec4 texel, vec4 tap)
{
    sum0 += tap.x * texel;
    sum1 += tap.y * texel;
    sum2 += tap.z * texel;
    sum3 += tap.w * texel;
}
