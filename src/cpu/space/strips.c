/* Filtering of one strip of a band: from stored rows to results. */
#include "core/border.h"
#include "core/view.h"
#include "cpu/run.h"
#include "cpu/space/space.h"

#include <string.h>

static const char *pixel_at(const abbe_image *view, int x, int y)
{
    return core_sample(view, x, y, 0);
}

/* Whether pixel `index` of a row is among the pixels low … high − 1 that a line holds. */
static bool is_in_line(const struct space_worker *worker, int index)
{
    return index >= worker->low && index < worker->high;
}

/* Adds a pixel of the border; pixels that are consecutive in the picture as well form one edge. */
static void add_edge(struct space_worker *worker, int at, int index)
{
    struct space_edge *last = worker->edge_count > 0 ? &worker->edges[worker->edge_count - 1] : NULL;
    bool joins = last && last->at + last->count == at &&
                 (index < 0 ? last->index < 0 : last->index >= 0 && last->index + last->count == index) &&
                 is_in_line(worker, index) == is_in_line(worker, last->index);
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

/* The bytes of a pixel in a line. */
static size_t line_pixel_bytes(const struct space_worker *worker)
{
    size_t sample = worker->engine->space->shorts ? sizeof(int16_t) : sizeof(float);
    return (size_t)worker->engine->work->channels * sample;
}

/* The address of the picture's pixel `index` in a line. */
static char *pixel_in_line(const struct space_worker *worker, void *line, int index)
{
    int first = worker->x - worker->engine->work->left;
    return (char *)line + (size_t)(index - first) * line_pixel_bytes(worker);
}

/* The address of line i of the lines at `lines`. */
static void *line_at(const struct space_worker *worker, float *lines, int i)
{
    size_t floats = (size_t)i * worker->division.line;
    return worker->engine->space->shorts ? (void *)((int16_t *)(void *)lines + floats)
                                         : (void *)(lines + floats);
}

/* Copies the border of a line from the pixels in it. Reflecting borders copy pixel by pixel; for one channel
 * calls of memcpy would take longer than the copies. */
static void copy_edges(const struct space_worker *worker, void *line)
{
    const struct space_edge *edges = worker->edges;
    int first = worker->x - worker->engine->work->left; /* the line's first pixel */
    int low = worker->low, high = worker->high, count = worker->edge_count;
    bool shorts = worker->engine->space->shorts, single = worker->engine->work->channels == 1;
    size_t pixel = line_pixel_bytes(worker);
    for (int i = 0; i < count; i++) {
        if (edges[i].index < low || edges[i].index >= high)
            continue;
        size_t to = (size_t)edges[i].at, from = (size_t)(edges[i].index - first);
        if (!single || edges[i].count > 1)
            memcpy((char *)line + to * pixel, (char *)line + from * pixel, (size_t)edges[i].count * pixel);
        else if (shorts)
            ((int16_t *)line)[to] = ((int16_t *)line)[from];
        else
            ((float *)line)[to] = ((float *)line)[from];
    }
}

/* ---- Lines of the ring -------------------------------------------------------------------------------- */

/* Loads `count` pixels of row y from column x on, as lines hold them. */
static void load_pixels(const struct space_worker *worker, int x, int y, int count, void *to)
{
    const struct work *work = worker->engine->work;
    const struct space *space = worker->engine->space;
    const char *from = pixel_at(worker->source, x, y);
    size_t samples = (size_t)count * work->channels;
    if (space->shorts) {
        space->kernels->short_load((const void *)from, samples, to);
    } else if (space->fast_load) {
        space->kernels->load(work->source_type, from, samples, to);
        if (space->alpha)
            space->kernels->multiply_alpha(to, (size_t)count, (float)space_white(work->source_type));
    } else {
        cpu_load_pixels(work, worker->source, x, y, count, to);
    }
}

static void repeat_pixel(const void *from, size_t bytes, int count, char *to)
{
    for (int i = 0; i < count; i++)
        memcpy(to + (size_t)i * bytes, from, bytes);
}

/* Loads row y of the picture with its border left and right; for y = −1, a line of outside pixels. */
static void load_line(const struct space_worker *worker, int y, char *line)
{
    const struct work *work = worker->engine->work;
    size_t pixel = line_pixel_bytes(worker);
    const void *outside = &worker->engine->space->outside;
    if (y < 0) {
        repeat_pixel(outside, pixel, worker->width + work->left + work->right, line);
        return;
    }
    load_pixels(worker, worker->low, y, worker->high - worker->low, pixel_in_line(worker, line, worker->low));
    for (int i = 0; i < worker->edge_count; i++) {
        const struct space_edge *edge = &worker->edges[i];
        char *to = line + (size_t)edge->at * pixel;
        if (edge->index < 0)
            repeat_pixel(outside, pixel, edge->count, to);
        else if (!is_in_line(worker, edge->index))
            load_pixels(worker, edge->index, y, edge->count, to);
    }
    copy_edges(worker, line);
}

/* The line after line i of the ring: without a division, which would be needed for every row. */
static int next_in_ring(const struct space_worker *worker, int i)
{
    return i + 1 < worker->division.ring ? i + 1 : 0;
}

/* Points worker->rows to `count` rows of the ring, `offset` bytes into their lines. Row 0 is the band's
 * first row minus the reach above it. */
static void point_to_ring(const struct space_worker *worker, int first, int count, size_t offset)
{
    int line = first % worker->division.ring;
    for (int j = 0; j < count; j++, line = next_in_ring(worker, line))
        worker->rows[j] = (char *)line_at(worker, worker->ring, line) + offset;
}

/* Loads the rows of the ring before `end` that are not loaded yet. */
static void fill_ring(struct space_worker *worker, int end)
{
    const struct work *work = worker->engine->work;
    int line = worker->ready % worker->division.ring;
    for (; worker->ready < end && !cpu_watch_poll(worker->watcher); worker->ready++) {
        long long y = (long long)worker->first - work->above + worker->ready;
        load_line(worker, core_border_index(work->border, y, work->height),
                  line_at(worker, worker->ring, line));
        line = next_in_ring(worker, line);
    }
}

/* ---- Column taps -------------------------------------------------------------------------------------- */

/* Rows y … y + count − 1 of the results of one filter, which are computed together; count ≤ SPACE_ROWS. */
struct result_rows {
    const struct space_filter *filter;
    int y, count;
};

/* Applies the column taps of a term to worker->rows, which gives samples of `rows->count` lines; `to` is the
 * address in the first line. */
static void apply_term_columns(const struct space_worker *worker, const struct result_rows *rows, int term,
                               abbe_type type, size_t samples, void *to)
{
    const struct space *space = worker->engine->space;
    ptrdiff_t pitch = (ptrdiff_t)worker->division.line;
    if (space->shorts)
        space->kernels->short_columns((const uint8_t *const *)worker->rows, &rows->filter->short_column,
                                      rows->count, samples, (struct space_shorts){ to, pitch });
    else
        space->kernels->columns(type, worker->rows, &rows->filter->column[term], rows->count, samples,
                                (struct space_lines){ to, pitch });
}

/* Applies column taps to `count` stored pixels from column x on, or to the outside pixel when x < 0. */
static void filter_stored_pixels(const struct space_worker *worker, const struct result_rows *rows, int term,
                                 int x, int count, void *to)
{
    const struct work *work = worker->engine->work;
    long long y = (long long)rows->y - work->above + rows->filter->y;
    const char *top = pixel_at(worker->source, x < 0 ? 0 : x, 0);
    ptrdiff_t step = core_row_step(worker->source);
    int stored = rows->count + rows->filter->column[term].height - 1;
    bool inside = x >= 0 && y >= 0 && y + stored <= work->height;
    for (int j = 0; j < stored && inside; j++)
        worker->rows[j] = top + (y + j) * step;
    for (int j = 0; j < stored && !inside; j++) {
        int index = core_border_index(work->border, y + j, work->height);
        worker->rows[j] = x < 0 || index < 0 ? (const void *)worker->beyond : top + index * step;
    }
    apply_term_columns(worker, rows, term, work->source_type, (size_t)count * work->channels, to);
}

/* Applies column taps to the stored picture, which gives lines with their border. */
static void filter_stored_columns(const struct space_worker *worker, const struct result_rows *rows, int term)
{
    size_t pixel = line_pixel_bytes(worker);
    filter_stored_pixels(worker, rows, term, worker->low, worker->high - worker->low,
                         pixel_in_line(worker, worker->columns, worker->low));
    for (int i = 0; i < worker->edge_count; i++) {
        const struct space_edge *edge = &worker->edges[i];
        if (!is_in_line(worker, edge->index))
            filter_stored_pixels(worker, rows, term, edge->index, edge->count,
                                 (char *)worker->columns + (size_t)edge->at * pixel);
    }
    for (int r = 0; r < rows->count; r++)
        copy_edges(worker, line_at(worker, worker->columns, r));
}

/* Applies column taps to the ring, whose lines have their border already. */
static void filter_ring_columns(const struct space_worker *worker, const struct result_rows *rows, int term)
{
    const struct work *work = worker->engine->work;
    size_t pixels = (size_t)worker->width + work->left + work->right;
    point_to_ring(worker, rows->y - worker->first + rows->filter->y,
                  rows->count + rows->filter->column[term].height - 1, 0);
    apply_term_columns(worker, rows, term, ABBE_F32, pixels * work->channels, worker->columns);
}

static void filter_term_columns(const struct space_worker *worker, const struct result_rows *rows, int term)
{
    if (worker->engine->space->reads_stored)
        filter_stored_columns(worker, rows, term);
    else
        filter_ring_columns(worker, rows, term);
}

/* ---- Results ------------------------------------------------------------------------------------------ */

static void filter_separable(const struct space_worker *worker, const struct result_rows *rows,
                             struct space_lines to)
{
    const struct space_filter *filter = rows->filter;
    size_t channels = (size_t)worker->engine->work->channels;
    for (int term = 0; term < filter->terms; term++) {
        filter_term_columns(worker, rows, term);
        for (int r = 0; r < rows->count; r++) {
            const float *from = (float *)line_at(worker, worker->columns, r) + (size_t)filter->x * channels;
            worker->engine->space->kernels->dense(&from, channels, &filter->row[term], 1,
                                                  (size_t)worker->width * channels, term > 0,
                                                  (struct space_lines){ to.data + r * to.pitch, to.pitch });
        }
    }
}

/* Points worker->rows to the rows of the ring that all taps of a filter read. */
static void point_to_taps(const struct space_worker *worker, const struct result_rows *rows)
{
    const struct space_filter *filter = rows->filter;
    point_to_ring(worker, rows->y - worker->first + filter->y, rows->count + filter->dense->height - 1,
                  (size_t)filter->x * line_pixel_bytes(worker));
}

static void filter_direct(const struct space_worker *worker, const struct result_rows *rows,
                          struct space_lines to)
{
    const struct space_filter *filter = rows->filter;
    const struct space_kernels *kernels = worker->engine->space->kernels;
    const float *const *from = (const float *const *)worker->rows;
    size_t channels = (size_t)worker->engine->work->channels, count = (size_t)worker->width * channels;
    point_to_taps(worker, rows);
    if (!filter->sparse)
        kernels->dense(from, channels, filter->dense, rows->count, count, false, to);
    for (int r = 0; r < rows->count && filter->sparse; r++)
        kernels->sparse(from + r, channels, filter->sparse, filter->sparse_count, count,
                        to.data + r * to.pitch);
}

static void filter_floats(const struct space_worker *worker, const struct result_rows *rows,
                          struct space_lines to)
{
    if (rows->filter->terms)
        filter_separable(worker, rows, to);
    else
        filter_direct(worker, rows, to);
}

/* Filters from bytes to bytes in 16 bits. */
static void filter_bytes(const struct space_worker *worker, const struct result_rows *rows,
                         const abbe_image *result)
{
    const struct space_filter *filter = rows->filter;
    const struct space_kernels *kernels = worker->engine->space->kernels;
    size_t channels = (size_t)result->channels, count = (size_t)worker->width * channels;
    uint8_t *to = (uint8_t *)pixel_at(result, worker->x, rows->y);
    if (!filter->terms) {
        point_to_taps(worker, rows);
        kernels->short_dense((const int16_t *const *)worker->rows, channels, &filter->short_dense,
                             rows->count, count, core_row_step(result), to);
        return;
    }
    filter_term_columns(worker, rows, 0);
    for (int r = 0; r < rows->count; r++) {
        const int16_t *from = (int16_t *)line_at(worker, worker->columns, r) + (size_t)filter->x * channels;
        kernels->short_dense(&from, channels, &filter->short_row, 1, count, 0,
                             to + r * core_row_step(result));
    }
}

/* Whether the kernels can write the floats of result r directly into the picture. */
static bool writes_floats(const struct space_worker *worker, int r)
{
    const abbe_image *result = &worker->results[r];
    return worker->engine->space->fast_store && !worker->engine->space->alpha && result->type == ABBE_F32 &&
           worker->engine->work->results[r].components == 1 && (uintptr_t)result->data % sizeof(float) == 0 &&
           core_row_step(result) % (ptrdiff_t)sizeof(float) == 0;
}

/* Stores a row of sums as row y of result r. */
static void store_sums(const struct space_worker *worker, int r, int y, float *row)
{
    const struct work *work = worker->engine->work;
    const struct space *space = worker->engine->space;
    const abbe_image *result = &worker->results[r];
    if (!space->fast_store) {
        const struct pixel_row where = { worker->source, worker->results, worker->x, y, worker->width };
        cpu_store_pixels(work, NULL, r, &where, row, worker->line);
        return;
    }
    if (space->alpha)
        space->kernels->divide_alpha(row, (size_t)worker->width, (float)work->results[r].alpha_gain,
                                     (float)space_white(result->type));
    space->kernels->store(result->type, row, (size_t)worker->width * work->channels,
                          (void *)pixel_at(result, worker->x, y));
}

/* Computes rows y … y + count − 1 of result r. */
static void make_result(const struct space_worker *worker, int r, int y, int count)
{
    const struct work *work = worker->engine->work;
    const struct work_result *result = &work->results[r];
    const struct space_filter *filters = worker->engine->space->filters + result->first;
    const struct result_rows rows = { filters, y, count };
    if (worker->engine->space->shorts) {
        filter_bytes(worker, &rows, &worker->results[r]);
        return;
    }
    if (writes_floats(worker, r)) {
        float *first = (float *)(void *)pixel_at(&worker->results[r], worker->x, y);
        ptrdiff_t pitch = core_row_step(&worker->results[r]) / (ptrdiff_t)sizeof(float);
        filter_floats(worker, &rows, (struct space_lines){ first, pitch });
        return;
    }
    size_t line = worker->division.line;
    for (int i = 0; i < result->components; i++)
        filter_floats(worker, &(struct result_rows){ filters + i, y, count },
                      (struct space_lines){ worker->sums[i], (ptrdiff_t)line });
    for (int i = 0; i < count; i++) {
        float *row = worker->sums[0] + (size_t)i * line;
        if (result->components == 2)
            cpu_magnitude(row, worker->sums[1] + (size_t)i * line, (size_t)worker->width * work->channels);
        store_sums(worker, r, y + i, row);
    }
}

void space_filter_band(struct space_worker *worker, int first, int count)
{
    const struct work *work = worker->engine->work;
    worker->first = first;
    worker->ready = 0;
    for (int y = 0; y < count && !cpu_watch_stopped(worker->watcher); y += SPACE_ROWS) {
        int rows = count - y < SPACE_ROWS ? count - y : SPACE_ROWS;
        if (worker->division.ring)
            fill_ring(worker, y + rows + work->above + work->below);
        for (int r = 0; r < work->result_count && !cpu_watch_poll(worker->watcher); r++)
            make_result(worker, r, first + y, rows);
    }
}
