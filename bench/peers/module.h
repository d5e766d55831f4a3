/* Peers that live in modules of their own, with libraries that need not be there when the benchmark starts. A module
 * holds a struct peer of the name abbe_bench_peer, whose version() and suits() are the program's own. */
#ifndef ABBE_BENCH_MODULE_H
#define ABBE_BENCH_MODULE_H

#include "peer.h"

/* What the modules' peers can do: RGBA floats of a picture that wraps, under one symmetric kernel, in full. */
bool module_suits(const struct bench_case *what);

/* Loads a module and has its peer prepare; the others pass on what they are called with. */
bool module_prepare(const char *file, const struct peer_work *work, void **state, struct peer_note *note);
const char *module_run(void *state);
const char *module_time(void *state, double *seconds);
void module_destroy(void *state);

#endif
