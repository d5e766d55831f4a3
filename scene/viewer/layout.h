/* Positions of panes in a window. */
#ifndef ABBE_SCENE_VIEWER_LAYOUT_H
#define ABBE_SCENE_VIEWER_LAYOUT_H

#include "state.h"

enum pane { PANE_SOURCE, PANE_SPECTRUM, PANE_RESULT, PANES };

/* A rectangle in pixels of the framebuffer, from its top left corner. Width 0: not shown. */
struct area {
    int x, y, width, height;
};

/* The size of a window, and the rows at its top and bottom that are reserved for text. */
struct room {
    int width, height, above, below;
};

/* Places the panes side by side, or one alone. */
void layout_panes(enum layout layout, const struct room *room, struct area areas[PANES]);

bool area_contains(const struct area *area, double x, double y);

#endif
