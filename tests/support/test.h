/* The test framework: cmocka with the headers that it needs, the device under test and the main function.
 *
 * A program ends with the table of its tests and one of the two main functions below:
 *
 *     static const struct CMUnitTest tests[] = { cmocka_unit_test(one), cmocka_unit_test(other) };
 *
 *     TEST_MAIN(tests)
 */
#ifndef ABBE_TESTS_TEST_H
#define ABBE_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <abbe/abbe.h>

/* Exit status of a program that cannot test anything here; CTest reports it as skipped. */
enum { TEST_SKIPPED = 77 };

/* Opens the device that the first argument of the program names, "cpu" without an argument. Exits with
 * TEST_SKIPPED where it does not open. */
abbe_device *test_open_device(int argc, char **argv, int threads);

/* Skips the running test unless the device computes on the host, as spectra require. */
void test_require_host(const abbe_device *device);

/* Exits with TEST_SKIPPED unless the device of this name opens. */
void test_require_device(const char *name);

/* Fails the test unless a call returned the error `expected` and left a message that contains `text`. The
 * message is the one of `device`, NULL for functions that take no device. `call` names the call in the
 * failure. */
void test_refused(const char *call, int error, int expected, const abbe_device *device, const char *text);

/* Defines main: runs the tests. */
#define TEST_MAIN(tests)                                  \
    int main(void)                                        \
    {                                                     \
        return cmocka_run_group_tests(tests, NULL, NULL); \
    }

/* Defines main: runs the tests on the device that the first argument names, opened with this number of
 * threads and held in the static variable `device`. */
#define TEST_MAIN_ON_DEVICE(tests, device, threads)               \
    int main(int argc, char **argv)                               \
    {                                                             \
        device = test_open_device(argc, argv, threads);           \
        int failures = cmocka_run_group_tests(tests, NULL, NULL); \
        abbe_device_close(&device);                               \
        return failures;                                          \
    }

#endif
