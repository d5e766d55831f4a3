/* The window of `abbe view`: the turning teapot or a picture, its spectrum and the filtered result, live. */
#ifndef ABBE_SCENE_VIEWER_H
#define ABBE_SCENE_VIEWER_H

#include "../scene.h"

#include <abbe/abbe.h>

/* What the key s saves. The viewer chooses the names; the files go to the working folder. */
struct viewer_save {
    const char *result_name;  /* a PNG */
    const abbe_image *result; /* F32 */
    bool is_light;            /* linear light, to which scene_tone must be applied; else stored values */
    const char *mask_name;    /* NULL if nothing is painted */
    const abbe_image *mask;   /* U8, one channel */
    const char *command;      /* the command line that reproduces the result */
};

struct viewer_params {
    const abbe_image *picture; /* F32, 1 or 3 channels, 0 to 1; NULL for the teapot */
    const char *picture_name;  /* file name for the command line that reproduces the result */
    const char *filter;        /* text of the first filter; NULL: none */
    const abbe_filter *own;
    abbe_border border;
    float border_value;
    const char *device; /* the first device */
    int threads;
    struct scene_params scene;
    int window_width, window_height; /* 0: default */
    long frames;                     /* ends after this many frames; 0: when the window is closed */

    void *user;
    bool (*save)(void *user, const struct viewer_save *save);
};

/* Opens the window and returns after it is closed. Returns false, with
 * the reason, if there is no display, no GLFW, no driver or no device. */
bool viewer_run(const struct viewer_params *params, char reason[SCENE_REASON]);

#endif
