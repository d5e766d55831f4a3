// A window of the source, its border by coordinates, as texels.
#include "common.glsl"
#include "source.glsl"
#include "windows.glsl"

out vec4 value;

void main()
{
    value = stored(window_pixel(0, ivec2(gl_FragCoord.xy)));
}
