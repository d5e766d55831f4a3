/* The oracle: pictures, borders, convolution and Fourier transforms by their definitions, in double. */
#include "support/reference.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

struct picture picture_create(int width, int height, int channels)
{
    struct picture picture = { width, height, channels, NULL };
    picture.samples = calloc((size_t)width * height * channels, sizeof *picture.samples);
    if (!picture.samples)
        abort();
    return picture;
}

void picture_free(struct picture *picture)
{
    free(picture->samples);
    picture->samples = NULL;
}

/* Folds a coordinate into the picture step by step, as abbe.h draws the borders. */
static long long fold(abbe_border border, long long x, long long n)
{
    while (x < 0 || x >= n)
        switch (border) {
        case ABBE_BORDER_REFLECT: x = x < 0 ? -1 - x : 2 * n - 1 - x; break;
        case ABBE_BORDER_MIRROR: x = n == 1 ? 0 : x < 0 ? -x : 2 * n - 2 - x; break;
        case ABBE_BORDER_CLAMP: x = x < 0 ? 0 : n - 1; break;
        case ABBE_BORDER_WRAP: x = x < 0 ? x + n : x - n; break;
        case ABBE_BORDER_ZERO:
        case ABBE_BORDER_CONSTANT: return -1;
        }
    return x;
}

double reference_sample(const struct picture *picture, abbe_border border, double constant, long long x,
                        long long y, int channel)
{
    x = fold(border, x, picture->width);
    y = fold(border, y, picture->height);
    return x < 0 || y < 0 ? constant : *picture_at(picture, (int)x, (int)y, channel);
}

/* The picture with its border written out, so that the sums below need no folding. */
static struct picture extend(const struct picture *in, abbe_border border, double constant, int left,
                             int above, int width, int height)
{
    struct picture out = picture_create(width, height, in->channels);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < in->channels; c++)
                *picture_at(&out, x, y, c) = reference_sample(in, border, constant, x - left, y - above, c);
    return out;
}

struct picture reference_convolve(const struct picture *in, abbe_border border, double constant,
                                  const abbe_matrix *taps, int centre_x, int centre_y)
{
    int left = taps->width - 1 - centre_x, above = taps->height - 1 - centre_y;
    struct picture wide = extend(in, border, constant, left, above, in->width + taps->width - 1,
                                 in->height + taps->height - 1);
    struct picture out = picture_create(in->width, in->height, in->channels);
    for (int y = 0; y < in->height; y++)
        for (int x = 0; x < in->width; x++)
            for (int j = 0; j < taps->height; j++)
                for (int i = 0; i < taps->width; i++)
                    for (int c = 0; c < in->channels; c++)
                        *picture_at(&out, x, y, c) += taps->values[j * taps->width + i] *
                                                      *picture_at(&wide, x - (i - centre_x) + left,
                                                                  y - (j - centre_y) + above, c);
    picture_free(&wide);
    return out;
}

/* e^(sign · 2πj · k / n) */
static double complex root(long long k, long long n, int sign)
{
    double angle = 2 * M_PI * (double)(k % n) / (double)n;
    return cos(angle) + I * (sign * sin(angle));
}

/* Naive DFT along both axes, one after the other, unscaled. */
static void dft(double complex *samples, int width, int height, int sign)
{
    int longest = width > height ? width : height;
    double complex *line = malloc((size_t)longest * sizeof *line);
    double complex *roots = malloc((size_t)longest * sizeof *roots);
    for (int pass = 0; pass < 2; pass++) {
        int n = pass ? height : width, lines = pass ? width : height;
        int step = pass ? width : 1, skip = pass ? 1 : width;
        for (int k = 0; k < n; k++)
            roots[k] = root(k, n, sign);
        for (int l = 0; l < lines; l++) {
            for (int u = 0; u < n; u++) {
                line[u] = 0;
                for (int x = 0; x < n; x++)
                    line[u] += samples[(size_t)l * skip + (size_t)x * step] * roots[(long long)u * x % n];
            }
            for (int u = 0; u < n; u++)
                samples[(size_t)l * skip + (size_t)u * step] = line[u];
        }
    }
    free(roots);
    free(line);
}

static double frequency(int u, int n)
{
    return u <= (n - 1) / 2 ? (double)u / n : (double)(u - n) / n;
}

static double complex gain_at(const abbe_filter *filter, int component, int u, int v, int width, int height)
{
    double gain[2];
    if (abbe_filter_gain(filter, component, frequency(u, width), frequency(v, height), gain))
        abort();
    return gain[0] + I * gain[1];
}

struct picture reference_transfer(const struct picture *in, abbe_border border, double constant,
                                  int grid_width, int grid_height, int before_x, int before_y,
                                  const abbe_filter *filter, int component)
{
    struct picture wide = extend(in, border, constant, before_x, before_y, grid_width, grid_height);
    struct picture out = picture_create(in->width, in->height, in->channels);
    size_t count = (size_t)grid_width * grid_height;
    double complex *plane = malloc(count * sizeof *plane);
    for (int c = 0; c < in->channels; c++) {
        for (size_t i = 0; i < count; i++)
            plane[i] = wide.samples[i * (size_t)in->channels + (size_t)c];
        dft(plane, grid_width, grid_height, -1);
        for (int v = 0; v < grid_height; v++)
            for (int u = 0; u < grid_width; u++) {
                int other_u = (grid_width - u) % grid_width, other_v = (grid_height - v) % grid_height;
                double complex h = gain_at(filter, component, u, v, grid_width, grid_height);
                double complex mirrored = gain_at(filter, component, other_u, other_v, grid_width,
                                                  grid_height);
                plane[(size_t)v * grid_width + u] *= (h + conj(mirrored)) / 2 / (double)count;
            }
        dft(plane, grid_width, grid_height, 1);
        for (int y = 0; y < in->height; y++)
            for (int x = 0; x < in->width; x++)
                *picture_at(&out, x, y,
                            c) = creal(plane[(size_t)(y + before_y) * grid_width + (x + before_x)]);
    }
    free(plane);
    picture_free(&wide);
    return out;
}

double reference_peak(const abbe_matrix *taps)
{
    enum { GRID = 32 };
    double peak = 0;
    for (int v = 0; v < GRID; v++)
        for (int u = 0; u <= GRID / 2; u++) {
            double complex sum = 0;
            for (int j = 0; j < taps->height; j++)
                for (int i = 0; i < taps->width; i++)
                    sum += taps->values[j * taps->width + i] *
                           root((long long)u * i + (long long)v * j, GRID, -1);
            peak = fmax(peak, cabs(sum));
        }
    return peak;
}

double picture_norm(const struct picture *a)
{
    double sum = 0;
    for (size_t i = 0; i < picture_count(a); i++)
        sum += a->samples[i] * a->samples[i];
    return sqrt(sum);
}

double picture_distance(const struct picture *a, const struct picture *b)
{
    double sum = 0;
    for (size_t i = 0; i < picture_count(a); i++)
        sum += (a->samples[i] - b->samples[i]) * (a->samples[i] - b->samples[i]);
    return sqrt(sum);
}
