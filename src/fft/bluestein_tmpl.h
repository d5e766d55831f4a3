/* Template: Bluestein's algorithm, for lengths with a prime factor above 7.
 *
 * With the chirp c(k) = e^(−jπk²/n) and 2fk = f² + k² − (f − k)²,
 *     F(f) = c(f) · Σ x(k) c(k) · c*(f − k),
 * a convolution, computed by transforms of a length ≥ 2n − 1 that has small prime factors. Frequencies come
 * out in natural order. Included by fft_tmpl.h. */

/* Computes the spectrum of the conjugate chirp, placed cyclically on the padded length and divided by that
 * length, in the order of the padded transform. It is computed in double, so that the only error of float
 * tables is rounding. */
static int create_chirp_spectrum(struct FFT *fft)
{
    long long n = fft->length;
    int padded = fft->padded->length;
    struct fft_f64 *transform = NULL;
    double *laid = core_alloc_zero((size_t)padded, 2 * sizeof *laid);
    int error = laid ? fft_f64_create(padded, &transform) : ABBE_ERR_MEMORY;
    if (error)
        goto fail;
    for (long long k = 0; k < n; k++) {
        double c[2];
        fft_twiddle(k * k % (2 * n), 2 * n, c);
        double *place = laid + 2 * k, *mirror = k ? laid + 2 * (padded - k) : place;
        place[0] = mirror[0] = c[0] / padded;
        place[1] = mirror[1] = -c[1] / padded;
    }
    fft_f64_forward(transform, laid, 1, NULL);
    for (size_t k = 0; k < (size_t)padded; k++)
        fft->chirp_spectrum[k] = (struct complex){ (REAL)laid[2 * k], (REAL)laid[2 * k + 1] };
fail:
    fft_f64_destroy(&transform);
    core_free(laid);
    return error;
}

/* W_n^k for any k ≥ 0. */
static struct complex root_of_unity(long long k, long long n)
{
    double value[2];
    fft_twiddle(k % n, n, value);
    return (struct complex){ (REAL)value[0], (REAL)value[1] };
}

static int create_bluestein(struct FFT *fft)
{
    long long n = fft->length;
    int padded = n <= INT_MAX / 2 ? fft_good_size((int)(2 * n - 1)) : -1;
    if (padded < 0)
        return ABBE_ERR_SIZE;
    int error = NAME(create)(padded, &fft->padded);
    if (error)
        return error;
    fft->chirp = core_alloc((size_t)n, sizeof *fft->chirp);
    fft->chirp_spectrum = core_alloc((size_t)padded, sizeof *fft->chirp_spectrum);
    if (!fft->chirp || !fft->chirp_spectrum)
        return ABBE_ERR_MEMORY;
    for (long long k = 0; k < n; k++)
        fft->chirp[k] = root_of_unity(k * k, 2 * n);
    return create_chirp_spectrum(fft);
}

/* to = from · w, row by row. Real and imaginary parts are exchanged before (swap_from) or after (swap_to) the
 * product, see stages_tmpl.h. */
static void multiply_rows(REAL *to, const REAL *from, const struct complex *w, size_t rows, size_t lanes,
                          bool swap_from, bool swap_to)
{
    for (size_t k = 0; k < rows; k++) {
        const REAL *re = from + (2 * k + swap_from) * lanes, *im = from + (2 * k + !swap_from) * lanes;
        REAL *to_re = to + (2 * k + swap_to) * lanes, *to_im = to + (2 * k + !swap_to) * lanes;
        REAL c = w[k].re, s = w[k].im;
        for (size_t l = 0; l < lanes; l++) {
            REAL x = re[l], y = im[l];
            to_re[l] = x * c - y * s;
            to_im[l] = x * s + y * c;
        }
    }
}

static void bluestein(const struct FFT *fft, REAL *x, size_t lanes, bool inverse, REAL *scratch)
{
    const struct FFT *padded = fft->padded;
    size_t n = (size_t)fft->length, rows = (size_t)padded->length;
    multiply_rows(scratch, x, fft->chirp, n, lanes, inverse, false);
    memset(scratch + 2 * n * lanes, 0, 2 * (rows - n) * lanes * sizeof *scratch);
    steps_forward(padded, scratch, lanes);
    multiply_rows(scratch, scratch, fft->chirp_spectrum, rows, lanes, false, false);
    steps_inverse(padded, scratch, lanes);
    multiply_rows(x, scratch, fft->chirp, n, lanes, false, inverse);
}
