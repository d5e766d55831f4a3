/* Pictures on devices with their own memory: a picture is filtered in regions, one of which lies on the
 * device at a time. */
#ifndef ABBE_DEVICE_REGIONS_H
#define ABBE_DEVICE_REGIONS_H

#include "device/device.h"

#include <stdint.h>

/* Search for the largest region that a device can hold. */
struct region_search {
    int unit_x, unit_y; /* sides are halved to multiples of these; a region of one unit is never divided */
    int side_max;       /* pixels of the longest side allowed, except for a region of one unit */
    bool longer_first;  /* halve the longer side first; otherwise the height */
    /* Whether a region of width × height pixels fits the device. */
    bool (*fits)(void *context, int width, int height);
    void *context;
};

/* Tries the whole picture first and then halves it until a region fits. The last call of search->fits has the
 * size that was found. Returns false when not even a region of one unit fits. */
bool region_search(const struct work *work, const struct region_search *search);

/* One region along one axis. */
struct region_span {
    int first, results; /* first pixel and number of pixels of its results */
    int before, window; /* samples that it reads in front of the first result; samples that it reads in all */
    int tiles;          /* transforms along this axis; 1 in space */
};

/* Region `number` of the regions with a side of `side` pixels, along the height (down) or the width of the
 * picture. */
struct region_span region_span(const struct work *work, bool down, int side, int number);

/* Number of regions with a side of `side` pixels along that axis. */
int region_count(const struct work *work, bool down, int side);

/* Regions of a picture, by their sides. */
struct region_layout {
    int side_x, side_y;
    bool even; /* even transforms: windows are folded, even samples first, then the odd ones in reverse */
    int outside_row; /* the entry of rows outside */
};

/* Writes the maps of all columns of regions, then those of all rows, and the index of the first entry of each
 * to `starts_x` and `starts_y`. Returns the number of entries. Entry k is for coordinate k of the window.
 * Where one region is the picture, it is the pixel's column or row. Otherwise the host lays out the border
 * while it uploads a region, and it is the place in the window. −1 is outside in both;
 * for rows, it is layout->outside_row. */
size_t region_fill_maps(const struct work *work, const struct region_layout *layout, uint32_t *starts_x,
                        uint32_t *starts_y, int32_t *maps);

/* One region's pixels between a view and the device's memory. */
struct region_copy {
    int threads;             /* of the host that copy */
    const struct work *work; /* gather only */
    struct region_span x, y;
    bool whole;   /* gather only: the region is the whole picture, and its rows are copied without a border */
    size_t pitch; /* bytes from one row to the next in the device's memory */
    /* NULL, or a number per channel that gathering subtracts from floats and scattering adds. */
    const double *pedestal;
    int first_row, row_count; /* rows of the region that are copied; 0: all */
};

/* Copies what a region reads: the picture itself when the region is all of it, otherwise the windows x and y
 * with their border. Pixels beyond a ZERO or CONSTANT border are left undefined. */
void region_gather(const struct region_copy *copy, const abbe_image *source, char *to);

/* Copies a region's results to their place in the picture. */
void region_scatter(const struct region_copy *copy, const char *from, const abbe_image *result);

/* Sets *kept to the view that a run reads: the caller's, or a copy. A copy is needed when the run is in place
 * and does not write all of its results at once at its end (`at_once`): later regions would read pixels that
 * are already replaced, and a failure would lose the source. region_release must follow. Errors: MEMORY. */
int region_keep(abbe_device *device, const struct work *work, bool at_once, const abbe_image *source,
                const abbe_image *results, abbe_image *kept);

/* Frees the copy, if there is one. If the run failed (`error`), the source is restored from it first. */
void region_release(const abbe_image *source, abbe_image *kept, int error);

/* Adds seconds to the pass of that name, which becomes the last pass if it is new. */
void region_add_time(struct watch *watch, const char *name, double seconds);

#endif
