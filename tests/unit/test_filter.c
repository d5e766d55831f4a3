/* Filters from taps, masks and functions, chains of filters, and the radius of their responses. */
#include "filter/filter.h"

#include "support/random.h"
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

static abbe_filter *from_taps(int width, int height, const double *values, const int *centre, bool normalize)
{
    abbe_filter *filter = NULL;
    abbe_matrix taps = { width, height, (double *)values };
    abbe_kernel_params params = { .taps = &taps, .normalize = normalize, .centre = centre };
    if (abbe_filter_from_kernel(&params, &filter))
        fail_msg("%d x %d: %s", width, height, abbe_error_text(NULL));
    return filter;
}

static void gain_at(const abbe_filter *filter, double fx, double fy, double gain[2])
{
    assert_int_equal(abbe_filter_gain(filter, 0, fx, fy, gain), ABBE_OK);
}

static void taps_are_kept(void **state)
{
    (void)state;
    const double values[] = { 1, 2, 3, 4, 5, 6 };
    abbe_filter *filter = from_taps(3, 2, values, NULL, false);
    abbe_matrix taps;
    const abbe_filter_info *info = abbe_filter_describe(filter);
    assert_int_equal(info->components, 1);
    assert_false(info->in_frequency);
    assert_int_equal(info->width, 3);
    assert_int_equal(info->height, 2);
    assert_int_equal(info->centre_x, 1);
    assert_int_equal(info->centre_y, 1);
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
    assert_memory_equal(taps.values, values, sizeof values);
    abbe_matrix_free(&taps);
    abbe_filter_destroy(&filter);
    filter = from_taps(3, 2, values, (int[]){ 2, 0 }, true);
    info = abbe_filter_describe(filter);
    assert_int_equal(info->centre_x, 2);
    assert_int_equal(info->centre_y, 0);
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
    for (int i = 0; i < 6; i++)
        assert_true(taps.values[i] == values[i] / 21);
    abbe_matrix_free(&taps);
    abbe_filter_destroy(&filter);
}

static void unsound_kernels_are_refused(void **state)
{
    (void)state;
    abbe_filter *filter = NULL;
    double values[] = { 1, -1, 0, 0 };
    abbe_matrix taps = { 2, 2, values };
    abbe_kernel_params params = { .taps = &taps, .normalize = true };
    assert_int_equal(abbe_filter_from_kernel(&params, &filter), ABBE_ERR_RANGE);
    assert_string_equal(abbe_error_text(NULL),
                        "kernel: the taps sum to nearly zero and cannot be normalized");
    values[0] = values[1] = 0;
    assert_int_equal(abbe_filter_from_kernel(&params, &filter), ABBE_ERR_RANGE);
    values[3] = INFINITY;
    assert_int_equal(abbe_filter_from_kernel(&params, &filter), ABBE_ERR_NONFINITE);
    assert_string_equal(abbe_error_text(NULL), "kernel: column 1, row 1 is not finite as a float");
    assert_int_equal(abbe_filter_from_mask(&taps, &filter), ABBE_ERR_NONFINITE);
    values[3] = 1;
    params.centre = (int[]){ 2, 0 };
    assert_int_equal(abbe_filter_from_kernel(&params, &filter), ABBE_ERR_INVALID);
    assert_string_equal(abbe_error_text(NULL), "kernel: centre (2, 0) lies outside the 2 × 2 taps");
    params.centre = (int[]){ 0, -1 };
    assert_int_equal(abbe_filter_from_kernel(&params, &filter), ABBE_ERR_INVALID);
    taps.width = 0;
    assert_int_equal(abbe_filter_from_kernel(&params, &filter), ABBE_ERR_INVALID);
    taps.width = 1 << 20;
    assert_int_equal(abbe_filter_from_kernel(&params, &filter), ABBE_ERR_SIZE);
    taps.values = NULL;
    assert_int_equal(abbe_filter_from_kernel(&params, &filter), ABBE_ERR_INVALID);
    params.taps = NULL;
    assert_int_equal(abbe_filter_from_kernel(&params, &filter), ABBE_ERR_INVALID);
    assert_int_equal(abbe_filter_from_kernel(NULL, &filter), ABBE_ERR_INVALID);
    assert_int_equal(abbe_filter_from_kernel(&params, NULL), ABBE_ERR_INVALID);
    assert_int_equal(abbe_filter_from_mask(NULL, &filter), ABBE_ERR_INVALID);
    assert_int_equal(abbe_filter_from_transfer(NULL, NULL, &filter), ABBE_ERR_INVALID);
    assert_null(filter);
}

static void gains_multiply_in_a_chain(void **state)
{
    (void)state;
    const char *chains[][3] = {
        { "gaussian:sigma=1", "box:radius=1", "lowpass" },
        { "sobel:axis=x", "emboss", "unsharp:sigma=0.8" },
        { "disk:radius=2", "motion:length=4:angle=30", "notch:x=0.5:y=0.1" },
        { "dog:sigma=1", "log:sigma=1", "gabor:angle=20" },
        { "streak:angle=20", "power:exponent=0.5", "bandreject" },
    };
    struct random random = { 1 };
    for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
        abbe_filter *parts[3], *chain = NULL, *whole = NULL;
        char text[128];
        for (int i = 0; i < 3; i++)
            parts[i] = parse(chains[c][i]);
        snprintf(text, sizeof text, "%s,%s,%s", chains[c][0], chains[c][1], chains[c][2]);
        whole = parse(text);
        assert_int_equal(abbe_filter_chain((const abbe_filter *const *)parts, 3, &chain), ABBE_OK);
        for (int trial = 0; trial < 30; trial++) {
            double fx = random_signed(&random) / 2, fy = random_signed(&random) / 2;
            double product[2] = { 1, 0 }, gain[2], chained[2];
            for (int i = 0; i < 3; i++) {
                gain_at(parts[i], fx, fy, gain);
                double re = product[0] * gain[0] - product[1] * gain[1];
                product[1] = product[0] * gain[1] + product[1] * gain[0];
                product[0] = re;
            }
            gain_at(chain, fx, fy, chained);
            gain_at(whole, fx, fy, gain);
            if (hypot(chained[0] - product[0], chained[1] - product[1]) > 1e-12 || gain[0] != chained[0] ||
                gain[1] != chained[1])
                fail_msg("\"%s\" at (%g, %g)", text, fx, fy);
        }
        abbe_filter_destroy(&chain);
        abbe_filter_destroy(&whole);
        for (int i = 0; i < 3; i++)
            abbe_filter_destroy(&parts[i]);
    }
}

static void taps_convolve_in_a_chain(void **state)
{
    (void)state;
    abbe_filter *parts[2] = { from_taps(2, 1, (double[]){ 1, 3 }, (int[]){ 0, 0 }, false),
                              from_taps(1, 3, (double[]){ 5, 7, 11 }, (int[]){ 0, 2 }, false) };
    abbe_filter *chain = NULL;
    abbe_matrix taps;
    assert_int_equal(abbe_filter_chain((const abbe_filter *const *)parts, 2, &chain), ABBE_OK);
    const abbe_filter_info *info = abbe_filter_describe(chain);
    assert_int_equal(info->centre_x, 0);
    assert_int_equal(info->centre_y, 2);
    assert_int_equal(abbe_filter_taps(chain, 0, &taps), ABBE_OK);
    const double expected[] = { 5, 15, 7, 21, 11, 33 };
    assert_memory_equal(taps.values, expected, sizeof expected);
    abbe_matrix_free(&taps);
    abbe_filter_destroy(&chain);
    abbe_filter_destroy(&parts[1]);
    abbe_filter_destroy(&parts[0]);
}

static void magnitudes_end_a_chain(void **state)
{
    (void)state;
    abbe_filter *blur = parse("gaussian"), *edges = parse("sobel"), *chain = NULL;
    assert_int_equal(abbe_filter_chain((const abbe_filter *[]){ blur, edges }, 2, &chain), ABBE_OK);
    const abbe_filter_info *info = abbe_filter_describe(chain);
    assert_int_equal(info->components, 2);
    assert_int_equal(info->width, 19);
    abbe_filter_destroy(&chain);
    assert_int_equal(abbe_filter_chain((const abbe_filter *[]){ edges, blur }, 2, &chain),
                     ABBE_ERR_UNSUPPORTED);
    assert_string_equal(abbe_error_text(NULL), "chain: only the last filter may take a magnitude");
    assert_int_equal(abbe_filter_chain((const abbe_filter *[]){ blur, NULL }, 2, &chain), ABBE_ERR_INVALID);
    assert_int_equal(abbe_filter_chain((const abbe_filter *[]){ blur }, 0, &chain), ABBE_ERR_INVALID);
    assert_int_equal(abbe_filter_chain(NULL, 1, &chain), ABBE_ERR_INVALID);
    assert_null(chain);
    abbe_filter_destroy(&edges);
    abbe_filter_destroy(&blur);
}

/* On a grid of its own size a mask acts as painted: zero frequency at width / 2, height / 2. */
static void masks_are_centred(void **state)
{
    (void)state;
    struct random random = { 2 };
    for (int size = 0; size < 4; size++) {
        int width = 5 + size, height = 9 - size;
        double values[81], gain[2];
        for (int i = 0; i < width * height; i++)
            values[i] = random_unit(&random);
        abbe_matrix mask = { width, height, values };
        abbe_filter *filter = NULL;
        assert_int_equal(abbe_filter_from_mask(&mask, &filter), ABBE_OK);
        for (int i = 0; i < width * height; i++) {
            int u = i % width - width / 2, v = i / width - height / 2;
            int mu = (width / 2 - u + width) % width, mv = (height / 2 - v + height) % height;
            gain_at(filter, (double)u / width, (double)v / height, gain);
            double expected = (values[i] + values[mv * width + mu]) / 2;
            if (fabs(gain[0] - expected) > 1e-14 || gain[1] != 0)
                fail_msg("%d x %d at (%d, %d): %g, not %g", width, height, u, v, gain[0], expected);
        }
        abbe_filter_destroy(&filter);
    }
}

static void masks_are_bilinear_and_periodic(void **state)
{
    (void)state;
    double values[] = { 0, 0, 1, 0 }, gain[2]; /* zero frequency in column 2 of a 4 × 1 mask */
    abbe_matrix mask = { 4, 1, values };
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_filter_from_mask(&mask, &filter), ABBE_OK);
    values[2] = 9; /* the mask was copied, so this has no effect */
    for (int i = -8; i <= 8; i++) {
        gain_at(filter, i / 32.0, 0.3, gain);
        assert_true(fabs(gain[0] - (1 - abs(i) / 8.0)) < 1e-14);
    }
    gain_at(filter, 0.4, 0, gain);
    assert_true(gain[0] == 0);
    gain_at(filter, 1 - 1 / 8.0, 0, gain);
    assert_true(fabs(gain[0] - 0.5) < 1e-14);
    abbe_filter_destroy(&filter);
}

/* (1 + fx) + j·(fy + 2): even and odd parts in both. */
static void lopsided(void *user, double fx, double fy, double gain[2])
{
    assert_true(fabs(fx) <= 0.5 && fabs(fy) <= 0.5);
    gain[0] = *(double *)user + fx;
    gain[1] = fy + 2;
}

static void functions_act_by_their_hermitian_part(void **state)
{
    (void)state;
    double one = 1, gain[2];
    abbe_filter *filter = NULL;
    abbe_matrix taps;
    assert_int_equal(abbe_filter_from_transfer(lopsided, &one, &filter), ABBE_OK);
    gain_at(filter, 0.25, -0.125, gain);
    assert_true(gain[0] == 1 && gain[1] == -0.125);
    gain_at(filter, 1.25, 2.25, gain); /* the frequency plane has period 1 */
    assert_true(gain[0] == 1 && gain[1] == 0.25);
    gain_at(filter, 0, 0.5, gain); /* Nyquist is its own opposite: real */
    assert_true(gain[0] == 1 && gain[1] == 0);
    const abbe_filter_info *info = abbe_filter_describe(filter);
    assert_true(info->in_frequency && info->width == 1 && info->height == 1);
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_ERR_UNSUPPORTED);
    assert_false(response_is_real(&filter->component[0]));
    abbe_filter_destroy(&filter);
}

static void questions_are_checked(void **state)
{
    (void)state;
    abbe_filter *filter = parse("box");
    abbe_matrix taps;
    double gain[2];
    assert_int_equal(abbe_filter_taps(filter, 1, &taps), ABBE_ERR_INVALID);
    assert_string_equal(abbe_error_text(NULL), "abbe_filter_taps: component is 1; it must be 0");
    assert_int_equal(abbe_filter_taps(filter, -1, &taps), ABBE_ERR_INVALID);
    assert_int_equal(abbe_filter_taps(filter, 0, NULL), ABBE_ERR_INVALID);
    assert_int_equal(abbe_filter_taps(NULL, 0, &taps), ABBE_ERR_INVALID);
    assert_int_equal(abbe_filter_gain(filter, 0, NAN, 0, gain), ABBE_ERR_INVALID);
    assert_int_equal(abbe_filter_gain(filter, 2, 0, 0, gain), ABBE_ERR_INVALID);
    assert_null(abbe_filter_describe(NULL));
    abbe_filter_destroy(&filter);
}

static void taps_beyond_float_are_refused(void **state)
{
    (void)state;
    abbe_filter *huge = from_taps(1, 1, (double[]){ 1e30 }, NULL, false), *chain = NULL;
    assert_int_equal(abbe_filter_chain((const abbe_filter *[]){ huge, huge }, 2, &chain), ABBE_ERR_RANGE);
    assert_string_equal(abbe_error_text(NULL), "chain: the taps exceed the range of a float");
    assert_null(chain);
    abbe_filter_destroy(&huge);
}

static void copies_are_the_same(void **state)
{
    (void)state;
    double values[] = { 1, 2, 3 }, there[2], copied[2];
    abbe_matrix mask = { 3, 1, values };
    abbe_filter *filter = NULL, *part[2] = { parse("emboss"), NULL };
    assert_int_equal(abbe_filter_from_mask(&mask, &part[1]), ABBE_OK);
    assert_int_equal(abbe_filter_chain((const abbe_filter *const *)part, 2, &filter), ABBE_OK);
    struct abbe_filter copy = { .components = 1 };
    assert_int_equal(response_copy(&filter->component[0], &copy.component[0]), ABBE_OK);
    gain_at(filter, 0.1, 0.2, there);
    abbe_filter_destroy(&filter);
    gain_at(&copy, 0.1, 0.2, copied);
    assert_memory_equal(there, copied, sizeof there);
    response_free(&copy.component[0]);
    abbe_filter_destroy(&part[1]);
    abbe_filter_destroy(&part[0]);
}

static void flipping_conjugates_the_kernel(void **state)
{
    (void)state;
    abbe_filter *filter = parse("emboss,lowpass");
    struct response flipped;
    assert_int_equal(response_flip(&filter->component[0], &flipped), ABBE_OK);
    assert_int_equal(flipped.transfer_count, 1);
    double there[2], back[2];
    kernel_gain(&filter->component[0].kernel, 0.2, -0.1, there);
    kernel_gain(&flipped.kernel, 0.2, -0.1, back);
    assert_true(fabs(there[1]) > 0.1);
    assert_true(hypot(there[0] - back[0], there[1] + back[1]) < 1e-14);
    response_free(&flipped);
    abbe_filter_destroy(&filter);
}

static void spectra_that_are_real(void **state)
{
    (void)state;
    const char *real[] = {
        "gaussian",
        "box",
        "disk",
        "motion:angle=37",
        "gabor:angle=30",
        "log",
        "dog",
        "unsharp",
        "lowpass,notch:x=.1:y=.2",
        "disk,motion:angle=20,gaussian",
        "sharpen,laplacian",
        "gabor:angle=10,gabor:angle=70",
        "streak:angle=10",
        "sobel:axis=x,sobel:axis=x",
    };
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        abbe_filter *filter = parse(real[i]);
        if (!response_is_real(&filter->component[0]))
            fail_msg("\"%s\" should be real", real[i]);
        abbe_filter_destroy(&filter);
    }
    abbe_filter *filter = parse("emboss");
    assert_false(response_is_real(&filter->component[0]));
    abbe_filter_destroy(&filter);
}

/* Whether gains are real and the same at (±fx, ±fy), by the formulas. */
static bool gains_are_even(const abbe_filter *filter)
{
    struct random random = { 3 };
    for (int i = 0; i < 200; i++) {
        double fx = 0.5 * random_unit(&random), fy = 0.5 * random_unit(&random), gain[2], other[2];
        gain_at(filter, fx, fy, gain);
        for (int side = 0; side < 2; side++) {
            gain_at(filter, side ? -fx : fx, side ? fy : -fy, other);
            if (fabs(gain[1]) > 1e-12 || hypot(other[0] - gain[0], other[1] - gain[1]) > 1e-12)
                return false;
        }
    }
    return true;
}

static void filters_with_even_spectra(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool even;
    } cases[] = {
        { "identity", true },
        { "gaussian", true },
        { "disk:radius=3", true },
        { "box:radius=2", true },
        { "laplacian", true },
        { "log", true },
        { "unsharp", true },
        { "gabor:angle=0", true },
        { "gabor:angle=30", false },
        { "motion:angle=20", false },
        { "emboss", false },
        { "sobel:axis=x", false },
        { "sobel:axis=x,sobel:axis=x", true },
        { "lowpass", true },
        { "highpass:shape=ideal", true },
        { "bandpass:shape=gaussian", true },
        { "bandreject", true },
        { "power:exponent=-1", true },
        { "streak:angle=0", true },
        { "streak:angle=90", true },
        { "streak:angle=10", false },
        { "notch:x=.1:y=.2", false },
        { "notch:x=.1:y=0", true },
        { "notch:x=0:y=.2:shape=butterworth", true },
        { "notch:x=1:y=.2", true },
        { "notch:x=.3:y=-1", true },
        { "disk,lowpass,notch:x=.1:y=0", true },
        { "disk,lowpass,notch:x=.1:y=.1", false },
        { "emboss,lowpass", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_filter *filter = parse(cases[i].text);
        if (response_is_even(&filter->component[0]) != cases[i].even ||
            gains_are_even(filter) != cases[i].even)
            fail_msg("\"%s\" should%s be even", cases[i].text, cases[i].even ? "" : " not");
        abbe_filter_destroy(&filter);
    }
}

/* Masks and gains of each small size: random, and random with every row the same as its mirror image. */
static void masks_with_even_spectra(void **state)
{
    (void)state;
    struct random random = { 4 };
    for (int i = 0; i < 2 * 36; i++) {
        double mask[36], gains[72] = { 0 };
        int width = 1 + i % 6, height = 1 + i / 6 % 6, mirrored = i / 36;
        for (int k = 0; k < width * height; k++) {
            int y = k / width, opposite = (2 * (height / 2) - y + height) % height;
            bool copied = mirrored && opposite < y;
            mask[k] = copied ? mask[opposite * width + k % width] : random_unit(&random);
            opposite = (height - y) % height;
            copied = mirrored && opposite < y;
            gains[2 * k] = copied ? gains[2 * (opposite * width + k % width)] : random_unit(&random);
        }
        abbe_filter *filters[2] = { NULL, NULL };
        assert_int_equal(abbe_filter_from_mask(&(abbe_matrix){ width, height, mask }, &filters[0]), ABBE_OK);
        assert_int_equal(abbe_filter_from_gains(width, height, gains, &filters[1]), ABBE_OK);
        for (int f = 0; f < 2; f++) {
            assert_int_equal(response_is_even(&filters[f]->component[0]), gains_are_even(filters[f]));
            assert_true(response_is_even(&filters[f]->component[0]) || !mirrored);
            abbe_filter_destroy(&filters[f]);
        }
    }
}

/* A shift by `user` pixels: its only tap lies at that distance. */
static void shift(void *user, double fx, double fy, double gain[2])
{
    (void)fy;
    gain[0] = cos(2 * M_PI * fx * *(double *)user);
    gain[1] = -sin(2 * M_PI * fx * *(double *)user);
}

static void broken(void *user, double fx, double fy, double gain[2])
{
    (void)user;
    gain[0] = fx > 0.4 && fy > 0.4 ? INFINITY : 1;
    gain[1] = 0;
}

static int radius_of(const abbe_filter *filter, int otherwise)
{
    int radius = -1;
    assert_int_equal(response_radius(&filter->component[0], otherwise, &radius), ABBE_OK);
    return radius;
}

/* Writes Σ|h(x, y)| over max(|x|, |y|) > r for r = 0 … n / 2, where h is the mean of the gains times e^(j2π f·x) over
 * n × n frequencies. */
static void sum_beyond(const abbe_filter *filter, int n, double *beyond)
{
    double *re = calloc((size_t)n * (size_t)n, sizeof *re),
           *half = calloc((size_t)n * (size_t)n, sizeof *half);
    for (int v = 0; v < n; v++) /* gains here are even in each frequency, so cosines suffice */
        for (int x = 0; x <= n / 2; x++)
            for (int u = 0; u < n; u++) {
                double gain[2];
                if (!x)
                    abbe_filter_gain(filter, 0, (double)u / n, (double)v / n, gain), re[v * n + u] = gain[0];
                half[v * n + x] += re[v * n + u] * cos(2 * M_PI * u * x / n) / n;
            }
    memset(beyond, 0, ((size_t)n / 2 + 1) * sizeof *beyond);
    for (int y = 0; y <= n / 2; y++)
        for (int x = 0; x <= n / 2; x++) {
            double h = 0;
            for (int v = 0; v < n; v++)
                h += half[v * n + x] * cos(2 * M_PI * v * y / n) / n;
            int copies = (x && 2 * x < n ? 2 : 1) * (y && 2 * y < n ? 2 : 1), ring = x > y ? x : y;
            for (int r = 0; r < ring; r++)
                beyond[r] += copies * fabs(h);
        }
    free(half);
    free(re);
}

/* Of Σ|h| without the centre, 10⁻⁴ lies beyond the radius, and more beyond half of it; complements agree. */
static void radii_hold_the_sum(void **state)
{
    (void)state;
    enum { N = 128 };
    static const char *const pairs[][2] = {
        { "lowpass:shape=gaussian:cutoff=0.1", "highpass:shape=gaussian:cutoff=0.1" },
        { "lowpass:order=8:cutoff=0.6", "highpass:order=8:cutoff=0.6" },
        { "bandpass:shape=gaussian", "bandreject:shape=gaussian" },
    };
    for (size_t i = 0; i < 3; i++) {
        double beyond[N / 2 + 1];
        abbe_filter *one = parse(pairs[i][0]), *other = parse(pairs[i][1]);
        int radius = radius_of(one, 1000);
        sum_beyond(one, N, beyond);
        if (radius < 2 || radius > N / 2 || beyond[radius] > 1e-4 * beyond[0] ||
            beyond[radius / 2] < 1e-4 * beyond[0])
            fail_msg("%s: radius %d, beyond which %g of %g lie", pairs[i][0], radius,
                     radius > 0 && radius <= N / 2 ? beyond[radius] : -1, beyond[0]);
        if (radius_of(other, 1000) != radius)
            fail_msg("%s: radius %d, not %d", pairs[i][1], radius_of(other, 1000), radius);
        abbe_filter_destroy(&one);
        abbe_filter_destroy(&other);
    }
}

static void radii_are_bounded(void **state)
{
    (void)state;
    double pixels = 37;
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_filter_from_transfer(shift, &pixels, &filter), ABBE_OK);
    assert_int_equal(radius_of(filter, 1000), 37);
    assert_int_equal(radius_of(filter, 20), 37);
    pixels = 200; /* beyond a quarter of the first grid */
    assert_int_equal(radius_of(filter, 20), 200);
    abbe_filter_destroy(&filter);
    /* 2^(−(f/fc)²) is a Gaussian in space, σ = √(ln 2 / 2) / (π fc), of which erfc(r / √2σ) lies beyond |x| = r and
     * as much beyond |y| = r: 5·10⁻⁵ beyond 4.06 σ. */
    filter = parse("lowpass:shape=gaussian:cutoff=0.05cpp");
    double sigma = sqrt(log(2) / 2) / (M_PI * 0.05);
    int radius = radius_of(filter, 1000);
    if (radius < 3.9 * sigma || radius > 4.5 * sigma)
        fail_msg("radius %d, sigma %g", radius, sigma);
    abbe_filter_destroy(&filter);
    static const char *const endless[] = { "lowpass:shape=ideal", "lowpass:cutoff=0.003" };
    for (int i = 0; i < 2; i++) {
        filter = parse(endless[i]);
        assert_int_equal(radius_of(filter, 300), 300);
        abbe_filter_destroy(&filter);
    }
    filter = parse("lowpass:cutoff=0.02"); /* see the table of docs/maths.md: 234 to each side */
    radius = radius_of(filter, 32);
    if (radius < 200 || radius > 260)
        fail_msg("radius %d", radius);
    abbe_filter_destroy(&filter);
    filter = parse("gaussian");
    assert_int_equal(radius_of(filter, 300), 0);
    abbe_filter_destroy(&filter);
    assert_int_equal(abbe_filter_from_transfer(broken, NULL, &filter), ABBE_OK);
    assert_int_equal(response_radius(&filter->component[0], 10, &radius), ABBE_ERR_NONFINITE);
    abbe_filter_destroy(&filter);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(filters_with_even_spectra),
    cmocka_unit_test(masks_with_even_spectra),
    cmocka_unit_test(taps_are_kept),
    cmocka_unit_test(unsound_kernels_are_refused),
    cmocka_unit_test(gains_multiply_in_a_chain),
    cmocka_unit_test(taps_convolve_in_a_chain),
    cmocka_unit_test(magnitudes_end_a_chain),
    cmocka_unit_test(masks_are_centred),
    cmocka_unit_test(masks_are_bilinear_and_periodic),
    cmocka_unit_test(functions_act_by_their_hermitian_part),
    cmocka_unit_test(questions_are_checked),
    cmocka_unit_test(taps_beyond_float_are_refused),
    cmocka_unit_test(copies_are_the_same),
    cmocka_unit_test(flipping_conjugates_the_kernel),
    cmocka_unit_test(spectra_that_are_real),
    cmocka_unit_test(radii_hold_the_sum),
    cmocka_unit_test(radii_are_bounded),
};

TEST_MAIN(tests)
