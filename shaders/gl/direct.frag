// Direct convolution (Payne et al. 2005): a fragment computes four results of a column, in four layers.
#include "common.glsl"
#include "taps.glsl"

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy), corner = ivec2(at.x, 4 * at.y) + reach;
    int next = 0;
    begin_sums();
    for (int i = tap_box.x; i < tap_box.z; i++)
        for (int j = tap_box.y; j < tap_box.w; j++)
            add(texelFetch(texels, ivec3(min(corner + ivec2(i, j), window - 1), 0), 0), taps[next++]);
    end_sums(at);
}
