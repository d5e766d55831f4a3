// Butterflies of RADIX values in place: after transform(), RESULT(k) is Σ x_m W_r^(km).

vec4 x[RADIX];
#if RADIX == 16
#define RESULT(k) x[4 * ((k) & 3) + ((k) >> 2)]
#else
#define RESULT(k) x[k]
#endif

void butterfly2(int a, int b)
{
    vec4 first = x[a];
    x[a] = first + x[b];
    x[b] = first - x[b];
}

void butterfly4(int a, int b, int c, int d)
{
    vec4 even = x[a] + x[c], even_rest = x[a] - x[c];
    vec4 odd = x[b] + x[d], odd_rest = turned(x[b] - x[d]);
    x[a] = even + odd;
    x[b] = even_rest + odd_rest;
    x[c] = even - odd;
    x[d] = even_rest - odd_rest;
}

#if RADIX == 3
void transform()
{
    vec4 sum = x[1] + x[2], side = turned(x[1] - x[2]) * 0.866025403784438647; // sin 60°
    vec4 middle = x[0] - 0.5 * sum;
    x[0] += sum;
    x[1] = middle + side;
    x[2] = middle - side;
}
#elif RADIX == 5
void transform()
{
    const float C1 = 0.309016994374947424, C2 = -0.809016994374947424; // cos 72°, cos 144°
    const float S1 = 0.951056516295153572, S2 = 0.587785252292473129;
    vec4 a = x[0], p1 = x[1] + x[4], p2 = x[2] + x[3];
    vec4 m1 = turned(x[1] - x[4]), m2 = turned(x[2] - x[3]);
    vec4 r1 = a + C1 * p1 + C2 * p2, r2 = a + C2 * p1 + C1 * p2;
    vec4 i1 = S1 * m1 + S2 * m2, i2 = S2 * m1 - S1 * m2;
    x[0] = a + p1 + p2;
    x[1] = r1 + i1;
    x[4] = r1 - i1;
    x[2] = r2 + i2;
    x[3] = r2 - i2;
}
#elif RADIX == 16
// Four butterflies of radix 4, twiddles, and four butterflies of radix 4.
void transform()
{
    const vec2 W1 = vec2(0.923879532511286756, -0.382683432365089772); // cos 22.5°
    const vec2 W2 = vec2(0.707106781186547524, -0.707106781186547524), W3 = vec2(-W1.y, -W1.x);
    for (int m = 0; m < 4; m++)
        butterfly4(m, m + 4, m + 8, m + 12);
    x[5] = times(x[5], W1);
    x[9] = times(x[9], W2);
    x[13] = times(x[13], W3);
    x[6] = times(x[6], W2);
    x[10] = turned(x[10]);
    x[14] = times(x[14], vec2(-W2.x, W2.y));
    x[7] = times(x[7], W3);
    x[11] = times(x[11], vec2(-W2.x, W2.y));
    x[15] = times(x[15], -W1);
    for (int k = 0; k < 16; k += 4)
        butterfly4(k, k + 1, k + 2, k + 3);
}
#elif RADIX == 8
// Butterflies of radix 4 of the even and of the odd values, twiddles, and four butterflies of radix 2.
void transform()
{
    const float HALF = 0.707106781186547524; // cos 45°
    butterfly4(0, 2, 4, 6);
    butterfly4(1, 3, 5, 7);
    vec4 w0 = x[1], w1 = HALF * (x[3] + turned(x[3])), w2 = turned(x[5]), w3 = HALF * (turned(x[7]) - x[7]);
    vec4 e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6];
    x[0] = e0 + w0;
    x[4] = e0 - w0;
    x[1] = e1 + w1;
    x[5] = e1 - w1;
    x[2] = e2 + w2;
    x[6] = e2 - w2;
    x[3] = e3 + w3;
    x[7] = e3 - w3;
}
#elif RADIX == 4
void transform()
{
    butterfly4(0, 1, 2, 3);
}
#elif RADIX == 2
void transform()
{
    butterfly2(0, 1);
}
#else
void transform()
{
}
#endif
