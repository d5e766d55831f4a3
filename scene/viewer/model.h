/* The viewer without its window: events in, state out. Everything that the user can do is here; what it looks
 * like and what it computes is not. */
#ifndef ABBE_SCENE_VIEWER_MODEL_H
#define ABBE_SCENE_VIEWER_MODEL_H

#include "event.h"
#include "layout.h"
#include "strokes.h"
#include "zoom.h"

enum drag { DRAG_NONE, DRAG_PAINT, DRAG_PAN, DRAG_SPLIT, DRAG_NOTHING };

enum { PEAKS_MAX = 64 };

/* A strong periodic component of the picture: one of the two points of its frequency. */
struct peak {
    struct point at;
    double radius; /* of the dot that removes it, in bins */
};

struct model {
    struct state state;
    struct strokes strokes;
    struct extent size;              /* of the picture, and of its spectrum */
    struct zoom zoom, spectrum_zoom; /* of both pictures; of the spectrum */
    int width, height;               /* of the window */
    struct area areas[PANES];
    enum tool tool;
    double radius; /* of the tool, in pixels of the screen */
    int edge;      /* index into model_edges */
    double split;  /* where the result begins in its pane, 0 … 1, if state.split */
    enum drag drag;
    enum pane grabbed;            /* the pane in which the drag began */
    double x, y;                  /* of the pointer */
    struct peak peaks[PEAKS_MAX]; /* shown if state.peaks */
    int peak_count;
    bool peaks_known; /* the peaks are those of the present picture */
    char *dropped;    /* a file to open, or NULL; whoever opens it takes it */
};

struct tool_entry {
    char key;
    const char *name;
};
extern const struct tool_entry model_tools[TOOLS];

/* How soft the edge of a tool can be. */
enum { EDGES = 3 };
extern const struct edge_entry {
    const char *name;
    double softness;
} model_edges[EDGES];

/* Rows of text above and below the panes, and the height of a row. */
enum { ROWS_ABOVE = 2, ROWS_BELOW = 3, ROW_HEIGHT = 22 };

void model_begin(struct model *model, const struct viewer_params *params);
void model_free(struct model *model);

/* Begins with another picture: nothing is painted, and all of it is shown. */
void model_open(struct model *model, int width, int height);

void model_event(struct model *model, const struct event *event);

/* Where the picture of a pane lies. */
struct place model_place(const struct model *model, enum pane pane);

/* The frequency at a point of the window, and the opposite; the spectrum must be visible. */
struct point model_frequency(const struct model *model, double x, double y);
void model_position(const struct model *model, struct point at, double *x, double *y);

/* The pane at a point of the window; PANES if there is none. */
enum pane model_pane_at(const struct model *model, double x, double y);

/* Takes the peaks of the picture. */
void model_take_peaks(struct model *model, const abbe_peak *const *peaks, size_t count);

/* Tells whether a click has removed a peak; undone clicks do not count. */
bool model_peak_removed(const struct model *model, int peak);

/* The peak, not removed, whose mark is at a point of the window; −1 if there is none. */
int model_peak_at(const struct model *model, double x, double y);

#endif
