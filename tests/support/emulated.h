/* The emulated driver of CUDA (tests/cuda/emulator), which tests find through LD_LIBRARY_PATH. */
#ifndef ABBE_TESTS_EMULATED_H
#define ABBE_TESTS_EMULATED_H

#include "cuda/emulator/emulator.h"

#include <abbe/abbe.h>

/* What tests ask of it. NULL where libcuda.so.1 is missing or is a real driver. */
const struct emulator *emulated_find(void);

/* The same; exits with TEST_SKIPPED instead of returning NULL. */
const struct emulator *emulated_require(void);

/* Asserts that nothing is left in the driver, which is then told not to fail. */
void emulated_assert_empty(const struct emulator *driver, const char *what, long where);

#endif
