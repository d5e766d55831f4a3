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

/* One for each filter of the engine's work. A layout is read only if there are planes of its kind. Errors go to
 * core_fail; cpu_spectra_free must follow in any case. */
int cpu_spectra_create(const abbe_device *device, const struct engine *engine,
                       const struct spectrum_layout *pair, const struct spectrum_layout *lone,
                       struct spectrum **spectra);
void cpu_spectra_free(const struct engine *engine, struct spectrum *spectra);

#endif
