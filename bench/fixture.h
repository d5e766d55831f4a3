/* What a case is made of while it runs: fresh random pixels, the filter, its taps, and room for results. */
#ifndef ABBE_BENCH_FIXTURE_H
#define ABBE_BENCH_FIXTURE_H

#include "cases.h"

struct fixture {
    abbe_filter *filter;
    abbe_matrix taps;
    abbe_image source;
    abbe_image result;   /* where every contender writes */
    abbe_image expected; /* what the first of them wrote */
};

/* false, and said, when something cannot be had. The same seed gives the same pixels and taps. */
bool fixture_create(const struct bench_case *what, uint64_t seed, struct fixture *fixture);
void fixture_destroy(struct fixture *fixture);

/* Overwrites the result with what no filter gives. */
void fixture_spoil(struct fixture *fixture);

/* Greatest distance of the result from the convolution's formula, in double precision, at a few dozen
 * pixels, the corners among them. In units of the stored samples: levels of U8, plain numbers of F32. */
double fixture_error(const struct fixture *fixture, const struct bench_case *what);

/* Greatest distance of the result from what the first contender wrote, over all samples, in the same unit. */
double fixture_difference(const struct fixture *fixture);

/* What either may be: one level of U8; for F32 pixels of 0 … 1, some thirty times the rounding of the largest
 * transform here; in half precision five times the mean error that abbe.h allows, as every pixel counts here. */
double fixture_tolerance(const struct bench_case *what);

#endif
