/* Template: the struct of a transform. Included by fft_tmpl.h, and by level_tmpl.h for wider vectors. */
#include "fft/levels.h"
#include "fft/size.h"

#include <stddef.h>

struct complex {
    REAL re, im;
};

struct FFT {
    int length;
    int *order;
    int steps; /* −1: Bluestein's algorithm */
    int radices[FFT_FACTORS_MAX];
    const struct fft_level *level; /* kernels for rows that fill their vectors; NULL: none */
    size_t twiddle_count;
    struct complex *twiddles;

    struct FFT *padded;             /* Bluestein: the transform of the padded length */
    struct complex *chirp;          /* c(k), k < length */
    struct complex *chirp_spectrum; /* of the padded length, in its order */
};
