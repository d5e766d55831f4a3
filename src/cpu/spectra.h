/* H of a filter, laid out as an engine multiplies by it. */
#ifndef ABBE_CPU_SPECTRA_H
#define ABBE_CPU_SPECTRA_H

#include "cpu/cpu.h"

/* [block][v][lanes] or [block][v][re | im][lanes]; lanes without a column are zero. */
struct spectrum_layout {
    int blocks, lanes;
    const int *column; /* of frequency u: block · lanes + lane, or −1 when it is not kept */
    const int *order;  /* the frequency that stands at position v of a column */
    double scale;
};

struct spectrum {
    bool real;
    float *pair, *lone; /* for planes of two channels and of one; NULL where there are none */
};

/* Either layout may be NULL. ABBE_OK, ABBE_ERR_MEMORY or ABBE_ERR_NONFINITE; records no sentence.
 * cpu_spectrum_free must follow in any case. */
int cpu_spectrum_create(const struct engine *engine, const struct response *response,
                        const struct spectrum_layout *pair, const struct spectrum_layout *lone,
                        struct spectrum *spectrum);
void cpu_spectrum_free(struct spectrum *spectrum);

#endif
