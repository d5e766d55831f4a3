/* Every allocation of a public call made to fail once.
 *
 * Linked like faults.h. */
#ifndef ABBE_TESTS_EXHAUST_H
#define ABBE_TESTS_EXHAUST_H

#include <abbe/abbe.h>

/* Bytes of an array that a call may write, and what they hold before it does. */
enum { ARRAY = 4096, PATTERN = 0x5E };

/* All that a public call may write to. */
struct outputs {
    abbe_device *device;
    abbe_filter *filter;
    abbe_plan *plan;
    abbe_matrix matrix;
    unsigned char array[ARRAY];
};

/* A public call, with what it reads, and how to release what it made. */
struct attempt {
    const char *name;
    int (*call)(const struct attempt *attempt, struct outputs *out);
    const abbe_device *reports_to; /* under which the sentence is found */
    const char *text;
    const abbe_matrix *matrix;
    const abbe_filter *const *filters;
    size_t filter_count;
    const abbe_plan_params *params;
    const void *source; /* ARRAY bytes */
    int width, height;
    bool in_place;
    bool loads_files; /* a loader that has no memory is a file that cannot be had */
};

/* Lets allocation 0, 1, 2 … of the call fail, alone and with all behind it, until none is left to fail: each time
 * the call must answer ABBE_ERR_MEMORY with a sentence, leak nothing and write nothing. Ends the test with the
 * attempt's name and the allocation otherwise, and when there was none to fail. out->array holds the result of
 * the last call, which succeeded; all else it made has been released. */
void exhaust(const struct attempt *attempt, struct outputs *out);

#endif
