/* Factoring of kernels: the rank is found, the terms are singular vectors, symmetry is preserved. */
#include "filter/kernel.h"
#include "filter/shapes.h"

#include "support/random.h"
#include "support/test.h"

#include <abbe/abbe.h>

#include <math.h>
#include <string.h>

enum { TERMS_MAX = 6 };
static const double TOLERANCE = 6e-8;

static struct kernel create(int width, int height)
{
    struct kernel kernel;
    assert_int_equal(kernel_create_dense(width, height, &kernel), ABBE_OK);
    return kernel;
}

/* Makes the sum of `rank` random outer products, alternately even and odd when symmetric. */
static struct kernel random_of_rank(struct random *random, int width, int height, int rank, bool symmetric)
{
    struct kernel kernel = create(width, height);
    for (int r = 0; r < rank; r++) {
        double row[64], column[64];
        for (int x = 0; x < width; x++)
            row[x] = random_signed(random);
        for (int y = 0; y < height; y++)
            column[y] = random_signed(random);
        double sign = r % 2 ? -1.0 : 1.0;
        for (int x = 0; symmetric && x <= width / 2; x++)
            row[width - 1 - x] = 2 * x + 1 == width && r % 2 ? (row[x] = 0.0) : sign * row[x];
        for (int y = 0; symmetric && y <= height / 2; y++)
            column[height - 1 - y] = 2 * y + 1 == height && r % 2 ? (column[y] = 0.0) : sign * column[y];
        for (int k = 0; k < width * height; k++)
            kernel.taps[k] += row[k % width] * column[k / width];
    }
    return kernel;
}

static double residual(const struct kernel *kernel, const struct kernel *factors)
{
    double energy = 0.0, error = 0.0;
    for (int k = 0; k < kernel->width * kernel->height; k++) {
        int x = k % kernel->width, y = k / kernel->width;
        double tap = kernel_tap(kernel, x, y), difference = tap - kernel_tap(factors, x, y);
        energy += tap * tap;
        error += difference * difference;
    }
    return energy > 0.0 ? sqrt(error / energy) : sqrt(error);
}

static double dot(const double *a, const double *b, int length)
{
    double sum = 0.0;
    for (int i = 0; i < length; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Singular vectors: orthogonal rows, orthogonal columns, and equal norms √σ. */
static void check_vectors(const struct kernel *factors)
{
    int width = factors->width, height = factors->height;
    double largest = dot(factors->rows, factors->rows, width);
    for (int r = 0; r < factors->terms; r++)
        for (int s = 0; s <= r; s++) {
            double rows = dot(factors->rows + r * width, factors->rows + s * width, width);
            double columns = dot(factors->columns + r * height, factors->columns + s * height, height);
            if (r == s)
                assert_true(fabs(rows - columns) < 1e-9 * largest);
            else
                assert_true(fabs(rows) < 1e-9 * largest && fabs(columns) < 1e-9 * largest);
        }
}

static void the_rank_is_found(void **state)
{
    (void)state;
    struct random random = { 1 };
    for (int trial = 0; trial < 200; trial++) {
        int width = random_int(&random, 1, 41), height = random_int(&random, 1, 41);
        int rank = random_int(&random, 1, 8), side = width < height ? width : height;
        struct kernel kernel = random_of_rank(&random, width, height, rank, false), factors;
        int expected = rank < side ? rank : side;
        int error = kernel_factor(&kernel, TERMS_MAX, TOLERANCE, &factors);
        if (error != (expected > TERMS_MAX ? ABBE_ERR_UNSUPPORTED : ABBE_OK))
            fail_msg("%dx%d of rank %d: error %d", width, height, expected, error);
        if (!error) {
            if (factors.terms != expected || residual(&kernel, &factors) > 6e-8)
                fail_msg("%dx%d of rank %d: %d terms, residual %g", width, height, expected, factors.terms,
                         residual(&kernel, &factors));
            check_vectors(&factors);
            kernel_free(&factors);
        }
        kernel_free(&kernel);
    }
}

static void symmetric_kernels_stay_symmetric(void **state)
{
    (void)state;
    struct random random = { 2 };
    for (int trial = 0; trial < 100; trial++) {
        int width = 2 * random_int(&random, 3, 20) + 1, height = 2 * random_int(&random, 3, 20) + 1;
        int rank = random_int(&random, 1, 6);
        struct kernel kernel = random_of_rank(&random, width, height, rank, true), factors;
        assert_true(kernel_is_symmetric(&kernel));
        assert_int_equal(kernel_factor(&kernel, TERMS_MAX, TOLERANCE, &factors), ABBE_OK);
        if (!kernel_is_symmetric(&factors) || residual(&kernel, &factors) > 6e-8 || factors.terms != rank)
            fail_msg("%dx%d of rank %d: %d terms", width, height, rank, factors.terms);
        kernel_free(&factors);
        kernel_free(&kernel);
    }
}

/* The singular values of the identity matrix are equal, so any rotation of its vectors would be valid; parity
 * decides. */
static void equal_singular_values_stay_symmetric(void **state)
{
    (void)state;
    struct kernel kernel = create(5, 5), factors;
    for (int i = 0; i < 5; i++)
        kernel.taps[6 * i] = 1.0;
    assert_int_equal(kernel_factor(&kernel, 5, TOLERANCE, &factors), ABBE_OK);
    assert_int_equal(factors.terms, 5);
    assert_true(kernel_is_symmetric(&factors));
    assert_true(residual(&kernel, &factors) < 1e-12);
    kernel_free(&factors);
    assert_int_equal(kernel_factor(&kernel, 4, TOLERANCE, &factors), ABBE_ERR_UNSUPPORTED);
    kernel_free(&kernel);
}

static void noise_of_a_float_does_not_count(void **state)
{
    (void)state;
    struct random random = { 3 };
    struct kernel kernel = { 0 }, factors;
    for (int trial = 0; trial < 60; trial++) {
        int rank = trial % TERMS_MAX + 1;
        kernel_free(&kernel);
        kernel = random_of_rank(&random, 31, 33, rank, trial % 2);
        for (int k = 0; k < 31 * 33; k++)
            kernel.taps[k] = (double)(float)kernel.taps[k];
        int error = kernel_factor(&kernel, TERMS_MAX, TOLERANCE, &factors);
        if (error || factors.terms != rank || residual(&kernel, &factors) > 6e-8)
            fail_msg("trial %d, rank %d rounded to float: error %d", trial, rank, error);
        kernel_free(&factors);
    }
    kernel_free(&kernel);
    kernel = random_of_rank(&random, 31, 31, 1, false);
    kernel.taps[77] += 1e-3;
    assert_int_equal(kernel_factor(&kernel, 1, TOLERANCE, &factors), ABBE_ERR_UNSUPPORTED);
    assert_int_equal(kernel_factor(&kernel, 2, TOLERANCE, &factors), ABBE_OK);
    kernel_free(&factors);
    kernel_free(&kernel);
}

/* A term that absorbs a tap is not exact. */
static void absorbed_taps_are_noticed(void **state)
{
    (void)state;
    double rows[8], columns[8], small[] = { 1, 1, 1, 1e-20 }, short_numbers[] = { 1, 1, 1, 0.5 };
    size_t count;
    assert_false(kernel_factor_exactly(small, 2, 2, 4, rows, columns, &count));
    assert_true(kernel_factor_exactly(short_numbers, 2, 2, 4, rows, columns, &count));
    assert_int_equal(count, 2);
}

/* Factors of whole numbers, or of fractions of powers of two: the products of floats are the taps, and every
 * line that sums to zero does so exactly. */
static void short_numbers_are_factored_exactly(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int width, height, terms;
        double taps[25];
    } cases[] = {
        { "Sobel", 3, 3, 1, { 1, 0, -1, 2, 0, -2, 1, 0, -1 } },
        { "Sobel along y", 3, 3, 1, { 1, 2, 1, 0, 0, 0, -1, -2, -1 } },
        { "Scharr", 3, 3, 1, { 3, 0, -3, 10, 0, -10, 3, 0, -3 } },
        { "Laplacian of 4", 3, 3, 2, { 0, 1, 0, 1, -4, 1, 0, 1, 0 } },
        { "Laplacian of 8", 3, 3, 2, { 1, 1, 1, 1, -8, 1, 1, 1, 1 } },
        { "binomial", 3, 3, 1, { 0.0625, 0.125, 0.0625, 0.125, 0.25, 0.125, 0.0625, 0.125, 0.0625 } },
        { "primes", 2, 2, 1, { 9, 15, 15, 25 } },
        { "diagonal", 3, 3, 2, { 1, 0, 0, 0, 0, 0, 0, 0, 1 } },
        { "even sides", 4, 2, 1, { 1, 3, -3, -1, -2, -6, 6, 2 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kernel kernel = create(cases[i].width, cases[i].height), factors;
        memcpy(kernel.taps, cases[i].taps, sizeof(double) * (size_t)(kernel.width * kernel.height));
        assert_int_equal(kernel_factor(&kernel, TERMS_MAX, TOLERANCE, &factors), ABBE_OK);
        if (factors.terms != cases[i].terms)
            fail_msg("%s: %d terms", cases[i].name, factors.terms);
        for (int k = 0; k < kernel.width * kernel.height; k++) {
            int x = k % kernel.width, y = k / kernel.width;
            double sum = 0;
            for (int r = 0; r < factors.terms; r++)
                sum += (double)(float)factors.rows[r * kernel.width + x] *
                       (double)(float)factors.columns[r * kernel.height + y];
            if (sum != kernel.taps[k])
                fail_msg("%s: tap %d is %.17g, not %g", cases[i].name, k, sum, kernel.taps[k]);
        }
        kernel_free(&factors);
        kernel_free(&kernel);
    }
}

static void zero_is_one_term_of_zeros(void **state)
{
    (void)state;
    struct kernel kernel = create(3, 4), factors;
    kernel.centre_x = 0;
    assert_int_equal(kernel_factor(&kernel, 2, TOLERANCE, &factors), ABBE_OK);
    assert_int_equal(factors.terms, 1);
    assert_int_equal(factors.centre_x, 0);
    assert_true(kernel_bound(&factors) == 0.0);
    kernel_free(&factors);
    kernel_free(&kernel);
}

static void separable_kernels_are_copied_or_compressed(void **state)
{
    (void)state;
    struct kernel kernel, factors;
    assert_int_equal(kernel_create_separable(9, 7, 4, &kernel), ABBE_OK);
    struct random random = { 4 };
    for (int i = 0; i < 18; i++)
        kernel.rows[i] = kernel.rows[i + 18] = random_unit(&random); /* terms 2 and 3 repeat 0 and 1 */
    for (int i = 0; i < 28; i++)
        kernel.columns[i] = random_unit(&random);
    assert_int_equal(kernel_factor(&kernel, 4, TOLERANCE, &factors), ABBE_OK);
    assert_int_equal(factors.terms, 4);
    assert_true(factors.rows[3] == kernel.rows[3]);
    kernel_free(&factors);
    assert_int_equal(kernel_factor(&kernel, 3, TOLERANCE, &factors), ABBE_OK);
    assert_int_equal(factors.terms, 2);
    assert_true(residual(&kernel, &factors) < 1e-12);
    kernel_free(&factors);
    assert_int_equal(kernel_factor(&kernel, 1, TOLERANCE, &factors), ABBE_ERR_UNSUPPORTED);
    kernel_free(&kernel);
}

/* Σ ‖row_r‖ · ‖column_r‖, to which the rounding error of terms in float is relative. */
static double sum_of_norms(const struct kernel *kernel)
{
    double sum = 0.0;
    for (int r = 0; r < kernel->terms; r++) {
        const double *row = kernel->rows + r * kernel->width;
        const double *column = kernel->columns + r * kernel->height;
        sum += sqrt(dot(row, row, kernel->width) * dot(column, column, kernel->height));
    }
    return sum;
}

/* Σ_r row_r(x) · column_r(y) in long double. */
static long double exact_tap(const struct kernel *kernel, int x, int y)
{
    long double sum = 0.0L;
    for (int r = 0; r < kernel->terms; r++)
        sum += (long double)kernel->rows[r * kernel->width + x] *
               (long double)kernel->columns[r * kernel->height + y];
    return sum;
}

/* Checks that the factors have at most as many terms as the kernel, represent it to double precision (to
 * single precision when a term was dropped), and do not cancel each other. */
static void check_sound(const char *name, struct kernel *kernel)
{
    struct kernel factors;
    int error = kernel_factor(kernel, TERMS_MAX, TOLERANCE, &factors);
    if (error)
        fail_msg("%s: error %d", name, error);
    double energy = 0.0, rest = 0.0, given = sum_of_norms(kernel);
    for (int k = 0; k < kernel->width * kernel->height; k++) {
        int x = k % kernel->width, y = k / kernel->width;
        long double tap = exact_tap(kernel, x, y), difference = tap - exact_tap(&factors, x, y);
        energy += (double)(tap * tap);
        rest += (double)(difference * difference);
    }
    double norm = sqrt(energy), sum = sum_of_norms(&factors);
    double allowed = factors.terms < kernel->terms ? 6e-8 * norm : 2e-15 * given;
    if (factors.terms > kernel->terms || sqrt(rest) > allowed ||
        sum > fmax(1.5, sqrt(factors.terms)) * norm * (1 + 1e-9))
        fail_msg("%s: %d terms of %d, %g together, of a kernel of %g: residual %g", name, factors.terms,
                 kernel->terms, sum, norm, sqrt(rest));
    if (kernel_is_symmetric(&factors) != kernel_is_symmetric(kernel))
        fail_msg("%s: no longer symmetric", name);
    kernel_free(&factors);
    kernel_free(kernel);
}

static void terms_do_not_cancel(void **state)
{
    (void)state;
    static const double ratios[] = { 1.001, 1.01, 1.1, 1.6, 8.0 };
    struct kernel kernel, other, chain;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        assert_int_equal(shape_dog(1.0, ratios[i], &kernel), ABBE_OK);
        check_sound("dog", &kernel);
        assert_int_equal(shape_log(ratios[i], &kernel), ABBE_OK);
        check_sound("log", &kernel);
        assert_int_equal(shape_unsharp(ratios[i], 1000.0, &kernel), ABBE_OK);
        check_sound("unsharp", &kernel);
        assert_int_equal(shape_gabor(8.0, 20.0 * ratios[i], 4.0, &kernel), ABBE_OK);
        check_sound("gabor", &kernel);
        assert_int_equal(shape_dog(1.0, ratios[i], &kernel), ABBE_OK);
        assert_int_equal(shape_log(1.5, &other), ABBE_OK);
        assert_int_equal(kernel_convolve(&kernel, &other, &chain), ABBE_OK);
        check_sound("dog, log", &chain);
        kernel_free(&other);
        kernel_free(&kernel);
    }
}

/* Terms without symmetry, of which the second cancels all but a thousandth of the first. */
static void terms_without_symmetry_do_not_cancel(void **state)
{
    (void)state;
    struct random random = { 5 };
    for (int trial = 0; trial < 50; trial++) {
        int width = random_int(&random, 2, 20), height = random_int(&random, 2, 20);
        struct kernel kernel;
        assert_int_equal(kernel_create_separable(width, height, 2, &kernel), ABBE_OK);
        kernel.centre_x = random_int(&random, 0, width - 1);
        for (int i = 0; i < width; i++) {
            kernel.rows[i] = random_signed(&random);
            kernel.rows[width + i] = kernel.rows[i] + 1e-3 * random_signed(&random);
        }
        for (int i = 0; i < height; i++) {
            kernel.columns[i] = random_signed(&random);
            kernel.columns[height + i] = -kernel.columns[i] + 1e-3 * random_signed(&random);
        }
        check_sound("cancelling terms", &kernel);
    }
}

/* A disc has full rank, which a sample of a few rows and columns must show without the full cross
 * approximation. */
static void large_dense_kernels_are_refused(void **state)
{
    (void)state;
    int side = 801;
    struct kernel kernel = create(side, side), factors;
    for (int k = 0; k < side * side; k++)
        kernel.taps[k] = hypot(k % side - 400, k / side - 400) <= 400.0;
    assert_int_equal(kernel_factor(&kernel, TERMS_MAX, TOLERANCE, &factors), ABBE_ERR_UNSUPPORTED);
    kernel_free(&kernel);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_rank_is_found),
    cmocka_unit_test(symmetric_kernels_stay_symmetric),
    cmocka_unit_test(equal_singular_values_stay_symmetric),
    cmocka_unit_test(noise_of_a_float_does_not_count),
    cmocka_unit_test(short_numbers_are_factored_exactly),
    cmocka_unit_test(absorbed_taps_are_noticed),
    cmocka_unit_test(zero_is_one_term_of_zeros),
    cmocka_unit_test(separable_kernels_are_copied_or_compressed),
    cmocka_unit_test(terms_do_not_cancel),
    cmocka_unit_test(terms_without_symmetry_do_not_cancel),
    cmocka_unit_test(large_dense_kernels_are_refused),
};

TEST_MAIN(tests)
