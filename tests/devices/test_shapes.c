/* Pictures of every small shape and of ten thousand random larger ones, filtered by every method and
 * compared with the oracle.
 *
 * Arguments: DEVICE [PART PARTS], which share the cases among several processes. A failing case prints its
 * parameters. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>

static abbe_device *device;

/* ---- Small shapes ------------------------------------------------------------------------------------- */

/* Every image of 1 … 17 × 1 … 17 meets every kernel of 1 … 9 × 1 … 9, every border and every method.
 *
 * The border changes with every case. Channels, types, symmetry, memory layout and tiles change with the case
 * number, with periods of their own, so that none of them is tied to the border. The number of channels has
 * the period 25, which is coprime to the 6 borders: each kernel meets 1 … 5 channels with every border and
 * every method (all methods filter each case), in brief tests too. */
enum {
    IMAGE_MAX = 17,
    KERNEL_MAX = 9,
    CHANNELS = 5,
    BORDERS = 6,
    KINDS = 3,
    SHAPES = IMAGE_MAX * IMAGE_MAX * BORDERS,
    KERNELS = KERNEL_MAX * KERNEL_MAX
};

/* `shape` counts the images and their borders. */
static struct trial small_trial(uint64_t number, int shape)
{
    static const abbe_type types[] = { ABBE_F32, ABBE_U8, ABBE_F32, ABBE_U16, ABBE_F16 };
    int image = shape / BORDERS;
    abbe_border border = (abbe_border)(shape % BORDERS);
    return (struct trial){
        .seed = number,
        .width = 1 + image % IMAGE_MAX,
        .height = 1 + image / IMAGE_MAX,
        .channels = 1 + (int)(number / 5 % CHANNELS),
        .source_type = types[number % 5],
        .result_type = types[number / 7 % 5],
        .border = border,
        .border_value = border == ABBE_BORDER_CONSTANT ? 0.75f : 0,
        .tile_width = 1 + (int)(number / 18 % 6),
        .tile_height = 1 + (int)(number / 3 % 7),
        .correlate = number % 11 == 0,
        .odd_memory = number / 6 % 3 != 0,
    };
}

/* Slight tests transform one of the two pictures of each kernel, either whole or in tiles. The high bits of a
 * case number are the sides of the kernel. */
static bool is_tried(abbe_method method, uint64_t number)
{
    bool transforms = (number / 2 + (number >> 32)) % 2;
    abbe_method transform = number >> 36 & 1 ? ABBE_METHOD_FFT : ABBE_METHOD_TILES;
    return !effort_is_slight() || (transforms && method == transform) ||
           (method != ABBE_METHOD_FFT && method != ABBE_METHOD_TILES);
}

/* Filters one image with one kernel and border by every method that this kind of kernel allows. */
static int run_methods(struct trial trial, const struct trial_kernel *kernel, bool separable)
{
    static const abbe_method any[] = { ABBE_METHOD_DIRECT, ABBE_METHOD_FFT, ABBE_METHOD_TILES,
                                       ABBE_METHOD_AUTO };
    static const abbe_method factored[] = { ABBE_METHOD_SEPARABLE };
    const abbe_method *methods = separable ? factored : any;
    int count = separable ? 1 : 4, failures = 0;
    struct trial_case one = trial_case_create(&trial, kernel);
    for (int i = 0; i < count; i++) {
        trial.method = methods[i];
        if (is_tried(trial.method, trial.seed))
            failures += !trial_run(device, &trial, kernel, &one);
    }
    trial_case_free(&one);
    return failures;
}

/* Slight tests filter two shapes with each kernel, one of them with symmetric taps, and other shapes with the
 * next kernel. */
static int run_small(int kernel)
{
    int width = 1 + kernel % KERNEL_MAX, height = 1 + kernel / KERNEL_MAX;
    bool slight = effort_is_slight();
    int first = slight ? 7 * kernel : 0, step = slight ? 1154 : effort_is_brief() ? 7 : 1;
    struct random random = { (uint64_t)(width * 100 + height) };
    struct trial_kernel kernels[KINDS];
    int failures = 0;
    uint64_t number = (uint64_t)(width * 16 + height) << 32;
    for (int kind = 0; kind < KINDS; kind++)
        kernels[kind] = trial_kernel_create(width, height, (enum taps_kind)kind, kind == TAPS_ANY, &random);
    for (int shape = first; shape < SHAPES; shape += step, number += slight ? 2 : 1) {
        struct trial trial = small_trial(number, shape);
        enum taps_kind kind = number / 2 % 2 ? TAPS_SYMMETRIC : TAPS_ANY;
        failures += run_methods(trial, &kernels[kind], false);
        failures += run_methods(trial, &kernels[TAPS_SEPARABLE], true);
    }
    for (int kind = 0; kind < KINDS; kind++)
        trial_kernel_free(&kernels[kind]);
    return failures;
}

/* Slight tests take every fifth kernel: all widths and heights, because 5 and 9 are coprime. */
static void small_shapes(void **state)
{
    (void)state;
    int failures = 0, step = effort_is_slight() ? 5 : 1;
    for (int kernel = 0; kernel < KERNELS && failures < 10; kernel += step)
        if (effort_takes(kernel / step))
            failures += run_small(kernel);
    assert_int_equal(failures, 0);
}

/* ---- Larger shapes ------------------------------------------------------------------------------------ */

/* A side that is usually moderate, sometimes 1, long or prime. */
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

static bool run_random(uint64_t number)
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
    int cases = effort_is_slight() ? 20 : effort_is_brief() ? 1000 : 10000, failures = 0;
    for (int number = 0; number < cases && failures < 10; number++)
        if (effort_takes(number))
            failures += !run_random((uint64_t)number);
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 1);
    const struct CMUnitTest tests[] = { cmocka_unit_test(small_shapes), cmocka_unit_test(larger_shapes) };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failures;
}
