/* The halving transfer function. */
#include "support/halving.h"
#include "support/test.h"

bool halving_may_be_asked;

static void half(void *user, double fx, double fy, double gain[2])
{
    (void)user, (void)fx, (void)fy;
    assert_true(halving_may_be_asked);
    gain[0] = 0.5;
    gain[1] = 0;
}

abbe_filter *halving_filter(void)
{
    abbe_filter *halving = NULL;
    assert_int_equal(abbe_filter_from_transfer(half, NULL, &halving), ABBE_OK);
    return halving;
}
