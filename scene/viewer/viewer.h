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

/* A picture that was opened. */
struct viewer_picture {
    int width, height, channels; /* 1 or 3 channels */
    float *values;               /* 0 to 1, of malloc; the viewer frees them */
};

struct viewer_params {
    struct viewer_picture picture; /* taken over; without values: the teapot */
    const char *picture_name;      /* file name for the command line that reproduces the result */
    const char *filter;            /* text of the first filter; NULL: none */
    const abbe_filter *own;
    abbe_border border;
    float border_value;
    const char *device; /* the first device */
    int threads;
    struct scene_params scene;
    int window_width, window_height; /* 0: default */
    long frames;                     /* ends after this many frames; 0: when the window is closed */

    void *user;
    /* Opens a file that was dropped, after which `save` belongs to that. Prints why it fails. Both are called
     * one at a time, but by any thread. */
    bool (*open)(void *user, const char *name, struct viewer_picture *picture);
    bool (*save)(void *user, const struct viewer_save *save);
};

/* Opens the window and returns after it is closed. Returns false, with
 * the reason, if there is no display, no GLFW, no driver or no device. */
bool viewer_run(const struct viewer_params *params, char reason[SCENE_REASON]);

#endif
