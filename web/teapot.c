/* The teapot for the page: a module apart, which is loaded on request only. */
#include "scene.h"

#include "gl.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/* ---- Functions of OpenGL, which are imports ------------------------------------------------------------ */

#define DECLARE(type, name)                              \
    extern __typeof__(*(PFNGL##type##PROC)NULL) gl##name \
        __attribute__((import_module("gl"), import_name(#name)));
SCENE_GL_FUNCTIONS(DECLARE)
#undef DECLARE

static scene_function find_function(const char *name)
{
#define ENTRY(type, name) { "gl" #name, (scene_function)gl##name },
    static const struct {
        const char *name;
        scene_function function;
    } table[] = { SCENE_GL_FUNCTIONS(ENTRY) };
#undef ENTRY
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return table[i].function;
    return NULL;
}

/* ---- Frames -------------------------------------------------------------------------------------------- */

/* Light is looked up in steps of 1/4096 up to 8, where the tone curve has reached white. A step is less than one level
 * of the result. */
enum { STEPS = 4096, BRIGHTEST = 8 };

static struct {
    char reason[SCENE_REASON];
    uint8_t level[STEPS * BRIGHTEST + 1];
    size_t pixels; /* of the buffers */
    float *light;
    uint8_t *rgba;
} frame;

EXPORT(reason) const char *teapot_reason(void);
const char *teapot_reason(void)
{
    return frame.reason;
}

/* NULL, with the reason, if the context lacks something. */
EXPORT(open) struct scene *teapot_open(void);
struct scene *teapot_open(void)
{
    for (int i = 0; i <= STEPS * BRIGHTEST; i++)
        frame.level[i] = (uint8_t)(255.0 * scene_tone((double)i / STEPS) + 0.5);
    return scene_create(find_function, frame.reason);
}

static bool fit_frame(size_t pixels)
{
    if (pixels == frame.pixels)
        return true;
    free(frame.light);
    free(frame.rgba);
    frame.light = malloc(3 * pixels * sizeof *frame.light);
    frame.rgba = malloc(4 * pixels);
    frame.pixels = frame.light && frame.rgba ? pixels : 0;
    return frame.pixels > 0 || (strcpy(frame.reason, "not enough memory"), false);
}

static uint8_t level_of(float light)
{
    return frame
        .level[light > 0.0f ? light < BRIGHTEST ? (int)(light * STEPS + 0.5f) : STEPS * BRIGHTEST : 0];
}

/* The pixels of the next frame, RGBA from the top, until the following one is drawn; NULL, with the reason. */
EXPORT(draw)
const uint8_t *teapot_draw(struct scene *scene, int width, int height, double angle, double elevation,
                           int samples);
const uint8_t *teapot_draw(struct scene *scene, int width, int height, double angle, double elevation,
                           int samples)
{
    struct scene_params params = scene_defaults();
    params.width = width;
    params.height = height;
    params.angle = angle;
    params.elevation = elevation;
    params.samples = samples;
    size_t pixels = (size_t)width * (size_t)height;
    if (!fit_frame(pixels) || !scene_capture(scene, &params, frame.light, frame.reason))
        return NULL;
    for (size_t i = 0; i < pixels; i++) {
        for (size_t c = 0; c < 3; c++)
            frame.rgba[4 * i + c] = level_of(frame.light[3 * i + c]);
        frame.rgba[4 * i + 3] = 255;
    }
    return frame.rgba;
}
