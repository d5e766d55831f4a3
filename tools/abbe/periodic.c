/* Periodic plus smooth decomposition (Moisan 2011).
 *
 * The transform takes a picture as one tile of a pavement. Where opposite edges differ, the pavement has seams,
 * and they show as a bright cross in the spectrum. A picture is therefore split as p + s: the periodic component
 * p has the picture's differences between neighbours inside and none across the seams, the smooth component s has
 * the seams and is harmonic elsewhere:
 *
 *     Δs = b,   b(x,y) = Σ over neighbours across a seam of (neighbour − pixel),
 *     S(u,v) = B(u,v) / (2 cos(2πu/M) + 2 cos(2πv/N) − 4),   S(0,0) = 0,   P = F − S. */
#include "periodic.h"
#include "samples.h"

#include <math.h>
#include <stdlib.h>

/* Adds the jump between two pixels that meet across a seam to both of them. */
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

/* P = F − S. The divisor is even in u and in v, so each place of the packed array can be treated by itself:
 * whichever part of F(±u, ±v) it holds, the divisor is the same. */
static void subtract_smooth(const float *seams, const abbe_image *spectrum)
{
    float *values = spectrum->data;
    for (int v = 0; v < spectrum->height; v++) {
        /* 2 cos(a) − 2 = −4 sin²(a/2), without the cancellation at low frequencies. */
        double along_y = sin(M_PI * v / spectrum->height);
        for (int u = 0; u < spectrum->width; u++) {
            double along_x = sin(M_PI * u / spectrum->width);
            double divisor = -4.0 * (along_x * along_x + along_y * along_y);
            for (int channel = 0; channel < spectrum->channels; channel++, values++, seams++)
                *values -= u || v ? (float)(*seams / divisor) : 0.0f;
        }
    }
}

int periodic_spectrum(abbe_device *device, const abbe_image *picture, const abbe_image *spectrum)
{
    float *seams = calloc(sample_count(picture), sizeof *seams);
    if (!seams)
        return ABBE_ERR_MEMORY;
    fill_seams(picture, seams);
    abbe_image jumps = sample_floats(seams, picture->width, picture->height, picture->channels);
    int error = abbe_spectrum_forward(device, &jumps, &jumps);
    if (!error)
        error = abbe_spectrum_forward(device, picture, spectrum);
    if (!error)
        subtract_smooth(seams, spectrum);
    free(seams);
    return error;
}
