/* Filters from arrays: separable factors, and complex gains in the order of a discrete Fourier transform. */
#include "support/random.h"
#include "support/test.h"

#include <abbe/abbe.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static char somewhere;
static abbe_filter *const untouched = (abbe_filter *)&somewhere;

static void refused(const char *what, int error, int expected, const char *part)
{
    test_refused(what, error, expected, NULL, part);
}

/* ---- Factors ------------------------------------------------------------------------------------------ */

static void check_factors(int width, int height, const int *centre, bool normalize)
{
    double row[9], column[9], sum = 0;
    struct random random = { (uint64_t)(width * 10 + height) };
    for (int i = 0; i < width; i++)
        row[i] = random_signed(&random);
    for (int j = 0; j < height; j++)
        column[j] = random_signed(&random) + 0.5;
    for (int k = 0; k < width * height; k++)
        sum += row[k % width] * column[k / width];
    abbe_filter *filter = NULL;
    abbe_matrix taps;
    const abbe_separable_params params = { .row = row,
                                           .column = column,
                                           .width = width,
                                           .height = height,
                                           .normalize = normalize,
                                           .centre = centre };
    assert_int_equal(abbe_filter_from_separable(&params, &filter), ABBE_OK);
    memset(row, 0, sizeof row); /* they were copied */
    const abbe_filter_info *info = abbe_filter_describe(filter);
    assert_int_equal(info->width, width);
    assert_int_equal(info->height, height);
    assert_int_equal(info->centre_x, centre ? centre[0] : width / 2);
    assert_int_equal(info->centre_y, centre ? centre[1] : height / 2);
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
    random = (struct random){ (uint64_t)(width * 10 + height) };
    for (int i = 0; i < width; i++)
        row[i] = random_signed(&random);
    for (int k = 0; k < width * height; k++) {
        double expected = row[k % width] * column[k / width] / (normalize ? fabs(sum) : 1);
        if (!(fabs(taps.values[k] - expected) <= (normalize ? 1e-13 * fabs(expected) : 0)))
            fail_msg("%d x %d, tap %d: %.17g, not %.17g", width, height, k, taps.values[k], expected);
    }
    abbe_matrix_free(&taps);
    abbe_filter_destroy(&filter);
}

static void taps_are_products(void **state)
{
    (void)state;
    for (int width = 1; width <= 9; width += 2)
        for (int height = 1; height <= 8; height++)
            for (int normalize = 0; normalize < 2; normalize++) {
                check_factors(width, height, NULL, normalize);
                check_factors(width, height, (const int[]){ 0, height - 1 }, normalize);
            }
}

/* The factors are kept: a kernel too large to be stored densely is one separable pass. */
static void factors_are_kept(void **state)
{
    (void)state;
    enum { SIDE = 20001 };
    static double line[SIDE];
    for (int i = 0; i < SIDE; i++)
        line[i] = 1 + i % 7;
    abbe_filter *filter = NULL;
    abbe_device *device = NULL;
    abbe_plan *plan = NULL;
    abbe_matrix taps;
    const abbe_separable_params params = {
        .row = line, .column = line, .width = SIDE, .height = SIDE, .normalize = true
    };
    assert_int_equal(abbe_filter_from_separable(&params, &filter), ABBE_OK);
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_ERR_SIZE);
    assert_int_equal(abbe_device_open("cpu", NULL, &device), ABBE_OK);
    const abbe_plan_params about = {
        .width = 64,
        .height = 64,
        .channels = 1,
        .source_type = ABBE_F32,
        .filters = (const abbe_filter *const[]){ filter },
        .filter_count = 1,
        .method = ABBE_METHOD_SEPARABLE,
    };
    assert_int_equal(abbe_plan_create(device, &about, &plan), ABBE_OK);
    assert_int_equal(abbe_plan_choice(plan)->passes, 1);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
    abbe_filter_destroy(&filter);
}

static void unsound_factors(void **state)
{
    (void)state;
    double good[3] = { 1, 2, 1 }, zero[3] = { 1, -2, 1 }, large[2] = { 1e30, 1e30 };
    const double wild[] = { NAN, INFINITY, -1e39 };
    const int centres[][2] = { { -1, 0 }, { 3, 0 }, { 0, -1 }, { 0, 3 }, { INT_MIN, INT_MAX } };
    const abbe_separable_params sound = { .row = good, .column = good, .width = 3, .height = 3 };
    abbe_separable_params params = sound;
    abbe_filter *filter = untouched;
#define REFUSED(code, part) refused(part, abbe_filter_from_separable(&params, &filter), code, part)
    refused("no params", abbe_filter_from_separable(NULL, &filter), ABBE_ERR_INVALID, "params is NULL");
    refused("no output", abbe_filter_from_separable(&sound, NULL), ABBE_ERR_INVALID, "filter is NULL");
    params.row = NULL;
    REFUSED(ABBE_ERR_INVALID, "row is NULL");
    params = sound, params.column = NULL;
    REFUSED(ABBE_ERR_INVALID, "column is NULL");
    params = sound, params.width = 0;
    REFUSED(ABBE_ERR_INVALID, "width is 0");
    params = sound, params.height = -7;
    REFUSED(ABBE_ERR_INVALID, "height is -7");
    params = sound, params.width = INT_MAX;
    REFUSED(ABBE_ERR_SIZE, "width is 2147483647");
    params = sound, params.height = ABBE_KERNEL_SIDE_MAX + 1;
    REFUSED(ABBE_ERR_SIZE, "height is 131073");
    params = sound, params.size = 8;
    REFUSED(ABBE_ERR_INVALID, "params");
    for (int i = 0; i < 5; i++) {
        params = sound, params.centre = centres[i];
        REFUSED(ABBE_ERR_INVALID, "centre");
    }
    params = sound, params.column = zero, params.normalize = true;
    REFUSED(ABBE_ERR_RANGE, "nearly zero");
    params = (abbe_separable_params){ .row = large, .column = large, .width = 2, .height = 2 };
    REFUSED(ABBE_ERR_RANGE, "range of a float");
    for (int i = 0; i < 3; i++) {
        good[1] = wild[i];
        params = sound;
        REFUSED(ABBE_ERR_NONFINITE, "row[1]");
    }
#undef REFUSED
    assert_ptr_equal(filter, untouched);
}

/* ---- Gains -------------------------------------------------------------------------------------------- */

enum { GAINS_MAX = 12 * 12 };

/* ½ (G(u, v) + G*(−u, −v)), on a periodic grid. */
static void hermitian_part(const double *gains, int width, int height, int u, int v, double part[2])
{
    u = (u % width + width) % width;
    v = (v % height + height) % height;
    int here = v * width + u, there = (height - v) % height * width + (width - u) % width;
    part[0] = 0.5 * (gains[2 * here] + gains[2 * there]);
    part[1] = 0.5 * (gains[2 * here + 1] - gains[2 * there + 1]);
}

/* Bilinear interpolation of the Hermitian part at a frequency in cycles per pixel. */
static void interpolated(const double *gains, int width, int height, double fx, double fy, double gain[2])
{
    double x = fx * width, y = fy * height;
    int u = (int)floor(x), v = (int)floor(y);
    gain[0] = gain[1] = 0;
    for (int k = 0; k < 4; k++) {
        double part[2], weight = (k & 1 ? x - u : u + 1 - x) * (k & 2 ? y - v : v + 1 - y);
        hermitian_part(gains, width, height, u + (k & 1), v + k / 2, part);
        gain[0] += weight * part[0];
        gain[1] += weight * part[1];
    }
}

static void check_gains(int width, int height)
{
    double gains[2 * GAINS_MAX] = { 0 }, got[2], expected[2];
    struct random random = { (uint64_t)(width * 100 + height) };
    for (int i = 0; i < 2 * width * height; i++)
        gains[i] = random_signed(&random);
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_filter_from_gains(width, height, gains, &filter), ABBE_OK);
    assert_true(abbe_filter_describe(filter)->in_frequency);
    /* Exactly the gains at the frequencies of numpy.fft.fftfreq. */
    for (int k = 0; k < width * height; k++) {
        int u = k % width, v = k / width;
        double fx = (u < (width + 1) / 2 ? u : u - width) / (double)width;
        double fy = (v < (height + 1) / 2 ? v : v - height) / (double)height;
        hermitian_part(gains, width, height, u, v, expected);
        assert_int_equal(abbe_filter_gain(filter, 0, fx, fy, got), ABBE_OK);
        if (got[0] != expected[0] || got[1] != expected[1])
            fail_msg("%d x %d at (%d, %d): %.17g, %.17g; not %.17g, %.17g", width, height, u, v, got[0],
                     got[1], expected[0], expected[1]);
    }
    for (int i = 0; i < 200; i++) {
        double fx = random_unit(&random) - 0.5, fy = random_unit(&random) - 0.5;
        interpolated(gains, width, height, fx, fy, expected);
        assert_int_equal(abbe_filter_gain(filter, 0, fx, fy, got), ABBE_OK);
        if (!(fabs(got[0] - expected[0]) < 1e-8 && fabs(got[1] - expected[1]) < 1e-8))
            fail_msg("%d x %d at (%g, %g): %g, %g; not %g, %g", width, height, fx, fy, got[0], got[1],
                     expected[0], expected[1]);
    }
    abbe_filter_destroy(&filter);
}

static void gains_are_exact_or_interpolated(void **state)
{
    (void)state;
    const int sizes[][2] = {
        { 1, 1 }, { 2, 1 }, { 1, 5 }, { 4, 4 }, { 5, 7 }, { 8, 3 }, { 12, 11 }, { 9, 12 }
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_gains(sizes[i][0], sizes[i][1]);
}

static void unsound_gains(void **state)
{
    (void)state;
    double gains[2 * 6] = { 0 };
    const double wild[] = { NAN, -INFINITY, 1e39, -DBL_MAX };
    abbe_filter *filter = untouched;
    refused("no gains", abbe_filter_from_gains(3, 2, NULL, &filter), ABBE_ERR_INVALID, "gains is NULL");
    refused("no output", abbe_filter_from_gains(3, 2, gains, NULL), ABBE_ERR_INVALID, "filter is NULL");
    refused("width", abbe_filter_from_gains(0, 2, gains, &filter), ABBE_ERR_INVALID, "0 × 2");
    refused("height", abbe_filter_from_gains(3, INT_MIN, gains, &filter), ABBE_ERR_INVALID, "-2147483648");
    refused("wide", abbe_filter_from_gains(INT_MAX, 1, gains, &filter), ABBE_ERR_SIZE, "2147483647");
    refused("large", abbe_filter_from_gains(ABBE_KERNEL_SIDE_MAX, 1024, gains, &filter), ABBE_ERR_SIZE,
            "131072 × 1024");
    for (int i = 0; i < 8; i++) {
        gains[2 * 4 + i % 2] = wild[i / 2];
        refused("wild", abbe_filter_from_gains(3, 2, gains, &filter), ABBE_ERR_NONFINITE, "column 1, row 1");
        gains[2 * 4 + i % 2] = 0;
    }
    assert_ptr_equal(filter, untouched);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(taps_are_products), cmocka_unit_test(factors_are_kept),
    cmocka_unit_test(unsound_factors),   cmocka_unit_test(gains_are_exact_or_interpolated),
    cmocka_unit_test(unsound_gains),
};

TEST_MAIN(tests)
