/* abbe-bench --calibrate: measures the planner's prices and
 * writes them to the file that the library reads. */
#ifndef ABBE_BENCH_CALIBRATE_H
#define ABBE_BENCH_CALIBRATE_H

#include "settings.h"

/* Returns the exit status. */
int calibrate(const struct settings *settings);

#endif
