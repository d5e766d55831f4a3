/* Spectra and twiddles of an engine that works in the Fourier plane. */
#include "filter/sampling/spectra.h"
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/vk.h"

#include <string.h>

/* The frequency that stands at each place of an axis: natural order, or part behind part. */
static int *frequencies(const struct vk_transform *transform)
{
    int *order = core_alloc((size_t)transform->length, sizeof *order),
        each = transform->length / transform->parts;
    for (int i = 0; order && i < transform->length; i++)
        order[i] = i % each * transform->parts + i / each;
    return order;
}

/* Where column u stands; none where half of them are enough. */
static int *column_places(const struct engine *engine)
{
    const struct vk_transform *x = &engine->geometry.x;
    int *places = core_alloc((size_t)x->length, sizeof *places), each = x->length / x->parts;
    for (int u = 0; places && u < x->length; u++)
        places[u] = u < engine->geometry.gains ? u % x->parts * each + u / x->parts : -1;
    return places;
}

/* Of H. What is kept in 16 bits is divided by the root of a row's points, once before the columns and once after. */
static double scale_of(const struct engine *engine)
{
    const struct work *work = engine->work;
    return 1 / ((engine->geometry.half ? 1.0 : work->x.length) * work->y.length);
}

/* Straight into the device's memory where the host sees it; from `sampled`, which lasts, where that is kept. */
static int create_spectrum(struct vk *vk, struct engine *engine, const int *places, const int *order,
                           int number)
{
    const struct work *work = engine->work;
    const struct spectrum_grid grid = { .width = work->x.length,
                                        .height = work->y.length,
                                        .correlate = work->correlate,
                                        .threads = vk->head.threads,
                                        .level = core_level_best() };
    const struct spectrum_layout layout = { engine->geometry.gain_blocks, engine->geometry.block, places,
                                            order, scale_of(engine) };
    size_t bytes = spectrum_floats(&grid, &layout, engine->real) * sizeof(float);
    size_t offset = bytes * (size_t)number;
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
    int *order = frequencies(&engine->geometry.y), *places = column_places(engine);
    int error = order && places ? ABBE_OK : core_fail_memory(vk);
    for (int i = 0; i < work->filter_count && !error; i++)
        error = create_spectrum(vk, engine, places, order, i);
    core_free(order);
    core_free(places);
    return error;
}

int vk_spectra_create(struct vk *vk, struct engine *engine)
{
    const struct work *work = engine->work;
    if (engine->sampled)
        return vk_upload(vk, engine->sampled, (size_t)engine->geometry.filters, &engine->filters, 0);
    bool again = true; /* may they be sampled */
    engine->real = true;
    for (int i = 0; i < work->filter_count; i++) {
        engine->real = engine->real && work->filters[i].real;
        again = again && !response_has_callback(&work->filters[i].response);
    }
    if (!again) {
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

int vk_tables_create(struct vk *vk, struct engine *engine)
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
