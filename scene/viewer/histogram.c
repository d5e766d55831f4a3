/* Counts display values. */
#include "histogram.h"

#include <stdint.h>

void histogram_count(struct histogram *histogram, enum samples samples, const float *values, size_t pixels,
                     int channels)
{
    uint32_t counts[3][BINS] = { { 0 } };
    /* Coded values are display values. */
    enum samples closing = samples == SAMPLES_CODED ? SAMPLES_PLAIN : samples;
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < channels; c++, values++)
            counts[c][(int)(curve_close(closing, *values) * (BINS - 0.01f))]++;
    *histogram = (struct histogram){ .channels = channels };
    for (int c = 0; c < channels; c++)
        for (int i = 0; i < BINS; i++)
            histogram->shares[c][i] = (float)counts[c][i] / (float)pixels;
}

float histogram_peak(const struct histogram *histogram)
{
    float peak = 0;
    for (int c = 0; c < histogram->channels; c++)
        for (int i = 1; i < BINS - 1; i++)
            peak = fmaxf(peak, histogram->shares[c][i]);
    return peak;
}
