/* Opens OpenGL ES 3.0 without a window.
 *
 * EGL's devices are tried one after the other, software devices last. If EGL cannot list devices, Mesa's
 * surfaceless display is tried, then the default display. The context has no surface if EGL supports that,
 * else a surface of one pixel. A display is never terminated and the library never unloaded: EGL does not
 * count the users of a display, and the device gl may use the same one. */
#include "context.h"

#include "gl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EGL_EGL_PROTOTYPES 0
#include <EGL/egl.h>
#include <EGL/eglext.h>

#define EGL_FUNCTIONS(DO)                          \
    DO(INITIALIZE, Initialize)                     \
    DO(QUERYSTRING, QueryString)                   \
    DO(BINDAPI, BindAPI)                           \
    DO(CHOOSECONFIG, ChooseConfig)                 \
    DO(CREATECONTEXT, CreateContext)               \
    DO(DESTROYCONTEXT, DestroyContext)             \
    DO(CREATEPBUFFERSURFACE, CreatePbufferSurface) \
    DO(DESTROYSURFACE, DestroySurface)             \
    DO(MAKECURRENT, MakeCurrent)                   \
    DO(GETDISPLAY, GetDisplay)

struct egl {
    PFNEGLGETPROCADDRESSPROC GetProcAddress;
#define MEMBER(type, name) PFNEGL##type##PROC name;
    EGL_FUNCTIONS(MEMBER)
#undef MEMBER
};

struct scene_context {
    struct egl egl;
    EGLDisplay display; /* EGL_NO_DISPLAY until initialised */
    EGLSurface surface;
    EGLContext context;
    PFNGLGETSTRINGPROC get_string;
};

enum { DEVICES_MAX = 16 };

/* ---- The library --------------------------------------------------------------------------------------- */

static bool open_egl(struct scene_context *context, char reason[SCENE_REASON])
{
    void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return scene_refuse(reason, "libEGL.so.1 is not there; install EGL (Debian: libegl1) and a driver");
    void *symbol = dlsym(library, "eglGetProcAddress");
    memcpy(&context->egl.GetProcAddress, &symbol, sizeof symbol);
    if (!symbol)
        return scene_refuse(reason, "libEGL.so.1 is not an EGL library");
#define FIND(type, name)                                \
    symbol = dlsym(library, "egl" #name);               \
    memcpy(&context->egl.name, &symbol, sizeof symbol); \
    if (!symbol)                                        \
        return scene_refuse(reason, "libEGL.so.1 lacks egl" #name);
    EGL_FUNCTIONS(FIND)
#undef FIND
    return true;
}

/* Tells whether a list of words separated by spaces contains a word. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* ---- One display --------------------------------------------------------------------------------------- */

static EGLSurface make_surface(const struct scene_context *context, EGLConfig config)
{
    const EGLint size[] = { EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE };
    const char *extensions = context->egl.QueryString(context->display, EGL_EXTENSIONS);
    if (has_word(extensions, "EGL_KHR_surfaceless_context"))
        return EGL_NO_SURFACE;
    return context->egl.CreatePbufferSurface(context->display, config, size);
}

static bool make_context(struct scene_context *context)
{
    const EGLint wanted[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
                              EGL_NONE };
    const EGLint version[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE };
    const struct egl *egl = &context->egl;
    EGLConfig config;
    EGLint count = 0;
    if (!egl->BindAPI(EGL_OPENGL_ES_API) ||
        !egl->ChooseConfig(context->display, wanted, &config, 1, &count) || count < 1)
        return false;
    context->context = egl->CreateContext(context->display, config, EGL_NO_CONTEXT, version);
    if (context->context == EGL_NO_CONTEXT)
        return false;
    context->surface = make_surface(context, config);
    return egl->MakeCurrent(context->display, context->surface, context->surface, context->context);
}

static void leave_display(struct scene_context *context)
{
    const struct egl *egl = &context->egl;
    if (context->display == EGL_NO_DISPLAY)
        return;
    egl->MakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context->surface != EGL_NO_SURFACE)
        egl->DestroySurface(context->display, context->surface);
    if (context->context != EGL_NO_CONTEXT)
        egl->DestroyContext(context->display, context->context);
    context->display = EGL_NO_DISPLAY;
    context->surface = EGL_NO_SURFACE;
    context->context = EGL_NO_CONTEXT;
}

static bool try_display(struct scene_context *context, EGLDisplay display)
{
    if (display == EGL_NO_DISPLAY || !context->egl.Initialize(display, NULL, NULL))
        return false;
    context->display = display;
    if (make_context(context))
        return true;
    leave_display(context);
    return false;
}

/* ---- All displays -------------------------------------------------------------------------------------- */

static bool try_devices(struct scene_context *context, PFNEGLGETPLATFORMDISPLAYEXTPROC get_display,
                        bool software)
{
    PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)context->egl.GetProcAddress(
        "eglQueryDevicesEXT");
    PFNEGLQUERYDEVICESTRINGEXTPROC name = (PFNEGLQUERYDEVICESTRINGEXTPROC)context->egl.GetProcAddress(
        "eglQueryDeviceStringEXT");
    EGLDeviceEXT devices[DEVICES_MAX];
    EGLint count = 0;
    if (!query || !name || !query(DEVICES_MAX, devices, &count))
        return false;
    for (EGLint i = 0; i < count; i++) {
        bool is_software = has_word(name(devices[i], EGL_EXTENSIONS), "EGL_MESA_device_software");
        if (is_software == software &&
            try_display(context, get_display(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL)))
            return true;
    }
    return false;
}

static bool try_all(struct scene_context *context)
{
    const char *extensions = context->egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display = (PFNEGLGETPLATFORMDISPLAYEXTPROC)
                                                      context->egl.GetProcAddress("eglGetPlatformDisplayEXT");
    bool has_devices = get_display && has_word(extensions, "EGL_EXT_platform_device");
    bool has_surfaceless = get_display && has_word(extensions, "EGL_MESA_platform_surfaceless");
    return (has_devices && try_devices(context, get_display, false)) ||
           (has_surfaceless &&
            try_display(context, get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL))) ||
           (has_devices && try_devices(context, get_display, true)) ||
           try_display(context, context->egl.GetDisplay(EGL_DEFAULT_DISPLAY));
}

struct scene_context *scene_context_open(char reason[SCENE_REASON])
{
    struct scene_context *context = calloc(1, sizeof *context);
    if (!context) {
        scene_refuse(reason, "out of memory");
        return NULL;
    }
    bool opened = open_egl(context, reason);
    if (opened && !try_all(context))
        opened = scene_refuse(reason, "EGL finds no driver for OpenGL ES 3.0 (Debian: libegl-mesa0 and "
                                      "libgl1-mesa-dri, or the vendor's)");
    if (opened)
        context->get_string = (PFNGLGETSTRINGPROC)context->egl.GetProcAddress("glGetString");
    if (!opened)
        scene_context_close(&context);
    return context;
}

void scene_context_close(struct scene_context **context)
{
    if (!*context)
        return;
    leave_display(*context);
    free(*context);
    *context = NULL;
}

const char *scene_context_driver(const struct scene_context *context)
{
    const char *name = context->get_string ? (const char *)context->get_string(GL_RENDERER) : NULL;
    return name ? name : "unknown";
}

scene_get_function scene_context_functions(const struct scene_context *context)
{
    return context->egl.GetProcAddress;
}
