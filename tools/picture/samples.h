/* Samples of packed pictures, one by one, in the library's unit: integers stand for 0 … 1. */
#ifndef ABBE_TOOL_SAMPLES_H
#define ABBE_TOOL_SAMPLES_H

#include <abbe/abbe.h>

/* Sample `index` of a view without gaps between its rows: (y · width + x) · channels + channel. */
float sample_load(const abbe_image *view, size_t index);

/* Integers are rounded and saturated; floats stay as they are. */
void sample_store(const abbe_image *view, size_t index, double value);

/* The number of samples of a view. */
size_t sample_count(const abbe_image *view);

/* A view of `values`, floats without gaps. */
abbe_image sample_floats(float *values, int width, int height, int channels);

#endif
