/* Conversion of samples between storage types and float. Pointers need not be aligned. */
#ifndef ABBE_CORE_SAMPLE_H
#define ABBE_CORE_SAMPLE_H

#include <abbe/abbe.h>

/* Converts `count` samples of a native type to float: U8 / 255, U16 / 65535, F16 and F32 unchanged. */
void core_load_samples(abbe_type type, const void *source, float *result, size_t count);

/* Converts `count` floats to samples: integers are rounded to nearest and saturated (NaN gives 0), F16 is
 * rounded to nearest even and saturated to ±65504, F32 is unchanged. */
void core_store_samples(abbe_type type, const float *source, void *result, size_t count);

float core_half_to_float(uint16_t half);
uint16_t core_float_to_half(float value);

/* The sRGB transfer curve of IEC 61966-2-1, odd-symmetric outside 0 … 1. */
float core_srgb_decode(float coded);
float core_srgb_encode(float linear);
double core_srgb_decode_f64(double coded);
double core_srgb_encode_f64(double linear);

#endif
