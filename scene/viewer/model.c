/* Reacts to events: tools paint, the wheel zooms, drags move pictures and the divider. */
#include "model.h"

#include <math.h>
#include <stdlib.h>

const struct tool_entry model_tools[TOOLS] = {
    [TOOL_BRUSH] = { 'p', "brush" },
    [TOOL_LINE] = { 'i', "line" },
    [TOOL_RING] = { 'o', "ring" },
    [TOOL_WEDGE] = { 'w', "wedge" },
};

const struct edge_entry model_edges[EDGES] = { { "hard", 0 }, { "soft", 0.5 }, { "softest", 1 } };

static const double radius_least = 1, radius_most = 500;

void model_begin(struct model *model, const struct viewer_params *params)
{
    *model = (struct model){ .radius = 12, .edge = 1, .split = 0.5, .x = -1, .y = -1 };
    state_begin(&model->state, params);
}

void model_free(struct model *model)
{
    strokes_free(&model->strokes);
    free(model->dropped);
    model->dropped = NULL;
}

void model_open(struct model *model, int width, int height)
{
    unsigned version = model->strokes.version;
    strokes_free(&model->strokes);
    strokes_begin(&model->strokes, width, height);
    model->strokes.version = version + 1;
    model->size = (struct extent){ width, height };
    model->zoom = model->spectrum_zoom = (struct zoom){ 0 };
    model->peak_count = 0;
    model->peaks_known = false;
    if (model->drag != DRAG_NONE)
        model->drag = DRAG_NOTHING; /* a button that is down does nothing to this picture */
    model->state.peaks = false;
}

/* ---- Places -------------------------------------------------------------------------------------------- */

static struct zoom *zoom_of(struct model *model, enum pane pane)
{
    return pane == PANE_SPECTRUM ? &model->spectrum_zoom : &model->zoom;
}

struct place model_place(const struct model *model, enum pane pane)
{
    return zoom_place(pane == PANE_SPECTRUM ? &model->spectrum_zoom : &model->zoom, &model->areas[pane],
                      model->size);
}

/* Zero frequency is in the middle of the bin at column width / 2 and row height / 2. */
struct point model_frequency(const struct model *model, double x, double y)
{
    struct place place = model_place(model, PANE_SPECTRUM);
    return (struct point){ (x - place.left) / place.scale - 0.5 - model->size.width / 2,
                           (y - place.top) / place.scale - 0.5 - model->size.height / 2 };
}

void model_position(const struct model *model, struct point at, double *x, double *y)
{
    struct place place = model_place(model, PANE_SPECTRUM);
    *x = place.left + (at.u + 0.5 + model->size.width / 2) * place.scale;
    *y = place.top + (at.v + 0.5 + model->size.height / 2) * place.scale;
}

enum pane model_pane_at(const struct model *model, double x, double y)
{
    for (int i = 0; i < PANES; i++)
        if (area_contains(&model->areas[i], x, y))
            return (enum pane)i;
    return PANES;
}

/* The softest dot of twice the radius removes about as much as the filter `notch`. In a picture that is not
 * square a round dot covers the notch. */
void model_take_peaks(struct model *model, const abbe_peak *const *peaks, size_t count)
{
    double width = model->size.width / 2.0, height = model->size.height / 2.0;
    model->peaks_known = true;
    model->peak_count = 0;
    for (size_t i = 0; i < count && i < PEAKS_MAX; i++) {
        struct peak *peak = &model->peaks[model->peak_count++];
        *peak = (struct peak){ { peaks[i]->x * width, peaks[i]->y * height },
                               2 * peaks[i]->radius * fmax(width, height) };
    }
}

bool model_peak_removed(const struct model *model, int peak)
{
    const struct strokes *strokes = &model->strokes;
    struct point at = model->peaks[peak].at;
    bool removed = false;
    for (size_t i = 0; i < strokes->done; i++) {
        const struct stroke *stroke = &strokes->list[i];
        const struct point *first = strokes->points + stroke->first;
        if (stroke->deed == DEED_CLEAR)
            removed = false;
        else if (stroke->deed == DEED_STROKE && !stroke->erases && stroke->count == 1 && first->u == at.u &&
                 first->v == at.v)
            removed = true;
    }
    return removed;
}

int model_peak_at(const struct model *model, double x, double y)
{
    const double reach = 9;
    if (!model->state.peaks || model_pane_at(model, x, y) != PANE_SPECTRUM)
        return -1;
    for (int i = 0; i < model->peak_count; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct point at = { sign * model->peaks[i].at.u, sign * model->peaks[i].at.v };
            double px, py;
            model_position(model, at, &px, &py);
            if (hypot(x - px, y - py) <= reach && !model_peak_removed(model, i))
                return i;
        }
    return -1;
}

static void place_panes(struct model *model)
{
    struct room room = { model->width, model->height, ROWS_ABOVE * ROW_HEIGHT,
                         model->height - (model->height / ROW_HEIGHT - ROWS_BELOW) * ROW_HEIGHT + 10 };
    layout_panes(model->state.layout, &room, model->areas);
}

/* ---- The pointer --------------------------------------------------------------------------------------- */

static void press_tool(struct model *model, bool erases)
{
    double scale = model_place(model, PANE_SPECTRUM).scale;
    int peak = erases ? -1 : model_peak_at(model, model->x, model->y);
    struct stroke stroke = { .tool = model->tool,
                             .erases = erases,
                             .radius = model->radius / scale,
                             .softness = model_edges[model->edge].softness };
    struct point at = model_frequency(model, model->x, model->y);
    if (peak >= 0) {
        stroke.tool = TOOL_BRUSH;
        stroke.radius = model->peaks[peak].radius;
        stroke.softness = 1;
        at = model->peaks[peak].at;
    }
    strokes_press(&model->strokes, &stroke, at);
    if (peak >= 0)
        strokes_release(&model->strokes);
    model->drag = peak >= 0 ? DRAG_NOTHING : DRAG_PAINT;
}

static double divider_position(const struct model *model)
{
    const struct area *area = &model->areas[PANE_RESULT];
    return area->x + model->split * area->width;
}

/* The left button paints on the spectrum and the right one erases. Every other drag moves a picture, or the
 * divider between before and after. */
static void press_button(struct model *model, int buttons)
{
    enum pane pane = model_pane_at(model, model->x, model->y);
    const double reach = 8;
    if (pane == PANES)
        return;
    model->grabbed = pane;
    if (pane == PANE_SPECTRUM && (buttons & (BUTTON_LEFT | BUTTON_RIGHT)))
        press_tool(model, !(buttons & BUTTON_LEFT));
    else if (pane == PANE_RESULT && model->state.split && (buttons & BUTTON_LEFT) &&
             fabs(model->x - divider_position(model)) <= reach)
        model->drag = DRAG_SPLIT;
    else
        model->drag = DRAG_PAN;
}

static void continue_drag(struct model *model, double dx, double dy)
{
    const struct area *area = &model->areas[model->grabbed];
    if (!area->width)
        return;
    switch (model->drag) {
    case DRAG_NONE:
    case DRAG_NOTHING: break;
    case DRAG_PAINT: strokes_drag(&model->strokes, model_frequency(model, model->x, model->y)); break;
    case DRAG_PAN: zoom_pan(zoom_of(model, model->grabbed), area, model->size, dx, dy); break;
    case DRAG_SPLIT: model->split = fmin(fmax((model->x - area->x) / area->width, 0.02), 0.98); break;
    }
}

static void end_drag(struct model *model)
{
    if (model->drag == DRAG_PAINT)
        strokes_release(&model->strokes);
    model->drag = DRAG_NONE;
}

static void move_pointer(struct model *model, const struct event *event)
{
    double dx = event->x - model->x, dy = event->y - model->y;
    model->x = event->x;
    model->y = event->y;
    if (model->drag != DRAG_NONE && (dx != 0 || dy != 0))
        continue_drag(model, dx, dy);
    if (!event->buttons)
        end_drag(model);
    else if (model->drag == DRAG_NONE)
        press_button(model, event->buttons);
}

/* ---- The wheel ----------------------------------------------------------------------------------------- */

static void change_radius(struct model *model, double factor)
{
    model->radius = fmin(fmax(model->radius * factor, radius_least), radius_most);
}

static void turn_wheel(struct model *model, const struct event *event)
{
    enum pane pane = model_pane_at(model, event->x, event->y);
    model->x = event->x;
    model->y = event->y;
    if (event->modifiers & WITH_CONTROL)
        change_radius(model, pow(1.15, event->steps));
    else if (pane == PANES || (event->modifiers & WITH_SHIFT))
        state_wheel(&model->state, event->steps);
    else
        zoom_by(zoom_of(model, pane), &model->areas[pane], model->size, event->x, event->y,
                pow(1.25, event->steps));
}

/* ---- Keys ---------------------------------------------------------------------------------------------- */

/* The pane that keys zoom and move: under the pointer, or the first visible one. */
static enum pane pane_of_keys(const struct model *model)
{
    enum pane pane = model_pane_at(model, model->x, model->y);
    for (int i = 0; i < PANES && pane == PANES; i++)
        if (model->areas[i].width)
            pane = (enum pane)i;
    return pane;
}

static bool zoom_key(struct model *model, int key)
{
    enum pane pane = pane_of_keys(model);
    if (pane == PANES)
        return false;
    const struct area *area = &model->areas[pane];
    struct zoom *zoom = zoom_of(model, pane);
    bool inside = area_contains(area, model->x, model->y);
    double x = inside ? model->x : area->x + area->width / 2.0, step = 40;
    double y = inside ? model->y : area->y + area->height / 2.0;
    switch (key) {
    case 'z':
        if (zoom->free)
            *zoom = (struct zoom){ 0 };
        else
            zoom_to(zoom, area, model->size, x, y, 1);
        return true;
    case '+':
    case '=': zoom_by(zoom, area, model->size, x, y, 1.25); return true;
    case '-': zoom_by(zoom, area, model->size, x, y, 1 / 1.25); return true;
    case KEY_LEFT: zoom_pan(zoom, area, model->size, step, 0); return true;
    case KEY_RIGHT: zoom_pan(zoom, area, model->size, -step, 0); return true;
    case KEY_UP: zoom_pan(zoom, area, model->size, 0, step); return true;
    case KEY_DOWN: zoom_pan(zoom, area, model->size, 0, -step); return true;
    default: return false;
    }
}

static bool paint_key(struct model *model, int key)
{
    for (int i = 0; i < TOOLS; i++)
        if (model_tools[i].key == key) {
            model->tool = (enum tool)i;
            return true;
        }
    switch (key) {
    case '[': change_radius(model, 1 / 1.25); return true;
    case ']': change_radius(model, 1.25); return true;
    case 'e': model->edge = (model->edge + 1) % EDGES; return true;
    case 'k': strokes_invert(&model->strokes); return true;
    case 'c': strokes_clear(&model->strokes); return true;
    case 'u':
    case KEY_UNDO: strokes_undo(&model->strokes); return true;
    case 'r':
    case KEY_REDO: strokes_redo(&model->strokes); return true;
    default: return false;
    }
}

/* The escape key ends what is in the way, and at last the viewer. */
static void escape(struct model *model)
{
    if (model->drag == DRAG_PAINT) {
        strokes_cancel(&model->strokes);
        model->drag = DRAG_NOTHING; /* the rest of the drag does not paint */
    } else if (model->state.help) {
        model->state.help = false;
    } else {
        model->state.quit = true;
    }
}

static void press_key(struct model *model, int key)
{
    if (key == KEY_ESCAPE)
        escape(model);
    else if (!paint_key(model, key) && !state_key(&model->state, key))
        zoom_key(model, key);
    place_panes(model);
}

void model_event(struct model *model, const struct event *event)
{
    switch (event->kind) {
    case EVENT_KEY: press_key(model, event->key); break;
    case EVENT_WHEEL: turn_wheel(model, event); break;
    case EVENT_POINTER: move_pointer(model, event); break;
    case EVENT_SIZE:
        model->width = event->width;
        model->height = event->height;
        place_panes(model);
        break;
    case EVENT_DROP:
        free(model->dropped);
        model->dropped = event->name;
        break;
    }
}
