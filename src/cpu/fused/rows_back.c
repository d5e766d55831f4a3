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
    bool odd;      /* the filter needs the odd part of even transforms */
    bool strands;  /* the last step of a row stores it, without a copy */
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

/* Whether rows of the result are strands: floats that need no treatment, and samples of the row from end to end. */
static bool has_strands_of_result(const struct result_pass *pass)
{
    const struct engine *engine = pass->window->head.engine;
    const struct fused_pixels *how = &pass->storing;
    return how->type == ABBE_F32 && (how->planar || how->channels == 1) && !how->premultiply &&
           how->first == 0 && how->count == engine->work->x.length &&
           how->count % engine->fused->layout.kernels->rows->lanes == 0 &&
           fused_begins_rows(&engine->fused->layout);
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
    pass->odd = fused_has_odd_part(window, work->results[pass->result].first + pass->component);
    pass->strands = pass->straight && !pass->odd && has_strands_of_result(pass);
}

/* Sets a strand of plane p to rows y and `second` of the result: a pair plane has two channels of row y. In place, because
 * a copy of a struct waits for the stores to its members. */
static void set_result_strand(const struct result_pass *pass, int p, int y, int second,
                              struct fused_strand *strand)
{
    enum { ALIGNED = 64 };
    const struct fused_window *window = pass->window;
    bool single = fused_kind_of(window->head.engine->work, p) == FUSED_SINGLE, aligned = true;
    strand->step = (size_t)window->head.engine->fused->layout.kernels->rows->lanes;
    strand->ahead = 0;
    for (int part = 0; part < 2; part++) {
        int channel = 2 * p + (single ? 0 : part);
        strand->part[part] = (float *)(void *)core_sample(
            &window->head.results[pass->result], window->head.first_x,
            window->head.first_y + (single && part ? second : y), channel);
        strand->level[part] = pass->storing.offset ? pass->offset[channel] : 0;
        aligned = aligned && (uintptr_t)strand->part[part] % ALIGNED == 0;
    }
    strand->stream = window->stream && aligned;
}

/* Stores row y from the current rows of a worker, unless the last step has done so. */
static void finish_row(const struct result_pass *pass, struct fused_worker *worker, int y, int part)
{
    struct fused_window *window = pass->window;
    const struct work *work = window->head.engine->work;
    const struct fused_row_kernels *kernels = window->head.engine->fused->layout.kernels->rows;
    if (pass->strands)
        return;
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

/* Transforms rows y and, of a single plane, `second` of even transforms back to a row in a buffer. */
static void inverse_even_row(const struct fused_window *window, const struct fused_worker *worker, int p,
                             int y, int second, float *data)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    const struct fused_row *transform = &layout->rows[FUSED_SINGLE];
    enum fused_kind kind = fused_kind_of(window->head.engine->work, p);
    struct fused_grid grid = fused_plane_grid(window, data, kind);
    if (kind == FUSED_PAIR)
        kernels->pair_even_inverse(transform, &grid, result_offset(window, y), worker->folded);
    else
        kernels->single_even_inverse(transform, &grid, result_offset(window, y),
                                     result_offset(window, second), worker->folded);
}

/* Adds the odd part of rows y, and of row `second` of a single plane. */
static void add_odd_row(const struct fused_window *window, const struct fused_worker *worker, int p, int y,
                        int second)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    int length = layout->rows[FUSED_SINGLE].length;
    bool pair = fused_kind_of(window->head.engine->work, p) == FUSED_PAIR;
    struct fused_strand odd = fused_buffer_strand(layout->kernels, worker->odd);
    inverse_even_row(window, worker, p, y, second, window->odd[p]);
    kernels->unfold_strand(worker->folded, length, &odd);
    kernels->add_odd(worker->odd, length, y % 2 ? -1 : 1, (pair ? y : second) % 2 ? -1 : 1, worker->rows[p]);
}

/* The reverse, from the filtered grid to results y, and `second` of a single plane. */
static void inverse_row(const struct result_pass *pass, const struct fused_worker *worker, int p, int y,
                        int second)
{
    const struct fused_window *window = pass->window;
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    enum fused_kind kind = fused_kind_of(window->head.engine->work, p);
    const struct fused_row *transform = &layout->rows[kind];
    struct fused_grid grid = fused_plane_grid(window, window->filtered[p], kind);
    struct fused_strand strand;
    if (pass->strands)
        set_result_strand(pass, p, y, second, &strand);
    else
        strand = fused_buffer_strand(layout->kernels, worker->rows[p]);
    if (layout->even) {
        inverse_even_row(window, worker, p, y, second, window->filtered[p]);
        kernels->unfold_strand(worker->folded, transform->length, &strand);
        return;
    }
    if (kind == FUSED_PAIR)
        kernels->pair_inverse(transform, pass->strands, &grid, result_offset(window, y), worker->rows[p]);
    else
        kernels->single_inverse(transform, pass->strands, &grid, result_offset(window, y),
                                result_offset(window, second), worker->rows[p]);
    if (pass->strands)
        kernels->end_row(transform, worker->rows[p], &strand);
}

/* Transforms rows y and y + 1 back and stores them. */
static void inverse_two(const struct result_pass *pass, struct fused_worker *worker, int y)
{
    struct fused_window *window = pass->window;
    const struct work *work = window->head.engine->work;
    int count = y + 1 < window->head.height ? 2 : 1, single = work->channels / 2;
    if (work->channels % 2) {
        inverse_row(pass, worker, single, y, y + count - 1);
        if (pass->odd)
            add_odd_row(window, worker, single, y, y + count - 1);
    }
    for (int part = 0; part < count; part++) {
        for (int p = 0; p < work->channels / 2; p++) {
            inverse_row(pass, worker, p, y + part, y + part);
            if (pass->odd)
                add_odd_row(window, worker, p, y + part, y + part);
        }
        finish_row(pass, worker, y + part, part);
    }
}

/* ---- Side by side ------------------------------------------------------------------------------------- */

/* Transforms `count` rows of plane p back, side by side, which lie `from` floats into a block of `data`. */
static void inverse_strands(const struct fused_window *window, struct fused_worker *worker, int p,
                            float *data, const size_t *from, const struct fused_strand *strands, int count)
{
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    enum fused_kind kind = fused_kind_of(window->head.engine->work, p);
    struct fused_grid grid = fused_plane_grid(window, data, kind);
    (kind == FUSED_PAIR ? layout->even ? kernels->pairs_even_inverse : kernels->pairs_inverse
     : layout->even     ? kernels->singles_even_inverse
                    : kernels->singles_inverse)(&layout->beside, &grid, from, strands, count, worker->beside);
}

/* The same for results from y on, and adds the odd part. */
static void inverse_beside_plane(const struct result_pass *pass, struct fused_worker *worker, int p,
                                 const size_t *from, int y, int count)
{
    struct fused_window *window = pass->window;
    const struct work *work = window->head.engine->work;
    const struct fused_layout *layout = &window->head.engine->fused->layout;
    const struct fused_row_kernels *kernels = layout->kernels->rows;
    bool pair = fused_kind_of(work, p) == FUSED_PAIR;
    int each = pair ? 1 : 2, used = (count - 1) / each + 1;
    struct fused_strand own[FUSED_LANES_MAX];
    for (int l = 0; l < used && pass->strands; l++) {
        int first = l * each, second = first + each - 1;
        set_result_strand(pass, p, y + first, y + (second < count ? second : first), &own[l]);
    }
    inverse_strands(window, worker, p, window->filtered[p], from, pass->strands ? own : worker->strands[p],
                    count);
    if (!pass->odd)
        return;
    for (int l = 0; l < kernels->lanes; l++)
        own[l] = fused_buffer_strand(layout->kernels, worker->odd + (size_t)l * layout->apart);
    inverse_strands(window, worker, p, window->odd[p], from, own, count);
    for (int l = 0; l < used; l++) {
        int row = y + each * l;
        float real = row % 2 ? -1 : 1;
        kernels->add_odd(worker->odd + (size_t)l * layout->apart, work->x.length, real, pair ? real : -real,
                         worker->buffers[p] + (size_t)l * layout->apart);
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
        inverse_beside_plane(pass, worker, single, from, y, count);
    for (int r = 0; r < count; r++) {
        for (int p = 0; p < work->channels / 2 && r % lanes == 0; p++)
            inverse_beside_plane(pass, worker, p, from + r, y + r, count - r < lanes ? count - r : lanes);
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
