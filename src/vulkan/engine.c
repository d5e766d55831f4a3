/* From a work to all that does not depend on pixels: spectra or taps, tables, maps, pipelines. */
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/recording.h"

static uint32_t flags_of(const struct engine *engine)
{
    const struct work *work = engine->work;
    uint32_t flags = 0;
    flags |= work->linear_light ? ABVK_FLAG_LIGHT : 0;
    flags |= work->alpha != ABBE_ALPHA_NONE ? ABVK_FLAG_ALPHA : 0;
    flags |= work->alpha == ABBE_ALPHA_PREMULTIPLY ? ABVK_FLAG_PREMULTIPLY : 0;
    flags |= work->channels == 4 ? ABVK_FLAG_QUAD : 0;
    flags |= work->offset != 0 ? ABVK_FLAG_OFFSET : 0;
    return flags;
}

static uint32_t load_flags(const struct engine *engine)
{
    bool integers = engine->work->source_type == ABBE_U8 || engine->work->source_type == ABBE_U16;
    return engine->work->nonfinite == ABBE_NONFINITE_ZERO && !integers ? ABVK_FLAG_ZERO_NONFINITE : 0;
}

/* Whether some result has that many components. */
static bool has_components(const struct work *work, int components)
{
    for (int i = 0; i < work->result_count; i++)
        if (work->results[i].components == components)
            return true;
    return false;
}

/* Shaders that read and store no picture, that read the source, that store results, and that do both. */
static enum vk_variant plain(const struct engine *engine)
{
    return engine->geometry.planes == 1 ? ABVK_VARIANT_PLANE : ABVK_VARIANT_PLANES;
}

static enum vk_variant reading(const struct engine *engine, const struct vk_pipeline_set *set)
{
    return set->from_image ? ABVK_VARIANT_FROM_IMAGE : plain(engine);
}

static enum vk_variant storing(const struct engine *engine, const struct vk_pipeline_set *set)
{
    return set->to_image ? ABVK_VARIANT_TO_IMAGE : plain(engine);
}

static enum vk_variant reading_storing(const struct engine *engine, const struct vk_pipeline_set *set)
{
    if (!set->to_image)
        return reading(engine, set);
    return set->from_image ? ABVK_VARIANT_IMAGES : ABVK_VARIANT_TO_IMAGE;
}

/* Stored results of one and of two components. */
static int get_storing(struct vk *vk, const struct engine *engine, enum vk_shader shader,
                       enum vk_variant variant, struct vk_constants constants, VkPipeline pipelines[2])
{
    const struct work *work = engine->work;
    int error = ABBE_OK;
    constants.values[ABVK_RESULT_TYPE] = engine->geometry.wide ? ABBE_F32 : (uint32_t)work->result_type;
    constants.values[ABVK_FLAGS] |= engine->geometry.wide ? ABVK_FLAG_WIDE : flags_of(engine);
    constants.values[ABVK_FLAGS] |= engine->geometry.packed ? ABVK_FLAG_PACKED : 0;
    for (int components = 1; components <= 2 && !error; components++) {
        if (components == 2)
            constants.values[ABVK_FLAGS] |= ABVK_FLAG_MAGNITUDE;
        if (has_components(work, components))
            error = vk_pipeline_get(vk, shader, variant, &constants, &pipelines[components - 1]);
    }
    return error;
}

static int get_finish(struct vk *vk, const struct engine *engine, struct vk_pipeline_set *set)
{
    struct vk_constants constants = { .values = { [ABVK_WORKGROUP] = ABVK_FINISH_THREADS,
                                                  [ABVK_SOURCE_TYPE] = (uint32_t)engine->work->source_type,
                                                  [ABVK_RESULT_TYPE] = (uint32_t)engine->work->result_type,
                                                  [ABVK_FLAGS] = flags_of(engine) } };
    return engine->geometry.wide ? vk_pipeline_get(vk, ABVK_SHADER_FINISH, reading_storing(engine, set),
                                                   &constants, &set->finish)
                                 : ABBE_OK;
}

/* Bluestein's algorithm is a shader of its own, and so are parts of long transforms and a grid in 16 bits. */
static enum vk_shader shader_for(const struct engine *engine, enum vk_shader shader,
                                 const struct vk_transform *transform)
{
    bool bluestein = transform->points > transform->length;
    if (transform->parts > 1)
        return (enum vk_shader)(shader + ABVK_SHADER_ROWS_LONG - ABVK_SHADER_ROWS);
    return (enum vk_shader)(shader + (bluestein ? ABVK_SHADER_ROWS_BLUESTEIN - ABVK_SHADER_ROWS : 0) +
                            (engine->geometry.half ? ABVK_SHADER_ROWS_HALF - ABVK_SHADER_ROWS : 0));
}

/* Passes are quickest when they begin with the large powers of two: rows and columns on their way there, rows back on
 * its way back. */
static void set_transforms(const struct vk *vk, const struct vk_geometry *geometry, struct vk_constants *rows,
                           struct vk_constants *columns, struct vk_constants *back)
{
    struct vk_workgroup row = { .lanes = geometry->lanes, .channels = 2 * geometry->planes };
    const struct vk_workgroup column = { .lanes = geometry->column_lanes,
                                         .channels = row.channels * (geometry->twin ? 2 : 1),
                                         .side_by_side = true,
                                         .turned_round = true };
    vk_transform_constants(vk, &geometry->x, &row, back);
    row.turned_round = true;
    vk_transform_constants(vk, &geometry->x, &row, rows);
    vk_transform_constants(vk, &geometry->y, &column, columns);
}

static int get_fourier(struct vk *vk, const struct engine *engine, struct vk_pipeline_set *set)
{
    const struct vk_geometry *geometry = &engine->geometry;
    const struct work *work = engine->work;
    uint32_t sharing = geometry->lone ? ABVK_FLAG_SINGLE : geometry->odd ? ABVK_FLAG_MIXED : 0;
    uint32_t window = geometry->plain ? ABVK_FLAG_INTERIOR : 0;
    struct vk_constants rows = { .values = { [ABVK_BLOCK] = (uint32_t)geometry->block,
                                             [ABVK_BAND] = (uint32_t)geometry->band,
                                             [ABVK_COLUMNS] = (uint32_t)geometry->columns } },
                        columns = rows, back = rows;
    set_transforms(vk, geometry, &rows, &columns, &back);
    rows.values[ABVK_SOURCE_TYPE] = (uint32_t)work->source_type;
    rows.values[ABVK_FLAGS] = flags_of(engine) | load_flags(engine) | sharing | window;
    back.values[ABVK_FLAGS] = sharing | window;
    back.values[ABVK_SOURCE_TYPE] = ABBE_F32;
    columns.values[ABVK_FLAGS] = (engine->real ? ABVK_FLAG_REAL : 0) |
                                 (work->filter_count > 1 ? ABVK_FLAG_BANK : 0) | window;
    columns.values[ABVK_FLAGS] |= (geometry->odd ? ABVK_FLAG_MIXED : 0) |
                                  (geometry->twin ? ABVK_FLAG_TWO_COLUMNS : 0);
    int error = vk_pipeline_get(vk, shader_for(engine, ABVK_SHADER_ROWS, &geometry->x), reading(engine, set),
                                &rows, &set->rows);
    if (!error)
        error = vk_pipeline_get(vk, shader_for(engine, ABVK_SHADER_COLUMNS, &geometry->y),
                                geometry->twin ? ABVK_VARIANT_PLANES : plain(engine), &columns,
                                &set->columns);
    return error ? error
                 : get_storing(vk, engine, shader_for(engine, ABVK_SHADER_ROWS_BACK, &geometry->x),
                               storing(engine, set), back, set->rows_back);
}

static int get_direct(struct vk *vk, const struct engine *engine, struct vk_pipeline_set *set)
{
    const struct vk_constants constants = { .values = {
                                                [ABVK_WORKGROUP] = ABVK_DIRECT_THREADS,
                                                [ABVK_SOURCE_TYPE] = (uint32_t)engine->work->source_type,
                                                [ABVK_FLAGS] = flags_of(engine) | load_flags(engine) } };
    return get_storing(vk, engine, ABVK_SHADER_DIRECT, reading_storing(engine, set), constants, set->direct);
}

static int get_separable(struct vk *vk, const struct engine *engine, struct vk_pipeline_set *set)
{
    const struct vk_constants rows = { .values = { [ABVK_WORKGROUP] = ABVK_SEPARABLE_THREADS,
                                                   [ABVK_SOURCE_TYPE] = (uint32_t)engine->work->source_type,
                                                   [ABVK_FLAGS] = flags_of(engine) | load_flags(engine) } };
    const struct vk_constants columns = {
        .values = { [ABVK_WORKGROUP] = ABVK_SEPARABLE_THREADS, [ABVK_SOURCE_TYPE] = ABBE_F32 }
    };
    int error = vk_pipeline_get(vk, ABVK_SHADER_SEPARABLE_ROWS, reading(engine, set), &rows,
                                &set->separable_rows);
    return error ? error
                 : get_storing(vk, engine, ABVK_SHADER_SEPARABLE_COLUMNS, storing(engine, set), columns,
                               set->separable_columns);
}

int vk_engine_pipelines(struct vk *vk, const struct engine *engine, struct vk_pipeline_set *set)
{
    int error = engine->geometry.fourier                     ? get_fourier(vk, engine, set)
                : engine->work->method == ABBE_METHOD_DIRECT ? get_direct(vk, engine, set)
                                                             : get_separable(vk, engine, set);
    return error ? error : get_finish(vk, engine, set);
}

static int get_run_pipelines(struct vk *vk, struct engine *engine)
{
    int error = engine->runs ? ABBE_OK : vk_engine_pipelines(vk, engine, &engine->pipelines);
    engine->runs = !error;
    return error;
}

int vk_engine_run_pipelines(struct vk *vk, struct engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    int error = get_run_pipelines(vk, engine);
    pthread_mutex_unlock(&engine->lock);
    return error;
}

static int create_buffers(struct vk *vk, struct engine *engine)
{
    const struct vk_geometry *geometry = &engine->geometry;
    VkResult result = vk_buffer_create(vk, (VkDeviceSize)geometry->filters, ABVK_MEMORY_DEVICE,
                                       &engine->filters);
    if (!result)
        result = vk_buffer_create(vk, (VkDeviceSize)geometry->tables, ABVK_MEMORY_DEVICE, &engine->tables);
    if (!result)
        result = vk_buffer_create(vk, (VkDeviceSize)geometry->maps, ABVK_MEMORY_DEVICE, &engine->maps);
    return result ? vk_fail(vk, result, "making the plan's buffers") : ABBE_OK;
}

int vk_engine_fill(struct vk *vk, struct engine *engine)
{
    engine->generation = vk->generation;
    int error = create_buffers(vk, engine);
    if (!error)
        error = vk_maps_create(vk, engine);
    if (!error && engine->geometry.fourier)
        error = vk_tables_create(vk, engine);
    if (!error)
        error = engine->geometry.fourier ? vk_spectra_create(vk, engine) : vk_kernels_create(vk, engine);
    return error || vk->adopted ? error : get_run_pipelines(vk, engine);
}

void vk_engine_empty(struct vk *vk, struct engine *engine)
{
    vk_contexts_abandon(vk, engine);
    vk_buffer_destroy(vk, &engine->filters);
    vk_buffer_destroy(vk, &engine->tables);
    vk_buffer_destroy(vk, &engine->maps);
    core_free(engine->maps_x);
    core_free(engine->maps_y);
    core_free(engine->kernels);
    engine->maps_x = engine->maps_y = NULL;
    engine->kernels = NULL;
    engine->pipelines = (struct vk_pipeline_set){ 0 };
    engine->runs = false;
}

/* ---- Engines of a device ------------------------------------------------------------------------------ */

/* The list is safe from who replaces the device by vk->presence, from others by vk->lock. */
static void enlist(struct vk *vk, struct engine *engine)
{
    pthread_rwlock_rdlock(&vk->presence);
    pthread_mutex_lock(&vk->lock);
    engine->next = vk->engines;
    vk->engines = engine;
    pthread_mutex_unlock(&vk->lock);
    pthread_rwlock_unlock(&vk->presence);
}

static void strike_off(struct vk *vk, struct engine *engine)
{
    pthread_rwlock_rdlock(&vk->presence);
    if (engine->generation == vk->generation)
        vk_engine_empty(vk, engine);
    pthread_mutex_lock(&vk->lock);
    struct engine **place = &vk->engines;
    while (*place != engine)
        place = &(*place)->next;
    *place = engine->next;
    pthread_mutex_unlock(&vk->lock);
    pthread_rwlock_unlock(&vk->presence);
}

static int fill_once(struct vk *vk, void *engine)
{
    int error = vk_engine_fill(vk, engine);
    if (error)
        vk_engine_empty(vk, engine);
    return error;
}

int vk_engine_create(abbe_device *device, const struct work *work, struct engine **engine)
{
    struct vk *vk = (struct vk *)device;
    struct engine *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(device);
    made->work = work;
    pthread_mutex_init(&made->lock, NULL);
    enlist(vk, made);
    const char *reason = vk_geometry_plan(vk, work, &made->geometry);
    int error = reason ? core_fail(device, ABBE_ERR_UNSUPPORTED, "vulkan: %s", reason)
                       : vk_attempt(vk, fill_once, made);
    if (error) {
        vk_engine_destroy(device, made);
        return error;
    }
    *engine = made;
    return ABBE_OK;
}

void vk_engine_destroy(abbe_device *device, struct engine *engine)
{
    strike_off((struct vk *)device, engine);
    core_free(engine->sampled);
    pthread_mutex_destroy(&engine->lock);
    core_free(engine);
}
