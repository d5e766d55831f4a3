// Multiplies the spectra of two complex planes by H.
#include "common.glsl"

uniform sampler2DArray texels;
uniform sampler2DArray spectrum; // H, real in R or complex in (R, G)

out vec4 value;

void main()
{
    ivec3 at = ivec3(gl_FragCoord.xy, 0);
    value = stored(times(texelFetch(texels, at, 0), texelFetch(spectrum, at, 0).xy));
}
