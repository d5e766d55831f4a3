/* The viewer's pictures: source, result and spectrum, and the device and plan that filter them. The source
 * and the result are in memory, or textures if the device shares the window's context. */
#ifndef ABBE_SCENE_VIEWER_PICTURES_H
#define ABBE_SCENE_VIEWER_PICTURES_H

#include "histogram.h"
#include "magnitudes.h"
#include "pyramid.h"
#include "recipe.h"

struct pictures {
    int width, height, channels;
    enum samples samples;
    scene_get_function functions; /* of the window's context; NULL before the window opens */
    const struct scene_gl *gl;    /* table of these functions */
    abbe_device *device;
    abbe_plan *plan;
    bool on_gpu; /* the device filters `drawn` into `filtered` in the window's context */
    struct scene_picture drawn, filtered; /* textures */
    float *source, *result; /* in memory: width · height · channels; result: NULL until needed */
    bool source_is_old;     /* `drawn` has not been downloaded to `source` */
    struct pyramid source_levels, result_levels;
    struct magnitudes spectrum;
    char error[SCENE_REASON]; /* message of the last failure, or "" */
};

/* Takes over a picture, whose values are freed by pictures_free; NULL: allocates one. Device and textures of a
 * previous picture are closed. Returns false if memory runs out; the previous picture stays then. */
bool pictures_take(struct pictures *pictures, int width, int height, int channels, enum samples samples,
                   float *values);
void pictures_free(struct pictures *pictures);

/* Allocates the result. Returns false if memory runs out. */
bool pictures_need_result(struct pictures *pictures);

/* Tells that the window is open and its context current.
 * pictures_leave_window must be called before it closes. */
void pictures_enter_window(struct pictures *pictures, scene_get_function functions,
                           const struct scene_gl *gl);
void pictures_leave_window(struct pictures *pictures);

/* Opens a device; the device gl shares the window's context if possible, with a large picture only if it has
 * no other. The source must be drawn again afterwards. On failure the previous device stays, and `error` is
 * set; otherwise it is cleared. */
bool pictures_open_device(struct pictures *pictures, const char *name, int threads, bool is_large);

/* Creates the plan. On failure the previous plan stays, and `error` is set. */
void pictures_plan(struct pictures *pictures, const struct recipe *recipe);

/* Draws the scene into the source. */
bool pictures_draw(struct pictures *pictures, struct scene *scene, const struct scene_params *params,
                   char reason[SCENE_REASON]);

/* Filters the source into the result. If the GPU cannot hold the picture as a whole, on_gpu becomes false,
 * and source and plan must be made again. */
void pictures_filter(struct pictures *pictures);

/* Download the source and the result to memory if they are textures. */
void pictures_read_source(struct pictures *pictures);
void pictures_read_result(struct pictures *pictures);

/* Computes the source's spectrum on a device of the CPU. */
void pictures_spectrum(struct pictures *pictures, abbe_device *cpu);

/* A view of floats with the pictures' shape. */
abbe_image pictures_view(const struct pictures *pictures, float *values);

#endif
