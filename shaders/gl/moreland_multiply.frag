// Multiplies packed spectra by the packed spectrum of a filter. The two parts of a number are in columns u
// and M − u or, in columns 0 and M/2 (DOWN), in rows v and N − v. Rows 0 and N/2 of these two columns are
// real numbers (ALONE).
#define REAL 0
#define IMAGINARY 1
#define ALONE 2
#include "common.glsl"

uniform sampler2DArray texels, spectrum;
uniform ivec2 array; // M, N

out vec4 value;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
#if DOWN
    ivec2 other = ivec2(at.x, array.y - at.y);
#else
    ivec2 other = ivec2(array.x - at.x, at.y);
#endif
    vec4 a = texelFetch(texels, ivec3(at, 0), 0);
    float h = texelFetch(spectrum, ivec3(at, 0), 0).x;
#if PART == ALONE
    value = stored(a * h);
#else
    vec4 b = texelFetch(texels, ivec3(other, 0), 0);
    float g = texelFetch(spectrum, ivec3(other, 0), 0).x;
    value = stored(PART == REAL ? a * h - b * g : b * h + a * g);
#endif
}
