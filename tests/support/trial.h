/* One trial: a random picture through a plan, held against the oracle and DESIGN's error bound. */
#ifndef ABBE_TESTS_TRIAL_H
#define ABBE_TESTS_TRIAL_H

#include "support/stored.h"

/* All that a trial depends on; printed whole when it fails. */
struct trial {
    uint64_t seed; /* of the pixels */
    int width, height, channels;
    abbe_type source_type, result_type;
    abbe_border border;
    float border_value;
    abbe_method method;
    int tile_width, tile_height;
    bool correlate;
    abbe_precision precision;
    bool odd_memory; /* padded, flipped, unaligned rows */
};

/* A kernel under test. */
struct trial_kernel {
    abbe_matrix taps;
    int centre_x, centre_y;
    double peak; /* max |H| */
    abbe_filter *filter;
};

enum taps_kind { TAPS_ANY, TAPS_SYMMETRIC, TAPS_SEPARABLE };

/* Random taps of a kind; the centre is the documented one, or anywhere when `free_centre`. */
struct trial_kernel trial_kernel_create(int width, int height, enum taps_kind kind, bool free_centre,
                                        struct random *random);
void trial_kernel_free(struct trial_kernel *kernel);

/* A source for the trial, and what filtering it must give. */
struct trial_case {
    struct stored source;
    struct picture expected;
    double norm; /* of the source */
};

struct trial_case trial_case_create(const struct trial *trial, const struct trial_kernel *kernel);
void trial_case_free(struct trial_case *one);

/* Runs the trial; false after printing its parameters when the result is not within the bound or anything
 * else is wrong. */
bool trial_run(abbe_device *device, const struct trial *trial, const struct trial_kernel *kernel,
               const struct trial_case *one);

/* The device keeps what it filters in 16 bits: from now on that bound is the bound. */
void trial_set_halves(void);

/* What may be missing from samples of 0 … 1: `exact`, or what 16 bits leave of it. */
double trial_tolerance(double exact);

/* The bounds of DESIGN 4.10 on a stored result; prints `what` and false when broken. */
bool trial_compare(const struct stored *result, const struct picture *expected, double scale, double bound,
                   const char *what);

/* 3·10⁻⁷·√log₂(MN) for Fourier methods of that grid, 2·10⁻⁷·√taps for the others. */
double trial_bound_fft(double grid_width, double grid_height);
double trial_bound_taps(double taps);

/* ABBE_TEST_EFFORT=brief divides the number of cases of heavy tests, and slight, which is brief too, once more. */
bool effort_is_brief(void);
bool effort_is_slight(void);

#endif
