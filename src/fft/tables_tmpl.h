/* Template: twiddles of the steps, and the order of frequencies. Included by fft_tmpl.h. */

static size_t count_twiddles(const struct FFT *fft)
{
    size_t total = 0, n = (size_t)fft->length;
    for (int i = 0; i < fft->steps; i++) {
        n /= (size_t)fft->radices[i];
        total += step_twiddles(n, fft->radices[i]);
    }
    return total;
}

static int create_twiddles(struct FFT *fft)
{
    fft->twiddle_count = count_twiddles(fft);
    fft->twiddles = core_alloc(fft->twiddle_count, sizeof *fft->twiddles);
    double *roots = fft_roots(fft->length);
    struct complex *next = fft->twiddles;
    size_t n = (size_t)fft->length, apart = 1; /* W_n^k is root k · apart */
    for (int i = 0; next && roots && i < fft->steps; i++) {
        size_t m = n / (size_t)fft->radices[i];
        for (size_t j = 1; j < m; j++)
            for (size_t k = 1; k < (size_t)fft->radices[i]; k++) {
                const double *w = roots + 2 * (j * k % n * apart);
                *next++ = (struct complex){ (REAL)w[0], (REAL)w[1] };
            }
        apart *= (size_t)fft->radices[i];
        n = m;
    }
    bool complete = next && roots;
    core_free(roots);
    return complete ? ABBE_OK : ABBE_ERR_MEMORY;
}

/* order[k · m + p] = k + r · (order of m)[p], from the last step to the first. */
static void fill_order(const struct FFT *fft, int *order)
{
    size_t m = 1;
    order[0] = 0;
    for (int i = fft->steps - 1; i >= 0; i--) {
        int radix = fft->radices[i];
        for (int k = radix - 1; k >= 0; k--)
            for (size_t p = 0; p < m; p++)
                order[(size_t)k * m + p] = k + radix * order[p];
        m *= (size_t)radix;
    }
}
