/* Instruction-set levels: by name, from the device's argument and from the environment; and in use while
 * plans are made. */
#define _GNU_SOURCE
#include "cpu/levels.h"
#include "fft/levels.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens `name` under ABBE_CPU=`wanted` (NULL: unset). Writes the device's detail, or the error message. */
static int open_under(const char *wanted, const char *name, char *detail, size_t size)
{
    abbe_device *device = NULL;
    if (wanted)
        setenv("ABBE_CPU", wanted, 1);
    else
        unsetenv("ABBE_CPU");
    int error = abbe_device_open(name, &(abbe_device_params){ .threads = 1 }, &device);
    snprintf(detail, size, "%s", error ? abbe_error_text(NULL) : abbe_device_detail(device));
    abbe_device_close(&device);
    return error;
}

static void every_level_by_argument_and_environment(void **state)
{
    (void)state;
    for (int i = 0; i < LEVEL_COUNT; i++) {
        char name[32], expected[64], detail[256];
        snprintf(name, sizeof name, "cpu:%s", core_level_name(i));
        snprintf(expected, sizeof expected, "%s, 1 thread", core_level_name(i));
        int right = core_level_present(i) ? ABBE_OK : ABBE_ERR_UNSUPPORTED;
        for (int way = 0; way < 3; way++) {
            static const char *const devices[] = { NULL, "cpu", "auto" };
            const char *device = way == 0 ? name : devices[way];
            assert_int_equal(open_under(way ? core_level_name(i) : NULL, device, detail, sizeof detail),
                             right);
            if (right == ABBE_OK)
                assert_string_equal(detail, expected);
            else
                assert_non_null(strstr(detail, "this machine's best level is"));
        }
    }
}

static void the_best_is_the_default(void **state)
{
    (void)state;
    char detail[256];
    int best = 0;
    for (int i = 0; i < LEVEL_COUNT; i++)
        best = core_level_present(i) ? i : best;
    assert_int_equal(open_under(NULL, "cpu", detail, sizeof detail), ABBE_OK);
    assert_int_equal(strncmp(detail, core_level_name(best), strlen(core_level_name(best))), 0);
    assert_int_equal(open_under("", "cpu", detail, sizeof detail), ABBE_OK);
    assert_int_equal(strncmp(detail, core_level_name(best), strlen(core_level_name(best))), 0);
}

static void the_argument_comes_first(void **state)
{
    (void)state;
    char detail[256];
    assert_int_equal(open_under("nonsense", "cpu:plain", detail, sizeof detail), ABBE_OK);
    assert_string_equal(detail, "plain, 1 thread");
}

static void nonsense_names_the_levels(void **state)
{
    (void)state;
    char detail[256];
    assert_int_equal(open_under("nonsense", "auto", detail, sizeof detail), ABBE_ERR_INVALID);
    assert_non_null(strstr(detail, "ABBE_CPU: no level is called 'nonsense'; the levels are plain"));
    for (int i = 0; i < LEVEL_COUNT; i++)
        assert_non_null(strstr(detail, core_level_name(i)));
    assert_int_equal(open_under("\x1b[2J", "cpu", detail, sizeof detail), ABBE_ERR_INVALID);
    assert_null(strchr(detail, '\x1b'));
}

/* ---- While a plan is made ----------------------------------------------------------------------------- */

#if defined __x86_64__
/* Calls of the FFT's kernels, by level. */
static int fft_calls[LEVEL_COUNT];

#define COUNTED(function, level)                                    \
    void __real_##function(const void *fft, void *x, size_t lanes); \
    void __wrap_##function(const void *fft, void *x, size_t lanes); \
    void __wrap_##function(const void *fft, void *x, size_t lanes)  \
    {                                                               \
        fft_calls[level]++;                                         \
        __real_##function(fft, x, lanes);                           \
    }

COUNTED(fft_f64_forward_avx2, LEVEL_AVX2)
COUNTED(fft_f64_inverse_avx2, LEVEL_AVX2)
COUNTED(fft_f64_forward_avx512, LEVEL_AVX512)
COUNTED(fft_f64_inverse_avx512, LEVEL_AVX512)

/* A dense kernel of 31 × 31 taps, whose rows fill vectors, and a transfer function whose reach must be
 * found. */
static void make_plans(const char *name)
{
    static const char *const texts[] = { "disk:radius=15", "lowpass:cutoff=0.1:order=3" };
    abbe_device *device = NULL;
    assert_int_equal(abbe_device_open(name, &(abbe_device_params){ .threads = 1 }, &device), ABBE_OK);
    for (int i = 0; i < 2; i++) {
        abbe_filter *filter = NULL;
        abbe_plan *plan = NULL;
        assert_int_equal(abbe_filter_parse(texts[i], NULL, &filter), ABBE_OK);
        const abbe_plan_params params = { .width = 100,
                                          .height = 90,
                                          .channels = 1,
                                          .source_type = ABBE_F32,
                                          .result_type = ABBE_F32,
                                          .border = ABBE_BORDER_CLAMP,
                                          .method = ABBE_METHOD_FFT,
                                          .filters = (const abbe_filter *const[]){ filter },
                                          .filter_count = 1 };
        assert_int_equal(abbe_plan_create(device, &params, &plan), ABBE_OK);
        abbe_plan_destroy(&plan);
        abbe_filter_destroy(&filter);
    }
    abbe_device_close(&device);
}

static void a_plan_is_made_with_kernels_of_its_level(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++)
        for (int i = 0; i < LEVEL_COUNT; i++) {
            if (!core_level_present(i))
                continue;
            char name[32];
            snprintf(name, sizeof name, way ? "cpu" : "cpu:%s", core_level_name(i));
            setenv("ABBE_CPU", core_level_name(way ? i : LEVEL_PLAIN), 1);
            memset(fft_calls, 0, sizeof fft_calls);
            make_plans(name);
            for (int other = 0; other < LEVEL_COUNT; other++)
                assert_int_equal(fft_calls[other] > 0, other == i && fft_levels[other].lanes > 0);
        }
    unsetenv("ABBE_CPU");
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_level_by_argument_and_environment),
    cmocka_unit_test(the_best_is_the_default),
    cmocka_unit_test(the_argument_comes_first),
    cmocka_unit_test(nonsense_names_the_levels),
#if defined __x86_64__
    cmocka_unit_test(a_plan_is_made_with_kernels_of_its_level),
#endif
};

TEST_MAIN(tests)
