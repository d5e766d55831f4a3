/* How much a pane magnifies its picture, and which part it shows. */
#ifndef ABBE_SCENE_VIEWER_ZOOM_H
#define ABBE_SCENE_VIEWER_ZOOM_H

#include "layout.h"

struct zoom {
    bool free;    /* else the whole picture fits the pane */
    double scale; /* pixels of the screen per pixel of the picture */
    double x, y;  /* of the picture, in the middle of the pane */
};

/* Where a picture lies: its point (px, py) is at (left + px · scale, top + py · scale) of the window. */
struct place {
    double scale, left, top;
};

struct extent {
    int width, height; /* of the picture */
};

struct place zoom_place(const struct zoom *zoom, const struct area *area, struct extent size);

/* Change the scale; the point of the picture under (x, y) of the window stays there. */
void zoom_by(struct zoom *zoom, const struct area *area, struct extent size, double x, double y,
             double factor);
void zoom_to(struct zoom *zoom, const struct area *area, struct extent size, double x, double y,
             double scale);

/* Moves the picture by pixels of the screen. */
void zoom_pan(struct zoom *zoom, const struct area *area, struct extent size, double dx, double dy);

#endif
