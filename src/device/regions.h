/* For devices with memory of their own: a picture in regions, one of which lies on the device at a time. */
#ifndef ABBE_DEVICE_REGIONS_H
#define ABBE_DEVICE_REGIONS_H

#include "device/device.h"

/* One region along one axis. */
struct region_span {
    int first, results; /* pixels of the picture */
    int before, window; /* samples in front of them; all that are looked at */
    int tiles;          /* transforms; 1 in space */
};

/* Regions of `side` pixels: the one of that number, and how many there are; down the picture or across it. */
struct region_span region_span(const struct work *work, bool down, int side, int number);
int region_count(const struct work *work, bool down, int side);

/* What a region looks at, rows `pitch` bytes apart: the picture as it is where one region is all of it, or else the
 * windows x and y with their border laid out. Pixels outside a ZERO or CONSTANT border are left alone. */
void region_gather(const abbe_device *device, const struct work *work, const struct region_span *x,
                   const struct region_span *y, bool whole, const abbe_image *source, size_t pitch, char *to);

/* A region's results, rows `pitch` bytes apart, into their place. */
void region_scatter(const abbe_device *device, const struct region_span *x, const struct region_span *y,
                    const char *from, size_t pitch, const abbe_image *result);

/* The source of a run: the caller's, or a copy where the run is in place and does not write all of its results at
 * once, at its end: later regions would read pixels that are replaced already, and after a failure the source would be
 * lost. region_release must follow. Errors: MEMORY. */
int region_keep(abbe_device *device, const struct work *work, bool at_once, const abbe_image *source,
                const abbe_image *results, abbe_image *kept);

/* The end of that run: after an error, a source that the copy was made of is what it was before. */
void region_release(const abbe_image *source, abbe_image *kept, int error);

/* Adds to the pass of that name. */
void region_add_time(abbe_watch *watch, const char *name, double seconds);

#endif
