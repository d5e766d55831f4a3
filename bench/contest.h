/* Runs one case on one number of threads: prepares the contenders, checks their results, times them. */
#ifndef ABBE_BENCH_CONTEST_H
#define ABBE_BENCH_CONTEST_H

#include "measure.h"

enum { CONTENDERS_MAX = 8 };

/* The outcome of a case. Contender 0 is Abbe; in a cell of the
 * planner's grid every contender is Abbe, each with another method. */
struct result {
    const struct bench_case *what;
    int threads;
    int count;
    struct contender contenders[CONTENDERS_MAX];
    abbe_method chosen; /* in a cell of the planner's grid: the planner's choice */
    bool wrong;         /* a result of Abbe differs from the formula by more than the tolerance */
};

struct rules {
    const char *device;
    double seconds; /* for all contenders of a case */
    uint64_t seed;
    const struct peer *const *peers; /* the peers that may take part; ends with NULL */
    void (*progress)(void *user, const char *what, double fraction);
    void *user;
};

/* Runs a case. Returns false, with a message, if Abbe fails or memory runs out. A
 * peer that fails to prepare is left out with a note. A case that Abbe cannot
 * prepare on a GPU is left out with a note, too: its result has no contenders. */
bool contest_run(const struct bench_case *what, int threads, const struct rules *rules,
                 struct result *result);

#endif
