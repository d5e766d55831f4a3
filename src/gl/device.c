/* The GL device: its name, opening, closing, and the table of its functions. */
#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "gl/run.h"
#include "gl/summary.h"

#include <math.h>
#include <string.h>

extern const struct device_table gl_device_table;

/* ---- The name ----------------------------------------------------------------------------------------- */

static bool word_is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && !strncmp(word, name, length);
}

static int read_param(const char *word, size_t length, struct gl_params *params)
{
    static const char *const engines[] = {
        [ABGL_FAST] = "fast", [ABGL_FIALKA] = "fialka", [ABGL_MORELAND] = "moreland"
    };
    for (int i = 0; i < 3; i++)
        if (word_is(word, length, engines[i])) {
            params->engine = (enum gl_engine)i;
            return ABBE_OK;
        }
    if (word_is(word, length, "f16") || word_is(word, length, "f32")) {
        params->half = word[1] == '1';
        return ABBE_OK;
    }
    if (*params->name || length >= sizeof params->name)
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "device 'gl': '%s' is one word too many; give at most an engine (fast, fialka, "
                         "moreland), f16 or f32, and a GPU's name or number",
                         text_show(word, length).text);
    memcpy(params->name, word, length);
    return ABBE_OK;
}

int gl_params_read(const char *words, struct gl_params *params)
{
    int error = ABBE_OK;
    while (words && *words && !error) {
        size_t length = strcspn(words, ":");
        if (length)
            error = read_param(words, length, params);
        words += length + (words[length] == ':');
    }
    return error;
}

/* ---- Opening and closing ------------------------------------------------------------------------------ */

struct gl *gl_create(void)
{
    struct gl *gl = core_alloc_zero(1, sizeof *gl);
    if (gl)
        core_lock_init(&gl->lock);
    return gl;
}

void gl_free(struct gl *gl)
{
    if (!gl)
        return;
    gl_egl_close(gl);
    core_lock_destroy(&gl->lock);
    core_free(gl->adopted);
    core_free(gl);
}

static void gl_device_close(abbe_device *device)
{
    struct gl *gl = (struct gl *)device;
    bool entered = !gl_enter(gl);
    gl_programs_destroy(gl, entered);
    if (entered && gl->adopted)
        gl_adopted_close(gl);
    if (entered)
        gl_leave(gl);
    else
        core_forget(gl); /* the message of gl_enter: a later device may have this address */
    gl_free(gl);
}

static int gl_device_open(const char *argument, const abbe_device_params *params, abbe_device **device)
{
    struct gl *gl = gl_create();
    if (!gl)
        return core_fail_memory(NULL);
    device_set_options(&gl->head, params);
    int error = gl_params_read(argument, &gl->params);
    if (!error)
        error = gl_egl_open(gl);
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
    return (struct footprint){ .run = gl_geometry_run(&geometry), .plan = geometry.engine_bytes };
}

static bool gl_checks_finite(const struct engine *engine, const abbe_image *source)
{
    (void)engine;
    (void)source;
    return false;
}

const struct device_table gl_device_table = {
    .name = "gl",
    .summary = ABGL_SUMMARY,
    .open = gl_device_open,
    .close = gl_device_close,
    .list = gl_list,
    .refusal = gl_refusal,
    .footprint = gl_footprint,
    .charge_count = ABGL_CHARGES,
    .charge_names = gl_charge_names,
    .spectrum_charge = ABGL_SPECTRUM_CHARGE,
    .count_units = gl_count_units,
    .create = gl_engine_create,
    .destroy = gl_engine_destroy,
    .checks_finite = gl_checks_finite,
    .run = gl_run,
};
