// Separable convolution, first half: a fragment computes four results of a row, in four layers, for every row
// of the window.
#include "common.glsl"
#include "taps.glsl"

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    int corner = 4 * at.x + reach.x, next = 0;
    begin_sums();
    for (int i = tap_box.x; i < tap_box.z; i++)
        add(texelFetch(texels, ivec3(min(corner + i, window.x - 1), at.y, 0), 0), taps[next++]);
    end_sums(at);
}
