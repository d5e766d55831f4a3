/* Template: taps on floats.
 *
 * See blocks_tmpl.h for what a block is. */

/* Registers for rows · vectors sums, a row of vectors and a tap. */
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

/* What a run of results is made of; all but pointers are constants where it matters. */
struct run {
    abbe_type type;
    const void *const *from;
    size_t step;
    const struct space_taps *taps;
    int width, height, rows;
    bool tall;
    bool add;   /* to what is there */
    bool exact; /* nothing lies behind the last sample of a row */
};

INLINE void filter_block(const struct run *run, size_t x, int vectors, struct space_lines to)
{
    VECTOR sums[SPACE_ROWS][ROW_VECTORS];
    sum_block(run->type, run->from, x, run->step, run->taps, run->width, run->height, run->rows, vectors,
              run->tall, sums);
    for (int r = 0; r < run->rows; r++)
        for (int v = 0; v < vectors; v++) {
            float *out = to.data + r * to.pitch + x + (size_t)v * LANES;
            store(out, run->add ? load(out) + sums[r][v] : sums[r][v]);
        }
}

/* The end of a row: fewer than LANES results of vectors that are there in full. */
INLINE void filter_end(const struct run *run, size_t x, size_t count, struct space_lines to)
{
    VECTOR sums[SPACE_ROWS][ROW_VECTORS];
    sum_block(run->type, run->from, x, run->step, run->taps, run->width, run->height, run->rows, 1, run->tall,
              sums);
    for (int r = 0; r < run->rows; r++) {
        float own[LANES], *out = to.data + r * to.pitch + x;
        store(own, sums[r][0]);
        for (size_t i = 0; i < count; i++)
            out[i] = run->add ? out[i] + own[i] : own[i];
    }
}

/* Exact rows have LANES samples or more: the last vector is computed from the end backwards, some results for the
 * second time. */
INLINE void filter_run(const struct run run, size_t count, struct space_lines to)
{
    const int vectors = run.rows == 1 ? ROW_VECTORS : BLOCK_VECTORS;
    const size_t width = (size_t)vectors * LANES;
    size_t x = 0;
    for (; x + width <= count; x += width)
        filter_block(&run, x, vectors, to);
    for (; x + LANES <= count; x += LANES)
        filter_block(&run, x, 1, to);
    if (x < count && run.exact)
        filter_block(&run, count - LANES, 1, to);
    else if (x < count)
        filter_end(&run, x, count - x, to);
}

/* Rows by SPACE_ROWS; one by one when they are fewer, or the taps too low to share much. */
INLINE void filter_as(abbe_type type, const void *const *rows, size_t step, const struct space_taps *taps,
                      int width, int results, bool add, bool exact, size_t count, struct space_lines to)
{
    struct run run = { type, rows, step, taps, width, taps->height, 1, true, add, exact };
    if (results < SPACE_ROWS || taps->height < 3)
        for (int r = 0; r < results; r++, run.from++)
            filter_run(run, count, (struct space_lines){ to.data + r * to.pitch, to.pitch });
    else if (taps->height == 3)
        filter_run((struct run){ type, rows, step, taps, width, 3, SPACE_ROWS, false, add, exact }, count,
                   to);
    else
        filter_run((struct run){ type, rows, step, taps, width, taps->height, SPACE_ROWS, true, add, exact },
                   count, to);
}

INLINE float one_sample(abbe_type type, const void *row, size_t x)
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

/* Fewer samples than a vector holds. */
static void few_columns(abbe_type type, const void *const *rows, const struct space_taps *taps, int results,
                        size_t count, struct space_lines to)
{
    for (int r = 0; r < results; r++)
        for (size_t x = 0; x < count; x++) {
            float sum = 0;
            for (int j = 0; j < taps->height; j++)
                sum += one_sample(type, rows[r + j], x) * taps->taps[j];
            *(to.data + r * to.pitch + x) = sum;
        }
}

static void columns(abbe_type type, const void *const *rows, const struct space_taps *taps, int results,
                    size_t count, struct space_lines to)
{
    if (count < LANES) {
        few_columns(type, rows, taps, results, count, to);
        return;
    }
    switch (type) {
    case ABBE_U8: filter_as(ABBE_U8, rows, 1, taps, 1, results, false, true, count, to); return;
    case ABBE_U16: filter_as(ABBE_U16, rows, 1, taps, 1, results, false, true, count, to); return;
    case ABBE_F16:
    case ABBE_F32: filter_as(ABBE_F32, rows, 1, taps, 1, results, false, true, count, to); return;
    }
}

static void dense(const float *const *rows, size_t step, const struct space_taps *taps, int results,
                  size_t count, bool add, struct space_lines to)
{
    const void *const *from = (const void *const *)rows;
    if (add)
        filter_as(ABBE_F32, from, step, taps, taps->width, results, true, false, count, to);
    else if (taps->width == 3 && taps->height == 3 && results == SPACE_ROWS)
        filter_run((struct run){ ABBE_F32, from, step, taps, 3, 3, SPACE_ROWS, false, false, false }, count,
                   to);
    else
        filter_as(ABBE_F32, from, step, taps, taps->width, results, false, false, count, to);
}

INLINE void sparse_block(const float *const *rows, size_t step, const struct space_tap *taps, int tap_count,
                         size_t x, int vectors, float *to)
{
    VECTOR sums[ROW_VECTORS];
    for (int v = 0; v < vectors; v++)
        sums[v] = (VECTOR){ 0 };
    for (int i = 0; i < tap_count; i++) {
        const float *from = rows[taps[i].row] + x + (size_t)taps[i].column * step;
        for (int v = 0; v < vectors; v++)
            sums[v] += load(from + (size_t)v * LANES) * taps[i].value;
    }
    for (int v = 0; v < vectors; v++)
        store(to + (size_t)v * LANES, sums[v]);
}

static void sparse(const float *const *rows, size_t step, const struct space_tap *taps, int tap_count,
                   size_t count, float *to)
{
    size_t x = 0;
    for (; x + ROW_VECTORS * LANES <= count; x += ROW_VECTORS * LANES)
        sparse_block(rows, step, taps, tap_count, x, ROW_VECTORS, to + x);
    for (; x + LANES <= count; x += LANES)
        sparse_block(rows, step, taps, tap_count, x, 1, to + x);
    if (x < count) {
        float own[LANES];
        sparse_block(rows, step, taps, tap_count, x, 1, own);
        memcpy(to + x, own, (count - x) * sizeof *own);
    }
}
