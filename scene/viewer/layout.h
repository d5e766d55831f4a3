/* Where panes lie in a window. */
#ifndef ABBE_SCENE_VIEWER_LAYOUT_H
#define ABBE_SCENE_VIEWER_LAYOUT_H

#include "state.h"

enum pane { PANE_SOURCE, PANE_SPECTRUM, PANE_RESULT, PANES };

/* Pixels of the framebuffer, from its top left; width 0 for what is not shown. */
struct area {
    int x, y, width, height;
};

/* A window, and what of it is kept free for text. */
struct room {
    int width, height, above, below;
};

/* Where the panes of a window lie: side by side and as large as the picture's shape lets them be, or one alone. */
void layout_panes(enum layout layout, const struct room *room, int picture_width, int picture_height,
                  struct area areas[PANES]);

#endif
