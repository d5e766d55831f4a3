/* Template: the transforms of p rows, where p is a prime above 7. Included by rows_tmpl.h and columns_tmpl.h
 * after fft/butterflies_tmpl.h; a row is a vector of real parts and one of imaginary parts.
 *
 * Primes up to FUSED_DIRECT_MAX are sums as butterflies_tmpl.h defines them: rows j and p − j are combined,
 * cosines apply to the sums and sines to the differences.
 *
 * Larger primes, and some smaller ones, take Rader's algorithm. The powers of a primitive root g are 1 … p − 1
 * in another order, and
 *     F(g^(−q)) = f(0) + Σ f(g^n) W^(g^(n − q)),   0 ≤ n, q < p − 1,
 * is a cyclic convolution, which the column kernels compute in scratch by transforms of length p − 1. Where that
 * has large prime factors, f(g^n) is padded to 2 L ≥ 2p − 3 samples. The first step of such a transform, of radix
 * 2, meets only zeros in the second half: it leaves a convolution of f(g^n) and one of f(g^n) e^(−jπn/L), both of
 * length L. prime.c chooses. */

/* Functions that are not inlined, so that their arrays do not burden the frames of butterflies in registers. */
#define APART static __attribute__((noinline))

/* What a row is multiplied by before or after a transform. Twiddles start at row 1. */
enum factor {
    FACTOR_NONE,
    FACTOR_TWIDDLE,  /* { re, im }, the same for all lanes */
    FACTOR_TWIDDLES, /* [re | im][lanes] */
    FACTOR_REAL,     /* gains: [lanes] */
    FACTOR_COMPLEX,  /* [re | im][lanes] */
    FACTOR_GAIN      /* { re, im }, the same for all lanes */
};

INLINE bool is_twiddle(enum factor factor)
{
    return factor == FACTOR_TWIDDLE || factor == FACTOR_TWIDDLES;
}

/* Multiplies row k. */
INLINE void multiply_row(enum factor factor, const float *w, int k, VECTOR *re, VECTOR *im)
{
    size_t row = (size_t)(is_twiddle(factor) ? k - 1 : k);
    VECTOR x = *re, y = *im;
    if (factor == FACTOR_NONE || (is_twiddle(factor) && k == 0))
        return;
    if (factor == FACTOR_REAL) {
        VECTOR gain = load(w + LANES * row);
        *re = x * gain, *im = y * gain;
    } else if (factor == FACTOR_TWIDDLE || factor == FACTOR_GAIN) {
        float cosine = w[2 * row], sine = w[2 * row + 1];
        *re = x * cosine - y * sine, *im = x * sine + y * cosine;
    } else {
        VECTOR cosine = load(w + 2 * LANES * row), sine = load(w + 2 * LANES * row + LANES);
        *re = x * cosine - y * sine, *im = x * sine + y * cosine;
    }
}

/* The rows of one transform, and their factors. The inverse exchanges real and imaginary parts, of factors
 * other than gains too (see fft/stages_tmpl.h). */
struct prime_rows {
    const float *from;
    float *to;
    size_t stride; /* floats from a row to the next */
    bool inverse;
    enum factor before, after;
    const float *w; /* of the only factor */
};

INLINE void load_prime_row(const struct prime_rows *rows, int k, VECTOR *re, VECTOR *im)
{
    VECTOR x = load(rows->from + (size_t)k * rows->stride);
    VECTOR y = load(rows->from + (size_t)k * rows->stride + LANES);
    if (!is_twiddle(rows->before))
        multiply_row(rows->before, rows->w, k, &x, &y);
    *re = rows->inverse ? y : x;
    *im = rows->inverse ? x : y;
    if (is_twiddle(rows->before))
        multiply_row(rows->before, rows->w, k, re, im);
}

INLINE void store_prime_row(const struct prime_rows *rows, int k, VECTOR re, VECTOR im)
{
    multiply_row(rows->after, rows->w, k, &re, &im);
    store(rows->to + (size_t)k * rows->stride, rows->inverse ? im : re);
    store(rows->to + (size_t)k * rows->stride + LANES, rows->inverse ? re : im);
}

/* ---- Sums --------------------------------------------------------------------------------------------- */

/* Frequencies that share the loads of a sum: as many as the registers hold. */
#if defined __AVX512F__ || defined __aarch64__
enum { TOGETHER = 4 };
#else
enum { TOGETHER = 2 };
#endif

enum { HALVES_MAX = FUSED_DIRECT_MAX / 2 };

/* Sums and differences of the rows j and p − j, at j − 1. */
struct halves {
    VECTOR first_re, first_im; /* row 0 */
    struct half {
        VECTOR sum_re, sum_im, difference_re, difference_im;
    } pairs[HALVES_MAX];
};

/* Frequencies k … k + count − 1 and their opposites. */
INLINE void sum_frequencies(const struct fused_prime *prime, const struct halves *x, int k, int count,
                            const struct prime_rows *rows)
{
    VECTOR c_re[TOGETHER], c_im[TOGETHER], s_re[TOGETHER], s_im[TOGETHER];
    int half = prime->p / 2;
    const float *turns = prime->turns + 2 * (size_t)(k - 1) * (size_t)half;
    UNROLL
    for (int i = 0; i < count; i++) {
        c_re[i] = x->first_re, c_im[i] = x->first_im;
        s_re[i] = s_im[i] = (VECTOR){ 0 };
    }
    for (int j = 0; j < half; j++, turns += 2) {
        const struct half *pair = &x->pairs[j];
        UNROLL
        for (int i = 0; i < count; i++) {
            float cosine = turns[2 * i * half], sine = turns[2 * i * half + 1];
            c_re[i] += pair->sum_re * cosine, c_im[i] += pair->sum_im * cosine;
            s_re[i] += pair->difference_re * sine, s_im[i] += pair->difference_im * sine;
        }
    }
    UNROLL
    for (int i = 0; i < count; i++) {
        store_prime_row(rows, k + i, c_re[i] + s_im[i], c_im[i] - s_re[i]);
        store_prime_row(rows, prime->p - k - i, c_re[i] - s_im[i], c_im[i] + s_re[i]);
    }
}

INLINE void direct_dft(const struct fused_prime *prime, const struct prime_rows *rows)
{
    struct halves x;
    int half = prime->p / 2, k = 1;
    load_prime_row(rows, 0, &x.first_re, &x.first_im);
    VECTOR total_re = x.first_re, total_im = x.first_im;
    for (int j = 1; j <= half; j++) {
        struct half *pair = &x.pairs[j - 1];
        VECTOR re, im, far_re, far_im;
        load_prime_row(rows, j, &re, &im);
        load_prime_row(rows, prime->p - j, &far_re, &far_im);
        *pair = (struct half){ re + far_re, im + far_im, re - far_re, im - far_im };
        total_re += pair->sum_re, total_im += pair->sum_im;
    }
    store_prime_row(rows, 0, total_re, total_im);
    for (; k + TOGETHER <= half + 1; k += TOGETHER)
        sum_frequencies(prime, &x, k, TOGETHER, rows);
    for (; k + 2 <= half + 1; k += 2)
        sum_frequencies(prime, &x, k, 2, rows);
    if (k <= half)
        sum_frequencies(prime, &x, k, 1, rows);
}

/* ---- Rader's algorithm -------------------------------------------------------------------------------- */

/* Multiplies by a turn, or by its conjugate. */
INLINE void turn_row(const float *turn, bool conjugate, VECTOR *re, VECTOR *im)
{
    VECTOR x = *re, y = *im;
    float cosine = turn[0], sine = conjugate ? -turn[1] : turn[1];
    *re = x * cosine - y * sine, *im = x * sine + y * cosine;
}

INLINE void store_scratch(float *to, VECTOR re, VECTOR im)
{
    store(to, re);
    store(to + LANES, im);
}

/* Lays the rows in the order of the powers of g, in both blocks if `padded`. */
INLINE void lay_powers(const struct fused_prime *prime, const struct prime_rows *rows, bool padded,
                       float *scratch, VECTOR *total_re, VECTOR *total_im)
{
    const struct fused_column *cyclic = prime->cyclic;
    for (int n = 0; n < prime->p - 1; n++) {
        float *to = scratch + 2 * LANES * (size_t)cyclic->offset[n];
        VECTOR re, im;
        load_prime_row(rows, prime->power[n], &re, &im);
        *total_re += re, *total_im += im;
        store_scratch(to, re, im);
        if (padded) {
            turn_row(prime->turns + 2 * n, false, &re, &im);
            store_scratch(to + prime->block_floats, re, im);
        }
    }
    for (int n = prime->p - 1; n < cyclic->length; n++) {
        float *to = scratch + 2 * LANES * (size_t)cyclic->offset[n];
        store_scratch(to, (VECTOR){ 0 }, (VECTOR){ 0 });
        store_scratch(to + prime->block_floats, (VECTOR){ 0 }, (VECTOR){ 0 });
    }
}

INLINE void take_powers(const struct fused_prime *prime, const struct prime_rows *rows, bool padded,
                        const float *scratch, VECTOR first_re, VECTOR first_im)
{
    int count = prime->p - 1;
    for (int q = 0; q < count; q++) {
        const float *from = scratch + 2 * LANES * (size_t)prime->cyclic->offset[q];
        VECTOR re = first_re + load(from), im = first_im + load(from + LANES);
        if (padded) {
            VECTOR odd_re = load(from + prime->block_floats),
                   odd_im = load(from + prime->block_floats + LANES);
            turn_row(prime->turns + 2 * q, true, &odd_re, &odd_im);
            re += odd_re, im += odd_im;
        }
        store_prime_row(rows, prime->power[q ? count - q : 0], re, im);
    }
}

INLINE void rader_dft(const struct fused_prime *prime, const struct prime_rows *rows, float *scratch)
{
    const struct fused_column *cyclic = prime->cyclic;
    bool padded = prime->turns != NULL;
    VECTOR first_re, first_im;
    load_prime_row(rows, 0, &first_re, &first_im);
    VECTOR total_re = first_re, total_im = first_im;
    if (padded)
        lay_powers(prime, rows, true, scratch, &total_re, &total_im);
    else
        lay_powers(prime, rows, false, scratch, &total_re, &total_im);
    prime->convolve(cyclic, scratch, prime->spectrum);
    if (padded)
        prime->convolve(cyclic, scratch + prime->block_floats, prime->spectrum + 2 * (size_t)cyclic->length);
    store_prime_row(rows, 0, total_re, total_im);
    if (padded)
        take_powers(prime, rows, true, scratch, first_re, first_im);
    else
        take_powers(prime, rows, false, scratch, first_re, first_im);
}

INLINE void prime_dft(const struct fused_prime *prime, const struct prime_rows *rows, float *scratch)
{
    if (prime->cyclic)
        rader_dft(prime, rows, scratch);
    else
        direct_dft(prime, rows);
}
