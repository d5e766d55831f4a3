/* Contents of an engine's buffers: spectra and twiddles, or taps in space, and the maps of borders. */
#include "core/error.h"
#include "core/memory.h"
#include "device/gpu_gains.h"
#include "vulkan/engine.h"

/* ---- Spectra ------------------------------------------------------------------------------------------ */

static struct gpu_gain_layout layout_of(const struct vk *vk, const struct engine *engine)
{
    const struct vk_geometry *g = &engine->geometry;
    return (struct gpu_gain_layout){ .work = engine->work,
                                     .threads = vk->head.threads,
                                     .real = engine->real,
                                     .columns = g->gains,
                                     .blocks = g->gain_blocks,
                                     .lanes = g->block,
                                     .parts_x = g->x.parts,
                                     .parts_y = g->y.parts,
                                     .spectra = g->spectra,
                                     .half = g->half };
}

/* Samples spectrum `number` of all filters: into `sampled` if there is one, straight into the device's memory
 * where the host sees it, otherwise into a temporary array that is uploaded. */
static int sample_spectrum(struct vk *vk, struct engine *engine, const struct gpu_gains *gains, int number)
{
    size_t bytes = gains->bytes, offset = bytes * (size_t)number;
    char *kept = engine->sampled ? engine->sampled : engine->filters.bytes;
    float *h = kept ? (float *)(void *)(kept + offset) : core_alloc(bytes, 1);
    int error = h ? gpu_gains_sample(&vk->head, gains, number, h) : core_fail_memory(vk);
    if (!error && (!kept || engine->sampled))
        error = vk_upload(vk, h, bytes, &engine->filters, offset);
    core_free(kept ? NULL : h);
    return error;
}

static int sample_spectra(struct vk *vk, struct engine *engine)
{
    const struct gpu_gain_layout layout = layout_of(vk, engine);
    struct gpu_gains gains;
    int error = gpu_gains_prepare(&layout, &gains) ? core_fail_memory(vk) : ABBE_OK;
    for (int i = 0; i < engine->work->filter_count * layout.spectra && !error; i++)
        error = sample_spectrum(vk, engine, &gains, i);
    gpu_gains_release(&gains);
    return error;
}

int vk_spectra_create(struct vk *vk, struct engine *engine)
{
    const struct work *work = engine->work;
    if (engine->sampled)
        return vk_upload(vk, engine->sampled, (size_t)engine->geometry.filters, &engine->filters, 0);
    engine->real = gpu_gains_are_real(work);
    if (!gpu_gains_are_repeatable(work)) { /* for another VkDevice */
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

/* ---- Taps in space ------------------------------------------------------------------------------------ */

int vk_kernels_create(struct vk *vk, struct engine *engine)
{
    const struct work *work = engine->work;
    engine->kernels = core_alloc_zero((size_t)work->result_count, sizeof *engine->kernels);
    if (!engine->kernels)
        return core_fail_memory(vk);
    size_t count = taps_place(work, engine->kernels);
    float *taps = core_alloc_zero(count, sizeof *taps);
    if (!taps)
        return core_fail_memory(vk);
    taps_write(work, engine->kernels, taps);
    int error = vk_upload(vk, taps, count * sizeof *taps, &engine->filters, 0);
    core_free(taps);
    return error;
}

/* ---- Maps of borders ---------------------------------------------------------------------------------- */

int vk_maps_create(struct vk *vk, struct engine *engine)
{
    const struct vk_geometry *g = &engine->geometry;
    const struct region_layout layout = { .side_x = g->region_x,
                                          .side_y = g->region_y,
                                          .even = g->even,
                                          .outside_row = g->gathered ? engine->work->height : -1 };
    int32_t *maps = core_alloc((size_t)(g->maps / sizeof(int32_t)), sizeof *maps);
    engine->maps_x = core_alloc((size_t)g->regions_x, sizeof(uint32_t));
    engine->maps_y = core_alloc((size_t)g->regions_y, sizeof(uint32_t));
    int error = maps && engine->maps_x && engine->maps_y ? ABBE_OK : core_fail_memory(vk);
    if (!error) {
        size_t used = region_fill_maps(engine->work, &layout, engine->maps_x, engine->maps_y, maps);
        error = vk_upload(vk, maps, used * sizeof *maps, &engine->maps, 0);
    }
    core_free(maps);
    return error;
}
