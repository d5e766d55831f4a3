/* Devices by name, and the version. */
#include "support/test.h"

#include <abbe/abbe.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void version_is_the_header_s(void **state)
{
    (void)state;
    char expected[64];
    snprintf(expected, sizeof expected, "%d.%d.%d", ABBE_VERSION_MAJOR, ABBE_VERSION_MINOR,
             ABBE_VERSION_PATCH);
    assert_string_equal(abbe_version(), expected);
}

static void catalogue_opens(void **state)
{
    (void)state;
    size_t count = 0;
    const abbe_device_entry *const *entries = abbe_device_catalogue(&count);
    assert_true(entries && count >= 1);
    assert_ptr_equal(abbe_device_catalogue(NULL), entries);
    bool has_cpu = false;
    for (size_t i = 0; i < count; i++) {
        assert_true(*entries[i]->name && *entries[i]->summary);
        has_cpu |= !strcmp(entries[i]->name, "cpu");
    }
    assert_true(has_cpu);
}

static void names_that_open(void **state)
{
    (void)state;
    const char *names[] = { "cpu", "auto", NULL };
    for (int i = 0; i < 3; i++)
        for (int threads = 0; threads < 4; threads++) {
            abbe_device *device = NULL;
            assert_int_equal(abbe_device_open(names[i], &(abbe_device_params){ .threads = threads }, &device),
                             ABBE_OK);
            assert_non_null(device);
            assert_true(*abbe_device_name(device));
            assert_string_equal(abbe_error_text(device), "");
            abbe_device_close(&device);
            assert_null(device);
            abbe_device_close(&device);
        }
    abbe_device *device = NULL;
    assert_int_equal(abbe_device_open("cpu", NULL, &device), ABBE_OK);
    assert_string_equal(abbe_device_name(device), "cpu");
    abbe_device_close(&device);
    abbe_device_close(NULL);
    assert_string_equal(abbe_device_name(NULL), "");
}

static void names_and_threads_that_do_not(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int threads, code;
        const char *says;
    } cases[] = {
        { "metal", 0, ABBE_ERR_UNSUPPORTED, "'metal' is not in this build" },
        { "", 0, ABBE_ERR_UNSUPPORTED, "'' is not in this build" },
        { "cp", 0, ABBE_ERR_UNSUPPORTED, "'cp'" },
        { "cpux", 0, ABBE_ERR_UNSUPPORTED, "'cpux'" },
        { "CPU", 0, ABBE_ERR_UNSUPPORTED, "'CPU'" },
        { ":", 0, ABBE_ERR_UNSUPPORTED, "':'" },
        { "auto:1", 0, ABBE_ERR_UNSUPPORTED, "'auto:1'" },
        { "cpu:3", 0, ABBE_ERR_INVALID, "'3'" },
        { "cpu:", 0, ABBE_ERR_INVALID, "no level is called ''; the levels are plain" },
        { "cpu:avx2 ", 0, ABBE_ERR_INVALID, "'avx2 '" },
        { "cpu", -1, ABBE_ERR_INVALID, "-1 threads" },
        { "auto", INT_MIN, ABBE_ERR_INVALID, "-2147483648 threads" },
        { NULL, INT_MAX, ABBE_ERR_INVALID, "2147483647 threads" },
        { "cpu", 1025, ABBE_ERR_INVALID, "1025 threads" },
    };
    static char somewhere;
    abbe_device *const untouched = (abbe_device *)&somewhere;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_device *device = untouched;
        abbe_device_params params = { .threads = cases[i].threads };
        int code = abbe_device_open(cases[i].name, &params, &device);
        if (code != cases[i].code || !strstr(abbe_error_text(NULL), cases[i].says))
            fail_msg("case %zu: %s: %s", i, abbe_error_name(code), abbe_error_text(NULL));
        assert_ptr_equal(device, untouched);
    }
    assert_int_equal(abbe_device_open("cpu", NULL, NULL), ABBE_ERR_INVALID);
    assert_non_null(strstr(abbe_error_text(NULL), "device"));
}

/* A message must not outlive its device: another may be opened at the same address. */
static void closing_forgets_the_message(void **state)
{
    (void)state;
    abbe_device *device = NULL;
    abbe_plan *plan = NULL;
    assert_int_equal(abbe_device_open("cpu", NULL, &device), ABBE_OK);
    const abbe_device *address = device;
    assert_int_equal(abbe_plan_create(device, NULL, &plan), ABBE_ERR_INVALID);
    assert_true(*abbe_error_text(device));
    abbe_device_close(&device);
    assert_string_equal(abbe_error_text(address), "");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(version_is_the_header_s),
    cmocka_unit_test(catalogue_opens),
    cmocka_unit_test(names_that_open),
    cmocka_unit_test(names_and_threads_that_do_not),
    cmocka_unit_test(closing_forgets_the_message),
};

TEST_MAIN(tests)
