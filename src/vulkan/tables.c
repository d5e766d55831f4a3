/* Contents of an engine's buffers: spectra and twiddles, or taps in space, and the maps of borders. */
#include "core/border.h"
#include "core/error.h"
#include "core/memory.h"
#include "filter/sampling/spectra.h"
#include "vulkan/engine.h"

/* ---- Spectra ------------------------------------------------------------------------------------------ */

/* Even transforms have the frequencies of a picture with its reflection, as far as half the sampling rate. */
static int sampled_length(const struct axis *axis)
{
    return axis->even ? 2 * axis->length : axis->length;
}

/* Frequency at each place of an axis: natural order, or one part behind the other. NULL without memory. */
static int *list_frequencies(const struct vk_transform *transform)
{
    int *order = core_alloc((size_t)transform->length, sizeof *order);
    int each = transform->length / transform->parts;
    for (int i = 0; order && i < transform->length; i++)
        order[i] = i % each * transform->parts + i / each;
    return order;
}

/* Place of each column u in the spectrum, or −1 for columns that a single channel or an even transform does not
 * need. NULL without memory. */
static int *list_column_places(const struct engine *engine)
{
    const struct vk_transform *x = &engine->geometry.x;
    int columns = sampled_length(&engine->work->x), each = x->length / x->parts;
    int *places = core_alloc((size_t)columns, sizeof *places);
    for (int u = 0; places && u < columns; u++)
        places[u] = u < engine->geometry.gains ? u % x->parts * each + u / x->parts : -1;
    return places;
}

/* Scale of H. A grid in 16 bits is divided by the root of the row's length by each row pass. Even transforms return
 * half of what they should along each axis. */
static double scale_of_gains(const struct engine *engine)
{
    const struct work *work = engine->work;
    return (work->x.even ? 4 : 1) / ((engine->geometry.half ? 1.0 : work->x.length) * work->y.length);
}

/* Samples spectrum `number`, or that part of it: into `sampled` if there is one, straight into the device's memory where the host
 * sees it, otherwise into a temporary array that is uploaded. */
static int sample_spectrum(struct vk *vk, struct engine *engine, const int *places, const int *order,
                           int number, int odd)
{
    const struct work *work = engine->work;
    const struct spectrum_grid grid = { .width = sampled_length(&work->x),
                                        .height = sampled_length(&work->y),
                                        .correlate = work->correlate,
                                        .threads = vk->head.threads,
                                        .level = core_level_best() };
    int each = engine->geometry.spectra;
    const struct spectrum_layout layout = { .blocks = engine->geometry.gain_blocks,
                                            .lanes = engine->geometry.block,
                                            .rows = work->y.length,
                                            .column = places,
                                            .order = order,
                                            .part = each == 1 ? SPECTRUM_WHOLE
                                                    : odd     ? SPECTRUM_ODD_PART
                                                              : SPECTRUM_EVEN_PART,
                                            .scale = scale_of_gains(engine) };
    size_t bytes = spectrum_numbers(&grid, &layout, engine->real) * sizeof(float);
    size_t offset = bytes * (size_t)(number * each + odd);
    char *kept = engine->sampled ? engine->sampled : engine->filters.bytes;
    float *h = kept ? (float *)(void *)(kept + offset) : core_alloc(bytes, 1);
    int error = h ? spectrum_fill(&grid, &work->filters[number].response, engine->real, &layout, h)
                  : ABBE_ERR_MEMORY;
    if (error == ABBE_ERR_NONFINITE)
        core_fail(vk, error, "filter %d has a gain that is not finite", number + 1);
    else if (error)
        core_fail_memory(vk);
    else if (!kept || engine->sampled)
        error = vk_upload(vk, h, bytes, &engine->filters, offset);
    core_free(kept ? NULL : h);
    return error;
}

static int sample_spectra(struct vk *vk, struct engine *engine)
{
    const struct work *work = engine->work;
    int *order = list_frequencies(&engine->geometry.y), *places = list_column_places(engine);
    int error = order && places ? ABBE_OK : core_fail_memory(vk);
    for (int i = 0; i < work->filter_count && !error; i++)
        for (int odd = 0; odd < engine->geometry.spectra && !error; odd++)
            error = sample_spectrum(vk, engine, places, order, i, odd);
    core_free(order);
    core_free(places);
    return error;
}

int vk_spectra_create(struct vk *vk, struct engine *engine)
{
    const struct work *work = engine->work;
    if (engine->sampled)
        return vk_upload(vk, engine->sampled, (size_t)engine->geometry.filters, &engine->filters, 0);
    bool repeatable = true; /* spectra can be sampled again for another VkDevice */
    engine->real = true;
    for (int i = 0; i < work->filter_count; i++) {
        engine->real = engine->real && work->filters[i].real;
        repeatable = repeatable && !response_has_callback(&work->filters[i].response);
    }
    if (!repeatable) {
        engine->sampled = core_alloc((size_t)engine->geometry.filters, 1);
        if (!engine->sampled)
            return core_fail_memory(vk);
    }
    int error = sample_spectra(vk, engine);
    if (error) {
        core_free(engine->sampled);
        engine->sampled = NULL;
    }
    return error;
}

/* ---- Twiddles ----------------------------------------------------------------------------------------- */

int vk_twiddles_create(struct vk *vk, struct engine *engine)
{
    const struct vk_transform *x = &engine->geometry.x, *y = &engine->geometry.y;
    size_t first = vk_transform_pairs(x), count = first + vk_transform_pairs(y);
    float *pairs = core_alloc(count, 2 * sizeof *pairs);
    int error = pairs ? vk_transform_fill(x, pairs) : ABBE_ERR_MEMORY;
    if (!error)
        error = vk_transform_fill(y, pairs + 2 * first);
    error = error ? core_fail_memory(vk)
                  : vk_upload(vk, pairs, count * 2 * sizeof *pairs, &engine->tables, 0);
    core_free(pairs);
    return error;
}

/* ---- Taps in space: the components of a result in one box, as floats ---------------------------------- */

static int larger_of(int a, int b)
{
    return a > b ? a : b;
}

static const struct kernel *component_of(const struct work *work, int r, int i)
{
    const struct work_filter *filter = &work->filters[work->results[r].first + i];
    return work->method == ABBE_METHOD_DIRECT ? &filter->dense : &filter->factors;
}

/* Smallest box around the centres that holds every component of result r. */
static struct vk_kernel box_of(const struct work *work, int r)
{
    struct vk_kernel box = { 0 };
    int right = 0, below = 0;
    for (int i = 0; i < work->results[r].components; i++) {
        const struct kernel *kernel = component_of(work, r, i);
        box.centre_x = larger_of(box.centre_x, kernel->centre_x);
        box.centre_y = larger_of(box.centre_y, kernel->centre_y);
        right = larger_of(right, kernel->width - 1 - kernel->centre_x);
        below = larger_of(below, kernel->height - 1 - kernel->centre_y);
        box.terms += kernel->terms;
        box.first_terms += i ? 0 : kernel->terms;
    }
    box.width = box.centre_x + right + 1;
    box.height = box.centre_y + below + 1;
    return box;
}

static size_t box_floats(const struct work *work, int r, const struct vk_kernel *box)
{
    size_t width = (size_t)box->width, height = (size_t)box->height;
    return work->method == ABBE_METHOD_DIRECT ? (size_t)work->results[r].components * width * height
                                              : (size_t)box->terms * (width + height);
}

static void write_dense_taps(const struct vk_kernel *box, const struct kernel *kernel, float *taps)
{
    int right = box->centre_x - kernel->centre_x, down = box->centre_y - kernel->centre_y;
    for (int j = 0; j < kernel->height; j++)
        for (int i = 0; i < kernel->width; i++)
            taps[(size_t)(j + down) * box->width + i + right] =
                (float)kernel->taps[(size_t)j * kernel->width + i];
}

/* Writes the row factors as [term][width] and behind them the column factors as [term][height]. */
static void write_factors(const struct vk_kernel *box, const struct kernel *kernel, int first, float *taps)
{
    int right = box->centre_x - kernel->centre_x, down = box->centre_y - kernel->centre_y;
    float *columns = taps + (size_t)box->terms * box->width;
    for (int term = 0; term < kernel->terms; term++) {
        for (int i = 0; i < kernel->width; i++)
            taps[(size_t)(first + term) * box->width + i + right] =
                (float)kernel->rows[(size_t)term * kernel->width + i];
        for (int j = 0; j < kernel->height; j++)
            columns[(size_t)(first + term) * box->height + j + down] =
                (float)kernel->columns[(size_t)term * kernel->height + j];
    }
}

static void write_result_taps(const struct work *work, int r, const struct vk_kernel *box, float *taps)
{
    for (int i = 0; i < work->results[r].components; i++) {
        const struct kernel *kernel = component_of(work, r, i);
        if (work->method == ABBE_METHOD_DIRECT)
            write_dense_taps(box, kernel, taps + (size_t)i * box->width * box->height);
        else
            write_factors(box, kernel, i ? box->first_terms : 0, taps);
    }
}

int vk_kernels_create(struct vk *vk, struct engine *engine)
{
    const struct work *work = engine->work;
    engine->kernels = core_alloc_zero((size_t)work->result_count, sizeof *engine->kernels);
    if (!engine->kernels)
        return core_fail_memory(vk);
    size_t count = 0;
    for (int r = 0; r < work->result_count; r++) {
        engine->kernels[r] = box_of(work, r);
        engine->kernels[r].first = count;
        count += box_floats(work, r, &engine->kernels[r]);
    }
    float *taps = core_alloc_zero(count, sizeof *taps);
    if (!taps)
        return core_fail_memory(vk);
    for (int r = 0; r < work->result_count; r++)
        write_result_taps(work, r, &engine->kernels[r], taps + engine->kernels[r].first);
    int error = vk_upload(vk, taps, count * sizeof *taps, &engine->filters, 0);
    core_free(taps);
    return error;
}

/* ---- Maps: the source column or row of each coordinate of a region's window ---------------------------- */

/* Writes the maps of all regions along one axis from index `next` on, and their first indices to `starts`.
 * Returns the index behind them. Where one region is the picture, an entry is the pixel's column or row.
 * Otherwise the host lays out the border while it uploads a region, and an entry is the place in the window.
 * −1 is outside in both. */
static size_t fill_maps(const struct engine *engine, bool down, size_t next, uint32_t *starts, int32_t *maps)
{
    const struct vk_geometry *geometry = &engine->geometry;
    const struct work *work = engine->work;
    int pixels = down ? work->height : work->width, side = down ? geometry->region_y : geometry->region_x;
    int count = down ? geometry->regions_y : geometry->regions_x;
    for (int i = 0; i < count; i++) {
        struct region_span span = region_span(work, down, side, i);
        starts[i] = (uint32_t)next;
        for (int k = 0; k < span.window; k++) {
            long long coordinate = (long long)span.first - span.before + k;
            int index = core_border_index(work->border, coordinate, pixels);
            if (geometry->even) /* folded: even samples first, then the odd ones in reverse */
                index = 2 * k < pixels ? 2 * k : 2 * (pixels - k) - 1;
            maps[next++] = index < 0 || geometry->whole ? index : k;
        }
    }
    return next;
}

int vk_maps_create(struct vk *vk, struct engine *engine)
{
    const struct vk_geometry *geometry = &engine->geometry;
    int32_t *maps = core_alloc((size_t)(geometry->maps / sizeof(int32_t)), sizeof *maps);
    engine->maps_x = core_alloc((size_t)geometry->regions_x, sizeof(uint32_t));
    engine->maps_y = core_alloc((size_t)geometry->regions_y, sizeof(uint32_t));
    int error = maps && engine->maps_x && engine->maps_y ? ABBE_OK : core_fail_memory(vk);
    if (!error) {
        size_t used = fill_maps(engine, false, 0, engine->maps_x, maps);
        used = fill_maps(engine, true, used, engine->maps_y, maps);
        error = vk_upload(vk, maps, used * sizeof *maps, &engine->maps, 0);
    }
    core_free(maps);
    return error;
}
