/* Filters under construction: values on the stack that become an abbe_filter when they are complete. */
#ifndef ABBE_FILTER_BUILD_H
#define ABBE_FILTER_BUILD_H

#include "filter/filter.h"

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
