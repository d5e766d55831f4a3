/* Pictures that are textures of a program: from one to others, in the program's context. */
#include "core/error.h"
#include "gl/guest.h"

#include <abbe/gl.h>
#include <stdio.h>

extern const struct device_table gl_device_table;

/* Names that OpenGL ES 3.0 does not have: of its later versions, and of desktop OpenGL. */
enum {
    TEXTURE_WIDTH = 0x1000,
    TEXTURE_HEIGHT = 0x1001,
    TEXTURE_INTERNAL_FORMAT = 0x1003,
    TEXTURE_RED_SIZE = 0x805C,
    TEXTURE_ALPHA_SIZE = 0x805F,
    TEXTURE_RED_TYPE = 0x8C10
};

/* ---- Checks ------------------------------------------------------------------------------------------- */

static int check_plan(const abbe_device *device, const struct engine *engine)
{
    if (device->table != &gl_device_table || !((const struct gl *)device)->guest)
        return core_fail(device, ABBE_ERR_INVALID,
                         "textures: the plan's device is not one that abbe_gl_adopt has made");
    const struct work *work = engine->work;
    bool floats = work->source_type == ABBE_F16 || work->source_type == ABBE_F32;
    if (work->channels != 4)
        return core_fail(device, ABBE_ERR_INVALID, "textures: they have four channels, and the plan has %d",
                         work->channels);
    if (work->source_type == ABBE_U16 || work->result_type == ABBE_U16)
        return core_fail(device, ABBE_ERR_UNSUPPORTED, "textures: there are none of U16 samples");
    if (floats && work->nonfinite == ABBE_NONFINITE_ERROR)
        return core_fail(device, ABBE_ERR_INVALID,
                         "textures: nobody looks for samples that are not finite; make the plan with "
                         "ABBE_NONFINITE_ZERO or ABBE_NONFINITE_TRUST");
    if (!gl_is_whole(engine))
        return core_fail(device, ABBE_ERR_SIZE, "textures: the picture does not fit the device as a whole");
    return ABBE_OK;
}

static GLint value_of(const struct gl *gl, GLenum what)
{
    GLint value = 0;
    gl->guest->level_value(GL_TEXTURE_2D, 0, what, &value);
    return value;
}

static bool has_format(const struct gl *gl, abbe_type type)
{
    GLint bits = 8 * (GLint)abbe_type_size(type);
    GLint kind = type == ABBE_U8 ? GL_UNSIGNED_NORMALIZED : GL_FLOAT;
    return value_of(gl, TEXTURE_RED_TYPE) == kind && value_of(gl, TEXTURE_RED_SIZE) == bits &&
           value_of(gl, TEXTURE_ALPHA_SIZE) == bits &&
           value_of(gl, TEXTURE_INTERNAL_FORMAT) != GL_SRGB8_ALPHA8;
}

/* The texture is bound, if it can be. */
static int check_bound(struct gl *gl, const struct work *work, abbe_type type, const char *what)
{
    static const char *const formats[] = {
        [ABBE_U8] = "RGBA8", [ABBE_F16] = "RGBA16F", [ABBE_F32] = "RGBA32F"
    };
    if (gl->f.GetError() != GL_NO_ERROR)
        return core_fail(gl, ABBE_ERR_INVALID, "%s is not a two-dimensional texture", what);
    if (!gl->guest->sized)
        return ABBE_OK;
    GLint width = value_of(gl, TEXTURE_WIDTH), height = value_of(gl, TEXTURE_HEIGHT);
    if (width != work->width || height != work->height)
        return core_fail(gl, ABBE_ERR_INVALID, "%s is %d x %d, and the plan is for %d x %d", what, width,
                         height, work->width, work->height);
    if (!has_format(gl, type))
        return core_fail(gl, ABBE_ERR_INVALID, "%s is not of the format %s, which the plan's type asks for",
                         what, formats[type]);
    return ABBE_OK;
}

static int check_texture(struct gl *gl, const struct work *work, GLuint name, abbe_type type,
                         const char *what)
{
    if (!name || !gl->f.IsTexture(name))
        return core_fail(gl, ABBE_ERR_INVALID, "%s: there is no texture %u", what, name);
    gl->f.ActiveTexture(GL_TEXTURE0);
    gl->f.BindTexture(GL_TEXTURE_2D, name);
    return check_bound(gl, work, type, what);
}

static int check_textures(struct gl *gl, const struct work *work, GLuint source, const GLuint *results)
{
    char what[32];
    int error = check_texture(gl, work, source, work->source_type, "source");
    for (int i = 0; i < work->result_count && !error; i++) {
        snprintf(what, sizeof what, "result %d", i + 1);
        error = check_texture(gl, work, results[i], work->result_type, what);
        if (!error && results[i] == source)
            error = core_fail(gl, ABBE_ERR_INVALID, "%s is the source", what);
        for (int j = 0; j < i && !error; j++)
            if (results[j] == results[i])
                error = core_fail(gl, ABBE_ERR_INVALID, "%s is result %d too", what, j + 1);
    }
    return error;
}

/* ---- Results ------------------------------------------------------------------------------------------ */

static void attach(const struct gl *gl, GLuint texture)
{
    gl->f.BindFramebuffer(GL_FRAMEBUFFER, gl->guest->framebuffer);
    gl->f.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
}

int gl_result_bind(struct gl *gl, GLuint texture)
{
    attach(gl, texture);
    if (gl->f.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
        return ABBE_OK;
    return core_fail(gl, ABBE_ERR_DEVICE, "gl: the driver does not draw to texture %u", texture);
}

/* ---- All of it ---------------------------------------------------------------------------------------- */

static int filter(struct gl *gl, struct engine *engine, GLuint source, const GLuint *results)
{
    struct gl_region region = { .gl = gl,
                                .engine = engine,
                                .kind = GL_TEXTURES,
                                .from = source,
                                .to = results,
                                .bottom_up = !gl->guest->top_down };
    int error = check_textures(gl, engine->work, source, results);
    if (!error)
        error = gl_engine_prepare(gl, engine, GL_TEXTURES);
    if (error)
        return error;
    error = gl_run_region(&region, 0, 0, NULL);
    attach(gl, 0); /* the program may delete its textures, and then they are to be gone */
    return error;
}

int abbe_gl_filter(const abbe_plan *plan, unsigned source, const unsigned *results)
{
    abbe_device *device = plan ? plan_device(plan) : NULL;
    if (!plan || !results)
        return core_fail(device, ABBE_ERR_INVALID, "textures: no %s given", plan ? "results" : "plan");
    int error = check_plan(device, plan_engine(plan));
    if (error)
        return error;
    struct gl *gl = (struct gl *)device;
    error = gl_enter(gl);
    if (error)
        return error;
    error = filter(gl, (struct engine *)plan_engine(plan), source,
                   results); /* what it writes is the context's */
    gl_leave(gl);
    return error;
}
