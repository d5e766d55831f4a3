/* One-dimensional complex transforms of any length, in the engine's order and in float or double.
 *
 * Data are `length` rows of `lanes` independent transforms, real parts beside imaginary parts:
 *     re of sample k, lane l:  x[(2k) · lanes + l]          im:  x[(2k + 1) · lanes + l]
 * so that one lane is the usual interleaved complex array, and many lanes vectorise without shuffles.
 *
 * Forward is decimation in frequency: natural order in, engine order out. Inverse is decimation in time:
 * engine order in, natural order out. Nothing is ever reordered in between. Both are in place and unscaled:
 * inverse(forward(x)) = length · x. fft_*_order()[position] is the frequency at a position.
 *
 * A transform is immutable; threads may share it if each has separate scratch. */
#ifndef ABBE_FFT_FFT_H
#define ABBE_FFT_FFT_H

#include "core/level.h"

#include <stddef.h>

struct fft_f32;
struct fft_f64;

/* ABBE_OK, ABBE_ERR_MEMORY, or ABBE_ERR_SIZE for a length below 1 or one that needs Bluestein's algorithm and
 * a padded length beyond int (above 1072076513). *fft is unchanged on failure. Records no message:
 * only the caller knows what failed. */
int fft_f32_create(int length, struct fft_f32 **fft);
int fft_f64_create(int length, struct fft_f64 **fft);

/* The same with the vector kernels of a level, for rows whose lanes fill whole vectors. Transforms of the two
 * functions above use the kernels of the baseline, as do all transforms in float. */
int fft_f32_create_at(enum core_level level, int length, struct fft_f32 **fft);
int fft_f64_create_at(enum core_level level, int length, struct fft_f64 **fft);

void fft_f32_destroy(struct fft_f32 **fft);
void fft_f64_destroy(struct fft_f64 **fft);

/* Floats (doubles) of scratch that forward and inverse need for `lanes` lanes; 0 without Bluestein's
 * algorithm. */
size_t fft_f32_scratch(const struct fft_f32 *fft, size_t lanes);
size_t fft_f64_scratch(const struct fft_f64 *fft, size_t lanes);

const int *fft_f32_order(const struct fft_f32 *fft);
const int *fft_f64_order(const struct fft_f64 *fft);

void fft_f32_forward(const struct fft_f32 *fft, float *x, size_t lanes, float *scratch);
void fft_f32_inverse(const struct fft_f32 *fft, float *x, size_t lanes, float *scratch);
void fft_f64_forward(const struct fft_f64 *fft, double *x, size_t lanes, double *scratch);
void fft_f64_inverse(const struct fft_f64 *fft, double *x, size_t lanes, double *scratch);

#endif
