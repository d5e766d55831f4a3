/* The GL device: opening, closing, and the table of its functions. */
#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "gl/gl.h"

#include <math.h>
#include <omp.h>
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

/* ---- The name ----------------------------------------------------------------------------------------- */

static bool is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && !strncmp(word, name, length);
}

static int read_word(const char *word, size_t length, struct gl_wishes *wishes)
{
    static const char *const engines[] = {
        [GL_FAST] = "fast", [GL_FIALKA] = "fialka", [GL_MORELAND] = "moreland"
    };
    for (int i = 0; i < 3; i++)
        if (is(word, length, engines[i])) {
            wishes->engine = (enum gl_engine)i;
            return ABBE_OK;
        }
    if (is(word, length, "f16") || is(word, length, "f32")) {
        wishes->half = word[1] == '1';
        return ABBE_OK;
    }
    if (*wishes->name || length >= sizeof wishes->name)
        return core_fail(
            NULL, ABBE_ERR_DEVICE,
            "device 'gl': '%s' is one word too many; an engine (fast, fialka, moreland), f16 or f32, and "
            "a GPU are possible",
            text_show(word, length).text);
    memcpy(wishes->name, word, length);
    return ABBE_OK;
}

/* "moreland:f16:llvmpipe": an engine, a precision, a GPU, in any order, each or none. */
int gl_read_words(const char *argument, struct gl_wishes *wishes)
{
    int error = ABBE_OK;
    while (argument && *argument && !error) {
        size_t length = strcspn(argument, ":");
        if (length)
            error = read_word(argument, length, wishes);
        argument += length + (argument[length] == ':');
    }
    return error;
}

/* ---- Opening and closing ------------------------------------------------------------------------------ */

static bool asked(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

static void read_limits(struct gl *gl)
{
    GLint attachments = 4;
    gl->f.GetIntegerv(GL_MAX_TEXTURE_SIZE, &gl->texture_max);
    gl->f.GetIntegerv(GL_MAX_ARRAY_TEXTURE_LAYERS, &gl->layers_max);
    gl->f.GetIntegerv(GL_MAX_DRAW_BUFFERS, &gl->draw_buffers);
    gl->f.GetIntegerv(GL_MAX_COLOR_ATTACHMENTS, &attachments);
    if (gl->draw_buffers > attachments)
        gl->draw_buffers = attachments;
    if (gl->draw_buffers > GL_LAYERS_MAX)
        gl->draw_buffers = GL_LAYERS_MAX;
    snprintf(gl->limit_text, sizeof gl->limit_text,
             "no texture of this device is long enough: %d texels are its limit", gl->texture_max);
}

/* OpenGL ES does not tell how much memory there is. A GPU is taken to have as much as small ones do. */
static size_t device_memory(const struct gl *gl)
{
    const size_t graphics = (size_t)2 << 30;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    size_t half = pages > 0 && size > 0 ? (size_t)pages / 2 * (size_t)size : graphics;
    return gl->software || half < graphics ? half : graphics;
}

static void fill_head(struct gl *gl, const abbe_device_params *params)
{
    static const char *const engines[] = { "fast", "fialka", "moreland" };
    struct abbe_device *head = &gl->head;
    head->table = &gl_device_table;
    head->processors = omp_get_num_procs();
    head->threads = params->threads ? params->threads : head->processors;
    head->memory = device_memory(gl);
    gl_price(gl->software, head);
    snprintf(head->detail, sizeof head->detail, "%.60s, %.32s, %s, %d bits",
             (const char *)gl->f.GetString(GL_RENDERER), (const char *)gl->f.GetString(GL_VERSION),
             engines[gl->wishes.engine], gl->wishes.half ? 16 : 32);
}

void gl_describe(struct gl *gl, const abbe_device_params *params)
{
    gl->software = gl_is_software(gl);
    gl->format = gl->wishes.half ? GL_FORMAT_RGBA16F : GL_FORMAT_RGBA32F;
    read_limits(gl);
    fill_head(gl, params);
    gl->checked = DEBUG_BUILD || asked("ABBE_GL_VALIDATE");
}

struct gl *gl_create(void)
{
    struct gl *gl = core_alloc_zero(1, sizeof *gl);
    if (gl)
        pthread_mutex_init(&gl->lock, NULL);
    return gl;
}

void gl_free(struct gl *gl)
{
    if (!gl)
        return;
    gl_context_close(gl);
    pthread_mutex_destroy(&gl->lock);
    core_free(gl->guest);
    core_free(gl);
}

static void gl_close(abbe_device *device)
{
    struct gl *gl = (struct gl *)device;
    bool entered = !gl_enter(gl);
    gl_programs_destroy(gl, entered);
    if (entered && gl->guest)
        gl_guest_close(gl);
    if (entered)
        gl_leave(gl);
    else
        core_forget(gl); /* why it could not: a later device may lie at this address */
    gl_free(gl);
}

static int gl_open(const char *argument, const abbe_device_params *params, abbe_device **device)
{
    struct gl *gl = gl_create();
    if (!gl)
        return core_fail_memory(NULL);
    int error = gl_read_words(argument, &gl->wishes);
    if (!error)
        error = gl_context_open(gl, &gl->wishes);
    if (error) {
        gl_free(gl);
        return error;
    }
    gl->f.Disable(GL_DITHER);
    gl_describe(gl, params);
    gl_leave(gl);
    *device = &gl->head;
    return ABBE_OK;
}

/* ---- The table ---------------------------------------------------------------------------------------- */

static const char *gl_refusal(const abbe_device *device, const struct work *work)
{
    struct gl_geometry geometry;
    return gl_geometry_plan((const struct gl *)device, work, &geometry);
}

static struct footprint gl_footprint(const abbe_device *device, const struct work *work)
{
    struct gl_geometry geometry;
    if (gl_geometry_plan((const struct gl *)device, work, &geometry))
        return (struct footprint){ INFINITY, INFINITY };
    return (struct footprint){ .run = gl_geometry_run(&geometry), .plan = geometry.kept };
}

static bool gl_checks_finite(const struct engine *engine)
{
    (void)engine;
    return false;
}

const struct device_table gl_device_table = {
    .name = "gl",
    .open = gl_open,
    .close = gl_close,
    .refusal = gl_refusal,
    .footprint = gl_footprint,
    .charge_count = GL_CHARGES,
    .charge_names = gl_charge_names,
    .count_units = gl_count_units,
    .create = gl_engine_create,
    .destroy = gl_engine_destroy,
    .checks_finite = gl_checks_finite,
    .run = gl_run,
};
