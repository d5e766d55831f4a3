/* Spectra of many real lines of taps on a cyclic axis. */
#ifndef ABBE_FILTER_SAMPLING_LINE_SPECTRA_H
#define ABBE_FILTER_SAMPLING_LINE_SPECTRA_H

#include "core/level.h"

#include <stdbool.h>
#include <stddef.h>

/* `count` consecutive lines of `taps` taps. Taps beyond `length` are folded, and line i ≥ kept is added to
 * line i mod kept. */
struct real_lines {
    const double *values;
    size_t count, kept;
    int taps, centre;
    int length; /* of the cyclic axis, on which tap i has coordinate i − centre */
    enum core_level level;
    bool related; /* lines have similar magnitudes, so two may share a transform and its rounding error */
};

/* Where the spectra are written: line i at spectra + i · 2 · pitch, real parts, then imaginary parts.
 * Frequencies up to length / 2, or all when `whole`; the rest of the pitch is set to zero. */
struct line_spectra {
    double *spectra;
    size_t pitch;
    bool whole;
};

/* Writes the spectra of real lines, for which F(−k) = F*(k) holds exactly, on at most `threads` threads. The
 * number of threads does not change the result. ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY; records no
 * message. */
int line_spectra_fill(const struct real_lines *set, int threads, const struct line_spectra *to);

/* An upper bound on the bytes that line_spectra_fill allocates. */
double line_spectra_bytes(const struct real_lines *set, int threads);

#endif
