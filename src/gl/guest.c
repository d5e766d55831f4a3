/* A device in a program's own context: adopting it, coming and going. */
#include "gl/guest.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"

#include <abbe/gl.h>
#include <string.h>

/* Only a context that is lost tells errors without end. */
enum { ERRORS_MAX = 64 };

/* Desktop OpenGL's, which headers of OpenGL ES do not name. */
enum { CONTEXT_PROFILE_MASK = 0x9126, CONTEXT_COMPATIBILITY_PROFILE = 2, MAX_VIEWPORTS = 0x825B };

/* ---- Coming and going --------------------------------------------------------------------------------- */

static bool is_current(const struct gl *gl)
{
    const struct gl_guest *guest = gl->guest;
    return guest->get_current ? guest->get_current() == guest->context : gl->f.GetString(GL_VERSION) != NULL;
}

static void forget_errors(const struct gl *gl)
{
    for (int i = 0; i < ERRORS_MAX && gl->f.GetError() != GL_NO_ERROR; i++)
        continue;
}

int gl_guest_enter(struct gl *gl)
{
    pthread_mutex_lock(&gl->lock);
    if (!is_current(gl)) {
        pthread_mutex_unlock(&gl->lock);
        return core_fail(gl, ABBE_ERR_DEVICE,
                         "gl: the context that was adopted is not current to this thread");
    }
    forget_errors(gl); /* of the program */
    gl_state_take(gl);
    return ABBE_OK;
}

void gl_guest_leave(struct gl *gl)
{
    gl_state_restore(gl);
    pthread_mutex_unlock(&gl->lock);
}

void gl_guest_close(struct gl *gl)
{
    const struct gl_guest *guest = gl->guest;
    gl->f.DeleteVertexArrays(1, &guest->vertices);
    gl->f.DeleteSamplers(1, &guest->sampler);
    gl->f.DeleteFramebuffers(1, &guest->framebuffer);
}

/* ---- What the context is ------------------------------------------------------------------------------ */

static int check_version(struct gl *gl)
{
    struct gl_guest *guest = gl->guest;
    const char *version = (const char *)gl->f.GetString(GL_VERSION);
    GLint major = 0, minor = 0, profile = 0;
    gl->f.GetIntegerv(GL_MAJOR_VERSION, &major);
    gl->f.GetIntegerv(GL_MINOR_VERSION, &minor);
    forget_errors(gl); /* of contexts before 3.0, which know neither number */
    guest->desktop = strncmp(version, "OpenGL ES", 9) != 0;
    int number = 10 * major + minor;
    if (number < (guest->desktop ? 43 : 30))
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "gl: OpenGL ES 3.0 or OpenGL 4.3 is needed, and this is %.40s", version);
    guest->indexed = guest->desktop || number >= 32;
    guest->sized = guest->desktop || number >= 31;
    if (!guest->desktop)
        return gl_check_targets(gl);
    gl->f.GetIntegerv(CONTEXT_PROFILE_MASK, &profile);
    guest->compatible = profile & CONTEXT_COMPATIBILITY_PROFILE;
    gl->f.GetIntegerv(MAX_VIEWPORTS, &guest->viewports);
    guest->viewports = guest->viewports < GL_VIEWPORTS ? guest->viewports : GL_VIEWPORTS;
    return ABBE_OK;
}

#define FIND(place, name)                       \
    place = (__typeof__(place))get("gl" #name); \
    if (!place)                                 \
        return core_fail(NULL, ABBE_ERR_DEVICE, "gl: get_proc_address finds no gl" #name);

static int load_functions(struct gl *gl, void (*(*get)(const char *))(void))
{
#define FIND_FIELD(type, name) FIND(gl->f.name, name)
    GL_FUNCTIONS(FIND_FIELD)
#undef FIND_FIELD
    return ABBE_OK;
}

static int load_others(struct gl_guest *guest, void (*(*get)(const char *))(void))
{
    if (guest->indexed) {
        FIND(guest->enable, Enablei)
        FIND(guest->disable, Disablei)
        FIND(guest->is_enabled, IsEnabledi)
        FIND(guest->booleans, GetBooleani_v)
        FIND(guest->mask, ColorMaski)
    }
    if (guest->sized) {
        FIND(guest->level_value, GetTexLevelParameteriv)
    }
    if (guest->desktop) {
        FIND(guest->polygon_mode, PolygonMode)
        FIND(guest->floats, GetFloati_v)
        FIND(guest->set_viewports, ViewportArrayv)
    }
    return ABBE_OK;
}
#undef FIND

/* ---- Adoption ----------------------------------------------------------------------------------------- */

static void make_objects(struct gl *gl)
{
    struct gl_guest *guest = gl->guest;
    gl->f.GenVertexArrays(1, &guest->vertices);
    gl->f.GenFramebuffers(1, &guest->framebuffer);
    gl->f.GenSamplers(1, &guest->sampler);
    gl->f.SamplerParameteri(guest->sampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->f.SamplerParameteri(guest->sampler, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static int adopt(struct gl *gl, const abbe_gl_params *params)
{
    struct gl_guest *guest = gl->guest;
    guest->get_current = params->get_current_context;
    guest->top_down = params->top_down;
    guest->context = guest->get_current ? guest->get_current() : NULL;
    int error = load_functions(gl, params->get_proc_address);
    if (!error && ((guest->get_current && !guest->context) || !gl->f.GetString(GL_VERSION)))
        error = core_fail(NULL, ABBE_ERR_DEVICE, "gl: no context is current to this thread");
    if (!error)
        error = check_version(gl);
    if (!error)
        error = load_others(guest, params->get_proc_address);
    if (error)
        return error;
    gl_describe(gl, &(abbe_device_params){ .threads = params->threads });
    make_objects(gl);
    return ABBE_OK;
}

static int check(const abbe_gl_params *params, abbe_device *const *device)
{
    if (!params || !device)
        return core_fail(NULL, ABBE_ERR_INVALID, "gl: no %s given",
                         params ? "place for the device" : "parameters");
    if (!params->get_proc_address)
        return core_fail(NULL, ABBE_ERR_INVALID, "gl: no get_proc_address given");
    return device_check_params(&(abbe_device_params){ .threads = params->threads });
}

static int read_words(struct gl *gl, const char *words)
{
    if (gl_read_words(words, &gl->wishes))
        return ABBE_ERR_INVALID; /* a sentence is there */
    const char *other = gl->wishes.name;
    return !*other ? ABBE_OK
                   : core_fail(NULL, ABBE_ERR_INVALID, "gl: '%s' is no engine and no precision",
                               text_show(other, strlen(other)).text);
}

int abbe_gl_adopt(const abbe_gl_params *params, abbe_device **device)
{
    int error = check(params, device);
    if (error)
        return error;
    struct gl *gl = gl_create();
    if (gl)
        gl->guest = core_alloc_zero(1, sizeof *gl->guest);
    error = gl && gl->guest ? read_words(gl, params->words) : core_fail_memory(NULL);
    if (!error)
        error = adopt(gl, params);
    if (error) {
        gl_free(gl);
        return error;
    }
    *device = &gl->head;
    return ABBE_OK;
}
