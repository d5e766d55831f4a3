/* Writes charts as SVG. Text and axes have the page's colour, lines a colour that is legible on white and on
 * black. */
#include "papers/chart.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

/* Sizes in pixels. The names of the lines are to the right of the plot. */
enum { WIDTH = 760, HEIGHT = 420, LEFT = 70, RIGHT = 250, TOP = 44, BOTTOM = 54 };

static const char *const colours[] = { "#8a8a8a", "#b07d3c", "#2f81f7", "#d1442f", "#2da44e",
                                       "#a05fd0", "#c88a00", "#0f9aa8", "#d6579b", "#6e7f2e" };

struct chart_line *chart_add(struct chart *chart, int published, const char *format, ...)
{
    if (chart->count == CHART_LINES_MAX)
        return NULL;
    struct chart_line *line = &chart->lines[chart->count++];
    va_list arguments;
    va_start(arguments, format);
    *line = (struct chart_line){ .published = published };
    vsnprintf(line->name, sizeof line->name, format, arguments);
    va_end(arguments);
    return line;
}

void chart_point(struct chart_line *line, double x, double y)
{
    if (!line || line->count == CHART_POINTS_MAX || !(x > 0) || !(y > 0) || !isfinite(x) || !isfinite(y))
        return;
    line->x[line->count] = x;
    line->y[line->count++] = y;
}

int chart_has_figures(const struct chart *chart)
{
    for (int i = 0; i < chart->count; i++)
        if (!chart->lines[i].published && chart->lines[i].count)
            return 1;
    return 0;
}

/* ---- Axes ---------------------------------------------------------------------------------------------- */

/* Ranges of both axes, logarithms where the axis is logarithmic. */
struct frame {
    int linear_x;
    double low[2], high[2];
};

static double place_on(const struct frame *frame, int axis, double value)
{
    double v = axis == 0 && frame->linear_x ? value : log10(value);
    double part = (v - frame->low[axis]) / (frame->high[axis] - frame->low[axis]);
    return axis == 0 ? LEFT + part * (WIDTH - LEFT - RIGHT)
                     : HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

static void widen(struct frame *frame, int axis, double value)
{
    double v = axis == 0 && frame->linear_x ? value : log10(value);
    frame->low[axis] = fmin(frame->low[axis], v);
    frame->high[axis] = fmax(frame->high[axis], v);
}

static struct frame find_frame(const struct chart *chart)
{
    struct frame frame = { .linear_x = chart->linear_x,
                           .low = { INFINITY, INFINITY },
                           .high = { -INFINITY, -INFINITY } };
    for (int i = 0; i < chart->count; i++)
        for (int j = 0; j < chart->lines[i].count; j++) {
            widen(&frame, 0, chart->lines[i].x[j]);
            widen(&frame, 1, chart->lines[i].y[j]);
        }
    for (int axis = 0; axis < 2; axis++) {
        double room = fmax(0.04 * (frame.high[axis] - frame.low[axis]), 0.02);
        frame.low[axis] -= room;
        frame.high[axis] += room;
    }
    return frame;
}

static void write_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default: fputc(*text, out);
        }
}

static void write_label(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    write_escaped(out, text);
    fputs("</text>\n", out);
}

static void write_tick(FILE *out, const struct frame *frame, int axis, double value)
{
    char text[32];
    double at = place_on(frame, axis, value);
    snprintf(text, sizeof text, "%.10g", value);
    if (axis == 0) {
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", at, TOP, HEIGHT - BOTTOM);
        write_label(out, at, HEIGHT - BOTTOM + 18, "middle", text);
    } else {
        fprintf(out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, at, WIDTH - RIGHT);
        write_label(out, LEFT - 8, at + 4, "end", text);
    }
}

/* Ticks at the x of the points, which are few, unless they would run into each other. */
static void write_x_ticks(FILE *out, const struct chart *chart, const struct frame *frame)
{
    double last = -1e9;
    const struct chart_line *longest = &chart->lines[0];
    for (int i = 1; i < chart->count; i++)
        if (chart->lines[i].count > longest->count)
            longest = &chart->lines[i];
    for (int j = 0; j < longest->count; j++)
        if (place_on(frame, 0, longest->x[j]) - last > 34) {
            write_tick(out, frame, 0, longest->x[j]);
            last = place_on(frame, 0, longest->x[j]);
        }
}

static void write_axes(FILE *out, const struct chart *chart, const struct frame *frame)
{
    write_x_ticks(out, chart, frame);
    /* Powers of ten, and between them 2 and 5 where there are few. */
    bool few = frame->high[1] - frame->low[1] < 2;
    for (int power = (int)floor(frame->low[1]); power <= (int)floor(frame->high[1]); power++)
        for (int digit = 0; digit < (few ? 3 : 1); digit++) {
            double value = pow(10, power) * (digit == 0 ? 1 : digit == 1 ? 2 : 5);
            if (log10(value) >= frame->low[1] && log10(value) <= frame->high[1])
                write_tick(out, frame, 1, value);
        }
    fprintf(out, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
    write_label(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "middle", chart->x_title);
    write_label(out, 14, TOP - 10, "start", chart->y_title);
    fputs("<g font-size=\"15\" font-weight=\"600\">", out);
    write_label(out, 14, 18, "start", chart->title);
    fputs("</g>\n", out);
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

static void write_line(FILE *out, const struct frame *frame, const struct chart_line *line, int index,
                       int row)
{
    const char *colour = colours[index % (int)(sizeof colours / sizeof *colours)];
    const char *dash = line->published ? " stroke-dasharray=\"6 4\"" : "";
    fprintf(out, "<path class=\"line\" stroke=\"%s\"%s d=\"", colour, dash);
    for (int j = 0; j < line->count; j++)
        fprintf(out, "%c%.1f %.1f", j ? 'L' : 'M', place_on(frame, 0, line->x[j]),
                place_on(frame, 1, line->y[j]));
    fputs("\"/>\n", out);
    for (int j = 0; j < line->count; j++)
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                place_on(frame, 0, line->x[j]), place_on(frame, 1, line->y[j]), colour);
    int x = WIDTH - RIGHT + 16, y = TOP + 12 + 22 * row;
    fprintf(out, "<path class=\"line\" stroke=\"%s\"%s d=\"M%d %dh24\"/>\n", colour, dash, x, y - 4);
    write_label(out, x + 32, y, "start", line->name);
}

static void write_marks(FILE *out, const struct chart *chart, const struct frame *frame)
{
    if (chart->band_high > chart->band_low) {
        double from = place_on(frame, 0, chart->band_low), to = place_on(frame, 0, chart->band_high);
        fprintf(out, "<rect class=\"band\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n", from, TOP,
                to - from, HEIGHT - TOP - BOTTOM);
        write_label(out, (from + to) / 2, TOP + 14, "middle", chart->band_name);
    }
    if (chart->mark > 0) {
        double at = place_on(frame, 0, chart->mark);
        fprintf(out, "<path class=\"mark\" d=\"M%.1f %dV%d\"/>\n", at, TOP, HEIGHT - BOTTOM);
        write_label(out, at + 5, HEIGHT - BOTTOM - 8, "start", chart->mark_name);
    }
}

void chart_write(FILE *out, const struct chart *chart)
{
    struct frame frame = find_frame(chart);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    write_escaped(out, chart->title);
    fputs("</title>\n"
          "<style>svg{color:#1f2328}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}"
          "text{fill:currentColor}.axis{fill:none;stroke:currentColor}"
          ".grid{fill:none;stroke:currentColor;opacity:.15}.line{fill:none;stroke-width:2}"
          ".band{fill:currentColor;opacity:.1}.mark{fill:none;stroke:currentColor;stroke-dasharray:2 3}"
          "</style>\n",
          out);
    write_axes(out, chart, &frame);
    write_marks(out, chart, &frame);
    int row = 0;
    for (int i = 0; i < chart->count; i++)
        if (chart->lines[i].count)
            write_line(out, &frame, &chart->lines[i], i, row++);
    fputs("</svg>\n", out);
}
