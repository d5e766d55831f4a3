// One step of the engine of 2006 (Fialka & Čadík): radix 2, decimation in frequency.
//
// Texel (n, s) of the look-up texture has what step s does at coordinate n: ±1, the coordinate of the
// partner, sine and cosine. The last step has no twiddles; there the third number is the bit-reversed
// coordinate, so that results come out in order.
#include "common.glsl"

uniform sampler2DArray texels, lookup;
uniform int step_number;
uniform bool last_step;
uniform float direction; // 1: forward, −1: back
uniform float scale;

out vec4 value;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
#if DOWN
    vec4 entry = texelFetch(lookup, ivec3(at.y, step_number, 0), 0);
    ivec2 own = ivec2(at.x, last_step ? int(entry.z) : at.y), other = ivec2(at.x, int(entry.y));
#else
    vec4 entry = texelFetch(lookup, ivec3(at.x, step_number, 0), 0);
    ivec2 own = ivec2(last_step ? int(entry.z) : at.x, at.y), other = ivec2(int(entry.y), at.y);
#endif
    vec2 w = last_step ? vec2(1, 0) : vec2(entry.w, -direction * entry.z);
    vec4 sum = texelFetch(texels, ivec3(other, 0), 0) + entry.x * texelFetch(texels, ivec3(own, 0), 0);
    value = stored(scale * times(sum, w));
}
