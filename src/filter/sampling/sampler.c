/* The spectrum H(u, v) of a response on a transform grid, several columns at a time, in double precision.
 *
 *     H(u, v) = Σ_k tap(k) · e^(−j2π (u kx / width + v ky / height)) · Π T(f(u), f(v))
 *
 * Rows are transformed once, for u ≤ width / 2; columns are transformed batch by batch. Two columns of a real
 * H share one transform: F(a + jb) = F(a) + j F(b), and both are real. */
#include "filter/sampling/sampler.h"

#include "core/memory.h"
#include "filter/sampling/gains.h"
#include "filter/sampling/line_spectra.h"
#include "filter/sampling/pruned_fft.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

_Static_assert((int)SAMPLER_ROW_MAX == 2 * (int)PRUNED_FFT_LANES,
               "a batch is the result of one transform of columns");

struct sampler {
    const struct response *response;
    int width, height;
    int kept;                /* rows of a batch */
    bool real;               /* whether H is real */
    bool single;             /* the kernel is one tap at its centre, whose spectrum is the same everywhere */
    bool bounded;            /* no value can exceed the range of a float */
    size_t lanes;            /* of the transform of columns; two columns of a real H share a lane */
    size_t lines;            /* separable terms, or folded rows of a dense kernel */
    size_t pitch;            /* of `rows`; includes room for a batch that extends beyond width / 2 */
    double *rows;            /* spectra of the lines: [line][re | im][pitch] */
    double *columns;         /* separable: spectra of the terms' columns: [term][re | im][height] */
    struct pruned_fft *down; /* dense: the transform of columns */
    struct gains *gains;     /* of the transfer functions */
};

/* ---- Making ------------------------------------------------------------------------------------------- */

/* The number of lines: separable terms, or rows of a dense kernel folded to the height of the grid. */
static size_t kernel_lines(const struct kernel *kernel, int height)
{
    if (kernel->terms)
        return (size_t)kernel->terms;
    return (size_t)(kernel->height < height ? kernel->height : height);
}

static size_t column_lanes(bool real, int width)
{
    size_t columns = (size_t)width / 2 + 1, lanes = real ? (columns + 1) / 2 : columns;
    return lanes < PRUNED_FFT_LANES ? lanes : PRUNED_FFT_LANES;
}

static size_t row_pitch(int width)
{
    return (size_t)width / 2 + 1 + SAMPLER_ROW_MAX;
}

/* The rows of separable terms, or the rows of a dense kernel, of which row ky is added to line ky mod
 * height. */
static struct real_lines row_lines(const struct kernel *kernel, int width, int height)
{
    return (struct real_lines){
        .values = kernel->terms ? kernel->rows : kernel->taps,
        .count = (size_t)(kernel->terms ? kernel->terms : kernel->height),
        .kept = kernel_lines(kernel, height),
        .taps = kernel->width,
        .centre = kernel->centre_x,
        .length = width,
        .related = !kernel->terms,
    };
}

/* The columns of separable terms. */
static struct real_lines column_lines(const struct kernel *kernel, int height)
{
    return (struct real_lines){
        .values = kernel->columns,
        .count = (size_t)kernel->terms,
        .kept = (size_t)kernel->terms,
        .taps = kernel->height,
        .centre = kernel->centre_y,
        .length = height,
    };
}

static int transform_kernel_lines(struct sampler *sampler, const struct spectrum_grid *grid)
{
    const struct kernel *kernel = &sampler->response->kernel;
    struct real_lines rows = row_lines(kernel, sampler->width, sampler->height);
    rows.level = grid->level;
    const struct line_spectra to_rows = { sampler->rows, sampler->pitch, false };
    int error = line_spectra_fill(&rows, grid->threads, &to_rows);
    if (!error && !kernel->terms) /* the tables of rows are freed by now */
        error = pruned_fft_create(&(struct pruned_fft_axis){ .length = sampler->height,
                                                             .first = -kernel->centre_y,
                                                             .support = (int)sampler->lines,
                                                             .lanes = (int)sampler->lanes,
                                                             .level = grid->level },
                                  &sampler->down);
    if (error || !kernel->terms)
        return error;
    struct real_lines columns = column_lines(kernel, sampler->height);
    columns.level = grid->level;
    const struct line_spectra to_columns = { sampler->columns, (size_t)sampler->height, true };
    return line_spectra_fill(&columns, grid->threads, &to_columns);
}

static int allocate_sampler(struct sampler *sampler)
{
    const struct kernel *kernel = &sampler->response->kernel;
    sampler->lines = kernel_lines(kernel, sampler->height);
    sampler->pitch = row_pitch(sampler->width);
    sampler->rows = core_alloc(sampler->lines, 2 * sampler->pitch * sizeof *sampler->rows);
    if (!sampler->rows || !kernel->terms)
        return sampler->rows ? ABBE_OK : ABBE_ERR_MEMORY;
    sampler->columns = core_alloc(sampler->lines, 2 * (size_t)sampler->height * sizeof *sampler->columns);
    return sampler->columns ? ABBE_OK : ABBE_ERR_MEMORY;
}

static double sum_absolute_taps(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(values[i]);
    return sum;
}

/* Whether H stays within the range of a float: |H| ≤ Σ |tap|, where a separable term contributes Σ |row| · Σ
 * |column|, times the bounds of the transfer functions. The factor 0.5 leaves room for rounding. */
static bool is_bounded(const struct response *response)
{
    const struct kernel *kernel = &response->kernel;
    size_t width = (size_t)kernel->width, height = (size_t)kernel->height;
    double most = kernel->terms ? 0 : sum_absolute_taps(kernel->taps, width * height);
    for (size_t r = 0; r < (size_t)kernel->terms; r++)
        most += sum_absolute_taps(kernel->rows + r * width, width) *
                sum_absolute_taps(kernel->columns + r * height, height);
    for (int i = 0; i < response->transfer_count; i++)
        most *= response->transfers[i].bound;
    return most < 0.5 * (double)FLT_MAX;
}

static bool is_single_tap(const struct kernel *kernel)
{
    return kernel->width == 1 && kernel->height == 1 && kernel->centre_x == 0 && kernel->centre_y == 0;
}

bool sampler_is_light(const struct response *response)
{
    return !response_has_callback(response) && is_bounded(response) &&
           (response->kernel.terms || is_single_tap(&response->kernel));
}

/* Allocates and fills what a sampler needs. */
static int fill_sampler(struct sampler *sampler, const struct spectrum_grid *grid)
{
    const struct gain_grid gain_grid = { .width = grid->width,
                                         .height = grid->height,
                                         .rows = sampler->kept,
                                         .columns = (size_t)sampler_columns(sampler),
                                         .conjugate = grid->correlate,
                                         .rounded = grid->rounded,
                                         .level = grid->level };
    int error = sampler->single ? ABBE_OK : allocate_sampler(sampler);
    if (!error && !sampler->single)
        error = transform_kernel_lines(sampler, grid);
    if (!error)
        error = gains_create(sampler->response, &gain_grid, &sampler->gains);
    return error;
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
    made->kept = response_is_even(response) ? grid->height / 2 + 1 : grid->height;
    made->real = response_is_real(response);
    made->single = is_single_tap(&response->kernel);
    made->bounded = is_bounded(response);
    made->lanes = column_lanes(made->real, made->width);
    int error = fill_sampler(made, grid);
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
    gains_destroy(&(*sampler)->gains);
    pruned_fft_destroy(&(*sampler)->down);
    core_free((*sampler)->columns);
    core_free((*sampler)->rows);
    core_free(*sampler);
    *sampler = NULL;
}

bool sampler_is_bounded(const struct sampler *sampler)
{
    return sampler->bounded;
}

int sampler_row(const struct sampler *sampler)
{
    return (int)(2 * sampler->lanes);
}

int sampler_columns(const struct sampler *sampler)
{
    return (int)(sampler->real ? 2 * sampler->lanes : sampler->lanes);
}

bool sampler_is_aligned(const struct sampler *sampler)
{
    return gains_are_aligned(sampler->gains);
}

int sampler_rows(const struct sampler *sampler)
{
    return sampler->kept;
}

size_t sampler_batch_doubles(const struct sampler *sampler)
{
    int rows = sampler->down ? sampler->height : sampler->kept; /* the transform writes all of them */
    return (size_t)rows * 2 * sampler->lanes;
}

size_t sampler_scratch(const struct sampler *sampler)
{
    return sampler->down ? sampler->lines * 2 * sampler->lanes + pruned_fft_scratch(sampler->down) : 0;
}

static double batch_bytes(const struct kernel *kernel, bool real, int width, int height, int threads)
{
    size_t lanes = column_lanes(real, width), columns = real ? 2 * lanes : lanes;
    double batches = width / 2 / (double)columns + 1, workers = fmin(threads, batches);
    double rows = height + (kernel->terms ? 0.0 : (double)kernel_lines(kernel, height));
    double bytes = workers * (rows * 2 * (double)lanes * sizeof(double) + 4 * CORE_ALIGNMENT);
    return kernel->terms ? bytes : bytes + pruned_fft_bytes(height, (int)lanes, (int)workers);
}

/* The tables of one axis are freed before those of the next are allocated. */
double sampler_bytes(const struct response *response, bool real, int width, int height, int threads)
{
    const struct kernel *kernel = &response->kernel;
    struct real_lines rows = row_lines(kernel, width, height), columns = column_lines(kernel, height);
    double kept = (double)rows.kept * 2 * (double)row_pitch(width) * sizeof(double);
    double work = fmax(line_spectra_bytes(&rows, threads), batch_bytes(kernel, real, width, height, threads));
    if (kernel->terms) {
        kept += kernel->terms * 2.0 * height * sizeof(double);
        work = fmax(work, line_spectra_bytes(&columns, threads));
    }
    return kept + work + gains_bytes(response, width, height);
}

double sampler_kept_bytes(const struct response *response, int width, int height)
{
    const struct kernel *kernel = &response->kernel;
    struct real_lines rows = row_lines(kernel, width, height), columns = column_lines(kernel, height);
    double bytes = sizeof(struct sampler) + gains_bytes(response, width, height) + 4 * CORE_ALIGNMENT;
    if (is_single_tap(kernel))
        return bytes;
    bytes += (double)rows.kept * 2 * (double)row_pitch(width) * sizeof(double) + line_spectra_bytes(&rows, 1);
    return kernel->terms
               ? bytes + kernel->terms * 2.0 * height * sizeof(double) + line_spectra_bytes(&columns, 1)
               : bytes;
}

/* ---- The kernel's spectrum ---------------------------------------------------------------------------- */

/* The functions on rows are inlined with a constant number of lanes in the usual case; a row is then a few
 * vectors. */

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
    size_t height = (size_t)sampler->height, kept = (size_t)sampler->kept;
    const double *re = sampler->rows + 2 * r * sampler->pitch + u, *im = re + sampler->pitch;
    const double *columns = sampler->columns + 2 * r * height;
    for (size_t v = 0; v < kept; v++) {
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
    memset(batch, 0, (size_t)sampler->kept * 2 * sampler->lanes * sizeof *batch);
    for (size_t r = 0; r < sampler->lines; r++)
        if (sampler->lanes == PRUNED_FFT_LANES)
            add_terms(sampler, u, r, PRUNED_FFT_LANES, batch);
        else
            add_terms(sampler, u, r, sampler->lanes, batch);
}

static inline void gather_lanes(const double *re, const double *im, bool real, size_t lanes,
                                double *restrict row)
{
    for (size_t l = 0; l < lanes; l++) {
        row[l] = real ? re[l] - im[lanes + l] : re[l];
        row[lanes + l] = real ? im[l] + re[lanes + l] : im[l];
    }
}

/* Transforms the row spectra. For a real H, the first columns are in the real parts and the next in the
 * imaginary parts. */
static void dense_batch(const struct sampler *sampler, size_t u, double *batch, double *scratch)
{
    size_t lanes = sampler->lanes;
    for (size_t i = 0; i < sampler->lines; i++) {
        const double *re = sampler->rows + 2 * i * sampler->pitch + u, *im = re + sampler->pitch;
        if (lanes == PRUNED_FFT_LANES)
            gather_lanes(re, im, sampler->real, PRUNED_FFT_LANES, scratch + i * 2 * lanes);
        else
            gather_lanes(re, im, sampler->real, lanes, scratch + i * 2 * lanes);
    }
    pruned_fft_transform(sampler->down, scratch, batch, scratch + sampler->lines * 2 * lanes);
}

/* ---- Symmetry, range ---------------------------------------------------------------------------------- */

/* Makes column l exactly Hermitian: H(−v) = H*(v). */
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

/* Whether devices can store the values as floats. Compares bit patterns as integers, which vectorises: the
 * patterns of |x| rise with |x|, and NaN is above all numbers. */
static bool fits_float(const double *batch, size_t count)
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

/* Multiplies a batch by the gains of the transfer functions. Fills it if the kernel is a single tap. */
static void finish_gains(const struct sampler *sampler, int u, int count, double *batch)
{
    const struct kernel *kernel = &sampler->response->kernel;
    double tap = sampler->single ? kernel_tap(kernel, 0, 0) : 0.0;
    const struct gain_batch columns = { .batch = batch,
                                        .u = u,
                                        .count = count,
                                        .columns = (size_t)sampler_columns(sampler),
                                        .real = sampler->real,
                                        .start = sampler->single ? &tap : NULL };
    gains_multiply(sampler->gains, &columns);
}

int sampler_batch(const struct sampler *sampler, int u, double *batch, double *scratch)
{
    int last = sampler->width / 2, columns = sampler_columns(sampler);
    assert(u >= 0 && u <= last && (!sampler_is_aligned(sampler) || u % columns == 0));
    int count = last - u + 1 < columns ? last - u + 1 : columns;
    if (!sampler->single && sampler->response->kernel.terms)
        separable_batch(sampler, (size_t)u, batch);
    else if (!sampler->single)
        dense_batch(sampler, (size_t)u, batch, scratch);
    finish_gains(sampler, u, count, batch);
    bool even = sampler->kept < sampler->height;
    if (u == 0 && !even)
        enforce_hermitian(sampler, 0, batch);
    if (sampler->width % 2 == 0 && u + count > last && !even)
        enforce_hermitian(sampler, last - u, batch);
    bool fits = sampler->bounded || fits_float(batch, (size_t)sampler->kept * 2 * sampler->lanes);
    return fits ? ABBE_OK : ABBE_ERR_NONFINITE;
}
