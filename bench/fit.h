/* Prices from timings: which seconds per unit explain best how long runs of known make-up took. */
#ifndef ABBE_BENCH_FIT_H
#define ABBE_BENCH_FIT_H

#include <abbe/abbe.h>

enum { FIT_CHARGES_MAX = 32 };

/* One run that was timed. */
struct fit_run {
    double seconds;
    double units[FIT_CHARGES_MAX];
};

/* Fills prices[0 … charges − 1] so that Σ units · price is near the seconds of every run, in proportion. Starts from
 * the `expected` prices, and keeps near them what the runs say nothing about. Runs that fit badly count less: they
 * were disturbed. Returns the typical error, as a fraction of the seconds. */
double fit_prices(const struct fit_run *runs, int count, int charges, const double *expected, double *prices);

#endif
