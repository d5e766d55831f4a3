/* The amplitudes of a tapered picture over frequency, in which peaks are looked for. */
#ifndef ABBE_SPECTRUM_SURFACE_H
#define ABBE_SPECTRUM_SURFACE_H

#include <abbe/abbe.h>

#include <stddef.h>

/* Amplitudes on a transform grid at least as large as the picture. A bin is one frequency of the grid. Of each
 * conjugate pair the value of one bin is kept: columns 0 … width/2. */
struct surface {
    int width, height;
    int columns;
    double stretch_x, stretch_y; /* bins per cycle across the picture: grid / picture, at least 1 */
    double unit;                 /* the sample value that an amplitude of 1 stands for */
    float strongest;
    float *values; /* `height` rows of `columns` */
};

/* Half the width of the peak of a sinusoid, in cycles across the picture: beyond, the taper leaves less than
 * 2.2 · 10⁻⁵ of it. */
enum { SURFACE_LOBE = 4 };

/* Pixels of a side below which a picture is thin: the peak of a sinusoid covers most frequencies along it. */
enum { SURFACE_THIN = 16 };

/* Computes the surface of a checked view: at each bin, the amplitude of a sinusoid of that frequency, as the
 * root mean square over the channels. Errors, recorded for `cpu`: those of abbe_fft_forward, NONFINITE,
 * MEMORY, SIZE. */
int surface_create(abbe_device *cpu, const abbe_image *picture, struct surface *surface);
void surface_free(struct surface *surface);

/* The place of bin (u, v) in `values`, for −width ≤ u < 2 · width and −height ≤ v < 2 · height. The bins of a
 * conjugate pair have the same place. */
static inline size_t surface_place(const struct surface *surface, int u, int v)
{
    u += u < 0 ? surface->width : u >= surface->width ? -surface->width : 0;
    v += v < 0 ? surface->height : v >= surface->height ? -surface->height : 0;
    int mirrored_u = u ? surface->width - u : 0, mirrored_v = v ? surface->height - v : 0;
    if (mirrored_u < u || (mirrored_u == u && mirrored_v < v))
        u = mirrored_u, v = mirrored_v;
    return (size_t)v * (size_t)surface->columns + (size_t)u;
}

static inline float surface_at(const struct surface *surface, int u, int v)
{
    return surface->values[surface_place(surface, u, v)];
}

#endif
