/* Instruction-set levels by name, from the device's argument and from the environment. */
#define _GNU_SOURCE
#include "cpu/levels.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens `name` under ABBE_CPU=`wanted` (NULL: unset) and says what came of it. */
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

static void every_level_by_both_ways(void **state)
{
    (void)state;
    for (int i = 0; i < cpu_level_count; i++) {
        char name[32], expected[64], detail[256];
        snprintf(name, sizeof name, "cpu:%s", cpu_levels[i].name);
        snprintf(expected, sizeof expected, "%s, 1 thread", cpu_levels[i].name);
        int right = cpu_levels[i].present() ? ABBE_OK : ABBE_ERR_UNSUPPORTED;
        for (int way = 0; way < 3; way++) {
            static const char *const devices[] = { NULL, "cpu", "auto" };
            const char *device = way == 0 ? name : devices[way];
            assert_int_equal(open_under(way ? cpu_levels[i].name : NULL, device, detail, sizeof detail),
                             right);
            if (right == ABBE_OK)
                assert_string_equal(detail, expected);
            else
                assert_non_null(strstr(detail, "this machine's best level is"));
        }
    }
}

static void without_a_wish_it_is_the_best(void **state)
{
    (void)state;
    char detail[256];
    int best = 0;
    for (int i = 0; i < cpu_level_count; i++)
        best = cpu_levels[i].present() ? i : best;
    assert_int_equal(open_under(NULL, "cpu", detail, sizeof detail), ABBE_OK);
    assert_int_equal(strncmp(detail, cpu_levels[best].name, strlen(cpu_levels[best].name)), 0);
    assert_int_equal(open_under("", "cpu", detail, sizeof detail), ABBE_OK);
    assert_int_equal(strncmp(detail, cpu_levels[best].name, strlen(cpu_levels[best].name)), 0);
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
    assert_non_null(strstr(detail, "ABBE_CPU: no level is called 'nonsense'; there are plain"));
    for (int i = 0; i < cpu_level_count; i++)
        assert_non_null(strstr(detail, cpu_levels[i].name));
    assert_int_equal(open_under("\x1b[2J", "cpu", detail, sizeof detail), ABBE_ERR_INVALID);
    assert_null(strchr(detail, '\x1b'));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_level_by_both_ways),
    cmocka_unit_test(without_a_wish_it_is_the_best),
    cmocka_unit_test(the_argument_comes_first),
    cmocka_unit_test(nonsense_names_the_levels),
};

TEST_MAIN(tests)
