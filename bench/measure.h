/* Times contenders in turns, so that other load on the machine affects all of them alike. */
#ifndef ABBE_BENCH_MEASURE_H
#define ABBE_BENCH_MEASURE_H

#include "clock.h"
#include "peers/peer.h"

/* Statistics of the counted runs, in seconds. */
struct figures {
    size_t runs; /* 0: not timed */
    double minimum, lower, median, upper;
};

struct contender {
    const struct peer *peer;
    void *state; /* NULL: not prepared, does not take part */
    struct peer_note note;
    double prepare; /* seconds that prepare() took */
    double error, difference;
    bool differs; /* error or difference exceeds the tolerance */
    struct figures figures;
};

struct measuring {
    double seconds;    /* for all contenders together; each gets a few runs however long they take */
    double slow_limit; /* a contender this many times slower than the best is not run again; 0: no limit */
    void (*progress)(void *user, double fraction);
    void *user;
};

enum { MEASURED = -1, MEASURE_NO_MEMORY = -2 };

/* Fills in the figures of all contenders that have a state. Returns MEASURED, MEASURE_NO_MEMORY, or the index
 * of the contender whose run failed; its note holds the problem. */
int measure(struct contender *contenders, int count, const struct measuring *how);

#endif
