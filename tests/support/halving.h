/* A caller's transfer function that halves everything, and fails the test when it is asked at the wrong time. */
#ifndef ABBE_TESTS_HALVING_H
#define ABBE_TESTS_HALVING_H

#include <abbe/abbe.h>

#include <stdbool.h>

extern bool halving_may_be_asked;

abbe_filter *halving_filter(void);

#endif
