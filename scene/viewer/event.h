/* What happened in the window, in order, each with the position that the pointer had then. */
#ifndef ABBE_SCENE_VIEWER_EVENT_H
#define ABBE_SCENE_VIEWER_EVENT_H

enum event_kind { EVENT_KEY, EVENT_WHEEL, EVENT_POINTER, EVENT_SIZE, EVENT_DROP };

enum { BUTTON_LEFT = 1, BUTTON_RIGHT = 2, BUTTON_MIDDLE = 4 };

enum { WITH_SHIFT = 1, WITH_CONTROL = 2 };

/* Codes of keys without a character; other keys have the code of their character. */
enum {
    KEY_LEFT = 256,
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_TAB,
    KEY_ESCAPE,
    KEY_UNDO, /* control and z */
    KEY_REDO, /* control, shift and z; control and y */
};

struct event {
    enum event_kind kind;
    double x, y;       /* of the pointer, in pixels of the framebuffer from its top left corner */
    int buttons;       /* those that are down */
    int modifiers;     /* of the wheel */
    int key;           /* a character, or KEY_… */
    double steps;      /* of the wheel, upwards */
    int width, height; /* of the framebuffer */
    char *name;        /* of the dropped file; the receiver frees it */
};

#endif
