/* What is done to the picture: the filter and what is painted, ready to be carried out on any thread. */
#ifndef ABBE_SCENE_VIEWER_RECIPE_H
#define ABBE_SCENE_VIEWER_RECIPE_H

#include "mask.h"
#include "state.h"

struct recipe {
    char text[FILTER_TEXT]; /* of the filter, unless it is `own` */
    const abbe_filter *own; /* the filter of the command line, which outlives every recipe; NULL: `text` */
    struct strokes strokes; /* a copy */
    bool masks;             /* what is painted has an effect */
    abbe_border border;
    float border_value, offset;
};

/* Copies the choices of the user. Returns false if memory runs out. */
bool recipe_make(struct recipe *recipe, const struct state *state, const abbe_filter *own,
                 const struct strokes *strokes);
void recipe_free(struct recipe *recipe);

/* Tells whether the result is the source. */
bool recipe_is_identity(const struct recipe *recipe);

/* Make the filter without what is painted, and the filter of a mask. Return an abbe_error. */
int recipe_filter(const struct recipe *recipe, abbe_filter **filter);
int recipe_mask_filter(const struct mask *mask, bool keep, abbe_filter **filter);

/* Parameters of a plan for floats that may hold anything. */
abbe_plan_params recipe_params(const struct recipe *recipe, int width, int height, int channels);

/* Makes the plan for whole pictures. */
int recipe_plan(const struct recipe *recipe, abbe_device *device, int width, int height, int channels,
                abbe_plan **plan);

#endif
