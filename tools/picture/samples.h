/* Single samples of pictures without gaps between rows, in the library's unit: integers stand for 0 … 1. */
#ifndef ABBE_PICTURE_SAMPLES_H
#define ABBE_PICTURE_SAMPLES_H

#include <abbe/abbe.h>

/* Loads sample `index`, which is (y · width + x) · channels + channel. */
float sample_load(const abbe_image *view, size_t index);

/* Stores a sample. Integers are rounded and saturated; floats are stored as they are. */
void sample_store(const abbe_image *view, size_t index, double value);

/* The number of samples of a view. */
size_t sample_count(const abbe_image *view);

/* A view of `values`, floats without gaps between rows. */
abbe_image sample_floats(float *values, int width, int height, int channels);

#endif
