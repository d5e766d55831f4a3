/* Template: taps on floats. See blocks_tmpl.h for what a block is. */

/* Registers hold rows · vectors sums, a row of vectors and a tap. */
#if VECTOR_BYTES == 64
enum { BLOCK_VECTORS = 4, ROW_VECTORS = 8 };
#else
enum { BLOCK_VECTORS = 2, ROW_VECTORS = 8 };
#endif

#define NAME(f) f
#define SUMS VECTOR
#define TAPS struct space_taps
#define TAP float
#define PER_VECTOR LANES
#define TAKE take
#define ADD(sum, samples, tap) ((sum) + (samples) * (tap))
#include "cpu/space/blocks_tmpl.h"

/* Where the results of a span go. */
struct float_results {
    struct space_lines lines;
    size_t count; /* of a row */
    bool add;     /* adds to the results that are there */
    bool exact;   /* source rows end with their last sample, and have at least LANES */
};

INLINE void filter_block(const struct span *span, size_t x, int vectors, const struct float_results *to)
{
    VECTOR sums[SPACE_ROWS][ROW_VECTORS];
    sum_block(span, x, vectors, sums);
    for (int r = 0; r < span->rows; r++)
        for (int v = 0; v < vectors; v++) {
            float *out = to->lines.data + r * to->lines.pitch + x + (size_t)v * LANES;
            store(out, to->add ? load(out) + sums[r][v] : sums[r][v]);
        }
}

/* Writes the last results of a row, fewer than LANES, from source vectors that are complete thanks to the
 * slack. */
INLINE void filter_last_block(const struct span *span, size_t x, const struct float_results *to)
{
    VECTOR sums[SPACE_ROWS][ROW_VECTORS];
    sum_block(span, x, 1, sums);
    for (int r = 0; r < span->rows; r++) {
        float own[LANES], *out = to->lines.data + r * to->lines.pitch + x;
        store(own, sums[r][0]);
        for (size_t i = 0; i < to->count - x; i++)
            out[i] = to->add ? out[i] + own[i] : own[i];
    }
}

/* Where source rows are exact, the last vector ends with the row, and some results are computed twice. */
INLINE void filter_span(struct span span, struct float_results to)
{
    const int vectors = span.rows == 1 ? ROW_VECTORS : BLOCK_VECTORS;
    const size_t width = (size_t)vectors * LANES;
    size_t x = 0;
    for (; x + width <= to.count; x += width)
        filter_block(&span, x, vectors, &to);
    for (; x + LANES <= to.count; x += LANES)
        filter_block(&span, x, 1, &to);
    if (x < to.count && to.exact)
        filter_block(&span, to.count - LANES, 1, &to);
    else if (x < to.count)
        filter_last_block(&span, x, &to);
}

/* Filters `results` rows of a span that describes one: SPACE_ROWS at once, or one by one when there are fewer, the
 * taps have too few rows to share loads, or rows of taps are so long that their sums are divided. */
INLINE void filter_rows_as(struct span span, int results, struct float_results to)
{
    struct span three = span, more = span;
    three.rows = more.rows = SPACE_ROWS;
    three.height = 3;
    three.tall = false;
    if (results < SPACE_ROWS || span.height < 3 || span.width > SPACE_PART)
        for (int r = 0; r < results; r++, span.from++) {
            struct float_results row = to;
            row.lines.data += r * to.lines.pitch;
            filter_span(span, row);
        }
    else if (span.height == 3)
        filter_span(three, to);
    else
        filter_span(more, to);
}

INLINE float sample_at(abbe_type type, const void *row, size_t x)
{
    uint8_t byte;
    uint16_t word;
    float value;
    if (type == ABBE_U8)
        return memcpy(&byte, (const char *)row + x, sizeof byte), (float)byte;
    if (type == ABBE_U16)
        return memcpy(&word, (const char *)row + 2 * x, sizeof word), (float)word;
    return memcpy(&value, (const char *)row + 4 * x, sizeof value), value;
}

/* Column taps on fewer samples than a vector holds. */
static void apply_columns_to_few(abbe_type type, const void *const *rows, const struct space_taps *taps,
                                 int results, size_t count, struct space_lines to)
{
    for (int r = 0; r < results; r++)
        for (size_t x = 0; x < count; x++) {
            float total = 0;
            for (int j = 0; j < taps->height;) {
                float sum = 0;
                for (int end = j + SPACE_PART; j < end && j < taps->height; j++)
                    sum += sample_at(type, rows[r + j], x) * taps->taps[j];
                total += sum;
            }
            *(to.data + r * to.pitch + x) = total;
        }
}

INLINE void apply_columns_as(abbe_type type, const void *const *rows, const struct space_taps *taps,
                             int results, size_t count, struct space_lines to)
{
    filter_rows_as((struct span){ .type = type,
                                  .from = rows,
                                  .step = 1,
                                  .taps = taps,
                                  .width = 1,
                                  .height = taps->height,
                                  .rows = 1,
                                  .tall = true },
                   results, (struct float_results){ to, count, .add = false, .exact = true });
}

static void apply_column_taps(abbe_type type, const void *const *rows, const struct space_taps *taps,
                              int results, size_t count, struct space_lines to)
{
    if (count < LANES) {
        apply_columns_to_few(type, rows, taps, results, count, to);
        return;
    }
    switch (type) {
    case ABBE_U8: apply_columns_as(ABBE_U8, rows, taps, results, count, to); return;
    case ABBE_U16: apply_columns_as(ABBE_U16, rows, taps, results, count, to); return;
    case ABBE_F16:
    case ABBE_F32: apply_columns_as(ABBE_F32, rows, taps, results, count, to); return;
    default: return; /* not a native type */
    }
}

/* ---- 3 × 3 taps, the most frequent size ---------------------------------------------------------------- */

/* All nine taps stay in registers; so do SPACE_ROWS rows of sums, SQUARE_VECTORS wide. */
enum { SQUARE = 3, SQUARE_ROWS = SPACE_ROWS + SQUARE - 1, SQUARE_VECTORS = VECTOR_BYTES == 64 ? 2 : 1 };

INLINE void filter_square_block(const float *const *rows, size_t step, const VECTOR *taps, size_t x,
                                struct space_lines to)
{
    VECTOR sums[SPACE_ROWS][SQUARE_VECTORS] = { { { 0 } } };
    UNROLL
    for (int j = 0; j < SQUARE_ROWS; j++)
        UNROLL
    for (int i = 0; i < SQUARE; i++)
        UNROLL
    for (int v = 0; v < SQUARE_VECTORS; v++) {
        VECTOR samples = load(rows[j] + x + (size_t)i * step + (size_t)v * LANES);
        KEEP_IN_REGISTER(samples);
        UNROLL
        for (int r = 0; r < SPACE_ROWS; r++)
            if (j >= r && j < r + SQUARE)
                sums[r][v] += samples * taps[SQUARE * (j - r) + i];
    }
    UNROLL
    for (int r = 0; r < SPACE_ROWS; r++)
        UNROLL
    for (int v = 0; v < SQUARE_VECTORS; v++)
        store(to.data + r * to.pitch + x + (size_t)v * LANES, sums[r][v]);
}

/* SPACE_ROWS rows of results; `span` describes the same, for the last ones of each row. */
INLINE void filter_square(const struct span *span, const struct float_results *to)
{
    const float *rows[SQUARE_ROWS];
    VECTOR taps[SQUARE * SQUARE];
    for (int j = 0; j < SQUARE_ROWS; j++)
        rows[j] = span->from[j];
    for (int i = 0; i < SQUARE * SQUARE; i++)
        taps[i] = (VECTOR){ 0 } + span->taps->taps[i];
    size_t x = 0;
    for (; x + SQUARE_VECTORS * LANES <= to->count; x += SQUARE_VECTORS * LANES)
        filter_square_block(rows, span->step, taps, x, to->lines);
    for (; x + LANES <= to->count; x += LANES)
        filter_block(span, x, 1, to);
    if (x < to->count)
        filter_last_block(span, x, to);
}

static void apply_dense_taps(const float *const *rows, size_t step, const struct space_taps *taps,
                             int results, size_t count, bool add, struct space_lines to)
{
    const struct float_results set = { to, count, .add = false, .exact = false };
    const struct float_results sum = { to, count, .add = true, .exact = false };
    const struct span span = { .type = ABBE_F32,
                               .from = (const void *const *)rows,
                               .step = step,
                               .taps = taps,
                               .width = taps->width,
                               .height = taps->height,
                               .rows = 1,
                               .tall = true };
    struct span square = span;
    square.width = square.height = SQUARE;
    square.rows = SPACE_ROWS;
    square.tall = false;
    if (add)
        filter_rows_as(span, results, sum);
    else if (taps->width == SQUARE && taps->height == SQUARE && results == SPACE_ROWS)
        filter_square(&square, &set);
    else
        filter_rows_as(span, results, set);
}

INLINE void filter_sparse_block(const float *const *rows, size_t step, const struct space_tap *taps,
                                int tap_count, size_t x, int vectors, float *to)
{
    VECTOR totals[ROW_VECTORS], sums[ROW_VECTORS];
    for (int v = 0; v < vectors; v++)
        totals[v] = (VECTOR){ 0 };
    for (int first = 0; first < tap_count; first += SPACE_PART) {
        int end = tap_count - first < SPACE_PART ? tap_count : first + SPACE_PART;
        for (int v = 0; v < vectors; v++)
            sums[v] = (VECTOR){ 0 };
        for (int i = first; i < end; i++) {
            const float *from = rows[taps[i].row] + x + (size_t)taps[i].column * step;
            for (int v = 0; v < vectors; v++)
                sums[v] += load(from + (size_t)v * LANES) * taps[i].value;
        }
        for (int v = 0; v < vectors; v++)
            totals[v] += sums[v];
    }
    for (int v = 0; v < vectors; v++)
        store(to + (size_t)v * LANES, totals[v]);
}

static void apply_sparse_taps(const float *const *rows, size_t step, const struct space_tap *taps,
                              int tap_count, size_t count, float *to)
{
    size_t x = 0;
    for (; x + ROW_VECTORS * LANES <= count; x += ROW_VECTORS * LANES)
        filter_sparse_block(rows, step, taps, tap_count, x, ROW_VECTORS, to + x);
    for (; x + LANES <= count; x += LANES)
        filter_sparse_block(rows, step, taps, tap_count, x, 1, to + x);
    if (x < count) {
        float own[LANES];
        filter_sparse_block(rows, step, taps, tap_count, x, 1, own);
        memcpy(to + x, own, (count - x) * sizeof *own);
    }
}
