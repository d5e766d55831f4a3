/* The first and the last pass of the plain Fourier engine: rows with load, rows with store. */
#include "cpu/plain/plain.h"

#include <omp.h>
#include <string.h>

/* The rows of one plane in a worker's memory. */
static float *plane_rows(const struct field *field, const struct worker *worker, int plane)
{
    return worker->rows + (size_t)plane * field->engine->work->x.length * 2 * LANES;
}

/* Lane `row` of LANES window rows: paired channels side by side, tangled rows two to a lane. */
static void spread_row(const struct field *field, const struct worker *worker, int row)
{
    const struct work *work = field->engine->work;
    const struct plain *plain = field->engine->plain;
    for (int p = 0; p < plain->plane_count; p++) {
        const struct plane *plane = &plain->planes[p];
        const float *from = worker->row + plane->channel;
        float *to = plane_rows(field, worker, p);
        size_t step = 2 * (size_t)plane->lanes;
        to += plane->tangled ? (row & 1) * plane->lanes + row / 2 : row;
        for (int i = 0; i < work->x.length; i++, from += work->channels, to += step) {
            to[0] = from[0];
            if (!plane->tangled)
                to[LANES] = from[1];
        }
    }
}

/* The way back, of the samples that are results. */
static void collect_row(const struct field *field, const struct worker *worker, int row)
{
    const struct work *work = field->engine->work;
    const struct plain *plain = field->engine->plain;
    for (int p = 0; p < plain->plane_count; p++) {
        const struct plane *plane = &plain->planes[p];
        float *to = worker->row + plane->channel;
        size_t step = 2 * (size_t)plane->lanes;
        const float *from = plane_rows(field, worker, p) + (size_t)work->x.before * step;
        from += plane->tangled ? (row & 1) * plane->lanes + row / 2 : row;
        for (int x = 0; x < field->width; x++, to += work->channels, from += step) {
            to[0] = from[0];
            if (!plane->tangled)
                to[1] = from[LANES];
        }
    }
}

/* Complex rows first … first + lanes − 1 between a worker's memory and the grid: a transpose per block. */
static void rows_to_grid(const struct field *field, int p, const float *rows, int first)
{
    const struct plain *plain = field->engine->plain;
    const struct plane *plane = &plain->planes[p];
    int length = field->engine->work->x.length;
    int count = plane->rows - first < plane->lanes ? plane->rows - first : plane->lanes;
    for (int block = 0; block < plain->grid_blocks; block++) {
        int columns = length - block * LANES < LANES ? length - block * LANES : LANES;
        const float *from = rows + (size_t)block * LANES * 2 * plane->lanes;
        float *to = field->grid[p] + ((size_t)block * plane->rows + first) * 2 * LANES;
        for (int lane = 0; lane < count; lane++)
            for (int part = 0; part < 2; part++, to += LANES)
                for (int i = 0; i < LANES; i++)
                    to[i] = i < columns ? from[(2 * i + part) * plane->lanes + lane] : 0;
    }
}

static void grid_to_rows(const struct field *field, int p, int first, float *rows)
{
    const struct plain *plain = field->engine->plain;
    const struct plane *plane = &plain->planes[p];
    int length = field->engine->work->x.length;
    int count = plane->rows - first < plane->lanes ? plane->rows - first : plane->lanes;
    for (int block = 0; block < plain->grid_blocks; block++) {
        int columns = length - block * LANES < LANES ? length - block * LANES : LANES;
        float *to = rows + (size_t)block * LANES * 2 * plane->lanes;
        const float *from = field->grid[p] + ((size_t)block * plane->rows + first) * 2 * LANES;
        for (int lane = 0; lane < count; lane++)
            for (int part = 0; part < 2; part++, from += LANES)
                for (int i = 0; i < columns; i++)
                    to[(2 * i + part) * plane->lanes + lane] = from[i];
    }
}

static size_t rows_bytes(const struct field *field)
{
    const struct engine *engine = field->engine;
    return (size_t)engine->plain->plane_count * engine->work->x.length * 2 * LANES * sizeof(float);
}

static void forward_group(struct field *field, struct worker *worker, int first)
{
    const struct plain *plain = field->engine->plain;
    int count = field->y.count - first < LANES ? field->y.count - first : LANES;
    if (count < LANES)
        memset(worker->rows, 0, rows_bytes(field)); /* lanes without a row are transformed too */
    for (int row = 0; row < count; row++) {
        cpu_gather_row(field->engine, field->source, &field->x, field->y.index[first + row], worker->line,
                       worker->row);
        spread_row(field, worker, row);
    }
    for (int p = 0; p < plain->plane_count; p++) {
        const struct plane *plane = &plain->planes[p];
        float *rows = plane_rows(field, worker, p);
        fft_f32_forward(plain->rows, rows, (size_t)plane->lanes, worker->scratch);
        rows_to_grid(field, p, rows, plane->tangled ? first / 2 : first);
    }
}

void cpu_rows_forward(struct field *field)
{
    int groups = (field->y.count - 1) / LANES + 1;
#pragma omp parallel for schedule(static) num_threads(field->worker_count)
    for (int group = 0; group < groups; group++) {
        forward_group(field, &field->workers[omp_get_thread_num()], group * LANES);
        cpu_watch_advance(field->watcher);
    }
    cpu_watch_pass(field->watcher, "rows");
}

/* A finished row of floats: kept when the other component of a magnitude is still to come, or stored. */
static void emit_row(struct field *field, const struct worker *worker, int r, int component, int y)
{
    float *row = worker->row;
    const struct work *work = field->engine->work;
    size_t count = (size_t)field->width * work->channels;
    bool magnitude = work->results[r].components == 2;
    float *first = magnitude ? field->first_component + (size_t)y * count : NULL;
    if (magnitude && component == 0) {
        memcpy(first, row, count * sizeof *row);
        return;
    }
    if (magnitude)
        cpu_magnitude(row, first, count);
    cpu_store_pixels(work, r, row, field->source, &field->results[r], field->first_x, field->first_y + y,
                     field->width, worker->line);
}

static void inverse_group(struct field *field, struct worker *worker, int first, int r, int component)
{
    const struct plain *plain = field->engine->plain;
    int before = field->engine->work->y.before;
    memset(worker->rows, 0, rows_bytes(field));
    for (int p = 0; p < plain->plane_count; p++) {
        const struct plane *plane = &plain->planes[p];
        float *rows = plane_rows(field, worker, p);
        grid_to_rows(field, p, plane->tangled ? first / 2 : first, rows);
        fft_f32_inverse(plain->rows, rows, (size_t)plane->lanes, worker->scratch);
    }
    for (int row = 0; row < LANES; row++) {
        int y = first + row - before;
        if (y < 0 || y >= field->height)
            continue;
        collect_row(field, worker, row);
        emit_row(field, worker, r, component, y);
    }
}

void cpu_rows_inverse(struct field *field, int r, int component)
{
    int before = field->engine->work->y.before;
    int start = before / 2 * 2; /* tangled rows come in twos */
    int groups = (before + field->height - start - 1) / LANES + 1;
#pragma omp parallel for schedule(static) num_threads(field->worker_count)
    for (int group = 0; group < groups; group++) {
        inverse_group(field, &field->workers[omp_get_thread_num()], start + group * LANES, r, component);
        cpu_watch_advance(field->watcher);
    }
    cpu_watch_pass(field->watcher, "rows back");
}
