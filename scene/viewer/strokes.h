/* What the user painted on the spectrum: a list of strokes, which can be undone and redone, and which mask.h
 * renders at any resolution.
 *
 * Positions are frequencies in bins of the picture's own transform, relative to zero frequency: (u, v) stands
 * for u / width and v / height cycles per pixel. */
#ifndef ABBE_SCENE_VIEWER_STROKES_H
#define ABBE_SCENE_VIEWER_STROKES_H

#include <stdbool.h>
#include <stddef.h>

enum tool {
    TOOL_BRUSH, /* a freehand line through all points */
    TOOL_LINE,  /* a straight line from the first point to the last */
    TOOL_RING,  /* all frequencies between those of the first point and the last, in every direction */
    TOOL_WEDGE, /* all directions between those of the first point and the last, from the nearer one outwards */
    TOOLS
};

/* A stroke, or a change of everything painted before. */
enum deed { DEED_STROKE, DEED_CLEAR, DEED_INVERT };

struct point {
    double u, v;
};

struct stroke {
    enum deed deed;
    enum tool tool;
    bool erases;
    double radius;       /* in bins */
    double softness;     /* the share of the radius over which the edge fades: 0 hard, 1 soft */
    size_t first, count; /* of `points` of the list */
};

struct strokes {
    int width, height; /* of the picture */
    struct stroke *list;
    size_t count, done, room; /* those beyond `done` are undone */
    struct point *points;
    size_t point_count, point_room;
    bool drawing;     /* the last stroke is not finished */
    unsigned version; /* changes with everything that changes what is painted */
};

/* Begins an empty list for a picture. */
void strokes_begin(struct strokes *strokes, int width, int height);
void strokes_free(struct strokes *strokes);

/* Copies what is done. Returns false if memory runs out. */
bool strokes_copy(const struct strokes *from, struct strokes *to);

/* Start a stroke, extend it, finish it, or drop it unfinished. A stroke for which memory runs out is dropped. */
void strokes_press(struct strokes *strokes, const struct stroke *kind, struct point at);
void strokes_drag(struct strokes *strokes, struct point at);
void strokes_release(struct strokes *strokes);
void strokes_cancel(struct strokes *strokes);

/* Add a deed: everything is unpainted, or painted and unpainted frequencies change their meaning. */
void strokes_clear(struct strokes *strokes);
void strokes_invert(struct strokes *strokes);

/* Return false if there is nothing to undo or to redo. */
bool strokes_undo(struct strokes *strokes);
bool strokes_redo(struct strokes *strokes);

/* Tells whether painted frequencies are kept and all others removed; otherwise painted ones are removed. */
bool strokes_keep(const struct strokes *strokes);

/* Tells whether anything is painted. An erased stroke still counts. */
bool strokes_painted(const struct strokes *strokes);

#endif
