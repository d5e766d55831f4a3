/* Template: sums of products with taps, blocked in registers. Whoever includes it defines
 *     NAME(f)                    the function's name with these types
 *     SUMS, TAPS, TAP            a vector of sums; the struct of taps, and one of them
 *     PER_VECTOR                 samples of a vector
 *     TAKE(type, row, at)        that many samples of a row as a vector
 *     ADD(sum, samples, tap)     sum + samples · tap
 * and loses all of them again.
 *
 * A block is `rows` rows of results, `vectors` wide. A vector of a source row is loaded once and meets the taps of every
 * result it belongs to; a tap is loaded once and meets all vectors. Where the counts are constants, all is straight-line
 * code but the loops over the taps. No unroll pragmas: clang 14 obeys them before it knows the constants. */

/* What source row j gives to result rows low … high: of each, tap row j − r. */
INLINE void NAME(add_row)(abbe_type type, const void *row, size_t at, size_t step, const TAP *taps, int width,
                          int rows, int vectors, int low, int high, SUMS (*sums)[ROW_VECTORS])
{
    for (int i = 0; i < width; i++, at += step, taps += rows) {
        SUMS samples[ROW_VECTORS];
        for (int v = 0; v < vectors; v++)
            samples[v] = TAKE(type, row, at + (size_t)v * PER_VECTOR);
        for (int r = low; r <= high; r++)
            for (int v = 0; v < vectors; v++)
                sums[r][v] = ADD(sums[r][v], samples[v], taps[r]);
    }
}

/* Source row j meets result rows max(0, j − height + 1) … min(rows − 1, j) of one, or of SPACE_ROWS when `height` is
 * the constant 3 or greater: tall. Written out, because clang unrolls no loop around another in time. */
INLINE void NAME(add_rows)(abbe_type type, const void *const *from, size_t at, size_t step, const TAPS *taps,
                           int width, int height, int rows, int vectors, bool tall, SUMS (*sums)[ROW_VECTORS])
{
    const TAP *tap = rows == 1 ? taps->taps : taps->blocked;
    const int last = rows - 1, line = width * rows;
#define ADD_ROW(j, low, high) \
    NAME(add_row)             \
    (type, from[j], at, step, tap + (size_t)(j) * (size_t)line, width, rows, vectors, low, high, sums)
    if (rows > 1) {
        ADD_ROW(0, 0, 0);
        ADD_ROW(1, 0, 1);
        ADD_ROW(2, 0, 2);
    }
    if (tall)
        for (int j = last; j < height; j++)
            ADD_ROW(j, 0, last);
    if (rows > 1) {
        ADD_ROW(height, 1, last);
        ADD_ROW(height + 1, 2, last);
        ADD_ROW(height + 2, 3, last);
    }
#undef ADD_ROW
}

INLINE void NAME(sum_block)(abbe_type type, const void *const *from, size_t at, size_t step, const TAPS *taps,
                            int width, int height, int rows, int vectors, bool tall,
                            SUMS (*sums)[ROW_VECTORS])
{
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = (SUMS){ 0 };
    NAME(add_rows)(type, from, at, step, taps, width, height, rows, vectors, tall, sums);
}

#undef NAME
#undef SUMS
#undef TAPS
#undef TAP
#undef PER_VECTOR
#undef TAKE
#undef ADD
