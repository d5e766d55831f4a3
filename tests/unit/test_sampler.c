/* The sampler against the naive Fourier sum: every small grid and kernel, folded ones too, and exact
 * Hermitian symmetry. */
#include "filter/sampling/sampler.h"

#include "support/random.h"
#include "support/test.h"

#include <abbe/abbe.h>

#include <math.h>
#include <stdlib.h>

/* Copies frequency u + l of a batch, and its opposite, to H(u, v) at 2 · (v · width + u). */
static void take_column(const struct sampler *sampler, const double *batch, int u, int l, int width,
                        int height, double *H)
{
    bool real = sampler_columns(sampler) == sampler_row(sampler);
    for (int v = 0; v < height; v++) {
        int row = v < sampler_rows(sampler) ? v : height - v;
        const double *value = batch + (size_t)row * sampler_row(sampler) + l;
        double re = value[0], im = real ? 0 : value[sampler_columns(sampler)];
        int here = v * width + u + l;
        int opposite = (height - v) % height * width + (width - u - l) % width;
        if (here % width != opposite % width) {
            H[2 * opposite] = re;
            H[2 * opposite + 1] = -im;
        }
        H[2 * here] = re;
        H[2 * here + 1] = im;
    }
}

/* Samples the whole spectrum, H(u, v) at 2 · (v · width + u). */
static double *sample(const struct response *response, int width, int height, bool conjugate)
{
    struct sampler *sampler = NULL;
    double *H = malloc(2 * (size_t)width * (size_t)height * sizeof *H);
    const struct spectrum_grid grid = { width, height, conjugate, 1 + width % 3, core_level_best() };
    assert_int_equal(sampler_create(response, &grid, &sampler), ABBE_OK);
    double *batch = malloc(sampler_batch_doubles(sampler) * sizeof *batch);
    double *scratch = malloc((sampler_scratch(sampler) + 1) * sizeof *scratch);
    assert_non_null(H);
    assert_non_null(batch);
    assert_non_null(scratch);
    int columns = sampler_columns(sampler);
    for (int u = width / 2 / columns * columns; u >= 0; u -= columns) { /* in any order */
        assert_int_equal(sampler_batch(sampler, u, batch, scratch), ABBE_OK);
        for (int l = 0; l < columns && u + l <= width / 2; l++)
            take_column(sampler, batch, u, l, width, height, H);
    }
    sampler_destroy(&sampler);
    assert_null(sampler);
    free(scratch);
    free(batch);
    return H;
}

static void check_hermitian(const double *H, int width, int height)
{
    for (int k = 0; k < width * height; k++) {
        int u = k % width, v = k / width;
        int opposite = (height - v) % height * width + (width - u) % width;
        if (H[2 * k] != H[2 * opposite] || H[2 * k + 1] != -H[2 * opposite + 1])
            fail_msg("%d x %d: H(%d, %d) is not the conjugate of its opposite", width, height, u, v);
    }
}

static double frequency(int k, int length)
{
    return (double)(k <= (length - 1) / 2 ? k : k - length) / length;
}

/* e^(−j2πk/n) for k = 0 … n − 1. */
static double *make_roots(int n)
{
    double *roots = malloc(2 * (size_t)n * sizeof *roots);
    assert_non_null(roots);
    for (int k = 0; k < n; k++) {
        roots[2 * k] = cos(2 * M_PI * k / n);
        roots[2 * k + 1] = -sin(2 * M_PI * k / n);
    }
    return roots;
}

/* The index of e^(−j2π k/n) among the roots, for any k. */
static const double *root_of(const double *roots, int k, int n)
{
    return roots + 2 * ((k % n + n) % n);
}

/* The roots of both axes. */
struct circles {
    double *x, *y;
};

/* Σ tap(k) e^(−j2π f·k) at a grid frequency; exponents are reduced modulo the length, so that they are
 * exact. */
static void naive(const struct kernel *kernel, const struct circles *roots, int u, int v, int width,
                  int height, double sum[2])
{
    sum[0] = sum[1] = 0;
    for (int k = 0; k < kernel->width * kernel->height; k++) {
        int x = k % kernel->width, y = k / kernel->width;
        const double *a = root_of(roots->x, u * (x - kernel->centre_x), width);
        const double *b = root_of(roots->y, v * (y - kernel->centre_y), height);
        sum[0] += kernel_tap(kernel, x, y) * (a[0] * b[0] - a[1] * b[1]);
        sum[1] += kernel_tap(kernel, x, y) * (a[0] * b[1] + a[1] * b[0]);
    }
}

static void check_kernel(const struct kernel *kernel, int width, int height)
{
    struct response response = { .kernel = *kernel };
    const struct circles roots = { make_roots(width), make_roots(height) };
    double *H = sample(&response, width, height, false);
    for (int k = 0; k < width * height; k++) {
        double expected[2];
        naive(kernel, &roots, k % width, k / width, width, height, expected);
        if (hypot(H[2 * k] - expected[0], H[2 * k + 1] - expected[1]) > 1e-12)
            fail_msg("kernel %d x %d of rank %d on %d x %d at (%d, %d): (%g, %g), not (%g, %g)",
                     kernel->width, kernel->height, kernel->terms, width, height, k % width, k / width,
                     H[2 * k], H[2 * k + 1], expected[0], expected[1]);
    }
    check_hermitian(H, width, height);
    free(H);
    free(roots.x);
    free(roots.y);
}

static struct kernel random_kernel(struct random *random, int width, int height, int rank)
{
    struct kernel kernel;
    if (rank)
        assert_int_equal(kernel_create_separable(width, height, rank, &kernel), ABBE_OK);
    else
        assert_int_equal(kernel_create_dense(width, height, &kernel), ABBE_OK);
    for (int i = 0; i < rank * width; i++)
        kernel.rows[i] = random_signed(random);
    for (int i = 0; i < rank * height; i++)
        kernel.columns[i] = random_signed(random);
    for (int i = 0; !rank && i < width * height; i++)
        kernel.taps[i] = random_signed(random);
    kernel.centre_x = random_int(random, 0, width - 1);
    kernel.centre_y = random_int(random, 0, height - 1);
    return kernel;
}

/* Grids of side 1 … 9 with kernels of side 1 … 11: smaller than, equal to and larger than the grid. */
static void every_small_grid(void **state)
{
    (void)state;
    struct random random = { 1 };
    for (int grid = 0; grid < 81; grid++)
        for (int size = 1; size <= 11; size++) {
            struct kernel kernel = random_kernel(&random, size, random_int(&random, 1, 11), size % 3);
            check_kernel(&kernel, grid % 9 + 1, grid / 9 + 1);
            kernel_free(&kernel);
        }
}

/* The mean of a dense kernel and its point reflection, whose spectrum is real. */
static void make_symmetric(struct kernel *kernel)
{
    int count = kernel->width * kernel->height;
    kernel->centre_x = kernel->width / 2;
    kernel->centre_y = kernel->height / 2;
    for (int i = 0; i < count / 2; i++)
        kernel->taps[i] = kernel->taps[count - 1 - i] = 0.5 * (kernel->taps[i] + kernel->taps[count - 1 - i]);
}

/* Grids of several batches and a partial one, and of lengths that are transformed in parts, at once, and by
 * Bluestein's algorithm; kernels of one row or column, as large as the grid, and larger; with a real and with
 * a complex H. */
static void larger_grids(void **state)
{
    (void)state;
    struct random random = { 2 };
    const int sizes[][2] = {
        { 64, 48 }, { 31, 50 }, { 22, 7 }, { 1, 97 }, { 60, 1 }, { 77, 36 }, { 96, 121 }
    };
    const int kernels[][2] = { { 13, 9 }, { 1, 21 }, { 33, 1 }, { 9, 97 }, { 131, 5 } };
    for (int i = 0; i < 7 * 5 * 4; i++) {
        const int *size = sizes[i % 7], *side = kernels[i / 7 % 5];
        bool symmetric = i / 35 == 3;
        struct kernel kernel = random_kernel(&random, side[0], side[1], i / 35 % 3);
        if (symmetric)
            make_symmetric(&kernel);
        assert_true(!symmetric || kernel_is_symmetric(&kernel));
        check_kernel(&kernel, size[0], size[1]);
        kernel_free(&kernel);
    }
}

/* Terms that are large in one direction and small in the other: the rounding error of one must not reach the
 * next. */
static void terms_of_unlike_size(void **state)
{
    (void)state;
    struct random random = { 3 };
    struct kernel kernel = random_kernel(&random, 7, 9, 3);
    for (int i = 0; i < 3 * 7; i++)
        kernel.rows[i] *= i / 7 == 1 ? 1e9 : 1e-9;
    for (int i = 0; i < 3 * 9; i++)
        kernel.columns[i] *= i / 9 == 1 ? 1e-9 : 1e9;
    check_kernel(&kernel, 40, 24);
    kernel_free(&kernel);
}

/* The gain ½ (T[u, v] + T*[−u, −v]) by index, from abbe_filter_gain at the frequencies of the grid. */
static void transfers_are_sampled(void **state)
{
    (void)state;
    const char *texts[] = { "lowpass",
                            "streak:angle=30",
                            "notch:x=1:y=0.5",
                            "emboss,power:exponent=1",
                            "motion:angle=20,streak:angle=70,highpass",
                            "gaussian,bandpass",
                            "sobel:axis=x,bandreject,highpass:shape=gaussian" };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (int size = 1; size <= 12; size++) {
            int width = size, height = 13 - size;
            abbe_filter *filter = NULL;
            assert_int_equal(abbe_filter_parse(texts[t], NULL, &filter), ABBE_OK);
            double *H = sample(&filter->component[0], width, height, false);
            for (int k = 0; k < width * height; k++) {
                double fx = frequency(k % width, width), fy = frequency(k / width, height), gain[2];
                assert_int_equal(abbe_filter_gain(filter, 0, fx, fy, gain), ABBE_OK);
                if (hypot(H[2 * k] - gain[0], H[2 * k + 1] - gain[1]) > 1e-12)
                    fail_msg("\"%s\" on %d x %d at (%g, %g): (%g, %g), not (%g, %g)", texts[t], width, height,
                             fx, fy, H[2 * k], H[2 * k + 1], gain[0], gain[1]);
            }
            check_hermitian(H, width, height);
            free(H);
            abbe_filter_destroy(&filter);
        }
}

/* A transfer function that is neither real nor even. */
static void lopsided(void *user, double fx, double fy, double gain[2])
{
    (void)user;
    gain[0] = 1 + fx + 3 * fy * fy * fx;
    gain[1] = fy - fx * fx + 0.5;
}

static void functions_are_symmetrized_by_index(void **state)
{
    (void)state;
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_filter_from_transfer(lopsided, NULL, &filter), ABBE_OK);
    for (int grid = 0; grid < 64; grid++)
        for (int conjugate = 0; conjugate < 2; conjugate++) {
            int width = grid % 8 + 1, height = grid / 8 + 1;
            double *H = sample(&filter->component[0], width, height, conjugate);
            for (int k = 0; k < width * height; k++) {
                int u = k % width, v = k / width;
                double here[2], opposite[2];
                lopsided(NULL, frequency(u, width), frequency(v, height), here);
                lopsided(NULL, frequency((width - u) % width, width),
                         frequency((height - v) % height, height), opposite);
                double re = (here[0] + opposite[0]) / 2, im = (here[1] - opposite[1]) / 2;
                if (fabs(H[2 * k] - re) > 1e-15 || fabs(H[2 * k + 1] - (conjugate ? -im : im)) > 1e-15)
                    fail_msg("%d x %d at (%d, %d)", width, height, u, v);
            }
            check_hermitian(H, width, height);
            free(H);
        }
    abbe_filter_destroy(&filter);
}

static void symmetric_kernels_have_real_spectra(void **state)
{
    (void)state;
    const char *texts[] = { "gaussian", "disk", "gabor:angle=30", "motion:angle=60,lowpass", "dog,disk" };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        abbe_filter *filter = NULL;
        assert_int_equal(abbe_filter_parse(texts[t], NULL, &filter), ABBE_OK);
        double *H = sample(&filter->component[0], 24, 21, false);
        for (int k = 0; k < 24 * 21; k++)
            assert_true(H[2 * k + 1] == 0);
        free(H);
        abbe_filter_destroy(&filter);
    }
}

static void broken(void *user, double fx, double fy, double gain[2])
{
    (void)user;
    (void)fy;
    gain[0] = fx > 0.2 ? NAN : 1;
    gain[1] = 0;
}

static void gains_that_are_not_finite(void **state)
{
    (void)state;
    abbe_filter *filter = NULL;
    struct sampler *sampler = NULL;
    double batch[SAMPLER_ROW_MAX * 4];
    assert_int_equal(abbe_filter_from_transfer(broken, NULL, &filter), ABBE_OK);
    const int widths[] = { 10, 100 };
    for (int i = 0; i < 2; i++) {
        const struct spectrum_grid grid = { widths[i], 4, false, 1, core_level_best() };
        assert_int_equal(sampler_create(&filter->component[0], &grid, &sampler), ABBE_OK);
        int columns = sampler_columns(sampler);
        for (int u = 0; u <= widths[i] / 2; u += columns) {
            double largest = (double)(u + columns - 1) / widths[i]; /* of the batch; ½ counts as −½ */
            bool fine = largest <= 0.2;
            assert_int_equal(sampler_batch(sampler, u, batch, NULL), fine ? ABBE_OK : ABBE_ERR_NONFINITE);
        }
        sampler_destroy(&sampler);
    }
    sampler_destroy(&sampler);
    sampler_destroy(NULL);
    abbe_filter_destroy(&filter);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_small_grid),
    cmocka_unit_test(larger_grids),
    cmocka_unit_test(terms_of_unlike_size),
    cmocka_unit_test(transfers_are_sampled),
    cmocka_unit_test(functions_are_symmetrized_by_index),
    cmocka_unit_test(symmetric_kernels_have_real_spectra),
    cmocka_unit_test(gains_that_are_not_finite),
};

TEST_MAIN(tests)
