/* A small blur and its expected result, for tests of devices that fail. */
#ifndef ABBE_TESTS_BLUR_H
#define ABBE_TESTS_BLUR_H

#include <abbe/abbe.h>

#include <stdbool.h>

enum { BLUR_WIDTH = 12, BLUR_HEIGHT = 10, BLUR_SAMPLES = BLUR_WIDTH * BLUR_HEIGHT };

/* Creates the picture and, with the oracle, its expected result. A cmocka fixture. */
int blur_make_expected(void **state);

/* Creates a plan of the blur; the source; a view of BLUR_SAMPLES samples. */
int blur_plan(abbe_device *device, abbe_method method, abbe_plan **plan);
abbe_image blur_source(void);
abbe_image blur_view(float *samples);

/* Creates the plan, runs it once and returns the error code of the library. */
int blur_run(abbe_device *device, abbe_method method, float *out);

/* Whether BLUR_SAMPLES samples are the expected result. */
bool blur_is_right(const float *out);
void blur_assert_right(const float *out);

#endif
