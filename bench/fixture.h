/* The data of a case while it runs: random pixels, the filter, its taps,
 * and room for results; and the checks of results against them. */
#ifndef ABBE_BENCH_FIXTURE_H
#define ABBE_BENCH_FIXTURE_H

#include "cases.h"

struct fixture {
    abbe_filter *filter;
    abbe_matrix taps;
    abbe_image source;
    abbe_image result;   /* written by every contender */
    abbe_image expected; /* the result of the first contender */
};

/* Returns false, with a message, on failure. The same seed gives the same pixels and taps. */
bool fixture_create(const struct bench_case *what, uint64_t seed, struct fixture *fixture);
void fixture_destroy(struct fixture *fixture);

/* Overwrites the result with values that no filter gives,
 * so that a contender that writes nothing is noticed. */
void fixture_erase_result(struct fixture *fixture);

/* Largest distance of the result from the convolution formula in double precision,
 * over a few dozen pixels that include the corners. The unit is that of the stored
 * samples: 1/255 of full scale for U8, the sample itself for F32. 0 for filters without taps. */
double fixture_error(const struct fixture *fixture, const struct bench_case *what);

/* Largest distance of the result from the result of the
 * first contender, over all samples, in the same unit. */
double fixture_difference(const struct fixture *fixture);

/* The tolerance of both distances: 1 for U8; for F32 pixels of 0 … 1 about thirty
 * times the rounding error of the largest transform here; in half precision five
 * times the mean error that abbe.h allows, because here the largest counts. */
double fixture_tolerance(const struct bench_case *what);

#endif
