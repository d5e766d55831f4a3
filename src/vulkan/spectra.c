/* Spectra and twiddles of an engine that works in the Fourier plane. */
#include "filter/spectra.h"
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

/* [block][v][BLOCK] to [block][v][re | im][BLOCK], for a real spectrum in a bank of others. */
static float *widened(const struct vk_geometry *geometry, const float *real)
{
    size_t block = (size_t)geometry->block, rows = (size_t)geometry->gain_blocks * geometry->y.length;
    float *pairs = core_alloc_zero(rows, 2 * block * sizeof *pairs);
    for (size_t i = 0; pairs && i < rows * block; i++)
        pairs[i / block * 2 * block + i % block] = real[i];
    return pairs;
}

static int upload_spectrum(struct vk *vk, struct engine *engine, const struct spectrum *spectrum, int number)
{
    const struct vk_geometry *geometry = &engine->geometry;
    size_t one = (size_t)geometry->gain_blocks * geometry->block * geometry->y.length * sizeof(float);
    float *pairs = spectrum->real && !engine->real ? widened(geometry, spectrum->pair) : NULL;
    if (spectrum->real && !engine->real && !pairs)
        return core_fail_memory(vk);
    const float *values = pairs ? pairs : spectrum->pair;
    size_t bytes = engine->real ? one : 2 * one;
    int error = vk_upload(vk, values, bytes, &engine->filters, bytes * (size_t)number);
    if (engine->sampled)
        memcpy((char *)engine->sampled + bytes * (size_t)number, values, bytes);
    core_free(pairs);
    return error;
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

static int create_spectrum(struct vk *vk, struct engine *engine, const int *places, const int *order,
                           int number)
{
    const struct work *work = engine->work;
    const struct spectrum_grid grid = { work->x.length, work->y.length, work->correlate, vk->head.threads };
    const struct spectrum_layout layout = { engine->geometry.gain_blocks, engine->geometry.block, places,
                                            order, scale_of(engine) };
    struct spectrum spectrum = { 0 };
    int error = spectrum_create(&grid, &work->filters[number].response, &layout, NULL, &spectrum);
    if (error == ABBE_ERR_NONFINITE)
        core_fail(vk, error, "filter %d has a gain that is not finite", number + 1);
    else if (error)
        core_fail_memory(vk);
    else
        error = upload_spectrum(vk, engine, &spectrum, number);
    spectrum_free(&spectrum);
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
