/* The loops that FFTW leaves to the application: pixels to planes, spectrum times H, planes to pixels. */
#ifndef ABBE_BENCH_LOOPS_H
#define ABBE_BENCH_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Convert RGBA bytes to four planes with values 0 … 255, and back, rounded and saturated. */
void loop_split(const uint8_t *pixels, float *const planes[4], size_t count, int threads);
void loop_join(const float *const planes[4], uint8_t *pixels, size_t count, int threads);

/* The same for RGB bytes and three planes. */
void loop_split_rgb(const uint8_t *pixels, float *const planes[3], size_t count, int threads);
void loop_join_rgb(const float *const planes[3], uint8_t *pixels, size_t count, int threads);

/* The same for RGBA floats. */
void loop_split_floats(const float *pixels, float *const planes[4], size_t count, int threads);
void loop_join_floats(const float *const planes[4], float *pixels, size_t count, int threads);

/* Multiplies complex numbers { re, im } by a real H. */
void loop_multiply(float *spectrum, const float *gains, size_t count, int threads);

#endif
