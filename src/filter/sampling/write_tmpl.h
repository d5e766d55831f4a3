/* Template: writes columns that were sampled to a spectrum of REAL numbers. spectra.c includes it for float
 * and for double; NAME(x) is x_f32 or x_f64. */

/* Writes a row of a span; `backwards` is a constant. In groups of four, because loops of constant length are
 * vectorised. */
static inline void NAME(write_row_as)(const double *from, int count, double scale, bool backwards,
                                      REAL *restrict to)
{
    enum { FOUR = 4 };
    int step = backwards ? -1 : 1;
    for (; count >= FOUR; count -= FOUR, from += FOUR, to += step * FOUR)
        for (int l = 0; l < FOUR; l++)
            to[step * l] = (REAL)(from[l] * scale);
    for (int l = 0; l < count; l++)
        to[step * l] = (REAL)(from[l] * scale);
}

static inline void NAME(write_row)(const double *from, int count, double scale, bool backwards, REAL *to)
{
    if (backwards)
        NAME(write_row_as)(from, count, scale, true, to);
    else
        NAME(write_row_as)(from, count, scale, false, to);
}

/* ½ (row ± mirrored). */
static void NAME(write_part)(const double *row, const double *mirrored, enum spectrum_part part, int count,
                             double scale, REAL *to)
{
    double half = 0.5 * scale, sign = part == SPECTRUM_ODD_PART ? -1 : 1;
    for (int l = 0; l < count; l++)
        to[l] = (REAL)((row[l] + sign * mirrored[l]) * half);
}

static void NAME(write_span)(const struct spectrum_grid *grid, const struct batch *batch,
                             const struct span *span, const struct spectrum_output *output)
{
    const struct spectrum_layout *layout = output->layout;
    size_t lanes = (size_t)layout->lanes, step = output->real ? lanes : 2 * lanes;
    size_t height = (size_t)grid->height, rows = layout_rows(grid, layout), place = (size_t)span->place;
    REAL *to = (REAL *)output->h + place / lanes * step * rows + place % lanes;
    for (size_t v = 0; v < rows; v++, to += step) {
        size_t at = (size_t)layout->order[v], from = span->opposite && at ? height - at : at;
        if (from >= batch->rows)
            from = height - from;
        const double *row = batch->values + from * batch->row + span->first;
        if (layout->part) {
            const double *mirrored = batch->values + (at ? height - at : 0) * batch->row + span->first;
            NAME(write_part)(row, mirrored, layout->part, span->count, layout->scale, to);
            continue;
        }
        NAME(write_row)(row, span->count, layout->scale, span->opposite, to);
        if (output->real)
            continue;
        double scale = batch->half ? layout->scale : 0.0, sign = span->opposite ? -1 : 1;
        NAME(write_row)(row + batch->half, span->count, sign * scale, span->opposite, to + lanes);
    }
}
