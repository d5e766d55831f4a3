// One iteration of the FFT, eq. 6, with u = n div N/2^i and W = W_(2^i):
//   A[n] ← A[n + u·N/2^i] + W^u · A[n + u·N/2^i + N/2^i]
#include "moreland.glsl"

uniform int partitions;          // N/2^i
uniform float direction;         // 1: forward, −1: back
uniform sampler2DArray twiddles; // W_N^n

out vec4 value;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    int n = along(at), u = quotient(n, partitions), length = length_of_lines(), turn = u * partitions;
    int even = (n + turn) & (length - 1), odd = (even + partitions) & (length - 1);
    vec2 w = texelFetch(twiddles, ivec3(turn, 0, 0), 0).xy;
    w.y *= PART == REAL ? -direction : direction;
    vec4 own = at_place(moved(at, odd)), other = at_place(moved(other_part(at), odd));
    value = stored(at_place(moved(at, even)) + w.x * own + w.y * other);
}
