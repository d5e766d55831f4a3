/* One case on one number of threads: who takes part, whether they agree, how long they take. */
#ifndef ABBE_BENCH_CONTEST_H
#define ABBE_BENCH_CONTEST_H

#include "measure.h"

enum { CONTENDERS_MAX = 8 };

/* What is kept of a contest. Contender 0 is Abbe; in a cell of the planner's grid all are, one per method. */
struct result {
    const struct bench_case *what;
    int threads;
    int count;
    struct contender contenders[CONTENDERS_MAX];
    abbe_method chosen; /* the planner's choice, for a cell of its grid */
    bool wrong;         /* a result of Abbe's is further from the formula than the tolerance */
};

struct rules {
    const char *device;
    double seconds; /* for all contenders of a case */
    uint64_t seed;
    const struct peer *const *peers; /* who may take part; ends with NULL */
    void (*progress)(void *user, const char *what, double fraction);
    void *user;
};

/* Runs a case. false, and said, when Abbe cannot do it or there is no memory; a peer that cannot is left
 * out with a note, and so is a case that a GPU has no room for: its result has no contenders. */
bool contest_run(const struct bench_case *what, int threads, const struct rules *rules,
                 struct result *result);

/* The contender whose least time is the smallest, or −1. */
int result_best(const struct result *result);

/* Of a cell: the least time of the choice over that of the best method, less one. */
double result_regret(const struct result *result);

/* How many times longer a contender takes than Abbe; 0 where that means nothing. */
double result_ratio(const struct result *result, int contender);

/* Half the distance of the quartiles, over the median. */
double figures_spread(const struct figures *figures);

/* How far a contender is off: its distance from the formula, or from Abbe where that is greater. */
double contender_deviation(const struct contender *contender);

/* Nanoseconds per pixel at the median. */
double figures_per_pixel(const struct figures *figures, const struct bench_case *what);

#endif
