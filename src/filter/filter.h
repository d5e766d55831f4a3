/* What an abbe_filter is inside: one linear response, or two whose magnitude is taken.
 *
 * The folder, from the text of a filter to its spectrum:
 *     grammar.c        text → names, keys and values
 *     spelling.c       the tokens of its two spellings
 *     values.c         numbers, frequencies, choices and lists
 *     catalogue.c      names, keys, ranges, defaults (start here to add a filter)
 *     builders.c       the filter of each name from its values
 *     shapes_*.c       the taps of the catalogue's kernels
 *     transfer.c       the gains of the catalogue's filters in frequency, painted masks, callers' functions
 *     matrix*.c        matrices of numbers: taps and masks from images and text
 *     filter.c         the public functions on filters
 *     kernel*.c        finite kernels: copying, folding, convolution, factoring into separable terms
 *     response.c       a kernel and transfer functions that act as one linear filter
 *     reach.c          how far filters look
 *     sampling/        spectra of responses on a transform grid, in the order of an engine */
#ifndef ABBE_FILTER_FILTER_H
#define ABBE_FILTER_FILTER_H

#include "filter/kernel.h"

#include <abbe/abbe.h>

/* How a low-pass falls from 1 to 0; every fall-off is ½ at the cut-off. */
enum falloff { FALLOFF_BUTTERWORTH, FALLOFF_IDEAL, FALLOFF_GAUSSIAN };

/* A low-pass L(|f − c|) about c = (x, y), or 1 − L. The plane has period 1, so that |f − c| is the distance of
 * the nearest copies. */
struct factor {
    enum falloff falloff;
    double order, cutoff;
    double x, y;
    bool complement; /* 1 − L */
};

/* One gain over the frequency plane. `gain` writes { re, im } at (fx, fy) cycles per pixel. */
struct transfer {
    void (*gain)(const struct transfer *transfer, double fx, double fy, double gain[2]);
    bool is_even;      /* real, and H(f) = H(−f) by construction */
    bool is_hermitian; /* H(−f) = H*(f) by construction, where f has period 1 */
    bool is_mirrored;  /* H(fx, fy) = H(fx, −fy) as well, where f has period 1 */
    int factors;       /* the number of factors of a product; 0 for other functions */
    struct factor factor[2];
    bool complement; /* 1 − the product */
    bool is_streak;
    bool is_power;          /* (2 |f|)^exponent, and 1 at f = 0 */
    double parameters[3];   /* of streak and power */
    double bound;           /* |H| is at most this */
    double detail;          /* the width of the narrowest feature in cycles per pixel */
    abbe_matrix mask;       /* samples of the gain, side by side where they are complex; owned */
    int step;               /* doubles of a sample: 1 in a painted mask, 2 in complex gains */
    abbe_transfer callback; /* the caller's function, or NULL */
    void *user;
};

/* The frequencies low ≤ |fx| ≤ high ≤ ½. */
struct frequency_span {
    double low, high;
};

/* A linear filter: the kernel acts first, then every transfer function. The identity is a 1 × 1 kernel of
 * 1. */
struct response {
    struct kernel kernel;
    int transfer_count;
    struct transfer *transfers;
};

struct abbe_filter {
    int components; /* 1, or 2 whose magnitude is the result */
    struct response component[2];
    abbe_filter_info info; /* of a published filter */
};

/* ---- response.c ---- */

void response_free(struct response *response);
int response_copy(const struct response *response, struct response *out);

/* Writes the response of a followed by b. ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY. */
int response_chain(const struct response *a, const struct response *b, struct response *out);

/* Writes the response with its kernel flipped, which turns convolution into correlation. The sampler
 * conjugates the transfer functions. */
int response_flip(const struct response *response, struct response *out);

/* Whether the spectrum is real on every grid. */
bool response_is_real(const struct response *response);

/* Whether the spectrum is real on every grid, and even along each axis: H(u, v) = H(−u, v) = H(u, −v). */
bool response_is_even(const struct response *response);

/* The gain of a constant; NaN if a transfer function's is not a real number. Where it is 1 or 0 except for
 * rounding, it is exactly that. */
double response_constant_gain(const struct response *response);

/* Whether one of the transfer functions is a caller's function. Such a function is called only while plans
 * are made. */
bool response_has_callback(const struct response *response);

/* ---- reach.c ---- */

/* The tolerance for transfer functions that act on a part of the infinite picture: with the borders CLAMP, ZERO
 * and CONSTANT, in windows and in streams. */
double response_tolerance(void);

/* Writes the number of pixels, at most 768, beyond which the impulse response h of the transfer functions holds
 * at most response_tolerance() of Σ|h| without the tap at the centre, and `otherwise` where there is no such
 * number; 0 without transfer functions. ABBE_OK, ABBE_ERR_MEMORY or ABBE_ERR_NONFINITE. */
int response_radius(const struct response *response, int otherwise, int *radius);

/* ---- filter.c: filters under construction are values on the stack, and move to the heap when they are
 * complete ---- */

/* Releases what a filter holds, not the struct itself. */
void filter_clear(struct abbe_filter *filter);

/* Makes `filter` the identity followed by a transfer function. Takes ownership of the transfer function, also
 * on failure. */
int filter_set_transfer(struct transfer transfer, struct abbe_filter *filter);

/* What a chain will be, before it is made. */
struct chain_plan {
    int components; /* 0 before the first filter */
    struct kernel_shape shape;
};

/* Plans one more filter, so that a chain that is refused takes no time and no memory. ABBE_OK,
 * ABBE_ERR_UNSUPPORTED when the chain takes a magnitude already, or ABBE_ERR_SIZE. */
int filter_plan_chain(struct chain_plan *plan, const struct abbe_filter *next);

/* Replaces `chain` by `chain` followed by `next`, one response for each component of `next`. ABBE_OK,
 * ABBE_ERR_UNSUPPORTED when `chain` takes a magnitude, ABBE_ERR_RANGE when the taps exceed the range of a
 * float, ABBE_ERR_SIZE or ABBE_ERR_MEMORY. Records no message, and leaves `chain` unchanged on failure. */
int filter_append(struct abbe_filter *chain, const struct abbe_filter *next);

/* Moves a complete filter to the heap. On failure clears it, records a message and returns
 * ABBE_ERR_MEMORY. */
int filter_publish(struct abbe_filter *filter, abbe_filter **out);

#endif
