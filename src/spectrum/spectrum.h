/* Packed spectra inside views: what spectrum.c and packed_spectrum.c share. */
#ifndef ABBE_SPECTRUM_SPECTRUM_H
#define ABBE_SPECTRUM_SPECTRUM_H

#include "core/view.h"
#include "spectrum/packed.h"

#include <abbe/abbe.h>

#include <string.h>

struct frequency {
    float re, im;
};

/* ABBE_OK when the view is sound and holds F32, as a packed spectrum must; else records a sentence. */
int spectrum_check_packed(const abbe_device *device, const abbe_image *view, const char *what);

/* ABBE_OK when two sound views have the same width, height and channels; else records a sentence. */
int spectrum_check_shapes(const abbe_device *device, const abbe_image *a, const char *a_name,
                          const abbe_image *b, const char *b_name);

/* ABBE_OK when two sound views are the same or share no byte; else records a sentence. */
int spectrum_check_overlap(const abbe_device *device, const abbe_image *a, const char *a_name,
                           const abbe_image *b, const char *b_name);

/* Sample (u, v) of a channel of an F32 view, which need not be aligned. */
static inline char *spectrum_sample(const abbe_image *view, int u, int v, int channel)
{
    return (char *)core_row(view, v) + ((size_t)u * (size_t)view->channels + (size_t)channel) * sizeof(float);
}

static inline struct frequency spectrum_read(const abbe_image *packed, const struct packed_place *place,
                                             int channel)
{
    struct frequency f;
    memcpy(&f.re, spectrum_sample(packed, place->re_u, place->re_v, channel), sizeof f.re);
    memcpy(&f.im, spectrum_sample(packed, place->im_u, place->im_v, channel), sizeof f.im);
    f.im = place->im_sign ? (float)place->im_sign * f.im : 0;
    return f;
}

static inline void spectrum_write(const abbe_image *packed, const struct packed_place *place, int channel,
                                  struct frequency f)
{
    float im = (float)place->im_sign * f.im;
    memcpy(spectrum_sample(packed, place->re_u, place->re_v, channel), &f.re, sizeof f.re);
    if (place->im_sign)
        memcpy(spectrum_sample(packed, place->im_u, place->im_v, channel), &im, sizeof im);
}

#endif
