/* The three passes of the fused engine over a window: rows, columns, rows back. */
#include "core/denormals.h"
#include "core/pool.h"
#include "core/view.h"
#include "cpu/fused/fused.h"

#include <string.h>

/* ---- What a window reads ------------------------------------------------------------------------------ */

/* The first pixel of a vector whose pixels are consecutive in the picture, otherwise −1. */
static int first_pixel(const int *index, int lanes)
{
    for (int l = 1; l < lanes; l++)
        if (index[l] != index[0] + l)
            return -1;
    return index[0];
}

/* Divides a row into spans. The last pixel completes the last vector. */
static void find_spans(struct fused_window *window)
{
    int lanes = window->head.engine->fused->layout.kernels->rows->lanes, count = window->head.x.count;
    struct fused_span span = { .count = 0 };
    window->span_count = 0;
    for (int x = count; x % lanes; x++)
        window->head.x.index[x] = window->head.x.index[count - 1];
    for (int v = 0; v < (count - 1) / lanes + 1; v++) {
        int pixel = first_pixel(window->head.x.index + (size_t)v * lanes, lanes);
        int next = span.pixel < 0 ? -1 : span.pixel + span.count * lanes;
        if (span.count && pixel == next) {
            span.count++;
        } else {
            if (span.count)
                window->spans[window->span_count++] = span;
            span = (struct fused_span){ v, 1, pixel };
        }
    }
    window->spans[window->span_count++] = span;
}

/* The entry of a row of the picture in `repeats`; the outside row comes first. */
static int repeats_entry(const struct border_map *y, int index)
{
    return index < 0 ? 0 : index - y->low + 1;
}

/* The position of row y of a window in a block. */
static int grid_row(const struct fused_layout *layout, int y)
{
    return layout->columns.offset[layout->even ? fused_even_row(y, layout->columns.length) : y];
}

/* Sorts the rows of the grid by the row of the picture that they stand for. */
static void sort_sources(struct fused_window *window)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    struct fused_sources *sources = &window->sources;
    const struct border_map *y = &window->head.y;
    size_t row_floats = 2 * (size_t)layout->kernels->columns->lanes;
    int *repeats = sources->repeats, entries = y->low > y->high ? 1 : repeats_entry(y, y->high) + 1;
    memset(repeats, 0, (size_t)entries * sizeof *repeats);
    for (int i = 0; i < y->count; i++)
        repeats[repeats_entry(y, y->index[i])]++;
    sources->count = 0;
    for (int entry = 0, total = 0; entry < entries; entry++) {
        if (!repeats[entry])
            continue;
        sources->y[sources->count] = entry ? y->low + entry - 1 : -1;
        sources->first[sources->count++] = total;
        total += repeats[entry];
        repeats[entry] = total - repeats[entry];
        sources->first[sources->count] = total;
    }
    for (int i = 0; i < y->count; i++) {
        int at = repeats[repeats_entry(y, y->index[i])]++;
        sources->offset[at] = row_floats * (size_t)grid_row(layout, i);
    }
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

/* The grid of a plane as the row kernels see it. Rows of a single plane come in pairs. */
static struct fused_grid plane_grid(const struct fused_window *window, float *data, enum fused_kind kind)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    int lanes = layout->kernels->columns->lanes;
    size_t ahead = (kind == FUSED_SINGLE ? 4 : 2) * (size_t)lanes;
    int group_blocks = layout->kernels->rows->lanes * (layout->even && kind == FUSED_PAIR ? 2 : 1);
    return (struct fused_grid){ data, layout->block_floats, lanes, group_blocks,
                                window->prefetch ? ahead : 0 };
}

/* Transform the row of plane p to the grid: row `to` of a pair plane, or rows `to` and `second` of a single one. */
static void forward_row(const struct fused_window *window, const struct fused_worker *worker, int p,
                        size_t to, size_t second)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    enum fused_kind kind = fused_kind_of(window->head.engine->work, p);
    const struct fused_row *transform = &layout->rows[layout->even ? FUSED_SINGLE : kind];
    struct fused_grid grid = plane_grid(window, window->grid[p], kind);
    if (layout->even && kind == FUSED_PAIR)
        kernels->pair_even_forward(transform, worker->rows[p], worker->folded, &grid, to);
    else if (layout->even)
        kernels->single_even_forward(transform, worker->rows[p], worker->folded, &grid, to, second);
    else if (kind == FUSED_PAIR)
        kernels->pair_forward(transform, worker->rows[p], &grid, to);
    else
        kernels->single_forward(transform, worker->rows[p], &grid, to, second);
}

/* The row of the grid that holds result row y, in floats from the start of a block. */
static size_t result_offset(const struct fused_window *window, int y)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    int row = grid_row(layout, window->head.engine->work->y.before + y);
    return 2 * (size_t)layout->kernels->columns->lanes * (size_t)row;
}

/* Adds the odd part of rows y, and of row `second` of a single plane. */
static void add_odd_row(const struct fused_window *window, const struct fused_worker *worker, int p, int y,
                        int second)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    const struct fused_row *transform = &layout->rows[FUSED_SINGLE];
    enum fused_kind kind = fused_kind_of(window->head.engine->work, p);
    struct fused_grid grid = plane_grid(window, window->odd[p], kind);
    float real = y % 2 ? -1 : 1, imaginary = (kind == FUSED_PAIR ? y : second) % 2 ? -1 : 1;
    if (kind == FUSED_PAIR)
        kernels->pair_even_inverse(transform, &grid, result_offset(window, y), worker->folded, worker->odd);
    else
        kernels->single_even_inverse(transform, &grid, result_offset(window, y),
                                     result_offset(window, second), worker->folded, worker->odd);
    kernels->add_odd(worker->odd, transform->length, real, imaginary, worker->rows[p]);
}

/* The reverse, from the filtered grid to results y, and `second` of a single plane. */
static void inverse_row(const struct fused_window *window, const struct fused_worker *worker, int p, int y,
                        int second)
{
    size_t from = result_offset(window, y), from_second = result_offset(window, second);
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    enum fused_kind kind = fused_kind_of(window->head.engine->work, p);
    const struct fused_row *transform = &layout->rows[layout->even ? FUSED_SINGLE : kind];
    struct fused_grid grid = plane_grid(window, window->filtered[p], kind);
    if (layout->even && kind == FUSED_PAIR)
        kernels->pair_even_inverse(transform, &grid, from, worker->folded, worker->rows[p]);
    else if (layout->even)
        kernels->single_even_inverse(transform, &grid, from, from_second, worker->folded, worker->rows[p]);
    else if (kind == FUSED_PAIR)
        kernels->pair_inverse(transform, &grid, from, worker->rows[p]);
    else
        kernels->single_inverse(transform, &grid, from, from_second, worker->rows[p]);
}

/* The first row of the grid that row i of the picture goes to. */
static size_t first_offset(const struct fused_window *window, int i)
{
    return window->sources.offset[window->sources.first[i]];
}

/* Copies the transform of row i to the other rows that stand for it because of the border. */
static void repeat_row(const struct fused_window *window, int p, int i)
{
    const struct fused_sources *sources = &window->sources;
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    size_t bytes = 2 * (size_t)layout->kernels->columns->lanes * sizeof(float);
    if (sources->first[i] + 1 == sources->first[i + 1])
        return;
    float *block = window->grid[p];
    int blocks = layout->blocks[fused_kind_of(window->head.engine->work, p)];
    for (int b = 0; b < blocks; b++, block += layout->block_floats)
        for (int k = sources->first[i] + 1; k < sources->first[i + 1]; k++)
            memcpy(block + sources->offset[k], block + first_offset(window, i), bytes);
}

/* Loads row y of the picture (−1: the outside row) into the rows of all planes. */
static void load_fused_row(struct fused_window *window, struct fused_worker *worker, int y, int part)
{
    const struct engine *engine = window->head.engine;
    const struct work *work = engine->work;
    const struct fused_row_kernels *kernels = engine->fused->layout.kernels->rows;
    const abbe_image *source = window->head.source;
    const struct pedestal *pedestal = window->head.pedestal;
    if (y < 0 || !fused_takes_view(work, source)) {
        cpu_gather_row(engine, source, window->head.pedestal, &window->head.x, y, worker->line,
                       worker->pixels);
        kernels->split(worker->pixels, work->channels, work->x.length, part, worker->rows);
        return;
    }
    const struct fused_pixels how = { .type = work->source_type,
                                      .channels = work->channels,
                                      .planar = !core_is_packed(source),
                                      .plane = work->channels > 1 ? core_channel_step(source) : 0,
                                      .premultiply = work->alpha == ABBE_ALPHA_PREMULTIPLY,
                                      .zero_nonfinite = work->nonfinite == ABBE_NONFINITE_ZERO,
                                      .index = window->head.x.index,
                                      .span_count = window->span_count,
                                      .spans = window->spans,
                                      .ahead = source->height > 1
                                                   ? window->prefetch * 2 * core_row_step(source)
                                                   : 0,
                                      .outside = pedestal->used ? pedestal->outside : engine->outside,
                                      .pedestal = pedestal->used ? pedestal->rounded : NULL };
    if (!kernels->load_row(&how, core_row(source, y), part, worker->rows))
        atomic_store_explicit(&window->nonfinite, true, memory_order_relaxed);
}

/* Transforms rows i and i + 1 of the window's sources, plane by plane. A single plane takes both at once. */
static void forward_two(struct fused_window *window, struct fused_worker *worker, int i)
{
    int channels = window->head.engine->work->channels, single = channels / 2;
    int count = i + 1 < window->sources.count ? 2 : 1;
    for (int part = 0; part < count; part++) {
        load_fused_row(window, worker, window->sources.y[i + part], part);
        for (int p = 0; p < channels / 2; p++) {
            forward_row(window, worker, p, first_offset(window, i + part), 0);
            repeat_row(window, p, i + part);
        }
    }
    if (channels % 2 == 0)
        return;
    if (count == 1) /* the kernel transforms two rows; the second transform is overwritten */
        load_fused_row(window, worker, window->sources.y[i], 1);
    forward_row(window, worker, single, first_offset(window, i), first_offset(window, i + count - 1));
    for (int part = 0; part < count; part++)
        repeat_row(window, single, i + part);
}

static int count_rows_together(const struct fused_window *window)
{
    const struct engine *engine = window->head.engine;
    return fused_rows_together(&engine->fused->layout, engine->work->channels);
}

/* Makes row r of those side by side the current one of a worker. */
static void select_row(const struct fused_window *window, struct fused_worker *worker, int r)
{
    const struct work *work = window->head.engine->work;
    const struct fused_kernels *kernels = window->head.engine->fused->layout.kernels;
    size_t apart = fused_buffer_apart(kernels, work->x.length);
    for (int p = 0; p < (work->channels + 1) / 2; p++) {
        bool single = fused_kind_of(work, p) == FUSED_SINGLE;
        worker->rows[p] = worker->buffers[p] + (size_t)(single ? r / 2 : r % kernels->rows->lanes) * apart;
    }
}

/* Transforms rows i … i + count − 1 of the window's sources in the pair planes, after the last one is loaded. */
static void forward_pairs_beside(struct fused_window *window, struct fused_worker *worker, int i, int count)
{
    const struct engine *engine = window->head.engine;
    const struct fused_layout *layout = &engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    size_t apart = fused_buffer_apart(layout->kernels, engine->work->x.length), to[FUSED_LANES_MAX];
    for (int r = 0; r < count; r++)
        to[r] = first_offset(window, i + r);
    for (int p = 0; p < engine->work->channels / 2; p++) {
        struct fused_grid grid = plane_grid(window, window->grid[p], FUSED_PAIR);
        (layout->even ? kernels->pairs_even_forward : kernels->pairs_forward)(
            &layout->beside, worker->buffers[p], apart, &grid, to, count, worker->beside);
    }
}

/* Transforms rows from i on of the window's sources side by side. */
static void forward_beside(struct fused_window *window, struct fused_worker *worker, int i)
{
    const struct engine *engine = window->head.engine;
    const struct fused_layout *layout = &engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    int channels = engine->work->channels, single = channels / 2, lanes = kernels->lanes;
    int together = count_rows_together(window), left = window->sources.count - i;
    int count = left < together ? left : together;
    size_t to[2 * FUSED_LANES_MAX];
    for (int r = 0; r < count; r++) {
        select_row(window, worker, r);
        load_fused_row(window, worker, window->sources.y[i + r], r % 2);
        to[r] = first_offset(window, i + r);
        if ((r + 1) % lanes == 0 || r + 1 == count)
            forward_pairs_beside(window, worker, i + r / lanes * lanes, r % lanes + 1);
    }
    if (channels % 2 && count % 2) /* the kernel transforms two rows; the second transform is overwritten */
        load_fused_row(window, worker, window->sources.y[i + count - 1], 1);
    if (channels % 2) {
        struct fused_grid grid = plane_grid(window, window->grid[single], FUSED_SINGLE);
        (layout->even ? kernels->singles_even_forward : kernels->singles_forward)(
            &layout->beside, worker->buffers[single],
            fused_buffer_apart(layout->kernels, engine->work->x.length), &grid, to, count, worker->beside);
    }
    for (int p = 0; p < (channels + 1) / 2; p++)
        for (int r = 0; r < count; r++)
            repeat_row(window, p, i + r);
}

/* A thread takes this number of rows at a time, or as many as are transformed together. */
enum { ROWS_AT_ONCE = 8 };

/* The number of groups of rows that are transformed together, and how many of them a thread takes. */
static int count_groups(const struct fused_window *window, int rows, int *at_once)
{
    int together = count_rows_together(window);
    *at_once = together < ROWS_AT_ONCE ? ROWS_AT_ONCE / together : 1;
    return (rows - 1) / together + 1;
}

/* Counts a group of `together` rows: a unit for two of them. */
static void advance_group(const struct fused_window *window, int together)
{
    for (int i = 0; i < together; i += 2)
        cpu_watch_advance(window->head.watcher);
}

/* A pool_task over groups of rows; the context is the window. */
static void forward_rows(void *context, int worker, long long first, long long end)
{
    struct fused_window *window = context;
    bool beside = window->head.engine->fused->layout.is_beside;
    int together = count_rows_together(window);
    unsigned long mode = core_denormals_off();
    for (int i = (int)first; i < end && !cpu_watch_stopped(window->head.watcher); i++) {
        (beside ? forward_beside : forward_two)(window, &window->workers[worker], i * together);
        advance_group(window, together);
    }
    core_denormals_restore(mode);
}

static void rows_forward(struct fused_window *window)
{
    int at_once, groups = count_groups(window, window->sources.count, &at_once);
    pool_loop(window->head.worker_count, groups, at_once, forward_rows, window);
    cpu_watch_pass(window->head.watcher, "rows");
}

/* ---- Columns ------------------------------------------------------------------------------------------ */

/* Whether a filter needs the odd part of even transforms. */
static bool has_odd_part(const struct fused_window *window, int filter)
{
    return window->head.engine->fused->odd && !window->head.engine->work->filters[filter].even;
}

/* Whether columns are transformed in a pass of their own before they are filtered. */
static bool transforms_first(const struct fused_window *window)
{
    return window->head.engine->work->filter_count > 1 || window->head.engine->fused->odd;
}

/* A block of columns. */
struct block {
    enum fused_kind kind;
    int plane;
    int number; /* in its plane */
    float *grid, *filtered;
    float *scratch; /* of the thread */
};

/* Block `index` of all planes together, for one of the workers. */
static struct block find_block(const struct fused_window *window, int index, int worker)
{
    const struct work *work = window->head.engine->work;
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    int p = index / layout->blocks[FUSED_PAIR];
    if (p > work->channels / 2)
        p = work->channels / 2;
    int number = index - p * layout->blocks[FUSED_PAIR];
    size_t at = (size_t)number * layout->block_floats;
    return (struct block){
        fused_kind_of(work, p),         p, number, window->grid[p] + at, window->filtered[p] + at,
        window->workers[worker].scratch
    };
}

/* What a pass does to a block; `filter` is the index of a filter. */
typedef void block_function(struct fused_window *window, const struct block *block, int filter);

/* The forward transform, in place: the first pass over columns of a bank of several filters. */
static void forward_block(struct fused_window *window, const struct block *block, int filter)
{
    (void)filter;
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_column_kernels *kernels = layout->kernels->columns;
    (layout->even ? kernels->even_forward : kernels->forward)(&layout->columns, block->grid, block->scratch);
}

/* Forward, times H, and back, in place: the only pass over columns of a single filter. */
static void filter_block(struct fused_window *window, const struct block *block, int filter)
{
    const struct fused *fused = window->head.engine->fused;
    const struct fused_column_kernels *kernels = fused->layout.kernels->columns;
    const struct spectrum *spectrum = &fused->head.spectra[filter];
    bool even = fused->layout.even, split = even ? block->kind == FUSED_SINGLE : !spectrum->real;
    size_t gains = (size_t)fused->layout.columns.length * kernels->lanes * (split ? 2 : 1);
    const float *h = block->kind == FUSED_SINGLE ? spectrum->single : spectrum->pair;
    h += block->number * gains;
    const struct fused_column *columns = &fused->layout.columns;
    if (transforms_first(window)) /* forward_block has already transformed the block */
        even ? kernels->even_apply(columns, block->grid, h, split, block->filtered, block->scratch)
             : kernels->apply(columns, block->grid, h, spectrum->real, block->filtered, block->scratch);
    else
        even ? kernels->even_filter(columns, block->grid, h, split, block->scratch)
             : kernels->filter(columns, block->grid, h, spectrum->real, block->scratch);
}

/* The odd part of the columns, from blocks that are transformed. */
static void cross_block(struct fused_window *window, const struct block *block, int filter)
{
    fused_cross_block(window, block->plane, block->number, filter, block->scratch);
}

/* One pass over the blocks. */
struct block_pass {
    struct fused_window *window;
    block_function *transform;
    int filter;
    const float *ones; /* the gains of an inverse transform without a filter */
};

/* A pool_task over blocks. */
static void transform_blocks(void *context, int worker, long long first, long long end)
{
    const struct block_pass *pass = context;
    unsigned long mode = core_denormals_off();
    for (int index = (int)first; index < end && !cpu_watch_stopped(pass->window->head.watcher); index++) {
        struct block block = find_block(pass->window, index, worker);
        pass->transform(pass->window, &block, pass->filter);
        cpu_watch_advance(pass->window->head.watcher);
    }
    core_denormals_restore(mode);
}

static int count_blocks(const struct fused_window *window)
{
    int channels = window->head.engine->work->channels;
    const int *blocks = window->head.engine->fused->layout.blocks;
    return channels / 2 * blocks[FUSED_PAIR] + channels % 2 * blocks[FUSED_SINGLE];
}

static void each_block(struct fused_window *window, block_function *transform, int filter)
{
    struct block_pass pass = { window, transform, filter, NULL };
    pool_loop(window->head.worker_count, count_blocks(window), 1, transform_blocks, &pass);
    cpu_watch_pass(window->head.watcher, "columns");
}

/* ---- Rows back ---------------------------------------------------------------------------------------- */

static bool stores_straight(const struct fused_window *window, int r)
{
    const struct work *work = window->head.engine->work;
    bool own_alpha = work->alpha != ABBE_ALPHA_PREMULTIPLY || work->results[r].alpha_gain != 0;
    return fused_takes_view(work, &window->head.results[r]) && work->results[r].components == 1 && own_alpha;
}

/* Stores row y of result r from the rows of all planes. */
static void store_fused_row(const struct fused_window *window, const struct fused_worker *worker, int r,
                            int y, int part)
{
    const struct work *work = window->head.engine->work;
    const struct fused_row_kernels *kernels = window->head.engine->fused->layout.kernels->rows;
    const abbe_image *result = &window->head.results[r];
    double add[ABBE_CHANNELS_MAX];
    float offset[ABBE_CHANNELS_MAX];
    bool adds = cpu_result_offsets(work, window->head.pedestal, r, add);
    for (int c = 0; c < work->channels; c++)
        offset[c] = (float)add[c];
    struct fused_pixels how = { .type = work->result_type,
                                .channels = work->channels,
                                .planar = !core_is_packed(result),
                                .plane = work->channels > 1 ? core_channel_step(result) : 0,
                                .premultiply = work->alpha == ABBE_ALPHA_PREMULTIPLY,
                                .alpha_gain = (float)work->results[r].alpha_gain,
                                .offset = adds ? offset : NULL,
                                .first = work->x.before,
                                .count = window->head.width,
                                .stream = window->stream };
    char *to = core_sample(result, window->head.first_x, window->head.first_y + y, 0);
    kernels->store_row(&how, (const float *const *)worker->rows, part, to);
}

/* What the last pass stores. */
struct result_pass {
    struct fused_window *window;
    int result;    /* its number */
    int component; /* the first (0) or second (1) of a magnitude */
};

/* Stores row y from the current rows of a worker. */
static void finish_row(const struct result_pass *pass, struct fused_worker *worker, int y, int part)
{
    struct fused_window *window = pass->window;
    const struct work *work = window->head.engine->work;
    const struct fused_row_kernels *kernels = window->head.engine->fused->layout.kernels->rows;
    if (stores_straight(window, pass->result)) {
        store_fused_row(window, worker, pass->result, y, part);
        return;
    }
    kernels->merge((const float *const *)worker->rows, work->x.before, work->channels, window->head.width,
                   part, worker->pixels);
    cpu_store_row(&window->head, pass->result, pass->component, y, worker->pixels, worker->line);
}

/* Transforms rows y and y + 1 back and stores them. */
static void inverse_two(const struct result_pass *pass, struct fused_worker *worker, int y)
{
    struct fused_window *window = pass->window;
    const struct work *work = window->head.engine->work;
    int count = y + 1 < window->head.height ? 2 : 1, single = work->channels / 2;
    bool odd = has_odd_part(window, work->results[pass->result].first + pass->component);
    if (work->channels % 2) {
        inverse_row(window, worker, single, y, y + count - 1);
        if (odd)
            add_odd_row(window, worker, single, y, y + count - 1);
    }
    for (int part = 0; part < count; part++) {
        for (int p = 0; p < work->channels / 2; p++) {
            inverse_row(window, worker, p, y + part, y + part);
            if (odd)
                add_odd_row(window, worker, p, y + part, y + part);
        }
        finish_row(pass, worker, y + part, part);
    }
}

/* Transforms rows of plane p back, side by side, which lie `from` floats into a block; and adds the odd part. */
static void inverse_beside_plane(const struct result_pass *pass, struct fused_worker *worker, int p,
                                 const size_t *from, int y)
{
    struct fused_window *window = pass->window;
    const struct work *work = window->head.engine->work;
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    enum fused_kind kind = fused_kind_of(work, p);
    size_t apart = fused_buffer_apart(layout->kernels, work->x.length);
    struct fused_grid grid = plane_grid(window, window->filtered[p], kind);
    void (*even)(const struct fused_beside *, const struct fused_grid *, const size_t *, float *, size_t,
                 float *) = kind == FUSED_PAIR ? kernels->pairs_even_inverse : kernels->singles_even_inverse;
    if (!layout->even) {
        (kind == FUSED_PAIR ? kernels->pairs_inverse : kernels->singles_inverse)(
            &layout->beside, &grid, from, worker->buffers[p], apart, worker->beside);
        return;
    }
    even(&layout->beside, &grid, from, worker->buffers[p], apart, worker->beside);
    if (!has_odd_part(window, work->results[pass->result].first + pass->component))
        return;
    grid = plane_grid(window, window->odd[p], kind);
    even(&layout->beside, &grid, from, worker->odd, apart, worker->beside);
    for (int l = 0; l < kernels->lanes; l++) {
        int row = kind == FUSED_PAIR ? y + l : y + 2 * l;
        float real = row % 2 ? -1 : 1;
        kernels->add_odd(worker->odd + (size_t)l * apart, work->x.length, real,
                         kind == FUSED_PAIR ? real : -real, worker->buffers[p] + (size_t)l * apart);
    }
}

/* Transforms rows from y on back, side by side, and stores them. The last row fills vectors. */
static void inverse_beside(const struct result_pass *pass, struct fused_worker *worker, int y)
{
    struct fused_window *window = pass->window;
    const struct work *work = window->head.engine->work;
    int lanes = window->head.engine->fused->layout.kernels->rows->lanes;
    size_t from[2 * FUSED_LANES_MAX];
    int together = count_rows_together(window), left = window->head.height - y, single = work->channels / 2;
    int count = left < together ? left : together;
    for (int r = 0; r < together; r++)
        from[r] = result_offset(window, y + (r < count ? r : count - 1));
    if (work->channels % 2)
        inverse_beside_plane(pass, worker, single, from, y);
    for (int r = 0; r < count; r++) {
        for (int p = 0; p < work->channels / 2 && r % lanes == 0; p++)
            inverse_beside_plane(pass, worker, p, from + r, y + r);
        select_row(window, worker, r);
        finish_row(pass, worker, y + r, r % 2);
    }
}

/* A pool_task over groups of rows. */
static void inverse_rows(void *context, int worker, long long first, long long end)
{
    const struct result_pass *pass = context;
    struct fused_window *window = pass->window;
    bool beside = window->head.engine->fused->layout.is_beside;
    int together = count_rows_together(window);
    unsigned long mode = core_denormals_off();
    for (int i = (int)first; i < end && !cpu_watch_stopped(window->head.watcher); i++) {
        (beside ? inverse_beside : inverse_two)(pass, &window->workers[worker], i * together);
        advance_group(window, together);
    }
    /* Non-temporal stores are unordered; fence before signalling completion. */
    if (window->stream)
        atomic_thread_fence(memory_order_seq_cst);
    core_denormals_restore(mode);
}

/* Result r from the filtered columns. */
static void rows_inverse(struct fused_window *window, int r, int component)
{
    struct result_pass pass = { window, r, component };
    int at_once, groups = count_groups(window, window->head.height, &at_once);
    pool_loop(window->head.worker_count, groups, at_once, inverse_rows, &pass);
    cpu_watch_pass(window->head.watcher, "rows back");
}

int fused_run_window(struct window *head)
{
    struct fused_window *window = (struct fused_window *)head;
    const struct work *work = head->engine->work;
    find_spans(window);
    sort_sources(window);
    atomic_init(&window->nonfinite, false);
    rows_forward(window);
    if (work->nonfinite == ABBE_NONFINITE_ERROR && window->nonfinite &&
        cpu_fused_checks_finite(head->engine, head->source))
        return ABBE_ERR_NONFINITE;
    if (transforms_first(window))
        each_block(window, forward_block, 0);
    for (int r = 0; r < work->result_count; r++)
        for (int component = 0; component < work->results[r].components; component++) {
            int filter = work->results[r].first + component;
            if (has_odd_part(window, filter)) /* before the columns are filtered in place */
                each_block(window, cross_block, filter);
            each_block(window, filter_block, filter);
            rows_inverse(window, r, component);
        }
    return ABBE_OK;
}

/* ---- Transforms without a filter ---------------------------------------------------------------------- */

bool fused_forward_window(struct fused_window *window)
{
    find_spans(window);
    sort_sources(window);
    atomic_init(&window->nonfinite, false);
    rows_forward(window);
    each_block(window, forward_block, 0);
    return !window->nonfinite;
}

/* A pool_task over blocks. */
static void inverse_blocks(void *context, int worker, long long first, long long end)
{
    const struct block_pass *pass = context;
    const struct fused_layout *layout = &pass->window->head.engine->fused->layout;
    unsigned long mode = core_denormals_off();
    for (int index = (int)first; index < end; index++) {
        struct block block = find_block(pass->window, index, worker);
        layout->kernels->columns->apply(&layout->columns, block.grid, pass->ones, true, block.grid,
                                        block.scratch);
    }
    core_denormals_restore(mode);
}

void fused_inverse_window(struct fused_window *window, const float *ones)
{
    struct block_pass pass = { .window = window, .ones = ones };
    pool_loop(window->head.worker_count, count_blocks(window), 1, inverse_blocks, &pass);
    rows_inverse(window, 0, 0);
}
