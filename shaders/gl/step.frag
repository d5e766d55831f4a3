// One step of the fast engine: a fragment computes a butterfly of radix RADIX and writes results FIRST …
// FIRST + COUNT − 1 to as many layers.
#include "common.glsl"
#include "inputs.glsl"
#include "butterflies.glsl"

uniform int first_row; // of the slice that is written
uniform float scale;
#if FROM == SAME
uniform sampler2DArray twiddles; // W_N^n

vec2 twiddle(int n)
{
    return texelFetch(twiddles, ivec3(n, 0, 0), 0).xy;
}

// Multiplies value m by w^m, w = W_(lr)^(j mod l). Two powers come from a table; the others are products of
// them.
void turn_inputs()
{
    int n = (j - quotient(j, span) * span) * (butterflies / span);
    vec2 w[4];
    w[1] = twiddle(n);
    w[2] = product(w[1], w[1]);
    w[3] = product(w[2], w[1]);
    for (int m = 1; m < min(RADIX, 4); m++)
        x[m] = times(x[m], w[m]);
#if RADIX > 4
    vec2 high = twiddle(4 * n), power = high;
    for (int m = 4; m < RADIX; m++) {
        x[m] = times(x[m], m % 4 == 0 ? power : product(power, w[m % 4]));
        power = m % 4 == 3 ? product(power, high) : power;
    }
#endif
}
#endif

layout(location = 0) out vec4 out0;
#if COUNT > 1
layout(location = 1) out vec4 out1;
#endif
#if COUNT > 2
layout(location = 2) out vec4 out2;
#endif
#if COUNT > 3
layout(location = 3) out vec4 out3;
#endif
#if COUNT > 4
layout(location = 4) out vec4 out4;
#endif
#if COUNT > 5
layout(location = 5) out vec4 out5;
layout(location = 6) out vec4 out6;
layout(location = 7) out vec4 out7;
#endif

void main()
{
    if (!find_butterfly(ivec2(gl_FragCoord.xy) - ivec2(0, first_row)))
        discard;
    find_inputs();
    for (int m = 0; m < RADIX; m++)
        x[m] = read_input(m);
#if FROM == SAME
    turn_inputs();
#endif
    transform();
    out0 = stored(scale * RESULT(FIRST));
#if COUNT > 1
    out1 = stored(scale * RESULT(FIRST + 1));
#endif
#if COUNT > 2
    out2 = stored(scale * RESULT(FIRST + 2));
#endif
#if COUNT > 3
    out3 = stored(scale * RESULT(FIRST + 3));
#endif
#if COUNT > 4
    out4 = stored(scale * RESULT(FIRST + 4));
#endif
#if COUNT > 5
    out5 = stored(scale * RESULT(FIRST + 5));
    out6 = stored(scale * RESULT(FIRST + 6));
    out7 = stored(scale * RESULT(FIRST + 7));
#endif
}
