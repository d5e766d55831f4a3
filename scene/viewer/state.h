/* The choices of the user, and how keys and the wheel change them. Independent of any window. */
#ifndef ABBE_SCENE_VIEWER_STATE_H
#define ABBE_SCENE_VIEWER_STATE_H

#include "viewer.h"

enum layout { LAYOUT_ALL, LAYOUT_SOURCE, LAYOUT_SPECTRUM, LAYOUT_RESULT, LAYOUTS };

enum { FILTERS_MAX = 16, DEVICES_MAX = 8, FILTER_TEXT = 512 };

struct state {
    bool is_scene;
    struct scene_params scene;
    bool turning;

    int filter;                 /* index into state_filters */
    double values[FILTERS_MAX]; /* for each filter: the value that the wheel changes */
    double direction;           /* in degrees, for filters that have one */
    const char *own;            /* the filter of the command line; NULL: none */
    abbe_border border;
    float border_value;

    const char *devices[DEVICES_MAX];
    int device, device_count;

    enum layout layout;
    bool help;
    bool split;     /* the pane of the result shows the source on its left */
    bool histogram; /* is shown */
    bool peaks;     /* are marked */

    /* Requests; the code that fulfils one clears it. */
    bool quit, save;
    bool filter_changed, device_changed, scene_changed;
};

/* A filter that a key chooses. */
struct state_filter {
    char key;
    const char *name;
    const char *pattern; /* format of the filter's text: the value, then `second` times it or the direction */
    double low, high, first; /* range and initial value; all 0 if there is none */
    double second;           /* factor of the second value; 0: none */
    bool has_direction;
    bool around_zero; /* results are negative as often as positive; an offset makes them visible */
};

extern const struct state_filter state_filters[];
extern const int state_filter_count;

void state_begin(struct state *state, const struct viewer_params *params);

/* Lists the devices that the key d cycles through: the given one,
 * then the others of this build, the GL device with each engine. */
void state_list_devices(struct state *state, const char *first);

/* Returns false for a key without a function. */
bool state_key(struct state *state, int key);

/* Turns the teapot. Angles and zoom factors are rounded to thousandths, as the command line shows them. */
void state_turn(struct state *state, double degrees);
void state_wheel(struct state *state, double steps);

/* Writes the filter without the mask, in the syntax of the command line; "identity" for none. The filter of the
 * command line may be longer, and is cut then. */
void state_filter_text(const struct state *state, char text[FILTER_TEXT]);

/* The offset that is added to results. */
float state_offset(const struct state *state);

/* Returns the command line that reproduces the result, which the caller frees; NULL if memory runs out. `mask` is
 * the file of the mask, NULL for none; `input` is the file of the picture, NULL for the scene. */
char *state_command(const struct state *state, const char *input, const char *mask, const char *output);

/* Tells whether the filter of the command line is selected. */
bool state_filter_is_own(const struct state *state);

/* Lines of help, in groups; ends with an entry without a function. An entry without keys is a heading. */
struct help_entry {
    const char *keys, *function;
};
extern const struct help_entry state_help[];

#endif
