/* From a work to all that does not depend on pixels: spectra or taps, and programs. */
#include "core/error.h"
#include "core/memory.h"
#include "gl/gl.h"

/* Textures can be pictures of four channels and of types that formats have. */
static int kinds_of(const struct gl *gl, const struct work *work)
{
    bool stored = work->source_type != ABBE_U16 && work->result_type != ABBE_U16;
    return gl->guest && work->channels == 4 && stored ? GL_KINDS : 1;
}

static int get_finish(struct gl *gl, struct engine *engine, enum gl_read read)
{
    int error = ABBE_OK;
    for (int kind = 0; kind < engine->kinds && !error; kind++)
        error = gl_program_get(gl, GL_SHADER_FINISH, &engine->ends[kind].finish, "#define READ %d\n%s",
                               (int)read, gl_finish_lines(engine->work, (enum gl_kind)kind).text);
    return error;
}

static int get_load(struct gl *gl, struct engine *engine)
{
    int error = ABBE_OK;
    for (int kind = 0; kind < engine->kinds && !error; kind++)
        error = gl_program_get(gl, GL_SHADER_LOAD, &engine->ends[kind].load, "%s",
                               gl_source_lines(engine->work, (enum gl_kind)kind).text);
    return error;
}

/* What engines of one window at a time share: they load it, and leave their results as they lie. */
static int create_natural(struct gl *gl, struct engine *engine)
{
    int error = get_load(gl, engine);
    return error ? error
                 : gl_program_get(gl, GL_SHADER_COPY, &engine->copy, "#define READ %d\n#define WHOLE 0\n",
                                  (int)GL_READ_WINDOWS);
}

static int create_engine(struct gl *gl, struct engine *engine)
{
    switch (engine->geometry.engine) {
    case GL_FAST: return gl_fast_create(gl, engine);
    case GL_FIALKA: return gl_fialka_create(gl, engine);
    case GL_MORELAND: return gl_moreland_create(gl, engine);
    }
    return ABBE_OK;
}

static int create_fourier(struct gl *gl, struct engine *engine)
{
    int error = gl_spectra_create(gl, engine);
    if (!error && engine->geometry.engine != GL_FAST)
        error = create_natural(gl, engine);
    if (!error)
        error = create_engine(gl, engine);
    if (!error && !engine->ends[GL_VIEWS].finish)
        error = get_finish(gl, engine, GL_READ_FLAT);
    return error;
}

static int create_space(struct gl *gl, struct engine *engine)
{
    bool direct = engine->work->method == ABBE_METHOD_DIRECT;
    int error = gl_kernels_create(gl, engine);
    if (!error)
        error = get_load(gl, engine);
    if (!error)
        error = gl_program_get(gl, GL_SHADER_SEPARABLE_ROWS, &engine->programs[0], "%s", "");
    if (!error)
        error = gl_program_get(gl, direct ? GL_SHADER_DIRECT : GL_SHADER_SEPARABLE_COLUMNS,
                               &engine->programs[1], "%s", "");
    return error ? error : get_finish(gl, engine, GL_READ_ROWS);
}

static int fill_engine(struct gl *gl, struct engine *engine)
{
    int error = gl_enter(gl);
    if (error)
        return error;
    error = engine->geometry.fourier ? create_fourier(gl, engine) : create_space(gl, engine);
    gl_leave(gl);
    return error;
}

int gl_engine_create(abbe_device *device, const struct work *work, struct engine **engine)
{
    struct gl *gl = (struct gl *)device;
    struct engine *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(device);
    made->work = work;
    made->kinds = kinds_of(gl, work);
    const char *reason = gl_geometry_plan(gl, work, &made->geometry);
    int error = reason ? core_fail(device, ABBE_ERR_UNSUPPORTED, "gl: %s", reason) : ABBE_OK;
    if (!error)
        error = fill_engine(gl, made);
    if (error) {
        gl_engine_destroy(device, made);
        return error;
    }
    *engine = made;
    return ABBE_OK;
}

/* ---- What a run uses ---------------------------------------------------------------------------------- */

/* A texture whose layers are drawn to `each` at a time. */
static int make(struct gl *gl, const struct gl_shape *shape, int each, struct gl_texture *texture)
{
    int error = gl_texture_create(gl, shape, texture);
    for (int first = 0; first < shape->layers && !error && each; first += each)
        error = gl_target_create(gl, texture, first, each);
    return error;
}

/* Steps of the fast engine draw to the first layers, as many as their radix has results. */
static int make_grids(struct gl *gl, struct engine *engine)
{
    const struct gl_geometry *g = &engine->geometry;
    int error = ABBE_OK;
    for (int i = 0; i < g->grids && !error; i++) {
        error = gl_texture_create(gl, &g->grid, &engine->grids[i]);
        for (int count = 1; count <= g->grid.layers && !error; count++)
            error = gl_target_create(gl, &engine->grids[i], 0, count);
    }
    return error;
}

static int make_textures(struct gl *gl, struct engine *engine)
{
    const struct gl_geometry *g = &engine->geometry;
    int error = g->fourier ? ABBE_OK : make(gl, &g->window, 1, &engine->window);
    if (!error)
        error = make_grids(gl, engine);
    engine->wides = error ? NULL : core_alloc_zero((size_t)g->wides + 1, sizeof *engine->wides);
    if (!error && !engine->wides)
        error = core_fail_memory(gl);
    for (int i = 0; i < g->wides && !error; i++)
        error = make(gl, &g->wide, g->fourier ? 1 : 4, &engine->wides[i]);
    for (int i = 0; i < g->sums_count && !error; i++)
        error = make(gl, &g->sum, 4, &engine->sums[i]);
    for (int i = 0; i < g->row_sums_count && !error; i++)
        error = make(gl, &g->row_sum, 4, &engine->row_sums[i]);
    return error;
}

/* What views pass through on their way to the device and back. */
static int make_host(struct gl *gl, struct engine *engine)
{
    const struct gl_geometry *g = &engine->geometry;
    int error = make(gl, &g->source, 0, &engine->source);
    if (!error)
        error = make(gl, &g->packed, 1, &engine->packed);
    if (!error) {
        engine->staging = core_alloc((size_t)g->staging, 1);
        error = engine->staging ? ABBE_OK : core_fail_memory(gl);
    }
    return error;
}

/* With NULL for a device that cannot be entered, only what lies in memory. */
static void release(struct gl *gl, struct engine *engine)
{
    gl_texture_destroy(gl, &engine->source);
    gl_texture_destroy(gl, &engine->packed);
    gl_texture_destroy(gl, &engine->window);
    for (int i = 0; i < GL_GRIDS_MAX; i++)
        gl_texture_destroy(gl, &engine->grids[i]);
    for (int i = 0; i < engine->geometry.wides && engine->wides; i++)
        gl_texture_destroy(gl, &engine->wides[i]);
    for (int i = 0; i < 2; i++) {
        gl_texture_destroy(gl, &engine->sums[i]);
        gl_texture_destroy(gl, &engine->row_sums[i]);
    }
    core_free(engine->wides);
    core_free(engine->staging);
    engine->wides = NULL;
    engine->staging = NULL;
    engine->ready = engine->host_ready = false;
}

int gl_engine_prepare(struct gl *gl, struct engine *engine, enum gl_kind kind)
{
    int error = engine->ready ? ABBE_OK : make_textures(gl, engine);
    engine->ready = !error;
    if (!error && kind == GL_VIEWS && !engine->host_ready) {
        error = make_host(gl, engine);
        engine->host_ready = !error;
    }
    if (error)
        release(gl, engine);
    return error;
}

void gl_engine_destroy(abbe_device *device, struct engine *engine)
{
    struct gl *gl = (struct gl *)device, *entered = gl_enter(gl) ? NULL : gl;
    release(entered, engine);
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
    core_free(engine->pieces);
    core_free(engine->first_piece);
    core_free(engine);
}
