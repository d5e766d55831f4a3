// Transforms of a few points in registers: the butterflies of transform.cuh. All of them compute
//
//     y_k = Σ_j x_j e^(∓2πi jk/n),   − forward, + inverse
//
// from natural order to natural order. `n` and `inverse` are constants to the compiler.
#ifndef ABBE_KERNELS_CUDA_BUTTERFLIES_CUH
#define ABBE_KERNELS_CUDA_BUTTERFLIES_CUH

#include "machine.cuh"

#define ABCU_RADIX_MAX 36

ABCU_INLINE float2 sum(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

ABCU_INLINE float2 difference(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

ABCU_INLINE float2 scaled(float2 a, float factor)
{
    return make_float2(a.x * factor, a.y * factor);
}

// a · b
ABCU_INLINE float2 product(float2 a, float2 b)
{
    return make_float2(fmaf(a.x, b.x, -a.y * b.y), fmaf(a.x, b.y, a.y * b.x));
}

ABCU_INLINE float2 conjugate(float2 a)
{
    return make_float2(a.x, -a.y);
}

// a · (−i) forward, a · i inverse
ABCU_INLINE float2 quarter_turn(float2 a, bool inverse)
{
    return inverse ? make_float2(-a.y, a.x) : make_float2(a.y, -a.x);
}

// a · e^(∓2πi k/n)
ABCU_INLINE float2 turned(float2 a, int k, int n, bool inverse)
{
    const float root = 0.70710678118654752440f;
    k %= n;
    if (k == 0)
        return a;
    if (2 * k == n)
        return make_float2(-a.x, -a.y);
    if (4 * k == n)
        return quarter_turn(a, inverse);
    if (4 * k == 3 * n)
        return quarter_turn(a, !inverse);
    if (8 * k % n == 0) { // an odd number of eighths
        float2 b = inverse ? make_float2((a.x - a.y) * root, (a.y + a.x) * root)
                           : make_float2((a.x + a.y) * root, (a.y - a.x) * root);
        int eighths = 8 * k / n;
        return eighths == 1   ? b
               : eighths == 3 ? quarter_turn(b, inverse)
               : eighths == 5 ? make_float2(-b.x, -b.y)
                              : quarter_turn(b, !inverse);
    }
    float2 w = turn(k, n);
    float s = inverse ? -w.y : w.y;
    return make_float2(fmaf(a.x, w.x, -a.y * s), fmaf(a.y, w.x, a.x * s));
}

// ---- Without twiddles ----

ABCU_INLINE void dft_2(float2 *x)
{
    float2 a = x[0];
    x[0] = sum(a, x[1]);
    x[1] = difference(a, x[1]);
}

ABCU_INLINE void dft_3(float2 *x, bool inverse)
{
    const float sine_60 = 0.86602540378443864676f;
    float2 both = sum(x[1], x[2]), side = quarter_turn(difference(x[1], x[2]), inverse);
    float2 middle = make_float2(fmaf(-0.5f, both.x, x[0].x), fmaf(-0.5f, both.y, x[0].y));
    x[0] = sum(x[0], both);
    x[1] = make_float2(fmaf(sine_60, side.x, middle.x), fmaf(sine_60, side.y, middle.y));
    x[2] = make_float2(fmaf(-sine_60, side.x, middle.x), fmaf(-sine_60, side.y, middle.y));
}

ABCU_INLINE void dft_4(float2 *x, bool inverse)
{
    float2 a = sum(x[0], x[2]), b = difference(x[0], x[2]);
    float2 c = sum(x[1], x[3]), d = quarter_turn(difference(x[1], x[3]), inverse);
    x[0] = sum(a, c);
    x[1] = sum(b, d);
    x[2] = difference(a, c);
    x[3] = difference(b, d);
}

// Odd n by definition: sums and differences of elements j and n − j, with the cosines and sines of multiples
// of 360° / n.
ABCU_INLINE void dft_odd(float2 *x, int n, bool inverse)
{
    const int half = n / 2;
    float2 first = x[0], all = x[0], sums[6], sides[6];
#pragma unroll
    for (int j = 1; j <= half; j++) {
        sums[j - 1] = sum(x[j], x[n - j]);
        sides[j - 1] = quarter_turn(difference(x[j], x[n - j]), inverse);
        all = sum(all, sums[j - 1]);
    }
    x[0] = all;
#pragma unroll
    for (int k = 1; k <= half; k++) {
        float2 middle = first, side = make_float2(0, 0);
#pragma unroll
        for (int j = 1; j <= half; j++) {
            float2 w = turn(j * k % n, n);
            middle = make_float2(fmaf(w.x, sums[j - 1].x, middle.x), fmaf(w.x, sums[j - 1].y, middle.y));
            side = make_float2(fmaf(-w.y, sides[j - 1].x, side.x), fmaf(-w.y, sides[j - 1].y, side.y));
        }
        x[k] = sum(middle, side);
        x[n - k] = difference(middle, side);
    }
}

ABCU_INLINE void dft_prime(float2 *x, int n, bool inverse)
{
    if (n == 2)
        dft_2(x);
    else if (n == 3)
        dft_3(x, inverse);
    else if (n == 4)
        dft_4(x, inverse);
    else if (n > 4)
        dft_odd(x, n, inverse);
}

// n = a · b points as b transforms of a points, twiddles, and a transforms of b points (Cooley & Tukey 1965):
//
//     y_(c + a·d) = Σ_j e^(∓2πi jd/b) · e^(∓2πi jc/n) · Σ_m x_(j + b·m) e^(∓2πi mc/a)
#define ABCU_PRODUCT(name, part)                                                                        \
    ABCU_INLINE void name(float2 *x, int a, int b, bool inverse)                                        \
    {                                                                                                   \
        float2 y[ABCU_RADIX_MAX], t[ABCU_RADIX_MAX];                                                    \
        ABCU_UNROLL for (int j = 0; j < b; j++)                                                         \
        {                                                                                               \
            ABCU_UNROLL for (int m = 0; m < a; m++) t[m] = x[j + b * m];                                \
            part(t, a, inverse);                                                                        \
            ABCU_UNROLL for (int c = 0; c < a; c++) y[j * a + c] = turned(t[c], j * c, a * b, inverse); \
        }                                                                                               \
        ABCU_UNROLL for (int c = 0; c < a; c++)                                                         \
        {                                                                                               \
            ABCU_UNROLL for (int j = 0; j < b; j++) t[j] = y[j * a + c];                                \
            part(t, b, inverse);                                                                        \
            ABCU_UNROLL for (int d = 0; d < b; d++) x[c + a * d] = t[d];                                \
        }                                                                                               \
    }
#define ABCU_UNROLL _Pragma("unroll")

ABCU_PRODUCT(dft_of_primes, dft_prime)

ABCU_INLINE void dft_small(float2 *x, int n, bool inverse)
{
    if (n == 8 || n == 12 || n == 16)
        dft_of_primes(x, 4, n / 4, inverse);
    else if (n == 6 || n == 9)
        dft_of_primes(x, 3, n / 3, inverse);
    else if (n == 10 || n == 15 || n == 20 || n == 25)
        dft_of_primes(x, 5, n / 5, inverse);
    else if (n == 14)
        dft_of_primes(x, 7, 2, inverse);
    else
        dft_prime(x, n, inverse);
}

ABCU_PRODUCT(dft_of_small, dft_small)

ABCU_INLINE void dft(float2 *x, int n, bool inverse)
{
    if (n == 24 || n == 32)
        dft_of_small(x, 8, n / 8, inverse);
    else if (n == 18 || n == 36)
        dft_of_small(x, 6, n / 6, inverse);
    else
        dft_small(x, n, inverse);
}

// ---- With twiddles: y_k = Σ_j w^j x_j e^(∓2πi jk/n) ----

// a, b ← a + w b, a − w b in six multiply-adds.
ABCU_INLINE void twisted_2(float2 *a, float2 *b, float2 w)
{
    float2 s;
    s.x = fmaf(-w.y, b->y, fmaf(w.x, b->x, a->x));
    s.y = fmaf(w.y, b->x, fmaf(w.x, b->y, a->y));
    *b = make_float2(fmaf(2, a->x, -s.x), fmaf(2, a->y, -s.y));
    *a = s;
}

ABCU_INLINE int reversed_bits(int j, int n)
{
    int reversed = 0;
#pragma unroll
    for (int bit = 1; bit < 64; bit *= 2)
        if (bit < n)
            reversed = 2 * reversed + (j / bit & 1);
    return reversed;
}

// One level of radix 2 on elements in bit-reversed order: pairs of transforms of `half` points become
// transforms of 2 · half; w is the twiddle's power n / (2 · half), so that element k of the second has w ·
// e^(∓2πi k / (2 · half)).
ABCU_INLINE void twisted_level(float2 *x, int n, int half, float2 w, bool inverse)
{
    if (2 * half > n)
        return;
#pragma unroll
    for (int i = 0; i < n / 2; i++) {
        int k = i % half, at = i / half * 2 * half + k, near = 2 * k < half ? k : k - half / 2;
        float2 root = turned(w, near, 2 * half, inverse);
        if (near != k)
            root = quarter_turn(root, inverse);
#pragma unroll
        for (int v = 0; v < ABCU_HELD; v++)
            twisted_2(&x[at * ABCU_HELD + v], &x[(at + half) * ABCU_HELD + v], root);
    }
}

// Powers of two, by levels of radix 2; w2, w4 and w8 are powers of w.
ABCU_INLINE void twisted_power_of_2(float2 *x, int n, float2 w, float2 w2, float2 w4, float2 w8, bool inverse)
{
    float2 y[2 * 32];
    float2 w16 = n > 16 ? product(w8, w8) : w8;
#pragma unroll
    for (int j = 0; j < n; j++)
#pragma unroll
        for (int v = 0; v < ABCU_HELD; v++)
            y[reversed_bits(j, n) * ABCU_HELD + v] = x[j * ABCU_HELD + v];
    twisted_level(y, n, 1, n == 2 ? w : n == 4 ? w2 : n == 8 ? w4 : n == 16 ? w8 : w16, inverse);
    twisted_level(y, n, 2, n == 4 ? w : n == 8 ? w2 : n == 16 ? w4 : w8, inverse);
    twisted_level(y, n, 4, n == 8 ? w : n == 16 ? w2 : w4, inverse);
    twisted_level(y, n, 8, n == 16 ? w : w2, inverse);
    twisted_level(y, n, 16, w, inverse);
#pragma unroll
    for (int j = 0; j < n * ABCU_HELD; j++)
        x[j] = y[j];
}

// Other radices: multiplies by the powers of w, of which few are live at a time, then transforms.
ABCU_INLINE void twisted_other(float2 *x, int n, float2 w, float2 w2, float2 w4, bool inverse)
{
    float2 powers[4] = { w4, w, w2, product(w2, w) };
#pragma unroll
    for (int j = 1; j < n; j++) {
        if (j > 4)
            powers[j % 4] = product(powers[j % 4], w4);
#pragma unroll
        for (int v = 0; v < ABCU_HELD; v++)
            x[j * ABCU_HELD + v] = product(x[j * ABCU_HELD + v], powers[j % 4]);
    }
#pragma unroll
    for (int v = 0; v < ABCU_HELD; v++) {
        float2 y[ABCU_RADIX_MAX];
#pragma unroll
        for (int j = 0; j < n; j++)
            y[j] = x[j * ABCU_HELD + v];
        dft(y, n, inverse);
#pragma unroll
        for (int j = 0; j < n; j++)
            x[j * ABCU_HELD + v] = y[j];
    }
}

#endif
