/* The packed spectrum of a real picture (Moreland & Angel 2003, eq. 9 and 10), for even and odd sizes.
 *
 * The picture and its packed spectrum A are width × height, the paper's M × N; A[u][v] is column u, row v.
 * F(u, v) and F(M − u, N − v) are conjugates, so half of the spectrum determines it: M · N real numbers.
 *
 *     A[u][v] holds    u = 0, M/2      0 < u < M/2       M/2 < u < M
 *     v ≤ N/2          Re F(u, v)      Re F(u, N − v)    Im F(u, v)
 *     v > N/2          Im F(u, v)      Re F(u, N − v)    Im F(u, v)
 *
 * where row N − 0 is row 0. For odd sizes there is no column M/2 or row N/2, and the same rules hold. */
#ifndef ABBE_SPECTRUM_PACKED_H
#define ABBE_SPECTRUM_PACKED_H

#include "core/view.h"

#include <abbe/abbe.h>

#include <string.h>

/* The elements of A that hold F(u, v): Re = A[re_u][re_v], Im = im_sign · A[im_u][im_v]. im_sign is 0 where F
 * is its own conjugate; in each conjugate pair it is −1 for one frequency and 1 for the other. The two
 * frequencies of a pair share the same two elements, which belong to no other frequency. */
struct packed_place {
    int re_u, re_v;
    int im_u, im_v;
    int im_sign;
};

/* For 0 ≤ u < width, 0 ≤ v < height. */
struct packed_place packed_place(int width, int height, int u, int v);

/* Checks that a device computes spectra; NULL stands for one that does. Records a message. */
int packed_check_host(abbe_device *cpu, const char *function);

/* ---- Packed spectra in views ---- */

struct frequency {
    float re, im;
};

/* Checks a view of a packed spectrum, which must be of type F32. Records a message. */
int packed_check_packed(const abbe_device *device, const abbe_image *view, const char *name);

/* Checks that two checked views have the same width, height and channels. Records a message. */
int packed_check_shapes(const abbe_device *device, const abbe_image *a, const char *a_name,
                        const abbe_image *b, const char *b_name);

/* Checks that two checked views are the same or share no byte. Records a message. */
int packed_check_overlap(const abbe_device *device, const abbe_image *a, const char *a_name,
                         const abbe_image *b, const char *b_name);

/* The address of sample (u, v) of a channel of an F32 view. It need not be aligned. */
static inline char *packed_sample(const abbe_image *view, int u, int v, int channel)
{
    return core_sample(view, u, v, channel);
}

static inline struct frequency packed_read(const abbe_image *packed, const struct packed_place *place,
                                           int channel)
{
    struct frequency f;
    memcpy(&f.re, packed_sample(packed, place->re_u, place->re_v, channel), sizeof f.re);
    memcpy(&f.im, packed_sample(packed, place->im_u, place->im_v, channel), sizeof f.im);
    f.im = place->im_sign ? (float)place->im_sign * f.im : 0;
    return f;
}

static inline void packed_write(const abbe_image *packed, const struct packed_place *place, int channel,
                                struct frequency f)
{
    float im = (float)place->im_sign * f.im;
    memcpy(packed_sample(packed, place->re_u, place->re_v, channel), &f.re, sizeof f.re);
    if (place->im_sign)
        memcpy(packed_sample(packed, place->im_u, place->im_v, channel), &im, sizeof im);
}

#endif
