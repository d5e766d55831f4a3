/* Template: transforms a block of LANES columns forward, multiplies by H, and back, for one instruction set.
 * A file that defines
 *     VECTOR_BYTES   16, 32 or 64
 *     COLUMNS        the table to define
 * includes this one and is compiled for that instruction set.
 *
 * The recursion is depth first while a block of rows is larger than CACHED_FLOATS, a share of the first
 * cache, and breadth first below. The last step forward, the multiplication and the first step back stay in
 * registers. */
#include "cpu/fused/kernels.h"
#include "cpu/vector_tmpl.h"

#include "fft/butterflies_tmpl.h"

#include "cpu/fused/prime_tmpl.h"

enum { CACHED_FLOATS = 16384 / sizeof(float) };

/* Multiplies by one twiddle { re, im } for each k > 0, the same for all lanes. */
INLINE void multiply_by_twiddle(int radix, const float *w, VECTOR *re, VECTOR *im)
{
    UNROLL
    for (int k = 1; k < radix; k++) {
        VECTOR x = re[k], y = im[k];
        float cosine = w[2 * k - 2], sine = w[2 * k - 1];
        re[k] = x * cosine - y * sine;
        im[k] = x * sine + y * cosine;
    }
}

INLINE void load_rows(const float *x, size_t stride, int radix, VECTOR *re, VECTOR *im)
{
    UNROLL
    for (int k = 0; k < radix; k++) {
        re[k] = load(x + (size_t)k * stride);
        im[k] = load(x + (size_t)k * stride + LANES);
        KEEP_IN_REGISTER(re[k]);
        KEEP_IN_REGISTER(im[k]);
    }
}

INLINE void store_rows(float *x, size_t stride, int radix, const VECTOR *re, const VECTOR *im)
{
    UNROLL
    for (int k = 0; k < radix; k++) {
        store(x + (size_t)k * stride, re[k]);
        store(x + (size_t)k * stride + LANES, im[k]);
    }
}

INLINE void column_step_of(float *x, const int *offset, int m, int radix, half_function *half, bool inverse,
                           const float *w)
{
    size_t stride = 2 * LANES * (size_t)offset[m];
    for (int j = 0; j < m; j++, w += 2 * (radix - 1)) {
        VECTOR re[RADIX_MAX], im[RADIX_MAX];
        float *rows = x + 2 * LANES * (size_t)offset[j];
        load_rows(rows, stride, radix, inverse ? im : re, inverse ? re : im);
        if (inverse)
            multiply_by_twiddle(radix, w, re, im);
        dft(radix, half, re, im);
        if (!inverse)
            multiply_by_twiddle(radix, w, re, im);
        store_rows(rows, stride, radix, inverse ? im : re, inverse ? re : im);
    }
}

/* A step whose radix is a prime above 7. */
INLINE void column_step_of_prime(const struct fused_step *step, float *x, const int *offset, bool inverse,
                                 const float *w, float *scratch)
{
    struct prime_rows rows = { .stride = 2 * LANES * (size_t)offset[step->m],
                               .inverse = inverse,
                               .before = inverse ? FACTOR_TWIDDLE : FACTOR_NONE,
                               .after = inverse ? FACTOR_NONE : FACTOR_TWIDDLE,
                               .w = w };
    for (int j = 0; j < step->m; j++, rows.w += 2 * (step->radix - 1)) {
        rows.from = rows.to = x + 2 * LANES * (size_t)offset[j];
        prime_dft(step->prime, &rows, scratch);
    }
}

APART void column_prime_forward(const struct fused_step *step, float *x, const int *offset, const float *w,
                                float *scratch)
{
    column_step_of_prime(step, x, offset, false, w, scratch);
}

APART void column_prime_inverse(const struct fused_step *step, float *x, const int *offset, const float *w,
                                float *scratch)
{
    column_step_of_prime(step, x, offset, true, w, scratch);
}

INLINE void column_step(const struct fused_column *transform, int i, float *x, bool inverse, float *scratch)
{
    const struct fused_step *step = &transform->steps[i];
    const float *w = transform->twiddles + step->twiddles;
    const int *offset = transform->offset;
    switch (step->radix) {
    case 2: column_step_of(x, offset, step->m, 2, half_2, inverse, w); break;
    case 3: column_step_of(x, offset, step->m, 3, half_3, inverse, w); break;
    case 4: column_step_of(x, offset, step->m, 4, half_4, inverse, w); break;
    case 5: column_step_of(x, offset, step->m, 5, half_5, inverse, w); break;
    case 7: column_step_of(x, offset, step->m, 7, half_7, inverse, w); break;
    case 8: column_step_of(x, offset, step->m, 8, half_8, inverse, w); break;
    case 16: column_step_of(x, offset, step->m, 16, half_16, inverse, w); break;
    default: (inverse ? column_prime_inverse : column_prime_forward)(step, x, offset, w, scratch); break;
    }
}

static void column_step_forward(const struct fused_column *transform, int i, float *x, float *scratch)
{
    column_step(transform, i, x, false, scratch);
}

static void column_step_inverse(const struct fused_column *transform, int i, float *x, float *scratch)
{
    column_step(transform, i, x, true, scratch);
}

/* ---- The middle: the last step forward, H, the first step back ---------------------------------------- */

enum middle {
    MIDDLE_FILTER,
    MIDDLE_FORWARD,
    MIDDLE_APPLY /* without a forward step; times 1 where the gain is FACTOR_NONE */
};

/* `gain` is no twiddle. */
INLINE size_t floats_of_gain(enum factor gain)
{
    return gain == FACTOR_REAL ? LANES : gain == FACTOR_COMPLEX ? 2 * LANES : 2;
}

INLINE void multiply_by_h(const float *h, enum factor gain, int radix, VECTOR *re, VECTOR *im)
{
    UNROLL
    for (int k = 0; k < radix; k++)
        multiply_row(gain, h, k, &re[k], &im[k]);
}

/* Prefetches the gains of the next block that fits in the first cache: the steps between two middles last longer than
 * the hardware prefetcher remembers a sequence. */
INLINE void prefetch_gains(const float *h, enum factor gain, int radix)
{
    enum { LINE = 64 / sizeof(float), ROWS = CACHED_FLOATS / (2 * LANES) };
    size_t gains = floats_of_gain(gain);
    UNROLL
    for (size_t i = 0; i < (size_t)radix * gains; i += LINE)
        __builtin_prefetch(h + ROWS * gains + i, 0, 3);
}

/* The middle of `rows` consecutive rows, `radix` at a time. */
INLINE void middle_of(const float *in, float *out, int rows, int radix, half_function *half,
                      enum middle middle, const float *h, enum factor gain)
{
    size_t gains = (size_t)radix * floats_of_gain(gain);
    for (int row = 0; row < rows; row += radix, h += h ? gains : 0) {
        VECTOR re[RADIX_MAX], im[RADIX_MAX];
        if (gain == FACTOR_REAL || gain == FACTOR_COMPLEX)
            prefetch_gains(h, gain, radix);
        load_rows(in + 2 * LANES * (size_t)row, 2 * LANES, radix, re, im);
        if (middle != MIDDLE_APPLY)
            dft(radix, half, re, im);
        if (middle != MIDDLE_FORWARD) {
            multiply_by_h(h, gain, radix, re, im);
            dft(radix, half, im, re);
        }
        store_rows(out + 2 * LANES * (size_t)row, 2 * LANES, radix, re, im);
    }
}

/* The transform back of consecutive rows times h. */
INLINE void prime_back(const struct fused_prime *prime, const float *from, float *to, const float *h,
                       enum factor gain, float *scratch)
{
    const struct prime_rows rows = {
        .from = from, .to = to, .stride = 2 * LANES, .inverse = true, .before = gain, .w = h
    };
    prime_dft(prime, &rows, scratch);
}

/* middle_of for a prime above 7, whose rows do not stay in registers. */
APART void middle_of_prime(const struct fused_step *step, const float *in, float *out, int rows,
                           enum middle middle, const float *h, enum factor gain, float *scratch)
{
    size_t gains = (size_t)step->radix * floats_of_gain(gain);
    for (int row = 0; row < rows; row += step->radix, h += h ? gains : 0) {
        size_t at = 2 * LANES * (size_t)row;
        const struct prime_rows forward = { .from = in + at, .to = out + at, .stride = 2 * LANES };
        const float *from = middle == MIDDLE_APPLY ? in + at : out + at;
        if (middle != MIDDLE_APPLY)
            prime_dft(step->prime, &forward, scratch);
        if (middle == MIDDLE_FORWARD)
            continue;
        if (gain == FACTOR_REAL)
            prime_back(step->prime, from, out + at, h, FACTOR_REAL, scratch);
        else if (gain == FACTOR_COMPLEX)
            prime_back(step->prime, from, out + at, h, FACTOR_COMPLEX, scratch);
        else if (gain == FACTOR_GAIN)
            prime_back(step->prime, from, out + at, h, FACTOR_GAIN, scratch);
        else
            prime_back(step->prime, from, out + at, h, FACTOR_NONE, scratch);
    }
}

INLINE void middle_any(const struct fused_step *step, const float *in, float *out, int rows,
                       enum middle middle, const float *h, enum factor gain, float *scratch)
{
    switch (step->radix) {
    case 2: middle_of(in, out, rows, 2, half_2, middle, h, gain); break;
    case 3: middle_of(in, out, rows, 3, half_3, middle, h, gain); break;
    case 4: middle_of(in, out, rows, 4, half_4, middle, h, gain); break;
    case 5: middle_of(in, out, rows, 5, half_5, middle, h, gain); break;
    case 7: middle_of(in, out, rows, 7, half_7, middle, h, gain); break;
    case 8: middle_of(in, out, rows, 8, half_8, middle, h, gain); break;
    case 16: middle_of(in, out, rows, 16, half_16, middle, h, gain); break;
    default: middle_of_prime(step, in, out, rows, middle, h, gain, scratch); break;
    }
}

static void filter_real(const struct fused_step *step, const float *in, float *out, int rows, const float *h,
                        float *scratch)
{
    middle_any(step, in, out, rows, MIDDLE_FILTER, h, FACTOR_REAL, scratch);
}

static void filter_complex(const struct fused_step *step, const float *in, float *out, int rows,
                           const float *h, float *scratch)
{
    middle_any(step, in, out, rows, MIDDLE_FILTER, h, FACTOR_COMPLEX, scratch);
}

static void filter_gains(const struct fused_step *step, const float *in, float *out, int rows, const float *h,
                         float *scratch)
{
    middle_any(step, in, out, rows, MIDDLE_FILTER, h, FACTOR_GAIN, scratch);
}

static void forward_only(const struct fused_step *step, const float *in, float *out, int rows, const float *h,
                         float *scratch)
{
    middle_any(step, in, out, rows, MIDDLE_FORWARD, h, FACTOR_COMPLEX, scratch);
}

static void apply_real(const struct fused_step *step, const float *in, float *out, int rows, const float *h,
                       float *scratch)
{
    middle_any(step, in, out, rows, MIDDLE_APPLY, h, FACTOR_REAL, scratch);
}

static void apply_complex(const struct fused_step *step, const float *in, float *out, int rows,
                          const float *h, float *scratch)
{
    middle_any(step, in, out, rows, MIDDLE_APPLY, h, FACTOR_COMPLEX, scratch);
}

static void inverse_only(const struct fused_step *step, const float *in, float *out, int rows, const float *h,
                         float *scratch)
{
    middle_any(step, in, out, rows, MIDDLE_APPLY, h, FACTOR_NONE, scratch);
}

/* ---- From the first step to the middle and back ------------------------------------------------------- */

/* What is done to a block of columns. */
struct column_task {
    const struct fused_column *transform;
    void (*middle)(const struct fused_step *step, const float *in, float *out, int rows, const float *h,
                   float *scratch);
    bool forward, inverse;
    size_t gains; /* floats of h per row */
    float *scratch;
};

/* Does all steps from step i on over a block of `rows` rows that fits in the first cache. The rows of the
 * smallest blocks that a step leaves are consecutive. */
static void columns_breadth_first(const struct column_task *task, int i, int rows, const float *in,
                                  float *out, const float *h)
{
    const struct fused_column *transform = task->transform;
    int last = transform->step_count - 1;
    for (int s = i, size = rows; s < last && task->forward; size = transform->steps[s++].m)
        for (int start = 0; start < rows; start += size)
            column_step_forward(transform, s, out + 2 * LANES * (size_t)transform->offset[start],
                                task->scratch);
    int consecutive = last > i ? transform->steps[last - 1].m : rows;
    for (int start = 0; start < rows; start += consecutive) {
        size_t at = 2 * LANES * (size_t)transform->offset[start];
        task->middle(&transform->steps[last], in + at, out + at, consecutive, h + task->gains * (size_t)start,
                     task->scratch);
    }
    for (int s = last - 1; s >= i && task->inverse; s--) {
        int size = s > i ? transform->steps[s - 1].m : rows;
        for (int start = 0; start < rows; start += size)
            column_step_inverse(transform, s, out + 2 * LANES * (size_t)transform->offset[start],
                                task->scratch);
    }
}

static void columns_depth_first(const struct column_task *task, int i, int rows, const float *in, float *out,
                                const float *h)
{
    const struct fused_column *transform = task->transform;
    if (i == transform->step_count - 1 || (size_t)rows * 2 * LANES <= CACHED_FLOATS) {
        columns_breadth_first(task, i, rows, in, out, h);
        return;
    }
    const struct fused_step *step = &transform->steps[i];
    if (task->forward)
        column_step_forward(transform, i, out, task->scratch);
    for (int k = 0; k < step->radix; k++) {
        size_t at = 2 * LANES * (size_t)transform->offset[step->m] * (size_t)k;
        columns_depth_first(task, i + 1, step->m, in + at, out + at,
                            h + task->gains * (size_t)step->m * (size_t)k);
    }
    if (task->inverse)
        column_step_inverse(transform, i, out, task->scratch);
}

static void filter_columns_block(const struct fused_column *transform, float *block, const float *h,
                                 bool real, float *scratch)
{
    struct column_task task = {
        transform, real ? filter_real : filter_complex, true, true, real ? LANES : 2 * LANES, scratch
    };
    columns_depth_first(&task, 0, transform->length, block, block, h);
}

static void forward_columns_block(const struct fused_column *transform, float *block, float *scratch)
{
    struct column_task task = { transform, forward_only, true, false, 0, scratch };
    columns_depth_first(&task, 0, transform->length, block, block, block);
}

static void inverse_columns_block(const struct fused_column *transform, float *block, float *scratch)
{
    struct column_task task = { transform, inverse_only, false, true, 0, scratch };
    columns_depth_first(&task, 0, transform->length, block, block, block);
}

static void apply_columns_block(const struct fused_column *transform, const float *in, const float *h,
                                bool real, float *out, float *scratch)
{
    struct column_task task = { transform, real ? apply_real : apply_complex, false,
                                true,      real ? LANES : 2 * LANES,          scratch };
    columns_depth_first(&task, 0, transform->length, in, out, h);
}

static void convolve_columns_block(const struct fused_column *transform, float *block, const float *gains)
{
    struct column_task task = { transform, filter_gains, true, true, 2, NULL };
    columns_depth_first(&task, 0, transform->length, block, block, gains);
}

#include "cpu/fused/columns_even_tmpl.h"

const struct fused_column_kernels COLUMNS = {
    .lanes = LANES,
    .filter = filter_columns_block,
    .forward = forward_columns_block,
    .inverse = inverse_columns_block,
    .apply = apply_columns_block,
    .convolve = convolve_columns_block,
    .even_filter = filter_even_block,
    .even_forward = forward_even_block,
    .even_apply = apply_even_block,
    .even_inverse = inverse_even_block,
    .cross = cross_even_block,
};
