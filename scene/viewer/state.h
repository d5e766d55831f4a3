/* What the person at the window has chosen, and what keys and the wheel change of it. Knows no window. */
#ifndef ABBE_SCENE_VIEWER_STATE_H
#define ABBE_SCENE_VIEWER_STATE_H

#include "viewer.h"

/* Keys that are no letters; letters are themselves. */
enum {
    KEY_LEFT = 256,
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_TAB,
    KEY_ESCAPE,
};

enum layout { LAYOUT_ALL, LAYOUT_SOURCE, LAYOUT_SPECTRUM, LAYOUT_RESULT, LAYOUTS };

enum { FILTERS_MAX = 16, DEVICES_MAX = 8, FILTER_TEXT = 512 };

struct state {
    bool is_scene;
    struct scene_params scene;
    bool turning;

    int filter;                 /* of state_filters */
    double values[FILTERS_MAX]; /* of each filter: what the wheel changes */
    double direction;           /* degrees, of those that have one */
    const char *own;            /* the filter that was asked for at the start; NULL: none */
    abbe_border border;
    float border_value;

    const char *devices[DEVICES_MAX];
    int device, device_count;

    enum layout layout;
    bool help;
    bool keep;     /* the brush keeps what it paints, of nothing; else it removes, of all */
    double radius; /* of the brush, pixels of the spectrum */

    /* Wishes, cleared by whoever fulfils them. */
    bool quit, save, clear_mask;
    bool filter_changed, device_changed, scene_changed;
};

/* A filter that a key chooses. */
struct state_filter {
    char key;
    const char *name;
    const char *pattern;     /* of the filter's text: the value, then `second` times it, or the direction */
    double low, high, first; /* of the value; 0 when there is none */
    double second;           /* 0: none */
    bool has_direction;
    bool around_zero; /* results are negative as often as positive: an offset shows them */
};

extern const struct state_filter state_filters[];
extern const int state_filter_count;

void state_begin(struct state *state, const struct viewer_params *params);

/* What the key d goes through: the device that was asked for, then the others of this build, the GL device with all its
 * engines. */
void state_list_devices(struct state *state, const char *first);

/* False for a key that means nothing. */
bool state_key(struct state *state, int key);

/* Turns the pot by degrees. Angles are kept to thousandths, and zooms, as the command line has them. */
void state_turn(struct state *state, double degrees);
void state_wheel(struct state *state, double steps);

/* The filter as the command line has it, without the mask; "identity" for none. */
void state_filter_text(const struct state *state, char text[FILTER_TEXT]);

/* What is added to results. */
float state_offset(const struct state *state);

/* The command line that makes the result again. `mask` is the name of its file, NULL for none; `input` that of the
 * picture, NULL for the scene. */
void state_command(const struct state *state, const char *input, const char *mask, const char *output,
                   char *text, size_t size);

/* Whether it is the filter that was asked for at the start. */
bool state_filter_is_own(const struct state *state);

/* Rows of "key  what it does", ended by NULL. */
extern const char *const state_help[];

#endif
