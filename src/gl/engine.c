/* Engines: from a work to everything that does not depend on pixels, and the textures of a run. */
#include "gl/engine.h"

#include "core/error.h"
#include "core/memory.h"

static int get_finish_programs(struct gl *gl, struct engine *engine, enum gl_read read)
{
    int error = ABBE_OK;
    for (int kind = 0; kind < engine->kinds && !error; kind++)
        error = gl_program_get(gl, ABGL_SHADER_FINISH, &engine->picture_programs[kind].finish,
                               "#define READ %d\n%s", (int)read,
                               gl_finish_defines(engine->work, (enum gl_picture_kind)kind).text);
    return error;
}

static int get_load_programs(struct gl *gl, struct engine *engine)
{
    int error = ABBE_OK;
    for (int kind = 0; kind < engine->kinds && !error; kind++)
        error = gl_program_get(gl, ABGL_SHADER_LOAD, &engine->picture_programs[kind].load, "%s",
                               gl_source_defines(engine->work, (enum gl_picture_kind)kind).text);
    return error;
}

static int create_fourier(struct gl *gl, struct engine *engine)
{
    enum gl_engine kind = engine->geometry.engine;
    int error = gl_spectra_create(gl, engine);
    /* The engines of 2003 and 2006 load one window at a time and leave it in natural order. */
    if (!error && kind != ABGL_FAST)
        error = get_load_programs(gl, engine);
    if (!error && kind != ABGL_FAST)
        error = gl_program_get(gl, ABGL_SHADER_COPY, &engine->copy, "#define READ %d\n#define WHOLE 0\n",
                               (int)ABGL_READ_WINDOWS);
    if (error)
        return error;
    switch (kind) {
    case ABGL_FAST: error = gl_fast_create(gl, engine); break;
    case ABGL_FIALKA: error = gl_fialka_create(gl, engine); break;
    case ABGL_MORELAND: error = gl_moreland_create(gl, engine); break;
    }
    if (!error && !engine->picture_programs[ABGL_VIEWS].finish)
        error = get_finish_programs(gl, engine, ABGL_READ_FLAT);
    return error;
}

/* programs[0] convolves rows and programs[1] columns, or both (DIRECT). */
static int create_space(struct gl *gl, struct engine *engine)
{
    bool direct = engine->work->method == ABBE_METHOD_DIRECT;
    int error = gl_kernels_create(gl, engine);
    if (!error)
        error = get_load_programs(gl, engine);
    if (!error)
        error = gl_program_get(gl, ABGL_SHADER_SEPARABLE_ROWS, &engine->programs[0], "%s", "");
    if (!error)
        error = gl_program_get(gl, direct ? ABGL_SHADER_DIRECT : ABGL_SHADER_SEPARABLE_COLUMNS,
                               &engine->programs[1], "%s", "");
    return error ? error : get_finish_programs(gl, engine, ABGL_READ_ROWS);
}

int gl_engine_create(abbe_device *device, const struct work *work, struct engine **engine)
{
    struct gl *gl = (struct gl *)device;
    struct engine *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(device);
    made->work = work;
    /* Textures of the application have four channels and a format for every type except U16. */
    bool textures = gl->adopted && work->channels == 4 && work->source_type != ABBE_U16 &&
                    work->result_type != ABBE_U16;
    made->kinds = textures ? ABGL_KINDS : 1;
    const char *reason = gl_geometry_plan(gl, work, &made->geometry);
    int error = reason ? core_fail(device, ABBE_ERR_UNSUPPORTED, "gl: %s", reason) : gl_enter(gl);
    if (!error) {
        error = made->geometry.fourier ? create_fourier(gl, made) : create_space(gl, made);
        gl_leave(gl);
    }
    if (error) {
        gl_engine_destroy(device, made);
        return error;
    }
    *engine = made;
    return ABBE_OK;
}

/* ---- Resources of a run ------------------------------------------------------------------------------- */

/* Creates a texture, and render targets of `each` of its layers; none where `each` is 0. */
static int create_target_texture(struct gl *gl, const struct gl_shape *shape, int each,
                                 struct gl_texture *texture)
{
    int error = gl_texture_create(gl, shape, texture);
    for (int first = 0; first < shape->layers && !error && each; first += each)
        error = gl_target_create(gl, texture, first, each);
    return error;
}

static int create_run_textures(struct gl *gl, struct engine *engine)
{
    const struct gl_geometry *g = &engine->geometry;
    int error = g->fourier ? ABBE_OK : create_target_texture(gl, &g->window, 1, &engine->window);
    for (int i = 0; i < g->grid_count && !error; i++) {
        error = gl_texture_create(gl, &g->grid, &engine->grids[i]);
        /* Steps of the fast engine draw as many of the first layers as they have results. */
        for (int count = 1; count <= g->grid.layers && !error; count++)
            error = gl_target_create(gl, &engine->grids[i], 0, count);
    }
    engine->filtered = error ? NULL
                             : core_alloc_zero((size_t)g->filtered_count + 1, sizeof *engine->filtered);
    if (!error && !engine->filtered)
        error = core_fail_memory(gl);
    for (int i = 0; i < g->filtered_count && !error; i++)
        error = create_target_texture(gl, &g->filtered, g->fourier ? 1 : 4, &engine->filtered[i]);
    for (int i = 0; i < g->sum_count && !error; i++)
        error = create_target_texture(gl, &g->sum, 4, &engine->sums[i]);
    for (int i = 0; i < g->row_sum_count && !error; i++)
        error = create_target_texture(gl, &g->row_sum, 4, &engine->row_sums[i]);
    return error;
}

/* Creates what only runs on views need: textures for upload and download, and staging memory. */
static int create_view_resources(struct gl *gl, struct engine *engine)
{
    const struct gl_geometry *g = &engine->geometry;
    int error = create_target_texture(gl, &g->source, 0, &engine->source);
    if (!error)
        error = create_target_texture(gl, &g->result, 1, &engine->result);
    if (!error) {
        engine->staging = core_alloc((size_t)g->staging_bytes, 1);
        error = engine->staging ? ABBE_OK : core_fail_memory(gl);
    }
    return error;
}

/* Destroys the resources of a run. `gl` is NULL when the context cannot be entered; only memory is freed
 * then. */
static void destroy_run_resources(struct gl *gl, struct engine *engine)
{
    gl_texture_destroy(gl, &engine->source);
    gl_texture_destroy(gl, &engine->result);
    gl_texture_destroy(gl, &engine->window);
    for (int i = 0; i < ABGL_GRIDS_MAX; i++)
        gl_texture_destroy(gl, &engine->grids[i]);
    for (int i = 0; i < engine->geometry.filtered_count && engine->filtered; i++)
        gl_texture_destroy(gl, &engine->filtered[i]);
    for (int i = 0; i < 2; i++) {
        gl_texture_destroy(gl, &engine->sums[i]);
        gl_texture_destroy(gl, &engine->row_sums[i]);
    }
    core_free(engine->filtered);
    core_free(engine->staging);
    engine->filtered = NULL;
    engine->staging = NULL;
    engine->ready = engine->host_ready = false;
}

int gl_engine_prepare(struct gl *gl, struct engine *engine, enum gl_picture_kind kind)
{
    int error = engine->ready ? ABBE_OK : create_run_textures(gl, engine);
    engine->ready = !error;
    if (!error && kind == ABGL_VIEWS && !engine->host_ready) {
        error = create_view_resources(gl, engine);
        engine->host_ready = !error;
    }
    if (error)
        destroy_run_resources(gl, engine);
    return error;
}

void gl_engine_destroy(abbe_device *device, struct engine *engine)
{
    struct gl *gl = (struct gl *)device, *entered = gl_enter(gl) ? NULL : gl;
    destroy_run_resources(entered, engine);
    for (int i = 0; i < engine->work->filter_count && engine->spectra; i++)
        gl_texture_destroy(entered, &engine->spectra[i]);
    for (int i = 0; i < 2; i++) {
        gl_texture_destroy(entered, &engine->twiddles[i]);
        gl_texture_destroy(entered, &engine->lookups[i]);
    }
    if (entered) {
        gl->f.DeleteBuffers(1, &engine->taps);
        gl_leave(gl);
    }
    core_free(engine->spectra);
    core_free(engine->kernel_passes);
    core_free(engine->first_kernel_pass);
    core_free(engine);
}
