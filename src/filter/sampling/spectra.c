/* The spectrum H of a filter in the layout of an engine. */
#include "filter/sampling/spectra.h"

#include "core/memory.h"
#include "core/pool.h"
#include "core/threads.h"
#include "filter/sampling/pruned_fft.h"

#include <string.h>

/* Two layouts, each of one or two parts of H. */
enum { OUTPUTS = 4 };

/* The memory of one thread while columns are sampled. */
struct sampling_worker {
    double *batch, *scratch;
    int error;
};

/* Where the columns of a spectrum are written; `layout` is NULL for an unused output. */
struct spectrum_output {
    const struct spectrum_layout *layout;
    bool real;
    void *h;
};

/* Columns that were sampled: H(u, ·), H(u + 1, ·), … */
struct batch {
    const double *values;
    size_t row;  /* doubles of a row */
    size_t half; /* from a real part to its imaginary part; 0 when H is real */
    int u, count;
    size_t rows; /* rows beyond are those of the opposite frequencies */
};

/* Consecutive columns of a batch that are also consecutive in one block of the layout. */
struct span {
    int first, count; /* columns of the batch */
    int place; /* of the first column in the layout; the others follow it, or precede it when `opposite` */
    bool opposite; /* writes H(−u, ·) = H*(u, −·) instead of H(u, ·) */
};

/* The positions of a column in a layout. */
static size_t layout_rows(const struct spectrum_grid *grid, const struct spectrum_layout *layout)
{
    return (size_t)(layout->rows ? layout->rows : grid->height);
}

/* The longest span from column `first` of a batch that begins with u. Its place is −1 when it is not
 * stored. */
static struct span next_span(const struct spectrum_grid *grid, const struct spectrum_layout *layout, int u,
                             int first, int end, bool opposite)
{
    int width = grid->width, step = opposite ? -1 : 1, count = 1;
    int place = layout->column[opposite ? (width - u - first) % width : u + first];
    for (; place >= 0 && first + count < end; count++) {
        int next = layout->column[opposite ? width - u - first - count : u + first + count];
        if (next < 0 || next != place + step * count || next / layout->lanes != place / layout->lanes)
            break;
    }
    return (struct span){ first, count, place, opposite };
}

#define REAL float
#define NAME(x) x##_f32
#include "filter/sampling/write_tmpl.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) x##_f64
#include "filter/sampling/write_tmpl.h"

/* Writes the columns of a batch and their opposites. A column that is its own opposite is written once. */
static void write_batch(const struct spectrum_grid *grid, const struct batch *batch,
                        const struct spectrum_output *output)
{
    for (int opposite = 0; opposite < 2 && output->layout; opposite++) {
        int first = opposite && batch->u == 0, end = batch->count;
        if (opposite && 2 * (batch->u + end - 1) == grid->width)
            end--;
        while (first < end) {
            struct span span = next_span(grid, output->layout, batch->u, first, end, opposite);
            if (span.place >= 0 && output->layout->doubles)
                write_span_f64(grid, batch, &span, output);
            else if (span.place >= 0)
                write_span_f32(grid, batch, &span, output);
            first += span.count;
        }
    }
}

static int sample_batch(const struct spectrum_grid *grid, const struct sampler *sampler, int u,
                        const struct sampling_worker *sampling, const struct spectrum_output outputs[OUTPUTS])
{
    int rest = grid->width / 2 - u + 1, columns = sampler_columns(sampler);
    bool real = columns == sampler_row(sampler);
    const struct batch batch = { .values = sampling->batch,
                                 .row = (size_t)sampler_row(sampler),
                                 .half = real ? 0 : (size_t)columns,
                                 .u = u,
                                 .count = rest < columns ? rest : columns,
                                 .rows = (size_t)sampler_rows(sampler) };
    int error = sampler_batch(sampler, u, sampling->batch, sampling->scratch);
    for (int i = 0; i < OUTPUTS && !error; i++)
        write_batch(grid, &batch, &outputs[i]);
    return error;
}

static int count_batches(const struct spectrum_grid *grid, const struct sampler *sampler)
{
    return grid->width / 2 / sampler_columns(sampler) + 1;
}

/* The number of threads: at most one per batch, and as many as the work is worth. Transfer functions take
 * more time per sample than kernels. */
static int count_sampling_workers(const struct spectrum_grid *grid, const struct response *response,
                                  const struct sampler *sampler)
{
    int batches = count_batches(grid, sampler);
    double samples = (double)grid->width * grid->height;
    int workers = core_workers(grid->threads,
                               response->transfer_count ? samples : samples / PRUNED_FFT_LIGHT);
    return workers < batches ? workers : batches;
}

/* One pass over the batches of a spectrum, from `first` on. */
struct sampling_pass {
    int first;
    const struct spectrum_grid *grid;
    const struct sampler *sampler;
    struct sampling_worker *workers;
    const struct spectrum_output *outputs;
};

/* A pool_task over batches. */
static void sample_batches(void *context, int number, long long first, long long end)
{
    const struct sampling_pass *pass = context;
    struct sampling_worker *worker = &pass->workers[number];
    for (int i = (int)first; i < end && !worker->error; i++)
        worker->error = sample_batch(pass->grid, pass->sampler,
                                     (pass->first + i) * sampler_columns(pass->sampler), worker,
                                     pass->outputs);
}

static int loop_batches(struct sampling_pass *pass, int count, int batches)
{
    int error = ABBE_OK;
    pool_loop(count, batches, pool_share(count, batches), sample_batches, pass);
    for (int i = 0; i < count && !error; i++)
        error = pass->workers[i].error;
    return error;
}

/* Samples the batches first … last on `count` threads. `checked`: computes all of them before any is
 * written. */
static int sample_columns(const struct spectrum_grid *grid, const struct sampler *sampler, int count,
                          int first, int last, bool checked, const struct spectrum_output outputs[OUTPUTS])
{
    static const struct spectrum_output nowhere[OUTPUTS];
    struct sampling_worker *workers = core_alloc_zero((size_t)count, sizeof *workers);
    int error = workers ? ABBE_OK : ABBE_ERR_MEMORY;
    for (int i = 0; i < count && !error; i++) {
        workers[i].batch = core_alloc(sampler_batch_doubles(sampler), sizeof(double));
        workers[i].scratch = core_alloc(sampler_scratch(sampler), sizeof(double));
        if (!workers[i].batch || !workers[i].scratch)
            error = ABBE_ERR_MEMORY;
    }
    struct sampling_pass pass = { first, grid, sampler, workers, checked ? nowhere : outputs };
    if (!error)
        error = loop_batches(&pass, count, last - first + 1);
    pass.outputs = outputs;
    if (!error && checked)
        error = loop_batches(&pass, count, last - first + 1);
    for (int i = 0; workers && i < count; i++) {
        core_free(workers[i].batch);
        core_free(workers[i].scratch);
    }
    core_free(workers);
    return error;
}

static size_t number_bytes(const struct spectrum_layout *layout)
{
    return layout->doubles ? sizeof(double) : sizeof(float);
}

size_t spectrum_numbers(const struct spectrum_grid *grid, const struct spectrum_layout *layout, bool real)
{
    return (size_t)layout->blocks * (size_t)layout->lanes * (real ? 1 : 2) * layout_rows(grid, layout);
}

/* Zeroes blocks that have lanes without a column, because engines multiply by those lanes too. */
static int zero_partial_blocks(const struct spectrum_grid *grid, const struct spectrum_output *output)
{
    const struct spectrum_layout *layout = output->layout;
    if (!layout)
        return ABBE_OK;
    size_t bytes = spectrum_numbers(grid, layout, output->real) / (size_t)layout->blocks *
                   number_bytes(layout);
    int *columns = core_alloc_zero((size_t)layout->blocks, sizeof *columns);
    for (int u = 0; columns && u < grid->width; u++)
        if (layout->column[u] >= 0)
            columns[layout->column[u] / layout->lanes]++;
    for (int block = 0; columns && block < layout->blocks; block++)
        if (columns[block] < layout->lanes)
            memset((char *)output->h + (size_t)block * bytes, 0, bytes);
    core_free(columns);
    return columns ? ABBE_OK : ABBE_ERR_MEMORY;
}

/* Samples the columns of the frequencies first … last. `intact`: a failure leaves the outputs as
 * they were. */
static int sample_outputs(const struct spectrum_grid *given, const struct response *response, int first,
                          int last, bool intact, const struct spectrum_output outputs[OUTPUTS])
{
    struct sampler *sampler = NULL;
    struct spectrum_grid rounded = *given, *grid = &rounded;
    rounded.rounded = true;
    for (int i = 0; i < OUTPUTS; i++)
        rounded.rounded = rounded.rounded && !(outputs[i].layout && outputs[i].layout->doubles);
    int error = sampler_create(response, grid, &sampler);
    if (!error) {
        /* A caller's function is called only from the thread that creates the plan. */
        int count = response_has_callback(response) ? 1 : count_sampling_workers(grid, response, sampler);
        int columns = sampler_columns(sampler);
        error = sample_columns(grid, sampler, count, first / columns, last / columns,
                               intact && !sampler_is_bounded(sampler), outputs);
    }
    sampler_destroy(&sampler);
    return error;
}

static int fill_outputs(const struct spectrum_grid *grid, const struct response *response,
                        const struct spectrum_output outputs[OUTPUTS])
{
    int error = zero_partial_blocks(grid, &outputs[0]);
    if (!error)
        error = zero_partial_blocks(grid, &outputs[1]);
    return error ? error : sample_outputs(grid, response, 0, grid->width / 2, false, outputs);
}

int spectrum_fill(const struct spectrum_grid *grid, const struct response *response, bool real,
                  const struct spectrum_layout *layout, void *h)
{
    return fill_outputs(grid, response, (const struct spectrum_output[OUTPUTS]){ { layout, real, h } });
}

int spectrum_create(const struct spectrum_grid *grid, const struct response *response,
                    const struct spectrum_layout *pair, const struct spectrum_layout *single,
                    struct spectrum *spectrum)
{
    bool real = spectrum->real = response_is_real(response);
    if (pair)
        spectrum->pair = core_alloc(spectrum_numbers(grid, pair, real), number_bytes(pair));
    if (single)
        spectrum->single = core_alloc(spectrum_numbers(grid, single, real), number_bytes(single));
    if ((pair && !spectrum->pair) || (single && !spectrum->single))
        return ABBE_ERR_MEMORY;
    const struct spectrum_output outputs[OUTPUTS] = { { pair, real, spectrum->pair },
                                                      { single, real, spectrum->single } };
    return fill_outputs(grid, response, outputs);
}

int spectrum_refill(const struct spectrum_grid *grid, const struct response *response,
                    const struct spectrum_refill refills[2], int first, int last)
{
    struct spectrum_output outputs[OUTPUTS] = { 0 };
    for (int i = 0; i < 2; i++) {
        const struct spectrum *spectrum = refills[i].spectrum;
        if (spectrum && spectrum->pair)
            outputs[2 * i] = (struct spectrum_output){ refills[i].pair, spectrum->real, spectrum->pair };
        if (spectrum && spectrum->single)
            outputs[2 * i + 1] = (struct spectrum_output){ refills[i].single, spectrum->real,
                                                           spectrum->single };
    }
    return sample_outputs(grid, response, first, last, true, outputs);
}

void spectrum_free(struct spectrum *spectrum)
{
    core_free(spectrum->pair);
    core_free(spectrum->single);
}
