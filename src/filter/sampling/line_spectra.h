/* Spectra of many real lines of taps on a cyclic axis. */
#ifndef ABBE_FILTER_SAMPLING_LINE_SPECTRA_H
#define ABBE_FILTER_SAMPLING_LINE_SPECTRA_H

#include "core/level.h"

#include <stdbool.h>
#include <stddef.h>

/* Lines of `taps` taps, one behind the other; taps beyond `length` are folded. Line i ≥ kept is added to line
 * i mod kept. */
struct real_lines {
    const double *values;
    size_t count, kept;
    int taps, centre;
    int length; /* of the axis: tap i stands at i − centre */
    enum core_level level;
    bool related; /* all of one size: two may share a transform, whose rounding is that of the larger */
};

/* Where they go: line i at spectra + i · 2 · pitch, real parts, then imaginary parts. Frequencies up to length / 2, or all
 * where `whole`; what is left of the pitch becomes zero. */
struct line_spectra {
    double *spectra;
    size_t pitch;
    bool whole;
};

/* A spectrum is exactly that of real samples: F(−k) = F*(k). On up to `threads` threads, whose number changes no bit.
 * ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY; records no sentence. */
int line_spectra_fill(const struct real_lines *set, int threads, const struct line_spectra *to);

/* Bytes, at most, that it works in beside the spectra. */
double line_spectra_bytes(const struct real_lines *set, int threads);

#endif
