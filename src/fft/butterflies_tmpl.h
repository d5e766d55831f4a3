/* Template: the discrete Fourier transforms of 2, 3, 4, 5, 7, 8 and 16 numbers, as straight-line code.
 *
 * half_r computes the cosine and sine sums of r real numbers,
 *     c[k] = Σ x[j] cos(2πjk/r), 0 ≤ k ≤ r/2,      s[k] = Σ x[j] sin(2πjk/r), 0 < k < r/2,
 * and the transform of complex numbers consists of two of them, for real and for imaginary parts:
 *     F(k)     = c_re[k] + s_im[k] + j (c_im[k] − s_re[k])
 *     F(r − k) = c_re[k] − s_im[k] + j (c_im[k] + s_re[k]).
 * Odd radices combine x[j] with x[r − j]: cosines apply to the sums only, sines to the differences only.
 * size.c counts the operations. Included by fft_tmpl.h, and by the CPU's kernels with wider vectors. */

#include "core/vector_tmpl.h"

enum { RADIX_MAX = 16, HALF_MAX = RADIX_MAX / 2 + 1 };

/* Radices whose numbers do not fit in the registers of WebAssembly's hosts have one copy of their code there, which is
 * as fast and makes the module smaller. */
#if defined __wasm__
#define SHARED static inline __attribute__((noinline))
#else
#define SHARED INLINE
#endif

typedef void half_function(const VECTOR *x, VECTOR *c, VECTOR *s);

INLINE void half_2(const VECTOR *x, VECTOR *c, VECTOR *s)
{
    (void)s;
    c[0] = x[0] + x[1];
    c[1] = x[0] - x[1];
}

INLINE void half_3(const VECTOR *x, VECTOR *c, VECTOR *s)
{
    const REAL sine = (REAL)0.866025403784438646764L;
    VECTOR sum = x[1] + x[2];
    c[0] = x[0] + sum;
    c[1] = x[0] - (REAL)0.5 * sum;
    s[1] = sine * (x[1] - x[2]);
}

INLINE void half_4(const VECTOR *x, VECTOR *c, VECTOR *s)
{
    VECTOR even = x[0] + x[2], odd = x[1] + x[3];
    c[0] = even + odd;
    c[1] = x[0] - x[2];
    c[2] = even - odd;
    s[1] = x[1] - x[3];
}

INLINE void half_5(const VECTOR *x, VECTOR *c, VECTOR *s)
{
    const REAL c1 = (REAL)0.309016994374947424102L, s1 = (REAL)0.951056516295153572116L;
    const REAL c2 = (REAL)-0.809016994374947424102L, s2 = (REAL)0.587785252292473129169L;
    VECTOR sum1 = x[1] + x[4], sum2 = x[2] + x[3];
    VECTOR difference1 = x[1] - x[4], difference2 = x[2] - x[3];
    c[0] = x[0] + (sum1 + sum2);
    c[1] = x[0] + c1 * sum1 + c2 * sum2;
    c[2] = x[0] + c2 * sum1 + c1 * sum2;
    s[1] = s1 * difference1 + s2 * difference2;
    s[2] = s2 * difference1 - s1 * difference2;
}

SHARED void half_7(const VECTOR *x, VECTOR *c, VECTOR *s)
{
    const REAL c1 = (REAL)0.623489801858733530525L, s1 = (REAL)0.781831482468029808708L;
    const REAL c2 = (REAL)-0.222520933956314404289L, s2 = (REAL)0.974927912181823607018L;
    const REAL c3 = (REAL)-0.900968867902419126236L, s3 = (REAL)0.433883739117558120476L;
    VECTOR sum1 = x[1] + x[6], sum2 = x[2] + x[5], sum3 = x[3] + x[4];
    VECTOR difference1 = x[1] - x[6], difference2 = x[2] - x[5], difference3 = x[3] - x[4];
    c[0] = x[0] + (sum1 + sum2 + sum3);
    c[1] = x[0] + c1 * sum1 + c2 * sum2 + c3 * sum3;
    c[2] = x[0] + c2 * sum1 + c3 * sum2 + c1 * sum3;
    c[3] = x[0] + c3 * sum1 + c1 * sum2 + c2 * sum3;
    s[1] = s1 * difference1 + s2 * difference2 + s3 * difference3;
    s[2] = s2 * difference1 - s3 * difference2 - s1 * difference3;
    s[3] = s3 * difference1 - s1 * difference2 + s2 * difference3;
}

INLINE void half_8(const VECTOR *x, VECTOR *c, VECTOR *s)
{
    const REAL diagonal = (REAL)0.707106781186547524401L; /* cos 45° */
    VECTOR sum0 = x[0] + x[4], sum1 = x[1] + x[5], sum2 = x[2] + x[6], sum3 = x[3] + x[7];
    VECTOR difference0 = x[0] - x[4], difference1 = x[1] - x[5];
    VECTOR difference2 = x[2] - x[6], difference3 = x[3] - x[7];
    VECTOR even = sum0 + sum2, odd = sum1 + sum3;
    VECTOR across = diagonal * (difference1 - difference3), along = diagonal * (difference1 + difference3);
    c[0] = even + odd;
    c[1] = difference0 + across;
    c[2] = sum0 - sum2;
    c[3] = difference0 - across;
    c[4] = even - odd;
    s[1] = along + difference2;
    s[2] = sum1 - sum3;
    s[3] = along - difference2;
}

/* Even frequencies are the transform of 8 sums; odd frequencies combine the differences x[j] − x[j + 8] in
 * opposite pairs. */
SHARED void half_16(const VECTOR *x, VECTOR *c, VECTOR *s)
{
    const REAL diagonal = (REAL)0.707106781186547524401L;                                      /* cos 45° */
    const REAL cosine = (REAL)0.923879532511286756128L, sine = (REAL)0.382683432365089771728L; /* 22.5° */
    VECTOR sum[8], difference[8], even_c[5], even_s[4];
    UNROLL
    for (int j = 0; j < 8; j++) {
        sum[j] = x[j] + x[j + 8];
        difference[j] = x[j] - x[j + 8];
    }
    half_8(sum, even_c, even_s);
    UNROLL
    for (int k = 0; k <= 4; k++)
        c[2 * k] = even_c[k];
    UNROLL
    for (int k = 1; k < 4; k++)
        s[2 * k] = even_s[k];
    VECTOR a1 = difference[1] - difference[7], a2 = difference[2] - difference[6];
    VECTOR a3 = difference[3] - difference[5], across = diagonal * a2;
    VECTOR near = difference[0] + across, far = difference[0] - across;
    VECTOR p = cosine * a1 + sine * a3, q = sine * a1 - cosine * a3;
    c[1] = near + p, c[7] = near - p;
    c[3] = far + q, c[5] = far - q;
    VECTOR b1 = difference[1] + difference[7], b2 = difference[2] + difference[6];
    VECTOR b3 = difference[3] + difference[5], along = diagonal * b2;
    near = along + difference[4], far = along - difference[4];
    p = sine * b1 + cosine * b3, q = cosine * b1 - sine * b3;
    s[1] = p + near, s[7] = p - near;
    s[3] = q + far, s[5] = q - far;
}

/* Transforms `radix` complex numbers in place, by the two halves. */
INLINE void dft(int radix, half_function *half, VECTOR *re, VECTOR *im)
{
    VECTOR c_re[HALF_MAX], s_re[HALF_MAX], c_im[HALF_MAX], s_im[HALF_MAX];
    half(re, c_re, s_re);
    half(im, c_im, s_im);
    re[0] = c_re[0], im[0] = c_im[0];
    UNROLL
    for (int k = 1; 2 * k < radix; k++) {
        re[k] = c_re[k] + s_im[k], im[k] = c_im[k] - s_re[k];
        re[radix - k] = c_re[k] - s_im[k], im[radix - k] = c_im[k] + s_re[k];
    }
    if (radix % 2 == 0)
        re[radix / 2] = c_re[radix / 2], im[radix / 2] = c_im[radix / 2];
}
