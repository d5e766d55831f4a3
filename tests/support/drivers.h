/* Drivers that are missing, old or failing, for tests of the GL and Vulkan devices.
 *
 * Programs that link drivers.c wrap dlopen and dlsym (WRAP dlopen dlsym in CMake). */
#ifndef ABBE_TESTS_DRIVERS_H
#define ABBE_TESTS_DRIVERS_H

#include <abbe/abbe.h>

#include <stdbool.h>

/* What the library gets from dlopen and dlsym. */
struct drivers {
    const char *missing_library;           /* dlopen fails for names that contain it; NULL: for none */
    const char *(*file)(const char *name); /* returns the file that dlopen opens; NULL: that name */
    void *(*replace)(const char *name, void *found); /* returns what dlsym returns; NULL: what it found */
};
extern struct drivers drivers;

/* Asserts that opening a device fails with ABBE_ERR_DEVICE, and that the message is one line that contains
 * `part`. */
void drivers_assert_refused(const char *name, const char *part);

/* Asserts that a device of this kind ("gl") does not open a software driver unless an environment variable is
 * 1, to which it is set afterwards. */
void drivers_assert_software_on_request(const char *kind, const char *variable);

/* Calls of a driver, one of which fails. */
struct drivers_calls {
    void (*fail_at)(long n); /* lets call n from now on fail; 0 is the next one */
    bool (*failed)(void);    /* whether it has failed */
    int code;                /* the error code of the library then */
};

/* Creates and runs a plan of blur.h again and again, with failing call n = 0, 1, … until none fails. Asserts
 * that errors have the right code and leave the result unwritten, and that the last result is right. Returns
 * the number of runs. */
long drivers_fail_each_call(abbe_device *device, abbe_method method, const struct drivers_calls *calls);

#endif
