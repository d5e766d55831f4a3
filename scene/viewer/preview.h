/* A quick answer: the visible part of a large picture is filtered at the resolution of the screen. */
#ifndef ABBE_SCENE_VIEWER_PREVIEW_H
#define ABBE_SCENE_VIEWER_PREVIEW_H

#include "pyramid.h"
#include "recipe.h"
#include "zoom.h"

/* Pictures of more pixels have a preview, which has at most about as many, and fewer if they take too long. */
enum { PREVIEW_PIXELS = 512 * 512, PREVIEW_PIXELS_LEAST = 128 * 128 };

struct preview {
    abbe_device *device;
    double pixels;          /* that the next preview may have */
    struct pyramid source;  /* of the whole picture, plain numbers */
    struct excerpt excerpt; /* of the picture that `shown` covers */
    bool has_part;          /* `part` holds the excerpt */
    float *part, *results;  /* the excerpt of the source; one or two filtered ones */
    size_t room;            /* samples in `part` */
    struct pyramid shown;   /* the filtered excerpt */
};

/* Opens a device for previews, on the CPU. */
bool preview_begin(struct preview *preview, int threads);
void preview_free(struct preview *preview);

/* Takes a picture, sRGB-coded. Computes smaller copies of it. Any thread may do that while no other uses the
 * preview. Returns false if memory runs out. */
bool preview_take(struct preview *preview, int width, int height, int channels, const float *values);

/* Chooses the excerpt: the visible part, with some margin, at the resolution of the screen, or at a lower one if
 * that were more than `pixels`. */
void preview_choose(const struct place *place, const struct area *area, struct extent size, double pixels,
                    struct excerpt *excerpt);

/* Adapts the number of pixels to the seconds that a preview took, for answers within 50 ms. */
void preview_adapt(struct preview *preview, double seconds);

/* Filters the part of the picture that is visible. Returns an abbe_error. */
int preview_filter(struct preview *preview, const struct recipe *recipe, const struct place *place,
                   const struct area *area);

#endif
