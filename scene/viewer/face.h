/* The texts and marks around and over the panes. */
#ifndef ABBE_SCENE_VIEWER_FACE_H
#define ABBE_SCENE_VIEWER_FACE_H

#include "histogram.h"
#include "ink.h"
#include "model.h"

/* Milliseconds of each stage, smoothed to be readable; 0: unknown. */
struct face_times {
    double scene, filter, spectrum, preview, show, frame;
};

/* What the face tells beyond the model. */
struct face {
    const char *name; /* of the picture; NULL: the teapot */
    const char *device;
    const char *note; /* about the last action; "": none */
    bool note_is_error;
    const char *busy; /* what the worker does; NULL: nothing */
    double progress;  /* 0 … 1 of that; below 0: unknown */
    bool is_preview, is_estimate;
    const struct histogram *histogram; /* NULL: none to show */
    struct face_times times;
};

void face_draw(struct ink *ink, const struct model *model, const struct face *face);

#endif
