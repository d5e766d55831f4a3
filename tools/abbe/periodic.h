/* The periodic component of a picture: the picture without the jump from each edge to the opposite one. */
#ifndef ABBE_TOOL_PERIODIC_H
#define ABBE_TOOL_PERIODIC_H

#include <abbe/abbe.h>

/* Writes the packed spectrum of the periodic component of `picture` (F32, without gaps) to `spectrum` (the same
 * shape; the picture itself will do). Errors are those of abbe_spectrum_forward, with their text on the device; MEMORY may have none. */
int periodic_spectrum(abbe_device *device, const abbe_image *picture, const abbe_image *spectrum);

#endif
