/* What the device needs of any context: its functions, its limits, and turns of threads. */
#define _GNU_SOURCE
#include "core/error.h"
#include "core/lock.h"
#include "core/pool.h"
#include "core/text.h"
#include "gl/gl.h"

#include <GLES2/gl2ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct device_table gl_device_table;

#ifdef NDEBUG
enum { DEBUG_BUILD = false };
#else
enum { DEBUG_BUILD = true };
#endif

bool gl_variable_is_set(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

/* ---- Entering and leaving ----------------------------------------------------------------------------- */

int gl_enter(struct gl *gl)
{
    int error = device_check_process(&gl->head);
    if (error)
        return error;
    core_lock(&gl->lock);
    error = gl->adopted ? gl_adopted_enter(gl) : gl_egl_enter(gl);
    if (error)
        core_unlock(&gl->lock);
    return error;
}

void gl_leave(struct gl *gl)
{
    if (gl->adopted)
        gl_adopted_leave(gl);
    else
        gl_egl_leave(gl);
    core_unlock(&gl->lock);
}

/* ---- Functions and extensions ------------------------------------------------------------------------- */

const char *gl_load_functions(struct gl *gl, gl_finder find, void *user)
{
#define FIND(type, name)                                    \
    gl->f.name = (PFNGL##type##PROC)find(user, "gl" #name); \
    if (!gl->f.name)                                        \
        return "gl" #name;
    ABGL_FUNCTIONS(FIND)
#undef FIND
    return NULL;
}

bool gl_list_contains(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (; list && (list = strstr(list, word)); list += length)
        if (list[length] == ' ' || list[length] == '\0')
            return true;
    return false;
}

bool gl_is_software(const struct gl *gl)
{
    const char *renderer = (const char *)gl->f.GetString(GL_RENDERER);
    return text_contains(renderer, "llvmpipe") || text_contains(renderer, "softpipe") ||
           text_contains(renderer, "swrast") || text_contains(renderer, "swiftshader");
}

int gl_check_targets(const struct gl *gl)
{
    const char *renderer = (const char *)gl->f.GetString(GL_RENDERER);
    const char *extensions = (const char *)gl->f.GetString(GL_EXTENSIONS);
    if (!gl_list_contains(extensions, "GL_EXT_color_buffer_float"))
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "device 'gl': %s has no float render targets (GL_EXT_color_buffer_float)", renderer);
    return ABBE_OK;
}

/* ---- Messages of the driver --------------------------------------------------------------------------- */

static void GL_APIENTRY print_debug_message(GLenum source, GLenum type, GLuint id, GLenum severity,
                                            GLsizei length, const GLchar *message, const void *user)
{
    (void)source, (void)type, (void)id, (void)length;
    if (severity != GL_DEBUG_SEVERITY_HIGH_KHR && severity != GL_DEBUG_SEVERITY_MEDIUM_KHR)
        return;
    ((struct gl *)user)->debug_messages++;
    fprintf(stderr, "abbe: gl debug: %s\n", message);
}

int gl_watch_driver(struct gl *gl, gl_finder find, void *user)
{
    PFNGLDEBUGMESSAGECALLBACKKHRPROC set_callback = (PFNGLDEBUGMESSAGECALLBACKKHRPROC)find(
        user, "glDebugMessageCallbackKHR");
    if (!set_callback || !gl_list_contains((const char *)gl->f.GetString(GL_EXTENSIONS), "GL_KHR_debug"))
        return core_fail(NULL, ABBE_ERR_DEVICE, "ABBE_GL_VALIDATE: the driver has no GL_KHR_debug");
    gl->f.Enable(GL_DEBUG_OUTPUT_KHR);
    gl->f.Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS_KHR);
    set_callback(print_debug_message, gl);
    return ABBE_OK;
}

/* ---- Limits ------------------------------------------------------------------------------------------- */

static void read_limits(struct gl *gl)
{
    GLint attachments = 4;
    gl->f.GetIntegerv(GL_MAX_TEXTURE_SIZE, &gl->texture_max);
    gl->f.GetIntegerv(GL_MAX_ARRAY_TEXTURE_LAYERS, &gl->layers_max);
    gl->f.GetIntegerv(GL_MAX_DRAW_BUFFERS, &gl->draw_buffers);
    gl->f.GetIntegerv(GL_MAX_COLOR_ATTACHMENTS, &attachments);
    if (gl->draw_buffers > attachments)
        gl->draw_buffers = attachments;
    if (gl->draw_buffers > ABGL_LAYERS_MAX)
        gl->draw_buffers = ABGL_LAYERS_MAX;
    snprintf(gl->limit_text, sizeof gl->limit_text,
             "no texture of this device is long enough: %d texels are its limit", gl->texture_max);
}

/* OpenGL ES cannot be asked how much memory there is. GPUs are assumed to have 2 GB, as small ones do;
 * software drivers use half of the machine's memory. */
static size_t guess_memory(const struct gl *gl)
{
    const size_t graphics = (size_t)2 << 30;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    size_t half = pages > 0 && size > 0 ? (size_t)pages / 2 * (size_t)size : graphics;
    return gl->software || half < graphics ? half : graphics;
}

void gl_describe(struct gl *gl, const abbe_device_params *params)
{
    static const char *const engines[] = { "fast", "fialka", "moreland" };
    struct abbe_device *head = &gl->head;
    gl->software = gl_is_software(gl);
    gl->format = gl->params.half ? ABGL_FORMAT_RGBA16F : ABGL_FORMAT_RGBA32F;
    gl->checks_passes = DEBUG_BUILD || gl_variable_is_set("ABBE_GL_VALIDATE");
    read_limits(gl);
    head->table = &gl_device_table;
    head->generation = core_generation();
    head->processors = pool_processors();
    head->threads = params->threads ? params->threads : head->processors;
    head->memory = guess_memory(gl);
    gl_set_prices(gl->software, head);
    snprintf(head->detail, sizeof head->detail, "%.60s, %.32s, %s, %d bits",
             (const char *)gl->f.GetString(GL_RENDERER), (const char *)gl->f.GetString(GL_VERSION),
             engines[gl->params.engine], gl->params.half ? 16 : 32);
}
