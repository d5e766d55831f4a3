/* The teapot on a checked cloth under a window: a picture with soft shades, fine weave, hard edges and lights far
 * brighter than white, drawn by OpenGL ES 3.0 in any context.
 *
 * A picture is the mean of samples, as in an accumulation buffer (Haeberli & Akeley 1990). Each sample is drawn from
 * its own point of every pixel and lit by its own point of the window, so that edges are smooth and shadows are as soft
 * as the window is large. */
#ifndef ABBE_SCENE_SCENE_H
#define ABBE_SCENE_SCENE_H

#include <stdbool.h>

struct scene;

/* A function of OpenGL by its name, as eglGetProcAddress or glfwGetProcAddress gives it. */
typedef void (*scene_function)(void);
typedef scene_function (*scene_get_function)(const char *name);

/* Why something is not possible: a sentence without its capital and its stop. */
enum { SCENE_REASON = 320 };

struct scene_params {
    int width, height; /* pixels, from 1 */
    double angle; /* degrees that the teapot is turned, counter-clockwise from above; 0: spout to the right */
    double elevation; /* degrees that the camera stands above the horizon, 0 to 90 */
    double zoom;      /* more than 0; 1 shows all of the teapot at every angle */
    int material;     /* of scene_materials */
    int samples;      /* 1 to SCENE_SAMPLES_MAX */
};
enum { SCENE_SAMPLES_MAX = 1024 };

/* 1024 x 768, turned by -30 degrees, seen from 20 degrees above, glazed ceramic, 16 samples. */
struct scene_params scene_defaults(void);

/* Names of the materials, by their number, ended by NULL. */
const char *const *scene_materials(void);

/* Builds the scene in the current context, to which it belongs from then on. NULL, with the reason, when the context
 * lacks something. */
struct scene *scene_create(scene_get_function get, char reason[SCENE_REASON]);

/* Takes NULL, and clears. The scene's context must be current. */
void scene_destroy(struct scene **scene);

/* Draws into a framebuffer of the context, from its pixel (0, 0) on, opaque, in linear light: 1 is a display's white,
 * and lights are brighter, so its format should be RGBA16F or RGBA32F. Rows count from the bottom. False, with the
 * reason, when the picture is larger than the driver draws.
 *
 * Changes bindings of framebuffers, textures, buffers, vertex array and program, the viewport, depth test, depth
 * function and depth mask; it leaves `framebuffer` bound, and no vertex array, program or depth test. */
bool scene_render(struct scene *scene, const struct scene_params *params, unsigned framebuffer,
                  char reason[SCENE_REASON]);

/* Draws into memory: width · height · 3 floats, red, green and blue, rows from the top. */
bool scene_capture(struct scene *scene, const struct scene_params *params, float *rgb,
                   char reason[SCENE_REASON]);

/* ---- Pictures that stay where they are drawn ----------------------------------------------------------- */

/* The functions of a context, as the scene has found them. */
struct scene_gl;
const struct scene_gl *scene_functions(const struct scene *scene);

/* A texture of RGBA32F, rows from the bottom, and the framebuffer that draws into it. */
struct scene_picture {
    int width, height;
    unsigned texture, framebuffer;
};

/* False, with the reason, when the driver has no memory for it, or draws nothing that large. Changes the active unit, its
 * texture and the framebuffer binding. */
bool scene_picture_create(const struct scene_gl *gl, int width, int height, struct scene_picture *picture,
                          char reason[SCENE_REASON]);

/* Takes what is all zero, and makes it so. */
void scene_picture_destroy(const struct scene_gl *gl, struct scene_picture *picture);

/* To memory, as scene_capture has it; after all that has been drawn. */
bool scene_picture_read(const struct scene_gl *gl, const struct scene_picture *picture, float *rgb,
                        char reason[SCENE_REASON]);

/* ---- Light --------------------------------------------------------------------------------------------- */

/* Linear light as a display shows it, from 0 to 1 to be stored: values up to 0.6 stay what they are, brighter ones
 * approach 1, as c = 0.6 + 0.4 (1 − e^((0.6 − x) / 0.4)), with the slope of 1 where the two meet; then sRGB's curve.
 * Negative values are 0. */
double scene_tone(double light);

#endif
