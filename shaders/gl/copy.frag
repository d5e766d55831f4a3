// Copies the results of a batch of windows to where they belong in the region, for one group of channels.
#include "common.glsl"
#include "read.glsl"

uniform sampler2DArray results;
uniform int group;

out vec4 value;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    int window = window_of(at, group);
    if (window < 0 || window >= window_count)
        discard;
    value = read_result(results, at, group);
}
