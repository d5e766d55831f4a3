/* The gains of transfer functions on a transform grid, multiplied into batches of columns. */
#include "filter/sampling/gains.h"

#include "core/memory.h"
#include "filter/places.h"
#include "filter/sampling/gain_kernels.h"
#include "filter/sampling/notches.h"
#include "filter/transfer.h"

#include <math.h>
#include <string.h>

/* Most doubles of all tables. Transfer functions beyond are called for each sample: chains of thousands
 * only. */
enum { TABLES_MAX = 1 << 23 };

/* The rows at which a gain is not 1: an interval of a periodic axis, and so at most two intervals of rows. */
struct row_runs {
    int count;
    size_t first[2], end[2];
};

/* One transfer function. */
struct gain {
    const struct transfer *transfer;
    double *y[2]; /* of a product: a table along y for each factor; of samples: indices and fractions
                              * of rows; NULL: the function is called for each sample */
    struct row_runs runs[2]; /* of factors that are 1 far from their points */
    bool is_notched;         /* multiplied with all other notches */
};

struct gains {
    struct gain_grid grid;
    const struct gain_kernels *kernels;
    int count;
    struct gain *gain;
    double *tables;
    struct notches *notches; /* the transfer functions with is_notched; NULL where there are few */
};

/* ---- Tables ------------------------------------------------------------------------------------------- */

/* Whether a factor is 1 except near its point. */
static bool is_local(const struct factor *factor)
{
    return factor->falloff == FALLOFF_GAUSSIAN && factor->complement;
}

/* Whether factors can be multiplied one by one, each near its point. */
static bool has_local_factors(const struct transfer *transfer)
{
    bool local = transfer->factors > 0 && !transfer->complement;
    for (int i = 0; i < transfer->factors; i++)
        local = local && is_local(&transfer->factor[i]);
    return local;
}

/* Whether a transfer function has tables. */
static bool has_tables(const struct transfer *transfer)
{
    return transfer->factors || transfer->step || transfer->is_power || transfer->is_streak;
}

/* An entry of a table of a factor, for the distance of a frequency from its point along one axis. Beyond 7.5
 * radii a gaussian is below 2⁻⁵⁶, and 1 less that is 1. */
static double axis_entry(const struct factor *factor, double distance)
{
    double ratio = distance / factor->cutoff;
    switch (factor->falloff) {
    case FALLOFF_BUTTERWORTH: return ratio * ratio;
    case FALLOFF_IDEAL: return distance * distance;
    case FALLOFF_GAUSSIAN: return factor->complement && ratio > 7.5 ? 0.0 : exp2(-ratio * ratio);
    }
    return 0.0;
}

static void fill_factor_table(const struct gain_grid *grid, const struct factor *factor, double *table,
                              struct row_runs *runs)
{
    for (int v = 0; v < grid->rows; v++) {
        table[v] = axis_entry(factor, distance_to_whole(bin_frequency(v, grid->height) - factor->y));
        bool inside = table[v] != 0.0, was_inside = v > 0 && table[v - 1] != 0.0;
        if (!is_local(factor) || !inside)
            continue;
        if (!was_inside)
            runs->first[runs->count++] = (size_t)v;
        runs->end[runs->count - 1] = (size_t)v + 1;
    }
}

/* An entry of a table of a power law: the square of a frequency relative to ½. */
static double power_entry(int k, int length)
{
    double ratio = 2.0 * bin_frequency(k, length);
    return ratio * ratio;
}

static void fill_sample_tables(const struct gain_grid *grid, const struct transfer *transfer,
                               double *tables[2])
{
    for (int v = 0; v < grid->rows; v++) {
        struct place place = transfer_place_y(transfer, bin_frequency(v, grid->height));
        tables[0][v] = (double)place.index;
        tables[1][v] = place.fraction;
    }
}

/* The number of transfer functions from the first on whose tables are few enough. */
static int count_tables(const struct response *response, int rows)
{
    int most = TABLES_MAX / 2 / rows;
    return response->transfer_count < most ? response->transfer_count : most;
}

static void fill_gains(struct gains *gains, const struct response *response)
{
    size_t rows = (size_t)gains->grid.rows;
    int tables = count_tables(response, gains->grid.rows);
    for (int i = 0; i < gains->count; i++) {
        const struct transfer *transfer = &response->transfers[i];
        struct gain *gain = &gains->gain[i];
        gain->transfer = transfer;
        if (i >= tables || !has_tables(transfer))
            continue;
        gain->y[0] = gains->tables + 2 * rows * (size_t)i;
        gain->y[1] = gain->y[0] + rows;
        for (int k = 0; k < transfer->factors; k++)
            fill_factor_table(&gains->grid, &transfer->factor[k], gain->y[k], &gain->runs[k]);
        if (transfer->step)
            fill_sample_tables(&gains->grid, transfer, gain->y);
        for (size_t v = 0; v < rows && transfer->is_streak; v++)
            gain->y[0][v] = bin_frequency((int)v, gains->grid.height);
        for (size_t v = 0; v < rows && transfer->is_power; v++)
            gain->y[0][v] = power_entry((int)v, gains->grid.height);
    }
}

/* ---- Making ------------------------------------------------------------------------------------------- */

/* Whether a transfer function is one of many notches, if there are many. */
static bool suits_notches(const struct gain *gain)
{
    const struct transfer *transfer = gain->transfer;
    bool suits = gain->y[0] && transfer->factors && !transfer->complement;
    for (int i = 0; i < transfer->factors && suits; i++)
        suits = transfer->factor[i].falloff == FALLOFF_BUTTERWORTH && transfer->factor[i].complement &&
                order_is_small(transfer->factor[i].order);
    return suits;
}

/* Interpolates notches where there are at least two and H is rounded to floats. */
static int create_notches(struct gains *gains)
{
    enum { FACTORS_MIN = 4 };
    int factors = 0;
    for (int i = 0; i < gains->count; i++)
        factors += suits_notches(&gains->gain[i]) ? gains->gain[i].transfer->factors : 0;
    const struct gain_grid *grid = &gains->grid;
    if (factors < FACTORS_MIN || !grid->rounded || grid->columns % NOTCH_COLUMNS_MIN)
        return ABBE_OK;
    struct notch *notch = core_alloc((size_t)factors, sizeof *notch), *next = notch;
    if (!notch)
        return ABBE_ERR_MEMORY;
    for (int i = 0; i < gains->count; i++) {
        struct gain *gain = &gains->gain[i];
        gain->is_notched = suits_notches(gain);
        for (int k = 0; k < gain->transfer->factors && gain->is_notched; k++)
            *next++ = (struct notch){ &gain->transfer->factor[k], gain->y[k] };
    }
    const struct notch_grid shape = { grid->width, grid->height, grid->rows, grid->columns };
    return notches_create(&shape, notch, factors, &gains->notches);
}

int gains_create(const struct response *response, const struct gain_grid *grid, struct gains **gains)
{
    struct gains *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return ABBE_ERR_MEMORY;
    made->grid = *grid;
    made->kernels = gain_kernels_of(grid->level);
    made->count = response->transfer_count;
    made->gain = core_alloc_zero((size_t)made->count, sizeof *made->gain);
    made->tables = core_alloc(2 * (size_t)grid->rows * (size_t)count_tables(response, grid->rows),
                              sizeof *made->tables);
    if (!made->gain || !made->tables) {
        gains_destroy(&made);
        return ABBE_ERR_MEMORY;
    }
    fill_gains(made, response);
    int error = create_notches(made);
    if (error)
        gains_destroy(&made);
    else
        *gains = made;
    return error;
}

void gains_destroy(struct gains **gains)
{
    if (!*gains)
        return;
    notches_destroy(&(*gains)->notches);
    core_free((*gains)->tables);
    core_free((*gains)->gain);
    core_free(*gains);
    *gains = NULL;
}

double gains_bytes(const struct response *response, int width, int rows)
{
    return sizeof(struct gains) + response->transfer_count * (double)sizeof(struct gain) +
           2.0 * rows * count_tables(response, rows) * sizeof(double) +
           notches_bytes(2 * response->transfer_count, width, rows) + 3 * CORE_ALIGNMENT;
}

/* ---- Products ----------------------------------------------------------------------------------------- */

/* The largest square whose root is at most the cut-off, so that squares are compared as their roots would
 * be. */
static double largest_square(double cutoff)
{
    double square = nextafter(cutoff * cutoff, 1e9);
    while (sqrt(square) > cutoff)
        square = nextafter(square, 0.0);
    return square;
}

/* Writes the table of a factor along x; entries beyond the batch are 0. Returns whether one entry is not
 * 0. */
static bool fill_column_table(const struct gains *gains, const struct gain_batch *batch,
                              const struct factor *factor, double table[GAIN_COLUMNS])
{
    bool any = false;
    memset(table, 0, GAIN_COLUMNS * sizeof *table);
    for (int l = 0; l < batch->count; l++) {
        double fx = bin_frequency(batch->u + l, gains->grid.width);
        table[l] = axis_entry(factor, distance_to_whole(fx - factor->x));
        any = any || table[l] != 0.0;
    }
    return any;
}

static struct product_tables make_product_tables(const struct transfer *transfer)
{
    double order = transfer->factor[0].order;
    return (struct product_tables){ .falloff = transfer->factor[0].falloff,
                                    .order = order_is_small(order) ? (int)order : 0,
                                    .exponent = order,
                                    .factors = transfer->factors,
                                    .complement = transfer->complement };
}

static struct factor_tables make_factor_tables(const struct factor *factor, const double *x, const double *y)
{
    double limit = factor->falloff == FALLOFF_IDEAL ? largest_square(factor->cutoff) : 0.0;
    return (struct factor_tables){ x, y, limit, factor->complement };
}

/* Multiplies by each factor near its point. */
static void multiply_local_factors(const struct gains *gains, const struct gain *gain,
                                   const struct gain_batch *batch, struct gain_rows rows)
{
    double x[GAIN_COLUMNS];
    for (int i = 0; i < gain->transfer->factors; i++) {
        const struct factor *factor = &gain->transfer->factor[i];
        const struct row_runs *runs = &gain->runs[i];
        if (!runs->count || !fill_column_table(gains, batch, factor, x))
            continue;
        struct product_tables product = make_product_tables(gain->transfer);
        product.factors = 1;
        product.factor[0] = make_factor_tables(factor, x, gain->y[i]);
        for (int run = 0; run < runs->count; run++) {
            rows.first = runs->first[run];
            rows.end = runs->end[run];
            gains->kernels->multiply_product(&rows, &product);
        }
    }
}

static void multiply_product(const struct gains *gains, const struct gain *gain,
                             const struct gain_batch *batch, const struct gain_rows *rows)
{
    double x[2][GAIN_COLUMNS];
    struct product_tables product = make_product_tables(gain->transfer);
    for (int i = 0; i < product.factors; i++) {
        fill_column_table(gains, batch, &gain->transfer->factor[i], x[i]);
        product.factor[i] = make_factor_tables(&gain->transfer->factor[i], x[i], gain->y[i]);
    }
    gains->kernels->multiply_product(rows, &product);
}

static void multiply_power(const struct gains *gains, const struct gain *gain, const struct gain_batch *batch,
                           const struct gain_rows *rows)
{
    double x[GAIN_COLUMNS] = { 0 };
    for (int l = 0; l < batch->count; l++)
        x[l] = power_entry(batch->u + l, gains->grid.width);
    gains->kernels->multiply_power(rows, x, gain->y[0], 0.5 * transfer_exponent(gain->transfer));
}

/* ---- Interpolated samples ----------------------------------------------------------------------------- */

/* Two neighbouring lines of samples, at the columns of a batch. */
struct held_lines {
    struct place places[GAIN_COLUMNS];
    double lines[2][2][GAIN_COLUMNS]; /* [slot][re | im] */
    size_t index[2];
};

/* Returns the slot that holds a line of samples; fills one that does not hold `other`. */
static int hold_line(const struct transfer *transfer, size_t index, size_t other, struct held_lines *held)
{
    for (int slot = 0; slot < 2; slot++)
        if (held->index[slot] == index)
            return slot;
    int slot = held->index[0] == other;
    const double *line = transfer->mask.values + index * (size_t)transfer->mask.width;
    for (int part = 0; part < (transfer->is_even ? 1 : 2); part++)
        for (int l = 0; l < GAIN_COLUMNS; l++)
            held->lines[slot][part][l] = interpolate_line(line + part, (size_t)transfer->step,
                                                          held->places[l]);
    held->index[slot] = index;
    return slot;
}

static void multiply_samples(const struct gains *gains, const struct gain *gain,
                             const struct gain_batch *batch, struct gain_rows rows)
{
    const struct transfer *transfer = gain->transfer;
    size_t end = (size_t)gains->grid.rows, height = (size_t)transfer->mask.height;
    struct held_lines held = { .index = { SIZE_MAX, SIZE_MAX } };
    struct gain_lines lines = { .fractions = gain->y[1], .turn = gains->grid.conjugate ? -1.0 : 1.0 };
    for (int l = 0; l < batch->count; l++)
        held.places[l] = transfer_place_x(transfer, bin_frequency(batch->u + l, gains->grid.width));
    for (size_t v = 0; v < end; v = rows.end) {
        size_t index = (size_t)gain->y[0][v], next = index + 1 < height ? index + 1 : 0;
        int above = hold_line(transfer, index, next, &held), below = hold_line(transfer, next, index, &held);
        for (int part = 0; part < (transfer->is_even ? 1 : 2); part++) {
            lines.above[part] = held.lines[above][part];
            lines.below[part] = held.lines[below][part];
        }
        rows.first = v;
        rows.end = v + 1;
        while (rows.end < end && (size_t)gain->y[0][rows.end] == index)
            rows.end++;
        gains->kernels->multiply_lines(&rows, &lines);
    }
}

/* ---- Functions that are called for each sample -------------------------------------------------------- */

static void multiply_gain(const struct gains *gains, const struct gain_batch *batch, const double gain[2],
                          double *value)
{
    if (batch->real) {
        value[0] *= gain[0];
        return;
    }
    double re = value[0], im = value[batch->columns], turn = gains->grid.conjugate ? -gain[1] : gain[1];
    value[0] = re * gain[0] - im * turn;
    value[batch->columns] = re * turn + im * gain[0];
}

static void multiply_row_by_calls(const struct gains *gains, const struct transfer *transfer,
                                  const struct gain_batch *batch, int v)
{
    size_t row = batch->columns * (batch->real ? 1 : 2);
    double fy = bin_frequency(v, gains->grid.height);
    for (int l = 0; l < batch->count; l++) {
        double gain[2];
        transfer_gain_within(transfer, bin_frequency(batch->u + l, gains->grid.width), fy, gain);
        multiply_gain(gains, batch, gain, batch->batch + (size_t)v * row + l);
    }
}

/* Multiplies rows first … end − 1, as far as they are sampled. */
static void multiply_by_calls(const struct gains *gains, const struct transfer *transfer,
                              const struct gain_batch *batch, int first, int end)
{
    for (int v = first; v < end && v < gains->grid.rows; v++)
        multiply_row_by_calls(gains, transfer, batch, v);
}

/* ---- Streaks ------------------------------------------------------------------------------------------ */

/* Streaks do not have period 1: where a frequency of the grid is −½ they take the mean of −½ and ½, by
 * calls. */
static void multiply_streak(const struct gains *gains, const struct gain *gain,
                            const struct gain_batch *batch, struct gain_rows rows)
{
    const struct gain_grid *grid = &gains->grid;
    int middle = grid->height % 2 ? grid->rows : grid->height / 2;
    if (2 * (batch->u + batch->count - 1) == grid->width) {
        multiply_by_calls(gains, gain->transfer, batch, 0, grid->rows);
        return;
    }
    double x[GAIN_COLUMNS] = { 0 };
    struct streak_tables streak = { .x = x, .y = gain->y[0] };
    transfer_streak_parameters(gain->transfer, &streak.along_x, &streak.along_y, &streak.scale);
    for (int l = 0; l < batch->count; l++)
        x[l] = bin_frequency(batch->u + l, grid->width);
    rows.end = (size_t)middle;
    gains->kernels->multiply_streak(&rows, &streak);
    multiply_by_calls(gains, gain->transfer, batch, middle, middle + 1);
    rows.first = (size_t)middle + 1;
    rows.end = (size_t)grid->rows;
    gains->kernels->multiply_streak(&rows, &streak);
}

/* ---- All ---------------------------------------------------------------------------------------------- */

static void fill_batch(const struct gain_rows *rows)
{
    double *row = rows->batch;
    for (size_t v = rows->first; v < rows->end; v++)
        for (size_t part = 0; part < rows->parts; part++, row += rows->columns)
            for (size_t c = 0; c < rows->columns; c++)
                row[c] = part ? 0.0 : *rows->start;
}

bool gains_are_aligned(const struct gains *gains)
{
    return gains->notches != NULL;
}

void gains_multiply(const struct gains *gains, const struct gain_batch *batch)
{
    struct gain_rows rows = { batch->batch, batch->columns, batch->real ? 1 : 2, 0, (size_t)gains->grid.rows,
                              batch->start };
    for (int i = 0; i < gains->count; i++) {
        const struct gain *gain = &gains->gain[i];
        if (gain->is_notched)
            continue;
        const struct transfer *transfer = gain->transfer;
        bool local = has_local_factors(transfer);
        bool starts = gain->y[0] && !local && !transfer->is_streak && transfer->is_even;
        if (rows.start && !starts) {
            fill_batch(&rows);
            rows.start = NULL;
        }
        if (!gain->y[0])
            multiply_by_calls(gains, transfer, batch, 0, gains->grid.rows);
        else if (transfer->step)
            multiply_samples(gains, gain, batch, rows);
        else if (transfer->is_streak)
            multiply_streak(gains, gain, batch, rows);
        else if (transfer->is_power)
            multiply_power(gains, gain, batch, &rows);
        else if (local)
            multiply_local_factors(gains, gain, batch, rows);
        else
            multiply_product(gains, gain, batch, &rows);
        rows.start = NULL;
    }
    if (gains->notches)
        notches_multiply(gains->notches, gains->kernels, batch->u, &rows);
    else if (rows.start)
        fill_batch(&rows);
}
