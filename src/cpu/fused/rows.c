/* The first pass of the fused engine: rows of the picture, loaded, transformed and spread over the grid. */
#include "core/denormals.h"
#include "core/pool.h"
#include "core/view.h"
#include "cpu/fused/passes.h"

#include <string.h>

/* ---- What both passes over rows need ------------------------------------------------------------------- */

int fused_grid_row(const struct fused_layout *layout, int y)
{
    return layout->columns.offset[layout->even ? fused_even_row(y, layout->columns.length) : y];
}

struct fused_grid fused_plane_grid(const struct fused_window *window, float *data, enum fused_kind kind)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    int lanes = layout->kernels->columns->lanes;
    size_t ahead = (kind == FUSED_SINGLE ? 4 : 2) * (size_t)lanes;
    int group_blocks = layout->kernels->rows->lanes * (layout->even && kind == FUSED_PAIR ? 2 : 1);
    return (struct fused_grid){ .data = data,
                                .block_floats = layout->block_floats,
                                .lanes = lanes,
                                .group_blocks = group_blocks,
                                .ahead = window->prefetch ? ahead : 0 };
}

int fused_count_together(const struct fused_window *window)
{
    const struct engine *engine = window->head.engine;
    return fused_rows_together(&engine->fused->layout, engine->work->channels);
}

void fused_select_row(const struct fused_window *window, struct fused_worker *worker, int r)
{
    const struct work *work = window->head.engine->work;
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    for (int p = 0; p < (work->channels + 1) / 2; p++) {
        bool single = fused_kind_of(work, p) == FUSED_SINGLE;
        worker->rows[p] = worker->buffers[p] +
                          (size_t)(single ? r / 2 : r % layout->kernels->rows->lanes) * layout->apart;
    }
}

/* A thread takes this number of rows at a time, or as many as are transformed together. */
enum { ROWS_AT_ONCE = 8 };

int fused_count_groups(const struct fused_window *window, int rows, int *at_once)
{
    int together = fused_count_together(window);
    *at_once = together < ROWS_AT_ONCE ? ROWS_AT_ONCE / together : 1;
    return (rows - 1) / together + 1;
}

void fused_advance_group(const struct fused_window *window, int together)
{
    for (int i = 0; i < together; i += 2)
        cpu_watch_advance(window->head.watcher);
}

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
        sources->offset[at] = row_floats * (size_t)fused_grid_row(layout, i);
    }
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

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

/* Whether rows of the picture are strands: floats that need no treatment, in consecutive pixels from end to end. */
static bool has_strands(const struct fused_window *window)
{
    const struct fused_pixels *how = &window->loading;
    bool floats = how->type == ABBE_F32 && (how->planar || how->channels == 1);
    return window->loads_straight && floats && !how->premultiply && !how->zero_nonfinite &&
           how->span_count == 1 && how->spans[0].pixel >= 0 && window->sources.y[0] >= 0 &&
           fused_begins_rows(&window->head.engine->fused->layout);
}

/* Finds how rows of the picture are loaded, once for all of them. */
static void find_loading(struct fused_window *window)
{
    const struct engine *engine = window->head.engine;
    const struct work *work = engine->work;
    const abbe_image *source = window->head.source;
    const struct pedestal *pedestal = window->head.pedestal;
    window->loads_straight = fused_takes_view(work, source);
    window->loading = (struct fused_pixels){
        .type = work->source_type,
        .channels = work->channels,
        .planar = !core_is_packed(source),
        .plane = work->channels > 1 ? core_channel_step(source) : 0,
        .premultiply = work->alpha == ABBE_ALPHA_PREMULTIPLY,
        .zero_nonfinite = work->nonfinite == ABBE_NONFINITE_ZERO,
        .index = window->head.x.index,
        .span_count = window->span_count,
        .spans = window->spans,
        .ahead = source->height > 1 ? window->prefetch * 2 * core_row_step(source) : 0,
        .outside = pedestal->used ? pedestal->outside : engine->outside,
        .pedestal = pedestal->used ? pedestal->rounded : NULL,
    };
    window->reads_strands = has_strands(window);
}

/* Sets a strand of plane p to rows i and `second` of the window's sources: a pair plane has two channels of row i. In
 * place, because a copy of a struct waits for the stores to its members. */
static void set_source_strand(const struct fused_window *window, int p, int i, int second,
                              struct fused_strand *strand)
{
    const struct fused_pixels *how = &window->loading;
    bool single = fused_kind_of(window->head.engine->work, p) == FUSED_SINGLE;
    strand->step = (size_t)window->head.engine->fused->layout.kernels->rows->lanes;
    strand->ahead = how->ahead / (ptrdiff_t)sizeof(float);
    strand->stream = false;
    for (int part = 0; part < 2; part++) {
        int channel = 2 * p + (single ? 0 : part), y = window->sources.y[single && part ? second : i];
        strand->part[part] = (float *)(void *)core_sample(window->head.source, how->spans[0].pixel, y,
                                                          channel);
        strand->level[part] = how->pedestal ? how->pedestal[channel] : 0;
    }
}

static void note_finite(struct fused_window *window, bool finite)
{
    if (!finite)
        atomic_store_explicit(&window->nonfinite, true, memory_order_relaxed);
}

/* Loads row y of the picture (−1: the outside row) into the rows of all planes. */
static void load_fused_row(struct fused_window *window, struct fused_worker *worker, int y, int part)
{
    const struct engine *engine = window->head.engine;
    const struct work *work = engine->work;
    const struct fused_row_kernels *kernels = engine->fused->layout.kernels->rows;
    const abbe_image *source = window->head.source;
    if (y < 0 || !window->loads_straight) {
        cpu_gather_row(engine, source, window->head.pedestal, &window->head.x, y, worker->line,
                       worker->pixels);
        kernels->split(worker->pixels, work->channels, work->x.length, part, worker->rows);
        return;
    }
    note_finite(window, kernels->load_row(&window->loading, core_row(source, y), part, worker->rows));
}

/* Transforms row i of the sources in plane p to the grid, or rows i and `second` of a single plane. */
static void forward_row(struct fused_window *window, const struct fused_worker *worker, int p, int i,
                        int second)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    enum fused_kind kind = fused_kind_of(window->head.engine->work, p);
    const struct fused_row *transform = &layout->rows[layout->even ? FUSED_SINGLE : kind];
    struct fused_grid grid = fused_plane_grid(window, window->grid[p], kind);
    size_t to = first_offset(window, i), to_second = first_offset(window, second);
    grid.stream = window->stream_grid;
    grid.ahead = grid.stream ? 0 : grid.ahead;
    struct fused_strand strand;
    if (window->reads_strands)
        set_source_strand(window, p, i, second, &strand);
    else
        strand = fused_buffer_strand(layout->kernels, worker->rows[p]);
    bool finite = true, begun = window->reads_strands && !layout->even;
    if (layout->even)
        finite = kernels->fold_strand(&strand, transform->length, worker->folded);
    else if (begun)
        finite = kernels->begin_row(transform, &strand, worker->rows[p]);
    if (window->reads_strands)
        note_finite(window, finite);
    if (layout->even && kind == FUSED_PAIR)
        kernels->pair_even_forward(transform, worker->folded, &grid, to);
    else if (layout->even)
        kernels->single_even_forward(transform, worker->folded, &grid, to, to_second);
    else if (kind == FUSED_PAIR)
        kernels->pair_forward(transform, begun, worker->rows[p], &grid, to);
    else
        kernels->single_forward(transform, begun, worker->rows[p], &grid, to, to_second);
}

/* Transforms rows i and i + 1 of the window's sources, plane by plane. A single plane takes both at once. */
static void forward_two(struct fused_window *window, struct fused_worker *worker, int i)
{
    int channels = window->head.engine->work->channels, single = channels / 2;
    int count = i + 1 < window->sources.count ? 2 : 1;
    for (int part = 0; part < count; part++) {
        if (!window->reads_strands)
            load_fused_row(window, worker, window->sources.y[i + part], part);
        for (int p = 0; p < channels / 2; p++) {
            forward_row(window, worker, p, i + part, i + part);
            repeat_row(window, p, i + part);
        }
    }
    if (channels % 2 == 0)
        return;
    if (count == 1 &&
        !window->reads_strands) /* the kernel transforms two rows; the second one is overwritten */
        load_fused_row(window, worker, window->sources.y[i], 1);
    forward_row(window, worker, single, i, i + count - 1);
    for (int part = 0; part < count; part++)
        repeat_row(window, single, i + part);
}

/* `count` rows from i on of the window's sources as strands of plane p; strands without a row repeat the last one. */
static void find_source_strands(const struct fused_window *window, int p, int i, int count,
                                struct fused_strand *strands)
{
    int each = fused_kind_of(window->head.engine->work, p) == FUSED_SINGLE ? 2 : 1, last = (count - 1) / each;
    for (int l = 0; l < window->head.engine->fused->layout.kernels->rows->lanes; l++) {
        int first = (l < last ? l : last) * each, second = first + each - 1;
        set_source_strand(window, p, i + first, i + (second < count ? second : first), &strands[l]);
    }
}

/* Transforms `count` rows from i on of the window's sources in plane p, after they are loaded. */
static void forward_beside_plane(struct fused_window *window, struct fused_worker *worker, int p, int i,
                                 int count)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    enum fused_kind kind = fused_kind_of(window->head.engine->work, p);
    struct fused_grid grid = fused_plane_grid(window, window->grid[p], kind);
    struct fused_strand own[FUSED_LANES_MAX], *strands = window->reads_strands ? own : worker->strands[p];
    size_t to[2 * FUSED_LANES_MAX];
    for (int r = 0; r < count; r++)
        to[r] = first_offset(window, i + r);
    if (window->reads_strands)
        find_source_strands(window, p, i, count, own);
    bool finite = (kind == FUSED_PAIR ? layout->even ? kernels->pairs_even_forward : kernels->pairs_forward
                   : layout->even     ? kernels->singles_even_forward
                                      : kernels->singles_forward)(&layout->beside, strands, &grid, to, count,
                                                              worker->beside);
    if (window->reads_strands)
        note_finite(window, finite);
}

/* Transforms rows from i on of the window's sources side by side. */
static void forward_beside(struct fused_window *window, struct fused_worker *worker, int i)
{
    const struct engine *engine = window->head.engine;
    int channels = engine->work->channels, lanes = engine->fused->layout.kernels->rows->lanes;
    int together = fused_count_together(window), left = window->sources.count - i;
    int count = left < together ? left : together;
    for (int r = 0; r < count; r++) {
        fused_select_row(window, worker, r);
        if (!window->reads_strands)
            load_fused_row(window, worker, window->sources.y[i + r], r % 2);
        for (int p = 0; p < channels / 2 && ((r + 1) % lanes == 0 || r + 1 == count); p++)
            forward_beside_plane(window, worker, p, i + r / lanes * lanes, r % lanes + 1);
    }
    /* The kernel transforms two rows; the second one is overwritten. */
    if (channels % 2 && count % 2 && !window->reads_strands)
        load_fused_row(window, worker, window->sources.y[i + count - 1], 1);
    if (channels % 2)
        forward_beside_plane(window, worker, channels / 2, i, count);
    for (int p = 0; p < (channels + 1) / 2; p++)
        for (int r = 0; r < count; r++)
            repeat_row(window, p, i + r);
}

/* A pool_task over groups of rows; the context is the window. */
static void forward_rows(void *context, int worker, long long first, long long end)
{
    struct fused_window *window = context;
    bool beside = window->head.engine->fused->layout.is_beside;
    int together = fused_count_together(window);
    unsigned long mode = core_denormals_off();
    for (int i = (int)first; i < end && !cpu_watch_stopped(window->head.watcher); i++) {
        (beside ? forward_beside : forward_two)(window, &window->workers[worker], i * together);
        fused_advance_group(window, together);
    }
    /* Non-temporal stores are unordered; fence before signalling completion. */
    if (window->stream_grid)
        atomic_thread_fence(memory_order_seq_cst);
    core_denormals_restore(mode);
}

void fused_rows_forward(struct fused_window *window)
{
    find_spans(window);
    sort_sources(window);
    find_loading(window);
    atomic_init(&window->nonfinite, false);
    int at_once, groups = fused_count_groups(window, window->sources.count, &at_once);
    pool_loop(window->head.worker_count, groups, at_once, forward_rows, window);
    cpu_watch_pass(window->head.watcher, "rows");
}
