/* The oracle: pictures, borders, convolution and Fourier transforms by their definitions, in double.
 *
 * Nothing here calls the library. It is written to be obviously right, not fast. */
#ifndef ABBE_TESTS_REFERENCE_H
#define ABBE_TESTS_REFERENCE_H

#include <abbe/abbe.h>

/* width × height × channels samples, interleaved. */
struct picture {
    int width, height, channels;
    double *samples;
};

struct picture picture_create(int width, int height, int channels);
void picture_free(struct picture *picture);

static inline double *picture_at(const struct picture *picture, int x, int y, int channel)
{
    return &picture->samples[((long long)y * picture->width + x) * picture->channels + channel];
}

static inline size_t picture_count(const struct picture *picture)
{
    return (size_t)picture->width * picture->height * picture->channels;
}

/* The sample at any coordinate, by the definition of the border. `constant` is the outside pixel of ZERO
 * (pass 0) and CONSTANT. */
double reference_sample(const struct picture *picture, abbe_border border, double constant, long long x,
                        long long y, int channel);

/* out(x, y) = Σ taps(i, j) · in(x − (i − centre_x), y − (j − centre_y)). */
struct picture reference_convolve(const struct picture *in, abbe_border border, double constant,
                                  const abbe_matrix *taps, int centre_x, int centre_y);

/* The picture extended by its border to grid_width × grid_height samples that begin `before` samples left
 * of and above it, filtered cyclically by the gains of `filter`'s component, cropped. Gains are made
 * symmetric as abbe.h describes. */
struct picture reference_transfer(const struct picture *in, abbe_border border, double constant,
                                  int grid_width, int grid_height, int before_x, int before_y,
                                  const abbe_filter *filter, int component);

/* max |H| over frequencies, from below: the gain on a grid fine enough for kernels of up to about 32 taps. */
double reference_peak(const abbe_matrix *taps);

/* ‖a‖₂ and ‖a − b‖₂ over all samples. */
double picture_norm(const struct picture *a);
double picture_distance(const struct picture *a, const struct picture *b);

#endif
