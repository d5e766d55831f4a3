/* A window with an OpenGL ES 3.0 context, and its events. */
#ifndef ABBE_SCENE_VIEWER_WINDOW_H
#define ABBE_SCENE_VIEWER_WINDOW_H

#include "../scene.h"

struct window;

enum window_button { BUTTON_LEFT = 1, BUTTON_RIGHT = 2 };

/* Callbacks of window_poll. Positions are pixels of the framebuffer, from its top left corner. */
struct window_events {
    void *user;
    void (*key)(void *user, int key); /* a character, or KEY_… of state.h */
    void (*wheel)(void *user, double steps);
    void (*pointer)(void *user, double x, double y, int buttons);
};

/* Opens the window and makes its context current. Returns NULL, with the reason, on failure. */
struct window *window_open(int width, int height, const char *title, const struct window_events *events,
                           char reason[SCENE_REASON]);
void window_close(struct window **window);

/* Handles pending events; if `seconds` is positive, waits that long
 * for one. Returns false once the user has closed the window. */
bool window_poll(struct window *window, double seconds);

void window_size(const struct window *window, int *width, int *height); /* of the framebuffer */
void window_show(struct window *window);                                /* shows what was drawn */
double window_time(const struct window *window);

/* Looks up functions of the context, for scene_create. */
scene_get_function window_functions(const struct window *window);

#endif
