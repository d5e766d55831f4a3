/* The three passes of the fused engine. */
#include "core/denormals.h"
#include "core/view.h"
#include "cpu/fused/run.h"

#include <omp.h>
#include <string.h>

/* A plane of the grid; rows of lone planes come in twos. */
static struct fused_grid grid_of(const struct field *field, float *data, enum fused_kind kind)
{
    const struct fused_layout *layout = &field->engine->fused->layout;
    int lanes = layout->kernels->columns->lanes;
    size_t ahead = (kind == FUSED_LONE ? 4 : 2) * (size_t)lanes;
    return (struct fused_grid){ data, layout->block_floats, lanes, field->ahead ? ahead : 0 };
}

/* Where picture row i goes first. */
static size_t first_offset(const struct sources *sources, int i)
{
    return sources->offset[sources->first[i]];
}

/* A border repeats a row of the picture: copies its transform to where else it stands. */
static void repeat_row(const struct field *field, int p, int i)
{
    const struct sources *sources = &field->sources;
    const struct fused_layout *layout = &field->engine->fused->layout;
    size_t bytes = 2 * (size_t)layout->kernels->columns->lanes * sizeof(float),
           from = first_offset(sources, i);
    if (sources->first[i] + 1 == sources->first[i + 1])
        return;
    float *block = field->grid[p];
    int blocks = layout->blocks[fused_kind_of(field->engine->work, p)];
    for (int b = 0; b < blocks; b++, block += layout->block_floats)
        for (int k = sources->first[i] + 1; k < sources->first[i + 1]; k++)
            memcpy(block + sources->offset[k], block + from, bytes);
}

static struct fused_pixels loading(const struct field *field)
{
    const struct work *work = field->engine->work;
    return (struct fused_pixels){ .type = work->source_type,
                                  .channels = work->channels,
                                  .premultiply = work->alpha == ABBE_ALPHA_PREMULTIPLY,
                                  .zero_nonfinite = work->nonfinite == ABBE_NONFINITE_ZERO,
                                  .index = field->x.index,
                                  .run_count = field->run_count,
                                  .runs = field->runs,
                                  .ahead = field->ahead * 2 * field->source->stride,
                                  .outside = field->engine->outside };
}

static void load_row(struct field *field, struct worker *worker, int y, int part)
{
    const struct engine *engine = field->engine;
    const struct work *work = engine->work;
    const struct fused_row_kernels *kernels = engine->fused->layout.kernels->rows;
    if (y >= 0 && fused_goes_straight(work)) {
        struct fused_pixels how = loading(field);
        if (!kernels->load_row(&how, core_row(field->source, y), part, worker->rows))
            atomic_store_explicit(&field->spoilt, true, memory_order_relaxed);
        return;
    }
    cpu_gather_row(engine, field->source, &field->x, y, worker->line, worker->pixels);
    kernels->split(worker->pixels, work->channels, work->x.length, part, worker->rows);
}

/* Picture row i of the window, transformed plane by plane; a lone plane waits for the second of two rows. */
static void forward_row(struct field *field, struct worker *worker, int i, int part)
{
    const struct work *work = field->engine->work;
    const struct fused *fused = field->engine->fused;
    load_row(field, worker, field->sources.y[i], part);
    for (int p = 0; p < work->channels / 2; p++) {
        struct fused_grid grid = grid_of(field, field->grid[p], FUSED_PAIR);
        fused->layout.kernels->rows->row_forward(&fused->layout.rows[FUSED_PAIR], worker->rows[p], &grid,
                                                 first_offset(&field->sources, i));
        repeat_row(field, p, i);
    }
}

static void forward_two(struct field *field, struct worker *worker, int i)
{
    const struct fused *fused = field->engine->fused;
    const struct work *work = field->engine->work;
    bool both = i + 1 < field->sources.count;
    forward_row(field, worker, i, 0);
    if (both)
        forward_row(field, worker, i + 1, 1);
    if (work->channels % 2 == 0)
        return;
    int lone = work->channels / 2;
    if (!both) /* nobody reads its transform, but all of the row is transformed */
        load_row(field, worker, field->sources.y[i], 1);
    struct fused_grid grid = grid_of(field, field->grid[lone], FUSED_LONE);
    fused->layout.kernels->rows->lone_forward(&fused->layout.rows[FUSED_LONE], worker->rows[lone], &grid,
                                              first_offset(&field->sources, i),
                                              first_offset(&field->sources, both ? i + 1 : i));
    repeat_row(field, lone, i);
    if (both)
        repeat_row(field, lone, i + 1);
}

void fused_rows_forward(struct field *field)
{
#pragma omp parallel num_threads(field->worker_count)
    {
        unsigned long mode = core_denormals_off();
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < field->sources.count; i += 2) {
            forward_two(field, &field->workers[omp_get_thread_num()], i);
            cpu_watch_advance(field->watcher);
        }
        core_denormals_restore(mode);
    }
    cpu_watch_pass(field->watcher, "rows");
}

/* ---- Columns ------------------------------------------------------------------------------------------ */

/* Blocks of all planes in turn. */
static int count_blocks(const struct field *field)
{
    const struct work *work = field->engine->work;
    const int *blocks = field->engine->fused->layout.blocks;
    return work->channels / 2 * blocks[FUSED_PAIR] + work->channels % 2 * blocks[FUSED_LONE];
}

/* Does to one block what a pass does: `filter` is −1 in a bank's forward pass. */
static void transform_block(struct field *field, int index, int filter)
{
    const struct work *work = field->engine->work;
    const struct fused *fused = field->engine->fused;
    const struct fused_layout *layout = &fused->layout;
    int p = index / layout->blocks[FUSED_PAIR];
    if (p > work->channels / 2)
        p = work->channels / 2;
    enum fused_kind kind = fused_kind_of(work, p);
    int block = index - p * layout->blocks[FUSED_PAIR];
    float *in = field->grid[p] + (size_t)block * layout->block_floats;
    float *out = field->filtered[p] + (size_t)block * layout->block_floats;
    if (filter < 0) {
        layout->kernels->columns->forward(&layout->columns, in);
        return;
    }
    const struct spectrum *spectrum = &fused->spectra[filter];
    size_t gains = (size_t)work->y.length * layout->kernels->columns->lanes * (spectrum->real ? 1 : 2);
    const float *h = (kind == FUSED_LONE ? spectrum->single : spectrum->pair) + (size_t)block * gains;
    if (in == out)
        layout->kernels->columns->filter(&layout->columns, in, h, spectrum->real);
    else
        layout->kernels->columns->apply(&layout->columns, in, h, spectrum->real, out);
}

static void columns(struct field *field, int filter)
{
    int blocks = count_blocks(field);
#pragma omp parallel num_threads(field->worker_count)
    {
        unsigned long mode = core_denormals_off();
#pragma omp for schedule(dynamic)
        for (int index = 0; index < blocks; index++) {
            transform_block(field, index, filter);
            cpu_watch_advance(field->watcher);
        }
        core_denormals_restore(mode);
    }
    cpu_watch_pass(field->watcher, "columns");
}

void fused_columns_forward(struct field *field)
{
    columns(field, -1);
}

void fused_columns_filter(struct field *field, int filter)
{
    columns(field, filter);
}

/* ---- Rows back ---------------------------------------------------------------------------------------- */

static bool stores_straight(const struct work *work, int r)
{
    bool own_alpha = work->alpha != ABBE_ALPHA_PREMULTIPLY || work->results[r].alpha_gain != 0;
    return fused_goes_straight(work) && work->results[r].components == 1 && own_alpha;
}

static void store_straight(const struct field *field, const struct worker *worker, int r, int y, int part)
{
    const struct work *work = field->engine->work;
    const abbe_image *result = &field->results[r];
    struct fused_pixels how = { .type = work->result_type,
                                .channels = work->channels,
                                .premultiply = work->alpha == ABBE_ALPHA_PREMULTIPLY,
                                .alpha = work->alpha != ABBE_ALPHA_NONE,
                                .alpha_gain = work->results[r].alpha_gain,
                                .offset = work->offset,
                                .first = work->x.before,
                                .count = field->width,
                                .stream = field->stream };
    char *to = (char *)core_row(result, field->first_y + y) +
               (size_t)field->first_x * work->channels * abbe_type_size(work->result_type);
    field->engine->fused->layout.kernels->rows->store_row(&how, (const float *const *)worker->rows, part, to);
}

/* A finished row of floats: kept when the other component of a magnitude is still to come, or stored. */
static void emit_row(struct field *field, const struct worker *worker, int r, int component, int y, int part)
{
    float *pixels = worker->pixels;
    const struct work *work = field->engine->work;
    if (stores_straight(work, r)) {
        store_straight(field, worker, r, y, part);
        return;
    }
    field->engine->fused->layout.kernels->rows->merge((const float *const *)worker->rows, work->x.before,
                                                      work->channels, field->width, part, pixels);
    size_t count = (size_t)field->width * work->channels;
    bool magnitude = work->results[r].components == 2;
    float *first = magnitude ? field->first_component + (size_t)y * count : NULL;
    if (magnitude && component == 0) {
        memcpy(first, pixels, count * sizeof *pixels);
        return;
    }
    if (magnitude)
        cpu_magnitude(pixels, first, count);
    cpu_store_pixels(work, r, pixels, field->source, &field->results[r], field->first_x, field->first_y + y,
                     field->width, worker->line);
}

static size_t offset_of(const struct field *field, int y)
{
    const struct fused_layout *layout = &field->engine->fused->layout;
    return 2 * (size_t)layout->kernels->columns->lanes *
           (size_t)layout->columns.offset[field->engine->work->y.before + y];
}

static void inverse_two(struct field *field, struct worker *worker, int y, int r, int component)
{
    const struct work *work = field->engine->work;
    const struct fused *fused = field->engine->fused;
    const struct fused_row_kernels *kernels = fused->layout.kernels->rows;
    bool both = y + 1 < field->height;
    if (work->channels % 2) {
        int lone = work->channels / 2;
        struct fused_grid grid = grid_of(field, field->filtered[lone], FUSED_LONE);
        kernels->lone_inverse(&fused->layout.rows[FUSED_LONE], &grid, offset_of(field, y),
                              offset_of(field, both ? y + 1 : y), worker->rows[lone]);
    }
    for (int part = 0; part <= both; part++) {
        for (int p = 0; p < work->channels / 2; p++) {
            struct fused_grid grid = grid_of(field, field->filtered[p], FUSED_PAIR);
            kernels->row_inverse(&fused->layout.rows[FUSED_PAIR], &grid, offset_of(field, y + part),
                                 worker->rows[p]);
        }
        emit_row(field, worker, r, component, y + part, part);
    }
}

void fused_rows_inverse(struct field *field, int r, int component)
{
#pragma omp parallel num_threads(field->worker_count)
    {
        unsigned long mode = core_denormals_off();
#pragma omp for schedule(dynamic, 4)
        for (int y = 0; y < field->height; y += 2) {
            inverse_two(field, &field->workers[omp_get_thread_num()], y, r, component);
            cpu_watch_advance(field->watcher);
        }
        if (field
                ->stream) /* stores past the caches wait for nobody, not even for who is told that they are done */
            atomic_thread_fence(memory_order_seq_cst);
        core_denormals_restore(mode);
    }
    cpu_watch_pass(field->watcher, "rows back");
}
