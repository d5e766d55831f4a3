/* Fits prices (seconds per unit) to the times of runs whose units are known. */
#ifndef ABBE_BENCH_FIT_H
#define ABBE_BENCH_FIT_H

#include <abbe/abbe.h>

enum { FIT_CHARGES_MAX = 32 };

/* A timed run. */
struct fit_run {
    double seconds;
    double units[FIT_CHARGES_MAX];
};

/* Computes prices[0 … charges − 1] so that the relative error of Σ units · price is small for every run.
 * Prices that the runs do not determine stay near the `expected` ones. Runs with a large error were probably
 * disturbed, and get less weight. Returns the mean relative error. */
double fit_prices(const struct fit_run *runs, int count, int charges, const double *expected, double *prices);

#endif
