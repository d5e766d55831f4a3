/* One trial: filters a random picture and compares it with the oracle within the error bound of
 * docs/maths.md. */
#ifndef ABBE_TESTS_TRIAL_H
#define ABBE_TESTS_TRIAL_H

#include "support/stored.h"

/* All parameters of a trial; a failing trial prints them. */
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
    bool odd_memory; /* padded, flipped, unaligned rows; only for packed layouts */
    enum layout source_layout, result_layout;
};

/* A kernel under test. */
struct trial_kernel {
    abbe_matrix taps;
    int centre_x, centre_y;
    double peak; /* max |H| */
    abbe_filter *filter;
};

/* TAPS_SYMMETRIC are the same in opposite directions, TAPS_MIRRORED also along each axis. */
enum taps_kind { TAPS_ANY, TAPS_SYMMETRIC, TAPS_SEPARABLE, TAPS_MIRRORED };

/* Random taps of a kind. The centre is the documented one, or a random one if `free_centre`. */
struct trial_kernel trial_kernel_create(int width, int height, enum taps_kind kind, bool free_centre,
                                        struct random *random);
void trial_kernel_free(struct trial_kernel *kernel);

/* The source of a trial and its exact result. */
struct trial_case {
    struct stored source;
    struct picture expected;
    double norm; /* of the source */
};

struct trial_case trial_case_create(const struct trial *trial, const struct trial_kernel *kernel);
void trial_case_free(struct trial_case *one);

/* Runs the trial. Prints its parameters and returns false when the result exceeds the bound or the run
 * fails. */
bool trial_run(abbe_device *device, const struct trial *trial, const struct trial_kernel *kernel,
               const struct trial_case *one);

/* Lets all later trials use the bound of devices that store samples in 16 bits. */
void trial_set_halves(void);

/* The tolerance for samples of 0 … 1: `exact`, or more for devices that store 16 bits. */
double trial_tolerance(double exact);

/* Whether a stored result keeps the bounds of docs/maths.md; prints `what` if not. */
bool trial_compare(const struct stored *result, const struct picture *expected, double scale, double bound,
                   const char *what);

/* The bounds: 3·10⁻⁷·√log₂(MN) for Fourier methods with this grid, 2·10⁻⁷·√taps for the others. */
double trial_bound_fft(double grid_width, double grid_height);
double trial_bound_taps(double taps);

/* ABBE_TEST_EFFORT=brief reduces the number of cases of long tests; slight, which is also brief, reduces
 * it further. */
bool effort_is_brief(void);
bool effort_is_slight(void);

/* Whether this process runs the case of that number: ABBE_TEST_PART=k/n gives every n-th case, from k, to one
 * of n processes. */
bool effort_takes(int number);

#endif
