/* A list of coloured triangles in pixels of the window: boxes, lines, circles and text, collected without
 * OpenGL and drawn by screen.h in one call. */
#ifndef ABBE_SCENE_VIEWER_INK_H
#define ABBE_SCENE_VIEWER_INK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct colour {
    uint8_t red, green, blue, alpha;
};

/* `s` and `t` are dots of the row of glyphs; s is negative for plain colour. `across` is the distance from the
 * middle of a line, and `half` where it ends. */
struct corner {
    float x, y, s, t, across, half;
    struct colour colour;
};

struct ink {
    struct corner *corners; /* three per triangle */
    size_t count, room;
    double left, top, right, bottom; /* lines are cut off there, unless all are 0 */
};

/* Cuts lines off at the edges of a rectangle; of width 0: does not. */
void ink_clip(struct ink *ink, double x, double y, double width, double height);

void ink_free(struct ink *ink);
void ink_clear(struct ink *ink);

/* Add something. What memory does not suffice for is left out. */
void ink_box(struct ink *ink, double x, double y, double width, double height, struct colour colour);
void ink_line(struct ink *ink, double x0, double y0, double x1, double y1, double width,
              struct colour colour);
void ink_ellipse(struct ink *ink, double x, double y, double rx, double ry, double width,
                 struct colour colour);

/* Text in dots of `dot` pixels; what is not ASCII and what a terminal would obey is shown as '?'. Returns the
 * position after its last letter. ink_text_width tells how wide it is. */
double ink_text(struct ink *ink, double x, double y, int dot, struct colour colour, const char *text);
double ink_text_width(int dot, const char *text);

#endif
