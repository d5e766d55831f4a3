/* The catalogue against formulas written here again: taps of every filter in space, gains of every filter in
 * frequency, units, angles and defaults. */
#include "support/test.h"

#include <abbe/abbe.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static abbe_filter *parse(const char *text)
{
    abbe_filter *filter = NULL;
    if (abbe_filter_parse(text, NULL, &filter))
        fail_msg("\"%s\": %s", text, abbe_error_text(NULL));
    return filter;
}

static abbe_matrix taps_of(const char *text, int component)
{
    abbe_filter *filter = parse(text);
    abbe_matrix taps;
    if (abbe_filter_taps(filter, component, &taps))
        fail_msg("\"%s\": %s", text, abbe_error_text(NULL));
    abbe_filter_destroy(&filter);
    return taps;
}

static double gain_of(const char *text, double fx, double fy)
{
    abbe_filter *filter = parse(text);
    double gain[2];
    assert_int_equal(abbe_filter_gain(filter, 0, fx, fy, gain), ABBE_OK);
    if (fabs(gain[1]) > 1e-12)
        fail_msg("\"%s\" at (%g, %g): imaginary part %g", text, fx, fy, gain[1]);
    abbe_filter_destroy(&filter);
    return gain[0];
}

/* Checks that the taps of `text` are `expected`, height rows of width, within a tolerance. */
static void check_taps(const char *text, int component, int width, int height, const double *expected,
                       double tolerance)
{
    abbe_matrix taps = taps_of(text, component);
    if (taps.width != width || taps.height != height)
        fail_msg("\"%s\": %d x %d, not %d x %d", text, taps.width, taps.height, width, height);
    for (int i = 0; i < width * height; i++)
        if (!(fabs(taps.values[i] - expected[i]) <= tolerance))
            fail_msg("\"%s\": tap (%d, %d) is %.17g, not %.17g", text, i % width, i / width, taps.values[i],
                     expected[i]);
    abbe_matrix_free(&taps);
}

static void check_gain(const char *text, double fx, double fy, double expected)
{
    double gain = gain_of(text, fx, fy);
    if (!(fabs(gain - expected) <= 1e-12))
        fail_msg("\"%s\" at (%g, %g): %.17g, not %.17g", text, fx, fy, gain, expected);
}

static void small_kernels_are_the_classical_ones(void **state)
{
    (void)state;
    check_taps("identity", 0, 1, 1, (double[]){ 1 }, 0);
    check_taps("sharpen", 0, 3, 3, (double[]){ 0, -1, 0, -1, 5, -1, 0, -1, 0 }, 0);
    check_taps("sharpen:amount=0.5", 0, 3, 3, (double[]){ 0, -.5, 0, -.5, 3, -.5, 0, -.5, 0 }, 0);
    check_taps("laplacian", 0, 3, 3, (double[]){ 0, 1, 0, 1, -4, 1, 0, 1, 0 }, 0);
    check_taps("laplacian:connect=8", 0, 3, 3, (double[]){ 1, 1, 1, 1, -8, 1, 1, 1, 1 }, 0);
    check_taps("sobel", 0, 3, 3, (double[]){ 1, 0, -1, 2, 0, -2, 1, 0, -1 }, 0);
    check_taps("sobel", 1, 3, 3, (double[]){ 1, 2, 1, 0, 0, 0, -1, -2, -1 }, 0);
    check_taps("sobel:axis=x", 0, 3, 3, (double[]){ 1, 0, -1, 2, 0, -2, 1, 0, -1 }, 0);
    check_taps("prewitt:axis=y", 0, 3, 3, (double[]){ 1, 1, 1, 0, 0, 0, -1, -1, -1 }, 0);
    check_taps("scharr:axis=x", 0, 3, 3, (double[]){ 3, 0, -3, 10, 0, -10, 3, 0, -3 }, 0);
    /* The correlation weights [-2 -1 0; -1 1 1; 0 1 2], reversed. */
    check_taps("emboss", 0, 3, 3, (double[]){ 2, 1, 0, 1, 1, -1, 0, -1, -2 }, 0);
    check_taps("emboss:angle=45", 0, 3, 3, (double[]){ 0, 1, 2, -1, 1, 1, -2, -1, 0 }, 0);
}

/* Convolution of a ramp rising to the right, and of one rising downwards, at one pixel. */
static void gradients_are_positive_where_brightness_rises(void **state)
{
    (void)state;
    const char *names[] = { "sobel", "prewitt", "scharr" };
    const double weights[] = { 8, 6, 32 };
    for (int n = 0; n < 3; n++)
        for (int component = 0; component < 2; component++) {
            abbe_matrix taps = taps_of(names[n], component);
            double right = 0, down = 0;
            for (int i = 0; i < 9; i++) {
                right += taps.values[i] * -(i % 3 - 1);
                down += taps.values[i] * -(i / 3 - 1);
            }
            assert_true(right == (component == 0 ? weights[n] : 0));
            assert_true(down == (component == 1 ? weights[n] : 0));
            abbe_matrix_free(&taps);
        }
}

static void boxes_are_means(void **state)
{
    (void)state;
    for (int radius = 0; radius <= 6; radius++) {
        char text[32];
        int side = 2 * radius + 1;
        double expected[13 * 13];
        for (int i = 0; i < side * side; i++)
            expected[i] = 1.0 / (side * side);
        snprintf(text, sizeof text, "box:radius=%d", radius);
        check_taps(text, 0, side, side, expected, 1e-16);
    }
}

/* out(x) is the mean of in(x − width/2) … in(x + (width − 1)/2), as of SciPy's uniform_filter. */
static void boxes_have_any_width_and_height(void **state)
{
    (void)state;
    const int sides[][2] = { { 1, 1 }, { 4, 1 }, { 1, 6 }, { 3, 8 }, { 2, 2 } };
    for (int i = 0; i < 5; i++) {
        char text[64];
        int width = sides[i][0], height = sides[i][1];
        double expected[24];
        for (int k = 0; k < width * height; k++)
            expected[k] = 1.0 / (width * height);
        snprintf(text, sizeof text, "box:width=%d:height=%d", width, height);
        check_taps(text, 0, width, height, expected, 1e-16);
        abbe_filter *filter = parse(text);
        int left, right, up, down;
        assert_int_equal(abbe_filter_reach(filter, 0, &left, &right, &up, &down), ABBE_OK);
        assert_int_equal(left, width / 2);
        assert_int_equal(right, (width - 1) / 2);
        assert_int_equal(up, height / 2);
        assert_int_equal(down, (height - 1) / 2);
        abbe_filter_destroy(&filter);
    }
}

/* exp(−x²/2σ²) / Σ on −radius … radius. */
static double gaussian(int x, int radius, double sigma)
{
    double sum = 0;
    for (int k = -radius; k <= radius; k++)
        sum += exp(-k * k / (2 * sigma * sigma));
    return abs(x) <= radius ? exp(-x * x / (2 * sigma * sigma)) / sum : 0;
}

static void gaussians_follow_scipy(void **state)
{
    (void)state;
    const struct {
        double sigma, truncate;
        int radius;
    } cases[] = {
        { 2, 4, 8 }, { 0.5, 4, 2 }, { 1.3, 3, 4 }, { 0.01, 4, 0 }, { 3.7, 2.5, 9 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[64];
        int radius = cases[c].radius, side = 2 * radius + 1;
        double expected[19 * 19];
        for (int i = 0; i < side * side; i++)
            expected[i] = gaussian(i % side - radius, radius, cases[c].sigma) *
                          gaussian(i / side - radius, radius, cases[c].sigma);
        snprintf(text, sizeof text, "gaussian:sigma=%g:truncate=%g", cases[c].sigma, cases[c].truncate);
        check_taps(text, 0, side, side, expected, 1e-15);
    }
}

static void gaussians_differ_along_the_axes(void **state)
{
    (void)state;
    double expected[17 * 5], line[13];
    for (int i = 0; i < 17 * 5; i++)
        expected[i] = gaussian(i % 17 - 8, 8, 2) * gaussian(i / 17 - 2, 2, 0.5);
    check_taps("gaussian:sigma_y=0.5", 0, 17, 5, expected, 1e-15);
    for (int i = 0; i < 13; i++)
        line[i] = gaussian(i - 6, 6, 1.5);
    check_taps("gaussian:sigma_x=1.5:sigma_y=0", 0, 13, 1, line, 1e-15);
    check_taps("gaussian:sigma=1.5:sigma_x=0", 0, 1, 13, line, 1e-15);
}

/* The n-th derivative of exp(−x²/2σ²) over its own value, by Hermite's polynomials. */
static double hermite(int order, double x, double sigma)
{
    double t = x / sigma;
    const double values[] = { 1, -t, t * t - 1, 3 * t - t * t * t };
    return values[order] / pow(sigma, order);
}

/* SciPy's gaussian_filter(order=…) convolves with the same taps, except that the sum of the second derivative
 * is 0 here: the multiple of g that the truncation leaves is subtracted. */
static double derived_gaussian(int order, int x, int radius, double sigma)
{
    double rest = 0;
    for (int k = -radius; order == 2 && k <= radius; k++)
        rest += hermite(order, k, sigma) * gaussian(k, radius, sigma);
    return (hermite(order, x, sigma) - rest) * gaussian(x, radius, sigma);
}

static void derivatives_of_gaussians(void **state)
{
    (void)state;
    const double sigmas[] = { 0.4, 1.3, 2 };
    for (int c = 0; c < 3 * 16; c++) {
        double sigma = sigmas[c / 16], expected[17 * 17];
        int order_x = c % 4, order_y = c / 4 % 4, radius = (int)(4 * sigma + 0.5), side = 2 * radius + 1;
        for (int i = 0; i < side * side; i++)
            expected[i] = derived_gaussian(order_x, i % side - radius, radius, sigma) *
                          derived_gaussian(order_y, i / side - radius, radius, sigma);
        char text[80];
        snprintf(text, sizeof text, "derivative:sigma=%g:order_x=%d:order_y=%d", sigma, order_x, order_y);
        check_taps(text, 0, side, side, expected, 1e-13);
    }
}

/* Each derivative of x^n / n!, whose value is 1 for the order n, in the middle of a picture of that form. */
static void derivatives_have_the_sign_of_calculus(void **state)
{
    (void)state;
    const double factorial[] = { 1, 1, 2, 6 };
    for (int order = 1; order <= 3; order++)
        for (int down = 0; down < 2; down++) {
            char text[80];
            snprintf(text, sizeof text, "derivative:truncate=7:order_x=%d:order_y=%d", down ? 0 : order,
                     down ? order : 0);
            abbe_matrix taps = taps_of(text, 0);
            double sum = 0;
            for (int i = 0; i < taps.width * taps.height; i++) {
                int x = i % taps.width - taps.width / 2, y = i / taps.width - taps.height / 2;
                sum += taps.values[i] * pow(down ? -y : -x, order) / factorial[order];
            }
            if (fabs(sum - 1) > 1e-8)
                fail_msg("%s: %.17g, not 1", text, sum);
            abbe_matrix_free(&taps);
        }
}

static void separable_taps_are_products(void **state)
{
    (void)state;
    check_taps("separable", 0, 1, 1, (double[]){ 1 }, 0);
    check_taps("separable:x=1/2/1:y=1/0/-1", 0, 3, 3, (double[]){ 1, 2, 1, 0, 0, 0, -1, -2, -1 }, 0);
    check_taps("separable:x=1/2/1:y=1/3", 0, 3, 2,
               (double[]){ 1 / 16., 2 / 16., 1 / 16., 3 / 16., 6 / 16., 3 / 16. }, 1e-16);
    check_taps("separable:x=1/2/1:y=1/3:normalize=0", 0, 3, 2, (double[]){ 1, 2, 1, 3, 6, 3 }, 0);
    check_taps("separable:x=.5/-2e1/+7.25", 0, 3, 1, (double[]){ .5 / 12.25, -20 / 12.25, 7.25 / 12.25 },
               1e-15);
}

static void unsharp_and_dog_are_differences(void **state)
{
    (void)state;
    double unsharp[17 * 17], dog[27 * 27];
    for (int i = 0; i < 17 * 17; i++) {
        int x = i % 17 - 8, y = i / 17 - 8;
        unsharp[i] = (x == 0 && y == 0 ? 1.7 : 0) - 0.7 * gaussian(x, 8, 2) * gaussian(y, 8, 2);
    }
    check_taps("unsharp:amount=0.7", 0, 17, 17, unsharp, 1e-15);
    for (int i = 0; i < 27 * 27; i++) {
        int x = i % 27 - 13, y = i / 27 - 13;
        dog[i] = gaussian(x, 8, 2) * gaussian(y, 8, 2) - gaussian(x, 13, 3.2) * gaussian(y, 13, 3.2);
    }
    check_taps("dog", 0, 27, 27, dog, 1e-15);
}

static void log_is_the_laplacian_of_a_gaussian(void **state)
{
    (void)state;
    abbe_matrix taps = taps_of("log:sigma=3", 0);
    double sum = 0, largest = 0;
    assert_int_equal(taps.width, 25);
    for (int i = 0; i < 625; i++) {
        int x = i % 25 - 12, y = i / 25 - 12;
        double r2 = x * x + y * y;
        double expected = (r2 / 81 - 2.0 / 9) * exp(-r2 / 18) / (2 * M_PI * 9);
        largest = fmax(largest, fabs(taps.values[i] - expected));
        sum += taps.values[i];
    }
    assert_true(fabs(sum) < 1e-15);
    assert_true(largest < 2e-6); /* the energy lost by truncation at 4σ is spread over the taps */
    abbe_matrix_free(&taps);
}

/* The part of a pixel that a figure covers, by 200 × 200 samples. */
static double covered(int i, int j, double a, double b, bool (*inside)(double, double, double, double))
{
    int hits = 0;
    for (int k = 0; k < 200 * 200; k++)
        hits += inside(i - 0.5 + (k % 200 + 0.5) / 200, j - 0.5 + (k / 200 + 0.5) / 200, a, b);
    return hits / 40000.0;
}

static bool in_disc(double x, double y, double radius, double unused)
{
    (void)unused;
    return x * x + y * y <= radius * radius;
}

/* Angles turn counter-clockwise on the screen: the direction of angle a is (cos a, −sin a) with y
 * downwards. */
static bool in_motion(double x, double y, double length, double angle)
{
    double c = cos(angle * M_PI / 180), s = -sin(angle * M_PI / 180);
    return fabs(x * c + y * s) <= length / 2 && fabs(y * c - x * s) <= 0.5;
}

static void check_areas(const char *text, double a, double b, double area,
                        bool (*inside)(double, double, double, double))
{
    abbe_matrix taps = taps_of(text, 0);
    double sum = 0;
    for (int k = 0; k < taps.width * taps.height; k++) {
        int i = k % taps.width - taps.width / 2, j = k / taps.width - taps.height / 2;
        double expected = covered(i, j, a, b, inside) / area;
        if (fabs(taps.values[k] - expected) > 2e-3 / area)
            fail_msg("\"%s\": tap (%d, %d) is %g, not about %g", text, i, j, taps.values[k], expected);
        assert_true(taps.values[k] == taps.values[taps.width * taps.height - 1 - k]);
        sum += taps.values[k];
    }
    assert_true(fabs(sum - 1) < 1e-14);
    abbe_matrix_free(&taps);
}

static void disks_are_areas(void **state)
{
    (void)state;
    const double radii[] = { 0.3, 0.5, 0.7, 1, 1.5, 2.2, 5 };
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++) {
        char text[32];
        snprintf(text, sizeof text, "disk:radius=%g", radii[i]);
        check_areas(text, radii[i], 0, M_PI * radii[i] * radii[i], in_disc);
    }
    abbe_matrix taps = taps_of("disk", 0);
    assert_int_equal(taps.width, 11);
    /* A pixel that is covered completely, over the exact area. */
    assert_true(fabs(taps.values[60] - 1 / (25 * M_PI)) < 1e-15);
    for (int k = 0; k < 121; k++)
        assert_true(taps.values[k] == taps.values[k % 11 * 11 + k / 11]);
    abbe_matrix_free(&taps);
    taps = taps_of("disk:radius=300", 0);
    assert_true(fabs(taps.values[300 * 601 + 300] * M_PI * 90000 - 1) < 1e-9);
    abbe_matrix_free(&taps);
}

static void motions_are_areas(void **state)
{
    (void)state;
    double equal[15];
    for (int i = 0; i < 15; i++)
        equal[i] = 1.0 / 15;
    check_taps("motion", 0, 15, 1, equal, 1e-16);
    check_taps("motion:angle=90", 0, 1, 15, equal, 1e-16);
    check_taps("motion:angle=-180", 0, 15, 1, equal, 1e-16);
    const struct {
        double length, angle;
    } cases[] = {
        { 5, 30 }, { 4.5, 45 }, { 6, 135 }, { 1, 20 }, { 7.3, -75 }, { 4, 0 }, { 3, 100 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        snprintf(text, sizeof text, "motion:length=%g:angle=%g", cases[i].length, cases[i].angle);
        check_areas(text, cases[i].length, cases[i].angle, cases[i].length, in_motion);
    }
    /* 45 degrees rises to the right on the screen: up is a smaller row. */
    abbe_matrix taps = taps_of("motion:angle=45", 0);
    assert_true(taps.values[2 * taps.width + taps.width - 3] > 0.01);
    assert_true(taps.values[2 * taps.width + 2] == 0);
    abbe_matrix_free(&taps);
}

static void gabors_are_waves_of_zero_mean_and_unit_gain(void **state)
{
    (void)state;
    const double angles[] = { 0, 30, 45, 90, 135, 200 };
    for (size_t a = 0; a < sizeof angles / sizeof *angles; a++) {
        char text[64];
        double c = cos(angles[a] * M_PI / 180), s = -sin(angles[a] * M_PI / 180);
        snprintf(text, sizeof text, "gabor:period=6:angle=%g:sigma=2.5", angles[a]);
        double expected[21 * 21], mean = 0, weight = 0, gain = 0;
        for (int pass = 0; pass < 3; pass++)
            for (int i = 0; i < 441; i++) {
                int x = i % 21 - 10, y = i / 21 - 10;
                double g = exp(-(x * x + y * y) / 12.5), wave = cos(2 * M_PI * (c * x + s * y) / 6);
                mean += pass == 0 ? g * wave : 0;
                weight += pass == 0 ? g : 0;
                gain += pass == 1 ? g * (wave - mean / weight) * wave : 0;
                expected[i] = g * (wave - mean / weight) / gain;
            }
        check_taps(text, 0, 21, 21, expected, 1e-14);
        check_gain(text, 0, 0, 0);
        check_gain(text, c / 6, s / 6, 1);
    }
}

/* Every shape is one half at its cut-off, in every direction. */
static void half_amplitude_at_the_cutoff(void **state)
{
    (void)state;
    const char *shapes[] = { "butterworth:order=1", "butterworth:order=5.5", "gaussian" };
    for (int i = 0; i < 3; i++)
        for (int angle = 0; angle < 360; angle += 15) {
            char text[64];
            double x = 0.1 * cos(angle * M_PI / 180), y = 0.1 * sin(angle * M_PI / 180);
            snprintf(text, sizeof text, "lowpass:cutoff=0.2:shape=%s", shapes[i]);
            check_gain(text, x, y, 0.5);
            snprintf(text, sizeof text, "highpass:cutoff=0.2:shape=%s", shapes[i]);
            check_gain(text, x, y, 0.5);
        }
    check_gain("lowpass:cutoff=0.2:shape=ideal", 0.1, 0, 1);
    check_gain("lowpass:cutoff=0.2:shape=ideal", 0.1000001, 0, 0);
    check_gain("highpass:cutoff=0.2:shape=ideal", 0.1, 0, 0);
    check_gain("highpass:cutoff=0.2:shape=ideal", 0, -0.11, 1);
}

static double butterworth(double f, double cutoff, double order)
{
    return 1 / (1 + pow(f / cutoff, 2 * order));
}

static void radial_filters_follow_their_formulas(void **state)
{
    (void)state;
    for (int i = -10; i <= 9; i++)
        for (int j = -10; j <= 9; j++) {
            double x = i / 20.0, y = j / 20.0, f = hypot(x, y);
            double low = butterworth(f, 0.05, 2), high = butterworth(f, 0.15, 2);
            check_gain("lowpass", x, y, butterworth(f, 0.125, 2));
            check_gain("highpass:order=3", x, y, 1 - butterworth(f, 0.125, 3));
            check_gain("bandpass", x, y, high * (1 - low));
            check_gain("bandreject", x, y, 1 - high * (1 - low));
            check_gain("bandpass:shape=gaussian:low=0.4:high=1", x, y,
                       exp2(-f * f / 0.25) * (1 - exp2(-f * f / 0.04)));
            check_gain("bandpass:shape=ideal:low=0.33:high=0.77", x, y, f > 0.165 && f <= 0.385);
            check_gain("power", x, y, f > 0 ? 0.5 / f : 1);
            check_gain("power:exponent=2", x, y, f > 0 ? 4 * f * f : 1);
        }
}

static void notches_take_a_pair_away(void **state)
{
    (void)state;
    const char *text = "notch:x=0.5:y=-0.25";
    check_gain(text, 0.25, -0.125, 0);
    check_gain(text, -0.25, 0.125, 0);
    check_gain(text, 0.25 + 0.01, -0.125, 0.5);
    check_gain(text, 0.25, -0.125 - 0.01, 0.5);
    check_gain(text, 0.25, 0.125, 1);
    check_gain(text, 0, 0, 1);
    check_gain("notch:x=0.5:y=0:radius=0.1:shape=butterworth:order=1", 0.25, 0.1,
               (1 - butterworth(0.1, 0.05, 1)) * (1 - butterworth(hypot(0.5, 0.1), 0.05, 1)));
    check_gain("notch:x=0.5:y=0:shape=ideal:radius=0.1", 0.29, 0, 0);
    check_gain("notch:x=0.5:y=0:shape=ideal:radius=0.1", 0.31, 0, 1);
    /* At Nyquist both centres coincide. */
    for (int side = -1; side <= 1; side += 2)
        check_gain("notch:x=1:y=0:radius=0.2:shape=ideal", side * 0.45, 0, 0);
    check_gain("notch:x=1:y=0", 0.49, 0, 0.25);
    check_gain("notch:x=1:y=0", -0.49, 0, 0.25);
}

static void streaks_keep_the_perpendicular(void **state)
{
    (void)state;
    for (int angle = -90; angle <= 270; angle += 15) {
        char text[32];
        snprintf(text, sizeof text, "streak:angle=%d", angle);
        /* Along the streaks on the screen, y up; frequencies have y down. */
        double tx = cos(angle * M_PI / 180), ty = -sin(angle * M_PI / 180);
        check_gain(text, -0.3 * ty, 0.3 * tx, 1);
        check_gain(text, 0.3 * ty, -0.3 * tx, 1);
        check_gain(text, 0.2 * tx, 0.2 * ty, exp2(-81));
        check_gain(text, 0, 0, 1);
        double off = 10 * M_PI / 180; /* half the width away from the perpendicular: one half */
        check_gain(text, 0.2 * (-ty * cos(off) + tx * sin(off)), 0.2 * (tx * cos(off) + ty * sin(off)), 0.5);
        check_gain(text, 0.2 * (-ty * cos(off) - tx * sin(off)), 0.2 * (tx * cos(off) - ty * sin(off)), 0.5);
    }
    check_gain("streak:width=60", 0.1, 0.1, exp2(-2.25));
}

static void units_of_frequency(void **state)
{
    (void)state;
    const char *same[] = { "lowpass:cutoff=0.125", "lowpass:cutoff=0.0625cpp", "lowpass:cutoff=16px" };
    for (int i = 0; i < 3; i++) {
        check_gain(same[i], 0.0625, 0, 0.5);
        check_gain(same[i], 0, 0.3, butterworth(0.3, 0.0625, 2));
    }
    check_gain("notch:x=8px:y=-0.2cpp:radius=0.01cpp", 0.125, -0.2, 0);
    check_gain("bandpass:low=20px:high=5px:shape=ideal", 0.1, 0, 1);
    check_gain("bandpass:low=20px:high=5px:shape=ideal", 0.21, 0, 0);
}

/* Compares the taps, or the gains, of two filters. */
static void check_same(const char *a, const char *b)
{
    abbe_filter *first = parse(a), *second = parse(b);
    for (int i = -7; i <= 7; i++) {
        double one[2], other[2], fx = i / 15.0, fy = (i * i % 11) / 23.0;
        assert_int_equal(abbe_filter_gain(first, 0, fx, fy, one), ABBE_OK);
        assert_int_equal(abbe_filter_gain(second, 0, fx, fy, other), ABBE_OK);
        if (one[0] != other[0] || one[1] != other[1])
            fail_msg("\"%s\" and \"%s\" differ at (%g, %g)", a, b, fx, fy);
    }
    abbe_filter_destroy(&second);
    abbe_filter_destroy(&first);
}

/* A filter written with the defaults that the catalogue lists equals the filter without keys. */
static void defaults_are_what_the_catalogue_says(void **state)
{
    (void)state;
    size_t count = 0;
    const abbe_filter_entry *const *entries = abbe_filter_catalogue(&count);
    assert_int_equal(count, 26);
    for (size_t i = 0; i < count; i++) {
        const abbe_filter_entry *entry = entries[i];
        char text[256], shorter[256];
        bool needs_file = false;
        int used = snprintf(text, sizeof text, "%s", entry->name);
        int short_used = snprintf(shorter, sizeof shorter, "%s", entry->name);
        for (size_t k = 0; k < entry->key_count; k++) {
            const abbe_filter_key *key = entry->keys[k];
            bool required = !key->default_text && !key->follows;
            needs_file |= key->type == ABBE_KEY_FILE;
            if (required)
                short_used += snprintf(shorter + short_used, sizeof shorter - (size_t)short_used, ":%s=0.3",
                                       key->name);
            if (!key->follows)
                used += snprintf(text + used, sizeof text - (size_t)used, ":%s=%s", key->name,
                                 required ? "0.3" : key->default_text);
        }
        if (!needs_file)
            check_same(text, shorter);
    }
    assert_non_null(abbe_filter_catalogue(NULL));
    check_same("gaussian:sigma=3", "gaussian:sigma_x=3:sigma_y=3");
    check_same("gaussian:sigma=3:sigma_y=1", "gaussian:sigma_x=3:sigma_y=1");
    check_same("box:radius=3", "box:width=7:height=7");
    check_same("box:radius=3:height=2", "box:height=2:width=7");
}

static void huge_blurs_stay_separable(void **state)
{
    (void)state;
    abbe_filter *filter = parse("gaussian:sigma=10000");
    const abbe_filter_info *info = abbe_filter_describe(filter);
    assert_int_equal(info->width, 80001);
    assert_int_equal(info->centre_y, 40000);
    abbe_matrix taps;
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_ERR_SIZE);
    abbe_filter_destroy(&filter);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(small_kernels_are_the_classical_ones),
    cmocka_unit_test(gradients_are_positive_where_brightness_rises),
    cmocka_unit_test(boxes_are_means),
    cmocka_unit_test(boxes_have_any_width_and_height),
    cmocka_unit_test(gaussians_follow_scipy),
    cmocka_unit_test(gaussians_differ_along_the_axes),
    cmocka_unit_test(derivatives_of_gaussians),
    cmocka_unit_test(derivatives_have_the_sign_of_calculus),
    cmocka_unit_test(separable_taps_are_products),
    cmocka_unit_test(unsharp_and_dog_are_differences),
    cmocka_unit_test(log_is_the_laplacian_of_a_gaussian),
    cmocka_unit_test(disks_are_areas),
    cmocka_unit_test(motions_are_areas),
    cmocka_unit_test(gabors_are_waves_of_zero_mean_and_unit_gain),
    cmocka_unit_test(half_amplitude_at_the_cutoff),
    cmocka_unit_test(radial_filters_follow_their_formulas),
    cmocka_unit_test(notches_take_a_pair_away),
    cmocka_unit_test(streaks_keep_the_perpendicular),
    cmocka_unit_test(units_of_frequency),
    cmocka_unit_test(defaults_are_what_the_catalogue_says),
    cmocka_unit_test(huge_blurs_stay_separable),
};

TEST_MAIN(tests)
