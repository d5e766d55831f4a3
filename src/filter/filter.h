/* What an abbe_filter is inside: one linear response, or two whose magnitude is taken. */
#ifndef ABBE_FILTER_FILTER_H
#define ABBE_FILTER_FILTER_H

#include "filter/kernel.h"

#include <abbe/abbe.h>

/* One gain over the frequency plane. `gain` writes { re, im } at (fx, fy) cycles per pixel. */
struct transfer {
    void (*gain)(const struct transfer *transfer, double fx, double fy, double gain[2]);
    bool is_even;           /* real and H(f) = H(−f) by construction */
    bool is_mirrored;       /* H(fx, fy) = H(fx, −fy) as well */
    double parameters[8];   /* of the catalogue's formulas */
    abbe_matrix mask;       /* of a painted mask, owned */
    abbe_transfer callback; /* of a caller's function */
    void *user;
};

/* A linear filter: kernel first, then every transfer function. The identity is a 1 × 1 kernel of 1. */
struct response {
    struct kernel kernel;
    int transfer_count;
    struct transfer *transfers;
};

struct abbe_filter {
    int components; /* 1, or 2 whose magnitude is the result */
    struct response component[2];
};

void response_free(struct response *response);
int response_copy(const struct response *response, struct response *out);

/* a then b. ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY. */
int response_chain(const struct response *a, const struct response *b, struct response *out);

/* Correlation instead of convolution: the kernel flipped. Transfer functions are conjugated by the sampler. */
int response_flip(const struct response *response, struct response *out);

/* Whether its spectrum is real at every size. */
bool response_is_real(const struct response *response);

/* Whether a caller's function is among its transfers, which may be asked while plans are made and never after. */
bool response_has_callback(const struct response *response);

/* Pixels beyond which the impulse response of the transfer functions holds less than 10⁻⁶ of its energy,
 * at most `limit`. 0 without transfer functions. ABBE_OK or ABBE_ERR_MEMORY / ABBE_ERR_NONFINITE. */
int response_radius(const struct response *response, int limit, int *radius);

/* Releases what a filter holds, not the struct itself. */
void filter_clear(struct abbe_filter *filter);

/* Makes `filter` the identity followed by a transfer function, which it takes over (also on failure). */
int filter_set_transfer(struct transfer transfer, struct abbe_filter *filter);

/* chain = chain then next, one response for each component of `next`. ABBE_OK, ABBE_ERR_UNSUPPORTED when
 * `chain` takes a magnitude, ABBE_ERR_RANGE when the taps grow beyond float, ABBE_ERR_SIZE, ABBE_ERR_MEMORY.
 * Records no sentence; on failure `chain` is what it was. */
int filter_append(struct abbe_filter *chain, const struct abbe_filter *next);

/* Moves a complete filter to the heap. On failure clears it and returns ABBE_ERR_MEMORY with a sentence. */
int filter_publish(struct abbe_filter *filter, abbe_filter **out);

#endif
