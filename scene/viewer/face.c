/* Draws titles, tools, status, histogram, help, and marks on the spectrum. */
#include "face.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct colour bright = { 236, 233, 226, 255 }, dim = { 146, 149, 156, 255 },
                           faint = { 116, 119, 126, 255 }, accent = { 255, 186, 84, 255 },
                           wrong = { 255, 122, 108, 255 }, bar = { 32, 34, 38, 255 },
                           panel = { 18, 19, 22, 236 }, shadow = { 0, 0, 0, 150 };

/* Letters on a line: 14 pixels high, of the row's 22. */
enum { TEXT_TOP = 4 };

static int dot_of(const struct model *model)
{
    return model->width < 700 || model->height < 260 ? 1 : 2;
}

static double row_top(const struct model *model, int row_from_bottom)
{
    return (model->height / ROW_HEIGHT - row_from_bottom) * ROW_HEIGHT;
}

/* A line of text that grows to the right, until the window or its part of it ends. */
struct line {
    struct ink *ink;
    double x, y, end;
    int dot;
};

static struct line begin_line(struct ink *ink, const struct model *model, double x, double y, double end)
{
    int dot = dot_of(model);
    return (struct line){ ink, x, y + TEXT_TOP + (dot == 1 ? 3 : 0), end, dot };
}

/* A text that does not fit is cut off, with dots. */
static void add_text(struct line *line, struct colour colour, const char *text)
{
    char cut[256];
    int most = (int)((line->end - line->x) / ink_text_width(line->dot, " "));
    if (most < 1)
        return;
    snprintf(cut, sizeof cut, "%s", text);
    if (most < (int)strlen(cut)) {
        cut[most] = '\0';
        for (int i = most - 1; i >= 0 && i >= most - 2; i--)
            cut[i] = '.';
    }
    line->x = ink_text(line->ink, line->x, line->y, line->dot, colour, cut);
}

static void add_gap(struct line *line, double letters)
{
    line->x += letters * ink_text_width(line->dot, " ");
}

/* A name in grey, and its value. */
static void add_value(struct line *line, const char *name, const char *value)
{
    add_text(line, dim, name);
    add_gap(line, *name ? 1 : 0);
    add_text(line, bright, value);
    add_gap(line, 2);
}

/* ---- Above the panes ----------------------------------------------------------------------------------- */

static void draw_head(struct ink *ink, const struct model *model, const struct face *face)
{
    char text[64];
    struct line line = begin_line(ink, model, 8, 1, model->width - 8);
    ink_box(ink, 0, 0, model->width, ROW_HEIGHT, bar);
    double hint = ink_text_width(line.dot, "h help");
    line.end -= hint + 12;
    const char *name = face->name ? face->name : "teapot";
    const char *slash = strrchr(name, '/');
    add_text(&line, bright, slash && slash[1] ? slash + 1 : name);
    add_gap(&line, 2);
    snprintf(text, sizeof text, "%d x %d", model->size.width, model->size.height);
    add_text(&line, dim, text);
    struct line right = begin_line(ink, model, model->width - 8 - hint, 1, model->width);
    add_text(&right, accent, "h");
    add_text(&right, dim, " help");
}

static void draw_title(struct ink *ink, const struct model *model, const struct face *face, enum pane pane)
{
    static const char *const titles[PANES] = { "original", "spectrum", "result" };
    const struct area *area = &model->areas[pane];
    char text[32];
    struct line line = begin_line(ink, model, area->x, ROW_HEIGHT, area->x + area->width);
    double scale = 100 * model_place(model, pane).scale;
    add_text(&line, bright, titles[pane]);
    add_gap(&line, 1);
    snprintf(text, sizeof text, scale < 10 ? "%.1f %%" : "%.0f %%", scale);
    add_text(&line, dim, text);
    add_gap(&line, 1);
    if (pane == PANE_RESULT && face->is_preview)
        add_text(&line, accent, "preview");
    if (pane == PANE_SPECTRUM && face->is_estimate)
        add_text(&line, accent, "estimate");
}

/* ---- Below the panes ----------------------------------------------------------------------------------- */

static void draw_tools(struct ink *ink, const struct model *model)
{
    char text[64];
    struct line line = begin_line(ink, model, 8, row_top(model, 3), model->width - 8);
    for (int i = 0; i < TOOLS; i++) {
        bool chosen = model->tool == (enum tool)i;
        const char key[2] = { model_tools[i].key, '\0' };
        double from = line.x;
        if (chosen)
            ink_box(ink, from - 5, line.y - 4,
                    ink_text_width(line.dot, model_tools[i].name) + ink_text_width(line.dot, "p ") + 8,
                    7 * line.dot + 8, (struct colour){ 72, 58, 34, 255 });
        add_text(&line, chosen ? accent : faint, key);
        add_gap(&line, 1);
        add_text(&line, chosen ? accent : dim, model_tools[i].name);
        add_gap(&line, 2);
    }
    bool keeps = strokes_keep(&model->strokes);
    add_text(&line, keeps ? (struct colour){ 140, 210, 150, 255 } : wrong,
             keeps ? "keeps painted" : "removes painted");
    add_gap(&line, 2);
    snprintf(text, sizeof text, "%.0f px %s", 2 * model->radius, model_edges[model->edge].name);
    add_value(&line, "size", text);
    snprintf(text, sizeof text, "%zu/%zu", model->strokes.done, model->strokes.count);
    if (model->strokes.count)
        add_value(&line, "strokes", text);
}

static void draw_choices(struct ink *ink, const struct model *model, const struct face *face)
{
    const struct state *state = &model->state;
    const struct face_times *times = &face->times;
    char text[FILTER_TEXT];
    struct line line = begin_line(ink, model, 8, row_top(model, 2), model->width - 8);
    state_filter_text(state, text);
    add_value(&line, "filter", text);
    add_value(&line, "border", abbe_border_name(state->border));
    add_value(&line, "device", face->device);
    if (state->turning && times->frame > 0) {
        snprintf(text, sizeof text, "%.0f fps", 1e3 / times->frame);
        add_value(&line, "", text);
    }
    double milliseconds = face->is_preview ? times->preview : times->filter;
    bool is_long = milliseconds >= 1000;
    snprintf(text, sizeof text, "%.1f %s", is_long ? milliseconds / 1000 : milliseconds,
             is_long ? "s" : "ms");
    if (milliseconds > 0)
        add_value(&line, face->is_preview ? "preview" : "filtered", text);
}

/* What the worker does, else what was done last, else a hint. */
static void draw_message(struct ink *ink, const struct model *model, const struct face *face)
{
    struct line line = begin_line(ink, model, 8, row_top(model, 1), model->width - 8);
    if (face->busy) {
        double width = 100, top = line.y + 2;
        if (face->progress >= 0) {
            ink_box(ink, line.x, top, width, 8, (struct colour){ 52, 55, 61, 255 });
            ink_box(ink, line.x, top, width * fmin(face->progress, 1), 8, accent);
            line.x += width + 12;
        }
        add_text(&line, dim, face->busy);
        add_gap(&line, 3);
    }
    if (*face->note)
        add_text(&line, face->note_is_error ? wrong : bright, face->note);
    else if (!face->busy)
        add_text(&line, faint, "paint on the spectrum; the wheel zooms; drop a picture to open it");
}

/* ---- Over the panes ------------------------------------------------------------------------------------ */

static void draw_histogram(struct ink *ink, const struct model *model, const struct histogram *histogram)
{
    static const struct colour colours[4] = {
        { 255, 96, 84, 120 }, { 96, 224, 110, 120 }, { 96, 150, 255, 120 }, { 220, 220, 220, 200 }
    };
    const struct area *area = &model->areas[PANE_RESULT];
    double width = fmin(2 * BINS, area->width - 24), height = fmin(80, area->height / 3.0);
    double x = area->x + 12, bottom = area->y + area->height - 12, peak = (double)histogram_peak(histogram);
    if (width < 32 || height < 24)
        return;
    ink_box(ink, x - 6, bottom - height - 6, width + 12, height + 12, panel);
    for (int c = 0; c < histogram->channels; c++)
        for (int i = 0; i < BINS; i++) {
            double share = (double)histogram->shares[c][i] / fmax(peak, 1e-9);
            double high = height * sqrt(fmin(share, 1));
            ink_box(ink, x + i * width / BINS, bottom - high, width / BINS, high,
                    colours[histogram->channels == 1 ? 3 : c]);
        }
}

static void draw_divider(struct ink *ink, const struct model *model)
{
    const struct area *area = &model->areas[PANE_RESULT];
    double x = floor(area->x + model->split * area->width);
    int dot = dot_of(model);
    ink_box(ink, x - 2, area->y, 5, area->height, shadow);
    ink_box(ink, x - 0.5, area->y, 2, area->height, accent);
    double grip = fmin(28, area->height / 2.0);
    ink_box(ink, x - 4, area->y + (area->height - grip) / 2, 9, grip, accent);
    double wide = ink_text_width(dot, "before");
    if (area->width < 4 * wide)
        return;
    ink_box(ink, x - 16 - wide, area->y + 6, wide + 8, 8 * dot + 6, shadow);
    ink_text(ink, x - 12 - wide, area->y + 10, dot, bright, "before");
    ink_box(ink, x + 10, area->y + 6, ink_text_width(dot, "after") + 8, 8 * dot + 6, shadow);
    ink_text(ink, x + 14, area->y + 10, dot, bright, "after");
}

/* A circle that is visible on any ground. */
static void draw_circle(struct ink *ink, double x, double y, double rx, double ry, struct colour colour)
{
    struct colour under = shadow;
    under.alpha = (uint8_t)(colour.alpha * 0.6);
    ink_ellipse(ink, x, y, rx, ry, 3, under);
    ink_ellipse(ink, x, y, rx, ry, 1.2, colour);
}

/* Outlines of the tool at the pointer, and faintly at the opposite frequency, which it paints as well. */
static void draw_cursor(struct ink *ink, const struct model *model)
{
    if (model_pane_at(model, model->x, model->y) != PANE_SPECTRUM)
        return;
    struct point at = model_frequency(model, model->x, model->y);
    double x, y, cx, cy, scale = model_place(model, PANE_SPECTRUM).scale;
    struct colour pale = accent;
    pale.alpha = 130;
    model_position(model, (struct point){ -at.u, -at.v }, &x, &y);
    draw_circle(ink, model->x, model->y, model->radius, model->radius, accent);
    draw_circle(ink, x, y, model->radius, model->radius, pale);
    model_position(model, (struct point){ 0, 0 }, &cx, &cy);
    if (model->tool == TOOL_RING) {
        double frequency = hypot(at.u / model->size.width, at.v / model->size.height);
        draw_circle(ink, cx, cy, frequency * model->size.width * scale,
                    frequency * model->size.height * scale, pale);
    } else if (model->tool == TOOL_WEDGE) {
        double far = 4 * hypot(model->width, model->height) / fmax(hypot(model->x - cx, model->y - cy), 1);
        for (int sign = -1; sign <= 1; sign += 2)
            ink_line(ink, cx + sign * (model->x - cx), cy + sign * (model->y - cy),
                     cx + sign * far * (model->x - cx), cy + sign * far * (model->y - cy), 1.2, pale);
    }
}

static void draw_peaks(struct ink *ink, const struct model *model)
{
    static const struct colour mark = { 110, 214, 255, 255 };
    int under = model_peak_at(model, model->x, model->y);
    for (int i = 0; i < model->peak_count; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct point at = { sign * model->peaks[i].at.u, sign * model->peaks[i].at.v };
            double x, y;
            model_position(model, at, &x, &y);
            draw_circle(ink, x, y, 9, 9, model_peak_removed(model, i) ? faint : i == under ? bright : mark);
        }
}

static void draw_marks(struct ink *ink, const struct model *model)
{
    const struct area *area = &model->areas[PANE_SPECTRUM];
    ink_clip(ink, area->x, area->y, area->width, area->height);
    if (model->state.peaks)
        draw_peaks(ink, model);
    if (!model->state.help)
        draw_cursor(ink, model);
    ink_clip(ink, 0, 0, 0, 0);
}

/* ---- Help ---------------------------------------------------------------------------------------------- */

enum { HELP_KEYS = 16, HELP_COLUMN = 42 }; /* letters of the keys, and of keys and function */

/* Letters as large as the window allows for all entries, in two columns if need be. */
static void draw_help(struct ink *ink, const struct model *model)
{
    double top = 2.0 * ROW_HEIGHT, height = row_top(model, 3) - top - 6;
    int count = 0, dot = 2;
    while (state_help[count].function)
        count++;
    int columns = model->width >= HELP_COLUMN * 2 * 6 * 2 + 24 ? 2 : 1;
    int rows = (count + columns - 1) / columns + 1;
    if (rows * 20.0 > height - 20 || model->width < HELP_COLUMN * 12 + 40) {
        dot = 1;
        columns = model->width >= HELP_COLUMN * 6 * 2 + 24 ? 2 : 1;
        rows = (count + columns - 1) / columns + 1;
    }
    double pitch = fmin((height - 20) / rows, 12.0 * dot), letter = ink_text_width(dot, " ");
    double width = columns * HELP_COLUMN * letter, left = fmax((model->width - width) / 2, 8);
    ink_box(ink, left - 16, top, width + 32, rows * pitch + 22, panel);
    if (pitch < 8) {
        ink_text(ink, left, top + 4, dot, accent, "enlarge the window for help");
        return;
    }
    int column = 0, row = 0;
    for (int i = 0; i < count; i++, row++) {
        bool heading = !state_help[i].keys;
        /* A column begins with a heading. */
        if (heading && column + 1 < columns && row >= rows - 5) {
            column++;
            row = 0;
        }
        double x = left + column * HELP_COLUMN * letter, y = top + 12 + row * pitch;
        if (!heading)
            ink_text(ink, x, y, dot, bright, state_help[i].keys);
        ink_text(ink, heading ? x : x + HELP_KEYS * letter, y, dot, heading ? accent : dim,
                 state_help[i].function);
    }
}

void face_draw(struct ink *ink, const struct model *model, const struct face *face)
{
    ink_clear(ink);
    if (model->areas[PANE_SPECTRUM].width)
        draw_marks(ink, model);
    bool overlays = model->areas[PANE_RESULT].width && !model->state.help;
    if (overlays && model->state.split)
        draw_divider(ink, model);
    if (overlays && face->histogram && face->histogram->channels)
        draw_histogram(ink, model, face->histogram);
    double below = row_top(model, ROWS_BELOW);
    draw_head(ink, model, face);
    ink_box(ink, 0, below - 3, model->width, model->height - below + 3, bar);
    if (model->state.help)
        draw_help(ink, model);
    else
        for (int i = 0; i < PANES; i++)
            if (model->areas[i].width)
                draw_title(ink, model, face, (enum pane)i);
    draw_tools(ink, model);
    draw_choices(ink, model, face);
    draw_message(ink, model, face);
}
