/* Template: conversion of samples to vectors of floats and back. Integers keep their values. */

INLINE size_t sample_size(abbe_type type)
{
    return type == ABBE_U8 ? 1 : type == ABBE_U16 ? 2 : 4;
}

/* Loads LANES samples from sample `at` on. */
INLINE VECTOR take(abbe_type type, const void *from, size_t at)
{
    const unsigned char *first = (const unsigned char *)from + at * sample_size(type);
    if (type == ABBE_U8)
        return __builtin_convertvector(widen_bytes(first), VECTOR);
    if (type == ABBE_U16)
        return __builtin_convertvector(widen_words(first), VECTOR);
    return load((const float *)(const void *)first);
}

/* Rounds to the nearest whole number within 0 … white, ties to even: the last bits of x + 2^23. */
INLINE INTS round_within(VECTOR x, float white)
{
    return (INTS)(within(x, (VECTOR){ 0 } + white) + 0x1p23f) & 0xffff;
}

INLINE void put(abbe_type type, VECTOR x, void *to, size_t at)
{
    unsigned char *first = (unsigned char *)to + at * sample_size(type);
    if (type == ABBE_U8)
        narrow_to_bytes(round_within(x, 255), first);
    else if (type == ABBE_U16)
        narrow_to_words(round_within(x, 65535), first);
    else
        store((float *)(void *)first, x);
}

/* Loads the last samples of a row, fewer than LANES, padded with zeros. */
INLINE VECTOR take_some(abbe_type type, const void *from, size_t at, size_t count)
{
    float own[LANES] = { 0 };
    memcpy(own, (const char *)from + at * sample_size(type), count * sample_size(type));
    return take(type, own, 0);
}

INLINE void put_some(abbe_type type, VECTOR x, void *to, size_t at, size_t count)
{
    float own[LANES];
    put(type, x, own, 0);
    memcpy((char *)to + at * sample_size(type), own, count * sample_size(type));
}

INLINE void load_as(abbe_type type, const void *from, size_t count, float *to)
{
    size_t x = 0;
    for (; x + LANES <= count; x += LANES)
        store(to + x, take(type, from, x));
    if (x < count)
        put_some(ABBE_F32, take_some(type, from, x, count - x), to, x, count - x);
}

static void load_samples(abbe_type type, const void *from, size_t count, float *to)
{
    switch (type) {
    case ABBE_U8: load_as(ABBE_U8, from, count, to); return;
    case ABBE_U16: load_as(ABBE_U16, from, count, to); return;
    case ABBE_F16:
    case ABBE_F32: memcpy(to, from, count * sizeof *to); return;
    default: return; /* not a native type */
    }
}

INLINE void store_as(abbe_type type, const float *from, size_t count, void *to)
{
    size_t x = 0;
    for (; x + LANES <= count; x += LANES)
        put(type, load(from + x), to, x);
    if (x < count)
        put_some(type, take_some(ABBE_F32, from, x, count - x), to, x, count - x);
}

static void store_samples(abbe_type type, const float *from, size_t count, void *to)
{
    switch (type) {
    case ABBE_U8: store_as(ABBE_U8, from, count, to); return;
    case ABBE_U16: store_as(ABBE_U16, from, count, to); return;
    case ABBE_F16:
    case ABBE_F32: memcpy(to, from, count * sizeof *from); return;
    default: return; /* not a native type */
    }
}

/* x − x is 0 for a finite x and NaN otherwise; the bits of all differences are combined. */
static bool are_samples_finite(const float *from, size_t count)
{
    INTS nonfinite[4] = { { 0 } };
    size_t x = 0;
    for (; x + 4 * LANES <= count; x += 4 * LANES)
        for (int v = 0; v < 4; v++) {
            VECTOR some = load(from + x + (size_t)v * LANES);
            nonfinite[v] |= (INTS)(some - some);
        }
    for (; x < count; x += LANES) {
        VECTOR some = count - x < LANES ? take_some(ABBE_F32, from, x, count - x) : load(from + x);
        nonfinite[0] |= (INTS)(some - some);
    }
    int any = 0;
    for (int l = 0; l < LANES; l++)
        any |= nonfinite[0][l] | nonfinite[1][l] | nonfinite[2][l] | nonfinite[3][l];
    return any == 0;
}

/* ---- Alpha -------------------------------------------------------------------------------------------- */

/* Lane indices that repeat alpha, every fourth lane, over its pixel; and a mask of the lanes that hold
 * alpha. */
#if VECTOR_BYTES == 16
#define ALPHAS 3, 3, 3, 3
#define IS_ALPHA 0, 0, 0, -1
#elif VECTOR_BYTES == 32
#define ALPHAS 3, 3, 3, 3, 7, 7, 7, 7
#define IS_ALPHA 0, 0, 0, -1, 0, 0, 0, -1
#else
#define ALPHAS 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15
#define IS_ALPHA 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1
#endif

INLINE VECTOR with_alpha(VECTOR colours, VECTOR alpha)
{
    const INTS which = { IS_ALPHA };
    return (VECTOR)(((INTS)colours & ~which) | ((INTS)alpha & which));
}

INLINE VECTOR multiply_by_alpha(VECTOR x, float white)
{
    VECTOR alpha = __builtin_shufflevector(x, x, ALPHAS);
    return with_alpha(x * (alpha * (1 / white)), x);
}

INLINE VECTOR divide_by_alpha(VECTOR x, float gain, float white)
{
    VECTOR alpha = __builtin_shufflevector(x, x, ALPHAS) / gain, coverage = alpha * (1 / white);
    INTS opaque = coverage > 0.5f / 65535;
    return with_alpha((VECTOR)((INTS)(x / coverage) & opaque), alpha);
}

static void multiply_row_alpha(float *row, size_t pixels, float white)
{
    size_t x = 0, count = 4 * pixels;
    for (; x + LANES <= count; x += LANES)
        store(row + x, multiply_by_alpha(load(row + x), white));
    if (x < count)
        put_some(ABBE_F32, multiply_by_alpha(take_some(ABBE_F32, row, x, count - x), white), row, x,
                 count - x);
}

static void divide_row_alpha(float *row, size_t pixels, float gain, float white)
{
    size_t x = 0, count = 4 * pixels;
    for (; x + LANES <= count; x += LANES)
        store(row + x, divide_by_alpha(load(row + x), gain, white));
    if (x < count)
        put_some(ABBE_F32, divide_by_alpha(take_some(ABBE_F32, row, x, count - x), gain, white), row, x,
                 count - x);
}
