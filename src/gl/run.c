/* One run: each region is brought to the device, filtered there, and taken back. */
#include "core/error.h"
#include "core/view.h"
#include "device/outside.h"
#include "gl/gl.h"

#include <time.h>

/* ---- Regions ------------------------------------------------------------------------------------------ */

/* Pixels of a region's side. */
static int side_of(const struct engine *engine, bool down)
{
    return down ? engine->geometry.region_y : engine->geometry.region_x;
}

static int regions_of(const struct engine *engine, bool down)
{
    return region_count(engine->work, down, side_of(engine, down));
}

bool gl_is_whole(const struct engine *engine)
{
    return regions_of(engine, false) == 1 && regions_of(engine, true) == 1;
}

/* ---- Times -------------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* OpenGL ES 3.0 has no clock of its own: whoever watches waits for every pass. */
void gl_pass_end(struct gl_region *region, const char *name)
{
    if (!region->watch)
        return;
    region->gl->f.Finish();
    double time = now();
    region_add_time(region->watch, region->engine->work->method == ABBE_METHOD_TILES ? "tiles" : name,
                    time - region->time);
    region->time = time;
}

/* ---- Pixels to the device ----------------------------------------------------------------------------- */

/* Rows that are whole texels, and whole texels apart, need not be copied first. */
static bool in_texels(const abbe_image *view)
{
    return core_row_bytes(view) % 16 == 0 && view->stride % 16 == 0 && view->stride > 0 &&
           view->stride / 16 <= INT32_MAX;
}

static void bring(const struct gl_region *region, const abbe_image *source)
{
    struct engine *engine = region->engine;
    bool whole = gl_is_whole(engine);
    int rows = whole ? source->height : region->y.window;
    if (whole && in_texels(source)) {
        gl_texture_fill(region->gl, &engine->source, 0, rows, (int)(source->stride / 16), source->data);
        return;
    }
    const struct region_copy copy = { region->gl->head.threads,
                                      engine->work,
                                      region->x,
                                      region->y,
                                      whole,
                                      (size_t)engine->geometry.source.width * 16 };
    region_gather(&copy, source, engine->staging);
    gl_texture_fill(region->gl, &engine->source, 0, rows, 0, engine->staging);
}

/* ---- Uniforms that several shaders share -------------------------------------------------------------- */

enum flag { LIGHT = 1, ALPHA = 2, PREMULTIPLY = 4, ZERO_NONFINITE = 8, LAID = 16 };

static int flags_of(const struct engine *engine)
{
    const struct work *work = engine->work;
    bool floats = work->source_type == ABBE_F16 || work->source_type == ABBE_F32;
    int flags = gl_is_whole(engine) ? 0 : LAID;
    flags |= work->linear_light ? LIGHT : 0;
    flags |= work->alpha != ABBE_ALPHA_NONE ? ALPHA : 0;
    flags |= work->alpha == ABBE_ALPHA_PREMULTIPLY ? PREMULTIPLY : 0;
    return flags | (work->nonfinite == ABBE_NONFINITE_ZERO && floats ? ZERO_NONFINITE : 0);
}

void gl_set_source(const struct gl_region *region)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    const struct work *work = engine->work;
    bool whole = gl_is_whole(engine);
    struct outside_pixel outside = outside_pixel(work);
    if (region->kind == GL_TEXTURES)
        gl_set_program_texture(gl, GL_UNIFORM_source, region->from);
    else
        gl_set_texture(gl, GL_UNIFORM_source, &engine->source);
    gl_set_int(gl, GL_UNIFORM_source_type, (int)work->source_type);
    gl_set_int(gl, GL_UNIFORM_channels, work->channels);
    gl_set_ints(gl, GL_UNIFORM_picture, work->width, work->height);
    gl_set_ints(gl, GL_UNIFORM_source_first, whole ? 0 : region->x.first - region->x.before,
                whole ? 0 : region->y.first - region->y.before);
    gl_set_int(gl, GL_UNIFORM_border, (int)work->border);
    gl_set_int(gl, GL_UNIFORM_flags, flags_of(engine));
    gl_set_int(gl, GL_UNIFORM_bottom_up, region->bottom_up);
    gl->f.Uniform2f(gl->used->locations[GL_UNIFORM_outside], outside.colour, outside.alpha);
}

void gl_set_windows(const struct gl_region *region, int first)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    const struct work *work = engine->work;
    bool fourier = engine->geometry.fourier;
    gl_set_ints(gl, GL_UNIFORM_origin, region->x.first - region->x.before,
                region->y.first - region->y.before);
    gl_set_ints(gl, GL_UNIFORM_tile_step, fourier ? work->x.step : region->x.results,
                fourier ? work->y.step : region->y.results);
    gl_set_int(gl, GL_UNIFORM_tiles, region->x.tiles * region->y.tiles);
    gl_set_int(gl, GL_UNIFORM_tiles_across, region->x.tiles);
    gl_set_int(gl, GL_UNIFORM_tiles_shared, fourier ? engine->geometry.shared : 1);
    gl_set_int(gl, GL_UNIFORM_groups, engine->geometry.groups);
    gl_set_int(gl, GL_UNIFORM_window_first, first);
}

void gl_load_window(const struct gl_region *region, int window, const struct gl_texture *to)
{
    struct gl *gl = region->gl;
    bool fourier = region->engine->geometry.fourier;
    gl_use(gl, region->engine->ends[region->kind].load);
    gl_set_source(region);
    gl_set_windows(region, window);
    gl_target_bind(gl, to, 0, 1);
    gl_draw(gl, 0, 0, fourier ? to->shape.width : region->x.window,
            fourier ? to->shape.height : region->y.window);
}

/* ---- Pixels back -------------------------------------------------------------------------------------- */

static void take_back(const struct gl_region *region, const abbe_image *result)
{
    struct gl *gl = region->gl;
    struct engine *engine = region->engine;
    size_t bytes = (size_t)region->x.results * (size_t)result->channels * abbe_type_size(result->type);
    int texels = (int)((bytes + 15) / 16);
    bool at_once = gl_is_whole(engine) && in_texels(result);
    gl->f.PixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->f.PixelStorei(GL_PACK_ROW_LENGTH, at_once ? (int)(result->stride / 16) : 0);
    gl->f.ReadPixels(0, 0, texels, region->y.results, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
                     at_once ? result->data : engine->staging);
    if (at_once)
        return;
    const struct region_copy copy = {
        .threads = gl->head.threads, .x = region->x, .y = region->y, .pitch = (size_t)texels * 16
    };
    region_scatter(&copy, engine->staging, result);
}

static void set_finish(const struct gl_region *region, int r, const struct gl_texture *first,
                       const struct gl_texture *second)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    const struct work *work = engine->work;
    bool grid = engine->geometry.fourier && !engine->geometry.apart;
    gl_use(gl, engine->ends[region->kind].finish);
    gl_set_source(region);
    gl_set_windows(region, 0);
    gl_set_texture(gl, GL_UNIFORM_results, first);
    gl_set_texture(gl, GL_UNIFORM_others, second ? second : first);
    gl_set_ints(gl, GL_UNIFORM_size, region->x.results, region->y.results);
    gl_set_ints(gl, GL_UNIFORM_region_first, region->x.first, region->y.first);
    gl_set_ints(gl, GL_UNIFORM_read_first, grid ? work->x.before : 0, grid ? work->y.before : 0);
    gl_set_int(gl, GL_UNIFORM_result_type, (int)work->result_type);
    gl_set_int(gl, GL_UNIFORM_components, work->results[r].components);
    gl_set_float(gl, GL_UNIFORM_alpha_gain, work->results[r].alpha_gain);
    gl_set_float(gl, GL_UNIFORM_offset, work->offset);
    if (grid && engine->geometry.engine == GL_FAST)
        gl_fast_set_read(region, engine->geometry.windows);
}

int gl_finish(struct gl_region *region, int r, const struct gl_texture *first,
              const struct gl_texture *second)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    bool views = region->kind == GL_VIEWS;
    int error = ABBE_OK;
    set_finish(region, r, first, second);
    if (views)
        gl_target_bind(gl, &engine->packed, 0, 1);
    else
        error = gl_result_bind(gl, region->to[r]);
    if (error)
        return error;
    gl_draw(gl, 0, 0, views ? engine->packed.shape.width : region->x.results, region->y.results);
    gl_pass_end(region, engine->geometry.fourier ? "rows back" : abbe_method_name(engine->work->method));
    error = gl_check(gl, "filtering");
    if (error || !views)
        return error;
    take_back(region, &region->results[r]);
    region->time = now();
    return gl_check(gl, "reading a result");
}

/* ---- All of it ---------------------------------------------------------------------------------------- */

int gl_run_region(struct gl_region *region, int column, int row, const abbe_image *source)
{
    const struct engine *engine = region->engine;
    region->x = region_span(engine->work, false, side_of(engine, false), column);
    region->y = region_span(engine->work, true, side_of(engine, true), row);
    if (source)
        bring(region, source);
    if (region->watch)
        region->gl->f.Finish();
    region->time = now();
    return engine->geometry.fourier ? gl_run_fourier(region) : gl_run_space(region);
}

static int run_regions(struct gl_region *region, const abbe_image *source)
{
    const struct engine *engine = region->engine;
    int columns = regions_of(engine, false), rows = regions_of(engine, true), error = ABBE_OK;
    for (int i = 0; i < columns * rows && !error; i++) {
        error = gl_run_region(region, i % columns, i / columns, source);
        if (!error && region->watch && region->watch->progress)
            region->watch->progress(region->watch->user, (double)(i + 1) / (columns * rows));
    }
    return error;
}

int gl_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
           const abbe_image *results, abbe_watch *watch)
{
    struct gl_region region = { .gl = (struct gl *)device,
                                .engine = (struct engine *)engine, /* what it writes there is the context's */
                                .results = results,
                                .watch = watch };
    bool at_once = gl_is_whole(engine) && engine->work->result_count == 1; /* each is taken back by itself */
    abbe_image kept = *source;
    int error = gl_enter(region.gl);
    if (error)
        return error;
    error = gl_engine_prepare(region.gl, region.engine, GL_VIEWS);
    if (!error)
        error = region_keep(device, engine->work, at_once, source, results, &kept);
    if (!error)
        error = run_regions(&region, &kept);
    region_release(source, &kept, error);
    gl_leave(region.gl);
    return error;
}
