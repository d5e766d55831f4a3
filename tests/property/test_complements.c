/* Transfer functions on every border: complements add up to the picture, the effective radius keeps its tolerance,
 * and no result depends on the instruction set.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static abbe_device *device;

enum { WIDTH = 150, HEIGHT = 97, BORDERS = 6 };

/* Software drivers of GPUs are slow; the grids are the plan's, not the device's. */
static bool is_on_gpu(void)
{
    return strncmp(abbe_device_name(device), "cpu", 3) != 0;
}

static double shape_bound(void)
{
    return 2 * trial_bound_fft(4 * WIDTH, 4 * HEIGHT);
}

/* A ramp with a few sharp marks: its border CLAMP repeats different levels on each side. */
static struct picture ramp_picture(void)
{
    struct random random = { 7 };
    struct picture in = picture_create(WIDTH, HEIGHT, 1);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            *picture_at(&in, x, y, 0) = (float)((x + 0.5 * y) / (WIDTH + HEIGHT));
    for (int i = 0; i < 40; i++)
        *picture_at(&in, random_int(&random, 0, WIDTH - 1), random_int(&random, 0, HEIGHT - 1), 0) = 1;
    return in;
}

static struct picture filter_by(abbe_device *on, const char *text, abbe_border border,
                                const struct picture *in)
{
    abbe_filter *filter = apply_filter(text);
    struct picture out = apply(on, (abbe_plan_params){ .border = border, .border_value = 0.25 }, filter, in);
    abbe_filter_destroy(&filter);
    return out;
}

/* ---- Complements -------------------------------------------------------------------------------------- */

static const char *const complements[][2] = {
    { "lowpass:cutoff=50px", "highpass:cutoff=50px" },
    { "lowpass:cutoff=0.3:order=1", "highpass:cutoff=0.3:order=1" },
    { "lowpass:cutoff=60px:shape=gaussian", "highpass:cutoff=60px:shape=gaussian" },
    { "lowpass:shape=ideal", "highpass:shape=ideal" },
    { "bandpass:low=0.03:high=0.2", "bandreject:low=0.03:high=0.2" },
};

/* H + (1 − H) = 1: the results add up to the picture, whatever lies outside. */
static void complements_add_up(void **state)
{
    (void)state;
    size_t step = is_on_gpu() ? 13 : effort_is_slight() ? 5 : 1;
    struct picture in = ramp_picture();
    for (size_t number = 2; number < BORDERS * sizeof complements / sizeof *complements; number += step) {
        abbe_border border = (abbe_border)(number % BORDERS);
        const char *const *pair = complements[number / BORDERS];
        struct picture one = filter_by(device, pair[0], border, &in);
        struct picture other = filter_by(device, pair[1], border, &in);
        for (size_t i = 0; i < picture_count(&in); i++)
            one.samples[i] += other.samples[i];
        double error = picture_distance(&one, &in) / picture_norm(&in);
        if (!(error <= trial_tolerance(shape_bound())))
            fail_msg("%s and %s, border %s: an error of %g", pair[0], pair[1], abbe_border_name(border),
                     error);
        picture_free(&one);
        picture_free(&other);
    }
    picture_free(&in);
}

/* ---- The effective radius ----------------------------------------------------------------------------- */

/* The picture with `margin` pixels of its border on each side. */
static struct picture extend(const struct picture *in, abbe_border border, int margin)
{
    struct picture out = picture_create(in->width + 2 * margin, in->height + 2 * margin, 1);
    for (int y = 0; y < out.height; y++)
        for (int x = 0; x < out.width; x++)
            *picture_at(&out, x, y, 0) = reference_sample(in, border, 0.25, x - margin, y - margin, 0);
    return out;
}

/* A picture that is extended far enough gives the result on the infinite one. The difference is at most 10⁻⁴ of
 * Σ|h| (here below 2) times the largest difference of two pixels. */
static void radius_keeps_its_tolerance(void **state)
{
    (void)state;
    if (is_on_gpu())
        skip();
    enum { MARGIN = 420 };
    static const char *const filters[] = { "highpass:cutoff=25px", "notch:x=0.1:y=0.2:radius=0.05",
                                           "bandreject:low=0.1:high=0.3" };
    static const abbe_border borders[] = { ABBE_BORDER_CLAMP, ABBE_BORDER_CONSTANT };
    struct picture in = ramp_picture();
    for (int number = 0; number < 6; number += effort_is_slight() ? 3 : 1) {
        const char *text = filters[number / 2];
        abbe_border border = borders[number % 2];
        struct picture got = filter_by(device, text, border, &in), extended = extend(&in, border, MARGIN);
        struct picture far = filter_by(device, text, ABBE_BORDER_REFLECT, &extended);
        double largest = 0;
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                largest = fmax(
                    largest, fabs(*picture_at(&got, x, y, 0) - *picture_at(&far, x + MARGIN, y + MARGIN, 0)));
        if (!(largest <= trial_tolerance(2e-4)))
            fail_msg("%s, border %s: an error of %g", text, abbe_border_name(border), largest);
        picture_free(&got);
        picture_free(&far);
        picture_free(&extended);
    }
    picture_free(&in);
}

/* The value at (x, y) of the infinite picture after the low pass 2^(−(f/cutoff)²), whose impulse response is the
 * Gaussian of σ = √(ln 2 / 2) / (π cutoff). */
static double blur_at(const struct picture *in, abbe_border border, double constant, double cutoff, int x,
                      int y)
{
    enum { FAR = 240 };
    double sigma = sqrt(log(2) / 2) / (M_PI * cutoff), weights[2 * FAR + 1], sum = 0, whole = 0;
    for (int i = -FAR; i <= FAR; i++)
        whole += weights[i + FAR] = exp(-i * i / (2 * sigma * sigma));
    for (int j = -FAR; j <= FAR; j++)
        for (int i = -FAR; i <= FAR; i++)
            sum += weights[j + FAR] * weights[i + FAR] *
                   reference_sample(in, border, constant, x + i, y + j, 0);
    return sum / (whole * whole);
}

/* A response that is longer than the picture. Σ|h| is 1, or nearly 2 for the high pass. */
static void small_pictures_keep_the_tolerance(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    static const abbe_border borders[] = { ABBE_BORDER_CLAMP, ABBE_BORDER_ZERO, ABBE_BORDER_CONSTANT };
    static const char *const texts[] = { "lowpass:cutoff=0.01:shape=gaussian",
                                         "highpass:cutoff=0.01:shape=gaussian" };
    struct picture in = picture_create(SIDE, SIDE, 1);
    for (int i = 0; i < SIDE * SIDE; i++)
        in.samples[i] = i % SIDE >= SIDE / 2;
    for (int number = 0; number < 6; number++) {
        abbe_border border = borders[number / 2];
        bool high = number % 2;
        double constant = border == ABBE_BORDER_ZERO ? 0 : 0.25;
        struct picture got = filter_by(device, texts[high], border, &in);
        for (int i = 0; i < SIDE; i += 9) {
            double blurred = blur_at(&in, border, constant, 0.005, i, SIDE - 1 - i);
            double expected = high ? *picture_at(&in, i, SIDE - 1 - i, 0) - blurred : blurred;
            double value = *picture_at(&got, i, SIDE - 1 - i, 0);
            if (!(fabs(value - expected) <= trial_tolerance(1.2e-4)))
                fail_msg("%s, border %s, constant %g: %g instead of %g", texts[high],
                         abbe_border_name(border), constant, value, expected);
        }
        picture_free(&got);
    }
    picture_free(&in);
}

/* ---- Instruction sets --------------------------------------------------------------------------------- */

static void levels_agree(void **state)
{
    (void)state;
    if (is_on_gpu())
        skip();
    static const char *const filters[] = { "bandpass", "highpass", "lowpass:cutoff=40px", "streak" };
    abbe_device *plain = NULL;
    assert_int_equal(abbe_device_open("cpu:plain", NULL, &plain), ABBE_OK);
    struct picture in = ramp_picture();
    for (int number = 0; number < 4 * 3; number++) {
        const abbe_border border = (abbe_border)(ABBE_BORDER_CLAMP + number % 3);
        struct picture got = filter_by(device, filters[number / 3], border, &in);
        struct picture expected = filter_by(plain, filters[number / 3], border, &in);
        double error = picture_distance(&got, &expected) / picture_norm(&in);
        if (!(error <= trial_tolerance(shape_bound())))
            fail_msg("%s, border %s: a difference of %g", filters[number / 3], abbe_border_name(border),
                     error);
        picture_free(&got);
        picture_free(&expected);
    }
    picture_free(&in);
    abbe_device_close(&plain);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(complements_add_up),
    cmocka_unit_test(radius_keeps_its_tolerance),
    cmocka_unit_test(small_pictures_keep_the_tolerance),
    cmocka_unit_test(levels_agree),
};

TEST_MAIN_ON_DEVICE(tests, device, 2)
