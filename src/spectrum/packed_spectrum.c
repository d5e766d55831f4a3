/* Packed spectra without a transform: look at, multiply, pack and unpack.
 *
 * Writers visit one frequency of every conjugate pair, the one whose im_sign is not 1. Both of its places are
 * read before they are written, and no other pair has them: results may stand where operands stood. */
#include "core/error.h"
#include "spectrum/spectrum.h"

int spectrum_check_packed(const abbe_device *device, const abbe_image *view, const char *what)
{
    int error = core_check_view(device, view, what);
    if (error)
        return error;
    if (view->type != ABBE_F32)
        return core_fail(device, ABBE_ERR_INVALID, "%s: a packed spectrum is a view of type F32", what);
    return ABBE_OK;
}

int spectrum_check_shapes(const abbe_device *device, const abbe_image *a, const char *a_name,
                          const abbe_image *b, const char *b_name)
{
    if (a->width == b->width && a->height == b->height && a->channels == b->channels)
        return ABBE_OK;
    return core_fail(device, ABBE_ERR_INVALID,
                     "%s is %d x %d with %d channels, %s %d x %d with %d; they must be alike", a_name,
                     a->width, a->height, a->channels, b_name, b->width, b->height, b->channels);
}

int spectrum_check_overlap(const abbe_device *device, const abbe_image *a, const char *a_name,
                           const abbe_image *b, const char *b_name)
{
    if (core_overlap(a, b) != CORE_OVERLAP)
        return ABBE_OK;
    return core_fail(device, ABBE_ERR_INVALID, "%s and %s overlap; they may be the same view or lie apart",
                     a_name, b_name);
}

int abbe_spectrum_at(const abbe_image *packed, int channel, int u, int v, float value[2])
{
    int error = spectrum_check_packed(NULL, packed, "packed");
    if (error)
        return error;
    if (!value)
        return core_fail(NULL, ABBE_ERR_INVALID, "spectrum: no place for the value given");
    if (channel < 0 || channel >= packed->channels)
        return core_fail(NULL, ABBE_ERR_INVALID, "spectrum: channel %d; there are %d", channel,
                         packed->channels);
    if (u < 0 || u >= packed->width || v < 0 || v >= packed->height)
        return core_fail(NULL, ABBE_ERR_INVALID, "spectrum: frequency (%d, %d) is outside %d x %d", u, v,
                         packed->width, packed->height);
    struct packed_place place = packed_place(packed->width, packed->height, u, v);
    struct frequency f = spectrum_read(packed, &place, channel);
    value[0] = f.re;
    value[1] = f.im;
    return ABBE_OK;
}

static int check_product(const abbe_image *a, const abbe_image *b, const abbe_image *result)
{
    int error = spectrum_check_packed(NULL, a, "a");
    if (!error)
        error = spectrum_check_packed(NULL, b, "b");
    if (!error)
        error = spectrum_check_packed(NULL, result, "result");
    if (!error)
        error = spectrum_check_shapes(NULL, a, "a", result, "result");
    if (error)
        return error;
    if (b->width != a->width || b->height != a->height || (b->channels != 1 && b->channels != a->channels))
        return core_fail(NULL, ABBE_ERR_INVALID,
                         "b is %d x %d with %d channels; beside a it must be %d x %d with 1 or %d", b->width,
                         b->height, b->channels, a->width, a->height, a->channels);
    error = spectrum_check_overlap(NULL, a, "a", result, "result");
    return error ? error : spectrum_check_overlap(NULL, b, "b", result, "result");
}

static void multiply_at(const abbe_image *a, const abbe_image *b, const abbe_image *result,
                        const struct packed_place *place)
{
    for (int c = 0; c < a->channels; c++) {
        struct frequency f = spectrum_read(a, place, c);
        struct frequency g = spectrum_read(b, place, b->channels == 1 ? 0 : c);
        spectrum_write(result, place, c,
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
                multiply_at(a, b, result, &place);
        }
    return ABBE_OK;
}

/* A full spectrum as a view: two channels, { re, im }, which are never written through `spectrum` const. */
static abbe_image complex_view(int width, int height, const float *spectrum)
{
    return (abbe_image){ (void *)spectrum, width, height, 2, (ptrdiff_t)width * 2 * (ptrdiff_t)sizeof(float),
                         ABBE_F32 };
}

static abbe_image packed_view(int width, int height, const float *packed)
{
    return (abbe_image){ (void *)packed, width, height, 1, (ptrdiff_t)width * (ptrdiff_t)sizeof(float),
                         ABBE_F32 };
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
                spectrum_write(&to, &place, 0, (struct frequency){ f[0], f[1] });
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
            struct frequency f = spectrum_read(&from, &place, 0);
            float *value = spectrum + 2 * ((size_t)v * (size_t)width + (size_t)u);
            value[0] = f.re;
            value[1] = f.im;
        }
    return ABBE_OK;
}
