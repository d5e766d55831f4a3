// One step of the fast engine by the definition of the transform, for any radix: every fragment is one sum.
//
// Lengths with other primes than 2, 3 and 5 take all of their steps this way; LAYERS is 1.
#include "common.glsl"

uniform int radix;
#define RADIX radix
#include "inputs.glsl"

uniform int grid_count; // butterflies of the whole pass
uniform int block_rows; // of one result of all of them
uniform float scale;
uniform sampler2DArray twiddles; // W_N^n
uniform int twiddle_shift;

out vec4 value;

vec2 twiddle(int n)
{
    return texelFetch(twiddles, ivec3(n & ((1 << twiddle_shift) - 1), n >> twiddle_shift, 0), 0).xy;
}

// Terms are summed in parts of PART, so that rounding errors grow with the number of parts and of their terms alone.
const int PART = 32;

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    int k = pixel.y / block_rows, place = ((pixel.y - k * block_rows) << grid_shift) + pixel.x;
    if (place >= grid_count)
        discard;
    butterfly at = butterfly_at(place);
    find_inputs(at);
    int length = butterflies * radix, turn = at.j % span * (butterflies / span) + k * butterflies, angle = 0;
    value = vec4(0);
    for (int first = 0; first < radix; first += PART) {
        vec4 part = vec4(0);
        for (int m = first; m < min(first + PART, radix); m++) {
            part += times(read_input(at, m), twiddle(angle));
            angle += turn;
            angle -= angle >= length ? length : 0;
        }
        value += part;
    }
    value *= scale;
}
