/* One run on views: each region is uploaded, filtered and downloaded. */
#include "gl/run.h"
#include "core/error.h"
#include "core/pixels.h"
#include "core/view.h"
#include "device/outside.h"
#include "gl/adopted.h"

#include <time.h>

/* ---- Regions ------------------------------------------------------------------------------------------ */

bool gl_is_whole(const struct engine *engine)
{
    const struct gl_geometry *geometry = &engine->geometry;
    return region_count(engine->work, false, geometry->region_x) == 1 &&
           region_count(engine->work, true, geometry->region_y) == 1;
}

/* ---- Times -------------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* OpenGL ES 3.0 cannot measure times on the GPU: a run that is watched waits for every pass. */
void gl_pass_end(struct gl_region *region, const char *name)
{
    if (!region->watch)
        return;
    region->gl->f.Finish();
    double time = seconds_now();
    region_add_time(region->watch, region->engine->work->method == ABBE_METHOD_TILES ? "tiles" : name,
                    time - region->time);
    region->stopped = region->stopped || device_report(region->watch, region->done);
    region->time = seconds_now();
}

/* ---- Upload ------------------------------------------------------------------------------------------- */

/* Whether a view can be transferred without a copy: rows and strides are multiples of a texel of 16 bytes. */
static bool is_in_texels(const abbe_image *view)
{
    ptrdiff_t stride = core_row_step(view);
    return core_is_packed(view) && core_native_type(view->type) == view->type &&
           core_row_bytes(view) % 16 == 0 && stride % 16 == 0 && stride > 0 && stride / 16 <= INT32_MAX;
}

static void upload_source(const struct gl_region *region, const abbe_image *source)
{
    struct engine *engine = region->engine;
    bool whole = gl_is_whole(engine);
    int rows = whole ? source->height : region->y.window;
    if (whole && !region->pedestal.used && is_in_texels(source)) {
        gl_texture_fill(region->gl, &engine->source, 0, rows, (int)(core_row_step(source) / 16),
                        source->data);
        return;
    }
    const struct region_copy copy = { region->gl->head.threads,
                                      engine->work,
                                      region->x,
                                      region->y,
                                      whole,
                                      (size_t)engine->geometry.source.width * 16,
                                      region->pedestal.used ? region->pedestal.level : NULL };
    region_gather(&copy, source, engine->staging);
    gl_texture_fill(region->gl, &engine->source, 0, rows, 0, engine->staging);
}

/* ---- Uniforms that several shaders share -------------------------------------------------------------- */

/* Bits of the uniform `flags`; see source.glsl. */
enum source_flag { LIGHT = 1, ALPHA = 2, PREMULTIPLY = 4, ZERO_NONFINITE = 8, GATHERED = 16 };

static int source_flags(const struct engine *engine)
{
    const struct work *work = engine->work;
    bool floats = work->source_type == ABBE_F16 || work->source_type == ABBE_F32;
    int flags = gl_is_whole(engine) ? 0 : GATHERED;
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
    if (region->kind == ABGL_TEXTURES)
        gl_set_application_texture(gl, ABGL_UNIFORM_source, region->source_texture);
    else
        gl_set_texture(gl, ABGL_UNIFORM_source, &engine->source);
    gl_set_int(gl, ABGL_UNIFORM_source_type, (int)work->source_type);
    gl_set_int(gl, ABGL_UNIFORM_channels, work->channels);
    gl_set_ints(gl, ABGL_UNIFORM_picture, work->width, work->height);
    gl_set_ints(gl, ABGL_UNIFORM_source_first, whole ? 0 : region->x.first - region->x.before,
                whole ? 0 : region->y.first - region->y.before);
    gl_set_int(gl, ABGL_UNIFORM_border, (int)work->border);
    gl_set_int(gl, ABGL_UNIFORM_flags, source_flags(engine));
    gl_set_int(gl, ABGL_UNIFORM_bottom_up, region->bottom_up);
    gl->f.Uniform2f(gl->current->locations[ABGL_UNIFORM_outside], (float)outside.colour,
                    (float)outside.alpha);
}

void gl_set_windows(const struct gl_region *region, int first)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    const struct work *work = engine->work;
    bool fourier = engine->geometry.fourier;
    gl_set_ints(gl, ABGL_UNIFORM_origin, region->x.first - region->x.before,
                region->y.first - region->y.before);
    gl_set_ints(gl, ABGL_UNIFORM_tile_step, fourier ? work->x.step : region->x.results,
                fourier ? work->y.step : region->y.results);
    gl_set_int(gl, ABGL_UNIFORM_tiles, region->x.tiles * region->y.tiles);
    gl_set_int(gl, ABGL_UNIFORM_tiles_across, region->x.tiles);
    gl_set_int(gl, ABGL_UNIFORM_tiles_per_texel, fourier ? engine->geometry.tiles_per_texel : 1);
    gl_set_int(gl, ABGL_UNIFORM_groups, engine->geometry.groups);
    gl_set_int(gl, ABGL_UNIFORM_window_first, first);
}

void gl_load_window(const struct gl_region *region, int window, const struct gl_texture *to)
{
    struct gl *gl = region->gl;
    bool fourier = region->engine->geometry.fourier;
    gl_use_program(gl, region->engine->picture_programs[region->kind].load);
    gl_set_source(region);
    gl_set_windows(region, window);
    gl_target_bind(gl, to, 0, 1);
    gl_draw(gl, 0, 0, fourier ? to->shape.width : region->x.window,
            fourier ? to->shape.height : region->y.window);
}

/* ---- Download ----------------------------------------------------------------------------------------- */

/* Nothing of a result that could not be read is written. */
static int download_result(const struct gl_region *region, int r)
{
    const abbe_image *result = &region->results[r];
    struct gl *gl = region->gl;
    struct engine *engine = region->engine;
    size_t bytes = (size_t)region->x.results * (size_t)result->channels *
                   abbe_type_size(engine->work->result_type);
    int texels = (int)((bytes + 15) / 16);
    bool less = region->pedestal.used, direct = gl_is_whole(engine) && !less && is_in_texels(result);
    gl->f.PixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->f.PixelStorei(GL_PACK_ROW_LENGTH, direct ? (int)(core_row_step(result) / 16) : 0);
    gl->f.ReadPixels(0, 0, texels, region->y.results, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
                     direct ? result->data : engine->staging);
    int error = gl_check(gl, "reading a result");
    if (error || direct)
        return error;
    double add[ABBE_CHANNELS_MAX];
    pedestal_filter(engine->work, &region->pedestal, r, add);
    const struct region_copy copy = { .threads = gl->head.threads,
                                      .x = region->x,
                                      .y = region->y,
                                      .pitch = (size_t)texels * 16,
                                      .pedestal = less ? add : NULL };
    region_scatter(&copy, engine->staging, result);
    return ABBE_OK;
}

static void set_finish(const struct gl_region *region, int r, const struct gl_texture *first,
                       const struct gl_texture *second)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    const struct work *work = engine->work;
    bool grid = engine->geometry.fourier && !engine->geometry.copies_windows;
    gl_use_program(gl, engine->picture_programs[region->kind].finish);
    gl_set_source(region);
    gl_set_windows(region, 0);
    gl_set_texture(gl, ABGL_UNIFORM_results, first);
    gl_set_texture(gl, ABGL_UNIFORM_others, second ? second : first);
    gl_set_ints(gl, ABGL_UNIFORM_size, region->x.results, region->y.results);
    gl_set_ints(gl, ABGL_UNIFORM_region_first, region->x.first, region->y.first);
    gl_set_ints(gl, ABGL_UNIFORM_read_first, grid ? work->x.before : 0, grid ? work->y.before : 0);
    gl_set_int(gl, ABGL_UNIFORM_result_type, (int)work->result_type);
    gl_set_int(gl, ABGL_UNIFORM_components, work->results[r].components);
    gl_set_float(gl, ABGL_UNIFORM_alpha_gain, (float)work->results[r].alpha_gain);
    gl_set_float(gl, ABGL_UNIFORM_offset, (float)work->offset);
    if (grid && engine->geometry.engine == ABGL_FAST)
        gl_fast_set_read(region, engine->geometry.windows);
}

int gl_finish(struct gl_region *region, int r, const struct gl_texture *first,
              const struct gl_texture *second)
{
    struct gl *gl = region->gl;
    const struct engine *engine = region->engine;
    bool views = region->kind == ABGL_VIEWS;
    int error = ABBE_OK;
    set_finish(region, r, first, second);
    if (views)
        gl_target_bind(gl, &engine->result, 0, 1);
    else
        error = gl_bind_result_texture(gl, region->result_textures[r]);
    if (error)
        return error;
    gl_draw(gl, 0, 0, views ? engine->result.shape.width : region->x.results, region->y.results);
    gl_pass_end(region, engine->geometry.fourier ? "rows back" : abbe_method_name(engine->work->method));
    if (views || !gl->adopted->alone) /* textures are of an adopted context */
        error = gl_check(gl, "filtering");
    if (error || !views)
        return error;
    region->done = (region->number + (r + 1.0) / engine->work->result_count) / region->count;
    if (region->stopped || device_report(region->watch, region->done))
        return ABBE_ERR_CANCELLED;
    error = download_result(region, r);
    region->time = seconds_now();
    return error;
}

/* ---- The run ------------------------------------------------------------------------------------------ */

int gl_run_region(struct gl_region *region, int column, int row, const abbe_image *source)
{
    const struct engine *engine = region->engine;
    region->x = region_span(engine->work, false, engine->geometry.region_x, column);
    region->y = region_span(engine->work, true, engine->geometry.region_y, row);
    if (source)
        upload_source(region, source);
    if (region->watch)
        region->gl->f.Finish();
    region->time = seconds_now();
    return engine->geometry.fourier ? gl_run_fourier(region) : gl_run_space(region);
}

int gl_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
           const abbe_image *results, struct watch *watch)
{
    struct gl_region region = {
        .gl = (struct gl *)device,
        .engine = (struct engine *)engine, /* written only while the context is entered */
        .results = results,
        .watch = watch
    };
    /* Each result is downloaded as soon as it is finished. */
    bool at_once = gl_is_whole(engine) && engine->work->result_count == 1;
    int columns = region_count(engine->work, false, engine->geometry.region_x);
    int rows = region_count(engine->work, true, engine->geometry.region_y);
    abbe_image kept = *source;
    int error = gl_enter(region.gl);
    if (error)
        return error;
    error = gl_engine_prepare(region.gl, region.engine, ABGL_VIEWS);
    if (!error)
        error = region_keep(device, engine->work, at_once, source, results, &kept);
    pedestal_find_on_host(engine->work, &kept, &region.pedestal);
    region.count = columns * rows;
    for (; region.number < region.count && !error; region.number++)
        error = gl_run_region(&region, region.number % columns, region.number / columns, &kept);
    region_release(source, &kept, error);
    gl_leave(region.gl);
    return error;
}
