/* Every image of 1 … 17 × 1 … 17 with 1 … 5 channels under every kernel of 1 … 9 × 1 … 9, every border and
 * every method, against the oracle. Types, symmetry, memory layout and tiles turn with the case number, each at
 * its own pace, so that neighbouring cases meet every combination.
 *
 * Arguments: DEVICE PART PARTS, to share the cases out among processes. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <stdlib.h>

enum { IMAGE_MAX = 17, KERNEL_MAX = 9, CHANNELS = 5, BORDERS = 6, KINDS = 3 };

static abbe_device *device;
static int part = 0, parts = 1;

static struct trial turn(uint64_t number, int width, int height, int channels, abbe_border border)
{
    static const abbe_type types[] = { ABBE_F32, ABBE_U8, ABBE_F32, ABBE_U16, ABBE_F16 };
    return (struct trial){
        .seed = number,
        .width = width,
        .height = height,
        .channels = channels,
        .source_type = types[number % 5],
        .result_type = types[number / 7 % 5],
        .border = border,
        .border_value = border == ABBE_BORDER_CONSTANT ? 0.75f : 0,
        .tile_width = 1 + (int)(number % 6),
        .tile_height = 1 + (int)(number / 3 % 7),
        .correlate = number % 11 == 0,
        .odd_memory = number % 3 != 0,
    };
}

/* One image under one kernel and border, by every method that the kernel's kind is meant for. */
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
        failures += !trial_run(device, &trial, kernel, &one);
    }
    trial_case_free(&one);
    return failures;
}

static int run_kernel(int width, int height)
{
    struct random random = { (uint64_t)(width * 100 + height) };
    struct trial_kernel kernels[KINDS];
    int failures = 0, step = effort_is_slight() ? 5003 : effort_is_brief() ? 37 : 1;
    uint64_t number = (uint64_t)(width * 16 + height) << 32;
    for (int kind = 0; kind < KINDS; kind++)
        kernels[kind] = trial_kernel_create(width, height, (enum taps_kind)kind, kind == TAPS_ANY, &random);
    for (int shape = 0; shape < IMAGE_MAX * IMAGE_MAX * CHANNELS * BORDERS; shape += step, number++) {
        int border = shape % BORDERS, channels = 1 + shape / BORDERS % CHANNELS;
        int image = shape / BORDERS / CHANNELS;
        struct trial trial = turn(number, 1 + image % IMAGE_MAX, 1 + image / IMAGE_MAX, channels,
                                  (abbe_border)border);
        enum taps_kind kind = number / 2 % 2 ? TAPS_SYMMETRIC : TAPS_ANY;
        failures += run_methods(trial, &kernels[kind], false);
        failures += run_methods(trial, &kernels[TAPS_SEPARABLE], true);
    }
    for (int kind = 0; kind < KINDS; kind++)
        trial_kernel_free(&kernels[kind]);
    return failures;
}

static void small_shapes(void **state)
{
    (void)state;
    int failures = 0;
    for (int shape = part; shape < KERNEL_MAX * KERNEL_MAX && failures < 10; shape += parts)
        failures += run_kernel(1 + shape % KERNEL_MAX, 1 + shape / KERNEL_MAX);
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 1);
    if (argc > 3) {
        part = atoi(argv[2]);
        parts = atoi(argv[3]);
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(small_shapes) };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failed;
}
