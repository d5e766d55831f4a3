/* A context of OpenGL ES that the device opens itself, with EGL and without a window.
 *
 * libEGL is opened at run time, so that Abbe links and loads without it. Displays are never terminated and
 * the library is never unloaded: EGL does not count the users of a display, and the application, or another
 * device, may use the same. */
#include "core/error.h"
#include "core/lock.h"
#include "core/memory.h"
#include "core/text.h"
#include "device/list.h"
#include "gl/gl.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
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
struct egl_current {
    EGLenum api;
    EGLDisplay display;
    EGLSurface draw, read;
    EGLContext context;
};

struct gl_egl {
    void *library, *gles;
    struct egl_functions f;
    EGLDisplay display;
    EGLSurface surface; /* EGL_NO_SURFACE where contexts need none */
    EGLContext context;
    struct egl_current before; /* what was current to the thread that has entered */
};

enum { DEVICES_MAX = 32 };

/* ---- Libraries ---------------------------------------------------------------------------------------- */

static int open_libraries(struct gl_egl *egl)
{
    egl->library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!egl->library)
        return core_fail(
            NULL, ABBE_ERR_DEVICE,
            "device 'gl': libEGL.so.1 was not found; install EGL (Debian: libegl1) and a driver");
    egl->gles = dlopen("libGLESv2.so.2", RTLD_NOW | RTLD_LOCAL);
    void *symbol;
#define FIND(type, name)                          \
    symbol = dlsym(egl->library, "egl" #name);    \
    memcpy(&egl->f.name, &symbol, sizeof symbol); \
    if (!symbol)                                  \
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'gl': libEGL.so.1 lacks egl" #name);
    EGL_FUNCTIONS(FIND)
#undef FIND
    return ABBE_OK;
}

/* Finds a function of OpenGL ES. Versions of EGL before 1.5 find extensions only; the others are in
 * libGLESv2. */
static gl_function find_function(void *user, const char *name)
{
    const struct gl_egl *egl = user;
    gl_function function = egl->f.GetProcAddress(name);
    void *symbol = function || !egl->gles ? NULL : dlsym(egl->gles, name);
    if (symbol)
        memcpy(&function, &symbol, sizeof symbol);
    return function;
}

/* ---- A context ---------------------------------------------------------------------------------------- */

/* Current drivers need neither a configuration nor a surface for a context. For the others, a surface of one
 * pixel is created. */
static bool create_context(struct gl_egl *egl)
{
    const char *extensions = egl->f.QueryString(egl->display, EGL_EXTENSIONS);
    bool configured = !gl_list_contains(extensions, "EGL_KHR_no_config_context") &&
                      !gl_list_contains(extensions, "EGL_MESA_configless_context");
    bool surfaceless = gl_list_contains(extensions, "EGL_KHR_surfaceless_context");
    const EGLint wanted[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE,
                              surfaceless ? 0 : EGL_PBUFFER_BIT, EGL_NONE };
    const EGLint version[] = { EGL_CONTEXT_MAJOR_VERSION,
                               3,
                               EGL_CONTEXT_MINOR_VERSION,
                               0,
                               gl_variable_is_set("ABBE_GL_VALIDATE") ? EGL_CONTEXT_OPENGL_DEBUG : EGL_NONE,
                               EGL_TRUE,
                               EGL_NONE };
    const EGLint pixel[] = { EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE };
    EGLConfig config = EGL_NO_CONFIG_KHR;
    EGLint count = 0;
    if ((configured || !surfaceless) &&
        (!egl->f.ChooseConfig(egl->display, wanted, &config, 1, &count) || !count))
        return false;
    if (!surfaceless)
        egl->surface = egl->f.CreatePbufferSurface(egl->display, config, pixel);
    egl->context = egl->f.CreateContext(egl->display, config, EGL_NO_CONTEXT, version);
    return egl->context && (surfaceless || egl->surface);
}

static void destroy_context(struct gl_egl *egl)
{
    if (egl->context)
        egl->f.DestroyContext(egl->display, egl->context);
    if (egl->surface)
        egl->f.DestroySurface(egl->display, egl->surface);
    egl->context = EGL_NO_CONTEXT;
    egl->surface = EGL_NO_SURFACE;
}

static void drop_context(struct gl_egl *egl)
{
    egl->f.MakeCurrent(egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    destroy_context(egl);
}

static bool make_current(struct gl_egl *egl)
{
    return egl->f.BindAPI(EGL_OPENGL_ES_API) &&
           egl->f.MakeCurrent(egl->display, egl->surface, egl->surface, egl->context);
}

/* Creates a context on a display and makes it current. Returns false if the display has no OpenGL ES 3.0. */
static bool open_display(struct gl *gl, EGLDisplay display)
{
    struct gl_egl *egl = gl->egl;
    if (!display || !egl->f.Initialize(display, NULL, NULL))
        return false;
    egl->display = display;
    if (egl->f.BindAPI(EGL_OPENGL_ES_API) && create_context(egl) && make_current(egl))
        return true;
    drop_context(egl);
    return false;
}

/* ---- Choosing a display ------------------------------------------------------------------------------- */

/* Whether the current context has the name that was asked for; without a name, whether it is a GPU, or a
 * software driver where ABBE_GL_SOFTWARE allows one. */
static bool renderer_suits(const struct gl *gl, const char *name)
{
    if (!*name)
        return !gl->software || gl_variable_is_set("ABBE_GL_SOFTWARE");
    return text_contains((const char *)gl->f.GetString(GL_RENDERER), name) ||
           text_contains((const char *)gl->f.GetString(GL_VENDOR), name) ||
           (gl->software && !strcasecmp(name, "software"));
}

/* Lists the devices that EGL knows. Returns their number; 0 for an EGL that has no list. */
static int list_devices(const struct gl_egl *egl, EGLDeviceEXT devices[DEVICES_MAX])
{
    PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)egl->f.GetProcAddress("eglQueryDevicesEXT");
    EGLint count = 0;
    return query && query(DEVICES_MAX, devices, &count) ? count : 0;
}

/* Lists the displays of this machine: one for each device that EGL knows, or else the one that needs no
 * window. */
static int list_displays(const struct gl_egl *egl, EGLDisplay displays[DEVICES_MAX])
{
    const char *client = egl->f.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    PFNEGLGETPLATFORMDISPLAYEXTPROC get = (PFNEGLGETPLATFORMDISPLAYEXTPROC)egl->f.GetProcAddress(
        "eglGetPlatformDisplayEXT");
    EGLDeviceEXT devices[DEVICES_MAX];
    int count = get && gl_list_contains(client, "EGL_EXT_platform_device") ? list_devices(egl, devices) : 0;
    for (int i = 0; i < count; i++)
        displays[i] = get(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL);
    if (count > 0)
        return count;
    bool surfaceless = get && gl_list_contains(client, "EGL_MESA_platform_surfaceless");
    displays[0] = surfaceless ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL)
                              : egl->f.GetDisplay(EGL_DEFAULT_DISPLAY);
    return displays[0] ? 1 : 0;
}

static int fail_no_display(const struct gl_params *params, int opened, int count)
{
    if (*params->name)
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'gl': no GPU or driver is called '%s'",
                         text_show(params->name, strlen(params->name)).text);
    if (!opened)
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "device 'gl': %s; install a driver (Debian: libgl1-mesa-dri, or the vendor's)",
                         count ? "no driver has OpenGL ES 3.0" : "EGL has no display");
    return core_fail(
        NULL, ABBE_ERR_DEVICE,
        "device 'gl': there are software drivers only; install the driver of a GPU, or ask for a "
        "software driver with gl:llvmpipe or ABBE_GL_SOFTWARE=1");
}

/* Checks that the current context has all that the device needs, once it is chosen. */
static int check_context(struct gl *gl)
{
    int error = gl_check_targets(gl);
    if (error || !gl_variable_is_set("ABBE_GL_VALIDATE"))
        return error;
    return gl_watch_driver(gl, find_function, gl->egl);
}

/* Opens the first display that suits: a GPU in the first round, a software driver in the second, in whatever
 * order EGL lists them. `numbered`: the only display of the list was asked for by its number and need not
 * suit. */
static int try_displays(struct gl *gl, const EGLDisplay *displays, int count, bool numbered)
{
    int opened = 0;
    for (int i = 0; i < 2 * count; i++) {
        if (!open_display(gl, displays[i % count]))
            continue;
        opened++;
        const char *missing = gl_load_functions(gl, find_function, gl->egl);
        if (missing) {
            drop_context(gl->egl);
            return core_fail(NULL, ABBE_ERR_DEVICE,
                             "device 'gl': %s was not found; install OpenGL ES (Debian: libgles2)", missing);
        }
        gl->software = gl_is_software(gl);
        if (numbered || (gl->software == (i >= count) && renderer_suits(gl, gl->params.name))) {
            int error = check_context(gl);
            if (error)
                drop_context(gl->egl);
            return error;
        }
        if (i >= count && !*gl->params.name)
            device_log(&gl->head, ABBE_LOG_INFO, "gl: %s is passed over: it is a software driver",
                       (const char *)gl->f.GetString(GL_RENDERER));
        drop_context(gl->egl);
    }
    return fail_no_display(&gl->params, opened, count);
}

static int choose_display(struct gl *gl)
{
    const char *name = gl->params.name;
    EGLDisplay displays[DEVICES_MAX] = { 0 };
    int count = list_displays(gl->egl, displays);
    bool numbered = *name && name[strspn(name, "0123456789")] == '\0';
    if (!numbered)
        return try_displays(gl, displays, count, false);
    unsigned long number = strtoul(name, NULL, 10);
    if (number < (unsigned long)count)
        return try_displays(gl, displays + number, 1, true);
    return core_fail(NULL, ABBE_ERR_DEVICE, "device 'gl:%s': EGL has %d device%s, counted from 0",
                     text_show(name, strlen(name)).text, count, count == 1 ? "" : "s");
}

/* ---- The list of adapters ----------------------------------------------------------------------------- */

/* Lists one device of EGL, which tells its name only with an extension. */
static void list_device(const struct gl_egl *egl, EGLDeviceEXT device, int number, struct adapter_list *list)
{
    PFNEGLQUERYDEVICESTRINGEXTPROC ask = (PFNEGLQUERYDEVICESTRINGEXTPROC)egl->f.GetProcAddress(
        "eglQueryDeviceStringEXT");
    const char *extensions = ask ? ask(device, EGL_EXTENSIONS) : NULL;
    bool software = gl_list_contains(extensions, "EGL_MESA_device_software");
    bool tells_name = gl_list_contains(extensions, "EGL_EXT_device_query_name");
    bool is_file = gl_list_contains(extensions, "EGL_EXT_device_drm");
    char name[24];
    snprintf(name, sizeof name, "gl:%d", number);
    device_list_add(list, &(abbe_adapter){ .name = name,
                                           .kind = software ? ABBE_ADAPTER_SOFTWARE : ABBE_ADAPTER_UNKNOWN,
                                           .model = tells_name ? ask(device, EGL_RENDERER_EXT)
                                                    : is_file  ? ask(device, EGL_DRM_DEVICE_FILE_EXT)
                                                               : NULL,
                                           .driver = tells_name ? ask(device, EGL_VENDOR) : NULL });
}

int gl_list(struct adapter_list *list)
{
    struct gl_egl egl = { 0 };
    EGLDeviceEXT devices[DEVICES_MAX];
    if (open_libraries(&egl))
        return ABBE_OK;
    int count = list_devices(&egl, devices);
    for (int i = 0; i < count; i++)
        list_device(&egl, devices[i], i, list);
    if (!count) /* EGL opens its default display, whatever that is */
        device_list_add(list, &(abbe_adapter){ .name = "gl", .kind = ABBE_ADAPTER_UNKNOWN });
    return ABBE_OK;
}

/* ---- Entering and leaving ----------------------------------------------------------------------------- */

static void save_current(struct gl_egl *egl)
{
    const struct egl_functions *f = &egl->f;
    egl->before = (struct egl_current){ f->QueryAPI(), f->GetCurrentDisplay(), f->GetCurrentSurface(EGL_DRAW),
                                        f->GetCurrentSurface(EGL_READ), f->GetCurrentContext() };
}

static void restore_current(struct gl_egl *egl)
{
    const struct egl_current *before = &egl->before;
    EGLDisplay display = before->context ? before->display : egl->display;
    if (display)
        egl->f.MakeCurrent(display, before->draw, before->read, before->context);
    egl->f.BindAPI(before->api);
}

int gl_egl_enter(struct gl *gl)
{
    save_current(gl->egl);
    if (make_current(gl->egl))
        return ABBE_OK;
    int code = (int)gl->egl->f.GetError();
    restore_current(gl->egl);
    return core_fail(gl, ABBE_ERR_DEVICE, "gl: the context cannot be made current: EGL error %#x", code);
}

void gl_egl_leave(struct gl *gl)
{
    restore_current(gl->egl);
}

/* ---- Opening and closing ------------------------------------------------------------------------------ */

/* EGL has one connection to each display, which all contexts of a process share. A child of fork() would wait
 * for ever for the driver's threads, which stayed with its parent. */
static int check_connections(void)
{
    static atomic_uint connected; /* generation of the process that opened displays; 0: none did */
    unsigned none = 0, now = core_generation();
    if (atomic_compare_exchange_strong(&connected, &none, now) || none == now)
        return ABBE_OK;
    return core_fail(
        NULL, ABBE_ERR_DEVICE,
        "device 'gl': OpenGL was in use before fork(), and its driver does not survive that; use "
        "another device, or a process that was started by exec()");
}

int gl_egl_open(struct gl *gl)
{
    gl->egl = core_alloc_zero(1, sizeof *gl->egl);
    if (!gl->egl)
        return core_fail_memory(NULL);
    int error = check_connections();
    if (!error)
        error = open_libraries(gl->egl);
    if (error)
        return error;
    core_lock(&gl->lock);
    save_current(gl->egl);
    error = choose_display(gl);
    if (error)
        gl_leave(gl);
    return error;
}

void gl_egl_close(struct gl *gl)
{
    if (gl->egl)
        destroy_context(gl->egl);
    if (gl->debug_messages)
        fprintf(stderr, "abbe: gl debug: %d messages\n", gl->debug_messages);
    core_free(gl->egl);
}
