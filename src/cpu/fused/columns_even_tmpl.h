/* Template: blocks of columns of an even transform, forward, times H, and back, for one instruction set. Included by
 * columns_tmpl.h.
 *
 * Rows of the picture go to the rows of the grid in folded order, so that a column holds v, and its transform V gives
 * C as in rows_even_tmpl.h:
 *     2 C(v) = w V(v) + w* V(N − v),    2 C(N − v) = j (w V(v) − w* V(N − v)),    V(v) = w* (C(v) − j C(N − v)).
 * A butterfly of the last step holds the frequencies v, v + N/r, …, and another the opposite ones; both are in registers
 * together with C. Two butterflies at most are their own opposites: that of frequency 0, and that of N / 2r. */

/* The middle of a block. */
struct even_middle {
    const struct fused_column *transform;
    const float *in, *h;
    float *out, *scratch;
};

/* The gains of a row: none, one for each lane, or separate ones of real and imaginary parts. */
enum even_gain { EVEN_NONE, EVEN_WHOLE, EVEN_SPLIT };

INLINE size_t floats_of_even_gain(enum even_gain gain)
{
    return gain == EVEN_NONE ? 0 : gain == EVEN_WHOLE ? LANES : 2 * LANES;
}

INLINE void multiply_even(const float *h, enum even_gain gain, VECTOR *re, VECTOR *im)
{
    if (gain == EVEN_NONE)
        return;
    *re *= load(h);
    *im *= load(gain == EVEN_SPLIT ? h + LANES : h);
}

/* near and far are the frequencies v and N − v; results take their places. */
INLINE void even_frequency(enum middle middle, enum even_gain gain, const float *w, const float *near_h,
                           const float *far_h, VECTOR near[2], VECTOR far[2])
{
    float cosine = w[0], sine = w[1];
    if (middle != MIDDLE_APPLY) {
        VECTOR p_re = near[0] * cosine - near[1] * sine, p_im = near[0] * sine + near[1] * cosine;
        VECTOR q_re = far[0] * cosine + far[1] * sine, q_im = far[1] * cosine - far[0] * sine;
        near[0] = p_re + q_re, near[1] = p_im + q_im;
        far[0] = q_im - p_im, far[1] = p_re - q_re;
    }
    if (middle == MIDDLE_FORWARD)
        return;
    multiply_even(near_h, gain, &near[0], &near[1]);
    multiply_even(far_h, gain, &far[0], &far[1]);
    VECTOR p_re = near[0] + far[1], p_im = near[1] - far[0];
    VECTOR q_re = near[0] - far[1], q_im = near[1] + far[0];
    near[0] = p_re * cosine + p_im * sine, near[1] = p_im * cosine - p_re * sine;
    far[0] = q_re * cosine - q_im * sine, far[1] = q_re * sine + q_im * cosine;
}

/* The butterfly at position `at` and the one of the opposite frequencies; the place of frequency k in the latter is
 * r − 1 − k. */
INLINE void even_two(const struct even_middle *task, int at, int opposite, int radix, half_function *half,
                     enum middle middle, enum even_gain gain)
{
    const struct fused_column *transform = task->transform;
    size_t gains = floats_of_even_gain(gain);
    size_t near_row = 2 * LANES * (size_t)transform->offset[at];
    size_t far_row = 2 * LANES * (size_t)transform->offset[opposite];
    const float *w = transform->quarter + 2 * (size_t)at;
    const float *near_h = task->h + gains * (size_t)at, *far_h = task->h + gains * (size_t)opposite;
    VECTOR re[RADIX_MAX], im[RADIX_MAX], far_re[RADIX_MAX], far_im[RADIX_MAX];
    load_rows(task->in + near_row, 2 * LANES, radix, re, im);
    load_rows(task->in + far_row, 2 * LANES, radix, far_re, far_im);
    if (middle != MIDDLE_APPLY) {
        dft(radix, half, re, im);
        dft(radix, half, far_re, far_im);
    }
    UNROLL
    for (int k = 0; k < radix; k++) {
        int l = radix - 1 - k;
        VECTOR near[2] = { re[k], im[k] }, far[2] = { far_re[l], far_im[l] };
        even_frequency(middle, gain, w + 2 * k, near_h + gains * (size_t)k, far_h + gains * (size_t)l, near,
                       far);
        re[k] = near[0], im[k] = near[1];
        far_re[l] = far[0], far_im[l] = far[1];
    }
    if (middle != MIDDLE_FORWARD) {
        dft(radix, half, im, re);
        dft(radix, half, far_im, far_re);
    }
    store_rows(task->out + near_row, 2 * LANES, radix, re, im);
    store_rows(task->out + far_row, 2 * LANES, radix, far_re, far_im);
}

/* A butterfly that holds its own opposite frequencies. That of frequency 0 lacks the opposite one, C(N) = 0. */
INLINE void even_one(const struct even_middle *task, int at, int radix, half_function *half,
                     enum middle middle, enum even_gain gain)
{
    const struct fused_column *transform = task->transform;
    size_t gains = floats_of_even_gain(gain), row = 2 * LANES * (size_t)transform->offset[at];
    const float *w = transform->quarter + 2 * (size_t)at, *h = task->h + gains * (size_t)at;
    VECTOR re[RADIX_MAX], im[RADIX_MAX], own_re[RADIX_MAX], own_im[RADIX_MAX];
    bool zero = at == 0;
    load_rows(task->in + row, 2 * LANES, radix, own_re, own_im);
    if (middle != MIDDLE_APPLY)
        dft(radix, half, own_re, own_im);
    for (int k = 0; k < radix; k++) {
        int l = zero ? (radix - k) % radix : radix - 1 - k;
        VECTOR near[2] = { own_re[k], own_im[k] }, far[2] = { own_re[l], own_im[l] };
        if (middle == MIDDLE_APPLY && zero && k == 0)
            far[0] = far[1] = (VECTOR){ 0 };
        even_frequency(middle, gain, w + 2 * k, h + gains * (size_t)k, h + gains * (size_t)l, near, far);
        re[k] = near[0], im[k] = near[1];
    }
    if (middle != MIDDLE_FORWARD)
        dft(radix, half, im, re);
    store_rows(task->out + row, 2 * LANES, radix, re, im);
}

/* Two opposite butterflies, or one that is its own opposite, for a prime above 7, whose rows do not stay in
 * registers. */
INLINE void even_primes(const struct even_middle *task, const struct fused_step *step, int at, int opposite,
                        enum middle middle, enum even_gain gain)
{
    const struct fused_column *transform = task->transform;
    size_t gains = floats_of_even_gain(gain);
    size_t rows[2] = { 2 * LANES * (size_t)transform->offset[at],
                       2 * LANES * (size_t)transform->offset[opposite] };
    const float *near_h = task->h + gains * (size_t)at, *far_h = task->h + gains * (size_t)opposite;
    const float *in = middle == MIDDLE_APPLY ? task->in : task->out;
    int butterflies = at == opposite ? 1 : 2;
    for (int i = 0; i < butterflies && middle != MIDDLE_APPLY; i++)
        prime_dft(step->prime,
                  &(struct prime_rows){
                      .from = task->in + rows[i], .to = task->out + rows[i], .stride = 2 * LANES },
                  task->scratch);
    for (int k = 0; k < step->radix; k++) {
        int l = at == 0 ? (step->radix - k) % step->radix : step->radix - 1 - k;
        const float *near_row = in + rows[0] + 2 * LANES * (size_t)k,
                    *far_row = in + rows[1] + 2 * LANES * (size_t)l;
        VECTOR near[2] = { load(near_row), load(near_row + LANES) },
               far[2] = { load(far_row), load(far_row + LANES) };
        if (at == opposite && l < k)
            continue; /* done with row l */
        if (middle == MIDDLE_APPLY && at == 0 && k == 0)
            far[0] = far[1] = (VECTOR){ 0 };
        even_frequency(middle, gain, transform->quarter + 2 * (size_t)(at + k), near_h + gains * (size_t)k,
                       far_h + gains * (size_t)l, near, far);
        if (at != opposite || l != k)
            store_rows(task->out + rows[1] + 2 * LANES * (size_t)l, 0, 1, &far[0], &far[1]);
        store_rows(task->out + rows[0] + 2 * LANES * (size_t)k, 0, 1, &near[0], &near[1]);
    }
    for (int i = 0; i < butterflies && middle != MIDDLE_FORWARD; i++)
        prime_dft(step->prime,
                  &(struct prime_rows){ .from = task->out + rows[i],
                                        .to = task->out + rows[i],
                                        .stride = 2 * LANES,
                                        .inverse = true },
                  task->scratch);
}

INLINE void even_middle_of_prime(const struct even_middle *task, const struct fused_step *step,
                                 enum middle middle, enum even_gain gain)
{
    const int *opposite = task->transform->opposite;
    for (int i = 0; i < task->transform->length / step->radix; i++)
        if (opposite[i] >= i)
            even_primes(task, step, i * step->radix, opposite[i] * step->radix, middle, gain);
}

/* Prefetches the gains of the butterfly at position `at`. */
INLINE void prefetch_even_gains(const struct even_middle *task, int at, int radix, enum even_gain gain)
{
    enum { LINE = 64 / sizeof(float) };
    size_t gains = floats_of_even_gain(gain);
    const float *h = task->h + gains * (size_t)at;
    UNROLL
    for (size_t i = 0; i < (size_t)radix * gains; i += LINE)
        __builtin_prefetch(h + i, 0, 3);
}

INLINE void even_middle_of(const struct even_middle *task, int radix, half_function *half, enum middle middle,
                           enum even_gain gain)
{
    enum { AHEAD = 4 };
    const int *opposite = task->transform->opposite;
    int count = task->transform->length / radix;
    for (int i = 0; i < count; i++) {
        int next = i + AHEAD < count ? i + AHEAD : i;
        if (gain != EVEN_NONE && opposite[next] > next) {
            prefetch_even_gains(task, next * radix, radix, gain);
            prefetch_even_gains(task, opposite[next] * radix, radix, gain);
        }
        if (opposite[i] == i)
            even_one(task, i * radix, radix, half, middle, gain);
        else if (opposite[i] > i)
            even_two(task, i * radix, opposite[i] * radix, radix, half, middle, gain);
    }
}

/* WebAssembly has one copy for all middles, whose kind is then no constant: 6 copies are a fifth of the module. */
#if defined __wasm__
#define EVEN_COPIES static __attribute__((noinline))
#else
#define EVEN_COPIES INLINE
#endif

EVEN_COPIES void even_middle_any(const struct even_middle *task, enum middle middle, enum even_gain gain)
{
    const struct fused_column *transform = task->transform;
    const struct fused_step *step = &transform->steps[transform->step_count - 1];
    switch (step->radix) {
    case 2: even_middle_of(task, 2, half_2, middle, gain); break;
    case 3: even_middle_of(task, 3, half_3, middle, gain); break;
    case 4: even_middle_of(task, 4, half_4, middle, gain); break;
    case 5: even_middle_of(task, 5, half_5, middle, gain); break;
    case 7: even_middle_of(task, 7, half_7, middle, gain); break;
    case 8: even_middle_of(task, 8, half_8, middle, gain); break;
    case 16: even_middle_of(task, 16, half_16, middle, gain); break;
    default: even_middle_of_prime(task, step, middle, gain); break;
    }
}

static void even_filter_whole(const struct even_middle *task)
{
    even_middle_any(task, MIDDLE_FILTER, EVEN_WHOLE);
}

static void even_filter_split(const struct even_middle *task)
{
    even_middle_any(task, MIDDLE_FILTER, EVEN_SPLIT);
}

static void even_forward_middle(const struct even_middle *task)
{
    even_middle_any(task, MIDDLE_FORWARD, EVEN_NONE);
}

static void even_apply_whole(const struct even_middle *task)
{
    even_middle_any(task, MIDDLE_APPLY, EVEN_WHOLE);
}

static void even_apply_split(const struct even_middle *task)
{
    even_middle_any(task, MIDDLE_APPLY, EVEN_SPLIT);
}

static void even_inverse_middle(const struct even_middle *task)
{
    even_middle_any(task, MIDDLE_APPLY, EVEN_NONE);
}

/* The steps around an even middle have none of their own. */
static void no_middle(const struct fused_step *step, const float *in, float *out, int rows, const float *h,
                      float *scratch)
{
    (void)step, (void)in, (void)out, (void)rows, (void)h, (void)scratch;
}

static void even_steps(const struct fused_column *transform, bool inverse, float *block, float *scratch)
{
    struct column_task task = { transform, no_middle, !inverse, inverse, 0, scratch };
    columns_depth_first(&task, 0, transform->length, block, block, block);
}

static void filter_even_block(const struct fused_column *transform, float *block, const float *h, bool split,
                              float *scratch)
{
    const struct even_middle middle = { transform, block, h, block, scratch };
    even_steps(transform, false, block, scratch);
    (split ? even_filter_split : even_filter_whole)(&middle);
    even_steps(transform, true, block, scratch);
}

static void forward_even_block(const struct fused_column *transform, float *block, float *scratch)
{
    const struct even_middle middle = { transform, block, block, block, scratch };
    even_steps(transform, false, block, scratch);
    even_forward_middle(&middle);
}

static void apply_even_block(const struct fused_column *transform, const float *in, const float *h,
                             bool split, float *out, float *scratch)
{
    const struct even_middle middle = { transform, in, h, out, scratch };
    (split ? even_apply_split : even_apply_whole)(&middle);
    even_steps(transform, true, out, scratch);
}

static void inverse_even_block(const struct fused_column *transform, float *block, float *scratch)
{
    const struct even_middle middle = { transform, block, block, block, scratch };
    even_inverse_middle(&middle);
    even_steps(transform, true, block, scratch);
}

static void cross_even_block(const struct fused_column *transform, const float *in, const float *h,
                             bool split, float *out)
{
    enum even_gain gain = split ? EVEN_SPLIT : EVEN_WHOLE;
    for (int row = 0; row < transform->length; row++) {
        int from = transform->reversed[row];
        float *to = out + 2 * LANES * (size_t)transform->offset[row];
        VECTOR re = { 0 }, im = { 0 };
        if (from >= 0) {
            const float *at = in + 2 * LANES * (size_t)transform->offset[from];
            re = -load(at), im = -load(at + LANES);
            multiply_even(h + floats_of_even_gain(gain) * (size_t)from, gain, &re, &im);
        }
        store(to, split ? im : re);
        store(to + LANES, split ? re : im);
    }
}
