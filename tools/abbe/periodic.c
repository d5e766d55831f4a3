/* The periodic plus smooth decomposition of a picture, in packed spectra. */
#include "periodic.h"

#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds the jump between two pixels that meet at a seam to both of them. */
static void add_jump(const abbe_image *picture, float *seams, size_t first, size_t second)
{
    const float *values = picture->data;
    for (int channel = 0; channel < picture->channels; channel++, first++, second++) {
        float jump = values[second] - values[first];
        seams[first] += jump;
        seams[second] -= jump;
    }
}

static void fill_seams(const abbe_image *picture, float *seams)
{
    size_t channels = (size_t)picture->channels, row = channels * (size_t)picture->width;
    size_t last_column = row - channels, last_row = row * (size_t)(picture->height - 1);
    for (size_t y = 0; y < (size_t)picture->height; y++)
        add_jump(picture, seams, y * row, y * row + last_column);
    for (size_t x = 0; x < (size_t)picture->width; x++)
        add_jump(picture, seams, x * channels, x * channels + last_row);
}

/* S from B. The divisor is even in u and in v, so it is the same for every part of F(±u, ±v), and each
 * element of the packed array can be treated alone. */
static void solve_smooth(const abbe_image *spectrum)
{
    float *values = spectrum->data;
    for (int v = 0; v < spectrum->height; v++) {
        /* 2 cos(a) − 2 = −4 sin²(a/2), without the cancellation at low frequencies. */
        double along_y = sin(M_PI * v / spectrum->height);
        for (int u = 0; u < spectrum->width; u++) {
            double along_x = sin(M_PI * u / spectrum->width);
            double divisor = -4.0 * (along_x * along_x + along_y * along_y);
            for (int channel = 0; channel < spectrum->channels; channel++, values++)
                *values = u || v ? (float)(*values / divisor) : 0.0f;
        }
    }
}

int smooth_spectrum(abbe_device *cpu, const abbe_image *picture, const abbe_image *smooth)
{
    memset(smooth->data, 0, sample_count(smooth) * sizeof(float));
    fill_seams(picture, smooth->data);
    int error = abbe_spectrum_forward(cpu, smooth, smooth);
    if (!error)
        solve_smooth(smooth);
    return error;
}

int periodic_spectrum(abbe_device *cpu, const abbe_image *picture, const abbe_image *spectrum)
{
    float *smooth = malloc(sample_count(picture) * sizeof *smooth);
    if (!smooth)
        return ABBE_ERR_MEMORY;
    abbe_image view = sample_floats(smooth, picture->width, picture->height, picture->channels);
    int error = smooth_spectrum(cpu, picture, &view);
    if (!error)
        error = abbe_spectrum_forward(cpu, picture, spectrum);
    float *values = spectrum->data;
    for (size_t i = 0; !error && i < sample_count(picture); i++)
        values[i] -= smooth[i];
    free(smooth);
    return error;
}
