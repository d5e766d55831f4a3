/* The viewer's pictures: source, result and spectrum, and the device and plan that filter them. The source
 * and the result are in memory, or textures if the device shares the window's context. */
#ifndef ABBE_SCENE_VIEWER_PICTURES_H
#define ABBE_SCENE_VIEWER_PICTURES_H

#include "brush.h"
#include "state.h"

struct pictures {
    int width, height, channels;
    scene_get_function functions; /* of the window's context; NULL before the window opens */
    const struct scene_gl *gl;    /* table of these functions */
    abbe_device *device;
    abbe_plan *plan;
    bool on_gpu; /* the device filters `drawn` into `filtered` in the window's context */
    struct scene_picture drawn, filtered; /* textures */
    float *source, *result;               /* in memory: width · height · channels */
    bool source_is_old;                   /* `drawn` has not been downloaded to `source` */
    float *plane, *spectrum;              /* luminance: width · height; its spectrum: twice as many */
    uint8_t *magnitudes;                  /* centred, logarithmic, width · height */
    const abbe_filter *own;               /* the filter of the command line; NULL: none */
    char error[SCENE_REASON];             /* message of the last failure, or "" */
};

/* Allocates pictures of that shape. Returns false if memory runs out. */
bool pictures_create(int width, int height, int channels, const abbe_filter *own, struct pictures *pictures);
void pictures_free(struct pictures *pictures);

/* Tells that the window is open and its context current.
 * pictures_leave_window must be called before it closes. */
void pictures_enter_window(struct pictures *pictures, scene_get_function functions,
                           const struct scene_gl *gl);
void pictures_leave_window(struct pictures *pictures);

/* Opens a device; the device gl shares the window's context if possible. The source must be drawn again
 * afterwards. On failure the previous device stays, and `error` is set. */
bool pictures_open_device(struct pictures *pictures, const char *name, int threads);

/* Creates the plan for the mask followed by the state's filter.
 * On failure the previous plan stays, and `error` is set. */
void pictures_plan(struct pictures *pictures, const struct state *state, const struct mask *mask);

/* Draws the scene into the source. */
bool pictures_draw(struct pictures *pictures, struct scene *scene, const struct scene_params *params,
                   char reason[SCENE_REASON]);

/* Filters the source into the result. If the GPU cannot hold the picture as a whole, on_gpu becomes false,
 * and source and plan must be made again. */
void pictures_filter(struct pictures *pictures);

/* Downloads the result to memory if it is a texture. */
void pictures_read_result(struct pictures *pictures);

/* Computes the magnitudes of the source's spectrum: the five
 * decades below the strongest wave map to black … white. */
void pictures_spectrum(struct pictures *pictures);

/* A view of floats with the pictures' shape. */
abbe_image pictures_view(const struct pictures *pictures, float *values);

#endif
