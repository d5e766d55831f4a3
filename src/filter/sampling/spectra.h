/* The spectrum H of a filter in the layout of an engine. */
#ifndef ABBE_FILTER_SAMPLING_SPECTRA_H
#define ABBE_FILTER_SAMPLING_SPECTRA_H

#include "filter/sampling/sampler.h"

/* What an engine stores of a real H(u, v): all of it, or ½ (H(u, v) ± H(u, −v)). */
enum spectrum_part { SPECTRUM_WHOLE, SPECTRUM_EVEN_PART, SPECTRUM_ODD_PART };

/* How an engine stores H: [block][v][lanes] when H is real, [block][v][re | im][lanes] otherwise. Lanes
 * without a column are zero. Columns and rows may be left out. */
struct spectrum_layout {
    int blocks, lanes;
    const int *column; /* the column of frequency u is at block · lanes + lane; −1 when it is not stored */
    const int *order;  /* the frequency at position v of a column */
    double scale;
    enum spectrum_part part;
    bool doubles; /* numbers are doubles instead of floats */
    int rows;     /* positions of a column; 0: the height of the grid */
};

/* The number of floats, or doubles, of a spectrum in a layout. */
size_t spectrum_numbers(const struct spectrum_grid *grid, const struct spectrum_layout *layout, bool real);

/* Writes H of a response to spectrum_numbers() numbers at `h`. With `real`, which requires a real H,
 * imaginary parts are not written; without, they are, even if H is real. ABBE_OK, ABBE_ERR_MEMORY or
 * ABBE_ERR_NONFINITE; records no message. */
int spectrum_fill(const struct spectrum_grid *grid, const struct response *response, bool real,
                  const struct spectrum_layout *layout, void *h);

struct spectrum {
    bool real;
    void *pair, *single; /* for planes of two channels and of one; NULL where there are no such planes */
};

/* Allocates and fills the spectrum in both layouts, either of which may be NULL. ABBE_OK, ABBE_ERR_MEMORY or
 * ABBE_ERR_NONFINITE; records no message. Call spectrum_free afterwards, also on failure. */
int spectrum_create(const struct spectrum_grid *grid, const struct response *response,
                    const struct spectrum_layout *pair, const struct spectrum_layout *single,
                    struct spectrum *spectrum);

/* A spectrum to sample anew, with the layouts of spectrum_create; `spectrum` is NULL where there is none. */
struct spectrum_refill {
    const struct spectrum_layout *pair, *single;
    struct spectrum *spectrum;
};

/* Samples the columns of the frequencies first … last ≤ width / 2 and their opposites anew, where the gains
 * of the response have changed, in spectra of two of its parts. ABBE_OK; or ABBE_ERR_MEMORY or
 * ABBE_ERR_NONFINITE before anything is written. Records no message. */
int spectrum_refill(const struct spectrum_grid *grid, const struct response *response,
                    const struct spectrum_refill refills[2], int first, int last);
void spectrum_free(struct spectrum *spectrum);

#endif
