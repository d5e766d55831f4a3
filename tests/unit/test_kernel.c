/* Kernels against their definition: taps, symmetry, flipping, folding, expansion, convolution small and
 * large. */
#include "filter/filter.h"

#include "support/random.h"
#include "support/test.h"

#include <abbe/abbe.h>

#include <math.h>
#include <stdlib.h>

static struct kernel dense(struct random *random, int width, int height)
{
    struct kernel kernel;
    assert_int_equal(kernel_create_dense(width, height, &kernel), ABBE_OK);
    for (int i = 0; i < width * height; i++)
        kernel.taps[i] = random_signed(random);
    return kernel;
}

static struct kernel separable(struct random *random, int width, int height, int rank)
{
    struct kernel kernel;
    assert_int_equal(kernel_create_separable(width, height, rank, &kernel), ABBE_OK);
    for (int i = 0; i < rank * width; i++)
        kernel.rows[i] = random_signed(random);
    for (int i = 0; i < rank * height; i++)
        kernel.columns[i] = random_signed(random);
    return kernel;
}

/* The tap at (dx, dy) from the centre; zero outside the kernel. */
static double at(const struct kernel *kernel, int dx, int dy)
{
    int x = kernel->centre_x + dx, y = kernel->centre_y + dy;
    if (x < 0 || x >= kernel->width || y < 0 || y >= kernel->height)
        return 0.0;
    return kernel_tap(kernel, x, y);
}

static void check_convolution(const struct kernel *a, const struct kernel *b)
{
    struct kernel made;
    assert_int_equal(kernel_convolve(a, b, &made), ABBE_OK);
    assert_int_equal(made.width, a->width + b->width - 1);
    assert_int_equal(made.height, a->height + b->height - 1);
    for (int y = 0; y < made.height; y++)
        for (int x = 0; x < made.width; x++) {
            int dx = x - made.centre_x, dy = y - made.centre_y;
            double expected = 0.0;
            for (int k = 0; k < b->width * b->height; k++) {
                int bx = k % b->width - b->centre_x, by = k / b->width - b->centre_y;
                expected += at(b, bx, by) * at(a, dx - bx, dy - by);
            }
            if (fabs(kernel_tap(&made, x, y) - expected) > 1e-12)
                fail_msg("%dx%d rank %d * %dx%d rank %d at (%d, %d): %.17g, not %.17g", a->width, a->height,
                         a->terms, b->width, b->height, b->terms, x, y, kernel_tap(&made, x, y), expected);
        }
    kernel_free(&made);
}

static void small_convolutions_follow_the_definition(void **state)
{
    (void)state;
    struct random random = { 1 };
    for (int trial = 0; trial < 300; trial++) {
        int rank_a = random_int(&random, 0, 3), rank_b = random_int(&random, 0, 3);
        int aw = random_int(&random, 1, 7), ah = random_int(&random, 1, 7);
        int bw = random_int(&random, 1, 7), bh = random_int(&random, 1, 7);
        struct kernel a = rank_a ? separable(&random, aw, ah, rank_a) : dense(&random, aw, ah);
        struct kernel b = rank_b ? separable(&random, bw, bh, rank_b) : dense(&random, bw, bh);
        a.centre_x = random_int(&random, 0, aw - 1);
        b.centre_y = random_int(&random, 0, bh - 1);
        check_convolution(&a, &b);
        kernel_free(&b);
        kernel_free(&a);
    }
}

/* Kernels large enough for the transform; a few taps of the result are compared with direct sums. */
static void large_convolutions_agree(void **state)
{
    (void)state;
    struct random random = { 2 };
    struct kernel a = dense(&random, 131, 97), b = dense(&random, 101, 143), made;
    assert_int_equal(kernel_convolve(&a, &b, &made), ABBE_OK);
    for (int trial = 0; trial < 200; trial++) {
        int x = random_int(&random, 0, made.width - 1), y = random_int(&random, 0, made.height - 1);
        double expected = 0.0;
        for (int j = 0; j < b.height; j++)
            for (int i = 0; i < b.width; i++)
                expected += b.taps[j * b.width + i] * at(&a, x - i - a.centre_x, y - j - a.centre_y);
        if (fabs(kernel_tap(&made, x, y) - expected) > 1e-10)
            fail_msg("tap (%d, %d) is %.17g, not %.17g", x, y, kernel_tap(&made, x, y), expected);
    }
    kernel_free(&made);
    kernel_free(&b);
    kernel_free(&a);
}

static void long_lines_agree(void **state)
{
    (void)state;
    struct random random = { 3 };
    struct kernel a = separable(&random, 5001, 3, 1), b = separable(&random, 3001, 5, 1), made;
    assert_int_equal(kernel_convolve(&a, &b, &made), ABBE_OK);
    assert_int_equal(made.terms, 1);
    for (int x = 0; x < made.width; x += 97) {
        double expected = 0.0;
        for (int i = 0; i < b.width; i++)
            expected += x - i >= 0 && x - i < a.width ? b.rows[i] * a.rows[x - i] : 0.0;
        assert_true(fabs(made.rows[x] - expected) < 1e-10);
    }
    kernel_free(&made);
    kernel_free(&b);
    kernel_free(&a);
}

static void ranks_multiply_until_dense_is_better(void **state)
{
    (void)state;
    struct random random = { 4 };
    struct kernel a = separable(&random, 5, 5, 2), b = separable(&random, 5, 5, 4), made;
    struct kernel c = separable(&random, 5, 5, 5);
    assert_int_equal(kernel_convolve(&a, &b, &made), ABBE_OK);
    assert_int_equal(made.terms, 8);
    kernel_free(&made);
    assert_int_equal(kernel_convolve(&a, &c, &made), ABBE_OK);
    assert_int_equal(made.terms, 0);
    kernel_free(&made);
    check_convolution(&a, &c);
    kernel_free(&c);
    kernel_free(&b);
    kernel_free(&a);
}

/* Makes a kernel its own point reflection. */
static void symmetrize(struct kernel *kernel)
{
    int last = kernel->width * kernel->height - 1;
    for (int i = 0; i <= last; i++)
        kernel->taps[i] = kernel->taps[i < last - i ? i : last - i];
}

static void symmetry_survives_convolution(void **state)
{
    (void)state;
    struct random random = { 5 };
    for (int side = 3; side <= 203; side += 100) {
        struct kernel a = dense(&random, side, 41), b = dense(&random, 51, side), made;
        symmetrize(&a);
        symmetrize(&b);
        assert_true(kernel_is_symmetric(&a));
        assert_int_equal(kernel_convolve(&a, &b, &made), ABBE_OK);
        assert_true(kernel_is_symmetric(&made));
        a.taps[0] += 1e-16 + fabs(a.taps[0]);
        assert_false(kernel_is_symmetric(&a));
        kernel_free(&made);
        kernel_free(&b);
        kernel_free(&a);
    }
}

/* Even ⊗ even and odd ⊗ odd are point-symmetric, even ⊗ odd is not. */
static void separable_symmetry_goes_by_term(void **state)
{
    (void)state;
    struct kernel kernel, made;
    assert_int_equal(kernel_create_separable(3, 3, 2, &kernel), ABBE_OK);
    const double rows[] = { 1, 2, 1, -3, 0, 3 }, columns[] = { 5, 1, 5, 2, 0, -2 };
    for (int i = 0; i < 6; i++) {
        kernel.rows[i] = rows[i];
        kernel.columns[i] = columns[i];
    }
    assert_true(kernel_is_symmetric(&kernel));
    assert_int_equal(kernel_convolve(&kernel, &kernel, &made), ABBE_OK);
    assert_true(kernel_is_symmetric(&made));
    kernel.columns[3] = 1;
    assert_false(kernel_is_symmetric(&kernel));
    kernel.rows[3] = kernel.rows[5] = 0; /* a term of zeros does not break the symmetry */
    assert_true(kernel_is_symmetric(&kernel));
    kernel_free(&made);
    kernel_free(&kernel);
}

static void even_sides_are_symmetric_only_with_zeros(void **state)
{
    (void)state;
    struct kernel kernel;
    assert_int_equal(kernel_create_dense(4, 1, &kernel), ABBE_OK);
    assert_int_equal(kernel.centre_x, 2);
    const double taps[] = { 0, 1, 2, 1 };
    for (int i = 0; i < 4; i++)
        kernel.taps[i] = taps[i];
    assert_true(kernel_is_symmetric(&kernel));
    kernel.taps[0] = 1;
    assert_false(kernel_is_symmetric(&kernel));
    kernel_free(&kernel);
}

/* A kernel of even side whose first taps are zero is symmetric, and so is its convolution, small or large. */
static void padded_symmetry_survives_convolution(void **state)
{
    (void)state;
    struct random random = { 10 };
    for (int rank = 0; rank <= 1; rank++)
        for (int side = 5; side <= 5005; side += 5000) {
            int width = rank ? side + 1 : side / 100 + 6;
            struct kernel a = rank ? separable(&random, width, 1, 1) : dense(&random, width, 101), made;
            double *taps = rank ? a.rows : a.taps;
            for (int y = 0; y < a.height; y++)
                for (int x = 0; x < width; x++)
                    taps[y * width + x] = x ? abs(x - width / 2) + abs(y - a.height / 2) : 0;
            assert_true(kernel_is_symmetric(&a));
            assert_int_equal(kernel_convolve(&a, &a, &made), ABBE_OK);
            assert_true(kernel_is_symmetric(&made));
            kernel_free(&made);
            kernel_free(&a);
        }
}

static void zeros_convolve_to_zeros(void **state)
{
    (void)state;
    struct random random = { 11 };
    struct kernel a = dense(&random, 101, 101), zeros, made;
    assert_int_equal(kernel_create_dense(99, 99, &zeros), ABBE_OK);
    assert_int_equal(kernel_convolve(&a, &zeros, &made), ABBE_OK);
    assert_int_equal(kernel_count(&made), 0);
    kernel_free(&made);
    kernel_free(&zeros);
    kernel_free(&a);
}

static void flips_reflect_through_the_centre(void **state)
{
    (void)state;
    struct random random = { 6 };
    for (int rank = 0; rank <= 2; rank++) {
        struct kernel kernel = rank ? separable(&random, 4, 3, rank) : dense(&random, 4, 3), flipped;
        kernel.centre_x = 3;
        assert_int_equal(kernel_flip(&kernel, &flipped), ABBE_OK);
        for (int dy = -3; dy <= 3; dy++)
            for (int dx = -4; dx <= 4; dx++)
                assert_true(at(&flipped, dx, dy) == at(&kernel, -dx, -dy));
        kernel_free(&flipped);
        kernel_free(&kernel);
    }
}

static void expansion_and_copies_keep_every_tap(void **state)
{
    (void)state;
    struct random random = { 7 };
    struct kernel kernel = separable(&random, 5, 8, 3), expanded, copy;
    kernel.centre_y = 1;
    assert_int_equal(kernel_expand(&kernel, &expanded), ABBE_OK);
    assert_int_equal(kernel_copy(&kernel, &copy), ABBE_OK);
    assert_int_equal(expanded.terms, 0);
    assert_int_equal(expanded.centre_y, 1);
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 5; x++) {
            double sum = 0.0;
            for (int r = 0; r < 3; r++)
                sum += kernel.rows[r * 5 + x] * kernel.columns[r * 8 + y];
            assert_true(fabs(expanded.taps[y * 5 + x] - sum) < 1e-15);
            assert_true(kernel_tap(&copy, x, y) == kernel_tap(&kernel, x, y));
        }
    kernel_free(&copy);
    kernel_free(&expanded);
    kernel_free(&kernel);
}

static void counts_and_bounds(void **state)
{
    (void)state;
    struct random random = { 8 };
    struct kernel kernel = dense(&random, 3, 3), product = separable(&random, 3, 4, 1);
    kernel.taps[0] = kernel.taps[4] = 0.0;
    kernel.taps[5] = -7.0;
    assert_int_equal(kernel_count(&kernel), 7);
    assert_int_equal(kernel_count(&product), 12);
    assert_true(kernel_bound(&kernel) == 7.0);
    kernel.taps[5] = NAN;
    kernel.taps[6] = 1e9;
    assert_true(isnan(kernel_bound(&kernel)));
    kernel.taps[5] = -INFINITY;
    assert_true(isinf(kernel_bound(&kernel)));
    kernel_free(&product);
    kernel_free(&kernel);
}

static void gain_is_the_fourier_sum(void **state)
{
    (void)state;
    struct random random = { 9 };
    for (int rank = 0; rank <= 2; rank++) {
        struct kernel kernel = rank ? separable(&random, 4, 7, rank) : dense(&random, 4, 7);
        for (int trial = 0; trial < 20; trial++) {
            double fx = 3 * random_signed(&random), fy = random_signed(&random), re = 0, im = 0, gain[2];
            for (int k = 0; k < 28; k++) {
                int dx = k % 4 - kernel.centre_x, dy = k / 4 - kernel.centre_y;
                re += at(&kernel, dx, dy) * cos(2 * M_PI * (fx * dx + fy * dy));
                im -= at(&kernel, dx, dy) * sin(2 * M_PI * (fx * dx + fy * dy));
            }
            kernel_gain(&kernel, fx, fy, gain);
            assert_true(hypot(gain[0] - re, gain[1] - im) < 1e-12);
        }
        kernel_free(&kernel);
    }
}

static void sizes_are_bounded(void **state)
{
    (void)state;
    struct kernel kernel = { .width = -1 };
    assert_int_equal(kernel_create_dense(ABBE_KERNEL_SIDE_MAX + 1, 1, &kernel), ABBE_ERR_SIZE);
    assert_int_equal(kernel_create_dense(1 << 14, 1 << 13, &kernel), ABBE_ERR_SIZE);
    assert_int_equal(kernel_create_separable(1, ABBE_KERNEL_SIDE_MAX + 1, 1, &kernel), ABBE_ERR_SIZE);
    assert_int_equal(kernel.width, -1);
    struct kernel a, b;
    assert_int_equal(kernel_create_separable(100000, 1, 1, &a), ABBE_OK);
    assert_int_equal(kernel_create_separable(40000, 1, 1, &b), ABBE_OK);
    assert_int_equal(kernel_convolve(&a, &b, &kernel), ABBE_ERR_SIZE);
    kernel_free(&b);
    kernel_free(&a);
}

/* Every tap moves to its distance from the centre or to the reach, whichever is nearer; dense and
 * separable. */
static void folds_move_far_taps_to_the_reach(void **state)
{
    (void)state;
    struct random random = { 21 };
    for (int shape = 0; shape < 200; shape++) {
        int width = random_int(&random, 1, 12), height = random_int(&random, 1, 12);
        int reach_x = random_int(&random, 1, 6), reach_y = random_int(&random, 1, 6);
        struct kernel kernel = dense(&random, width, height), folded;
        kernel.centre_x = random_int(&random, 0, width - 1);
        kernel.centre_y = random_int(&random, 0, height - 1);
        assert_int_equal(kernel_fold(&kernel, reach_x, reach_y, &folded), ABBE_OK);
        for (int y = 0; y < folded.height; y++)
            for (int x = 0; x < folded.width; x++) {
                double sum = 0;
                for (int j = 0; j < height; j++)
                    for (int i = 0; i < width; i++) {
                        int dx = i - kernel.centre_x, dy = j - kernel.centre_y;
                        dx = dx > reach_x ? reach_x : dx < -reach_x ? -reach_x : dx;
                        dy = dy > reach_y ? reach_y : dy < -reach_y ? -reach_y : dy;
                        if (dx == x - folded.centre_x && dy == y - folded.centre_y)
                            sum += kernel_tap(&kernel, i, j);
                    }
                assert_true(fabs(kernel_tap(&folded, x, y) - sum) < 1e-14);
            }
        assert_true(folded.width <= 2 * reach_x + 1 && folded.height <= 2 * reach_y + 1);
        kernel_free(&folded);
        kernel_free(&kernel);
    }
}

/* Taps whose distances differ by a period become one, or two halves at both ends; dense and separable. */
static void periodic_folds_add_up_copies(void **state)
{
    (void)state;
    struct random random = { 22 };
    for (int shape = 0; shape < 200; shape++) {
        int width = random_int(&random, 1, 20), height = random_int(&random, 1, 20);
        int period_x = random_int(&random, 1, 7), period_y = random_int(&random, 1, 7);
        struct kernel kernel = dense(&random, width, height), folded;
        kernel.centre_x = random_int(&random, 0, width - 1);
        kernel.centre_y = random_int(&random, 0, height - 1);
        assert_int_equal(kernel_fold_periodic(&kernel, period_x, period_y, &folded), ABBE_OK);
        assert_true(folded.width <= (width > period_x + 1 ? period_x + 1 : width));
        assert_true(folded.height <= (height > period_y + 1 ? period_y + 1 : height));
        for (int v = 0; v < period_y; v++)
            for (int u = 0; u < period_x; u++) {
                double sums[2] = { 0 };
                for (int which = 0; which < 2; which++) {
                    const struct kernel *one = which ? &folded : &kernel;
                    for (int j = 0; j < one->height; j++)
                        for (int i = 0; i < one->width; i++)
                            if ((i - one->centre_x - u) % period_x == 0 &&
                                (j - one->centre_y - v) % period_y == 0)
                                sums[which] += kernel_tap(one, i, j);
                }
                if (!(fabs(sums[0] - sums[1]) < 1e-13))
                    fail_msg("%d x %d with periods %d, %d: %g, not %g", width, height, period_x, period_y,
                             sums[1], sums[0]);
            }
        kernel_free(&folded);
        kernel_free(&kernel);
    }
}

static void folds_keep_symmetry(void **state)
{
    (void)state;
    for (int reach = 1; reach < 30; reach++) {
        abbe_filter *filter = NULL;
        struct kernel folded;
        assert_int_equal(
            abbe_filter_parse(reach % 2 ? "gaussian:sigma=7" : "disk:radius=17.3", NULL, &filter), 0);
        assert_int_equal(kernel_fold(&filter->component[0].kernel, reach, reach, &folded), ABBE_OK);
        assert_true(kernel_is_symmetric(&folded));
        kernel_free(&folded);
        assert_int_equal(kernel_fold_periodic(&filter->component[0].kernel, reach, reach + 1, &folded),
                         ABBE_OK);
        assert_true(kernel_is_symmetric(&folded));
        kernel_free(&folded);
        abbe_filter_destroy(&filter);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(small_convolutions_follow_the_definition),
    cmocka_unit_test(large_convolutions_agree),
    cmocka_unit_test(long_lines_agree),
    cmocka_unit_test(ranks_multiply_until_dense_is_better),
    cmocka_unit_test(symmetry_survives_convolution),
    cmocka_unit_test(separable_symmetry_goes_by_term),
    cmocka_unit_test(even_sides_are_symmetric_only_with_zeros),
    cmocka_unit_test(padded_symmetry_survives_convolution),
    cmocka_unit_test(zeros_convolve_to_zeros),
    cmocka_unit_test(flips_reflect_through_the_centre),
    cmocka_unit_test(expansion_and_copies_keep_every_tap),
    cmocka_unit_test(counts_and_bounds),
    cmocka_unit_test(gain_is_the_fourier_sum),
    cmocka_unit_test(folds_move_far_taps_to_the_reach),
    cmocka_unit_test(periodic_folds_add_up_copies),
    cmocka_unit_test(folds_keep_symmetry),
    cmocka_unit_test(sizes_are_bounded),
};

TEST_MAIN(tests)
