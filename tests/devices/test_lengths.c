/* Transform lengths far beyond those of test_shapes: every radix, primes, long rows, tall columns, wide and
 * narrow vectors, compared with direct convolution in double precision.
 *
 * Arguments: DEVICE [LEFT_OUT], the name of a test to skip. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <stdio.h>
#include <string.h>

static abbe_device *device;
/* The device must accept transforms up to this length; OpenGL may refuse more than 8192, CUDA more than 16384. */
static int must_take = 65536;

static bool may_refuse(const struct trial *trial, const struct trial_kernel *kernel)
{
    int longest = trial->width > trial->height ? trial->width : trial->height;
    int reach = kernel->taps.width > kernel->taps.height ? kernel->taps.width : kernel->taps.height;
    if ((trial->border == ABBE_BORDER_WRAP ? longest : longest + reach - 1) <= must_take)
        return false;
    abbe_plan *plan = NULL;
    abbe_plan_params params = { .width = trial->width,
                                .height = trial->height,
                                .channels = trial->channels,
                                .source_type = trial->source_type,
                                .result_type = trial->result_type,
                                .filters = (const abbe_filter *const *)&kernel->filter,
                                .filter_count = 1,
                                .border = trial->border,
                                .method = trial->method };
    int error = abbe_plan_create(device, &params, &plan);
    abbe_plan_destroy(&plan);
    return error == ABBE_ERR_SIZE;
}

static int try_shape(int width, int height, int channels, const struct trial_kernel *kernel,
                     abbe_border border)
{
    struct trial trial = { .seed = (uint64_t)(width * 5000 + height),
                           .width = width,
                           .height = height,
                           .channels = channels,
                           .source_type = width % 3 ? ABBE_F32 : ABBE_U8,
                           .result_type = ABBE_F32,
                           .border = border,
                           .method = ABBE_METHOD_FFT };
    if (may_refuse(&trial, kernel))
        return 0;
    struct trial_case one = trial_case_create(&trial, kernel);
    bool good = trial_run(device, &trial, kernel, &one);
    trial_case_free(&one);
    return !good;
}

/* Brief tests try each length with two numbers of channels: 1 or 3, where one channel is single, and 2 or 4,
 * which are pairs. Slight tests try one number for each border, and one border for each length of a list. */
static bool is_tried(int number, int channels, abbe_border border)
{
    bool wraps = border == ABBE_BORDER_WRAP;
    if (effort_is_slight())
        return channels == (wraps ? 1 : 4) && (number == 0 || (number % 4 == 3) == wraps);
    if (effort_is_brief())
        return channels == 1 + number % 2 * 2 || channels == 2 + number / 2 % 2 * 2;
    return true;
}

/* Chains a filter with a gain of 1 at all frequencies: transfer functions act on the picture at its own size, so
 * that the border WRAP takes the length as it is, and REFLECT twice the length. */
static void keep_length(struct trial_kernel *kernel)
{
    abbe_filter *unity = apply_filter("power:exponent=0"), *chain = NULL;
    const abbe_filter *const both[] = { kernel->filter, unity };
    assert_int_equal(abbe_filter_chain(both, 2, &chain), ABBE_OK);
    abbe_filter_destroy(&kernel->filter);
    abbe_filter_destroy(&unity);
    kernel->filter = chain;
}

/* The border WRAP takes smooth lengths as they are; REFLECT pads them. `kept`: see keep_length. */
static void run_lengths(const int *lengths, int count, bool down, bool kept)
{
    struct random random = { 11 };
    struct trial_kernel kernels[2] = { trial_kernel_create(3, 5, TAPS_SYMMETRIC, false, &random),
                                       trial_kernel_create(4, 3, TAPS_ANY, true, &random) };
    if (kept) {
        keep_length(&kernels[0]);
        keep_length(&kernels[1]);
    }
    static const int others[] = { 4, 6, 10, 7, 9, 16, 5 };
    bool slight = effort_is_slight() && count > 1;
    int failures = 0, step = slight ? 43 : 1;
    for (int i = slight ? 20 - down : 0; i < count && failures < 5; i += step)
        for (int channels = 1; channels <= 4 && effort_takes(i / step); channels++) {
            int other = others[(i + channels) % 7] * (down ? 4 : 1);
            int width = down ? other : lengths[i], height = down ? lengths[i] : other;
            if (is_tried(i, channels, ABBE_BORDER_WRAP))
                failures += try_shape(width, height, channels, &kernels[channels % 2], ABBE_BORDER_WRAP);
            if (is_tried(i, channels, ABBE_BORDER_REFLECT))
                failures += try_shape(width - 1, height, channels, &kernels[i % 2], ABBE_BORDER_REFLECT);
        }
    trial_kernel_free(&kernels[0]);
    trial_kernel_free(&kernels[1]);
    assert_int_equal(failures, 0);
}

static const int lengths[] = { 128,  144,  160,  192,  224,  240,  256,  288,  320,  336,  360,  384,  400,
                               448,  480,  500,  504,  512,  560,  576,  600,  640,  672,  700,  720,  768,
                               800,  864,  896,  900,  960,  1000, 1008, 1024, 1080, 1120, 1152, 1200, 1280,
                               1296, 1344, 1400, 1440, 1500, 1536, 1600, 1680, 1728, 1764, 1792, 1800, 1920,
                               2000, 2016, 2048, 2100, 2160, 2187, 2304, 2401, 3000, 3125, 4000, 4096, 8192 };
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

static void across(void **state)
{
    (void)state;
    run_lengths(lengths, LENGTHS, false, false);
}

static void down(void **state)
{
    (void)state;
    run_lengths(lengths, LENGTHS, true, false);
}

/* Lengths with primes above 7: once, twice, beside powers of two, alone, and rows that fill no vectors. Slight tests
 * take 573, whose reflection has 8 · 11 · 13 samples, and 1573 = 11² · 13. */
static const int primes[] = { 88,  104, 121, 127, 136,  143, 169, 176, 187, 211, 232, 248, 264, 328,  334,
                              361, 376, 424, 472, 1573, 573, 488, 503, 529, 536, 664, 683, 961, 1006, 1366 };
enum { PRIMES = sizeof primes / sizeof primes[0] };

static void across_primes(void **state)
{
    (void)state;
    run_lengths(primes, PRIMES, false, true);
}

static void down_primes(void **state)
{
    (void)state;
    run_lengths(primes, PRIMES, true, true);
}

/* Columns whose chirps are convolved with 2048 points, which GPUs take several columns of at a time. */
static void down_long_primes(void **state)
{
    (void)state;
    struct random random = { 11 };
    struct trial_kernel kernel = trial_kernel_create(3, 5, TAPS_SYMMETRIC, false, &random);
    keep_length(&kernel);
    int failures = try_shape(8, 961, 4, &kernel, ABBE_BORDER_WRAP);
    trial_kernel_free(&kernel);
    assert_int_equal(failures, 0);
}

/* Lengths beyond the shared memory of a GPU, which transforms them in 2, 3 and 7 parts. */
static void longer(void **state)
{
    (void)state;
    static const int longs[] = { 16384, 30720, 57344 };
    int count = effort_is_slight() ? 1 : 3;
    run_lengths(longs, count, false, false);
    run_lengths(longs, count, true, false);
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 1);
    if (argc > 1 && !strncmp(argv[1], "gl", 2))
        must_take = 8192;
    if (argc > 1 && !strncmp(argv[1], "cuda", 4))
        must_take = 16384;
    cmocka_set_skip_filter(argc > 2 ? argv[2] : NULL);
    const struct CMUnitTest tests[] = { cmocka_unit_test(across),           cmocka_unit_test(down),
                                        cmocka_unit_test(across_primes),    cmocka_unit_test(down_primes),
                                        cmocka_unit_test(down_long_primes), cmocka_unit_test(longer) };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failed;
}
