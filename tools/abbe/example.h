/* An example picture, made into the spectrum of a texture of any size. */
#ifndef ABBE_TOOL_EXAMPLE_H
#define ABBE_TOOL_EXAMPLE_H

#include "picture.h"

/* Fills `spectrum` (F32, the texture's size, the example's colour channels) with a packed spectrum whose
 * magnitudes and whose phases between channels are those of the example. The zeroth frequency is 0; the mean
 * colour goes to `mean`, one number per channel. Errors are the library's, with their text on the device; MEMORY
 * may have none. */
int example_spectrum(abbe_device *device, const struct picture *example, const abbe_image *spectrum,
                     double *mean);

/* The example's channels without alpha. */
int example_colours(const struct picture *example);

#endif
