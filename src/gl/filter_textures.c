/* abbe_gl_filter: filters textures of the application in its own context. */
#include "core/error.h"
#include "gl/adopted.h"
#include "gl/run.h"

#include <abbe/gl.h>
#include <stdio.h>

extern const struct device_table gl_device_table;

/* Constants of later versions of OpenGL ES and of desktop OpenGL. */
enum {
    TEXTURE_WIDTH = 0x1000,
    TEXTURE_HEIGHT = 0x1001,
    TEXTURE_INTERNAL_FORMAT = 0x1003,
    TEXTURE_RED_SIZE = 0x805C,
    TEXTURE_ALPHA_SIZE = 0x805F,
    TEXTURE_RED_TYPE = 0x8C10
};

/* ---- Checks ------------------------------------------------------------------------------------------- */

static int check_texture_plan(const abbe_device *device, const struct engine *engine)
{
    if (device->table != &gl_device_table || !((const struct gl *)device)->adopted)
        return core_fail(device, ABBE_ERR_INVALID,
                         "abbe_gl_filter: plan is for another device than one of abbe_gl_adopt");
    if (!engine)
        return core_fail(device, ABBE_ERR_INVALID, "abbe_gl_filter: plan is a draft, which cannot run");
    const struct work *work = engine->work;
    bool floats = work->source_type == ABBE_F16 || work->source_type == ABBE_F32;
    if (work->channels != 4)
        return core_fail(device, ABBE_ERR_INVALID, "abbe_gl_filter: plan has %d channels; it must have 4",
                         work->channels);
    if (work->source_type == ABBE_U16 || work->result_type == ABBE_U16 || work->converted)
        return core_fail(device, ABBE_ERR_UNSUPPORTED,
                         "abbe_gl_filter: the plan's types must be U8, F16 or F32");
    if (floats && work->nonfinite == ABBE_NONFINITE_ERROR)
        return core_fail(
            device, ABBE_ERR_INVALID,
            "abbe_gl_filter: plan refuses non-finite samples, which are not searched for in textures; "
            "make it with ABBE_NONFINITE_ZERO or ABBE_NONFINITE_TRUST");
    if (!gl_is_whole(engine))
        return core_fail(
            device, ABBE_ERR_SIZE,
            "abbe_gl_filter: the picture does not fit the device as a whole; abbe_run filters it in regions");
    return ABBE_OK;
}

/* A value of level 0 of the bound texture. */
static GLint texture_value(const struct gl *gl, GLenum what)
{
    GLint value = 0;
    gl->adopted->level_value(GL_TEXTURE_2D, 0, what, &value);
    return value;
}

static bool texture_has_format(const struct gl *gl, abbe_type type)
{
    GLint bits = 8 * (GLint)abbe_type_size(type);
    GLint kind = type == ABBE_U8 ? GL_UNSIGNED_NORMALIZED : GL_FLOAT;
    return texture_value(gl, TEXTURE_RED_TYPE) == kind && texture_value(gl, TEXTURE_RED_SIZE) == bits &&
           texture_value(gl, TEXTURE_ALPHA_SIZE) == bits &&
           texture_value(gl, TEXTURE_INTERNAL_FORMAT) != GL_SRGB8_ALPHA8;
}

/* Checks the texture that check_texture has bound; binding fails if it is not two-dimensional. */
static int check_bound_texture(struct gl *gl, const struct work *work, abbe_type type, const char *what)
{
    static const char *const formats[] = {
        [ABBE_U8] = "RGBA8", [ABBE_F16] = "RGBA16F", [ABBE_F32] = "RGBA32F"
    };
    if (gl->f.GetError() != GL_NO_ERROR)
        return core_fail(gl, ABBE_ERR_INVALID, "%s is not a two-dimensional texture", what);
    if (!gl->adopted->sized)
        return ABBE_OK;
    GLint width = texture_value(gl, TEXTURE_WIDTH), height = texture_value(gl, TEXTURE_HEIGHT);
    if (width != work->width || height != work->height)
        return core_fail(gl, ABBE_ERR_INVALID, "%s is %d x %d; the plan is for %d x %d", what, width, height,
                         work->width, work->height);
    if (!texture_has_format(gl, type))
        return core_fail(gl, ABBE_ERR_INVALID,
                         "%s does not have the format %s, which the type of the plan requires", what,
                         formats[type]);
    return ABBE_OK;
}

static int check_texture(struct gl *gl, const struct work *work, GLuint name, abbe_type type,
                         const char *what)
{
    if (!name || (!gl->adopted->alone && !gl->f.IsTexture(name)))
        return core_fail(gl, ABBE_ERR_INVALID, "%s: texture %u does not exist", what, name);
    if (gl->adopted->alone)
        return ABBE_OK;
    gl->f.ActiveTexture(GL_TEXTURE0);
    gl->f.BindTexture(GL_TEXTURE_2D, name);
    return check_bound_texture(gl, work, type, what);
}

static int check_textures(struct gl *gl, const struct work *work, GLuint source, const GLuint *results)
{
    char what[32];
    int error = check_texture(gl, work, source, work->source_type, "source");
    for (int i = 0; i < work->result_count && !error; i++) {
        snprintf(what, sizeof what, "result %d", i + 1);
        error = check_texture(gl, work, results[i], work->result_type, what);
        if (!error && results[i] == source)
            error = core_fail(gl, ABBE_ERR_INVALID, "%s is the source; give another texture", what);
        for (int j = 0; j < i && !error; j++)
            if (results[j] == results[i])
                error = core_fail(gl, ABBE_ERR_INVALID, "%s is also result %d; give another texture", what,
                                  j + 1);
    }
    return error;
}

/* ---- Results ------------------------------------------------------------------------------------------ */

static void attach_result(const struct gl *gl, GLuint texture)
{
    gl->f.BindFramebuffer(GL_FRAMEBUFFER, gl->adopted->framebuffer);
    gl->f.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
}

int gl_bind_result_texture(struct gl *gl, GLuint texture)
{
    attach_result(gl, texture);
    if (gl->adopted->alone || gl->f.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
        return ABBE_OK;
    return core_fail(gl, ABBE_ERR_DEVICE, "gl: the driver cannot draw to texture %u", texture);
}

/* ---- Filtering ---------------------------------------------------------------------------------------- */

static int filter_textures(struct gl *gl, struct engine *engine, GLuint source, const GLuint *results)
{
    struct gl_region region = { .gl = gl,
                                .engine = engine,
                                .kind = ABGL_TEXTURES,
                                .source_texture = source,
                                .result_textures = results,
                                .bottom_up = !gl->adopted->top_down };
    int error = check_textures(gl, engine->work, source, results);
    if (!error)
        error = gl_engine_prepare(gl, engine, ABGL_TEXTURES);
    if (error)
        return error;
    error = gl_run_region(&region, 0, 0, NULL);
    attach_result(gl, 0); /* a texture that stays attached is not freed when the application deletes it */
    return error;
}

int abbe_gl_filter(const abbe_plan *plan, unsigned source, const unsigned *results)
{
    abbe_device *device = plan ? plan_device(plan) : NULL;
    if (!plan || !results)
        return core_fail(device, ABBE_ERR_INVALID, "abbe_gl_filter: %s is NULL", plan ? "results" : "plan");
    int error = check_texture_plan(device, plan_engine(plan));
    if (!error && plan_is_cut(plan))
        error = core_fail(device, ABBE_ERR_UNSUPPORTED,
                          "abbe_gl_filter: plan has a window; only abbe_run and abbe_submit cut results out");
    if (error)
        return error;
    struct gl *gl = (struct gl *)device;
    error = gl_enter(gl);
    if (error)
        return error;
    /* Only a thread that has entered the context writes to the engine. */
    error = filter_textures(gl, (struct engine *)plan_engine(plan), source, results);
    gl_leave(gl);
    return error;
}
