/* Template: taps on bytes, in 16 bits.
 *
 * Twice as many samples to a vector as floats have. A byte x is (x − 128) · SPACE_LEVEL, a tap t · 2^15, and their
 * product is rounded to nearest. Sums cannot overflow: a level is a little less than 2^8, to leave room for what a
 * thousand taps may be rounded up by. Sums that saturate would be safe too, and twice as slow. */
#if VECTOR_BYTES == 64
typedef __m512i SHORTS;
enum { SHORT_VECTORS = 4 };
#define SHORT(f) _mm512_##f

INLINE SHORTS widen(const void *from)
{
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(from));
}

/* To bytes, saturated. */
INLINE void narrow(SHORTS x, void *to)
{
    _mm256_storeu_si256(to, _mm512_cvtusepi16_epi8(_mm512_max_epi16(x, _mm512_setzero_si512())));
}

INLINE SHORTS load_shorts(const void *from)
{
    return _mm512_loadu_si512(from);
}

INLINE void store_shorts(void *to, SHORTS x)
{
    _mm512_storeu_si512(to, x);
}
#else
typedef __m256i SHORTS;
enum { SHORT_VECTORS = 2 };
#define SHORT(f) _mm256_##f

INLINE SHORTS widen(const void *from)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128(from));
}

INLINE void narrow(SHORTS x, void *to)
{
    _mm_storeu_si128(to, _mm_packus_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)));
}

INLINE SHORTS load_shorts(const void *from)
{
    return _mm256_loadu_si256(from);
}

INLINE void store_shorts(void *to, SHORTS x)
{
    _mm256_storeu_si256(to, x);
}
#endif

enum { SHORT_LANES = 2 * LANES };

/* U8: stored bytes; U16 stands for lines of shorts. */
INLINE SHORTS take_shorts(abbe_type type, const void *from, size_t at)
{
    if (type == ABBE_U8)
        return SHORT(mullo_epi16)(SHORT(sub_epi16)(widen((const uint8_t *)from + at), SHORT(set1_epi16)(128)),
                                  SHORT(set1_epi16)(SPACE_LEVEL));
    return load_shorts((const int16_t *)from + at);
}

#define NAME(f) f##_of_shorts
#define SUMS SHORTS
#define TAPS struct space_short_taps
#define TAP int32_t
#define PER_VECTOR SHORT_LANES
#define TAKE take_shorts
#define ADD(sum, samples, tap) SHORT(add_epi16)(sum, SHORT(mulhrs_epi16)(samples, SHORT(set1_epi32)(tap)))
#include "cpu/space/blocks_tmpl.h"

/* Rounded to bytes: by 2^15 / SPACE_LEVEL and back by 2^15. */
INLINE void put_bytes(SHORTS sum, SHORTS offset, uint8_t *to)
{
    SHORTS level = SHORT(mulhrs_epi16)(sum, SHORT(set1_epi16)(SPACE_UNLEVEL));
    narrow(SHORT(add_epi16)(level, offset), to);
}

struct short_run {
    abbe_type type; /* U8: from bytes to shorts, U16: from shorts to bytes */
    const void *const *from;
    size_t step;
    const struct space_short_taps *taps;
    int width, height, rows;
    bool tall;
    ptrdiff_t pitch;
};

INLINE void store_sums(const struct short_run *run, SHORTS sum, void *to)
{
    if (run->type == ABBE_U8)
        store_shorts(to, sum);
    else
        put_bytes(sum, SHORT(set1_epi16)(run->taps->offset), to);
}

INLINE void *short_result(const struct short_run *run, void *to, int r, size_t x)
{
    if (run->type == ABBE_U8)
        return (int16_t *)to + r * run->pitch + x;
    return (uint8_t *)to + r * run->pitch + x;
}

INLINE void short_block(const struct short_run *run, size_t x, int vectors, size_t count, void *to)
{
    SHORTS sums[SPACE_ROWS][ROW_VECTORS];
    sum_block_of_shorts(run->type, run->from, x, run->step, run->taps, run->width, run->height, run->rows,
                        vectors, run->tall, sums);
    for (int r = 0; r < run->rows; r++)
        for (int v = 0; v < vectors; v++) {
            void *out = short_result(run, to, r, x + (size_t)v * SHORT_LANES);
            if (count == SHORT_LANES) {
                store_sums(run, sums[r][v], out);
                continue;
            }
            char own[sizeof(SHORTS)];
            store_sums(run, sums[r][v], own);
            memcpy(out, own, count * (run->type == ABBE_U8 ? sizeof(int16_t) : 1));
        }
}

/* Bytes end exactly and are at least a vector; lines of shorts have slack behind them. */
INLINE void short_run(const struct short_run run, size_t count, void *to)
{
    const int vectors = run.rows == 1 ? ROW_VECTORS : SHORT_VECTORS;
    const size_t width = (size_t)vectors * SHORT_LANES;
    size_t x = 0;
    for (; x + width <= count; x += width)
        short_block(&run, x, vectors, SHORT_LANES, to);
    for (; x + SHORT_LANES <= count; x += SHORT_LANES)
        short_block(&run, x, 1, SHORT_LANES, to);
    if (x < count && run.type == ABBE_U8)
        short_block(&run, count - SHORT_LANES, 1, SHORT_LANES, to);
    else if (x < count)
        short_block(&run, x, 1, count - x, to);
}

INLINE void filter_shorts(abbe_type type, const void *const *rows, size_t step,
                          const struct space_short_taps *taps, int width, int results, size_t count,
                          ptrdiff_t pitch, void *to)
{
    struct short_run run = { type, rows, step, taps, width, taps->height, 1, true, pitch };
    if (results < SPACE_ROWS || taps->height < 3)
        for (int r = 0; r < results; r++, run.from++)
            short_run(run, count, short_result(&run, to, r, 0));
    else if (taps->height == 3)
        short_run((struct short_run){ type, rows, step, taps, width, 3, SPACE_ROWS, false, pitch }, count,
                  to);
    else
        short_run((struct short_run){ type, rows, step, taps, width, taps->height, SPACE_ROWS, true, pitch },
                  count, to);
}

/* Fewer bytes than a vector holds: through copies of them, one row of results after the other. */
static void few_short_columns(const uint8_t *const *rows, const struct space_short_taps *taps, int results,
                              size_t count, struct space_shorts to)
{
    for (int r = 0; r < results; r++) {
        SHORTS sum = { 0 };
        for (int j = 0; j < taps->height; j++) {
            uint8_t own[SHORT_LANES] = { 0 };
            memcpy(own, rows[r + j], count);
            sum = SHORT(add_epi16)(
                sum, SHORT(mulhrs_epi16)(take_shorts(ABBE_U8, own, 0), SHORT(set1_epi32)(taps->taps[j])));
        }
        memcpy(to.data + r * to.pitch, &sum, count * sizeof(int16_t));
    }
}

static void short_columns(const uint8_t *const *rows, const struct space_short_taps *taps, int results,
                          size_t count, struct space_shorts to)
{
    if (count < SHORT_LANES)
        few_short_columns(rows, taps, results, count, to);
    else
        filter_shorts(ABBE_U8, (const void *const *)rows, 1, taps, 1, results, count, to.pitch, to.data);
}

static void short_dense(const int16_t *const *rows, size_t step, const struct space_short_taps *taps,
                        int results, size_t count, ptrdiff_t pitch, uint8_t *to)
{
    const void *const *from = (const void *const *)rows;
    filter_shorts(ABBE_U16, from, step, taps, taps->width, results, count, pitch, to);
}

static void short_load(const uint8_t *from, size_t count, int16_t *to)
{
    size_t x = 0;
    for (; x + SHORT_LANES <= count; x += SHORT_LANES)
        store_shorts(to + x, take_shorts(ABBE_U8, from, x));
    for (; x < count; x++)
        to[x] = (int16_t)((from[x] - 128) * SPACE_LEVEL);
}
