/* A chain whose kernel would be too large is refused before any of it is made. */
#include "support/test.h"

#include <stdlib.h>

/* The largest allocation since it was set to 0. */
static size_t largest;

int __real_posix_memalign(void **address, size_t alignment, size_t size);
int __wrap_posix_memalign(void **address, size_t alignment, size_t size);

int __wrap_posix_memalign(void **address, size_t alignment, size_t size)
{
    largest = size > largest ? size : largest;
    return __real_posix_memalign(address, alignment, size);
}

enum { WIDTH = 3000, HEIGHT = 1000, LINKS = 5, BYTES = WIDTH * HEIGHT * 8 };

/* Five times the size of a kernel of 3,000,000 taps is 14,996 × 4,996 taps, above 67,108,864. */
static void chains_of_filters(void **state)
{
    (void)state;
    abbe_matrix taps = { 0 };
    abbe_filter *filter = NULL, *chain = NULL;
    const abbe_filter *links[LINKS];
    assert_int_equal(abbe_matrix_create(WIDTH, HEIGHT, &taps), ABBE_OK);
    taps.values[0] = taps.values[WIDTH * HEIGHT - 1] = 1;
    assert_int_equal(abbe_filter_from_kernel(&(abbe_kernel_params){ .taps = &taps }, &filter), ABBE_OK);
    for (int i = 0; i < LINKS; i++)
        links[i] = filter;
    largest = 0;
    test_refused("chain", abbe_filter_chain(links, LINKS, &chain), ABBE_ERR_SIZE, NULL, "67108864 in all");
    assert_null(chain);
    assert_true(largest < BYTES);
    abbe_filter_destroy(&filter);
    abbe_matrix_free(&taps);
}

static void chains_in_text(void **state)
{
    (void)state;
    abbe_filter *chain = NULL;
    largest = 0;
    test_refused("text",
                 abbe_filter_parse("motion:length=3000:angle=30,motion:length=3000:angle=30,"
                                   "motion:length=3000:angle=30,motion:length=3000:angle=30,"
                                   "motion:length=3000:angle=30",
                                   NULL, &chain),
                 ABBE_ERR_SIZE, NULL, "'motion' at position 113: the chain has more than");
    assert_null(chain);
    assert_true(largest < 2 * 2600 * 1502 * sizeof(double)); /* less than two of these kernels */
}

/* A magnitude in the middle, too, is refused before the filters in front of it are joined. */
static void magnitudes_in_front(void **state)
{
    (void)state;
    abbe_filter *chain = NULL;
    largest = 0;
    test_refused("magnitude", abbe_filter_parse("disk:radius=200,disk:radius=200,sobel,box", NULL, &chain),
                 ABBE_ERR_UNSUPPORTED, NULL, "'box' at position 39");
    assert_null(chain);
    assert_true(largest < 2 * 403 * 403 * sizeof(double));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(chains_of_filters),
    cmocka_unit_test(chains_in_text),
    cmocka_unit_test(magnitudes_in_front),
};

TEST_MAIN(tests)
