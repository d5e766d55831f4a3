/* Template: rows that are read from, or written to, a picture of floats by the first step of their transform.
 * Included by rows_tmpl.h.
 *
 * Nothing is copied to a row first: samples pass through the registers of a butterfly on their way. */

/* Whether samples are finite, found out at the price of an addition per sample: 0 or a NaN. */
INLINE void note_nonfinite(VECTOR x, INTS *nonfinite)
{
    *nonfinite |= (INTS)(x - x);
}

/* Vector i of a part of a strand, less the level. */
INLINE VECTOR load_strand(const struct fused_strand *strand, int part, size_t i, INTS *nonfinite)
{
    const float *from = strand->part[part] + i * strand->step;
    if (strand->ahead)
        __builtin_prefetch(from + strand->ahead, 0, 2);
    VECTOR x = load(from);
    note_nonfinite(x, nonfinite);
    return x - strand->level[part];
}

INLINE void store_strand(const struct fused_strand *strand, int part, size_t i, VECTOR x)
{
    float *to = strand->part[part] + i * strand->step;
    if (strand->stream)
        stream(to, x + strand->level[part]);
    else
        store(to, x + strand->level[part]);
}

INLINE void begin_row_of(const struct fused_strand *strand, float *row, int m, int radix, half_function *half,
                         const float *w, INTS *nonfinite)
{
    size_t apart = (size_t)m / LANES;
    for (size_t j = 0; j < apart; j++, row += 2 * LANES, w += 2 * LANES * (radix - 1)) {
        VECTOR re[RADIX_MAX], im[RADIX_MAX];
        UNROLL
        for (int k = 0; k < radix; k++) {
            re[k] = load_strand(strand, 0, (size_t)k * apart + j, nonfinite);
            im[k] = load_strand(strand, 1, (size_t)k * apart + j, nonfinite);
        }
        dft(radix, half, re, im);
        multiply_by_twiddles(radix, w, re, im);
        UNROLL
        for (int k = 0; k < radix; k++) {
            store(row + 2 * (size_t)k * (size_t)m, re[k]);
            store(row + 2 * (size_t)k * (size_t)m + LANES, im[k]);
        }
    }
}

static bool begin_row(const struct fused_row *transform, const struct fused_strand *strand, float *row)
{
    INTS nonfinite = { 0 };
    int m = transform->steps[0].m;
    const float *w = transform->twiddles + transform->steps[0].twiddles;
    switch (transform->steps[0].radix) {
    case 2: begin_row_of(strand, row, m, 2, half_2, w, &nonfinite); break;
    case 3: begin_row_of(strand, row, m, 3, half_3, w, &nonfinite); break;
    case 4: begin_row_of(strand, row, m, 4, half_4, w, &nonfinite); break;
    case 5: begin_row_of(strand, row, m, 5, half_5, w, &nonfinite); break;
    case 7: begin_row_of(strand, row, m, 7, half_7, w, &nonfinite); break;
    case 8: begin_row_of(strand, row, m, 8, half_8, w, &nonfinite); break;
    case 16: begin_row_of(strand, row, m, 16, half_16, w, &nonfinite); break;
    }
    return is_all_zero(nonfinite);
}

/* The inverse exchanges real and imaginary parts. The real part is stored last: without a second row the imaginary
 * one goes to the same place. */
INLINE void end_row_of(const float *row, const struct fused_strand *strand, int m, int radix,
                       half_function *half, const float *w)
{
    size_t apart = (size_t)m / LANES;
    for (size_t j = 0; j < apart; j++, row += 2 * LANES, w += 2 * LANES * (radix - 1)) {
        VECTOR re[RADIX_MAX], im[RADIX_MAX];
        UNROLL
        for (int k = 0; k < radix; k++) {
            im[k] = load(row + 2 * (size_t)k * (size_t)m);
            re[k] = load(row + 2 * (size_t)k * (size_t)m + LANES);
            KEEP_IN_REGISTER(re[k]);
            KEEP_IN_REGISTER(im[k]);
        }
        multiply_by_twiddles(radix, w, re, im);
        dft(radix, half, re, im);
        UNROLL
        for (int k = 0; k < radix; k++) {
            store_strand(strand, 1, (size_t)k * apart + j, re[k]);
            store_strand(strand, 0, (size_t)k * apart + j, im[k]);
        }
    }
}

static void end_row(const struct fused_row *transform, const float *row, const struct fused_strand *strand)
{
    int m = transform->steps[0].m;
    const float *w = transform->twiddles + transform->steps[0].twiddles;
    switch (transform->steps[0].radix) {
    case 2: end_row_of(row, strand, m, 2, half_2, w); break;
    case 3: end_row_of(row, strand, m, 3, half_3, w); break;
    case 4: end_row_of(row, strand, m, 4, half_4, w); break;
    case 5: end_row_of(row, strand, m, 5, half_5, w); break;
    case 7: end_row_of(row, strand, m, 7, half_7, w); break;
    case 8: end_row_of(row, strand, m, 8, half_8, w); break;
    case 16: end_row_of(row, strand, m, 16, half_16, w); break;
    }
}
