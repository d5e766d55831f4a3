/* The window of `abbe view`: the turning teapot, or a picture, its spectrum and what a filter leaves of it, live. */
#ifndef ABBE_SCENE_VIEWER_H
#define ABBE_SCENE_VIEWER_H

#include "../scene.h"

#include <abbe/abbe.h>

/* What a person wants to keep: names are chosen by the viewer, in the working folder. */
struct viewer_save {
    const char *result_name;  /* a PNG */
    const abbe_image *result; /* F32 */
    bool is_light;            /* linear, to go through scene_tone; else codes, to be stored as they are */
    const char *mask_name;    /* NULL when nothing is painted */
    const abbe_image *mask;   /* U8, one channel */
    const char *command;      /* the command line that makes the same result */
};

struct viewer_params {
    const abbe_image *picture; /* F32, 1 or 3 channels, 0 to 1; NULL for the teapot */
    const char *picture_name;  /* as the command line that repeats the result should have it */
    const char *filter;        /* to begin with, and its text; NULL for none */
    const abbe_filter *own;
    abbe_border border;
    float border_value;
    const char *device; /* to begin with */
    int threads;
    struct scene_params scene;
    int window_width, window_height; /* 0: such that all fits */
    long frames;                     /* to end after; 0: when the window is closed */

    void *user;
    bool (*save)(void *user, const struct viewer_save *save);
};

/* Opens the window and returns when it is closed. False, with the reason, when there is no display, no GLFW, no driver
 * or no device. */
bool viewer_run(const struct viewer_params *params, char reason[SCENE_REASON]);

#endif
