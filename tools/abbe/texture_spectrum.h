/* Spectra of textures: random phases, and the spectrum of an example at the size of a texture. */
#ifndef ABBE_TOOL_TEXTURE_SPECTRUM_H
#define ABBE_TOOL_TEXTURE_SPECTRUM_H

#include "picture.h"

#include <stdint.h>

/* Fills width · height floats with the packed spectrum e^(jθ(u,v)). θ is uniform and independent except that
 * θ(−u,−v) = −θ(u,v), which makes the picture real. The value at zero frequency is 0. A seed gives the same
 * phases on every machine. */
void random_phase_fill(uint64_t seed, int width, int height, float *packed);

/* Fills `spectrum` (F32, the size of the texture, the colour channels of the example) with a packed spectrum
 * that has the magnitudes of the example and its phase differences between channels. The value at zero
 * frequency is 0; the mean colour goes to `mean`, one number for each channel. Returns an error of the
 * library, whose text is the last error; ABBE_ERR_MEMORY may have no text. */
int example_spectrum(abbe_device *cpu, const struct picture *example, const abbe_image *spectrum,
                     double *mean);

/* The number of channels of the example without alpha. */
int example_colours(const struct picture *example);

#endif
