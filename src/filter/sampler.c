/* The spectrum H(u, v) of a response on a transform grid, column by column, in double precision.
 *
 *     H(u, v) = Σ_k tap(k) · e^(−j2π (u kx / width + v ky / height)) · Π T(f(u), f(v))
 *
 * Rows are transformed once, for u ≤ width / 2; a column is finished when it is asked for. Columns beyond
 * width / 2 are the conjugate reflection of those before, so H(−u, −v) = H*(u, v) exactly. */
#include "filter/sampler.h"

#include "core/memory.h"
#include "fft/fft.h"
#include "filter/transfer.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

struct sampler {
    const struct response *response;
    int width, height;
    bool conjugate_transfers;
    bool is_symmetric;   /* the kernel's spectrum is real */
    size_t lines;        /* separable terms, or folded rows of a dense kernel */
    double *rows;        /* spectrum of line i at u: { re, im } at 2 · (u · lines + i), u ≤ width / 2 */
    double *columns;     /* separable: spectrum of term i at v: { re, im } at 2 · (i · height + v) */
    struct fft_f64 *fft; /* dense: of a column */
};

/* Where tap i of a line stands on a cyclic axis. */
static size_t folded(int i, int centre, int length)
{
    int index = (i - centre) % length;
    return (size_t)(index < 0 ? index + length : index);
}

/* The spectrum of one real line of `length` samples, which stand in the real parts of x. */
static void transform(const struct fft_f64 *fft, int length, double *x, double *scratch, double *spectrum)
{
    const int *order = fft_f64_order(fft);
    fft_f64_forward(fft, x, 1, scratch);
    for (size_t p = 0; p < (size_t)length; p++) {
        spectrum[2 * (size_t)order[p]] = x[2 * p];
        spectrum[2 * (size_t)order[p] + 1] = x[2 * p + 1];
    }
}

/* Makes a spectrum exactly that of real samples: the upper half reflects the lower, the middle is real. */
static void enforce_hermitian(double *spectrum, int length)
{
    for (int k = 0; 2 * k <= length; k++) {
        size_t here = 2 * (size_t)k, opposite = 2 * (size_t)((length - k) % length);
        if (here == opposite)
            spectrum[here + 1] = 0.0;
        spectrum[opposite] = spectrum[here];
        spectrum[opposite + 1] = here == opposite ? 0.0 : -spectrum[here + 1];
    }
}

/* A 1-D transform with the memory that it works in. */
struct bench {
    struct fft_f64 *fft;
    double *x, *spectrum, *scratch;
};

static void close_bench(struct bench *bench)
{
    core_free(bench->scratch);
    core_free(bench->spectrum);
    core_free(bench->x);
    fft_f64_destroy(&bench->fft);
}

static int open_bench(int length, struct bench *bench)
{
    *bench = (struct bench){ 0 };
    int status = fft_f64_create(length, &bench->fft);
    if (status)
        return status;
    bench->x = core_alloc_zero(2 * (size_t)length, sizeof *bench->x);
    bench->spectrum = core_alloc_zero(2 * (size_t)length, sizeof *bench->spectrum);
    bench->scratch = core_alloc_zero(fft_f64_scratch(bench->fft, 1), sizeof *bench->scratch);
    if (bench->x && bench->spectrum && bench->scratch)
        return ABBE_OK;
    close_bench(bench);
    return ABBE_ERR_MEMORY;
}

static void add_folded(const double *line, int count, int centre, int length, double *x)
{
    for (int i = 0; i < count; i++)
        x[2 * folded(i, centre, length)] += line[i];
}

/* The spectrum of what was added to x, which is cleared for the next line. */
static void finish_line(struct bench *bench, int length)
{
    transform(bench->fft, length, bench->x, bench->scratch, bench->spectrum);
    enforce_hermitian(bench->spectrum, length);
    memset(bench->x, 0, 2 * (size_t)length * sizeof *bench->x);
}

static void keep_row(struct sampler *sampler, const struct bench *bench, size_t line)
{
    for (size_t u = 0; u <= (size_t)sampler->width / 2; u++)
        memcpy(sampler->rows + 2 * (u * sampler->lines + line), bench->spectrum + 2 * u,
               2 * sizeof *sampler->rows);
}

/* Rows of separable terms, or the rows of a dense kernel, folded onto line ky mod height when they are more
 * than the grid has. */
static int transform_rows(struct sampler *sampler)
{
    const struct kernel *kernel = &sampler->response->kernel;
    struct bench bench;
    int status = open_bench(sampler->width, &bench);
    if (status)
        return status;
    const double *lines = kernel->rank ? kernel->rows : kernel->taps;
    size_t available = (size_t)(kernel->rank ? kernel->rank : kernel->height);
    for (size_t line = 0; line < sampler->lines; line++) {
        for (size_t j = line; j < available; j += sampler->lines)
            add_folded(lines + j * (size_t)kernel->width, kernel->width, kernel->centre_x, sampler->width,
                       bench.x);
        finish_line(&bench, sampler->width);
        keep_row(sampler, &bench, line);
    }
    close_bench(&bench);
    return ABBE_OK;
}

static int transform_columns(struct sampler *sampler)
{
    const struct kernel *kernel = &sampler->response->kernel;
    size_t height = (size_t)sampler->height;
    struct bench bench;
    int status = open_bench(sampler->height, &bench);
    if (status)
        return status;
    for (size_t r = 0; r < sampler->lines; r++) {
        add_folded(kernel->columns + r * (size_t)kernel->height, kernel->height, kernel->centre_y,
                   sampler->height, bench.x);
        finish_line(&bench, sampler->height);
        memcpy(sampler->columns + 2 * r * height, bench.spectrum, 2 * height * sizeof *sampler->columns);
    }
    close_bench(&bench);
    return ABBE_OK;
}

static int allocate(struct sampler *sampler)
{
    const struct kernel *kernel = &sampler->response->kernel;
    size_t height = (size_t)sampler->height, half = (size_t)sampler->width / 2 + 1;
    int count = kernel->rank ? kernel->rank : kernel->height;
    if (!kernel->rank && count > sampler->height)
        count = sampler->height;
    sampler->lines = (size_t)count;
    sampler->rows = core_alloc(2 * half * sampler->lines, sizeof *sampler->rows);
    if (!sampler->rows)
        return ABBE_ERR_MEMORY;
    if (kernel->rank) {
        sampler->columns = core_alloc(2 * height * sampler->lines, sizeof *sampler->columns);
        return sampler->columns ? ABBE_OK : ABBE_ERR_MEMORY;
    }
    return fft_f64_create(sampler->height, &sampler->fft);
}

int sampler_create(const struct response *response, int width, int height, bool conjugate_transfers,
                   struct sampler **sampler)
{
    assert(width >= 1 && height >= 1);
    struct sampler *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return ABBE_ERR_MEMORY;
    made->response = response;
    made->width = width;
    made->height = height;
    made->conjugate_transfers = conjugate_transfers;
    made->is_symmetric = kernel_is_symmetric(&response->kernel);
    int status = allocate(made);
    if (!status)
        status = transform_rows(made);
    if (!status && response->kernel.rank)
        status = transform_columns(made);
    if (status)
        sampler_destroy(&made);
    else
        *sampler = made;
    return status;
}

void sampler_destroy(struct sampler **sampler)
{
    if (!sampler || !*sampler)
        return;
    fft_f64_destroy(&(*sampler)->fft);
    core_free((*sampler)->columns);
    core_free((*sampler)->rows);
    core_free(*sampler);
    *sampler = NULL;
}

/* z = a · b of complex numbers; z may be a. */
static void multiply(const double a[2], const double b[2], double z[2])
{
    double re = a[0] * b[0] - a[1] * b[1];
    z[1] = a[0] * b[1] + a[1] * b[0];
    z[0] = re;
}

/* The same where the sum is real. */
static void real_separable_column(const struct sampler *sampler, size_t u, double *column)
{
    size_t height = (size_t)sampler->height;
    for (size_t r = 0; r < sampler->lines; r++) {
        const double *row = sampler->rows + 2 * (u * sampler->lines + r);
        const double *terms = sampler->columns + 2 * r * height;
        for (size_t v = 0; v < height; v++)
            column[2 * v] += row[0] * terms[2 * v] - row[1] * terms[2 * v + 1];
    }
}

/* Σ_r R_r(u) · C_r(v). */
static void separable_column(const struct sampler *sampler, size_t u, double *column)
{
    size_t height = (size_t)sampler->height;
    memset(column, 0, 2 * height * sizeof *column);
    if (sampler->is_symmetric) {
        real_separable_column(sampler, u, column);
        return;
    }
    for (size_t r = 0; r < sampler->lines; r++) {
        const double *row = sampler->rows + 2 * (u * sampler->lines + r);
        for (size_t v = 0; v < height; v++) {
            double term[2];
            multiply(row, sampler->columns + 2 * (r * height + v), term);
            column[2 * v] += term[0];
            column[2 * v + 1] += term[1];
        }
    }
}

/* The transform of the row spectra at u, each at its place on the cyclic axis. */
static void dense_column(const struct sampler *sampler, size_t u, double *column, double *scratch)
{
    const struct kernel *kernel = &sampler->response->kernel;
    size_t height = (size_t)sampler->height;
    memset(scratch, 0, 2 * height * sizeof *scratch);
    for (size_t i = 0; i < sampler->lines; i++)
        memcpy(scratch + 2 * folded((int)i, kernel->centre_y, sampler->height),
               sampler->rows + 2 * (u * sampler->lines + i), 2 * sizeof *scratch);
    transform(sampler->fft, sampler->height, scratch, scratch + 2 * height, column);
}

/* F(a + jb) = F(a) + j F(b), and both are real: columns u and u + 1 stand in the real and the imaginary parts. */
static void dense_pair(const struct sampler *sampler, size_t u, double *column, double *scratch)
{
    const struct kernel *kernel = &sampler->response->kernel;
    const double *a = sampler->rows + 2 * u * sampler->lines, *b = a + 2 * sampler->lines;
    size_t height = (size_t)sampler->height;
    memset(scratch, 0, 2 * height * sizeof *scratch);
    for (size_t i = 0; i < sampler->lines; i++) {
        double *to = scratch + 2 * folded((int)i, kernel->centre_y, sampler->height);
        to[0] = a[2 * i] - b[2 * i + 1];
        to[1] = a[2 * i + 1] + b[2 * i];
    }
    transform(sampler->fft, sampler->height, scratch, scratch + 2 * height, column);
}

/* The frequency of index k in cycles per sample, −½ … ½. */
static double frequency(int k, int length)
{
    return (double)(k <= (length - 1) / 2 ? k : k - length) / length;
}

static void apply_transfers(const struct sampler *sampler, int u, double *column)
{
    double fx = frequency(u, sampler->width);
    for (int i = 0; i < sampler->response->transfer_count; i++)
        for (int v = 0; v < sampler->height; v++) {
            double gain[2];
            transfer_gain(&sampler->response->transfers[i], fx, frequency(v, sampler->height), gain);
            if (sampler->conjugate_transfers)
                gain[1] = -gain[1];
            multiply(column + 2 * (size_t)v, gain, column + 2 * (size_t)v);
        }
}

/* column(v) becomes column*(−v). */
static void reflect(double *column, int height)
{
    for (int v = 0; 2 * v <= height; v++) {
        double *here = column + 2 * (size_t)v, *opposite = column + 2 * (size_t)((height - v) % height);
        double re = here[0], im = here[1];
        here[0] = opposite[0];
        here[1] = -opposite[1];
        opposite[0] = re;
        opposite[1] = -im;
    }
}

size_t sampler_scratch(const struct sampler *sampler)
{
    return sampler->fft ? 2 * (size_t)sampler->height + fft_f64_scratch(sampler->fft, 1) : 0;
}

/* What follows the kernel's own spectrum at u ≤ width / 2. */
static int finish_column(const struct sampler *sampler, int u, double *column)
{
    for (int v = 0; sampler->is_symmetric && v < sampler->height; v++)
        column[2 * (size_t)v + 1] = 0.0;
    apply_transfers(sampler, u, column);
    if (u == (sampler->width - u) % sampler->width)
        enforce_hermitian(column, sampler->height);
    bool storable = true; /* as floats, by every device */
    for (size_t i = 0; i < 2 * (size_t)sampler->height; i++)
        storable &= fabs(column[i]) <= (double)FLT_MAX;
    return storable ? ABBE_OK : ABBE_ERR_NONFINITE;
}

int sampler_column(const struct sampler *sampler, int u, double *column, double *scratch)
{
    assert(u >= 0 && u < sampler->width);
    bool reflected = u > sampler->width / 2;
    int source = reflected ? sampler->width - u : u;
    if (sampler->response->kernel.rank)
        separable_column(sampler, (size_t)source, column);
    else
        dense_column(sampler, (size_t)source, column, scratch);
    int error = finish_column(sampler, source, column);
    if (reflected)
        reflect(column, sampler->height);
    return error;
}

int sampler_pair(const struct sampler *sampler, int u, double *columns, double *scratch)
{
    size_t height = (size_t)sampler->height;
    double *second = columns + 2 * height;
    if (sampler->response->kernel.rank || !sampler->is_symmetric) {
        int error = sampler_column(sampler, u, columns, scratch);
        return error ? error : sampler_column(sampler, u + 1, second, scratch);
    }
    dense_pair(sampler, (size_t)u, columns, scratch);
    for (size_t v = 0; v < height; v++)
        second[2 * v] = columns[2 * v + 1];
    int error = finish_column(sampler, u, columns);
    return error ? error : finish_column(sampler, u + 1, second);
}
