/* From the source to the result and to the picture of its spectrum, through the library's public functions. */
#ifndef ABBE_SCENE_VIEWER_WORK_H
#define ABBE_SCENE_VIEWER_WORK_H

#include "brush.h"
#include "state.h"

struct work {
    int width, height, channels;
    abbe_device *device;
    abbe_plan *plan;
    float *source, *result;   /* width · height · channels */
    float *plane, *spectrum;  /* of luminance: width · height, and twice that */
    uint8_t *magnitudes;      /* centred, logarithmic, width · height */
    const abbe_filter *own;   /* the filter that was asked for at the start; NULL: none */
    char error[SCENE_REASON]; /* why there is no plan; "" when there is one */
};

/* Memory for pictures of that shape. False when it is short. */
bool work_create(int width, int height, int channels, const abbe_filter *own, struct work *work);
void work_free(struct work *work);

/* Opens the device that the state names; on failure the one before stays, and `error` says why. */
bool work_open(struct work *work, const char *name, int threads);

/* Makes the plan for the state's filter behind the mask. On failure the plan before stays, and `error` says why. */
void work_plan(struct work *work, const struct state *state, const struct mask *mask);

/* Filters source to result. */
void work_filter(struct work *work);

/* Draws the magnitudes of source's spectrum: five decades below the strongest wave become black to white. */
void work_spectrum(struct work *work);

/* A view of floats of the work's shape. */
abbe_image work_view(const struct work *work, float *values);

#endif
