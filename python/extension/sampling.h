/* Transfer functions written in Python, called for many frequencies at once.
 *
 * The library asks for one gain after the other. Calls of Python for each would take longer than everything
 * else, so a library call that needs gains is repeated: the first time every gain is 0, and the frequencies are
 * noted. Then Python computes all gains at once, and the call is repeated with them. Where the gains change what
 * the library asks for, the rest is noted anew, until a call finds every gain that it asks for. */
#ifndef ABBE_EXTENSION_SAMPLING_H
#define ABBE_EXTENSION_SAMPLING_H

#include "filter.h"

/* Calls `call`, without the GIL, until it has found every gain. `undo` takes back what a call made that did not
 * find them. Returns what the last call returned; after a failure of Python a number below 0, with an exception. */
int sampling_repeat(int (*call)(void *context), void (*undo)(void *context), void *context);

/* The abbe_transfer of all filters with a function; `user` is the filter. */
void sampling_gain(void *user, double fx, double fy, double gain[2]);

#endif
