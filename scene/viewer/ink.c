/* Collects triangles. */
#include "ink.h"

#include "../text/text.h"

#include <math.h>
#include <stdlib.h>

void ink_free(struct ink *ink)
{
    free(ink->corners);
    *ink = (struct ink){ 0 };
}

void ink_clear(struct ink *ink)
{
    ink->count = 0;
}

/* Two triangles between four corners: top left, top right, bottom left, bottom right. */
static void add_quad(struct ink *ink, const struct corner corners[4])
{
    static const int order[6] = { 0, 1, 2, 2, 1, 3 };
    if (ink->room < ink->count + 6) {
        size_t room = ink->room ? 2 * ink->room : 6000;
        struct corner *moved = realloc(ink->corners, room * sizeof *moved);
        if (!moved)
            return;
        ink->corners = moved;
        ink->room = room;
    }
    for (int i = 0; i < 6; i++)
        ink->corners[ink->count++] = corners[order[i]];
}

void ink_box(struct ink *ink, double x, double y, double width, double height, struct colour colour)
{
    struct corner corners[4];
    for (int i = 0; i < 4; i++)
        corners[i] = (struct corner){
            (float)(i & 1 ? x + width : x), (float)(i & 2 ? y + height : y), -1, 0, 0, 1, colour
        };
    add_quad(ink, corners);
}

void ink_clip(struct ink *ink, double x, double y, double width, double height)
{
    ink->left = x;
    ink->top = y;
    ink->right = x + width;
    ink->bottom = y + height;
}

/* Cuts the part of a line, from `from` to `end` of its way, where start + t · step is within the limits. */
static void cut_line(double start, double step, double low, double high, double *from, double *end)
{
    if (step == 0) {
        if (start < low || start > high)
            *end = -1;
        return;
    }
    double a = (low - start) / step, b = (high - start) / step;
    *from = fmax(*from, fmin(a, b));
    *end = fmin(*end, fmax(a, b));
}

/* Reaches half a pixel beyond the line, where the shader fades it. */
void ink_line(struct ink *ink, double x0, double y0, double x1, double y1, double width, struct colour colour)
{
    double from = 0, end = 1, dx = x1 - x0, dy = y1 - y0;
    if (ink->right > ink->left) {
        cut_line(x0, dx, ink->left, ink->right, &from, &end);
        cut_line(y0, dy, ink->top, ink->bottom, &from, &end);
        if (end <= from)
            return;
    }
    x1 = x0 + end * dx;
    y1 = y0 + end * dy;
    x0 += from * dx;
    y0 += from * dy;
    double length = hypot(x1 - x0, y1 - y0), half = width / 2, reach = half + 1;
    if (!(length > 0))
        return;
    double nx = -(y1 - y0) / length * reach, ny = (x1 - x0) / length * reach;
    struct corner corners[4];
    for (int i = 0; i < 4; i++) {
        double side = i & 2 ? 1 : -1;
        corners[i] = (struct corner){ (float)((i & 1 ? x1 : x0) + side * nx),
                                      (float)((i & 1 ? y1 : y0) + side * ny),
                                      -1,
                                      0,
                                      (float)(side * reach),
                                      (float)half,
                                      colour };
    }
    add_quad(ink, corners);
}

void ink_ellipse(struct ink *ink, double x, double y, double rx, double ry, double width,
                 struct colour colour)
{
    int pieces = (int)fmin(fmax(4 * sqrt(fmax(rx, ry)), 12), 400);
    for (int i = 0; i < pieces; i++) {
        double a = 2 * M_PI * i / pieces, b = 2 * M_PI * (i + 1) / pieces;
        ink_line(ink, x + rx * cos(a), y + ry * sin(a), x + rx * cos(b), y + ry * sin(b), width, colour);
    }
}

/* The later bytes of a character of UTF-8 have no letter of their own. */
static bool is_later_byte(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

double ink_text_width(int dot, const char *text)
{
    size_t letters = 0;
    for (; *text; text++)
        letters += !is_later_byte(*text);
    return (double)letters * TEXT_ADVANCE * dot;
}

double ink_text(struct ink *ink, double x, double y, int dot, struct colour colour, const char *text)
{
    for (; *text; text++) {
        unsigned char code = (unsigned char)*text;
        if (is_later_byte(*text))
            continue;
        x += TEXT_ADVANCE * dot;
        if (code == ' ')
            continue;
        if (code < ' ' || code >= 127)
            code = '?';
        struct corner corners[4];
        for (int i = 0; i < 4; i++)
            corners[i] = (struct corner){ (float)(x - (i & 1 ? 0 : TEXT_ADVANCE * dot)),
                                          (float)(y + (i & 2 ? TEXT_HEIGHT * dot : 0)),
                                          (float)(code * TEXT_ADVANCE + (i & 1 ? TEXT_ADVANCE : 0)),
                                          (float)(i & 2 ? TEXT_HEIGHT : 0),
                                          0,
                                          1,
                                          colour };
        add_quad(ink, corners);
    }
    return x;
}
