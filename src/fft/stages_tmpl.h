/* Template: the mixed-radix transform, in place, without reordering.
 *
 * A step of radix r on a block of n rows (n = r · m, W = W_n) takes, for each j < m, the rows j + k · m, and
 *     forward:  z ← dft(z),            then z[k] ← z[k] · W^(jk)    decimation in frequency
 *     inverse:  z[k] ← z[k] · W^(−jk), then z ← inverse dft(z)      decimation in time, the mirror image
 * which leaves r blocks of m rows for the next step; block k holds the frequencies k, k + r, k + 2r, …
 *
 * The inverse is the forward arithmetic with real and imaginary parts exchanged, because swap(z) = j · z*
 * turns every W into its conjugate. Included by fft_tmpl.h, and by level_tmpl.h for wider vectors. */

/* The number of twiddles of a step: W^(jk) for j = 1 … m − 1 and, within, k = 1 … r − 1; twiddles of j = 0
 * are 1. */
static size_t step_twiddles(size_t m, int radix)
{
    return (m - 1) * (size_t)(radix - 1);
}

/* Multiplies results 1 … radix − 1 by their twiddles. */
INLINE void apply_twiddles(int radix, const struct complex *w, VECTOR *re, VECTOR *im)
{
    for (int k = 1; k < radix; k++) {
        VECTOR x = re[k], y = im[k];
        re[k] = x * w[k - 1].re - y * w[k - 1].im;
        im[k] = x * w[k - 1].im + y * w[k - 1].re;
    }
}

/* A vector at any address. gcc copies 32 bytes by memcpy in halves and through the stack. */
typedef REAL LOOSE_VECTOR __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(REAL)), may_alias));

/* The first `lanes` lanes, the others 0. */
INLINE VECTOR load_lanes(const REAL *from, size_t lanes)
{
    if (lanes == LANES)
        return *(const LOOSE_VECTOR *)from;
    VECTOR vector = { 0 };
    memcpy(&vector, from, lanes * sizeof *from);
    return vector;
}

INLINE void store_lanes(REAL *to, VECTOR vector, size_t lanes)
{
    if (lanes == LANES)
        *(LOOSE_VECTOR *)to = vector;
    else
        memcpy(to, &vector, lanes * sizeof *to);
}

/* One butterfly of `lanes` ≤ LANES lanes, on rows `stride` numbers apart; w are the twiddles, or NULL where
 * they are 1. Inlined with constant lanes, radix, half and direction, so that re and im stay in registers. */
INLINE void butterfly(REAL *real, REAL *imaginary, size_t stride, size_t lanes, int radix,
                      half_function *half, bool inverse, const struct complex *w)
{
    VECTOR re[RADIX_MAX], im[RADIX_MAX];
    for (int k = 0; k < radix; k++) {
        re[k] = load_lanes(real + (size_t)k * stride, lanes);
        im[k] = load_lanes(imaginary + (size_t)k * stride, lanes);
    }
    if (w && inverse)
        apply_twiddles(radix, w, re, im);
    dft(radix, half, re, im);
    if (w && !inverse)
        apply_twiddles(radix, w, re, im);
    for (int k = 0; k < radix; k++) {
        store_lanes(real + (size_t)k * stride, re[k], lanes);
        store_lanes(imaginary + (size_t)k * stride, im[k], lanes);
    }
}

/* The same over all lanes of a row: whole vectors first, then single lanes. */
INLINE void butterflies(REAL *x, size_t stride, size_t lanes, int radix, half_function *half, bool inverse,
                        const struct complex *w)
{
    REAL *re = inverse ? x + lanes : x, *im = inverse ? x : x + lanes;
    size_t l = 0;
    for (; l + LANES <= lanes; l += LANES)
        butterfly(re + l, im + l, stride, LANES, radix, half, inverse, w);
    for (; l < lanes; l++)
        butterfly(re + l, im + l, stride, 1, radix, half, inverse, w);
}

/* One step over `blocks` blocks of radix · m rows. */
INLINE void fft_step(REAL *x, size_t blocks, size_t m, size_t lanes, int radix, half_function *half,
                     bool inverse, const struct complex *twiddles)
{
    size_t row = 2 * lanes, stride = m * row;
    for (size_t b = 0; b < blocks; b++, x += (size_t)radix * stride) {
        butterflies(x, stride, lanes, radix, half, inverse, NULL);
        const struct complex *w = twiddles;
        for (size_t j = 1; j < m; j++, w += radix - 1)
            butterflies(x + j * row, stride, lanes, radix, half, inverse, w);
    }
}

/* The same with the radix as a variable. */
INLINE void any_step(REAL *x, size_t blocks, size_t m, size_t lanes, int radix, bool inverse,
                     const struct complex *twiddles)
{
    switch (radix) {
    case 2: fft_step(x, blocks, m, lanes, 2, half_2, inverse, twiddles); break;
    case 3: fft_step(x, blocks, m, lanes, 3, half_3, inverse, twiddles); break;
    case 4: fft_step(x, blocks, m, lanes, 4, half_4, inverse, twiddles); break;
    case 5: fft_step(x, blocks, m, lanes, 5, half_5, inverse, twiddles); break;
    case 7: fft_step(x, blocks, m, lanes, 7, half_7, inverse, twiddles); break;
    case 8: fft_step(x, blocks, m, lanes, 8, half_8, inverse, twiddles); break;
    }
}

static void mixed_radix_forward(const struct FFT *fft, REAL *x, size_t lanes)
{
    const struct complex *twiddles = fft->twiddles;
    size_t blocks = 1, m = (size_t)fft->length;
    for (int i = 0; i < fft->steps; i++) {
        int radix = fft->radices[i];
        m /= (size_t)radix;
        any_step(x, blocks, m, lanes, radix, false, twiddles);
        twiddles += step_twiddles(m, radix);
        blocks *= (size_t)radix;
    }
}

static void mixed_radix_inverse(const struct FFT *fft, REAL *x, size_t lanes)
{
    size_t blocks = (size_t)fft->length, m = 1;
    const struct complex *twiddles = fft->twiddles + fft->twiddle_count;
    for (int i = fft->steps - 1; i >= 0; i--) {
        int radix = fft->radices[i];
        blocks /= (size_t)radix;
        twiddles -= step_twiddles(m, radix);
        any_step(x, blocks, m, lanes, radix, true, twiddles);
        m *= (size_t)radix;
    }
}
