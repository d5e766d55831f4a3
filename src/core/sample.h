/* Samples: conversion of rows between storage types and float, without alignment demands. */
#ifndef ABBE_CORE_SAMPLE_H
#define ABBE_CORE_SAMPLE_H

#include <abbe/abbe.h>

/* count samples to float: U8 / 255, U16 / 65535, F16 and F32 as they are. */
void core_load_samples(abbe_type type, const void *source, float *result, size_t count);

/* float to count samples: integers rounded to nearest and saturated (NaN gives 0), F16 rounded to nearest
 * even and saturated to ±65504, F32 as it is. */
void core_store_samples(abbe_type type, const float *source, void *result, size_t count);

float core_half_to_float(uint16_t half);
uint16_t core_float_to_half(float value);

/* The sRGB transfer curve of IEC 61966-2-1, odd-symmetric outside 0 … 1. */
float core_srgb_decode(float coded);
float core_srgb_encode(float linear);

#endif
