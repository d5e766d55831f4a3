/* The emulated driver of CUDA, which tests find through LD_LIBRARY_PATH. */
#include "support/emulated.h"
#include "support/test.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

const struct emulator *emulated_find(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    return library ? dlsym(library, "emulator") : NULL;
}

const struct emulator *emulated_require(void)
{
    const struct emulator *driver = emulated_find();
    if (!driver) {
        printf("there is no emulated driver of CUDA\n");
        exit(TEST_SKIPPED);
    }
    return driver;
}

void emulated_assert_empty(const struct emulator *driver, const char *what, long where)
{
    driver->fail_at(-1, 0, false);
    const char *left = driver->first_difference(driver->counts(), (struct emulator_counts){ 0 });
    if (left)
        fail_msg("%s, %ld: there are %s left", what, where, left);
}
