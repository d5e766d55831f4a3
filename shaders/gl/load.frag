// Loads one window of the source with its border.
#include "common.glsl"
#include "source.glsl"
#include "windows.glsl"

out vec4 value;

void main()
{
    value = stored(window_pixel(0, ivec2(gl_FragCoord.xy)));
}
