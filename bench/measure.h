/* Times contenders in turns, so that whatever else the machine does falls on all of them alike. */
#ifndef ABBE_BENCH_MEASURE_H
#define ABBE_BENCH_MEASURE_H

#include "clock.h"
#include "peers/peer.h"

/* Seconds of all counted runs. */
struct figures {
    size_t runs; /* 0: not timed */
    double minimum, lower, median, upper;
};

struct contender {
    const struct peer *peer;
    void *state; /* NULL: it takes no part */
    struct peer_note note;
    double prepare; /* seconds that prepare() took */
    double error, difference;
    bool differs; /* beyond the tolerance */
    struct figures figures;
};

struct measuring {
    double seconds; /* to spend on all contenders together; each gets a few runs however long they are */
    double lag;     /* who is this many times slower than the best is not run again; 0: everyone is */
    void (*progress)(void *user, double fraction);
    void *user;
};

enum { MEASURED = -1, MEASURE_NO_MEMORY = -2 };

/* Fills the figures of all who have a state. Returns one of the above, or the index of the contender whose
 * run failed; its note has the problem. */
int measure(struct contender *contenders, int count, const struct measuring *how);

#endif
