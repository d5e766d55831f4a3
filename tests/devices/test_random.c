/* Ten thousand random shapes beyond the exhaustive ones, against the oracle.
 *
 * Arguments: DEVICE PART PARTS. A failing case prints its number, which is its seed. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>

static abbe_device *device;
static int part = 0, parts = 1;

/* Mostly moderate, at times long and thin, at times prime. */
static int random_side(struct random *random, int largest)
{
    static const int primes[] = { 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97 };
    switch (random_int(random, 0, 9)) {
    case 0: return 1;
    case 1: return primes[random_int(random, 0, 17)];
    case 2: return random_int(random, 1, 4 * largest);
    }
    return random_int(random, 1, largest);
}

static struct trial random_trial(struct random *random, uint64_t number)
{
    struct trial trial = {
        .seed = number,
        .width = random_side(random, 96),
        .height = random_side(random, 96),
        .channels = random_int(random, 0, 30) ? random_int(random, 1, 5) : random_int(random, 6, 64),
        .source_type = (abbe_type)random_int(random, ABBE_U8, ABBE_F32),
        .result_type = random_int(random, 0, 1) ? ABBE_F32 : (abbe_type)random_int(random, ABBE_U8, ABBE_F32),
        .border = (abbe_border)random_int(random, ABBE_BORDER_REFLECT, ABBE_BORDER_WRAP),
        .method = (abbe_method)random_int(random, ABBE_METHOD_AUTO, ABBE_METHOD_TILES),
        .correlate = random_int(random, 0, 5) == 0,
        .odd_memory = random_int(random, 0, 1),
    };
    if (trial.border == ABBE_BORDER_CONSTANT)
        trial.border_value = (float)random_signed(random);
    if (random_int(random, 0, 1)) {
        trial.tile_width = random_int(random, 1, 64);
        trial.tile_height = random_int(random, 1, 64);
    }
    while ((double)trial.width * trial.height * trial.channels > 40000)
        trial.channels = (trial.channels + 1) / 2, trial.height = (trial.height + 1) / 2;
    return trial;
}

static bool run_case(uint64_t number)
{
    struct random random = { number };
    struct trial trial = random_trial(&random, number);
    enum taps_kind kind = trial.method == ABBE_METHOD_SEPARABLE ? TAPS_SEPARABLE
                                                                : (enum taps_kind)random_int(&random, 0, 2);
    int largest = random_int(&random, 0, 7) ? 9 : 31;
    struct trial_kernel kernel = trial_kernel_create(random_int(&random, 1, largest),
                                                     random_int(&random, 1, largest), kind,
                                                     random_int(&random, 0, 1), &random);
    struct trial_case one = trial_case_create(&trial, &kernel);
    bool good = trial_run(device, &trial, &kernel, &one);
    if (!good)
        printf("failed case %llu\n", (unsigned long long)number);
    trial_case_free(&one);
    trial_kernel_free(&kernel);
    return good;
}

static void larger_shapes(void **state)
{
    (void)state;
    int cases = effort_is_slight() ? 60 : effort_is_brief() ? 1000 : 10000, failures = 0;
    for (int number = part; number < cases && failures < 10; number += parts)
        failures += !run_case((uint64_t)number);
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 1);
    if (argc > 3) {
        part = atoi(argv[2]);
        parts = atoi(argv[3]);
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(larger_shapes) };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failed;
}
