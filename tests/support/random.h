/* A small deterministic generator for tests: the same seed gives the same numbers everywhere. */
#ifndef ABBE_TESTS_RANDOM_H
#define ABBE_TESTS_RANDOM_H

#include <stdint.h>

/* splitmix64: every state is valid, so a case number can be a seed. */
struct random {
    uint64_t state;
};

static inline uint64_t random_bits(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* 0 ≤ x < 1 */
static inline double random_unit(struct random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

/* −1 ≤ x < 1 */
static inline double random_signed(struct random *random)
{
    return 2 * random_unit(random) - 1;
}

/* low ≤ n ≤ high */
static inline int random_int(struct random *random, int low, int high)
{
    return low + (int)(random_bits(random) % (uint64_t)(high - low + 1));
}

#endif
