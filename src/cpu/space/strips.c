/* One strip of a band: from stored rows to results. */
#include "core/border.h"
#include "core/view.h"
#include "cpu/space/space.h"

#include <string.h>

static const char *pixel_at(const abbe_image *view, int x, int y)
{
    return (const char *)core_row(view, y) + (size_t)x * view->channels * abbe_type_size(view->type);
}

static bool in_own_place(const struct space_worker *worker, int index)
{
    return index >= worker->low && index < worker->high;
}

/* Pixels of the border that lie side by side in the picture as well are one edge. */
static void add_edge(struct space_worker *worker, int at, int index)
{
    struct space_edge *last = worker->edge_count > 0 ? &worker->edges[worker->edge_count - 1] : NULL;
    bool joins = last && last->at + last->count == at &&
                 (index < 0 ? last->index < 0 : last->index >= 0 && last->index + last->count == index) &&
                 in_own_place(worker, index) == in_own_place(worker, last->index);
    if (joins)
        last->count++;
    else
        worker->edges[worker->edge_count++] = (struct space_edge){ at, index, 1 };
}

void space_enter_strip(struct space_worker *worker, int strip)
{
    const struct work *work = worker->engine->work;
    int x = strip * worker->division.strip;
    int width = work->width - x < worker->division.strip ? work->width - x : worker->division.strip;
    int first = x - work->left, end = x + width + work->right;
    worker->x = x;
    worker->width = width;
    worker->low = first < 0 ? 0 : first;
    worker->high = end > work->width ? work->width : end;
    worker->edge_count = 0;
    for (int i = first; i < worker->low; i++)
        add_edge(worker, i - first, core_border_index(work->border, i, work->width));
    for (int i = worker->high; i < end; i++)
        add_edge(worker, i - first, core_border_index(work->border, i, work->width));
}

/* Bytes of a pixel in a line, and where the pixels that stand at their own place begin. */
static size_t pixel_bytes(const struct space_worker *worker)
{
    size_t sample = worker->engine->space->shorts ? sizeof(int16_t) : sizeof(float);
    return (size_t)worker->engine->work->channels * sample;
}

static char *place_in(const struct space_worker *worker, void *line, int index)
{
    int first = worker->x - worker->engine->work->left;
    return (char *)line + (size_t)(index - first) * pixel_bytes(worker);
}

/* Line i of so many that begin at `lines`. */
static void *line_of(const struct space_worker *worker, float *lines, int i)
{
    size_t floats = (size_t)i * worker->division.line;
    return worker->engine->space->shorts ? (void *)((int16_t *)(void *)lines + floats)
                                         : (void *)(lines + floats);
}

/* ---- Lines of the ring -------------------------------------------------------------------------------- */

static void load_plainly(const struct space_worker *worker, int x, int y, int count, float *to)
{
    const struct work *work = worker->engine->work;
    const struct space *space = worker->engine->space;
    space->kernels->load(work->source_type, pixel_at(worker->source, x, y), (size_t)count * work->channels,
                         to);
    if (space->alpha)
        space->kernels->multiply_alpha(to, (size_t)count, (float)space_white(work->source_type));
}

static void load_pixels(const struct space_worker *worker, int x, int y, int count, void *to)
{
    const struct work *work = worker->engine->work;
    const struct space *space = worker->engine->space;
    size_t samples = (size_t)count * work->channels;
    if (space->shorts)
        space->kernels->short_load((const void *)pixel_at(worker->source, x, y), samples, to);
    else if (space->plain_load)
        load_plainly(worker, x, y, count, to);
    else
        cpu_load_pixels(work, worker->source, x, y, count, to);
}

static void repeat_pixel(const void *from, size_t bytes, int count, char *to)
{
    for (int i = 0; i < count; i++)
        memcpy(to + (size_t)i * bytes, from, bytes);
}

/* Row y of the picture, −1 for the outside one, with its border left and right. */
static void load_line(const struct space_worker *worker, int y, char *line)
{
    const struct work *work = worker->engine->work;
    size_t pixel = pixel_bytes(worker);
    const void *outside = &worker->engine->space->outside;
    if (y < 0) {
        repeat_pixel(outside, pixel, worker->width + work->left + work->right, line);
        return;
    }
    load_pixels(worker, worker->low, y, worker->high - worker->low, place_in(worker, line, worker->low));
    for (int i = 0; i < worker->edge_count; i++) {
        const struct space_edge *edge = &worker->edges[i];
        char *to = line + (size_t)edge->at * pixel;
        if (edge->index < 0)
            repeat_pixel(outside, pixel, edge->count, to);
        else if (in_own_place(worker, edge->index))
            memcpy(to, place_in(worker, line, edge->index), (size_t)edge->count * pixel);
        else
            load_pixels(worker, edge->index, y, edge->count, to);
    }
}

/* Rows of the ring count from the band's first, less what the kernels reach above it. */
static void *ring_line(const struct space_worker *worker, int row)
{
    return line_of(worker, worker->ring, row % worker->division.ring);
}

static void fill_ring(struct space_worker *worker, int end)
{
    const struct work *work = worker->engine->work;
    for (; worker->ready < end; worker->ready++) {
        long long y = (long long)worker->first - work->above + worker->ready;
        load_line(worker, core_border_index(work->border, y, work->height), ring_line(worker, worker->ready));
    }
}

/* ---- Column taps -------------------------------------------------------------------------------------- */

/* From worker->rows to `rows` lines, from the pixel at `to` in the first of them on. */
static void apply_columns(const struct space_worker *worker, const struct space_filter *filter, int term,
                          abbe_type type, int rows, size_t samples, void *to)
{
    const struct space *space = worker->engine->space;
    ptrdiff_t pitch = (ptrdiff_t)worker->division.line;
    if (space->shorts)
        space->kernels->short_columns((const uint8_t *const *)worker->rows, &filter->short_column, rows,
                                      samples, (struct space_shorts){ to, pitch });
    else
        space->kernels->columns(type, worker->rows, &filter->column[term], rows, samples,
                                (struct space_lines){ to, pitch });
}

/* Pixels from x on, or the outside one for x < 0, through column taps, straight from rows y, y + 1, … of the picture. */
static void filter_stored(const struct space_worker *worker, const struct space_filter *filter, int term,
                          int y, int rows, int x, int count, void *to)
{
    const struct work *work = worker->engine->work;
    for (int j = 0; j < rows + filter->column[term].height - 1; j++) {
        int index = core_border_index(work->border, (long long)y + j, work->height);
        worker->rows[j] = x < 0 || index < 0 ? (const void *)worker->beyond
                                             : pixel_at(worker->source, x, index);
    }
    apply_columns(worker, filter, term, work->source_type, rows, (size_t)count * work->channels, to);
}

/* `rows` lines with their border, straight from the picture. */
static void filter_columns(const struct space_worker *worker, const struct space_filter *filter, int term,
                           int y, int rows)
{
    size_t pixel = pixel_bytes(worker);
    filter_stored(worker, filter, term, y, rows, worker->low, worker->high - worker->low,
                  place_in(worker, worker->columns, worker->low));
    for (int i = 0; i < worker->edge_count; i++) {
        const struct space_edge *edge = &worker->edges[i];
        if (!in_own_place(worker, edge->index)) {
            filter_stored(worker, filter, term, y, rows, edge->index, edge->count,
                          (char *)worker->columns + (size_t)edge->at * pixel);
            continue;
        }
        for (int r = 0; r < rows; r++) {
            char *line = line_of(worker, worker->columns, r);
            memcpy(line + (size_t)edge->at * pixel, place_in(worker, line, edge->index),
                   (size_t)edge->count * pixel);
        }
    }
}

/* The same from the ring, whose lines have their border already. */
static void filter_ring_columns(const struct space_worker *worker, const struct space_filter *filter,
                                int term, int row, int rows)
{
    const struct work *work = worker->engine->work;
    size_t pixels = (size_t)worker->width + work->left + work->right;
    for (int j = 0; j < rows + filter->column[term].height - 1; j++)
        worker->rows[j] = ring_line(worker, row + j);
    apply_columns(worker, filter, term, ABBE_F32, rows, pixels * work->channels, worker->columns);
}

/* ---- Results ------------------------------------------------------------------------------------------ */

static void make_columns(const struct space_worker *worker, const struct space_filter *filter, int term,
                         int y, int rows)
{
    if (worker->engine->space->straight)
        filter_columns(worker, filter, term, y - worker->engine->work->above + filter->y, rows);
    else
        filter_ring_columns(worker, filter, term, y - worker->first + filter->y, rows);
}

static void filter_separable(const struct space_worker *worker, const struct space_filter *filter, int y,
                             int rows, struct space_lines to)
{
    size_t channels = (size_t)worker->engine->work->channels;
    for (int term = 0; term < filter->rank; term++) {
        make_columns(worker, filter, term, y, rows);
        for (int r = 0; r < rows; r++) {
            const float *from = (float *)line_of(worker, worker->columns, r) + (size_t)filter->x * channels;
            worker->engine->space->kernels->dense(&from, channels, &filter->row[term], 1,
                                                  (size_t)worker->width * channels, term > 0,
                                                  (struct space_lines){ to.data + r * to.pitch, to.pitch });
        }
    }
}

/* The rows of the ring that all taps of a filter meet. */
static void point_to_ring(const struct space_worker *worker, const struct space_filter *filter, int y,
                          int rows)
{
    for (int j = 0; j < rows + filter->dense->height - 1; j++)
        worker->rows[j] = (char *)ring_line(worker, y - worker->first + filter->y + j) +
                          (size_t)filter->x * pixel_bytes(worker);
}

static void filter_rows(const struct space_worker *worker, const struct space_filter *filter, int y, int rows,
                        struct space_lines to)
{
    size_t channels = (size_t)worker->engine->work->channels;
    if (filter->rank) {
        filter_separable(worker, filter, y, rows, to);
        return;
    }
    const struct space_kernels *kernels = worker->engine->space->kernels;
    const float *const *from = (const float *const *)worker->rows;
    size_t count = (size_t)worker->width * channels;
    point_to_ring(worker, filter, y, rows);
    if (!filter->sparse)
        kernels->dense(from, channels, filter->dense, rows, count, false, to);
    for (int r = 0; r < rows && filter->sparse; r++)
        kernels->sparse(from + r, channels, filter->sparse, filter->sparse_count, count,
                        to.data + r * to.pitch);
}

/* From bytes to bytes. */
static void filter_shorts(const struct space_worker *worker, const struct space_filter *filter, int y,
                          int rows, const abbe_image *result)
{
    const struct space_kernels *kernels = worker->engine->space->kernels;
    size_t channels = (size_t)result->channels, count = (size_t)worker->width * channels;
    uint8_t *to = (uint8_t *)pixel_at(result, worker->x, y);
    if (!filter->rank) {
        point_to_ring(worker, filter, y, rows);
        kernels->short_dense((const int16_t *const *)worker->rows, channels, &filter->short_dense, rows,
                             count, result->stride, to);
        return;
    }
    make_columns(worker, filter, 0, y, rows);
    for (int r = 0; r < rows; r++) {
        const int16_t *from = (int16_t *)line_of(worker, worker->columns, r) + (size_t)filter->x * channels;
        kernels->short_dense(&from, channels, &filter->short_row, 1, count, 0, to + r * result->stride);
    }
}

/* Whether results can be written as the kernels make them. */
static bool writes_floats(const struct space_worker *worker, int r)
{
    const abbe_image *result = &worker->results[r];
    return worker->engine->space->plain_store && !worker->engine->space->alpha && result->type == ABBE_F32 &&
           worker->engine->work->results[r].components == 1 && (uintptr_t)result->data % sizeof(float) == 0 &&
           result->stride % (ptrdiff_t)sizeof(float) == 0;
}

static void store_row(const struct space_worker *worker, int r, int y, float *row)
{
    const struct work *work = worker->engine->work;
    const struct space *space = worker->engine->space;
    const abbe_image *result = &worker->results[r];
    if (!space->plain_store) {
        cpu_store_pixels(work, r, row, worker->source, result, worker->x, y, worker->width, worker->line);
        return;
    }
    if (space->alpha)
        space->kernels->divide_alpha(row, (size_t)worker->width, work->results[r].alpha_gain,
                                     (float)space_white(result->type));
    space->kernels->store(result->type, row, (size_t)worker->width * work->channels,
                          (void *)pixel_at(result, worker->x, y));
}

static void make_result(const struct space_worker *worker, int r, int y, int rows)
{
    const struct work *work = worker->engine->work;
    const struct work_result *result = &work->results[r];
    const struct space_filter *filters = worker->engine->space->filters + result->first;
    if (worker->engine->space->shorts) {
        filter_shorts(worker, filters, y, rows, &worker->results[r]);
        return;
    }
    if (writes_floats(worker, r)) {
        float *first = (float *)(void *)pixel_at(&worker->results[r], worker->x, y);
        ptrdiff_t pitch = worker->results[r].stride / (ptrdiff_t)sizeof(float);
        filter_rows(worker, filters, y, rows, (struct space_lines){ first, pitch });
        return;
    }
    size_t line = worker->division.line;
    for (int i = 0; i < result->components; i++)
        filter_rows(worker, filters + i, y, rows, (struct space_lines){ worker->sums[i], (ptrdiff_t)line });
    for (int i = 0; i < rows; i++) {
        float *row = worker->sums[0] + (size_t)i * line;
        if (result->components == 2)
            cpu_magnitude(row, worker->sums[1] + (size_t)i * line, (size_t)worker->width * work->channels);
        store_row(worker, r, y + i, row);
    }
}

void space_filter_band(struct space_worker *worker, int first, int count)
{
    const struct work *work = worker->engine->work;
    worker->first = first;
    worker->ready = 0;
    for (int y = 0; y < count; y += SPACE_ROWS) {
        int rows = count - y < SPACE_ROWS ? count - y : SPACE_ROWS;
        if (worker->division.ring)
            fill_ring(worker, y + rows + work->above + work->below);
        for (int r = 0; r < work->result_count; r++)
            make_result(worker, r, first + y, rows);
    }
}
