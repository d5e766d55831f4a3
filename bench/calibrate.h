/* abbe-bench --calibrate: measures what the planner multiplies with, and writes it where the library finds it. */
#ifndef ABBE_BENCH_CALIBRATE_H
#define ABBE_BENCH_CALIBRATE_H

#include "settings.h"

/* Returns the exit status. */
int calibrate(const struct settings *settings);

#endif
