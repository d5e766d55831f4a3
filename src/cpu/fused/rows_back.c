/* The last pass of the fused engine: rows of the grid, transformed back and stored. */
#include "core/denormals.h"
#include "core/pool.h"
#include "core/view.h"
#include "cpu/fused/passes.h"

/* What the last pass stores, and how. */
struct result_pass {
    struct fused_window *window;
    int result;    /* its number */
    int component; /* the first (0) or second (1) of a magnitude */
    bool straight; /* rows go from planes to the result as `storing` says */
    struct fused_pixels storing;
    float offset[ABBE_CHANNELS_MAX];
};

/* ---- Storing ------------------------------------------------------------------------------------------ */

static bool stores_straight(const struct fused_window *window, int r)
{
    const struct work *work = window->head.engine->work;
    bool own_alpha = work->alpha != ABBE_ALPHA_PREMULTIPLY || work->results[r].alpha_gain != 0;
    return fused_takes_view(work, &window->head.results[r]) && work->results[r].components == 1 && own_alpha;
}

/* Finds how rows of the result are stored, once for all of them. */
static void find_storing(struct result_pass *pass)
{
    const struct fused_window *window = pass->window;
    const struct work *work = window->head.engine->work;
    const abbe_image *result = &window->head.results[pass->result];
    double add[ABBE_CHANNELS_MAX];
    bool adds = cpu_result_offsets(work, window->head.pedestal, pass->result, add);
    for (int c = 0; c < work->channels; c++)
        pass->offset[c] = (float)add[c];
    pass->straight = stores_straight(window, pass->result);
    pass->storing = (struct fused_pixels){ .type = work->result_type,
                                           .channels = work->channels,
                                           .planar = !core_is_packed(result),
                                           .plane = work->channels > 1 ? core_channel_step(result) : 0,
                                           .premultiply = work->alpha == ABBE_ALPHA_PREMULTIPLY,
                                           .alpha_gain = (float)work->results[pass->result].alpha_gain,
                                           .offset = adds ? pass->offset : NULL,
                                           .first = work->x.before,
                                           .count = window->head.width,
                                           .stream = window->stream };
}

/* Stores row y from the current rows of a worker. */
static void finish_row(const struct result_pass *pass, struct fused_worker *worker, int y, int part)
{
    struct fused_window *window = pass->window;
    const struct work *work = window->head.engine->work;
    const struct fused_row_kernels *kernels = window->head.engine->fused->layout.kernels->rows;
    if (pass->straight) {
        kernels->store_row(&pass->storing, (const float *const *)worker->rows, part,
                           core_sample(&window->head.results[pass->result], window->head.first_x,
                                       window->head.first_y + y, 0));
        return;
    }
    kernels->merge((const float *const *)worker->rows, work->x.before, work->channels, window->head.width,
                   part, worker->pixels);
    cpu_store_row(&window->head, pass->result, pass->component, y, worker->pixels, worker->line);
}

/* ---- One by one --------------------------------------------------------------------------------------- */

/* The row of the grid that holds result row y, in floats from the start of a block. */
static size_t result_offset(const struct fused_window *window, int y)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    int row = fused_grid_row(layout, window->head.engine->work->y.before + y);
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
    struct fused_grid grid = fused_plane_grid(window, window->odd[p], kind);
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
    struct fused_grid grid = fused_plane_grid(window, window->filtered[p], kind);
    if (layout->even && kind == FUSED_PAIR)
        kernels->pair_even_inverse(transform, &grid, from, worker->folded, worker->rows[p]);
    else if (layout->even)
        kernels->single_even_inverse(transform, &grid, from, from_second, worker->folded, worker->rows[p]);
    else if (kind == FUSED_PAIR)
        kernels->pair_inverse(transform, &grid, from, worker->rows[p]);
    else
        kernels->single_inverse(transform, &grid, from, from_second, worker->rows[p]);
}

/* Transforms rows y and y + 1 back and stores them. */
static void inverse_two(const struct result_pass *pass, struct fused_worker *worker, int y)
{
    struct fused_window *window = pass->window;
    const struct work *work = window->head.engine->work;
    int count = y + 1 < window->head.height ? 2 : 1, single = work->channels / 2;
    bool odd = fused_has_odd_part(window, work->results[pass->result].first + pass->component);
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

/* ---- Side by side ------------------------------------------------------------------------------------- */

/* Transforms rows of plane p back, side by side, which lie `from` floats into a block; and adds the odd part. */
static void inverse_beside_plane(const struct result_pass *pass, struct fused_worker *worker, int p,
                                 const size_t *from, int y)
{
    struct fused_window *window = pass->window;
    const struct work *work = window->head.engine->work;
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    enum fused_kind kind = fused_kind_of(work, p);
    size_t apart = layout->apart;
    struct fused_grid grid = fused_plane_grid(window, window->filtered[p], kind);
    void (*even)(const struct fused_beside *, const struct fused_grid *, const size_t *, float *, size_t,
                 float *) = kind == FUSED_PAIR ? kernels->pairs_even_inverse : kernels->singles_even_inverse;
    if (!layout->even) {
        (kind == FUSED_PAIR ? kernels->pairs_inverse : kernels->singles_inverse)(
            &layout->beside, &grid, from, worker->buffers[p], apart, worker->beside);
        return;
    }
    even(&layout->beside, &grid, from, worker->buffers[p], apart, worker->beside);
    if (!fused_has_odd_part(window, work->results[pass->result].first + pass->component))
        return;
    grid = fused_plane_grid(window, window->odd[p], kind);
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
    int together = fused_count_together(window), left = window->head.height - y, single = work->channels / 2;
    int count = left < together ? left : together;
    for (int r = 0; r < together; r++)
        from[r] = result_offset(window, y + (r < count ? r : count - 1));
    if (work->channels % 2)
        inverse_beside_plane(pass, worker, single, from, y);
    for (int r = 0; r < count; r++) {
        for (int p = 0; p < work->channels / 2 && r % lanes == 0; p++)
            inverse_beside_plane(pass, worker, p, from + r, y + r);
        fused_select_row(window, worker, r);
        finish_row(pass, worker, y + r, r % 2);
    }
}

/* ---- The pass ----------------------------------------------------------------------------------------- */

/* A pool_task over groups of rows. */
static void inverse_rows(void *context, int worker, long long first, long long end)
{
    const struct result_pass *pass = context;
    struct fused_window *window = pass->window;
    bool beside = window->head.engine->fused->layout.is_beside;
    int together = fused_count_together(window);
    unsigned long mode = core_denormals_off();
    for (int i = (int)first; i < end && !cpu_watch_stopped(window->head.watcher); i++) {
        (beside ? inverse_beside : inverse_two)(pass, &window->workers[worker], i * together);
        fused_advance_group(window, together);
    }
    /* Non-temporal stores are unordered; fence before signalling completion. */
    if (window->stream)
        atomic_thread_fence(memory_order_seq_cst);
    core_denormals_restore(mode);
}

/* Result r from the filtered columns. */
void fused_rows_inverse(struct fused_window *window, int r, int component)
{
    struct result_pass pass = { .window = window, .result = r, .component = component };
    find_storing(&pass);
    int at_once, groups = fused_count_groups(window, window->head.height, &at_once);
    pool_loop(window->head.worker_count, groups, at_once, inverse_rows, &pass);
    cpu_watch_pass(window->head.watcher, "rows back");
}
