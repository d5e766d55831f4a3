/* A transfer function of the caller that halves every frequency. It fails the test if it is called while
 * halving_may_be_asked is false. */
#ifndef ABBE_TESTS_HALVING_H
#define ABBE_TESTS_HALVING_H

#include <abbe/abbe.h>

#include <stdbool.h>

extern bool halving_may_be_asked;

abbe_filter *halving_filter(void);

#endif
