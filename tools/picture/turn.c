/* Orientation: copies between the upright picture in memory and the pixels as a camera stored them. */
#include "vips_picture.h"

#include <string.h>

/* EXIF orientations 1 … 8: whether rows are stored as columns, and the side where they begin. */
static const struct {
    bool swaps, from_right, from_bottom;
} turns[9] = {
    { false, false, false }, { false, false, false }, { false, true, false },
    { false, true, true },   { false, false, true },  { true, false, false },
    { true, true, false },   { true, true, true },    { true, false, true },
};

/* Pixels of a row that are copied together, so that rows that become columns share cache lines. */
enum { BLOCK = 64 };

/* Tags outside 1 … 8 are treated as 1. */
static int valid_orientation(int orientation)
{
    return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

bool turn_swaps(int orientation)
{
    return turns[valid_orientation(orientation)].swaps;
}

struct turned turn_picture(const abbe_image *upright, int orientation)
{
    orientation = valid_orientation(orientation);
    bool swaps = turns[orientation].swaps;
    bool from_right = turns[orientation].from_right, from_bottom = turns[orientation].from_bottom;
    size_t pixel = (size_t)upright->channels * abbe_type_size(upright->type);
    ptrdiff_t right = (ptrdiff_t)pixel, down = upright->stride;
    char *first = upright->data;
    if (from_right)
        first += (upright->width - 1) * right;
    if (from_bottom)
        first += (upright->height - 1) * down;
    right = from_right ? -right : right;
    down = from_bottom ? -down : down;
    return (struct turned){
        .width = swaps ? upright->height : upright->width,
        .height = swaps ? upright->width : upright->height,
        .page = upright->stride * upright->height,
        .pixel = pixel,
        .first = first,
        .step_x = swaps ? down : right,
        .step_y = swaps ? right : down,
    };
}

/* Pixels on a lattice: (x, y) lies at first + x·step_x + y·step_y. */
struct lattice {
    char *first;
    ptrdiff_t step_x, step_y;
};

static void copy_lattice(struct lattice to, struct lattice from, int width, int height, size_t pixel)
{
    bool whole_rows = to.step_x == (ptrdiff_t)pixel && from.step_x == (ptrdiff_t)pixel;
    int block = whole_rows ? width : BLOCK;
    for (int start = 0; start < width; start += block) {
        int count = VIPS_MIN(block, width - start);
        for (int y = 0; y < height; y++) {
            char *into = to.first + start * to.step_x + y * to.step_y;
            const char *out_of = from.first + start * from.step_x + y * from.step_y;
            if (whole_rows)
                memcpy(into, out_of, (size_t)count * pixel);
            for (int x = 0; x < count && !whole_rows; x++, into += to.step_x, out_of += from.step_x)
                memcpy(into, out_of, pixel);
        }
    }
}

/* Copies the parts of an area that lie in each page, to the rows or from them. */
static void copy_area(const struct turned *turned, const VipsRect *area, struct lattice rows, bool to_rows)
{
    int bottom = area->top + area->height;
    for (int top = area->top; top < bottom;) {
        int page = top / turned->height, y = top % turned->height;
        int count = VIPS_MIN(turned->height - y, bottom - top);
        char *first = turned->first + page * turned->page + area->left * turned->step_x + y * turned->step_y;
        struct lattice own = { first, turned->step_x, turned->step_y };
        copy_lattice(to_rows ? rows : own, to_rows ? own : rows, area->width, count, turned->pixel);
        rows.first += count * rows.step_y;
        top += count;
    }
}

void turn_in(const struct turned *turned, const VipsRect *area, const char *rows, ptrdiff_t stride)
{
    copy_area(turned, area, (struct lattice){ (char *)rows, (ptrdiff_t)turned->pixel, stride }, false);
}

void turn_out(const struct turned *turned, const VipsRect *area, char *rows, ptrdiff_t stride)
{
    copy_area(turned, area, (struct lattice){ rows, (ptrdiff_t)turned->pixel, stride }, true);
}
