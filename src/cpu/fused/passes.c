/* The three passes of the fused engine. */
#include "core/denormals.h"
#include "cpu/fused/run.h"

#include <omp.h>
#include <string.h>

static struct fused_grid grid_of(const struct field *field, float *data)
{
    return (struct fused_grid){ data, field->engine->fused->layout.block_floats };
}

static struct fused_rows rows_of(const struct sources *sources, int i)
{
    if (i >= sources->count)
        return (struct fused_rows){ 0, NULL };
    return (struct fused_rows){ sources->first[i + 1] - sources->first[i],
                                sources->offset + sources->first[i] };
}

/* Picture row i of the window, transformed plane by plane; a lone plane waits for the second of two rows. */
static void forward_row(struct field *field, struct worker *worker, int i, int part)
{
    const struct engine *engine = field->engine;
    const struct work *work = engine->work;
    const struct fused *fused = engine->fused;
    const struct fused_kernels *kernels = fused->layout.kernels;
    cpu_gather_row(engine, field->source, &field->x, field->sources.y[i], worker->line, worker->pixels);
    kernels->split(worker->pixels, work->channels, work->x.length, part, worker->rows);
    for (int p = 0; p < work->channels / 2; p++) {
        struct fused_grid grid = grid_of(field, field->grid[p]);
        kernels->row_forward(&fused->layout.rows[FUSED_PAIR], worker->rows[p], &grid,
                             rows_of(&field->sources, i));
    }
}

static void forward_two(struct field *field, struct worker *worker, int i)
{
    const struct fused *fused = field->engine->fused;
    const struct work *work = field->engine->work;
    forward_row(field, worker, i, 0);
    if (i + 1 < field->sources.count)
        forward_row(field, worker, i + 1, 1);
    if (work->channels % 2 == 0)
        return;
    int lone = work->channels / 2;
    struct fused_grid grid = grid_of(field, field->grid[lone]);
    fused->layout.kernels->lone_forward(&fused->layout.rows[FUSED_LONE], worker->rows[lone], &grid,
                                        rows_of(&field->sources, i), rows_of(&field->sources, i + 1));
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
        layout->kernels->column_forward(&layout->columns, in);
        return;
    }
    const struct spectrum *spectrum = &fused->spectra[filter];
    size_t gains = (size_t)work->y.length * layout->kernels->lanes * (spectrum->real ? 1 : 2);
    const float *h = (kind == FUSED_LONE ? spectrum->lone : spectrum->pair) + (size_t)block * gains;
    if (in == out)
        layout->kernels->column_filter(&layout->columns, in, h, spectrum->real);
    else
        layout->kernels->column_apply(&layout->columns, in, h, spectrum->real, out);
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

/* A finished row of floats: kept when the other component of a magnitude is still to come, or stored. */
static void emit_row(struct field *field, const struct worker *worker, int r, int component, int y)
{
    float *pixels = worker->pixels;
    const struct work *work = field->engine->work;
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
    return 2 * (size_t)layout->kernels->lanes *
           (size_t)layout->columns.offset[field->engine->work->y.before + y];
}

static void inverse_two(struct field *field, struct worker *worker, int y, int r, int component)
{
    const struct work *work = field->engine->work;
    const struct fused *fused = field->engine->fused;
    const struct fused_kernels *kernels = fused->layout.kernels;
    bool both = y + 1 < field->height;
    if (work->channels % 2) {
        int lone = work->channels / 2;
        struct fused_grid grid = grid_of(field, field->filtered[lone]);
        kernels->lone_inverse(&fused->layout.rows[FUSED_LONE], &grid, offset_of(field, y),
                              offset_of(field, both ? y + 1 : y), worker->rows[lone]);
    }
    for (int part = 0; part <= both; part++) {
        for (int p = 0; p < work->channels / 2; p++) {
            struct fused_grid grid = grid_of(field, field->filtered[p]);
            kernels->row_inverse(&fused->layout.rows[FUSED_PAIR], &grid, offset_of(field, y + part),
                                 worker->rows[p]);
        }
        kernels->merge((const float *const *)worker->rows, work->x.before, work->channels, field->width, part,
                       worker->pixels);
        emit_row(field, worker, r, component, y + part);
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
        core_denormals_restore(mode);
    }
    cpu_watch_pass(field->watcher, "rows back");
}
