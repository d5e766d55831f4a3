/* Devices by name, and the version. */
#include "support/faults.h"
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

/* The list has the CPU first; every adapter has a kind and a name that its device understands. */
static void adapters_are_listed(void **state)
{
    (void)state;
    const abbe_adapter *const *adapters = NULL;
    size_t count = 0;
    assert_int_equal(abbe_device_list(&adapters, &count), ABBE_OK);
    assert_true(adapters && count >= 1);
    assert_string_equal(adapters[0]->name, "cpu");
    assert_int_equal(adapters[0]->kind, ABBE_ADAPTER_CPU);
    assert_true(adapters[0]->memory > 0 && *adapters[0]->driver);
    for (size_t i = 0; i < count; i++) {
        const abbe_adapter *adapter = adapters[i];
        assert_non_null(abbe_adapter_kind_name(adapter->kind));
        assert_true(adapter->model && adapter->driver && adapter->driver_version && adapter->problem);
        assert_true(i == 0 || adapter->kind != ABBE_ADAPTER_CPU);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(adapter->name, adapters[j]->name);
    }
    abbe_device_list_free(&adapters);
    assert_null(adapters);
    abbe_device_list_free(&adapters);
    abbe_device_list_free(NULL);
    test_refused("no list", abbe_device_list(NULL, &count), ABBE_ERR_INVALID, NULL, "adapters is NULL");
    test_refused("no count", abbe_device_list(&adapters, NULL), ABBE_ERR_INVALID, NULL, "count is NULL");
    assert_null(adapters);
    static const char *const kinds[] = { "cpu", "discrete", "integrated", "virtual", "software", "unknown" };
    for (int i = 0; i < ABBE_ADAPTER_COUNT; i++)
        assert_string_equal(abbe_adapter_kind_name((abbe_adapter_kind)i), kinds[i]);
    assert_null(abbe_adapter_kind_name((abbe_adapter_kind)ABBE_ADAPTER_COUNT));
    assert_null(abbe_adapter_kind_name((abbe_adapter_kind)-1));
}

/* A list without memory is refused and leaves nothing behind. */
static void lists_without_memory(void **state)
{
    (void)state;
    size_t count = 77, live = faults_live();
    bool failed = true;
    for (long n = 0; failed; n++) {
        const abbe_adapter *const *adapters = NULL;
        faults_arm(n, false);
        int error = abbe_device_list(&adapters, &count);
        failed = faults_disarm();
        assert_int_equal(error, failed ? ABBE_ERR_MEMORY : ABBE_OK);
        assert_true(failed == !adapters && (!failed || count == 77));
        abbe_device_list_free(&adapters);
        assert_int_equal(faults_live(), live);
    }
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
    cmocka_unit_test(adapters_are_listed),
    cmocka_unit_test(lists_without_memory),
    cmocka_unit_test(names_that_open),
    cmocka_unit_test(names_and_threads_that_do_not),
    cmocka_unit_test(closing_forgets_the_message),
};

TEST_MAIN(tests)
