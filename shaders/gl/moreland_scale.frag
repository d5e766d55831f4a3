// Scales numbers that need no untangling.
#include "common.glsl"

uniform sampler2DArray texels;
uniform float scale;

out vec4 value;

void main()
{
    value = stored(scale * texelFetch(texels, ivec3(gl_FragCoord.xy, 0), 0));
}
