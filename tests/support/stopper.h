/* A progress() that counts its calls and stops at one of them. */
#ifndef ABBE_TESTS_STOPPER_H
#define ABBE_TESTS_STOPPER_H

#include "support/test.h"

struct stopper {
    int calls, stop_at;
    double last;
};

static inline int stop_late(void *user, double done)
{
    struct stopper *stopper = user;
    assert_true(done >= stopper->last - 1e-12 && done <= 1);
    stopper->last = done;
    return stopper->calls++ == stopper->stop_at;
}

#endif
