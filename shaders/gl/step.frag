// One step of the fast engine: a butterfly of radix RADIX, of which results FIRST … FIRST + COUNT − 1 go to as many
// layers.
#include "common.glsl"
#include "inputs.glsl"
#include "butterflies.glsl"

uniform int first_row; // of the block that is written
uniform float scale;
#if FROM == SAME
uniform sampler2DArray twiddles; // W_N^n

// Value m is turned by w^m, w = W_(lr)^(j mod l). The first power comes from a table, the others are products of it.
void turn_inputs()
{
    int n = (j - quotient(j, span) * span) * (butterflies / span);
    vec2 w1 = texelFetch(twiddles, ivec3(n, 0, 0), 0).xy;
    x[1] = times(x[1], w1);
#if RADIX > 2
    vec2 w2 = product(w1, w1);
    x[2] = times(x[2], w2);
#endif
#if RADIX > 3
    vec2 w3 = product(w2, w1);
    x[3] = times(x[3], w3);
#endif
#if RADIX > 4
    vec2 w4 = product(w2, w2);
    x[4] = times(x[4], w4);
#endif
#if RADIX > 5
    x[5] = times(x[5], product(w4, w1));
    x[6] = times(x[6], product(w4, w2));
    x[7] = times(x[7], product(w4, w3));
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
    out0 = stored(scale * x[FIRST]);
#if COUNT > 1
    out1 = stored(scale * x[FIRST + 1]);
#endif
#if COUNT > 2
    out2 = stored(scale * x[FIRST + 2]);
#endif
#if COUNT > 3
    out3 = stored(scale * x[FIRST + 3]);
#endif
#if COUNT > 4
    out4 = stored(scale * x[FIRST + 4]);
#endif
#if COUNT > 5
    out5 = stored(scale * x[FIRST + 5]);
    out6 = stored(scale * x[FIRST + 6]);
    out7 = stored(scale * x[FIRST + 7]);
#endif
}
