/* A device in a context that belongs to the application: adopting, entering and leaving it. */
#include "gl/adopted.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/params.h"
#include "core/text.h"

#include <abbe/gl.h>
#include <string.h>

/* Errors that are dropped at most: a lost context reports errors without end. */
enum { ERRORS_MAX = 64 };

/* Constants of desktop OpenGL that the headers of OpenGL ES lack. */
enum { CONTEXT_PROFILE_MASK = 0x9126, CONTEXT_COMPATIBILITY_PROFILE = 2, MAX_VIEWPORTS = 0x825B };

/* ---- Entering and leaving ----------------------------------------------------------------------------- */

static void drop_errors(const struct gl *gl)
{
    for (int i = 0; i < ERRORS_MAX && gl->f.GetError() != GL_NO_ERROR; i++)
        continue;
}

static bool is_current(const struct gl *gl)
{
    const struct gl_adopted *adopted = gl->adopted;
    if (adopted->get_current)
        return adopted->get_current() == adopted->context;
    return adopted->alone || gl->f.GetString(GL_VERSION);
}

int gl_adopted_enter(struct gl *gl)
{
    if (!is_current(gl))
        return core_fail(gl, ABBE_ERR_DEVICE, "gl: the adopted context is not current to this thread");
    if (!gl->adopted->alone) {
        drop_errors(gl); /* of the application */
        gl_state_save(gl);
    }
    gl_state_set(gl);
    return ABBE_OK;
}

void gl_adopted_leave(struct gl *gl)
{
    if (gl->adopted->alone)
        gl_state_unbind(gl);
    else
        gl_state_restore(gl);
}

void gl_adopted_close(struct gl *gl)
{
    const struct gl_adopted *adopted = gl->adopted;
    gl->f.DeleteVertexArrays(1, &adopted->vertices);
    gl->f.DeleteSamplers(1, &adopted->sampler);
    gl->f.DeleteFramebuffers(1, &adopted->framebuffer);
}

/* ---- Version and functions ---------------------------------------------------------------------------- */

static int check_version(struct gl *gl)
{
    struct gl_adopted *adopted = gl->adopted;
    const char *version = (const char *)gl->f.GetString(GL_VERSION);
    GLint major = 0, minor = 0, profile = 0;
    gl->f.GetIntegerv(GL_MAJOR_VERSION, &major);
    gl->f.GetIntegerv(GL_MINOR_VERSION, &minor);
    drop_errors(gl); /* contexts before 3.0 know neither number */
    adopted->desktop = strncmp(version, "OpenGL ES", 9) != 0;
    int number = 10 * major + minor;
    if (number < (adopted->desktop ? 43 : 30))
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "gl: the context must be OpenGL ES 3.0 or OpenGL 4.3 at least; it is %.40s",
                         version);
    adopted->indexed = adopted->desktop || number >= 32;
    adopted->sized = adopted->desktop || number >= 31;
    if (!adopted->desktop)
        return gl_check_targets(gl);
    gl->f.GetIntegerv(CONTEXT_PROFILE_MASK, &profile);
    adopted->compatible = profile & CONTEXT_COMPATIBILITY_PROFILE;
    gl->f.GetIntegerv(MAX_VIEWPORTS, &adopted->viewports);
    adopted->viewports = adopted->viewports < ABGL_VIEWPORTS ? adopted->viewports : ABGL_VIEWPORTS;
    return ABBE_OK;
}

static int fail_missing(const char *function)
{
    return core_fail(NULL, ABBE_ERR_DEVICE, "gl: get_proc_address did not find %s", function);
}

/* Calls the application's get_proc_address. */
static gl_function find_function_of(void *params, const char *name)
{
    return ((const abbe_gl_params *)params)->get_proc_address(name);
}

#define FIND(place, name)                       \
    place = (__typeof__(place))get("gl" #name); \
    if (!place)                                 \
        return fail_missing("gl" #name);

/* Loads functions beyond OpenGL ES 3.0 that the version of the context has. */
static int load_later_functions(struct gl_adopted *adopted, gl_function (*get)(const char *))
{
    if (adopted->indexed) {
        FIND(adopted->enable, Enablei)
        FIND(adopted->disable, Disablei)
        FIND(adopted->is_enabled, IsEnabledi)
        FIND(adopted->booleans, GetBooleani_v)
        FIND(adopted->mask, ColorMaski)
    }
    if (adopted->sized) {
        FIND(adopted->level_value, GetTexLevelParameteriv)
    }
    if (adopted->desktop) {
        FIND(adopted->polygon_mode, PolygonMode)
        FIND(adopted->floats, GetFloati_v)
        FIND(adopted->set_viewports, ViewportArrayv)
    }
    return ABBE_OK;
}
#undef FIND

/* ---- Adoption ----------------------------------------------------------------------------------------- */

static int adopt_context(struct gl *gl, const abbe_gl_params *params, const abbe_device_params *options)
{
    struct gl_adopted *adopted = gl->adopted;
    device_set_options(&gl->head, options);
    adopted->get_current = params->get_current_context;
    adopted->top_down = params->top_down;
    adopted->alone = params->alone;
    adopted->context = adopted->get_current ? adopted->get_current() : NULL;
    const char *missing = gl_load_functions(gl, find_function_of, (void *)params);
    int error = missing ? fail_missing(missing) : ABBE_OK;
    if (!error && ((adopted->get_current && !adopted->context) || !gl->f.GetString(GL_VERSION)))
        error = core_fail(NULL, ABBE_ERR_DEVICE, "gl: no context is current to this thread");
    if (!error)
        error = check_version(gl);
    if (!error)
        error = load_later_functions(adopted, params->get_proc_address);
    if (error)
        return error;
    gl_describe(gl, options);
    gl->f.GenVertexArrays(1, &adopted->vertices);
    gl->f.GenFramebuffers(1, &adopted->framebuffer);
    gl->f.GenSamplers(1, &adopted->sampler);
    gl->f.SamplerParameteri(adopted->sampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->f.SamplerParameteri(adopted->sampler, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return ABBE_OK;
}

/* Reads the words of abbe_gl_params, which may not name a GPU. */
static int read_adopt_words(struct gl *gl, const char *words)
{
    if (gl_params_read(words, &gl->params))
        return ABBE_ERR_INVALID; /* the message is recorded */
    const char *name = gl->params.name;
    if (!*name)
        return ABBE_OK;
    return core_fail(
        NULL, ABBE_ERR_INVALID,
        "abbe_gl_adopt: params->words has '%s'; give an engine (fast, fialka, moreland), f16 or f32",
        text_show(name, strlen(name)).text);
}

int abbe_gl_adopt(const abbe_gl_params *params, abbe_device **device)
{
    if (!params || !device)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_gl_adopt: %s is NULL", params ? "device" : "params");
    static const struct core_params about = { "abbe_gl_adopt: params", GL_PARAMS_0_2,
                                              sizeof(abbe_gl_params) };
    abbe_gl_params known;
    abbe_device_params options;
    int error = core_read_params(NULL, &about, params, &known);
    if (!error && !known.get_proc_address)
        error = core_fail(NULL, ABBE_ERR_INVALID, "abbe_gl_adopt: params->get_proc_address is NULL");
    if (!error)
        error = device_read_params(known.options, &options);
    if (error)
        return error;
    struct gl *gl = gl_create();
    if (gl)
        gl->adopted = core_alloc_zero(1, sizeof *gl->adopted);
    error = gl && gl->adopted ? read_adopt_words(gl, known.words) : core_fail_memory(NULL);
    if (!error)
        error = adopt_context(gl, &known, &options);
    if (error) {
        gl_free(gl);
        return error;
    }
    *device = &gl->head;
    return ABBE_OK;
}
