// Passes on numbers that need no tangling.
#include "common.glsl"

uniform sampler2DArray texels;

out vec4 value;

void main()
{
    value = texelFetch(texels, ivec3(gl_FragCoord.xy, 0), 0);
}
