/* H of a filter, laid out as an engine multiplies by it. */
#ifndef ABBE_FILTER_SAMPLING_SPECTRA_H
#define ABBE_FILTER_SAMPLING_SPECTRA_H

#include "filter/sampling/sampler.h"

/* [block][v][lanes] or [block][v][re | im][lanes]; lanes without a column are zero. */
struct spectrum_layout {
    int blocks, lanes;
    const int *column; /* of frequency u: block · lanes + lane, or −1 when it is not kept */
    const int *order;  /* the frequency that stands at position v of a column */
    double scale;
};

/* Floats that a spectrum takes in a layout. */
size_t spectrum_floats(const struct spectrum_grid *grid, const struct spectrum_layout *layout, bool real);

/* Writes H of a response to memory of that size, in which nothing is read; imaginary parts only where `real` is false, as it
 * may be of any response. ABBE_OK, ABBE_ERR_MEMORY or ABBE_ERR_NONFINITE; records no sentence. */
int spectrum_fill(const struct spectrum_grid *grid, const struct response *response, bool real,
                  const struct spectrum_layout *layout, float *h);

struct spectrum {
    bool real;
    float *pair, *lone; /* for planes of two channels and of one; NULL where there are none */
};

/* Either layout may be NULL. ABBE_OK, ABBE_ERR_MEMORY or ABBE_ERR_NONFINITE; records no sentence.
 * spectrum_free must follow in any case. */
int spectrum_create(const struct spectrum_grid *grid, const struct response *response,
                    const struct spectrum_layout *pair, const struct spectrum_layout *lone,
                    struct spectrum *spectrum);
void spectrum_free(struct spectrum *spectrum);

#endif
