// One step of the fast engine by the definition of the transform, for any radix: a fragment computes one sum.
//
// If a length has prime factors other than 2, 3 and 5, all steps of the grid are of this kind. There is one
// layer, and each result has its slice.
#include "common.glsl"

uniform int radix;
#define RADIX radix
#include "inputs.glsl"

uniform float scale;
uniform sampler2DArray twiddles; // W_N^n

out vec4 value;

// Terms are summed in parts of PART, so that rounding errors grow with PART and with the number of parts
// only.
const int PART = 32;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    int k = quotient(at.y, rows);
    if (!find_butterfly(at - ivec2(0, k * rows)))
        discard;
    find_inputs();
    int length = butterflies * radix, angle = 0;
    int turn = (j - quotient(j, span) * span) * (butterflies / span) + k * butterflies;
    vec4 sum = vec4(0);
    for (int first = 0; first < radix; first += PART) {
        vec4 part = vec4(0);
        for (int m = first; m < min(first + PART, radix); m++) {
            part += times(read_input(m), texelFetch(twiddles, ivec3(angle, 0, 0), 0).xy);
            angle += turn;
            angle -= angle >= length ? length : 0;
        }
        sum += part;
    }
    value = stored(scale * sum);
}
