/* Reacts to keys and the wheel, and writes filters and command lines as text. */
#include "state.h"

#include "event.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct state_filter state_filters[] = {
    { '1', "original", "identity", 0, 0, 0, 0, false, false },
    { '2', "Gaussian", "gaussian:sigma=%.4g", 0.3, 60, 4, 0, false, false },
    { '3', "lens", "disk:radius=%.4g", 0.5, 60, 6, 0, false, false },
    { '4', "motion", "motion:length=%.4g:angle=%.4g", 1, 150, 31, 0, true, false },
    { '5', "unsharp", "unsharp:sigma=%.4g:amount=1.5", 0.3, 30, 2, 0, false, false },
    { '6', "low pass", "lowpass:cutoff=%.4g", 0.004, 1, 0.15, 0, false, false },
    { '7', "high pass", "highpass:cutoff=%.4g", 0.004, 1, 0.05, 0, false, true },
    { '8', "band pass", "bandpass:low=%.4g:high=%.4g", 0.004, 0.33, 0.06, 3, false, true },
    { '9', "streaks", "streak:width=%.4g:angle=%.4g", 2, 170, 20, 0, true, false },
    { '0', "edges", "sobel", 0, 0, 0, 0, false, false },
    { 'l', "Laplacian", "laplacian", 0, 0, 0, 0, false, true },
    { 'f', "own", NULL, 0, 0, 0, 0, false, false },
};
const int state_filter_count = sizeof state_filters / sizeof state_filters[0];

const struct help_entry state_help[] = {
    { NULL, "Paint on the spectrum" },
    { "left, right", "paint, erase" },
    { "p i o w", "brush, line, ring, wedge" },
    { "[ ] ctrl wheel", "size" },
    { "e", "edge: hard or soft" },
    { "k", "remove or keep painted" },
    { "u r", "undo, redo" },
    { "c", "clear" },
    { "n", "mark peaks, click removes" },
    { NULL, "Look" },
    { "wheel + -", "zoom" },
    { "drag arrows", "move" },
    { "z", "1:1 or all of it" },
    { "tab", "all panes or one" },
    { "x", "before and after" },
    { "g", "histogram" },
    { NULL, "Filter" },
    { "1 2 3", "none, Gaussian, lens" },
    { "4 5 6", "motion, unsharp, low pass" },
    { "7 8 9", "high, band pass, streaks" },
    { "0 l f", "edges, Laplacian, -f" },
    { ", . shift wheel", "its value" },
    { "< >", "its direction" },
    { "b d", "next border, next device" },
    { NULL, "Teapot" },
    { "space m", "stop or turn, material" },
    { "arrows + -", "camera" },
    { NULL, "Files" },
    { "drop a picture", "open it" },
    { "s", "save and print command" },
    { "h q", "help, quit" },
    { NULL, NULL },
};

void state_begin(struct state *state, const struct viewer_params *params)
{
    *state = (struct state){
        .is_scene = !params->picture.values,
        .scene = params->scene,
        .turning = !params->picture.values,
        .own = params->filter,
        .border = params->border,
        .border_value = params->border_value,
        .direction = 20,
    };
    for (int i = 0; i < state_filter_count; i++) {
        state->values[i] = state_filters[i].first;
        if (!state_filters[i].pattern && params->filter)
            state->filter = i;
    }
    state->filter_changed = state->scene_changed = true;
}

/* ---- Devices ------------------------------------------------------------------------------------------- */

static void add_device(struct state *state, const char *name)
{
    for (int i = 0; i < state->device_count; i++)
        if (!strcmp(state->devices[i], name))
            return;
    if (state->device_count < DEVICES_MAX)
        state->devices[state->device_count++] = name;
}

void state_list_devices(struct state *state, const char *first)
{
    size_t count;
    const abbe_device_entry *const *entries = abbe_device_catalogue(&count);
    add_device(state, first);
    for (size_t i = 0; i < count; i++) {
        add_device(state, entries[i]->name);
        if (strcmp(entries[i]->name, "gl") != 0)
            continue;
        add_device(state, "gl:fialka");
        add_device(state, "gl:moreland");
    }
}

/* ---- Texts --------------------------------------------------------------------------------------------- */

void state_filter_text(const struct state *state, char text[FILTER_TEXT])
{
    const struct state_filter *filter = &state_filters[state->filter];
    double value = state->values[state->filter];
    double other = filter->has_direction ? state->direction : filter->second * value;
    if (!filter->pattern)
        snprintf(text, FILTER_TEXT, "%s", state->own ? state->own : "identity");
    else if (filter->first == 0)
        snprintf(text, FILTER_TEXT, "%s", filter->pattern);
    else
        snprintf(text, FILTER_TEXT, filter->pattern, value, other);
}

/* Middle grey of a display: one half of the stored range, one fifth of linear light. */
float state_offset(const struct state *state)
{
    if (!state_filters[state->filter].around_zero)
        return 0;
    return state->is_scene ? 0.2f : 0.5f;
}

bool state_filter_is_own(const struct state *state)
{
    return !state_filters[state->filter].pattern;
}

/* Writes a part of a word in single quotes for the shell; a quote inside is written as '\''. */
static void write_quoted(FILE *to, const char *part)
{
    for (; *part; part++) {
        if (*part == '\'')
            fputs("'\\'", to);
        fputc(*part, to);
    }
}

static void write_word(FILE *to, const char *word)
{
    fputs(" '", to);
    write_quoted(to, word);
    fputc('\'', to);
}

static void write_scene(FILE *to, const struct state *state)
{
    const struct scene_params *scene = &state->scene;
    fprintf(to,
            "abbe scene --size %dx%d --angle %.6g --elevation %.6g --zoom %.6g --material %s --samples %d",
            scene->width, scene->height, scene->angle, scene->elevation, scene->zoom,
            scene_materials()[scene->material], scene->samples);
}

/* The text of the user's own filter may be of any length. */
static void write_filter(FILE *to, const struct state *state, const char *mask)
{
    char text[FILTER_TEXT];
    state_filter_text(state, text);
    fputs(" -f '", to);
    if (mask)
        fprintf(to, "mask:file=\"%s\",", mask);
    write_quoted(to, state_filter_is_own(state) && state->own ? state->own : text);
    fputc('\'', to);
}

static void write_command(FILE *to, const struct state *state, const char *input, const char *mask,
                          const char *output)
{
    if (input) {
        fputs("abbe filter", to);
        write_word(to, input);
    } else {
        write_scene(to, state);
    }
    write_filter(to, state, mask);
    fprintf(to, " --border %s", abbe_border_name(state->border));
    if (state->border == ABBE_BORDER_CONSTANT)
        fprintf(to, ":%g", (double)state->border_value);
    if (state_offset(state) != 0)
        fprintf(to, " --offset %g", (double)state_offset(state));
    fprintf(to, " --device %s -o", state->devices[state->device]);
    write_word(to, output);
}

char *state_command(const struct state *state, const char *input, const char *mask, const char *output)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    write_command(to, state, input, mask, output);
    bool failed = ferror(to);
    if (!fclose(to) && !failed)
        return text;
    free(text);
    return NULL;
}

/* ---- Keys ---------------------------------------------------------------------------------------------- */

static bool choose_filter(struct state *state, int key)
{
    for (int i = 0; i < state_filter_count; i++) {
        if (state_filters[i].key != key || (!state_filters[i].pattern && !state->own))
            continue;
        state->filter = i;
        state->filter_changed = true;
        return true;
    }
    return false;
}

static double limited(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

static bool turn_filter(struct state *state, double degrees)
{
    state->direction = fmod(state->direction + degrees + 180, 180);
    state->filter_changed |= state_filters[state->filter].has_direction;
    return true;
}

/* Rounds to thousandths. */
static double round_thousandths(double value)
{
    return round(value * 1000) / 1000;
}

/* The angle stays within ±360 degrees, the range that the command accepts. */
void state_turn(struct state *state, double degrees)
{
    state->scene.angle = round_thousandths(fmod(state->scene.angle + degrees, 360));
    state->scene_changed = true;
}

static bool change_camera(struct state *state, int key)
{
    struct scene_params *scene = &state->scene;
    int materials = 0;
    while (scene_materials()[materials])
        materials++;
    switch (key) {
    case KEY_LEFT: state_turn(state, -5); break;
    case KEY_RIGHT: state_turn(state, 5); break;
    case KEY_UP: scene->elevation = limited(scene->elevation + 5, 0, 90); break;
    case KEY_DOWN: scene->elevation = limited(scene->elevation - 5, 0, 90); break;
    case '+':
    case '=': scene->zoom = limited(round_thousandths(scene->zoom * 1.1), 0.1, 10); break;
    case '-': scene->zoom = limited(round_thousandths(scene->zoom / 1.1), 0.1, 10); break;
    case 'm': scene->material = (scene->material + 1) % materials; break;
    case ' ': state->turning = !state->turning; break;
    default: return false;
    }
    state->scene_changed = true;
    return true;
}

static bool turn_value(struct state *state, double steps)
{
    state_wheel(state, steps);
    return true;
}

static bool change_filtering(struct state *state, int key)
{
    abbe_border next_border = (abbe_border)(state->border + 1);
    switch (key) {
    case 'b':
        state->border = abbe_border_name(next_border) ? next_border : ABBE_BORDER_REFLECT;
        state->filter_changed = true;
        return true;
    case 'd':
        state->device = state->device_count ? (state->device + 1) % state->device_count : 0;
        state->device_changed = true;
        return true;
    case '<': return turn_filter(state, -10);
    case '>': return turn_filter(state, 10);
    case ',': return turn_value(state, -1);
    case '.': return turn_value(state, 1);
    default: return false;
    }
}

bool state_key(struct state *state, int key)
{
    switch (key) {
    case 'q': state->quit = true; return true;
    case 's': state->save = true; return true;
    case 'x': state->split = !state->split; return true;
    case 'n':
        state->peaks = !state->peaks;
        state->turning = false; /* the peaks are those of one picture */
        return true;
    case 'g': state->histogram = !state->histogram; return true;
    case 'h':
    case '?': state->help = !state->help; return true;
    case KEY_TAB: state->layout = (enum layout)((state->layout + 1) % LAYOUTS); return true;
    default: break;
    }
    return choose_filter(state, key) || change_filtering(state, key) ||
           (state->is_scene && change_camera(state, key));
}

void state_wheel(struct state *state, double steps)
{
    const struct state_filter *filter = &state_filters[state->filter];
    if (filter->first == 0)
        return;
    double *value = &state->values[state->filter];
    *value = limited(*value * pow(1.15, steps), filter->low, filter->high);
    state->filter_changed = true;
}
