/* Pictures in regions: their size, where they lie, and their pixels between views and a device's memory. */
#include "device/regions.h"

#include "core/border.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/pixels.h"
#include "core/pool.h"
#include "core/threads.h"
#include "core/view.h"

#include <string.h>

/* Half of a side, rounded up to a multiple of the unit. */
static int halve_side(int side, int unit)
{
    int units = (int)(((long long)side + unit - 1) / unit);
    return (units + 1) / 2 * unit;
}

bool region_search(const struct work *work, const struct region_search *search)
{
    int width = work->width, height = work->height, limit = search->side_max;
    for (;;) {
        bool low = height <= search->unit_y, narrow = width <= search->unit_x;
        bool allowed = (height <= limit && width <= limit) || (low && narrow);
        if (allowed && search->fits(search->context, width, height))
            return true;
        if (low && narrow)
            return false;
        bool height_first = search->longer_first ? height >= width : height > limit || width <= limit;
        if (!low && (narrow || height_first))
            height = halve_side(height, search->unit_y);
        else
            width = halve_side(width, search->unit_x);
    }
}

struct region_span region_span(const struct work *work, bool down, int side, int number)
{
    const struct axis *axis = down ? &work->y : &work->x;
    int pixels = down ? work->height : work->width;
    struct region_span span = { .first = number * side, .tiles = 1 };
    span.results = pixels - span.first < side ? pixels - span.first : side;
    if (work->method == ABBE_METHOD_FFT || work->method == ABBE_METHOD_TILES) {
        span.before = axis->before;
        span.tiles = (span.results + axis->step - 1) / axis->step;
        span.window = (span.tiles - 1) * axis->step + axis->length;
    } else {
        span.before = down ? work->above : work->left;
        span.window = span.results + (down ? work->above + work->below : work->left + work->right);
    }
    return span;
}

int region_count(const struct work *work, bool down, int side)
{
    return ((down ? work->height : work->width) - 1) / side + 1;
}

/* Copies one row of a window; columns that are neighbours in the picture are copied at once. */
static void gather_row(const struct region_copy *copy, const abbe_image *source, int y, char *to)
{
    const struct region_span *x = &copy->x;
    size_t pixel = (size_t)source->channels * abbe_type_size(copy->work->source_type);
    for (int k = 0, count; k < x->window; k += count) {
        long long coordinate = (long long)x->first - x->before + k;
        int index = core_border_index(copy->work->border, coordinate, source->width);
        count = 1;
        if (index < 0)
            continue;
        if (coordinate == index)
            count = source->width - index < x->window - k ? source->width - index : x->window - k;
        core_pack_pixels(source, index, y, count, copy->pedestal, to + (size_t)k * pixel);
    }
}

/* Copies of rows between a picture and packed bytes: `to` when gathering, `from` when scattering. */
struct row_copies {
    const struct region_copy *copy;
    const abbe_image *picture;
    const char *from;
    char *to;
};

/* A pool_task over rows of the region. */
static void gather_rows(void *context, int worker, long long first, long long end)
{
    (void)worker;
    const struct row_copies *rows = context;
    const struct region_copy *copy = rows->copy;
    const abbe_image *source = rows->picture;
    for (long long i = first + copy->first_row; i < end + copy->first_row; i++) {
        long long coordinate = copy->whole ? i : (long long)copy->y.first - copy->y.before + i;
        int row = core_border_index(copy->work->border, coordinate, source->height);
        if (copy->whole)
            core_pack_pixels(source, 0, row, source->width, copy->pedestal,
                             rows->to + (size_t)i * copy->pitch);
        else if (row >= 0)
            gather_row(copy, source, row, rows->to + (size_t)i * copy->pitch);
    }
}

void region_gather(const struct region_copy *copy, const abbe_image *source, char *to)
{
    int all = copy->whole ? source->height : copy->y.window, count = copy->row_count ? copy->row_count : all;
    int workers = core_workers(copy->threads, (double)count * copy->x.window * source->channels);
    struct row_copies rows = { copy, source, NULL, to };
    pool_loop(workers, count, pool_share(workers, count), gather_rows, &rows);
}

/* A pool_task over rows of the region. */
static void scatter_rows(void *context, int worker, long long first, long long end)
{
    (void)worker;
    const struct row_copies *rows = context;
    const struct region_span *x = &rows->copy->x, *y = &rows->copy->y;
    for (long long i = first + rows->copy->first_row; i < end + rows->copy->first_row; i++)
        core_unpack_pixels(rows->picture, x->first, y->first + (int)i, x->results, rows->copy->pedestal,
                           rows->from + (size_t)i * rows->copy->pitch);
}

void region_scatter(const struct region_copy *copy, const char *from, const abbe_image *result)
{
    int count = copy->row_count ? copy->row_count : copy->y.results;
    int workers = core_workers(copy->threads, (double)count * copy->x.results * result->channels);
    struct row_copies rows = { copy, result, from, NULL };
    pool_loop(workers, count, pool_share(workers, count), scatter_rows, &rows);
}

int region_keep(abbe_device *device, const struct work *work, bool at_once, const abbe_image *source,
                const abbe_image *results, abbe_image *kept)
{
    bool in_place = false;
    for (int i = 0; i < work->result_count; i++)
        in_place = in_place || core_overlap(source, &results[i]) == CORE_SAME;
    *kept = *source;
    if (!in_place || at_once)
        return ABBE_OK;
    if (!core_alloc_picture(source, source->type, kept)) {
        *kept = *source;
        return core_fail_memory(device);
    }
    core_copy_picture(source, kept);
    return ABBE_OK;
}

void region_release(const abbe_image *source, abbe_image *kept, int error)
{
    if (kept->data == source->data)
        return;
    if (error)
        core_copy_picture(kept, source);
    core_free(kept->data);
}

void region_add_time(struct watch *watch, const char *name, double seconds)
{
    int i = 0;
    while (i < watch->times.pass_count && strcmp(watch->times.passes[i].name, name))
        i++;
    if (i == watch->times.pass_count)
        watch->times.passes[watch->times.pass_count++] = (abbe_pass){ name, 0 };
    watch->times.passes[i].seconds += seconds;
}

/* ---- Maps ---------------------------------------------------------------------------------------------- */

/* Writes the maps along one axis from index `next` on. Returns the index behind them. */
static size_t fill_axis_maps(const struct work *work, const struct region_layout *layout, bool down,
                             bool whole, size_t next, uint32_t *starts, int32_t *maps)
{
    int pixels = down ? work->height : work->width, side = down ? layout->side_y : layout->side_x;
    int count = region_count(work, down, side);
    for (int i = 0; i < count; i++) {
        struct region_span span = region_span(work, down, side, i);
        starts[i] = (uint32_t)next;
        for (int k = 0; k < span.window; k++) {
            long long coordinate = (long long)span.first - span.before + k;
            int index = core_border_index(work->border, coordinate, pixels);
            if (layout->even)
                index = 2 * k < pixels ? 2 * k : 2 * (pixels - k) - 1;
            if (index < 0 && down)
                maps[next++] = layout->outside_row;
            else
                maps[next++] = index < 0 || whole ? index : k;
        }
    }
    return next;
}

size_t region_fill_maps(const struct work *work, const struct region_layout *layout, uint32_t *starts_x,
                        uint32_t *starts_y, int32_t *maps)
{
    bool whole = region_count(work, false, layout->side_x) == 1 &&
                 region_count(work, true, layout->side_y) == 1;
    size_t used = fill_axis_maps(work, layout, false, whole, 0, starts_x, maps);
    return fill_axis_maps(work, layout, true, whole, used, starts_y, maps);
}
