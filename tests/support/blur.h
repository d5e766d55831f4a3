/* A small blur and what it must give: something to filter, for tests whose subject is a device that fails. */
#ifndef ABBE_TESTS_BLUR_H
#define ABBE_TESTS_BLUR_H

#include <abbe/abbe.h>

#include <stdbool.h>

enum { BLUR_WIDTH = 12, BLUR_HEIGHT = 10, BLUR_SAMPLES = BLUR_WIDTH * BLUR_HEIGHT };

/* Makes the picture and, by the oracle, its result; a cmocka fixture. */
int blur_make_expected(void **state);

/* A plan of it, its picture, and a view of as many samples. */
int blur_plan(abbe_device *device, abbe_method method, abbe_plan **plan);
abbe_image blur_source(void);
abbe_image blur_view(float *samples);

/* Plans and runs once; the library's code. */
int blur_run(abbe_device *device, abbe_method method, float *out);

bool blur_is_right(const float *out);
void blur_assert_right(const float *out);

#endif
