/* The spectrum H(u, v) of a response on a transform grid, several columns at a time, in double precision.
 *
 *     H(u, v) = Σ_k tap(k) · e^(−j2π (u kx / width + v ky / height)) · Π T(f(u), f(v))
 *
 * Rows are transformed once, for u ≤ width / 2; columns are finished when they are asked for. Those of a real H stand
 * in pairs in one transform: F(a + jb) = F(a) + j F(b), and both are real. */
#include "filter/sampling/sampler.h"

#include "core/memory.h"
#include "filter/sampling/line_spectra.h"
#include "filter/sampling/pruned_fft.h"
#include "filter/transfer.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

_Static_assert((int)SAMPLER_ROW_MAX == 2 * (int)PRUNED_FFT_LANES,
               "a batch is what one transform of columns yields");

struct sampler {
    const struct response *response;
    int width, height;
    bool conjugate_transfers;
    bool real;               /* H is */
    bool bounded;            /* no value can be beyond a float's range */
    size_t lanes;            /* of the transform of columns; two columns of a real H share one */
    size_t lines;            /* separable terms, or folded rows of a dense kernel */
    size_t pitch;            /* of `rows`: a batch may reach beyond width / 2 */
    double *rows;            /* spectra of the lines: [line][re | im][pitch] */
    double *columns;         /* separable: spectra of the terms' columns: [term][re | im][height] */
    struct pruned_fft *down; /* dense: the transform of columns */
};

/* ---- Making ------------------------------------------------------------------------------------------- */

static size_t lines_of(const struct kernel *kernel, int height)
{
    if (kernel->rank)
        return (size_t)kernel->rank;
    return (size_t)(kernel->height < height ? kernel->height : height);
}

static size_t lanes_of(bool real, int width)
{
    size_t columns = (size_t)width / 2 + 1, lanes = real ? (columns + 1) / 2 : columns;
    return lanes < PRUNED_FFT_LANES ? lanes : PRUNED_FFT_LANES;
}

static size_t pitch_of(int width)
{
    return (size_t)width / 2 + 1 + SAMPLER_ROW_MAX;
}

/* Rows of separable terms, or the rows of a dense kernel, folded onto line ky mod height when they are more
 * than the grid has. */
static struct real_lines rows_of(const struct kernel *kernel, int width, int height)
{
    return (struct real_lines){
        .values = kernel->rank ? kernel->rows : kernel->taps,
        .count = (size_t)(kernel->rank ? kernel->rank : kernel->height),
        .kept = lines_of(kernel, height),
        .taps = kernel->width,
        .centre = kernel->centre_x,
        .length = width,
        .related = !kernel->rank,
    };
}

/* Of separable terms. */
static struct real_lines columns_of(const struct kernel *kernel, int height)
{
    return (struct real_lines){
        .values = kernel->columns,
        .count = (size_t)kernel->rank,
        .kept = (size_t)kernel->rank,
        .taps = kernel->height,
        .centre = kernel->centre_y,
        .length = height,
    };
}

static int transform_lines(struct sampler *sampler, const struct spectrum_grid *grid)
{
    const struct kernel *kernel = &sampler->response->kernel;
    struct real_lines rows = rows_of(kernel, sampler->width, sampler->height);
    rows.level = grid->level;
    const struct line_spectra to_rows = { sampler->rows, sampler->pitch, false };
    int error = line_spectra_fill(&rows, grid->threads, &to_rows);
    if (!error && !kernel->rank) /* when the tables of rows are gone */
        error = pruned_fft_create(&(struct pruned_fft_axis){ .length = sampler->height,
                                                              .first = -kernel->centre_y,
                                                              .support = (int)sampler->lines,
                                                              .lanes = (int)sampler->lanes,
                                                              .level = grid->level },
                                   &sampler->down);
    if (error || !kernel->rank)
        return error;
    struct real_lines columns = columns_of(kernel, sampler->height);
    columns.level = grid->level;
    const struct line_spectra to_columns = { sampler->columns, (size_t)sampler->height, true };
    return line_spectra_fill(&columns, grid->threads, &to_columns);
}

static int allocate(struct sampler *sampler)
{
    const struct kernel *kernel = &sampler->response->kernel;
    sampler->lines = lines_of(kernel, sampler->height);
    sampler->pitch = pitch_of(sampler->width);
    sampler->lanes = lanes_of(sampler->real, sampler->width);
    sampler->rows = core_alloc(sampler->lines, 2 * sampler->pitch * sizeof *sampler->rows);
    if (!sampler->rows || !kernel->rank)
        return sampler->rows ? ABBE_OK : ABBE_ERR_MEMORY;
    sampler->columns = core_alloc(sampler->lines, 2 * (size_t)sampler->height * sizeof *sampler->columns);
    return sampler->columns ? ABBE_OK : ABBE_ERR_MEMORY;
}

static double sum_of_sizes(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(values[i]);
    return sum;
}

/* |H| is at most Σ |tap|, of which each term is Σ |row| · Σ |column|; and below that no rounding leads beyond a float. */
static bool is_bounded(const struct response *response)
{
    const struct kernel *kernel = &response->kernel;
    size_t width = (size_t)kernel->width, height = (size_t)kernel->height;
    double most = kernel->rank ? 0 : sum_of_sizes(kernel->taps, width * height);
    for (size_t r = 0; r < (size_t)kernel->rank; r++)
        most += sum_of_sizes(kernel->rows + r * width, width) *
                sum_of_sizes(kernel->columns + r * height, height);
    return !response->transfer_count && most < 0.5 * (double)FLT_MAX;
}

int sampler_create(const struct response *response, const struct spectrum_grid *grid,
                   struct sampler **sampler)
{
    assert(grid->width >= 1 && grid->height >= 1 && grid->threads >= 1);
    struct sampler *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return ABBE_ERR_MEMORY;
    made->response = response;
    made->width = grid->width;
    made->height = grid->height;
    made->conjugate_transfers = grid->correlate;
    made->real = response_is_real(response);
    made->bounded = is_bounded(response);
    int error = allocate(made);
    if (!error)
        error = transform_lines(made, grid);
    if (error)
        sampler_destroy(&made);
    else
        *sampler = made;
    return error;
}

void sampler_destroy(struct sampler **sampler)
{
    if (!sampler || !*sampler)
        return;
    pruned_fft_destroy(&(*sampler)->down);
    core_free((*sampler)->columns);
    core_free((*sampler)->rows);
    core_free(*sampler);
    *sampler = NULL;
}

int sampler_row(const struct sampler *sampler)
{
    return (int)(2 * sampler->lanes);
}

int sampler_columns(const struct sampler *sampler)
{
    return (int)(sampler->real ? 2 * sampler->lanes : sampler->lanes);
}

size_t sampler_scratch(const struct sampler *sampler)
{
    return sampler->down ? sampler->lines * 2 * sampler->lanes + pruned_fft_scratch(sampler->down) : 0;
}

static double batch_bytes(const struct kernel *kernel, bool real, int width, int height, int threads)
{
    size_t lanes = lanes_of(real, width), columns = real ? 2 * lanes : lanes;
    double batches = width / 2 / (double)columns + 1, workers = fmin(threads, batches);
    double rows = height + (kernel->rank ? 0.0 : (double)lines_of(kernel, height));
    double bytes = workers * (rows * 2 * (double)lanes * sizeof(double) + 4 * CORE_ALIGNMENT);
    return kernel->rank ? bytes : bytes + pruned_fft_bytes(height, (int)lanes, (int)workers);
}

/* Tables of one axis are gone before those of the next one come. */
double sampler_bytes(const struct kernel *kernel, bool real, int width, int height, int threads)
{
    struct real_lines rows = rows_of(kernel, width, height), columns = columns_of(kernel, height);
    double kept = (double)rows.kept * 2 * (double)pitch_of(width) * sizeof(double);
    double work = fmax(line_spectra_bytes(&rows, threads), batch_bytes(kernel, real, width, height, threads));
    if (kernel->rank) {
        kept += kernel->rank * 2.0 * height * sizeof(double);
        work = fmax(work, line_spectra_bytes(&columns, threads));
    }
    return kept + work;
}

/* ---- The kernel's spectrum ---------------------------------------------------------------------------- */

/* Rows of constant length, where that is usual, are a few vectors each; `inline` sees to that. */

static inline void add_real_term(const double *re, const double *im, const double column[2], size_t count,
                                 double *row)
{
    for (size_t l = 0; l < count; l++)
        row[l] += re[l] * column[0] - im[l] * column[1];
}

static inline void add_term(const double *re, const double *im, const double column[2], size_t lanes,
                            double *row)
{
    for (size_t l = 0; l < lanes; l++) {
        row[l] += re[l] * column[0] - im[l] * column[1];
        row[lanes + l] += re[l] * column[1] + im[l] * column[0];
    }
}

static inline void add_terms(const struct sampler *sampler, size_t u, size_t r, size_t lanes, double *batch)
{
    size_t height = (size_t)sampler->height;
    const double *re = sampler->rows + 2 * r * sampler->pitch + u, *im = re + sampler->pitch;
    const double *columns = sampler->columns + 2 * r * height;
    for (size_t v = 0; v < height; v++) {
        const double column[2] = { columns[v], columns[height + v] };
        if (sampler->real)
            add_real_term(re, im, column, 2 * lanes, batch + v * 2 * lanes);
        else
            add_term(re, im, column, lanes, batch + v * 2 * lanes);
    }
}

/* Σ_r R_r(u) · C_r(v). */
static void separable_batch(const struct sampler *sampler, size_t u, double *batch)
{
    memset(batch, 0, (size_t)sampler->height * 2 * sampler->lanes * sizeof *batch);
    for (size_t r = 0; r < sampler->lines; r++)
        if (sampler->lanes == PRUNED_FFT_LANES)
            add_terms(sampler, u, r, PRUNED_FFT_LANES, batch);
        else
            add_terms(sampler, u, r, sampler->lanes, batch);
}

static inline void gather_row(const double *re, const double *im, bool real, size_t lanes,
                              double *restrict row)
{
    for (size_t l = 0; l < lanes; l++) {
        row[l] = real ? re[l] - im[lanes + l] : re[l];
        row[lanes + l] = real ? im[l] + re[lanes + l] : im[l];
    }
}

/* The transform of the row spectra: of a real H, the first columns stand in the real parts, the next in the imaginary
 * parts. */
static void dense_batch(const struct sampler *sampler, size_t u, double *batch, double *scratch)
{
    size_t lanes = sampler->lanes;
    for (size_t i = 0; i < sampler->lines; i++) {
        const double *re = sampler->rows + 2 * i * sampler->pitch + u, *im = re + sampler->pitch;
        if (lanes == PRUNED_FFT_LANES)
            gather_row(re, im, sampler->real, PRUNED_FFT_LANES, scratch + i * 2 * lanes);
        else
            gather_row(re, im, sampler->real, lanes, scratch + i * 2 * lanes);
    }
    pruned_fft_transform(sampler->down, scratch, batch, scratch + sampler->lines * 2 * lanes);
}

/* ---- What follows ------------------------------------------------------------------------------------- */

/* The frequency of index k in cycles per sample, −½ … ½, ½ excluded. */
static double frequency(int k, int length)
{
    return (double)(k <= (length - 1) / 2 ? k : k - length) / length;
}

static void multiply(const struct sampler *sampler, const double gain[2], double *value)
{
    size_t lanes = sampler->lanes;
    if (sampler->real) {
        value[0] *= gain[0];
        return;
    }
    double re = value[0], im = value[lanes], turn = sampler->conjugate_transfers ? -gain[1] : gain[1];
    value[0] = re * gain[0] - im * turn;
    value[lanes] = re * turn + im * gain[0];
}

/* Row v of a batch, and row −v where that has the same gains; `fx` are the frequencies of its columns. */
static void apply_to_row(const struct sampler *sampler, const struct transfer *transfer, const double *fx,
                         int count, int v, double *batch)
{
    size_t row = 2 * sampler->lanes;
    int opposite = v ? sampler->height - v : 0;
    double fy = frequency(v, sampler->height);
    for (int l = 0; l < count; l++) {
        double gain[2];
        transfer_gain_within(transfer, fx[l], fy, gain);
        multiply(sampler, gain, batch + (size_t)v * row + l);
        if (transfer->is_mirrored && opposite != v)
            multiply(sampler, gain, batch + (size_t)opposite * row + l);
    }
}

static void apply_transfer(const struct sampler *sampler, const struct transfer *transfer, int u, int count,
                           double *batch)
{
    double fx[SAMPLER_ROW_MAX];
    for (int l = 0; l < count; l++)
        fx[l] = frequency(u + l, sampler->width);
    int rows = transfer->is_mirrored ? sampler->height / 2 + 1 : sampler->height;
    for (int v = 0; v < rows; v++)
        apply_to_row(sampler, transfer, fx, count, v, batch);
}

/* Makes column l its own conjugate reflection. */
static void enforce_hermitian(const struct sampler *sampler, int l, double *batch)
{
    int height = sampler->height;
    size_t lanes = sampler->lanes, row = 2 * lanes;
    for (int v = 0; 2 * v <= height; v++) {
        int opposite = (height - v) % height;
        double *here = batch + (size_t)v * row + l, *there = batch + (size_t)opposite * row + l;
        there[0] = here[0];
        if (sampler->real)
            continue;
        if (v == opposite)
            here[lanes] = 0.0;
        there[lanes] = v == opposite ? 0.0 : -here[lanes];
    }
}

/* As floats, by every device. In integers, whose comparison is a subtraction of vectors: those of |x| rise with x, NaN
 * is above all. */
static bool is_storable(const double *batch, size_t count)
{
    const double most = FLT_MAX;
    uint64_t limit, beyond = 0;
    memcpy(&limit, &most, sizeof limit);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &batch[i], sizeof bits);
        beyond |= limit - (bits & INT64_MAX);
    }
    return !(beyond >> 63);
}

int sampler_batch(const struct sampler *sampler, int u, double *batch, double *scratch)
{
    const struct response *response = sampler->response;
    int last = sampler->width / 2, columns = sampler_columns(sampler);
    assert(u >= 0 && u <= last);
    int count = last - u + 1 < columns ? last - u + 1 : columns;
    if (response->kernel.rank)
        separable_batch(sampler, (size_t)u, batch);
    else
        dense_batch(sampler, (size_t)u, batch, scratch);
    for (int i = 0; i < response->transfer_count; i++)
        apply_transfer(sampler, &response->transfers[i], u, count, batch);
    if (u == 0)
        enforce_hermitian(sampler, 0, batch);
    if (sampler->width % 2 == 0 && u + count > last)
        enforce_hermitian(sampler, last - u, batch);
    bool fine = sampler->bounded || is_storable(batch, (size_t)sampler->height * 2 * sampler->lanes);
    return fine ? ABBE_OK : ABBE_ERR_NONFINITE;
}
