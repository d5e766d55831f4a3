/* Computes where a zoomed picture lies in its pane. */
#include "zoom.h"

#include <math.h>

static const double scale_most = 64;

static double fit_scale(const struct area *area, struct extent size)
{
    return fmin((double)area->width / size.width, (double)area->height / size.height);
}

/* The corner is on a whole pixel, so that pixels are shown unchanged at scale 1. */
struct place zoom_place(const struct zoom *zoom, const struct area *area, struct extent size)
{
    double scale = zoom->free ? zoom->scale : fit_scale(area, size);
    double x = zoom->free ? zoom->x : size.width / 2.0, y = zoom->free ? zoom->y : size.height / 2.0;
    return (struct place){ scale, floor(area->x + area->width / 2.0 - x * scale + 0.25),
                           floor(area->y + area->height / 2.0 - y * scale + 0.25) };
}

/* Remembers the point in the middle of the pane, which must be a point of the picture. */
static void keep_middle(struct zoom *zoom, const struct area *area, struct extent size, struct place place)
{
    double x = (area->x + area->width / 2.0 - place.left) / place.scale;
    double y = (area->y + area->height / 2.0 - place.top) / place.scale;
    *zoom = (struct zoom){ true, place.scale, fmin(fmax(x, 0), size.width), fmin(fmax(y, 0), size.height) };
}

void zoom_to(struct zoom *zoom, const struct area *area, struct extent size, double x, double y, double scale)
{
    double fit = fit_scale(area, size), least = fmin(fit, 1) / 2, most = fmax(fit, scale_most);
    struct place old = zoom_place(zoom, area, size);
    double px = (x - old.left) / old.scale, py = (y - old.top) / old.scale;
    scale = fmin(fmax(scale, least), most);
    keep_middle(zoom, area, size, (struct place){ scale, x - px * scale, y - py * scale });
}

void zoom_by(struct zoom *zoom, const struct area *area, struct extent size, double x, double y,
             double factor)
{
    zoom_to(zoom, area, size, x, y, factor * zoom_place(zoom, area, size).scale);
}

void zoom_pan(struct zoom *zoom, const struct area *area, struct extent size, double dx, double dy)
{
    struct place place = zoom_place(zoom, area, size);
    keep_middle(zoom, area, size, (struct place){ place.scale, place.left + dx, place.top + dy });
}
