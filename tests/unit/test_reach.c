/* abbe_filter_reach against the taps of kernels, and against impulse responses that are computed here from
 * the formulas of the transfer functions by a naive discrete Fourier transform. */
#include "support/test.h"

#include <abbe/abbe.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct box {
    int left, right, up, down;
};

static struct box reach_of(const abbe_filter *filter, double tolerance)
{
    struct box box = { -1, -1, -1, -1 };
    if (abbe_filter_reach(filter, tolerance, &box.left, &box.right, &box.up, &box.down))
        fail_msg("%s", abbe_error_text(NULL));
    return box;
}

static abbe_filter *parse(const char *text)
{
    abbe_filter *filter = NULL;
    if (abbe_filter_parse(text, NULL, &filter))
        fail_msg("\"%s\": %s", text, abbe_error_text(NULL));
    return filter;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void assert_box(const char *what, struct box got, struct box expected)
{
    if (memcmp(&got, &expected, sizeof got))
        fail_msg("%s: left %d, right %d, up %d, down %d; not %d, %d, %d, %d", what, got.left, got.right,
                 got.up, got.down, expected.left, expected.right, expected.up, expected.down);
}

/* ---- Kernels ------------------------------------------------------------------------------------------ */

/* out(x) = Σ tap(i) · in(x − (i − centre)): the tap right of the centre reads the pixel to the left. */
static struct box box_of_taps(const abbe_matrix *taps, int centre_x, int centre_y)
{
    struct box box = { 0 };
    for (int k = 0; k < taps->width * taps->height; k++) {
        int x = k % taps->width - centre_x, y = k / taps->width - centre_y;
        if (taps->values[k] == 0)
            continue;
        box.left = x > box.left ? x : box.left;
        box.right = -x > box.right ? -x : box.right;
        box.up = y > box.up ? y : box.up;
        box.down = -y > box.down ? -y : box.down;
    }
    return box;
}

static void kernels_of_the_catalogue(void **state)
{
    (void)state;
    const char *texts[] = { "identity",
                            "box:radius=7",
                            "gaussian:sigma=3",
                            "disk:radius=4.3",
                            "motion:angle=30",
                            "sharpen",
                            "unsharp",
                            "unsharp:amount=0",
                            "log",
                            "dog",
                            "sobel:axis=x",
                            "emboss",
                            "gabor:angle=20",
                            "box,gaussian,sobel",
                            "motion:angle=-70:length=33,emboss" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        abbe_filter *filter = parse(texts[i]);
        struct box expected = { 0 };
        const abbe_filter_info *info = abbe_filter_describe(filter);
        for (int component = 0; component < info->components; component++) {
            abbe_matrix taps;
            assert_int_equal(abbe_filter_taps(filter, component, &taps), ABBE_OK);
            struct box one = box_of_taps(&taps, info->centre_x, info->centre_y);
            expected.left = larger(expected.left, one.left);
            expected.right = larger(expected.right, one.right);
            expected.up = larger(expected.up, one.up);
            expected.down = larger(expected.down, one.down);
            abbe_matrix_free(&taps);
        }
        assert_box(texts[i], reach_of(filter, 0), expected);
        assert_box(texts[i], reach_of(filter, 0.5), expected);
        abbe_filter_destroy(&filter);
    }
    abbe_filter *sobel = parse("sobel");
    assert_box("sobel", reach_of(sobel, 0), (struct box){ 1, 1, 1, 1 });
    abbe_filter_destroy(&sobel);
}

/* Rows and columns of zeros around the taps do not count, and the centre may lie outside the taps. */
static void kernels_by_hand(void **state)
{
    (void)state;
    double values[7 * 5] = { [1 * 7 + 2] = 1, [3 * 7 + 2] = -2, [2 * 7 + 5] = 3 };
    const abbe_matrix taps = { 7, 5, values };
    const int centres[][2] = { { 3, 2 }, { 0, 0 }, { 6, 4 }, { 2, 3 } };
    for (int i = 0; i < 4; i++) {
        abbe_filter *filter = NULL;
        abbe_kernel_params params = { .taps = &taps, .centre = centres[i] };
        assert_int_equal(abbe_filter_from_kernel(&params, &filter), ABBE_OK);
        assert_box("taps", reach_of(filter, 0), box_of_taps(&taps, centres[i][0], centres[i][1]));
        abbe_filter_destroy(&filter);
    }
    abbe_filter *filter = NULL;
    const abbe_matrix nothing = { 3, 3, (double[9]){ 0 } };
    abbe_kernel_params params = { .taps = &nothing };
    assert_int_equal(abbe_filter_from_kernel(&params, &filter), ABBE_OK);
    assert_box("zeros", reach_of(filter, 0), (struct box){ 0, 0, 0, 0 });
    abbe_filter_destroy(&filter);
}

/* ---- Transfer functions ------------------------------------------------------------------------------- */

enum { N = 256 };

/* The formulas again; frequencies in cycles per pixel. */
static double butterworth(double f, double cutoff)
{
    return 1 / (1 + pow(f / cutoff, 4));
}

static double half_gaussian(double f, double cutoff)
{
    return pow(2, -(f / cutoff) * (f / cutoff));
}

static double complex_gain(const char *name, double fx, double fy, double *imaginary)
{
    double f = hypot(fx, fy);
    *imaginary = 0;
    if (!strcmp(name, "lowpass:shape=gaussian"))
        return half_gaussian(f, 0.125);
    if (!strcmp(name, "lowpass"))
        return butterworth(f, 0.125);
    if (!strcmp(name, "lowpass:cutoff=0.06"))
        return butterworth(f, 0.03);
    if (!strcmp(name, "highpass:cutoff=0.1cpp"))
        return 1 - butterworth(f, 0.1);
    if (!strcmp(name, "bandpass"))
        return butterworth(f, 0.15) * (1 - butterworth(f, 0.05));
    if (!strcmp(name, "bandreject:shape=gaussian"))
        return 1 - half_gaussian(f, 0.15) * (1 - half_gaussian(f, 0.05));
    if (!strcmp(name, "notch:x=0.2:y=-0.1:radius=0.1"))
        return (1 - half_gaussian(hypot(fx - 0.1, fy + 0.05), 0.05)) *
               (1 - half_gaussian(hypot(fx + 0.1, fy - 0.05), 0.05));
    /* A Gaussian that lies 9 pixels to the right of the centre and 4 above it. */
    double phase = 2 * M_PI * (9 * fx - 4 * fy);
    *imaginary = -half_gaussian(f, 0.03) * sin(phase);
    return half_gaussian(f, 0.03) * cos(phase);
}

static void shifted(void *user, double fx, double fy, double gain[2])
{
    (void)user;
    gain[0] = complex_gain("shifted", fx, fy, &gain[1]);
}

/* Transforms lines of N complex samples: line i starts at i · across, its samples are `along` apart. */
static void naive_lines(double *data, size_t across, size_t along)
{
    static double cosine[N], sine[N];
    for (int k = 0; k < N; k++) {
        cosine[k] = cos(2 * M_PI * k / N);
        sine[k] = sin(2 * M_PI * k / N);
    }
    for (size_t i = 0; i < N; i++) {
        double line[2 * N];
        double *at = data + 2 * i * across;
        for (int x = 0; x < N; x++) {
            double re = 0, im = 0;
            for (int u = 0, turn = 0; u < N; u++, turn = (turn + x) % N) {
                const double *F = at + 2 * (size_t)u * along;
                re += F[0] * cosine[turn] - F[1] * sine[turn];
                im += F[0] * sine[turn] + F[1] * cosine[turn];
            }
            line[2 * x] = re;
            line[2 * x + 1] = im;
        }
        for (size_t x = 0; x < N; x++) {
            at[2 * x * along] = line[2 * x];
            at[2 * x * along + 1] = line[2 * x + 1];
        }
    }
}

/* Σ|h| outside the box over Σ|h|. The sample h(x, y) reads the pixel at (−x, −y). */
static double share_outside(const double *h, struct box box)
{
    double outside = 0, total = 0;
    for (int k = 0; k < N * N; k++) {
        int x = k % N <= N / 2 ? k % N : k % N - N, y = k / N <= N / 2 ? k / N : k / N - N;
        double magnitude = hypot(h[2 * k], h[2 * k + 1]);
        total += magnitude;
        if (x > box.left || -x > box.right || y > box.up || -y > box.down)
            outside += magnitude;
    }
    return outside / total;
}

static void check_response(const char *name, const abbe_filter *filter)
{
    double *h = malloc(2 * N * N * sizeof *h);
    assert_non_null(h);
    for (int k = 0; k < N * N; k++) {
        double fx = (k % N < N / 2 ? k % N : k % N - N) / (double)N;
        double fy = (k / N < N / 2 ? k / N : k / N - N) / (double)N;
        h[2 * k] = complex_gain(name, fx, fy, &h[2 * k + 1]);
    }
    naive_lines(h, N, 1);
    naive_lines(h, 1, N);
    for (double tolerance = 0.1; tolerance > 0.9e-4; tolerance /= 10) {
        struct box box = reach_of(filter, tolerance);
        if (box.left > N / 3)
            continue; /* too wide for the grid of this test */
        double share = share_outside(h, box);
        if (!(share <= tolerance))
            fail_msg("%s: %g lie outside left %d, right %d, up %d, down %d; %g may", name, share, box.left,
                     box.right, box.up, box.down, tolerance);
        struct box tight = { box.left * 7 / 10 - 1, box.right * 7 / 10 - 1, box.up * 7 / 10 - 1,
                             box.down * 7 / 10 - 1 };
        share = share_outside(h, tight);
        if (!(share > 0.5 * tolerance))
            fail_msg("%s: left %d, right %d, up %d, down %d is too much; only %g lie outside 0.7 of it", name,
                     box.left, box.right, box.up, box.down, share);
    }
    free(h);
}

static void responses_that_decay(void **state)
{
    (void)state;
    const char *texts[] = { "lowpass:shape=gaussian",       "lowpass",  "lowpass:cutoff=0.06",
                            "highpass:cutoff=0.1cpp",       "bandpass", "bandreject:shape=gaussian",
                            "notch:x=0.2:y=-0.1:radius=0.1" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        abbe_filter *filter = parse(texts[i]);
        check_response(texts[i], filter);
        struct box box = reach_of(filter, 1e-3);
        if (box.left != box.right || box.up != box.down)
            fail_msg("%s is even, but its reach is not", texts[i]);
        abbe_filter_destroy(&filter);
    }
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_filter_from_transfer(shifted, NULL, &filter), ABBE_OK);
    check_response("shifted", filter);
    struct box box = reach_of(filter, 1e-3);
    assert_int_equal(box.left - box.right, 18);
    assert_int_equal(box.down - box.up, 8);
    abbe_filter_destroy(&filter);
}

/* A pure shift by `user` pixels to the right. */
static void shift(void *user, double fx, double fy, double gain[2])
{
    (void)fy;
    gain[0] = cos(2 * M_PI * fx * *(double *)user);
    gain[1] = -sin(2 * M_PI * fx * *(double *)user);
}

static void shifts_are_exact(void **state)
{
    (void)state;
    double pixels = 37;
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_filter_from_transfer(shift, &pixels, &filter), ABBE_OK);
    assert_box("shift", reach_of(filter, 1e-6), (struct box){ 37, 0, 0, 0 });
    pixels = -300;
    assert_box("far shift", reach_of(filter, 1e-6), (struct box){ 0, 300, 0, 0 });
    abbe_filter_destroy(&filter);
}

/* The reach of a kernel is added to that of the transfer functions, for each component. */
static void kernels_and_responses_add(void **state)
{
    (void)state;
    abbe_filter *low = parse("lowpass"), *both = parse("box:radius=9,lowpass,sobel");
    struct box alone = reach_of(low, 1e-3), sum = reach_of(both, 1e-3);
    assert_box("chain", sum,
               (struct box){ alone.left + 10, alone.right + 10, alone.up + 10, alone.down + 10 });
    abbe_filter_destroy(&low);
    abbe_filter_destroy(&both);
}

static void masks_are_measured(void **state)
{
    (void)state;
    abbe_matrix mask;
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_matrix_create(64, 64, &mask), ABBE_OK);
    for (int i = 0; i < 64 * 64; i++)
        mask.values[i] = half_gaussian(hypot(i % 64 - 32, i / 64 - 32) / 64, 0.125);
    assert_int_equal(abbe_filter_from_mask(&mask, &filter), ABBE_OK);
    struct box box = reach_of(filter, 1e-2);
    assert_true(box.left >= 4 && box.left <= 16 && box.left == box.right && box.up == box.down);
    abbe_filter_destroy(&filter);
    for (int i = 0; i < 64 * 64; i++)
        mask.values[i] = 0.5;
    assert_int_equal(abbe_filter_from_mask(&mask, &filter), ABBE_OK);
    assert_box("even mask", reach_of(filter, 1e-6), (struct box){ 0, 0, 0, 0 });
    abbe_filter_destroy(&filter);
    abbe_matrix_free(&mask);
}

/* ---- Refusals ----------------------------------------------------------------------------------------- */

static void responses_that_do_not_decay(void **state)
{
    (void)state;
    const char *texts[] = {
        "lowpass:shape=ideal",
        "bandpass:shape=ideal:low=0.5:high=0.5001",
        "power:exponent=1",
        "streak",
        "lowpass:cutoff=0.0001:shape=gaussian",
        "notch:x=0.2:y=0.3:radius=0.0001",
        "box,streak:width=360,sobel",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        abbe_filter *filter = parse(texts[i]);
        struct box box = { 7, 7, 7, 7 };
        int error = abbe_filter_reach(filter, 0.2, &box.left, &box.right, &box.up, &box.down);
        test_refused(texts[i], error, ABBE_ERR_UNSUPPORTED, NULL, "does not decay to 0.2");
        assert_box(texts[i], box, (struct box){ 7, 7, 7, 7 });
        abbe_filter_destroy(&filter);
    }
    abbe_filter *filter = parse("lowpass");
    struct box box;
    test_refused("tolerance 0", abbe_filter_reach(filter, 0, &box.left, &box.right, &box.up, &box.down),
                 ABBE_ERR_UNSUPPORTED, NULL, "does not decay to 0 ");
    abbe_filter_destroy(&filter);
    filter = parse("lowpass:shape=ideal:cutoff=1.5"); /* every frequency passes */
    assert_box("all pass", reach_of(filter, 1e-3), (struct box){ 0, 0, 0, 0 });
    abbe_filter_destroy(&filter);
}

static void broken(void *user, double fx, double fy, double gain[2])
{
    (void)user;
    gain[0] = fx > 0.4 && fy > 0.4 ? INFINITY : 1;
    gain[1] = 0;
}

static void bad_arguments(void **state)
{
    (void)state;
    abbe_filter *filter = parse("box"), *infinite = NULL;
    int a = 7, b = 7, c = 7, d = 7;
    const double tolerances[] = { -1e-9, 1, 2, NAN, INFINITY, -INFINITY };
    test_refused("no filter", abbe_filter_reach(NULL, 0, &a, &b, &c, &d), ABBE_ERR_INVALID, NULL, "filter");
    test_refused("no left", abbe_filter_reach(filter, 0, NULL, &b, &c, &d), ABBE_ERR_INVALID, NULL, "left");
    test_refused("no right", abbe_filter_reach(filter, 0, &a, NULL, &c, &d), ABBE_ERR_INVALID, NULL, "right");
    test_refused("no up", abbe_filter_reach(filter, 0, &a, &b, NULL, &d), ABBE_ERR_INVALID, NULL, "up");
    test_refused("no down", abbe_filter_reach(filter, 0, &a, &b, &c, NULL), ABBE_ERR_INVALID, NULL, "down");
    for (int i = 0; i < 6; i++)
        test_refused("tolerance", abbe_filter_reach(filter, tolerances[i], &a, &b, &c, &d), ABBE_ERR_INVALID,
                     NULL, "tolerance is");
    assert_int_equal(abbe_filter_from_transfer(broken, NULL, &infinite), ABBE_OK);
    test_refused("infinity", abbe_filter_reach(infinite, 0.1, &a, &b, &c, &d), ABBE_ERR_NONFINITE, NULL,
                 "not finite");
    assert_true(a == 7 && b == 7 && c == 7 && d == 7);
    abbe_filter_destroy(&filter);
    abbe_filter_destroy(&infinite);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(kernels_of_the_catalogue),    cmocka_unit_test(kernels_by_hand),
    cmocka_unit_test(responses_that_decay),        cmocka_unit_test(shifts_are_exact),
    cmocka_unit_test(kernels_and_responses_add),   cmocka_unit_test(masks_are_measured),
    cmocka_unit_test(responses_that_do_not_decay), cmocka_unit_test(bad_arguments),
};

TEST_MAIN(tests)
