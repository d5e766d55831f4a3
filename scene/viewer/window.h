/* A window with a context of OpenGL ES 3.0 and the events of its person, by GLFW, which is opened at run time. */
#ifndef ABBE_SCENE_VIEWER_WINDOW_H
#define ABBE_SCENE_VIEWER_WINDOW_H

#include "../scene.h"

struct window;

enum window_button { BUTTON_LEFT = 1, BUTTON_RIGHT = 2 };

/* What happened; called from window_poll. Places are pixels of the framebuffer, from the top left. */
struct window_events {
    void *user;
    void (*key)(void *user, int key); /* a letter, or KEY_… of state.h */
    void (*wheel)(void *user, double steps);
    void (*pointer)(void *user, double x, double y, int buttons);
};

/* Opens the window; its context is current. NULL, with the reason. */
struct window *window_open(int width, int height, const char *title, const struct window_events *events,
                           char reason[SCENE_REASON]);
void window_close(struct window **window);

/* Takes the events that wait, or, with a time to wait, those that come within it. False once the person has closed the
 * window. */
bool window_poll(struct window *window, double seconds);

void window_size(const struct window *window, int *width, int *height); /* of the framebuffer */
void window_show(struct window *window);                                /* what was drawn */
double window_time(const struct window *window);

/* For scene_create: where the functions of the context are found. */
scene_get_function window_functions(const struct window *window);

#endif
