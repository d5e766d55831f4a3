/* The spectra of a bank, for the Fourier engines of the CPU. */
#ifndef ABBE_CPU_SPECTRA_H
#define ABBE_CPU_SPECTRA_H

#include "cpu/cpu.h"
#include "filter/sampling/spectra.h"

/* Creates one spectrum for each filter of the engine's work. A layout is read only if there are planes of its
 * kind. Its part applies to filters that are not even; even ones are whole, and have no odd part. Records the message of an error; cpu_spectra_free must follow in any case. */
int cpu_spectra_create(const abbe_device *device, const struct engine *engine,
                       const struct spectrum_layout *pair, const struct spectrum_layout *single,
                       struct spectrum **spectra);
/* Samples a span of columns of one filter's spectra anew, as spectrum_refill does: after a failure they are
 * as they were. Records the message of an error, except ABBE_ERR_NONFINITE. */
int cpu_spectra_resample(const abbe_device *device, const struct engine *engine,
                         const struct spectrum_refill refills[2], int filter, struct frequency_span span);
/* Bytes of the spectra with `columns` columns each, and of their sampling. */
double cpu_spectra_bytes(const struct work *work, double columns, int threads);
void cpu_spectra_free(const struct engine *engine, struct spectrum *spectra);

#endif
