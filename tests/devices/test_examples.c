/* Checks the pictures that the examples `glow` and `night` saved against the oracle.
 *
 * Arguments: glow or night, and the folder with its pictures. Skipped (77) if the example drew nothing. */
#include "support/apply.h"
#include "support/pfm.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *folder;

static double brightest_of(const struct picture *picture)
{
    double brightest = 0;
    for (size_t i = 0; i < picture_count(picture); i++)
        brightest = fmax(brightest, picture->samples[i]);
    return brightest;
}

static double mean_of(const struct picture *picture)
{
    double mean = 0;
    for (size_t i = 0; i < picture_count(picture); i++)
        mean += picture->samples[i] / (double)picture_count(picture);
    return mean;
}

/* The picture through a filter, by the oracle. */
static struct picture filtered(const struct picture *picture, const char *text)
{
    abbe_filter *filter = apply_filter(text);
    abbe_matrix taps;
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
    struct picture result = reference_convolve(picture, ABBE_BORDER_REFLECT, 0, &taps, taps.width / 2,
                                               taps.height / 2);
    abbe_matrix_free(&taps);
    abbe_filter_destroy(&filter);
    return result;
}

/* The frame has sparks that are brighter than white on a dark sky. The glow adds three filtered frames to it;
 * the angles of the streaks are those seen on the screen. */
static void glow_is_the_frame_and_its_parts(void **state)
{
    (void)state;
    static const char *const filters[] = { "gaussian:sigma=8", "motion:length=25:angle=30",
                                           "motion:length=25:angle=150" };
    static const double weights[] = { 0.5, 0.12, 0.12 };
    struct picture frame = pfm_read(folder, "frame"), glow = pfm_read(folder, "glow");
    struct picture expected = pfm_read(folder, "frame");
    double brightest = brightest_of(&frame);
    assert_true(brightest > 4 && brightest > 20 * mean_of(&frame));
    for (int f = 0; f < 3; f++) {
        struct picture part = filtered(&frame, filters[f]);
        for (size_t i = 0; i < picture_count(&expected); i++)
            expected.samples[i] += weights[f] * part.samples[i];
        picture_free(&part);
    }
    assert_true(apply_near(&glow, &expected, 2e-6 * brightest));
    picture_free(&frame);
    picture_free(&glow);
    picture_free(&expected);
}

/* The scene has lamps that are much brighter than white, and the lens spreads them. The CPU device agrees,
 * too. */
static void blurred_is_sharp_through_the_lens(void **state)
{
    (void)state;
    static const char lens[] = "disk:radius=9";
    struct picture sharp = pfm_read(folder, "sharp"), blurred = pfm_read(folder, "blurred");
    double brightest = brightest_of(&sharp), tolerance = 1e-6 * brightest;
    assert_true(brightest > 10 && brightest_of(&blurred) < brightest / 2);
    struct picture expected = filtered(&sharp, lens);
    assert_true(apply_near(&blurred, &expected, tolerance));
    abbe_filter *filter = apply_filter(lens);
    abbe_device *cpu = NULL;
    assert_int_equal(abbe_device_open("cpu", NULL, &cpu), ABBE_OK);
    struct picture same = apply(cpu, (abbe_plan_params){ 0 }, filter, &sharp);
    assert_true(apply_near(&blurred, &same, 2 * tolerance));
    abbe_device_close(&cpu);
    abbe_filter_destroy(&filter);
    picture_free(&same);
    picture_free(&expected);
    picture_free(&sharp);
    picture_free(&blurred);
}

int main(int argc, char **argv)
{
    char path[4096];
    const struct CMUnitTest glow[] = { cmocka_unit_test(glow_is_the_frame_and_its_parts) };
    const struct CMUnitTest night[] = { cmocka_unit_test(blurred_is_sharp_through_the_lens) };
    if (argc < 3)
        return 1;
    bool is_glow = !strcmp(argv[1], "glow");
    folder = argv[2];
    snprintf(path, sizeof path, "%s/%s.pfm", folder, is_glow ? "frame" : "sharp");
    if (access(path, R_OK)) {
        printf("the example drew nothing\n");
        return TEST_SKIPPED;
    }
    return is_glow ? cmocka_run_group_tests(glow, NULL, NULL) : cmocka_run_group_tests(night, NULL, NULL);
}
