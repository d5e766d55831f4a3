/* Where OpenGL ES comes from: EGL, opened at run time, a display without a window, and one context.
 *
 * Nobody needs EGL to link or to load Abbe. A display is never terminated and the library never unloaded: EGL does not
 * count who uses a display, and the application, or another device of ours, may have the same one. */
#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "gl/gl.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2ext.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EGL_FUNCTIONS(DO)                          \
    DO(BINDAPI, BindAPI)                           \
    DO(CHOOSECONFIG, ChooseConfig)                 \
    DO(CREATECONTEXT, CreateContext)               \
    DO(CREATEPBUFFERSURFACE, CreatePbufferSurface) \
    DO(DESTROYCONTEXT, DestroyContext)             \
    DO(DESTROYSURFACE, DestroySurface)             \
    DO(GETCURRENTCONTEXT, GetCurrentContext)       \
    DO(GETCURRENTDISPLAY, GetCurrentDisplay)       \
    DO(GETCURRENTSURFACE, GetCurrentSurface)       \
    DO(GETDISPLAY, GetDisplay)                     \
    DO(GETERROR, GetError)                         \
    DO(GETPROCADDRESS, GetProcAddress)             \
    DO(INITIALIZE, Initialize)                     \
    DO(MAKECURRENT, MakeCurrent)                   \
    DO(QUERYAPI, QueryAPI)                         \
    DO(QUERYSTRING, QueryString)

#define EGL_FIELD(type, name) PFNEGL##type##PROC name;
struct egl_functions {
    EGL_FUNCTIONS(EGL_FIELD)
};
#undef EGL_FIELD

/* What is current to a thread. */
struct current {
    EGLenum api;
    EGLDisplay display;
    EGLSurface draw, read;
    EGLContext context;
};

struct gl_context {
    void *egl, *gles;
    struct egl_functions f;
    EGLDisplay display;
    EGLSurface surface; /* none where contexts need none */
    EGLContext context;
    struct current before; /* of the thread that has entered */
};

enum { DEVICES_MAX = 32 };

static bool asked(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

/* Whether a list of words holds one. */
static bool lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (; list && (list = strstr(list, word)); list += length)
        if (list[length] == ' ' || list[length] == '\0')
            return true;
    return false;
}

/* ---- Libraries ---------------------------------------------------------------------------------------- */

static int open_libraries(struct gl_context *context)
{
    context->egl = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!context->egl)
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "device 'gl': libEGL.so.1 is not there; install EGL (Debian: libegl1) and a driver");
    context->gles = dlopen("libGLESv2.so.2", RTLD_NOW | RTLD_LOCAL);
    void *symbol;
#define FIND(type, name)                              \
    symbol = dlsym(context->egl, "egl" #name);        \
    memcpy(&context->f.name, &symbol, sizeof symbol); \
    if (!symbol)                                      \
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'gl': libEGL.so.1 lacks egl" #name);
    EGL_FUNCTIONS(FIND)
#undef FIND
    return ABBE_OK;
}

static __eglMustCastToProperFunctionPointerType find_function(const struct gl_context *context,
                                                              const char *name)
{
    __eglMustCastToProperFunctionPointerType function = context->f.GetProcAddress(name);
    void *symbol = function || !context->gles ? NULL : dlsym(context->gles, name);
    if (symbol)
        memcpy(&function, &symbol, sizeof symbol);
    return function;
}

static int load_functions(struct gl *gl)
{
#define FIND(type, name)                                                    \
    gl->f.name = (PFNGL##type##PROC)find_function(gl->context, "gl" #name); \
    if (!gl->f.name)                                                        \
        return core_fail(NULL, ABBE_ERR_DEVICE,                             \
                         "device 'gl': gl" #name " is not there; install OpenGL ES (Debian: libgles2)");
    GL_FUNCTIONS(FIND)
#undef FIND
    return ABBE_OK;
}

/* ---- Messages of the driver --------------------------------------------------------------------------- */

static void GL_APIENTRY tell(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                             const GLchar *message, const void *user)
{
    (void)source, (void)type, (void)id, (void)length;
    if (severity != GL_DEBUG_SEVERITY_HIGH_KHR && severity != GL_DEBUG_SEVERITY_MEDIUM_KHR)
        return;
    ((struct gl *)user)->messages++;
    fprintf(stderr, "abbe: gl debug: %s\n", message);
}

static int watch_driver(struct gl *gl)
{
    PFNGLDEBUGMESSAGECALLBACKKHRPROC call = (PFNGLDEBUGMESSAGECALLBACKKHRPROC)find_function(
        gl->context, "glDebugMessageCallbackKHR");
    if (!call || !lists((const char *)gl->f.GetString(GL_EXTENSIONS), "GL_KHR_debug"))
        return core_fail(NULL, ABBE_ERR_DEVICE, "ABBE_GL_VALIDATE: the driver has no GL_KHR_debug");
    gl->f.Enable(GL_DEBUG_OUTPUT_KHR);
    gl->f.Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS_KHR);
    call(tell, gl);
    return ABBE_OK;
}

/* ---- A context ---------------------------------------------------------------------------------------- */

/* Contexts need neither a configuration nor a surface nowadays; where they do, one pixel of memory is enough. */
static bool create_context(struct gl_context *context)
{
    const char *extensions = context->f.QueryString(context->display, EGL_EXTENSIONS);
    bool configured = !lists(extensions, "EGL_KHR_no_config_context") &&
                      !lists(extensions, "EGL_MESA_configless_context");
    bool surfaceless = lists(extensions, "EGL_KHR_surfaceless_context");
    const EGLint wanted[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE,
                              surfaceless ? 0 : EGL_PBUFFER_BIT, EGL_NONE };
    const EGLint version[] = { EGL_CONTEXT_MAJOR_VERSION,
                               3,
                               EGL_CONTEXT_MINOR_VERSION,
                               0,
                               asked("ABBE_GL_VALIDATE") ? EGL_CONTEXT_OPENGL_DEBUG : EGL_NONE,
                               EGL_TRUE,
                               EGL_NONE };
    const EGLint pixel[] = { EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE };
    EGLConfig config = EGL_NO_CONFIG_KHR;
    EGLint count = 0;
    if ((configured || !surfaceless) &&
        (!context->f.ChooseConfig(context->display, wanted, &config, 1, &count) || !count))
        return false;
    if (!surfaceless)
        context->surface = context->f.CreatePbufferSurface(context->display, config, pixel);
    context->context = context->f.CreateContext(context->display, config, EGL_NO_CONTEXT, version);
    return context->context && (surfaceless || context->surface);
}

static void destroy_context(struct gl_context *context)
{
    if (context->context)
        context->f.DestroyContext(context->display, context->context);
    if (context->surface)
        context->f.DestroySurface(context->display, context->surface);
    context->context = EGL_NO_CONTEXT;
    context->surface = EGL_NO_SURFACE;
}

static void drop_context(struct gl_context *context)
{
    context->f.MakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    destroy_context(context);
}

static bool make_current(struct gl_context *context)
{
    return context->f.BindAPI(EGL_OPENGL_ES_API) &&
           context->f.MakeCurrent(context->display, context->surface, context->surface, context->context);
}

/* A context of a display, current and with its functions; false where it has none of OpenGL ES 3.0. */
static bool open_display(struct gl *gl, EGLDisplay display)
{
    struct gl_context *context = gl->context;
    if (!display || !context->f.Initialize(display, NULL, NULL))
        return false;
    context->display = display;
    if (context->f.BindAPI(EGL_OPENGL_ES_API) && create_context(context) && make_current(context))
        return true;
    drop_context(context);
    return false;
}

/* ---- Which one ---------------------------------------------------------------------------------------- */

bool gl_is_software(const struct gl *gl)
{
    const char *renderer = (const char *)gl->f.GetString(GL_RENDERER);
    return text_contains(renderer, "llvmpipe") || text_contains(renderer, "softpipe") ||
           text_contains(renderer, "swrast") || text_contains(renderer, "swiftshader");
}

static bool is_named(const struct gl *gl, const char *name)
{
    return text_contains((const char *)gl->f.GetString(GL_RENDERER), name) ||
           text_contains((const char *)gl->f.GetString(GL_VENDOR), name) ||
           (gl_is_software(gl) && !strcasecmp(name, "software"));
}

/* What the current context is asked for by its name: a GPU, or a software driver where that is allowed. */
static bool is_wanted(struct gl *gl, const char *name)
{
    gl->software = gl_is_software(gl);
    return *name ? is_named(gl, name) : !gl->software || asked("ABBE_GL_SOFTWARE");
}

int gl_check_targets(const struct gl *gl)
{
    const char *renderer = (const char *)gl->f.GetString(GL_RENDERER);
    const char *extensions = (const char *)gl->f.GetString(GL_EXTENSIONS);
    if (!lists(extensions, "GL_EXT_color_buffer_float"))
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "device 'gl': %s has no float render targets (GL_EXT_color_buffer_float)", renderer);
    return ABBE_OK;
}

static int check_enough(struct gl *gl)
{
    int error = gl_check_targets(gl);
    return error || !asked("ABBE_GL_VALIDATE") ? error : watch_driver(gl);
}

/* The displays of this machine: one for each device that EGL knows, or the one it has without a window. */
static int list_displays(const struct gl_context *context, EGLDisplay displays[DEVICES_MAX])
{
    const char *client = context->f.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)context->f.GetProcAddress(
        "eglQueryDevicesEXT");
    PFNEGLGETPLATFORMDISPLAYEXTPROC get = (PFNEGLGETPLATFORMDISPLAYEXTPROC)context->f.GetProcAddress(
        "eglGetPlatformDisplayEXT");
    EGLDeviceEXT devices[DEVICES_MAX];
    EGLint count = 0;
    if (get && query && lists(client, "EGL_EXT_platform_device") && query(DEVICES_MAX, devices, &count))
        for (int i = 0; i < count; i++)
            displays[i] = get(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL);
    if (count > 0)
        return count;
    bool surfaceless = get && lists(client, "EGL_MESA_platform_surfaceless");
    displays[0] = surfaceless ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL)
                              : context->f.GetDisplay(EGL_DEFAULT_DISPLAY);
    return displays[0] ? 1 : 0;
}

static int refuse(const struct gl_wishes *wishes, int opened, int count)
{
    if (*wishes->name)
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'gl': no GPU or driver is called '%s'",
                         text_show(wishes->name, strlen(wishes->name)).text);
    if (!opened)
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "device 'gl': %s; install a driver (Debian: libgl1-mesa-dri, or the vendor's)",
                         count ? "no driver has OpenGL ES 3.0" : "EGL has no display");
    return core_fail(
        NULL, ABBE_ERR_DEVICE,
        "device 'gl': no GPU among the drivers here; install its driver, or ask for the software "
        "driver with gl:llvmpipe or ABBE_GL_SOFTWARE=1");
}

/* Whether the display's context is the one that is asked for: a GPU in the first round, a software driver in the
 * second, whatever order EGL has them in; or the one of that number. */
static bool suits(struct gl *gl, const char *name, bool number, int round)
{
    bool wanted = is_wanted(gl, number ? "" : name);
    return number || (wanted && gl->software == (round == 1));
}

static int try_displays(struct gl *gl, const struct gl_wishes *wishes, const EGLDisplay *displays, int count,
                        bool number)
{
    int opened = 0;
    for (int i = 0; i < 2 * count; i++) {
        if (!open_display(gl, displays[i % count]))
            continue;
        opened++;
        int error = load_functions(gl);
        if (!error && suits(gl, wishes->name, number, i / count))
            error = check_enough(gl);
        else if (!error) {
            drop_context(gl->context);
            continue;
        }
        if (error)
            drop_context(gl->context);
        return error;
    }
    return refuse(wishes, opened, count);
}

static int choose_display(struct gl *gl, const struct gl_wishes *wishes)
{
    EGLDisplay displays[DEVICES_MAX] = { 0 };
    int count = list_displays(gl->context, displays);
    bool number = *wishes->name && wishes->name[strspn(wishes->name, "0123456789")] == '\0';
    unsigned long wanted = number ? strtoul(wishes->name, NULL, 10) : 0;
    if (!number)
        return try_displays(gl, wishes, displays, count, false);
    if (wanted < (unsigned long)count)
        return try_displays(gl, wishes, displays + wanted, 1, true);
    return core_fail(NULL, ABBE_ERR_DEVICE, "device 'gl:%s': there %s %d, counted from 0",
                     text_show(wishes->name, strlen(wishes->name)).text, count == 1 ? "is" : "are", count);
}

/* ---- Coming and going --------------------------------------------------------------------------------- */

static void remember(struct gl_context *context)
{
    const struct egl_functions *f = &context->f;
    context->before = (struct current){ f->QueryAPI(), f->GetCurrentDisplay(), f->GetCurrentSurface(EGL_DRAW),
                                        f->GetCurrentSurface(EGL_READ), f->GetCurrentContext() };
}

static void restore(struct gl_context *context)
{
    const struct current *before = &context->before;
    EGLDisplay display = before->context ? before->display : context->display;
    if (display)
        context->f.MakeCurrent(display, before->draw, before->read, before->context);
    context->f.BindAPI(before->api);
}

int gl_enter(struct gl *gl)
{
    if (gl->guest)
        return gl_guest_enter(gl);
    pthread_mutex_lock(&gl->lock);
    remember(gl->context);
    if (make_current(gl->context))
        return ABBE_OK;
    int code = (int)gl->context->f.GetError();
    restore(gl->context);
    pthread_mutex_unlock(&gl->lock);
    return core_fail(gl, ABBE_ERR_DEVICE, "gl: the context cannot be made current, EGL error %#x", code);
}

void gl_leave(struct gl *gl)
{
    if (gl->guest) {
        gl_guest_leave(gl);
        return;
    }
    restore(gl->context);
    pthread_mutex_unlock(&gl->lock);
}

int gl_context_open(struct gl *gl, const struct gl_wishes *wishes)
{
    gl->context = core_alloc_zero(1, sizeof *gl->context);
    if (!gl->context)
        return core_fail_memory(NULL);
    int error = open_libraries(gl->context);
    if (error)
        return error;
    pthread_mutex_lock(&gl->lock);
    remember(gl->context);
    error = choose_display(gl, wishes);
    if (error)
        gl_leave(gl);
    return error;
}

void gl_context_close(struct gl *gl)
{
    if (gl->context)
        destroy_context(gl->context);
    if (gl->messages)
        fprintf(stderr, "abbe: gl debug: %d messages\n", gl->messages);
    core_free(gl->context);
}
