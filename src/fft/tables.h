/* Template: twiddles of the steps, and the order they leave. Included by template.h. */

/* W_n^k, any k ≥ 0. */
static struct complex root(long long k, long long n)
{
    double value[2];
    fft_twiddle(k % n, n, value);
    return (struct complex){ (REAL)value[0], (REAL)value[1] };
}

static int create_twiddles(struct FFT *fft)
{
    size_t total = 0, n = (size_t)fft->length;
    for (int i = 0; i < fft->steps; i++) {
        n /= (size_t)fft->radices[i];
        total += twiddles_of(n, fft->radices[i]);
    }
    fft->twiddle_count = total;
    fft->twiddles = core_alloc(total, sizeof *fft->twiddles);
    if (!fft->twiddles)
        return ABBE_ERR_MEMORY;
    struct complex *next = fft->twiddles;
    n = (size_t)fft->length;
    for (int i = 0; i < fft->steps; i++) {
        size_t m = n / (size_t)fft->radices[i];
        for (size_t j = 1; j < m; j++)
            for (int k = 1; k < fft->radices[i]; k++)
                *next++ = root((long long)j * k, (long long)n);
        n = m;
    }
    return ABBE_OK;
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
