/* Template: taps on bytes, in 16 bits.
 *
 * A vector holds twice as many samples as with floats. A byte x is stored as (x − 128) · SPACE_STEP, a tap t
 * as t · 2^15, and their product is rounded to nearest. Sums cannot overflow: SPACE_STEP is a little less
 * than 2^8, which leaves room for the rounding of a thousand taps. Saturating sums would be safe too, but
 * twice as slow. */
#if VECTOR_BYTES == 64
typedef __m512i SHORTS;
enum { SHORT_VECTORS = 4 };
#define SHORT(f) _mm512_##f

INLINE SHORTS widen_to_shorts(const void *from)
{
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(from));
}

/* Stores as bytes, saturated. */
INLINE void narrow_shorts(SHORTS x, void *to)
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

INLINE SHORTS widen_to_shorts(const void *from)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128(from));
}

INLINE void narrow_shorts(SHORTS x, void *to)
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

/* Loads samples: for U8 stored bytes; U16 stands for lines of shorts. */
INLINE SHORTS take_shorts(abbe_type type, const void *from, size_t at)
{
    if (type == ABBE_U8)
        return SHORT(mullo_epi16)(
            SHORT(sub_epi16)(widen_to_shorts((const uint8_t *)from + at), SHORT(set1_epi16)(128)),
            SHORT(set1_epi16)(SPACE_STEP));
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

/* Stores sums as bytes: multiplies by 1 / SPACE_STEP, rounds to nearest, adds the offset and saturates. */
INLINE void store_as_bytes(SHORTS sum, SHORTS offset, uint8_t *to)
{
    SHORTS value = SHORT(mulhrs_epi16)(sum, SHORT(set1_epi16)(SPACE_STEP_INVERSE));
    narrow_shorts(SHORT(add_epi16)(value, offset), to);
}

/* Where the results of a span go: lines of shorts when the span reads bytes (U8), bytes when it reads shorts
 * (U16). */
struct short_results {
    void *data;
    ptrdiff_t pitch; /* in samples */
    size_t count;    /* of a row */
};

INLINE void store_short_sums(const struct span_of_shorts *span, SHORTS sum, void *to)
{
    if (span->type == ABBE_U8)
        store_shorts(to, sum);
    else
        store_as_bytes(sum, SHORT(set1_epi16)(span->taps->offset), to);
}

INLINE void *short_result_at(const struct span_of_shorts *span, const struct short_results *to, int r,
                             size_t x)
{
    if (span->type == ABBE_U8)
        return (int16_t *)to->data + r * to->pitch + x;
    return (uint8_t *)to->data + r * to->pitch + x;
}

/* Filters a block, whose last vector has `count` results. */
INLINE void filter_short_block(const struct span_of_shorts *span, size_t x, int vectors, size_t count,
                               const struct short_results *to)
{
    SHORTS sums[SPACE_ROWS][ROW_VECTORS];
    sum_block_of_shorts(span, x, vectors, sums);
    for (int r = 0; r < span->rows; r++)
        for (int v = 0; v < vectors; v++) {
            void *out = short_result_at(span, to, r, x + (size_t)v * SHORT_LANES);
            if (count == SHORT_LANES) {
                store_short_sums(span, sums[r][v], out);
                continue;
            }
            char own[sizeof(SHORTS)];
            store_short_sums(span, sums[r][v], own);
            memcpy(out, own, count * (span->type == ABBE_U8 ? sizeof(int16_t) : 1));
        }
}

/* Rows of bytes end with their last sample and have at least SHORT_LANES: their last vector ends with the
 * row, and some results are computed twice. Lines of shorts have slack after the last sample. */
INLINE void filter_short_span(struct span_of_shorts span, struct short_results to)
{
    const int vectors = span.rows == 1 ? ROW_VECTORS : SHORT_VECTORS;
    const size_t width = (size_t)vectors * SHORT_LANES;
    size_t x = 0;
    for (; x + width <= to.count; x += width)
        filter_short_block(&span, x, vectors, SHORT_LANES, &to);
    for (; x + SHORT_LANES <= to.count; x += SHORT_LANES)
        filter_short_block(&span, x, 1, SHORT_LANES, &to);
    if (x < to.count && span.type == ABBE_U8)
        filter_short_block(&span, to.count - SHORT_LANES, 1, SHORT_LANES, &to);
    else if (x < to.count)
        filter_short_block(&span, x, 1, to.count - x, &to);
}

/* As filter_rows_as. */
INLINE void filter_short_rows_as(struct span_of_shorts span, int results, struct short_results to)
{
    struct span_of_shorts three = span, more = span;
    three.rows = more.rows = SPACE_ROWS;
    three.height = 3;
    three.tall = false;
    if (results < SPACE_ROWS || span.height < 3)
        for (int r = 0; r < results; r++, span.from++) {
            struct short_results row = to;
            row.data = short_result_at(&span, &to, r, 0);
            filter_short_span(span, row);
        }
    else if (span.height == 3)
        filter_short_span(three, to);
    else
        filter_short_span(more, to);
}

/* Column taps on fewer bytes than a vector holds: from padded copies, one row of results at a time. */
static void apply_short_columns_to_few(const uint8_t *const *rows, const struct space_short_taps *taps,
                                       int results, size_t count, struct space_shorts to)
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

static void apply_short_column_taps(const uint8_t *const *rows, const struct space_short_taps *taps,
                                    int results, size_t count, struct space_shorts to)
{
    if (count < SHORT_LANES)
        apply_short_columns_to_few(rows, taps, results, count, to);
    else
        filter_short_rows_as((struct span_of_shorts){ .type = ABBE_U8,
                                                      .from = (const void *const *)rows,
                                                      .step = 1,
                                                      .taps = taps,
                                                      .width = 1,
                                                      .height = taps->height,
                                                      .rows = 1,
                                                      .tall = true },
                             results, (struct short_results){ to.data, to.pitch, count });
}

static void apply_short_dense_taps(const int16_t *const *rows, size_t step,
                                   const struct space_short_taps *taps, int results, size_t count,
                                   ptrdiff_t pitch, uint8_t *to)
{
    filter_short_rows_as((struct span_of_shorts){ .type = ABBE_U16,
                                                  .from = (const void *const *)rows,
                                                  .step = step,
                                                  .taps = taps,
                                                  .width = taps->width,
                                                  .height = taps->height,
                                                  .rows = 1,
                                                  .tall = true },
                         results, (struct short_results){ to, pitch, count });
}

static void load_shorts_from_bytes(const uint8_t *from, size_t count, int16_t *to)
{
    size_t x = 0;
    for (; x + SHORT_LANES <= count; x += SHORT_LANES)
        store_shorts(to + x, take_shorts(ABBE_U8, from, x));
    for (; x < count; x++)
        to[x] = (int16_t)((from[x] - 128) * SPACE_STEP);
}
