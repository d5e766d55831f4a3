/* Pipelines: which shaders and constants an engine needs, each compiled once and
 * kept until the device closes. */
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/engine.h"

#include <string.h>

struct vk_pipeline {
    struct vk_pipeline *next;
    enum vk_shader shader;
    enum vk_variant variant;
    struct vk_constants constants;
    VkPipeline pipeline;
};

/* Shader modules are created when the first pipeline needs them. */
static VkResult find_module(struct vk *vk, enum vk_shader shader, enum vk_variant variant,
                            VkShaderModule *module)
{
    VkShaderModule *kept = &vk->shaders[shader][variant];
    const struct vk_code *code = &vk_codes[shader][variant];
    const VkShaderModuleCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = code->bytes,
                                            .pCode = code->words };
    VkResult result = *kept ? VK_SUCCESS : vk->f.CreateShaderModule(vk->device, &info, NULL, kept);
    *module = *kept;
    return result;
}

static VkResult compile_pipeline(struct vk *vk, struct vk_pipeline *pipeline)
{
    VkShaderModule module;
    VkResult result = find_module(vk, pipeline->shader, pipeline->variant, &module);
    if (result)
        return result;
    VkSpecializationMapEntry entries[ABVK_CONSTANTS];
    for (uint32_t i = 0; i < ABVK_CONSTANTS; i++)
        entries[i] = (VkSpecializationMapEntry){ i, i * (uint32_t)sizeof(uint32_t), sizeof(uint32_t) };
    const VkSpecializationInfo constants = { ABVK_CONSTANTS, entries, sizeof pipeline->constants,
                                             &pipeline->constants };
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                   .module = module,
                   .pName = "main",
                   .pSpecializationInfo = &constants },
        .layout = vk->pipeline_layout,
    };
    return vk->f.CreateComputePipelines(vk->device, vk->cache, 1, &info, NULL, &pipeline->pipeline);
}

static struct vk_pipeline *find_pipeline(const struct vk *vk, enum vk_shader shader, enum vk_variant variant,
                                         const struct vk_constants *constants)
{
    struct vk_pipeline *one = vk->pipelines;
    while (one && (one->shader != shader || one->variant != variant ||
                   memcmp(&one->constants, constants, sizeof *constants)))
        one = one->next;
    return one;
}

static int add_pipeline(struct vk *vk, enum vk_shader shader, enum vk_variant variant,
                        const struct vk_constants *constants)
{
    struct vk_pipeline *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(vk);
    made->shader = shader;
    made->variant = variant;
    made->constants = *constants;
    VkResult result = compile_pipeline(vk, made);
    if (result) {
        core_free(made);
        return vk_fail(vk, result, "compiling a shader");
    }
    made->next = vk->pipelines;
    vk->pipelines = made;
    return ABBE_OK;
}

/* Returns the pipeline of a shader and its constants, compiled once. Errors: DEVICE, MEMORY. */
static int get_pipeline(struct vk *vk, enum vk_shader shader, enum vk_variant variant,
                        const struct vk_constants *constants, VkPipeline *pipeline)
{
    pthread_mutex_lock(&vk->lock);
    int error = find_pipeline(vk, shader, variant, constants) ? ABBE_OK
                                                              : add_pipeline(vk, shader, variant, constants);
    if (!error)
        *pipeline = find_pipeline(vk, shader, variant, constants)->pipeline;
    pthread_mutex_unlock(&vk->lock);
    return error;
}

void vk_pipelines_destroy(struct vk *vk)
{
    while (vk->pipelines) {
        struct vk_pipeline *gone = vk->pipelines;
        vk->pipelines = gone->next;
        vk->f.DestroyPipeline(vk->device, gone->pipeline, NULL);
        core_free(gone);
    }
    for (int i = 0; i < ABVK_SHADERS * ABVK_VARIANTS; i++)
        vk->f.DestroyShaderModule(vk->device, vk->shaders[i / ABVK_VARIANTS][i % ABVK_VARIANTS], NULL);
    memset(vk->shaders, 0, sizeof vk->shaders);
}

/* ---- Pipelines of an engine ---------------------------------------------------------------------------- */

/* Flags of shaders that load or store pixels. */
static uint32_t pixel_flags(const struct engine *engine)
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

/* Flags of shaders that load pixels only. */
static uint32_t load_flags(const struct engine *engine)
{
    bool integers = engine->work->source_type == ABBE_U8 || engine->work->source_type == ABBE_U16;
    return engine->work->nonfinite == ABBE_NONFINITE_ZERO && !integers ? ABVK_FLAG_ZERO_NONFINITE : 0;
}

/* Whether a result has that many components. */
static bool has_components(const struct work *work, int components)
{
    for (int i = 0; i < work->result_count; i++)
        if (work->results[i].components == components)
            return true;
    return false;
}

/* Variants of shaders: that touch no picture, that read the source, that store results, that do both. */
static enum vk_variant buffer_variant(const struct engine *engine)
{
    return engine->geometry.planes == 1 ? ABVK_VARIANT_PLANE : ABVK_VARIANT_PLANES;
}

static enum vk_variant reader_variant(const struct engine *engine, const struct vk_pipeline_set *set)
{
    return set->from_image ? ABVK_VARIANT_FROM_IMAGE : buffer_variant(engine);
}

static enum vk_variant writer_variant(const struct engine *engine, const struct vk_pipeline_set *set)
{
    return set->to_image ? ABVK_VARIANT_TO_IMAGE : buffer_variant(engine);
}

static enum vk_variant reader_writer_variant(const struct engine *engine, const struct vk_pipeline_set *set)
{
    if (!set->to_image)
        return reader_variant(engine, set);
    return set->from_image ? ABVK_VARIANT_IMAGES : ABVK_VARIANT_TO_IMAGE;
}

/* Gets the pipelines that store results of one and of two components, as far as the work has them. */
static int get_writers(struct vk *vk, const struct engine *engine, enum vk_shader shader,
                       enum vk_variant variant, struct vk_constants constants, VkPipeline pipelines[2])
{
    const struct work *work = engine->work;
    int error = ABBE_OK;
    constants.values[ABVK_RESULT_TYPE] = engine->geometry.wide ? ABBE_F32 : (uint32_t)work->result_type;
    constants.values[ABVK_FLAGS] |= engine->geometry.wide ? ABVK_FLAG_WIDE : pixel_flags(engine);
    constants.values[ABVK_FLAGS] |= engine->geometry.packed ? ABVK_FLAG_PACKED : 0;
    for (int components = 1; components <= 2 && !error; components++) {
        if (components == 2)
            constants.values[ABVK_FLAGS] |= ABVK_FLAG_MAGNITUDE;
        if (has_components(work, components))
            error = get_pipeline(vk, shader, variant, &constants, &pipelines[components - 1]);
    }
    return error;
}

static int get_finish_pipeline(struct vk *vk, const struct engine *engine, struct vk_pipeline_set *set)
{
    struct vk_constants constants = { .values = { [ABVK_WORKGROUP] = ABVK_FINISH_THREADS,
                                                  [ABVK_SOURCE_TYPE] = (uint32_t)engine->work->source_type,
                                                  [ABVK_RESULT_TYPE] = (uint32_t)engine->work->result_type,
                                                  [ABVK_FLAGS] = pixel_flags(engine) } };
    constants.values[ABVK_FLAGS] |= engine->geometry.even ? ABVK_FLAG_EVEN : 0;
    return engine->geometry.wide ? get_pipeline(vk, ABVK_SHADER_FINISH, reader_writer_variant(engine, set),
                                                &constants, &set->finish)
                                 : ABBE_OK;
}

static bool has_few_stages(const struct vk_transform *transform)
{
    for (int i = 0; i < transform->stages; i++)
        if (transform->radices[i] > ABVK_FEW_RADIX)
            return false;
    return transform->stages <= ABVK_FEW_STAGES;
}

/* The shader of a pass for Bluestein's algorithm, a long transform, a grid in 16 bits or few stages. */
static enum vk_shader shader_for(const struct engine *engine, enum vk_shader shader,
                                 const struct vk_transform *transform)
{
    bool bluestein = transform->points > transform->length;
    if (transform->parts > 1)
        return (enum vk_shader)(shader + ABVK_SHADER_ROWS_LONG - ABVK_SHADER_ROWS);
    int kind = engine->geometry.half       ? ABVK_SHADER_ROWS_HALF - ABVK_SHADER_ROWS
               : has_few_stages(transform) ? ABVK_SHADER_ROWS_FEW - ABVK_SHADER_ROWS
                                           : 0;
    return (enum vk_shader)((int)shader + kind +
                            (bluestein ? ABVK_SHADER_ROWS_BLUESTEIN - ABVK_SHADER_ROWS : 0));
}

/* A pass is fastest when it starts with the large powers of two: the forward transform of rows and columns,
 * the inverse transform of rows back. */
static void set_transforms(const struct vk *vk, const struct vk_geometry *geometry, struct vk_constants *rows,
                           struct vk_constants *columns, struct vk_constants *back)
{
    struct vk_workgroup row = { .lanes = geometry->lanes, .channels = 2 * geometry->planes };
    const struct vk_workgroup column = { .lanes = geometry->column_lanes,
                                         .channels = row.channels * (geometry->two_columns ? 2 : 1),
                                         .side_by_side = true,
                                         .reversed = true };
    vk_transform_constants(vk, &geometry->x, &row, back);
    row.reversed = true;
    vk_transform_constants(vk, &geometry->x, &row, rows);
    vk_transform_constants(vk, &geometry->y, &column, columns);
}

static int get_fourier(struct vk *vk, const struct engine *engine, struct vk_pipeline_set *set)
{
    const struct vk_geometry *geometry = &engine->geometry;
    const struct work *work = engine->work;
    uint32_t sharing = geometry->single ? ABVK_FLAG_SINGLE : geometry->mixed ? ABVK_FLAG_MIXED : 0;
    uint32_t window = geometry->interior ? ABVK_FLAG_INTERIOR : geometry->even ? ABVK_FLAG_EVEN : 0;
    uint32_t parts = geometry->spectra > 1 ? ABVK_FLAG_ODD : 0;
    uint32_t gather = geometry->gathered ? ABVK_FLAG_GATHER : 0;
    struct vk_constants rows = { .values = { [ABVK_BLOCK] = (uint32_t)geometry->block,
                                             [ABVK_BAND] = (uint32_t)geometry->band,
                                             [ABVK_COLUMNS] = (uint32_t)geometry->columns } };
    struct vk_constants columns = rows, back = rows;
    set_transforms(vk, geometry, &rows, &columns, &back);
    rows.values[ABVK_SOURCE_TYPE] = (uint32_t)work->source_type;
    rows.values[ABVK_FLAGS] = pixel_flags(engine) | load_flags(engine) | sharing | window | gather;
    back.values[ABVK_FLAGS] = sharing | window | parts;
    back.values[ABVK_SOURCE_TYPE] = ABBE_F32;
    columns.values[ABVK_FLAGS] = (engine->real ? ABVK_FLAG_REAL : 0) |
                                 (work->filter_count * geometry->spectra > 1 ? ABVK_FLAG_BANK : 0);
    columns.values[ABVK_FLAGS] |= sharing | window | parts | gather |
                                  (geometry->two_columns ? ABVK_FLAG_TWO_COLUMNS : 0);
    int error = get_pipeline(vk, shader_for(engine, ABVK_SHADER_ROWS, &geometry->x),
                             reader_variant(engine, set), &rows, &set->rows);
    if (!error)
        error = get_pipeline(vk, shader_for(engine, ABVK_SHADER_COLUMNS, &geometry->y),
                             geometry->two_columns ? ABVK_VARIANT_PLANES : buffer_variant(engine), &columns,
                             &set->columns);
    return error ? error
                 : get_writers(vk, engine, shader_for(engine, ABVK_SHADER_ROWS_BACK, &geometry->x),
                               writer_variant(engine, set), back, set->rows_back);
}

static uint32_t tap_flags(double taps)
{
    return taps > ABVK_PART ? ABVK_FLAG_MANY_TAPS : 0;
}

static int get_direct(struct vk *vk, const struct engine *engine, struct vk_pipeline_set *set)
{
    const struct work *work = engine->work;
    double taps = (1.0 + work->left + work->right) * (1.0 + work->above + work->below);
    const struct vk_constants constants = {
        .values = { [ABVK_WORKGROUP] = ABVK_DIRECT_THREADS,
                    [ABVK_SOURCE_TYPE] = (uint32_t)work->source_type,
                    [ABVK_FLAGS] = pixel_flags(engine) | load_flags(engine) | tap_flags(taps) }
    };
    return get_writers(vk, engine, ABVK_SHADER_DIRECT, reader_writer_variant(engine, set), constants,
                       set->direct);
}

static int get_separable(struct vk *vk, const struct engine *engine, struct vk_pipeline_set *set)
{
    const struct vk_constants rows = { .values = { [ABVK_WORKGROUP] = ABVK_SEPARABLE_THREADS,
                                                   [ABVK_SOURCE_TYPE] = (uint32_t)engine->work->source_type,
                                                   [ABVK_FLAGS] = pixel_flags(engine) |
                                                                  load_flags(engine) } };
    const struct vk_constants columns = { .values = { [ABVK_WORKGROUP] = ABVK_SEPARABLE_THREADS,
                                                      [ABVK_SOURCE_TYPE] = ABBE_F32,
                                                      [ABVK_FLAGS] = tap_flags(1.0 + engine->work->above +
                                                                               engine->work->below) } };
    int error = get_pipeline(vk, ABVK_SHADER_SEPARABLE_ROWS, reader_variant(engine, set), &rows,
                             &set->separable_rows);
    return error ? error
                 : get_writers(vk, engine, ABVK_SHADER_SEPARABLE_COLUMNS, writer_variant(engine, set),
                               columns, set->separable_columns);
}

int vk_engine_pipelines(struct vk *vk, const struct engine *engine, struct vk_pipeline_set *set)
{
    int error = engine->geometry.fourier                     ? get_fourier(vk, engine, set)
                : engine->work->method == ABBE_METHOD_DIRECT ? get_direct(vk, engine, set)
                                                             : get_separable(vk, engine, set);
    return error ? error : get_finish_pipeline(vk, engine, set);
}
