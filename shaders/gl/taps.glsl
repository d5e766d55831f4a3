// Taps of one kernel pass, in quads: the taps that one texel of the source meets in four neighbouring
// results. The host lays them out in the order in which the pass reads texels (Fialka & Čadík 2006: taps and
// coordinates are uniforms).

layout(std140) uniform Taps { vec4 taps[1024]; };

uniform ivec4 tap_box;    // first column and row, and one past the last, of the texels that the pass reads
uniform ivec2 reach;      // offset of the first texel that the kernel reads from the place of the result
uniform ivec2 window;     // size of what is read
uniform bool accumulates; // the pass adds to `sums`
uniform sampler2DArray texels, sums;

layout(location = 0) out vec4 sum0;
layout(location = 1) out vec4 sum1;
layout(location = 2) out vec4 sum2;
layout(location = 3) out vec4 sum3;

void begin_sums()
{
    sum0 = sum1 = sum2 = sum3 = vec4(0);
}

// The sums of this pass are added to those of the passes before at the end: a sum of many floats loses in
// proportion to its length.
void end_sums(ivec2 at)
{
    if (accumulates) {
        sum0 += texelFetch(sums, ivec3(at, 0), 0);
        sum1 += texelFetch(sums, ivec3(at, 1), 0);
        sum2 += texelFetch(sums, ivec3(at, 2), 0);
        sum3 += texelFetch(sums, ivec3(at, 3), 0);
    }
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
