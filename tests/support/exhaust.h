/* Lets every allocation of a public call fail once.
 *
 * Programs are linked as for faults.h. */
#ifndef ABBE_TESTS_EXHAUST_H
#define ABBE_TESTS_EXHAUST_H

#include <abbe/abbe.h>

/* Bytes of an array that a call may write, and their value before the call. */
enum { ARRAY = 4096, PATTERN = 0x5E };

/* Everything that a public call may write. */
struct outputs {
    abbe_device *device;
    abbe_filter *filter;
    abbe_plan *plan;
    abbe_matrix matrix;
    unsigned char array[ARRAY];
};

/* A public call with its input, and a function that releases its output. */
struct attempt {
    const char *name;
    int (*call)(const struct attempt *attempt, struct outputs *out);
    const abbe_device *reports_to; /* the device whose message is read */
    const char *text;
    const abbe_matrix *matrix;
    const abbe_filter *const *filters;
    size_t filter_count;
    const abbe_plan_params *params;
    const void *source; /* ARRAY bytes */
    int width, height;
    bool in_place;
    bool planes;      /* of a run: each channel is a plane */
    bool two_steps;   /* abbe_submit and abbe_wait */
    bool loads_files; /* a loader without memory counts as a file that cannot be read */
};

/* Lets allocation 0, 1, 2 … of the call fail, alone and together with all later ones, until none is left.
 * Each time the call must return ABBE_ERR_MEMORY with a message, leak nothing and write nothing.
 * Otherwise, and when the call allocates nothing, the test fails with the name of the attempt and the
 * allocation. out->array holds the result of the last call, which succeeded; all other output is released. */
void exhaust(const struct attempt *attempt, struct outputs *out);

#endif
