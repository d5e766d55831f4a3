// Separable convolution, second half: a fragment computes four results of a column, in four layers, from the
// results of separable_rows.frag.
#include "common.glsl"
#include "taps.glsl"

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    int corner = 4 * at.y + reach.y, next = 0;
    begin_sums();
    for (int j = tap_box.y; j < tap_box.w; j++)
        add(texelFetch(texels, ivec3(at.x >> 2, min(corner + j, window.y - 1), at.x & 3), 0), taps[next++]);
    end_sums(at);
}
