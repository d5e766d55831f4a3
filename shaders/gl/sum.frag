// One step of the fast engine by the definition of the transform, for any radix: every fragment is one sum.
//
// Lengths with other primes than 2, 3 and 5 take all of their steps this way; there is one layer, and result k has a
// block of its own.
#include "common.glsl"

uniform int radix;
#define RADIX radix
#include "inputs.glsl"

uniform float scale;
uniform sampler2DArray twiddles; // W_N^n

out vec4 value;

// Terms are summed in parts of PART, so that rounding errors grow with the number of parts and of their terms alone.
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
