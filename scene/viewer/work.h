/* From the source to the result and to the picture of its spectrum, through the library's public functions. */
#ifndef ABBE_SCENE_VIEWER_WORK_H
#define ABBE_SCENE_VIEWER_WORK_H

#include "brush.h"
#include "state.h"

struct work {
    int width, height, channels;
    scene_get_function functions; /* of the window's context; NULL before there is one */
    const struct scene_gl *gl;    /* the same, found */
    abbe_device *device;
    abbe_plan *plan;
    bool on_card; /* the device works in the window's context, on these */
    struct scene_picture drawn, filtered;
    float *source, *result;   /* in memory: width · height · channels */
    bool source_is_old;       /* what is drawn has not been read back */
    float *plane, *spectrum;  /* of luminance: width · height, and twice that */
    uint8_t *magnitudes;      /* centred, logarithmic, width · height */
    const abbe_filter *own;   /* the filter that was asked for at the start; NULL: none */
    char error[SCENE_REASON]; /* why there is no plan; "" when there is one */
};

/* Memory for pictures of that shape. False when it is short. */
bool work_create(int width, int height, int channels, const abbe_filter *own, struct work *work);
void work_free(struct work *work);

/* The window is there, and its context current; work_leave_window comes before it goes. */
void work_enter_window(struct work *work, scene_get_function functions, const struct scene_gl *gl);
void work_leave_window(struct work *work);

/* Opens the device that the state names, the device gl in the window's context where it can; on failure the one before
 * stays, and `error` says why. The source is to be drawn anew after it. */
bool work_open(struct work *work, const char *name, int threads);

/* Makes the plan for the state's filter behind the mask. On failure the plan before stays, and `error` says why. */
void work_plan(struct work *work, const struct state *state, const struct mask *mask);

/* The source: the scene, drawn. */
bool work_draw(struct work *work, struct scene *scene, const struct scene_params *params,
               char reason[SCENE_REASON]);

/* Filters source to result. A picture that the card does not hold as a whole leaves it: then on_card is false, and all is
 * to be done again. */
void work_filter(struct work *work);

/* Both in memory, wherever the device works. */
void work_read_source(struct work *work);
void work_read_result(struct work *work);

/* Draws the magnitudes of source's spectrum: five decades below the strongest wave become black to white. */
void work_spectrum(struct work *work);

/* A view of floats of the work's shape. */
abbe_image work_view(const struct work *work, float *values);

#endif
