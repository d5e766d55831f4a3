/* Contents of an engine's buffers: spectra and twiddles, or taps in space, and the maps of borders. */
#include "core/error.h"
#include "core/memory.h"
#include "cuda/engine.h"
#include "device/gpu_gains.h"

/* ---- Spectra ------------------------------------------------------------------------------------------ */

static int sample_spectra(struct cuda *cuda, struct engine *engine, const struct gpu_gains *gains)
{
    int error = ABBE_OK, count = engine->work->filter_count * engine->geometry.spectra;
    float *h = core_alloc(gains->bytes, 1);
    if (!h)
        return core_fail_memory(cuda);
    for (int i = 0; i < count && !error; i++) {
        error = gpu_gains_sample(&cuda->head, gains, i, h);
        if (!error)
            error = cuda_upload(cuda, h, gains->bytes, &engine->filters, gains->bytes * (size_t)i);
    }
    core_free(h);
    return error;
}

int cuda_spectra_create(struct cuda *cuda, struct engine *engine)
{
    const struct cuda_geometry *g = &engine->geometry;
    const struct work *work = engine->work;
    int columns = gpu_gains_columns(work),
        kept = g->single && !g->even ? work->x.length / 2 + 1 : work->x.length;
    int *order = core_alloc((size_t)work->y.length, sizeof *order);
    int *places = core_alloc((size_t)columns, sizeof *places);
    struct gpu_gains gains = { 0 };
    const struct gpu_gain_layout layout = { .work = work,
                                            .threads = cuda->head.threads,
                                            .real = engine->real,
                                            .columns = kept,
                                            .blocks = kept,
                                            .lanes = 1,
                                            .parts_x = 1,
                                            .parts_y = 1,
                                            .spectra = g->spectra,
                                            .half = g->half,
                                            .order = order,
                                            .places = places };
    bool room = order && places;
    if (room)
        cuda_geometry_order(g, order, places, columns);
    int error = !room || gpu_gains_prepare(&layout, &gains) ? core_fail_memory(cuda)
                                                            : sample_spectra(cuda, engine, &gains);
    gpu_gains_release(&gains);
    core_free(places);
    core_free(order);
    return error;
}

/* ---- Twiddles ----------------------------------------------------------------------------------------- */

int cuda_twiddles_create(struct cuda *cuda, struct engine *engine)
{
    const struct cuda_transform *x = &engine->geometry.x, *y = &engine->geometry.y;
    size_t first = cuda_transform_floats(x), count = first + cuda_transform_floats(y);
    float *table = core_alloc_zero(count, sizeof *table);
    int error = table ? cuda_transform_fill(x, table) : ABBE_ERR_MEMORY;
    if (!error)
        error = cuda_transform_fill(y, table + first);
    error = error ? core_fail_memory(cuda)
                  : cuda_upload(cuda, table, count * sizeof *table, &engine->tables, 0);
    core_free(table);
    return error;
}

/* ---- Taps in space ------------------------------------------------------------------------------------ */

int cuda_taps_create(struct cuda *cuda, struct engine *engine)
{
    const struct work *work = engine->work;
    engine->kernels = core_alloc_zero((size_t)work->result_count, sizeof *engine->kernels);
    if (!engine->kernels)
        return core_fail_memory(cuda);
    size_t count = taps_place(work, engine->kernels);
    float *taps = core_alloc_zero(count, sizeof *taps);
    if (!taps)
        return core_fail_memory(cuda);
    taps_write(work, engine->kernels, taps);
    int error = cuda_upload(cuda, taps, count * sizeof *taps, &engine->filters, 0);
    core_free(taps);
    return error;
}

/* ---- Maps of borders ---------------------------------------------------------------------------------- */

int cuda_maps_create(struct cuda *cuda, struct engine *engine)
{
    const struct cuda_geometry *g = &engine->geometry;
    const struct region_layout layout = {
        .side_x = g->region_x, .side_y = g->region_y, .even = g->even, .outside_row = -1
    };
    int32_t *maps = core_alloc((size_t)(g->maps / sizeof(int32_t)), sizeof *maps);
    engine->maps_x = core_alloc((size_t)g->regions_x, sizeof(uint32_t));
    engine->maps_y = core_alloc((size_t)g->regions_y, sizeof(uint32_t));
    int error = maps && engine->maps_x && engine->maps_y ? ABBE_OK : core_fail_memory(cuda);
    if (!error) {
        size_t used = region_fill_maps(engine->work, &layout, engine->maps_x, engine->maps_y, maps);
        error = cuda_upload(cuda, maps, used * sizeof *maps, &engine->maps, 0);
    }
    core_free(maps);
    return error;
}
