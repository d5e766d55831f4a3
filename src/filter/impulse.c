/* The impulse response h of transfer functions: sampled on n × n frequencies, transformed back, and summed up.
 *
 * h is real, so only the frequencies u ≤ n / 2 are sampled, and two rows share one complex transform back. A
 * real H is the same in opposite directions, and so is h: two columns then share one transform, and half of
 * the rows follow from the others. Transforms take LANES columns or pairs of rows at a time:
 *
 *     sampler ──▶ [v][re | im][LANES] ─inverse─▶ columns[band][u][row of the band] ─inverse─▶ |h| ──▶ sums */
#include "filter/impulse.h"

#include "core/memory.h"
#include "fft/fft.h"
#include "filter/sampling/sampler.h"

#include <math.h>

enum { LANES = SAMPLER_ROW_MAX / 2, BAND = 2 * LANES };

struct impulse {
    int n;
    bool real;       /* H is real: h(−x, −y) = h(x, y) */
    bool even;       /* and even along each axis */
    int rows, bands; /* rows that are transformed, and bands of them */
    struct sampler *sampler;
    struct fft_f64 *fft;
    double *batch; /* a batch of the sampler, in natural order */
    double *block; /* n rows of BAND numbers, for transforms */
    double *re,
        *im; /* after the columns are transformed: [band][u ≤ n / 2][row of the band]; im: unless even */
    struct impulse_sums *sums;
};

/* ---- Columns ------------------------------------------------------------------------------------------ */

/* Puts the rows of a batch into the order of the transform. An even H has no second half of the rows. */
static void order_batch(const struct impulse *impulse)
{
    const int *order = fft_f64_order(impulse->fft);
    int kept = sampler_rows(impulse->sampler);
    for (int k = 0; k < impulse->n; k++) {
        int v = order[k] < kept ? order[k] : impulse->n - order[k];
        for (int i = 0; i < BAND; i++)
            impulse->block[(size_t)k * BAND + i] = impulse->batch[(size_t)v * BAND + i];
    }
}

/* Sample y of column u: of a complex H it is the complex number of lane i; two columns of a real H, f and g in the real
 * and the imaginary part, are F + j·G, of which F(−y) = F*(y) and G(−y) = G*(y). */
static void read_column(const struct impulse *impulse, int y, int i, double *re, double *im)
{
    const double *here = impulse->block + (size_t)y * BAND;
    const double *there = impulse->block + (size_t)((impulse->n - y) % impulse->n) * BAND;
    int lane = i % LANES;
    if (!impulse->real) {
        *re = here[lane];
        *im = here[LANES + lane];
    } else if (impulse->even) {
        *re = here[i];
        *im = 0.0;
    } else if (i < LANES) {
        *re = 0.5 * (here[lane] + there[lane]);
        *im = 0.5 * (here[LANES + lane] - there[LANES + lane]);
    } else {
        *re = 0.5 * (here[LANES + lane] + there[LANES + lane]);
        *im = 0.5 * (there[lane] - here[lane]);
    }
}

/* Transforms the columns u, u + 1, … of a batch. */
static int transform_batch_columns(const struct impulse *impulse, int u)
{
    int half = impulse->n / 2, columns = sampler_columns(impulse->sampler);
    int count = half - u + 1 < columns ? half - u + 1 : columns;
    int error = sampler_batch(impulse->sampler, u, impulse->batch, NULL);
    if (error)
        return error;
    order_batch(impulse);
    fft_f64_inverse(impulse->fft, impulse->block, LANES, NULL);
    for (int y = 0; y < impulse->rows; y++) {
        size_t at = ((size_t)(y / BAND) * (size_t)(half + 1) + (size_t)u) * BAND + (size_t)(y % BAND);
        for (int i = 0; i < count; i++) {
            double re, im;
            read_column(impulse, y, i, &re, &im);
            impulse->re[at + (size_t)i * BAND] = re;
            if (!impulse->even)
                impulse->im[at + (size_t)i * BAND] = im;
        }
    }
    return ABBE_OK;
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

/* Rows g and h of a band, LANES apart, as G + j·H; G(−u) = G*(u) because rows are real. */
static void load_band(const struct impulse *impulse, int band)
{
    const int *order = fft_f64_order(impulse->fft);
    size_t half = (size_t)impulse->n / 2, start = (size_t)band * (half + 1) * BAND;
    for (int k = 0; k < impulse->n; k++) {
        size_t u = (size_t)order[k];
        double sign = u > half ? -1.0 : 1.0;
        u = u > half ? (size_t)impulse->n - u : u;
        const double *re = impulse->re + start + u * BAND;
        const double *im = impulse->even ? re : impulse->im + start + u * BAND;
        double *to = impulse->block + (size_t)k * BAND;
        for (int i = 0; i < LANES; i++) {
            to[i] = re[i] - (impulse->even ? 0.0 : sign * im[LANES + i]);
            to[LANES + i] = re[LANES + i] + (impulse->even ? 0.0 : sign * im[i]);
        }
    }
}

static int distance_to_zero(int i, int n)
{
    return i <= n / 2 ? i : n - i;
}

/* Adds up |h| of a transformed band. `weight` is how many rows of the grid have the samples of a row. */
static void sum_band(const struct impulse *impulse, int band)
{
    struct impulse_sums *sums = impulse->sums;
    int n = impulse->n, first = band * BAND;
    double rows[BAND] = { 0 }, inner[BAND] = { 0 }, weight[BAND] = { 0 };
    int distance[BAND];
    for (int i = 0; i < BAND; i++) {
        int y = first + i;
        distance[i] = distance_to_zero(y < n ? y : 0, n);
        if (y < impulse->rows)
            weight[i] = impulse->real && y > 0 && 2 * y < n ? 2.0 : 1.0;
    }
    for (int x = 0; x < n; x++) {
        const double *samples = impulse->block + (size_t)x * BAND;
        int dx = distance_to_zero(x, n);
        double column = 0.0, opposite = 0.0, outer = 0.0;
        for (int i = 0; i < BAND; i++) {
            double magnitude = weight[i] > 0.0 ? fabs(samples[i]) : 0.0, weighed = weight[i] * magnitude;
            bool outside = dx > distance[i];
            rows[i] += magnitude;
            inner[i] += outside ? 0.0 : weighed;
            outer += outside ? weighed : 0.0;
            column += magnitude;
            opposite += weighed - magnitude;
        }
        sums->rings[dx] += outer;
        sums->columns[x] += column;
        sums->columns[(n - x) % n] += opposite;
        sums->total += column + opposite;
    }
    for (int i = 0; i < BAND && first + i < impulse->rows; i++) {
        int y = first + i;
        sums->rings[distance[i]] += inner[i];
        sums->rows[y] += rows[i];
        if (weight[i] > 1.0)
            sums->rows[n - y] += rows[i];
    }
}

/* ---- All ---------------------------------------------------------------------------------------------- */

static int open_impulse(const struct response *transfers, int n, struct impulse_sums *sums,
                        struct impulse *impulse)
{
    /* One level for all devices, so that a radius does not depend on the instruction set. */
    const struct spectrum_grid grid = { .width = n, .height = n, .threads = 1, .level = LEVEL_BASELINE };
    *impulse = (struct impulse){
        .n = n, .real = response_is_real(transfers), .even = response_is_even(transfers), .sums = sums
    };
    impulse->rows = impulse->real ? n / 2 + 1 : n;
    impulse->bands = (impulse->rows - 1) / BAND + 1;
    size_t numbers = (size_t)impulse->bands * (size_t)(n / 2 + 1) * BAND;
    double *sum = core_alloc_zero(2 * (size_t)n + (size_t)n / 2 + 1, sizeof *sum);
    *sums = (struct impulse_sums){ n, 0.0, sum, sum + n, sum + 2 * n };
    impulse->block = core_alloc((size_t)n, BAND * sizeof *impulse->block);
    impulse->re = core_alloc_zero(numbers, sizeof *impulse->re);
    impulse->im = core_alloc_zero(impulse->even ? 0 : numbers, sizeof *impulse->im);
    if (!sum || !impulse->block || !impulse->re || !impulse->im)
        return ABBE_ERR_MEMORY;
    int error = fft_f64_create_at(grid.level, n, &impulse->fft);
    if (!error)
        error = sampler_create(transfers, &grid, &impulse->sampler);
    if (error)
        return error;
    impulse->batch = core_alloc(sampler_batch_doubles(impulse->sampler), sizeof *impulse->batch);
    return impulse->batch ? ABBE_OK : ABBE_ERR_MEMORY;
}

static void close_impulse(struct impulse *impulse)
{
    core_free(impulse->batch);
    sampler_destroy(&impulse->sampler);
    fft_f64_destroy(&impulse->fft);
    core_free(impulse->im);
    core_free(impulse->re);
    core_free(impulse->block);
}

int impulse_measure(const struct response *response, int n, struct impulse_sums *sums)
{
    double one = 1.0;
    const struct response transfers = { .kernel = { .width = 1, .height = 1, .taps = &one },
                                        .transfer_count = response->transfer_count,
                                        .transfers = response->transfers };
    struct impulse impulse;
    int error = open_impulse(&transfers, n, sums, &impulse);
    for (int u = 0; u <= n / 2 && !error; u += sampler_columns(impulse.sampler))
        error = transform_batch_columns(&impulse, u);
    for (int band = 0; band < impulse.bands && !error; band++) {
        load_band(&impulse, band);
        fft_f64_inverse(impulse.fft, impulse.block, LANES, NULL);
        sum_band(&impulse, band);
    }
    close_impulse(&impulse);
    if (error) {
        core_free(sums->columns);
        sums->columns = NULL;
    }
    return error;
}
