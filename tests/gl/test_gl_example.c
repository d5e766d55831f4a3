/* What the example `glow` saved: the frame as drawn, and with its glow, which the oracle makes of it.
 *
 * Argument: the folder with frame.pfm and glow.pfm; skipped (77) where they are not. */
#include "support/apply.h"
#include "support/pfm.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const char *folder;

/* sum += weight · (filter ∗ frame). */
static void add(struct picture *sum, const struct picture *frame, const char *text, double weight)
{
    abbe_filter *filter = apply_filter(text);
    abbe_matrix taps;
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
    struct picture part = reference_convolve(frame, ABBE_BORDER_REFLECT, 0, &taps, taps.width / 2,
                                             taps.height / 2);
    for (size_t i = 0; i < picture_count(sum); i++)
        sum->samples[i] += weight * part.samples[i];
    picture_free(&part);
    abbe_matrix_free(&taps);
    abbe_filter_destroy(&filter);
}

/* There are sparks in the frame, brighter than white, on a dark sky; streaks run as seen on the screen. */
static void glow_is_the_frame_and_its_parts(void **state)
{
    (void)state;
    struct picture frame = pfm_read(folder, "frame"), glow = pfm_read(folder, "glow");
    struct picture expected = pfm_read(folder, "frame");
    double brightest = 0, mean = 0;
    for (size_t i = 0; i < picture_count(&frame); i++) {
        brightest = fmax(brightest, frame.samples[i]);
        mean += frame.samples[i] / (double)picture_count(&frame);
    }
    assert_true(brightest > 4 && brightest > 20 * mean);
    add(&expected, &frame, "gaussian:sigma=8", 0.5);
    add(&expected, &frame, "motion:length=25:angle=30", 0.12);
    add(&expected, &frame, "motion:length=25:angle=150", 0.12);
    assert_true(apply_near(&glow, &expected, 2e-6 * brightest));
    picture_free(&frame);
    picture_free(&glow);
    picture_free(&expected);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc < 2)
        return 1;
    folder = argv[1];
    snprintf(path, sizeof path, "%s/frame.pfm", folder);
    if (access(path, R_OK)) {
        printf("no driver drew anything\n");
        return TEST_SKIPPED;
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(glow_is_the_frame_and_its_parts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
