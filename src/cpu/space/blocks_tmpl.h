/* Template: sums of products with taps, blocked in registers. A file that includes it defines
 *     NAME(f)                    the name of f with these types
 *     SUMS, TAPS, TAP            a vector of sums; the struct of taps, and one of them
 *     PER_VECTOR                 samples in a vector
 *     TAKE(type, row, at)        loads PER_VECTOR samples of a row as a vector
 *     ADD(sum, samples, tap)     sum + samples · tap
 * and finds all of them undefined afterwards.
 *
 * A block is `rows` rows of results, `vectors` wide. A vector of a source row is loaded once and multiplied
 * by the taps of every result it belongs to; a tap is loaded once and multiplied by all vectors. Callers pass
 * constants, so that everything except the loops over the taps becomes straight-line code. There are no
 * unroll pragmas, because clang 14 applies them before it knows the constants. */

/* The source rows of a span of results, and the taps. All fields except pointers are constants where speed
 * matters. */
struct NAME(span) {
    abbe_type type; /* of the source samples, as TAKE interprets it */
    const void *const *from;
    size_t step; /* samples from one pixel to the next */
    const TAPS *taps;
    int width, height; /* of the taps */
    int rows;          /* of results: 1 or SPACE_ROWS */
    bool tall;         /* false when `height` is the constant 3 and `rows` is SPACE_ROWS */
};

/* Adds the products of `count` taps from `first` on of source row j to result rows low … high; result row r takes
 * tap row j − r. */
INLINE void NAME(add_taps)(const struct NAME(span) * span, int j, int first, int count, int low, int high,
                           size_t at, int vectors, SUMS (*sums)[ROW_VECTORS])
{
    const TAP *taps = span->rows == 1 ? span->taps->taps : span->taps->blocked;
    const void *row = span->from[j];
    taps += ((size_t)j * (size_t)span->width + (size_t)first) * (size_t)span->rows;
    at += (size_t)first * span->step;
    for (int i = 0; i < count; i++, at += span->step, taps += span->rows) {
        SUMS samples[ROW_VECTORS];
        for (int v = 0; v < vectors; v++) {
            samples[v] = TAKE(span->type, row, at + (size_t)v * PER_VECTOR);
            if (low < high)
                KEEP_IN_REGISTER(samples[v]);
        }
        for (int r = low; r <= high; r++)
            for (int v = 0; v < vectors; v++)
                sums[r][v] = ADD(sums[r][v], samples[v], taps[r]);
    }
}

INLINE void NAME(add_row)(const struct NAME(span) * span, int j, int low, int high, size_t at, int vectors,
                          SUMS (*sums)[ROW_VECTORS])
{
    NAME(add_taps)(span, j, 0, span->width, low, high, at, vectors, sums);
}

/* Adds the sums to the totals of the block and begins new ones: a sum of many floats loses in proportion to its
 * length, sums of sums in proportion to the root of it. */
INLINE void NAME(add_to_totals)(int last, int vectors, SUMS (*sums)[ROW_VECTORS], SUMS (*totals)[ROW_VECTORS])
{
    for (int r = 0; r <= last; r++)
        for (int v = 0; v < vectors; v++) {
            totals[r][v] += sums[r][v];
            sums[r][v] = (SUMS){ 0 };
        }
}

/* The rows of taps last … height − 1 of a kernel of more than SPACE_PART taps, in parts of SPACE_PART to
 * 2 · SPACE_PART; the first and the last part have the rows of the block's edges too. */
INLINE void NAME(add_many_rows)(const struct NAME(span) * span, size_t at, int vectors,
                                SUMS (*sums)[ROW_VECTORS])
{
    const int last = span->rows - 1;
    SUMS totals[SPACE_ROWS][ROW_VECTORS];
    for (int r = 0; r <= last; r++)
        for (int v = 0; v < vectors; v++)
            totals[r][v] = (SUMS){ 0 };
    for (int j = last, added = 0; j < span->height; j++)
        for (int first = 0; first < span->width; first += SPACE_PART) {
            int left = span->width - first, count = left < SPACE_PART ? left : SPACE_PART;
            if (added >= SPACE_PART) {
                NAME(add_to_totals)(last, vectors, sums, totals);
                added = 0;
            }
            NAME(add_taps)(span, j, first, count, 0, last, at, vectors, sums);
            added += count;
        }
    NAME(add_to_totals)(last, vectors, sums, totals);
    for (int r = 0; r <= last; r++)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = totals[r][v];
}

/* Writes the sums of the block at sample `at`. Source row j contributes to result rows max(0, j − height + 1)
 * … min(rows − 1, j); SPACE_ROWS rows require a height of at least 3. The cases are written out, because
 * clang does not unroll a loop that contains loops early enough. */
INLINE void NAME(sum_block)(const struct NAME(span) * span, size_t at, int vectors, SUMS (*sums)[ROW_VECTORS])
{
    const int last = span->rows - 1, height = span->height;
    for (int r = 0; r <= last; r++)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = (SUMS){ 0 };
    if (last > 0) {
        NAME(add_row)(span, 0, 0, 0, at, vectors, sums);
        NAME(add_row)(span, 1, 0, 1, at, vectors, sums);
        NAME(add_row)(span, 2, 0, 2, at, vectors, sums);
    }
    if (span->tall && (long long)span->width * height > SPACE_PART)
        NAME(add_many_rows)(span, at, vectors, sums);
    else if (span->tall)
        for (int j = last; j < height; j++)
            NAME(add_row)(span, j, 0, last, at, vectors, sums);
    if (last > 0) {
        NAME(add_row)(span, height, 1, last, at, vectors, sums);
        NAME(add_row)(span, height + 1, 2, last, at, vectors, sums);
        NAME(add_row)(span, height + 2, 3, last, at, vectors, sums);
    }
}

#undef NAME
#undef SUMS
#undef TAPS
#undef TAP
#undef PER_VECTOR
#undef TAKE
#undef ADD
