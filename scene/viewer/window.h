/* A window with an OpenGL ES 3.0 context, and its events. */
#ifndef ABBE_SCENE_VIEWER_WINDOW_H
#define ABBE_SCENE_VIEWER_WINDOW_H

#include "event.h"

#include <scene.h>
#include <stdbool.h>

struct window;

/* Opens the window and makes its context current. Returns NULL, with the reason, on failure. */
struct window *window_open(int width, int height, const char *title, char reason[SCENE_REASON]);
void window_close(struct window **window);

/* Collects pending events; if `seconds` is positive, waits that long for one. Returns false once the user has
 * closed the window. */
bool window_poll(struct window *window, double seconds);

/* Takes the oldest event that was collected. Returns false if there is none. */
bool window_next(struct window *window, struct event *event);

/* Ends the wait of window_poll, from any thread. */
void window_wake(struct window *window);

void window_title(struct window *window, const char *title);
void window_size(const struct window *window, int *width, int *height); /* of the framebuffer */
void window_show(struct window *window);                                /* shows what was drawn */
double window_time(const struct window *window);

/* Looks up functions of the context, for scene_create. */
scene_get_function window_functions(const struct window *window);

#endif
