/* The fused Fourier engine: preparing, measuring, and taking windows through the three passes. */
#include "cpu/fused/fused.h"

#include "core/error.h"
#include "core/memory.h"
#include "cpu/fused/run.h"

#include <omp.h>
#include <string.h>

/* ---- Preparing ---------------------------------------------------------------------------------------- */

static int create_spectra(const abbe_device *device, const struct engine *engine, struct spectrum **spectra)
{
    const struct work *work = engine->work;
    const struct fused_layout *layout = &engine->fused->layout;
    double scale = 1 / ((double)work->x.length * work->y.length);
    struct spectrum_layout kinds[FUSED_KINDS];
    for (int kind = 0; kind < FUSED_KINDS; kind++)
        kinds[kind] = (struct spectrum_layout){ layout->blocks[kind], layout->kernels->columns->lanes,
                                                layout->column[kind], layout->order,
                                                kind == FUSED_LONE ? scale / 2 : scale };
    return cpu_spectra_create(device, engine, &kinds[FUSED_PAIR], &kinds[FUSED_LONE], spectra);
}

int cpu_fused_create(const abbe_device *device, struct engine *engine, const struct fused_kernels *kernels)
{
    const struct work *work = engine->work;
    struct fused *fused = engine->fused = core_alloc_zero(1, sizeof *fused);
    if (!fused)
        return core_fail_memory(device);
    fused->plane_count = (work->channels + 1) / 2;
    int error = fused_layout_create(kernels, work->x.length, work->y.length, &fused->layout);
    return error ? core_fail_memory(device) : create_spectra(device, engine, &fused->spectra);
}

void cpu_fused_destroy(struct engine *engine)
{
    struct fused *gone = engine->fused;
    if (!gone)
        return;
    struct fused_scratch *idle = atomic_load(&gone->idle);
    fused_scratch_destroy(&idle);
    cpu_spectra_free(engine, gone->spectra);
    fused_layout_free(&gone->layout);
    core_free(gone);
    engine->fused = NULL;
}

/* ---- Measuring ---------------------------------------------------------------------------------------- */

static double plane_floats(const struct work *work, const struct fused_kernels *kernels)
{
    return fused_all_blocks(kernels, work->x.length, work->channels) *
           (double)fused_block_floats(kernels, work->y.length);
}

static double worker_bytes(const struct work *work, const struct fused_kernels *kernels)
{
    double planes = (work->channels + 1) / 2;
    double floats = ((double)work->width + work->x.length) * work->channels +
                    planes * 2 * (work->x.length + kernels->rows->lanes);
    return floats * sizeof(float) + sizeof(struct worker) + (2 + planes) * CORE_ALIGNMENT;
}

static double field_bytes(const struct work *work, const struct fused_kernels *kernels)
{
    enum { BLOCKS = 9 };
    bool bank = work->filter_count > 1, magnitudes = work->filter_count > work->result_count;
    double floats = plane_floats(work, kernels) * (bank ? 2 : 1);
    if (magnitudes)
        floats += (double)work->x.step * work->y.step * work->channels;
    double ints = 1.75 * work->x.length + 3.0 * work->y.length + 2.0 * work->height + 4;
    double planes = (work->channels + 1) / 2;
    return floats * sizeof(float) + ints * sizeof(int) + (double)work->y.length * sizeof(size_t) +
           sizeof(struct field) + (BLOCKS + 2 * planes) * CORE_ALIGNMENT;
}

static double plan_bytes(const struct work *work, const struct fused_kernels *kernels, int threads)
{
    double blocks = (work->channels > 1) * fused_blocks(kernels, work->x.length, FUSED_PAIR) +
                    work->channels % 2 * fused_blocks(kernels, work->x.length, FUSED_LONE);
    double tables = 128.0 * ((double)work->x.length + work->y.length);
    return cpu_spectra_bytes(work, blocks * kernels->columns->lanes, threads) + tables;
}

struct footprint cpu_fused_measure(const struct work *work, const struct fused_kernels *kernels, int threads)
{
    struct sharing sharing = cpu_share_out(work, threads);
    double each = field_bytes(work, kernels) + sharing.workers * worker_bytes(work, kernels);
    return (struct footprint){ .run = sharing.fields * each + CORE_ALIGNMENT,
                               .plan = plan_bytes(work, kernels, threads) };
}

/* A result beyond a share of the last cache would only drive out what is still needed. */
enum { STREAM_BYTES = 8 << 20 };

/* ---- Memory ------------------------------------------------------------------------------------------- */

struct fused_scratch {
    int count;
    struct field *fields;
};

static void field_close(struct field *field)
{
    for (int i = 0; field->workers && i < field->worker_count; i++) {
        core_free(field->workers[i].line);
        core_free(field->workers[i].pixels);
        for (int p = 0; p < FUSED_PLANES; p++)
            core_free(field->workers[i].rows[p]);
    }
    core_free(field->workers);
    for (int p = 0; p < FUSED_PLANES; p++) {
        if (field->filtered[p] != field->grid[p])
            core_free(field->filtered[p]);
        core_free(field->grid[p]);
    }
    core_free(field->first_component);
    core_free(field->sources.y);
    core_free(field->sources.first);
    core_free(field->sources.offset);
    core_free(field->sources.tally);
    core_free(field->runs);
    core_free(field->x.index);
    core_free(field->y.index);
}

static bool worker_open(const struct engine *engine, struct worker *worker)
{
    const struct work *work = engine->work;
    const struct fused *fused = engine->fused;
    size_t row = (size_t)work->x.length + fused->layout.kernels->rows->lanes;
    bool opened = true;
    worker->line = core_alloc((size_t)work->width * work->channels, sizeof(float));
    worker->pixels = core_alloc((size_t)work->x.length * work->channels, sizeof(float));
    for (int p = 0; p < fused->plane_count; p++) {
        worker->rows[p] = core_alloc_zero(2 * row, sizeof(float));
        opened = opened && worker->rows[p];
    }
    return opened && worker->line && worker->pixels;
}

static bool planes_open(const struct engine *engine, struct field *field)
{
    const struct work *work = engine->work;
    const struct fused *fused = engine->fused;
    for (int p = 0; p < fused->plane_count; p++) {
        size_t blocks = (size_t)fused->layout.blocks[fused_kind_of(work, p)];
        size_t bytes = fused->layout.block_floats * sizeof(float);
        /* Lanes that no column stands in are never written, and transformed all the same. */
        field->grid[p] = core_alloc_zero(blocks, bytes);
        field->filtered[p] = work->filter_count > 1 ? core_alloc_zero(blocks, bytes) : field->grid[p];
        if (!field->grid[p] || !field->filtered[p])
            return false;
    }
    return true;
}

static bool field_open(const struct engine *engine, int workers, struct field *field)
{
    const struct work *work = engine->work;
    bool magnitudes = work->filter_count > work->result_count;
    size_t rows = (size_t)work->y.length;
    field->engine = engine;
    field->ahead = plane_floats(work, engine->fused->layout.kernels) * sizeof(float) > FUSED_NEAR_BYTES;
    field->stream = (double)work->width * work->height * work->channels *
                        (double)abbe_type_size(work->result_type) >
                    STREAM_BYTES;
    field->worker_count = workers;
    field->x.index = core_alloc((size_t)work->x.length, sizeof(int));
    field->y.index = core_alloc(rows, sizeof(int));
    field->runs = core_alloc((size_t)work->x.length / engine->fused->layout.kernels->rows->lanes,
                             sizeof *field->runs);
    field->sources.y = core_alloc(rows, sizeof(int));
    field->sources.first = core_alloc(rows + 1, sizeof(int));
    field->sources.offset = core_alloc(rows, sizeof(size_t));
    field->sources.tally = core_alloc((size_t)work->height + 1, sizeof(int));
    field->first_component = core_alloc(magnitudes ? (size_t)work->y.step : 0,
                                        (size_t)work->x.step * work->channels * sizeof(float));
    field->workers = core_alloc_zero((size_t)workers, sizeof *field->workers);
    if (!field->x.index || !field->y.index || !field->runs || !field->sources.y || !field->sources.first ||
        !field->sources.offset || !field->sources.tally || !field->first_component || !field->workers)
        return false;
    for (int i = 0; i < workers; i++)
        if (!worker_open(engine, &field->workers[i]))
            return false;
    return planes_open(engine, field);
}

void fused_scratch_destroy(struct fused_scratch **scratch)
{
    struct fused_scratch *gone = *scratch;
    if (!gone)
        return;
    for (int i = 0; i < gone->count && gone->fields; i++)
        field_close(&gone->fields[i]);
    core_free(gone->fields);
    core_free(gone);
    *scratch = NULL;
}

static struct fused_scratch *scratch_create(const struct engine *engine, const struct sharing *sharing)
{
    struct fused_scratch *scratch = core_alloc_zero(1, sizeof *scratch);
    if (!scratch)
        return NULL;
    scratch->count = sharing->fields;
    scratch->fields = core_alloc_zero((size_t)sharing->fields, sizeof *scratch->fields);
    bool opened = scratch->fields != NULL;
    for (int i = 0; i < sharing->fields && opened; i++)
        opened = field_open(engine, sharing->workers, &scratch->fields[i]);
    if (!opened)
        fused_scratch_destroy(&scratch);
    return scratch;
}

/* ---- Running ------------------------------------------------------------------------------------------ */

/* Where rows of the picture that a window holds are tallied: the outside one first. */
static int tally_place(const struct window *y, int index)
{
    return index < 0 ? 0 : index - y->low + 1;
}

/* Sorts the rows of the grid by the row of the picture they stand for. */
static void sort_rows(struct field *field)
{
    const struct fused_layout *layout = &field->engine->fused->layout;
    struct sources *sources = &field->sources;
    const struct window *y = &field->y;
    size_t row_floats = 2 * (size_t)layout->kernels->columns->lanes;
    int *tally = sources->tally, places = y->low > y->high ? 1 : tally_place(y, y->high) + 1;
    memset(tally, 0, (size_t)places * sizeof *tally);
    for (int i = 0; i < y->count; i++)
        tally[tally_place(y, y->index[i])]++;
    sources->count = 0;
    for (int place = 0, total = 0; place < places; place++) {
        if (!tally[place])
            continue;
        sources->y[sources->count] = place ? y->low + place - 1 : -1;
        sources->first[sources->count++] = total;
        total += tally[place];
        tally[place] = total - tally[place];
        sources->first[sources->count] = total;
    }
    for (int i = 0; i < y->count; i++) {
        int at = tally[tally_place(y, y->index[i])]++;
        sources->offset[at] = row_floats * (size_t)layout->columns.offset[i];
    }
}

/* The first pixel of a vector whose pixels lie side by side in the picture, otherwise −1. */
static int first_pixel(const int *index, int lanes)
{
    for (int l = 1; l < lanes; l++)
        if (index[l] != index[0] + l)
            return -1;
    return index[0];
}

static void find_runs(struct field *field)
{
    int lanes = field->engine->fused->layout.kernels->rows->lanes;
    struct fused_run run = { .count = 0 };
    field->run_count = 0;
    for (int v = 0; v < field->x.count / lanes; v++) {
        int pixel = first_pixel(field->x.index + (size_t)v * lanes, lanes);
        int next = run.pixel < 0 ? -1 : run.pixel + run.count * lanes;
        if (run.count && pixel == next) {
            run.count++;
        } else {
            if (run.count)
                field->runs[field->run_count++] = run;
            run = (struct fused_run){ v, 1, pixel };
        }
    }
    field->runs[field->run_count++] = run;
}

bool cpu_fused_looks(const struct engine *engine)
{
    return engine->work->method == ABBE_METHOD_FFT && fused_goes_straight(engine->work);
}

static bool run_window(struct field *field, int first_x, int first_y)
{
    const struct work *work = field->engine->work;
    field->first_x = first_x;
    field->first_y = first_y;
    field->width = work->width - first_x < work->x.step ? work->width - first_x : work->x.step;
    field->height = work->height - first_y < work->y.step ? work->height - first_y : work->y.step;
    cpu_window(work->border, (long long)first_x - work->x.before, work->x.length, work->width, &field->x);
    cpu_window(work->border, (long long)first_y - work->y.before, work->y.length, work->height, &field->y);
    find_runs(field);
    sort_rows(field);
    atomic_init(&field->spoilt, false);
    fused_rows_forward(field);
    if (work->nonfinite == ABBE_NONFINITE_ERROR && field->spoilt && cpu_fused_looks(field->engine))
        return false;
    if (work->filter_count > 1)
        fused_columns_forward(field);
    for (int r = 0; r < work->result_count; r++)
        for (int component = 0; component < work->results[r].components; component++) {
            fused_columns_filter(field, work->results[r].first + component);
            fused_rows_inverse(field, r, component);
        }
    return true;
}

/* Pairs of rows and blocks of columns that one window goes through, counted generously: progress may stop short of
 * its end but never run over it. */
static long long count_units(const struct engine *engine)
{
    const struct work *work = engine->work;
    const struct fused *fused = engine->fused;
    long long columns = 0, forward = (work->y.length + 1) / 2, back = (work->y.step + 1) / 2;
    for (int p = 0; p < fused->plane_count; p++)
        columns += fused->layout.blocks[fused_kind_of(work, p)];
    return forward + (work->filter_count > 1 ? columns : 0) + work->filter_count * (columns + back);
}

static int run_whole(struct field *field, abbe_watch *watch)
{
    struct watcher watcher;
    cpu_watch_begin(&watcher, watch, count_units(field->engine));
    field->watcher = &watcher;
    return run_window(field, 0, 0) ? ABBE_OK : ABBE_ERR_NONFINITE;
}

static void run_tiles(struct field *fields, const struct sharing *sharing, abbe_watch *watch)
{
    const struct work *work = fields->engine->work;
    struct watcher watcher;
    cpu_watch_begin(&watcher, watch, sharing->windows);
#pragma omp parallel for schedule(dynamic) num_threads(sharing->fields)
    for (long long i = 0; i < sharing->windows; i++) {
        struct field *field = &fields[omp_get_thread_num()];
        field->watcher = NULL;
        run_window(field, (int)(i % sharing->across) * work->x.step,
                   (int)(i / sharing->across) * work->y.step);
        cpu_watch_advance(&watcher);
    }
    cpu_watch_pass(&watcher, "tiles");
}

int cpu_fused_run(const abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, abbe_watch *watch)
{
    struct sharing sharing = cpu_share_out(engine->work, engine->threads);
    struct fused *fused = engine->fused;
    struct fused_scratch *scratch = atomic_exchange(&fused->idle, NULL);
    if (!scratch)
        scratch = scratch_create(engine, &sharing);
    if (!scratch)
        return core_fail_memory(device);
    for (int i = 0; i < scratch->count; i++) {
        scratch->fields[i].source = source;
        scratch->fields[i].results = results;
    }
    int error = ABBE_OK;
    if (sharing.windows == 1)
        error = run_whole(scratch->fields, watch);
    else
        run_tiles(scratch->fields, &sharing, watch);
    struct fused_scratch *none = NULL;
    if (!atomic_compare_exchange_strong(&fused->idle, &none, scratch))
        fused_scratch_destroy(&scratch);
    return error;
}
