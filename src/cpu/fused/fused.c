/* The fused Fourier engine: preparing it, its footprint, and the memory of its windows. */
#include "cpu/fused/fused.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

static const struct window_table fused_window_table;

/* ---- Preparing ---------------------------------------------------------------------------------------- */

int cpu_fused_create(const abbe_device *device, struct engine *engine, const struct fused_kernels *kernels)
{
    const struct work *work = engine->work;
    struct fused *fused = engine->fused = core_alloc_zero(1, sizeof *fused);
    if (!fused)
        return core_fail_memory(device);
    engine->fourier = &fused->head;
    fused->head.table = &fused_window_table;
    fused->plane_count = (work->channels + 1) / 2;
    int error = fused_layout_create(kernels, work->x.length, work->y.length, &fused->layout);
    if (!error && work->x.even)
        error = fused_layout_make_even(&fused->layout);
    return error ? core_fail_memory(device) : fused_gains_create(device, engine);
}

int cpu_fused_resample(const abbe_device *device, const struct engine *engine, int filter,
                       struct frequency_span span)
{
    return fused_gains_resample(device, engine, filter, span);
}

void cpu_fused_destroy(struct engine *engine)
{
    struct fused *gone = engine->fused;
    if (!gone)
        return;
    fused_gains_destroy(engine);
    fused_layout_free(&gone->layout);
    core_free(gone);
    engine->fused = NULL;
    engine->fourier = NULL;
}

bool cpu_fused_checks_finite(const struct engine *engine, const abbe_image *source)
{
    return engine->work->method == ABBE_METHOD_FFT && fused_takes_view(engine->work, source);
}

/* ---- Footprint ---------------------------------------------------------------------------------------- */

static double floats_of_grid(const struct work *work, const struct fused_kernels *kernels)
{
    return fused_all_blocks(kernels, work->x.length, work->channels, work->x.even) *
           (double)fused_block_floats(kernels, work->y.length);
}

int fused_buffer_rows(const struct fused_kernels *kernels, int width)
{
    return fused_is_beside(kernels, width) ? kernels->rows->lanes : 1;
}

/* Whole vectors, and one of zeros behind them; for rows side by side that one keeps the distance off powers of
 * two. */
size_t fused_buffer_apart(const struct fused_kernels *kernels, int width)
{
    size_t lanes = (size_t)kernels->rows->lanes, vectors = ((size_t)width - 1) / lanes + 2;
    return 2 * lanes * vectors +
           (fused_is_beside(kernels, width) ? 0 : fused_scratch_floats((int)lanes, width));
}

size_t fused_beside_floats(const struct fused_kernels *kernels, int width)
{
    int lanes = kernels->rows->lanes;
    return fused_is_beside(kernels, width)
               ? fused_column_floats(lanes, width) + fused_scratch_floats(lanes, width)
               : 0;
}

static double fused_worker_bytes(const struct work *work, const struct fused_kernels *kernels)
{
    double planes = (work->channels + 1) / 2;
    double floats = ((double)work->width + work->x.length) * work->channels +
                    ((planes + fused_needs_odd(work)) * fused_buffer_rows(kernels, work->x.length) +
                     work->x.even) *
                        (double)fused_buffer_apart(kernels, work->x.length) +
                    (double)fused_beside_floats(kernels, work->x.length) +
                    (double)fused_scratch_floats(kernels->columns->lanes, work->y.length);
    double strands = planes * fused_buffer_rows(kernels, work->x.length);
    return floats * sizeof(float) + strands * sizeof(struct fused_strand) + sizeof(struct fused_worker) +
           (4 + 2 * planes) * CORE_ALIGNMENT + fused_gains_worker_bytes(work, kernels);
}

static double fused_window_bytes(const struct work *work, const struct fused_kernels *kernels)
{
    enum { BLOCKS = 9 };
    bool bank = work->filter_count > 1, odd = fused_needs_odd(work),
         magnitudes = work->filter_count > work->result_count;
    double floats = floats_of_grid(work, kernels) * (1 + bank + odd);
    if (magnitudes)
        floats += (double)work->x.step * work->y.step * work->channels;
    double ints = CPU_INDEX_PADDING + 1.75 * work->x.length + 3.0 * work->y.length + 2.0 * work->height + 4;
    double planes = (work->channels + 1) / 2;
    return floats * sizeof(float) + ints * sizeof(int) + (double)work->y.length * sizeof(size_t) +
           sizeof(struct fused_window) + (BLOCKS + 3 * planes) * CORE_ALIGNMENT;
}

static double fused_plan_bytes(const struct work *work, const struct fused_kernels *kernels, int threads)
{
    double tables = 128.0 * ((double)work->x.length + work->y.length) + fused_prime_bytes(work->x.length) +
                    fused_prime_bytes(work->y.length);
    return fused_gains_bytes(work, kernels, threads) + tables;
}

struct footprint cpu_fused_footprint(const struct work *work, const struct fused_kernels *kernels,
                                     int threads)
{
    struct window_division division = cpu_divide(work, threads);
    double each = fused_window_bytes(work, kernels) + division.workers * fused_worker_bytes(work, kernels);
    return (struct footprint){ .run = division.at_once * each + 2 * CORE_ALIGNMENT,
                               .plan = fused_plan_bytes(work, kernels, threads) };
}

/* ---- The memory of a window --------------------------------------------------------------------------- */

/* A larger result is stored with non-temporal stores: in the last cache it would evict data that are still
 * needed. */
enum { STREAM_BYTES = 8 << 20 };

static void close_fused_window(struct window *head)
{
    struct fused_window *window = (struct fused_window *)head;
    for (int i = 0; window->workers && i < head->worker_count; i++) {
        core_free(window->workers[i].line);
        core_free(window->workers[i].pixels);
        core_free(window->workers[i].folded);
        core_free(window->workers[i].odd);
        core_free(window->workers[i].gains);
        core_free(window->workers[i].sampling);
        core_free(window->workers[i].scratch);
        core_free(window->workers[i].beside);
        for (int p = 0; p < FUSED_PLANES; p++) {
            core_free(window->workers[i].buffers[p]);
            core_free(window->workers[i].strands[p]);
        }
    }
    core_free(window->workers);
    for (int p = 0; p < FUSED_PLANES; p++) {
        if (window->filtered[p] != window->grid[p])
            core_free(window->filtered[p]);
        core_free(window->grid[p]);
        core_free(window->odd[p]);
    }
    core_free(window->sources.y);
    core_free(window->sources.first);
    core_free(window->sources.offset);
    core_free(window->sources.repeats);
    core_free(window->spans);
}

static bool open_fused_worker(const struct engine *engine, struct fused_worker *worker)
{
    const struct work *work = engine->work;
    const struct fused *fused = engine->fused;
    const struct fused_kernels *kernels = fused->layout.kernels;
    size_t apart = fused_buffer_apart(kernels, work->x.length);
    size_t rows = (size_t)fused_buffer_rows(kernels, work->x.length);
    bool opened = true;
    worker->line = core_alloc((size_t)work->width * work->channels, sizeof(float));
    worker->pixels = core_alloc((size_t)work->x.length * work->channels, sizeof(float));
    worker->scratch = core_alloc(fused_scratch_floats(kernels->columns->lanes, work->y.length),
                                 sizeof(float));
    worker->beside = core_alloc(fused_beside_floats(kernels, work->x.length), sizeof(float));
    for (int p = 0; p < fused->plane_count; p++) {
        worker->rows[p] = worker->buffers[p] = core_alloc_zero(rows * apart, sizeof(float));
        worker->strands[p] = core_alloc(rows, sizeof(struct fused_strand));
        opened = opened && worker->rows[p] && worker->strands[p];
        for (size_t r = 0; r < rows && opened; r++)
            worker->strands[p][r] = fused_buffer_strand(kernels, worker->buffers[p] + r * apart);
    }
    worker->folded = core_alloc_zero(work->x.even ? apart : 0, sizeof(float));
    worker->odd = core_alloc_zero(fused->has_odd ? rows * apart : 0, sizeof(float));
    return opened && worker->line && worker->pixels && worker->scratch && worker->beside && worker->folded &&
           worker->odd && fused_gains_open_worker(engine, worker);
}

/* Only the last block of a single plane has lanes that are transformed but never written. */
static bool open_grids(const struct engine *engine, struct fused_window *window)
{
    const struct work *work = engine->work;
    const struct fused *fused = engine->fused;
    for (int p = 0; p < fused->plane_count; p++) {
        enum fused_kind kind = fused_kind_of(work, p);
        size_t blocks = (size_t)fused->layout.blocks[kind];
        size_t bytes = fused->layout.block_floats * sizeof(float);
        window->grid[p] = core_alloc(blocks, bytes);
        window->filtered[p] = work->filter_count > 1 ? core_alloc(blocks, bytes) : window->grid[p];
        window->odd[p] = core_alloc(fused->has_odd ? blocks : 0, bytes);
        if (!window->grid[p] || !window->filtered[p] || !window->odd[p])
            return false;
        cpu_watch_touch(window->head.watcher, window->grid[p], blocks * bytes);
        if (kind == FUSED_SINGLE)
            memset(window->grid[p] + (blocks - 1) * fused->layout.block_floats, 0, bytes);
    }
    return true;
}

/* Whether row kernels write whole cache lines to the grid one after the other, as non-temporal stores should. */
static bool writes_whole_lines(const struct fused_kernels *kernels)
{
    enum { LINE = 64 / sizeof(float) };
    return kernels->rows->lanes == kernels->columns->lanes && 2 * kernels->columns->lanes % LINE == 0;
}

static bool open_fused_window(struct window *head)
{
    struct fused_window *window = (struct fused_window *)head;
    struct fused_sources *sources = &window->sources;
    const struct engine *engine = head->engine;
    const struct work *work = engine->work;
    const struct fused_kernels *kernels = engine->fused->layout.kernels;
    size_t rows = (size_t)work->y.length;
    double result_bytes = (double)work->width * work->height * work->channels *
                          (double)abbe_type_size(work->result_type);
    double grid_bytes = floats_of_grid(work, kernels) * sizeof(float);
    window->prefetch = grid_bytes > FUSED_CACHED_BYTES;
    window->stream_grid = grid_bytes > FUSED_STREAM_BYTES && writes_whole_lines(kernels);
    window->stream = result_bytes > STREAM_BYTES;
    window->spans = core_alloc(((size_t)work->x.length - 1) / kernels->rows->lanes + 1,
                               sizeof *window->spans);
    sources->y = core_alloc(rows, sizeof(int));
    sources->first = core_alloc(rows + 1, sizeof(int));
    sources->offset = core_alloc(rows, sizeof(size_t));
    sources->repeats = core_alloc((size_t)work->height + 1, sizeof(int));
    window->workers = core_alloc_zero((size_t)head->worker_count, sizeof *window->workers);
    bool opened = window->spans && sources->y && sources->first && sources->offset && sources->repeats &&
                  window->workers;
    for (int i = 0; i < head->worker_count && opened; i++)
        opened = open_fused_worker(engine, &window->workers[i]);
    return opened && open_grids(engine, window);
}

/* Pairs of rows and blocks of columns that the window goes through; rows are counted in whole groups. The count
 * is an upper bound: a tile may repeat rows of the border, which are then transformed once. */
static long long count_fused_progress(const struct engine *engine)
{
    const struct work *work = engine->work;
    const struct fused *fused = engine->fused;
    int rows = work->y.length <= work->height ? work->y.length : work->height + 1; /* and one outside */
    int together = fused_rows_together(&fused->layout, work->channels), twos = together / 2;
    long long columns = 0, forward = ((rows - 1) / together + 1) * twos, odd = 0;
    long long back = ((work->y.step - 1) / together + 1) * twos;
    for (int p = 0; p < fused->plane_count; p++)
        columns += fused->layout.blocks[fused_kind_of(work, p)];
    for (int i = 0; i < work->filter_count && fused->has_odd; i++)
        odd += !work->filters[i].even;
    bool first = work->filter_count > 1 || fused->has_odd;
    return forward + (first ? columns : 0) + work->filter_count * (columns + back) + odd * columns;
}

static const struct window_table fused_window_table = {
    .size = sizeof(struct fused_window),
    .open = open_fused_window,
    .close = close_fused_window,
    .run = fused_run_window,
    .count_progress = count_fused_progress,
};
