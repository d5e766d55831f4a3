/* What the example `night` saved: its blurred picture is its sharp one through the lens, by the oracle and by the CPU
 * device.
 *
 * Argument: the folder with sharp.pfm and blurred.pfm; skipped (77) where they are not. */
#include "support/apply.h"
#include "support/pfm.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const char *folder;

static double brightest(const struct picture *picture)
{
    double most = 0;
    for (size_t i = 0; i < picture_count(picture); i++)
        most = fmax(most, picture->samples[i]);
    return most;
}

/* There are lamps in the scene, much brighter than white, and the lens spreads them. */
static void blurred_is_sharp_through_the_lens(void **state)
{
    (void)state;
    struct picture sharp = pfm_read(folder, "sharp"), blurred = pfm_read(folder, "blurred");
    abbe_filter *lens = apply_filter("disk:radius=9");
    abbe_matrix taps;
    assert_int_equal(abbe_filter_taps(lens, 0, &taps), ABBE_OK);
    assert_true(brightest(&sharp) > 10 && brightest(&blurred) < brightest(&sharp) / 2);
    double tolerance = 1e-6 * brightest(&sharp);
    struct picture expected = reference_convolve(&sharp, ABBE_BORDER_REFLECT, 0, &taps, taps.width / 2,
                                                 taps.height / 2);
    assert_true(apply_near(&blurred, &expected, tolerance));
    abbe_device *cpu = NULL;
    assert_int_equal(abbe_device_open("cpu", NULL, &cpu), ABBE_OK);
    struct picture same = apply(cpu, (abbe_plan_params){ 0 }, lens, &sharp);
    assert_true(apply_near(&blurred, &same, 2 * tolerance));
    abbe_device_close(&cpu);
    picture_free(&same);
    picture_free(&expected);
    picture_free(&sharp);
    picture_free(&blurred);
    abbe_matrix_free(&taps);
    abbe_filter_destroy(&lens);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc < 2)
        return 1;
    folder = argv[1];
    snprintf(path, sizeof path, "%s/sharp.pfm", folder);
    if (access(path, R_OK)) {
        printf("no driver drew anything\n");
        return TEST_SKIPPED;
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(blurred_is_sharp_through_the_lens) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
