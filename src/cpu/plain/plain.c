/* The plain Fourier engine: preparing spectra and memory, and taking windows through the three passes. */
#include "cpu/plain/plain.h"

#include "core/error.h"
#include "core/memory.h"
#include "fft/size.h"

#include <limits.h>
#include <math.h>
#include <omp.h>

/* ---- Preparing ---------------------------------------------------------------------------------------- */

static void lay_out_planes(const struct work *work, struct plain *plain)
{
    plain->grid_blocks = cpu_blocks(work->x.length);
    for (int channel = 0; channel < work->channels; channel += 2) {
        bool tangled = channel + 1 == work->channels;
        plain->planes[plain->plane_count++] = (struct plane){
            .channel = channel,
            .tangled = tangled,
            .rows = tangled ? (work->y.length + 1) / 2 : work->y.length,
            .lanes = tangled ? LANES / 2 : LANES,
            .column_blocks = tangled ? cpu_blocks(work->x.length / 2 + 1) : plain->grid_blocks,
        };
    }
}

static int create_transforms(const struct work *work, struct plain *plain)
{
    int error = fft_f32_create(work->x.length, &plain->rows);
    if (!error)
        error = fft_f32_create(work->y.length, &plain->columns);
    plain->place = core_alloc((size_t)work->x.length, sizeof *plain->place);
    plain->half = core_alloc((size_t)work->x.length, sizeof *plain->half);
    if (error || !plain->place || !plain->half)
        return ABBE_ERR_MEMORY;
    const int *order = fft_f32_order(plain->rows);
    for (int position = 0; position < work->x.length; position++) {
        plain->place[order[position]] = position;
        plain->half[position] = position <= work->x.length / 2 ? position : -1;
    }
    return ABBE_OK;
}

static int create_spectra(const abbe_device *device, const struct engine *engine, struct spectrum **spectra)
{
    const struct work *work = engine->work;
    const struct plain *plain = engine->plain;
    struct spectrum_layout pair = { plain->grid_blocks, LANES, plain->place, fft_f32_order(plain->columns),
                                    1 / ((double)work->x.length * work->y.length) };
    struct spectrum_layout lone = pair;
    lone.blocks = cpu_blocks(work->x.length / 2 + 1);
    lone.column = plain->half;
    return cpu_spectra_create(device, engine, &pair, &lone, spectra);
}

int cpu_plain_create(const abbe_device *device, struct engine *engine)
{
    const struct work *work = engine->work;
    struct plain *plain = engine->plain = core_alloc_zero(1, sizeof *plain);
    if (!plain)
        return core_fail_memory(device);
    lay_out_planes(work, plain);
    int error = create_transforms(work, plain);
    return error ? core_fail_memory(device) : create_spectra(device, engine, &plain->spectra);
}

void cpu_plain_destroy(struct engine *engine)
{
    struct plain *gone = engine->plain;
    if (!gone)
        return;
    cpu_spectra_free(engine, gone->spectra);
    core_free(gone->place);
    core_free(gone->half);
    fft_f32_destroy(&gone->rows);
    fft_f32_destroy(&gone->columns);
    core_free(gone);
    engine->plain = NULL;
}

/* ---- Measuring ---------------------------------------------------------------------------------------- */

/* Tables of an axis, and what makes the chirps of Bluestein's algorithm. */
static double axis_bytes(int n)
{
    return 32.0 * n + 96 * fft_padded_size(n);
}

static double plan_bytes(const struct work *work, int threads)
{
    double blocks = cpu_blocks(work->x.length), half = cpu_blocks(work->x.length / 2 + 1);
    double columns = (work->channels > 1 ? blocks : 0) + (work->channels % 2 ? half : 0);
    return cpu_spectra_bytes(work, columns * LANES, threads) + axis_bytes(work->x.length) +
           axis_bytes(work->y.length);
}

static double worker_bytes(const struct work *work, const struct plain *layout)
{
    enum { BLOCKS = 5 };
    double padded = fmax(fft_padded_size(work->x.length), fft_padded_size(work->y.length));
    double floats = ((double)work->width + work->x.length) * work->channels;
    floats += 2.0 * LANES * ((double)work->x.length * layout->plane_count + work->y.length + padded);
    return floats * sizeof(float) + sizeof(struct worker) + BLOCKS * CORE_ALIGNMENT;
}

static double field_bytes(const struct work *work, const struct plain *layout)
{
    enum { BLOCKS = 5 };
    bool bank = work->filter_count > 1, magnitudes = work->filter_count > work->result_count;
    double floats = (double)work->x.length + work->y.length;
    if (magnitudes)
        floats += (double)work->x.step * work->y.step * work->channels;
    for (int p = 0; p < layout->plane_count; p++) {
        const struct plane *plane = &layout->planes[p];
        floats += (double)cpu_grid_floats(layout, plane);
        floats += bank ? 2.0 * LANES * plane->column_blocks * work->y.length : 0;
    }
    double blocks = BLOCKS + 2 * layout->plane_count;
    return floats * sizeof(float) + sizeof(struct field) + blocks * CORE_ALIGNMENT;
}

struct footprint cpu_plain_measure(const struct work *work, int threads)
{
    struct plain layout = { 0 };
    lay_out_planes(work, &layout);
    struct sharing sharing = cpu_share_out(work, threads);
    double each = field_bytes(work, &layout) + sharing.workers * worker_bytes(work, &layout);
    return (struct footprint){ .run = sharing.fields * each + CORE_ALIGNMENT,
                               .plan = plan_bytes(work, threads) };
}

/* ---- Running ------------------------------------------------------------------------------------------ */

static void worker_close(struct worker *worker)
{
    core_free(worker->line);
    core_free(worker->row);
    core_free(worker->rows);
    core_free(worker->columns);
    core_free(worker->scratch);
}

static bool worker_open(const struct engine *engine, struct worker *worker)
{
    const struct work *work = engine->work;
    const struct plain *plain = engine->plain;
    size_t across = fft_f32_scratch(plain->rows, LANES), down = fft_f32_scratch(plain->columns, LANES);
    worker->line = core_alloc((size_t)work->width * work->channels, sizeof(float));
    worker->row = core_alloc((size_t)work->x.length * work->channels, sizeof(float));
    worker->rows = core_alloc((size_t)work->x.length * plain->plane_count, 2 * LANES * sizeof(float));
    worker->columns = core_alloc(cpu_block_floats(engine), sizeof(float));
    worker->scratch = core_alloc(across > down ? across : down, sizeof(float));
    return worker->line && worker->row && worker->rows && worker->columns && worker->scratch;
}

static void field_close(struct field *field)
{
    for (int i = 0; field->workers && i < field->worker_count; i++)
        worker_close(&field->workers[i]);
    core_free(field->workers);
    for (int p = 0; p < field->engine->plain->plane_count; p++) {
        core_free(field->grid[p]);
        core_free(field->kept[p]);
    }
    core_free(field->first_component);
    core_free(field->x.index);
    core_free(field->y.index);
}

static bool field_open(const struct engine *engine, int workers, struct field *field)
{
    const struct work *work = engine->work;
    const struct plain *plain = engine->plain;
    bool bank = work->filter_count > 1, magnitudes = work->filter_count > work->result_count;
    field->worker_count = workers;
    field->x.index = core_alloc((size_t)work->x.length, sizeof(int));
    field->y.index = core_alloc((size_t)work->y.length, sizeof(int));
    field->first_component = core_alloc(magnitudes ? (size_t)work->y.step : 0,
                                        (size_t)work->x.step * work->channels * sizeof(float));
    field->workers = core_alloc_zero((size_t)workers, sizeof *field->workers);
    if (!field->x.index || !field->y.index || !field->first_component || !field->workers)
        return false;
    for (int p = 0; p < plain->plane_count; p++) {
        const struct plane *plane = &plain->planes[p];
        size_t kept = bank ? (size_t)plane->column_blocks * cpu_block_floats(engine) : 0;
        field->grid[p] = core_alloc(cpu_grid_floats(plain, plane), sizeof(float));
        field->kept[p] = core_alloc(kept, sizeof(float));
        if (!field->grid[p] || !field->kept[p])
            return false;
    }
    for (int i = 0; i < workers; i++)
        if (!worker_open(engine, &field->workers[i]))
            return false;
    return true;
}

static void run_window(struct field *field, int first_x, int first_y)
{
    const struct work *work = field->engine->work;
    field->first_x = first_x;
    field->first_y = first_y;
    field->width = work->width - first_x < work->x.step ? work->width - first_x : work->x.step;
    field->height = work->height - first_y < work->y.step ? work->height - first_y : work->y.step;
    cpu_window(work->border, (long long)first_x - work->x.before, work->x.length, work->width, &field->x);
    cpu_window(work->border, (long long)first_y - work->y.before, work->y.length, work->height, &field->y);
    cpu_rows_forward(field);
    if (work->filter_count == 1) {
        cpu_columns_filter(field, 0);
        cpu_rows_inverse(field, 0, 0);
        return;
    }
    cpu_columns_keep(field);
    for (int r = 0; r < work->result_count; r++)
        for (int component = 0; component < work->results[r].components; component++) {
            cpu_columns_apply(field, work->results[r].first + component);
            cpu_rows_inverse(field, r, component);
        }
}

/* Groups of rows and blocks of columns that one window goes through. */
static long long count_units(const struct engine *engine)
{
    const struct work *work = engine->work;
    long long columns = 0, forward = cpu_blocks(work->y.length), back = cpu_blocks(work->y.step);
    for (int p = 0; p < engine->plain->plane_count; p++)
        columns += engine->plain->planes[p].column_blocks;
    return forward + (work->filter_count > 1 ? columns : 0) + work->filter_count * (columns + back);
}

static void run_whole(struct field *field, abbe_watch *watch)
{
    struct watcher watcher;
    cpu_watch_begin(&watcher, watch, count_units(field->engine));
    field->watcher = &watcher;
    run_window(field, 0, 0);
}

static void run_tiles(struct field *fields, const struct sharing *sharing, abbe_watch *watch)
{
    const struct work *work = fields->engine->work;
    struct watcher watcher;
    cpu_watch_begin(&watcher, watch, sharing->windows);
#pragma omp parallel for schedule(dynamic) num_threads(sharing->fields)
    for (long long i = 0; i < sharing->windows; i++) {
        run_window(&fields[omp_get_thread_num()], (int)(i % sharing->across) * work->x.step,
                   (int)(i / sharing->across) * work->y.step);
        cpu_watch_advance(&watcher);
    }
    cpu_watch_pass(&watcher, "tiles");
}

int cpu_plain_run(const abbe_device *device, const struct engine *engine, const abbe_image *source,
                  const abbe_image *results, abbe_watch *watch)
{
    struct sharing sharing = cpu_share_out(engine->work, engine->threads);
    struct field *fields = core_alloc_zero((size_t)sharing.fields, sizeof *fields);
    if (!fields)
        return core_fail_memory(device);
    for (int i = 0; i < sharing.fields; i++)
        fields[i] = (struct field){ .engine = engine, .source = source, .results = results };
    bool opened = true;
    for (int i = 0; i < sharing.fields && opened; i++)
        opened = field_open(engine, sharing.workers, &fields[i]);
    if (opened && sharing.windows == 1)
        run_whole(fields, watch);
    else if (opened)
        run_tiles(fields, &sharing, watch);
    for (int i = 0; i < sharing.fields; i++)
        field_close(&fields[i]);
    core_free(fields);
    return opened ? ABBE_OK : core_fail_memory(device);
}
