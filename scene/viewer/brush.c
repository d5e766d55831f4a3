/* Paints strokes: pixels near the line between two points
 * move towards the gain, those at its edge only partly. */
#include "brush.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool mask_create(int width, int height, struct mask *mask)
{
    *mask = (struct mask){ .width = width, .height = height };
    mask->gains = malloc((size_t)width * (size_t)height);
    if (mask->gains)
        mask_clear(mask, 255);
    return mask->gains != NULL;
}

void mask_free(struct mask *mask)
{
    free(mask->gains);
    *mask = (struct mask){ 0 };
}

void mask_clear(struct mask *mask, uint8_t ground)
{
    mask->ground = ground;
    memset(mask->gains, ground, (size_t)mask->width * (size_t)mask->height);
}

bool mask_is_open(const struct mask *mask)
{
    size_t count = (size_t)mask->width * (size_t)mask->height;
    for (size_t i = 0; i < count; i++)
        if (mask->gains[i] != 255)
            return false;
    return true;
}

/* Distance from a point to the line segment of the stroke. */
static double stroke_distance(const struct stroke *stroke, double x, double y)
{
    double dx = stroke->x1 - stroke->x0, dy = stroke->y1 - stroke->y0, square = dx * dx + dy * dy;
    double along = square > 0 ? ((x - stroke->x0) * dx + (y - stroke->y0) * dy) / square : 0;
    along = fmin(fmax(along, 0), 1);
    return hypot(x - stroke->x0 - along * dx, y - stroke->y0 - along * dy);
}

static int clamped(double value, int high)
{
    return value < 0 ? 0 : value > high ? high : (int)value;
}

static void paint_one(struct mask *mask, const struct stroke *stroke)
{
    double reach = stroke->radius + 1;
    int left = clamped(fmin(stroke->x0, stroke->x1) - reach, mask->width);
    int right = clamped(fmax(stroke->x0, stroke->x1) + reach + 1, mask->width);
    int top = clamped(fmin(stroke->y0, stroke->y1) - reach, mask->height);
    int bottom = clamped(fmax(stroke->y0, stroke->y1) + reach + 1, mask->height);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            /* 1 inside, 0 outside. An edge does not become harder if it is painted repeatedly. */
            double share = fmin(fmax(stroke->radius + 0.5 - stroke_distance(stroke, x, y), 0), 1);
            double painted = mask->ground + share * (stroke->gain - mask->ground);
            uint8_t *gain = &mask->gains[(size_t)y * (size_t)mask->width + (size_t)x];
            if (share == 1 || (stroke->gain < mask->ground ? painted < *gain : painted > *gain))
                *gain = (uint8_t)(painted + 0.5);
        }
}

void mask_paint(struct mask *mask, const struct stroke *stroke)
{
    double cx = 2 * (mask->width / 2), cy = 2 * (mask->height / 2);
    struct stroke opposite = { cx - stroke->x0, cy - stroke->y0, cx - stroke->x1,
                               cy - stroke->y1, stroke->radius,  stroke->gain };
    paint_one(mask, stroke);
    paint_one(mask, &opposite);
}
