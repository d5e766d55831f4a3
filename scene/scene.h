/* The teapot on a checked cloth, lit by a window: a test picture with soft shades, a fine weave, hard edges
 * and highlights far brighter than white, drawn by OpenGL ES 3.0 in any context.
 *
 * A picture is the mean of samples, as in an accumulation buffer (Haeberli & Akeley
 * 1990). Each sample uses another point inside the pixels and another point of the
 * window, so that edges are smooth and shadows as soft as those of the window. */
#ifndef ABBE_SCENE_SCENE_H
#define ABBE_SCENE_SCENE_H

#include <stdbool.h>

struct scene;

/* Looks up a function of OpenGL by name, like eglGetProcAddress and glfwGetProcAddress. */
typedef void (*scene_function)(void);
typedef scene_function (*scene_get_function)(const char *name);

/* Size of the text that tells why something failed: a message without capital and full stop. */
enum { SCENE_REASON = 320 };

struct scene_params {
    int width, height; /* pixels, at least 1 */
    double angle;     /* of the teapot in degrees, counter-clockwise seen from above; 0: spout to the right */
    double elevation; /* of the camera above the horizon in degrees, 0 to 90 */
    double zoom;      /* above 0; 1 shows the whole teapot at every angle */
    int material;     /* index into scene_materials() */
    int samples;      /* 1 to SCENE_SAMPLES_MAX */
};
enum { SCENE_SAMPLES_MAX = 1024 };

/* Defaults: 1024 x 768 pixels, angle −30°, elevation 20°, glazed ceramic, 16 samples. */
struct scene_params scene_defaults(void);

/* Names of the materials; ends with NULL. */
const char *const *scene_materials(void);

/* Creates the scene in the current context, to which it then belongs.
 * Returns NULL, with the reason, if the context lacks something. */
struct scene *scene_create(scene_get_function get, char reason[SCENE_REASON]);

/* Destroys the scene, whose context must be current, and
 * sets the pointer to NULL. Accepts a pointer to NULL. */
void scene_destroy(struct scene **scene);

/* Draws into a framebuffer of the context, from its pixel (0, 0) on, opaque and in linear light. White is 1
 * and highlights are brighter, so the format should be RGBA16F or RGBA32F. Rows count from the bottom.
 * Returns false, with the reason, if the picture is larger than the driver supports.
 *
 * Changes the bindings of framebuffers, textures, buffers, vertex array and program,
 * the viewport, depth test, depth function and depth mask. Afterwards `framebuffer`
 * is bound; no vertex array or program is, and the depth test is off. */
bool scene_render(struct scene *scene, const struct scene_params *params, unsigned framebuffer,
                  char reason[SCENE_REASON]);

/* Draws into memory: width · height · 3 floats, red, green
 * and blue, rows from the top. Fails as scene_render does. */
bool scene_capture(struct scene *scene, const struct scene_params *params, float *rgb,
                   char reason[SCENE_REASON]);

/* ---- Pictures as textures ----------------------------------------------------------- */

/* The table of functions that the scene loaded from its context. */
struct scene_gl;
const struct scene_gl *scene_functions(const struct scene *scene);

/* A texture of format RGBA32F, rows from the bottom, and a framebuffer to draw into it. */
struct scene_picture {
    int width, height;
    unsigned texture, framebuffer;
};

/* Returns false, with the reason, if memory runs out or the driver cannot draw pictures of this size. Changes
 * the active texture unit, its texture and the framebuffer binding. */
bool scene_picture_create(const struct scene_gl *gl, int width, int height, struct scene_picture *picture,
                          char reason[SCENE_REASON]);

/* Destroys a picture and sets it to zero. Accepts a picture that is zero. */
void scene_picture_destroy(const struct scene_gl *gl, struct scene_picture *picture);

/* Waits for all drawing and copies the picture to memory, in the layout of scene_capture. */
bool scene_picture_read(const struct scene_gl *gl, const struct scene_picture *picture, float *rgb,
                        char reason[SCENE_REASON]);

/* ---- Light --------------------------------------------------------------------------------------------- */

/* The tone curve: converts linear light to display values, 0 to 1. Light up to 0.6 is unchanged; brighter
 * light approaches 1 as c = 0.6 + 0.4 (1 − e^((0.6 − x) / 0.4)), which continues with slope 1. The sRGB curve
 * follows. Negative light gives 0. */
double scene_tone(double light);

#endif
