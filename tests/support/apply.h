/* Functions that filter a picture in one call, for tests that examine the result. */
#ifndef ABBE_TESTS_APPLY_H
#define ABBE_TESTS_APPLY_H

#include "support/stored.h"

/* These functions end the program with the library's message when a step fails. */
abbe_filter *apply_filter(const char *text);
abbe_filter *apply_kernel(const abbe_matrix *taps, const int *centre);
abbe_plan *apply_plan(abbe_device *device, const abbe_plan_params *params);

/* Filters `in` by the bank of `params` into one picture per filter. `params` takes its size from `in`;
 * types that are not set become F32. */
void apply_bank(abbe_device *device, abbe_plan_params params, const struct picture *in, struct picture *out);

/* The same with one filter. */
struct picture apply(abbe_device *device, abbe_plan_params params, const abbe_filter *filter,
                     const struct picture *in);

/* Samples of 0 … 1, or of −1 … 1, that F32 holds exactly. */
struct picture apply_noise(int width, int height, int channels, uint64_t seed, bool positive);

/* max |H| of a filter's first component on a grid of frequencies that contains 0 and ½. */
double apply_peak(const abbe_filter *filter);

/* Whether all samples of two pictures differ by at most `tolerance`; prints the first one that differs
 * more. */
bool apply_near(const struct picture *got, const struct picture *expected, double tolerance);

#endif
