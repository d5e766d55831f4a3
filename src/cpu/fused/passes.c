/* The passes of the fused engine over a window: rows (rows.c), columns, rows back (rows_back.c). */
#include "cpu/fused/passes.h"
#include "core/denormals.h"
#include "core/pool.h"

/* ---- Columns ------------------------------------------------------------------------------------------ */

bool fused_has_odd_part(const struct fused_window *window, int filter)
{
    return window->head.engine->fused->has_odd && !window->head.engine->work->filters[filter].even;
}

/* Whether columns are transformed in a pass of their own before they are filtered. */
static bool transforms_first(const struct fused_window *window)
{
    return window->head.engine->work->filter_count > 1 || window->head.engine->fused->has_odd;
}

/* A block of columns. */
struct block {
    enum fused_kind kind;
    int plane;
    int number; /* in its plane */
    float *grid, *filtered;
    float *scratch; /* of the thread */
    const struct fused_worker *worker;
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
    return (struct block){ .kind = fused_kind_of(work, p),
                           .plane = p,
                           .number = number,
                           .grid = window->grid[p] + at,
                           .filtered = window->filtered[p] + at,
                           .scratch = window->workers[worker].scratch,
                           .worker = &window->workers[worker] };
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
    bool even = fused->layout.even, split = block->kind == FUSED_SINGLE;
    bool real = even || fused->head.spectra[filter].real;
    const float *h = fused_block_gains(window, block->plane, block->number, filter, false, block->worker);
    const struct fused_column *columns = &fused->layout.columns;
    if (transforms_first(window)) /* forward_block has already transformed the block */
        even ? kernels->even_apply(columns, block->grid, h, split, block->filtered, block->scratch)
             : kernels->apply(columns, block->grid, h, real, block->filtered, block->scratch);
    else
        even ? kernels->even_filter(columns, block->grid, h, split, block->scratch)
             : kernels->filter(columns, block->grid, h, real, block->scratch);
}

/* The odd part of the columns, from blocks that are transformed. */
static void cross_block(struct fused_window *window, const struct block *block, int filter)
{
    fused_cross_block(window, block->plane, block->number, filter, block->worker);
}

/* One pass over the blocks. */
struct block_pass {
    struct fused_window *window;
    block_function *transform;
    int filter;
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
    struct block_pass pass = { window, transform, filter };
    pool_loop(window->head.worker_count, count_blocks(window), 1, transform_blocks, &pass);
    cpu_watch_pass(window->head.watcher, "columns");
}

/* ---- A window ----------------------------------------------------------------------------------------- */

int fused_run_window(struct window *head)
{
    struct fused_window *window = (struct fused_window *)head;
    const struct work *work = head->engine->work;
    fused_rows_forward(window);
    if (work->nonfinite == ABBE_NONFINITE_ERROR && window->nonfinite &&
        cpu_fused_checks_finite(head->engine, head->source))
        return ABBE_ERR_NONFINITE;
    if (transforms_first(window))
        each_block(window, forward_block, 0);
    for (int r = 0; r < work->result_count; r++)
        for (int component = 0; component < work->results[r].components; component++) {
            int filter = work->results[r].first + component;
            if (fused_has_odd_part(window, filter)) /* before the columns are filtered in place */
                each_block(window, cross_block, filter);
            each_block(window, filter_block, filter);
            fused_rows_inverse(window, r, component);
        }
    return ABBE_OK;
}

/* ---- Transforms without a filter ---------------------------------------------------------------------- */

bool fused_forward_window(struct fused_window *window)
{
    fused_rows_forward(window);
    each_block(window, forward_block, 0);
    return !window->nonfinite;
}

/* The inverse transform, in place. */
static void inverse_block(struct fused_window *window, const struct block *block, int filter)
{
    (void)filter;
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    layout->kernels->columns->inverse(&layout->columns, block->grid, block->scratch);
}

void fused_inverse_window(struct fused_window *window)
{
    each_block(window, inverse_block, 0);
    fused_rows_inverse(window, 0, 0);
}
