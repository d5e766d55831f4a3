/* Packed spectra: where each frequency lies (eq. 10 of Moreland & Angel 2003, case by case), and functions
 * that need no transform: read, multiply, pack, unpack.
 *
 * Functions that write visit one frequency of every conjugate pair, the one whose im_sign is not 1. They read
 * its two elements before they write them, and no other pair uses them: a result may be the same view as an
 * operand. */
#include "spectrum/packed.h"

#include "core/error.h"

/* Columns 0 and M/2 are spectra of real columns, which are packed like one-dimensional spectra (eq. 9). */
static struct packed_place place_in_real_column(int height, int u, int v)
{
    if (v == 0 || 2 * (long long)v == height)
        return (struct packed_place){ u, v, u, v, 0 };
    if (2 * (long long)v < height)
        return (struct packed_place){ u, v, u, height - v, -1 };
    return (struct packed_place){ u, height - v, u, v, 1 };
}

struct packed_place packed_place(int width, int height, int u, int v)
{
    if (u == 0 || 2 * (long long)u == width)
        return place_in_real_column(height, u, v);
    if (2 * (long long)u > width)
        return (struct packed_place){ width - u, v, u, v, 1 };
    int mirrored = v == 0 ? 0 : height - v;
    return (struct packed_place){ u, mirrored, width - u, mirrored, -1 };
}

int packed_check_packed(const abbe_device *device, const abbe_image *view, const char *name)
{
    int error = core_check_view(device, view, name);
    if (error)
        return error;
    if (view->type != ABBE_F32)
        return core_fail(device, ABBE_ERR_INVALID, "%s: a packed spectrum must be a view of type F32", name);
    return ABBE_OK;
}

int packed_check_shapes(const abbe_device *device, const abbe_image *a, const char *a_name,
                        const abbe_image *b, const char *b_name)
{
    if (a->width == b->width && a->height == b->height && a->channels == b->channels)
        return ABBE_OK;
    return core_fail(device, ABBE_ERR_INVALID,
                     "%s is %d x %d with %d channels, %s is %d x %d with %d; they must be equal", a_name,
                     a->width, a->height, a->channels, b_name, b->width, b->height, b->channels);
}

int packed_check_overlap(const abbe_device *device, const abbe_image *a, const char *a_name,
                         const abbe_image *b, const char *b_name)
{
    if (core_overlap(a, b) != CORE_OVERLAP)
        return ABBE_OK;
    return core_fail(device, ABBE_ERR_INVALID, "%s and %s overlap; they must be the same view or lie apart",
                     a_name, b_name);
}

int abbe_spectrum_at(const abbe_image *packed, int channel, int u, int v, float value[2])
{
    int error = packed_check_packed(NULL, packed, "packed");
    if (error)
        return error;
    if (!value)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_spectrum_at: value is NULL");
    if (channel < 0 || channel >= packed->channels)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_spectrum_at: channel %d is outside 0 to %d", channel,
                         packed->channels - 1);
    if (u < 0 || u >= packed->width || v < 0 || v >= packed->height)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_spectrum_at: frequency (%d, %d) is outside %d x %d", u,
                         v, packed->width, packed->height);
    struct packed_place place = packed_place(packed->width, packed->height, u, v);
    struct frequency f = packed_read(packed, &place, channel);
    value[0] = f.re;
    value[1] = f.im;
    return ABBE_OK;
}

static int check_product(const abbe_image *a, const abbe_image *b, const abbe_image *result)
{
    int error = packed_check_packed(NULL, a, "a");
    if (!error)
        error = packed_check_packed(NULL, b, "b");
    if (!error)
        error = packed_check_packed(NULL, result, "result");
    if (!error)
        error = packed_check_shapes(NULL, a, "a", result, "result");
    if (error)
        return error;
    if (b->width != a->width || b->height != a->height || (b->channels != 1 && b->channels != a->channels))
        return core_fail(NULL, ABBE_ERR_INVALID,
                         "b is %d x %d with %d channels; for this a it must be %d x %d with 1 or %d",
                         b->width, b->height, b->channels, a->width, a->height, a->channels);
    error = packed_check_overlap(NULL, a, "a", result, "result");
    return error ? error : packed_check_overlap(NULL, b, "b", result, "result");
}

static void multiply_frequency(const abbe_image *a, const abbe_image *b, const abbe_image *result,
                               const struct packed_place *place)
{
    for (int c = 0; c < a->channels; c++) {
        struct frequency f = packed_read(a, place, c);
        struct frequency g = packed_read(b, place, b->channels == 1 ? 0 : c);
        packed_write(result, place, c,
                     (struct frequency){ f.re * g.re - f.im * g.im, f.re * g.im + f.im * g.re });
    }
}

int abbe_spectrum_multiply(const abbe_image *a, const abbe_image *b, const abbe_image *result)
{
    int error = check_product(a, b, result);
    if (error)
        return error;
    for (int v = 0; v < a->height; v++)
        for (int u = 0; u < a->width; u++) {
            struct packed_place place = packed_place(a->width, a->height, u, v);
            if (place.im_sign <= 0)
                multiply_frequency(a, b, result, &place);
        }
    return ABBE_OK;
}

/* A full spectrum as a view of two channels, { re, im }. A view of an input is only read. */
static abbe_image complex_view(int width, int height, const float *spectrum)
{
    return (abbe_image){ .const_data = spectrum,
                         .width = width,
                         .height = height,
                         .channels = 2,
                         .stride = (ptrdiff_t)width * 2 * (ptrdiff_t)sizeof(float),
                         .type = ABBE_F32 };
}

static abbe_image packed_view(int width, int height, const float *packed)
{
    return (abbe_image){ .const_data = packed,
                         .width = width,
                         .height = height,
                         .channels = 1,
                         .stride = (ptrdiff_t)width * (ptrdiff_t)sizeof(float),
                         .type = ABBE_F32 };
}

static int check_packing(const abbe_image *spectrum, const abbe_image *packed)
{
    int error = core_check_view(NULL, spectrum, "spectrum");
    if (!error)
        error = core_check_view(NULL, packed, "packed");
    if (!error && core_overlap(spectrum, packed) != CORE_APART)
        error = core_fail(NULL, ABBE_ERR_INVALID, "spectrum and packed overlap; they must lie apart");
    return error;
}

int abbe_spectrum_pack(int width, int height, const float *spectrum, float *packed)
{
    abbe_image from = complex_view(width, height, spectrum), to = packed_view(width, height, packed);
    int error = check_packing(&from, &to);
    if (error)
        return error;
    for (int v = 0; v < height; v++)
        for (int u = 0; u < width; u++) {
            struct packed_place place = packed_place(width, height, u, v);
            const float *f = spectrum + 2 * ((size_t)v * (size_t)width + (size_t)u);
            if (place.im_sign <= 0)
                packed_write(&to, &place, 0, (struct frequency){ f[0], f[1] });
        }
    return ABBE_OK;
}

int abbe_spectrum_unpack(int width, int height, const float *packed, float *spectrum)
{
    abbe_image from = packed_view(width, height, packed), to = complex_view(width, height, spectrum);
    int error = check_packing(&to, &from);
    if (error)
        return error;
    for (int v = 0; v < height; v++)
        for (int u = 0; u < width; u++) {
            struct packed_place place = packed_place(width, height, u, v);
            struct frequency f = packed_read(&from, &place, 0);
            float *value = spectrum + 2 * ((size_t)v * (size_t)width + (size_t)u);
            value[0] = f.re;
            value[1] = f.im;
        }
    return ABBE_OK;
}
