/* The public transforms: complex arrays in natural order, and packed spectra. Devices that compute on the host
 * have kernels for most sizes; the portable engine here does the others, with the device's threads.
 *
 * Two channels f and g share one complex plane f + j·g. Its transform Z is untangled by eq. 8 of Moreland &
 * Angel 2003, where Y = Z*(−u, −v):  F = (Z + Y) / 2,  G = (Z − Y) / 2j; and tangled by eq. 7. */
#include "core/error.h"
#include "core/memory.h"
#include "core/pixels.h"
#include "device/device.h"
#include "fft/natural.h"
#include "spectrum/packed.h"

#include <math.h>

static int transform_plane(const abbe_device *device, int width, int height, bool inverse, const float *in,
                           float *out)
{
    int error = fft_natural_f32(width, height, inverse, in, out, device->threads);
    if (error == ABBE_ERR_SIZE)
        return core_fail(device, error, "transform: %d x %d samples are too many", width, height);
    return error ? core_fail_memory(device) : ABBE_OK;
}

/* ---- The device that computes --------------------------------------------------------------------------- */

int packed_check_host(abbe_device *cpu, const char *function)
{
    if (!cpu || cpu->table->fft)
        return ABBE_OK;
    return core_fail(cpu, ABBE_ERR_UNSUPPORTED,
                     "%s: the device %s computes no spectra; pass \"cpu\" or \"auto\", or NULL", function,
                     abbe_device_name(cpu));
}

/* Gives the caller's device, or the default one for NULL. leave_host must follow, unless it fails. */
static int enter_host(abbe_device *cpu, const char *function, abbe_device **host)
{
    if (!cpu)
        return device_enter_default(host);
    *host = cpu;
    return packed_check_host(cpu, function);
}

static int leave_host(const abbe_device *cpu, const abbe_device *host, int error)
{
    return cpu ? error : device_leave_default(host, error);
}

/* ---- Complex arrays ----------------------------------------------------------------------------------- */

static int transform_array(abbe_device *device, int width, int height, bool inverse, const float *in,
                           float *out)
{
    ptrdiff_t stride = (ptrdiff_t)width * 2 * (ptrdiff_t)sizeof(float);
    abbe_image from = {
        .const_data = in, .width = width, .height = height, .channels = 2, .stride = stride, .type = ABBE_F32
    };
    abbe_image to = {
        .data = out, .width = width, .height = height, .channels = 2, .stride = stride, .type = ABBE_F32
    };
    int error = core_check_view(device, &from, "in");
    if (!error)
        error = core_check_view(device, &to, "out");
    if (!error)
        error = packed_check_overlap(device, &from, "in", &to, "out");
    if (error)
        return error;
    error = device->table->fft(device, inverse, &from, &to);
    return error == DEVICE_ERR_DECLINED ? transform_plane(device, width, height, inverse, in, out) : error;
}

int abbe_fft_forward(abbe_device *cpu, int width, int height, const float *in, float *out)
{
    abbe_device *host = NULL;
    int error = enter_host(cpu, "abbe_fft_forward", &host);
    return error ? error : leave_host(cpu, host, transform_array(host, width, height, false, in, out));
}

int abbe_fft_inverse(abbe_device *cpu, int width, int height, const float *in, float *out)
{
    abbe_device *host = NULL;
    int error = enter_host(cpu, "abbe_fft_inverse", &host);
    return error ? error : leave_host(cpu, host, transform_array(host, width, height, true, in, out));
}

/* ---- Planes: two channels each, kept until all are transformed, so that a failure writes nothing ------- */

struct planes {
    int width, height, channels;
    int count;
    size_t area;   /* complex samples of one plane */
    float *values; /* `count` planes, interleaved { re, im } */
    float *row;    /* one row of a view: width · channels samples */
};

static void planes_free(struct planes *planes)
{
    core_free(planes->row);
    core_free(planes->values);
}

static int planes_create(const abbe_device *device, const abbe_image *shape, struct planes *planes)
{
    *planes = (struct planes){ .width = shape->width, .height = shape->height, .channels = shape->channels };
    planes->count = (shape->channels + 1) / 2;
    planes->area = (size_t)shape->width * (size_t)shape->height;
    size_t samples;
    if (!core_multiply(planes->area, 2 * (size_t)planes->count, &samples))
        return core_fail(device, ABBE_ERR_SIZE,
                         "spectrum: %d x %d with %d channels is too large to be addressed", shape->width,
                         shape->height, shape->channels);
    planes->values = core_alloc(samples, sizeof *planes->values);
    planes->row = core_alloc((size_t)shape->width * (size_t)shape->channels, sizeof *planes->row);
    if (planes->values && planes->row)
        return ABBE_OK;
    planes_free(planes);
    return core_fail_memory(device);
}

static float *plane_row(const struct planes *planes, int plane, int v)
{
    size_t sample = (size_t)plane * planes->area + (size_t)v * (size_t)planes->width;
    return planes->values + 2 * sample;
}

static bool row_is_finite(const float *values, size_t count)
{
    bool finite = true;
    for (size_t i = 0; i < count; i++)
        finite &= isfinite(values[i]) != 0;
    return finite;
}

static int check_row(const abbe_device *device, const struct planes *planes, const char *name, int y)
{
    if (row_is_finite(planes->row, (size_t)planes->width * (size_t)planes->channels))
        return ABBE_OK;
    return core_fail(device, ABBE_ERR_NONFINITE, "%s: row %d contains a NaN or an infinity", name, y);
}

/* An even channel c becomes the real part of plane c / 2, an odd one the imaginary part. A last channel
 * without a partner is paired with 0. */
static int load_planes(const abbe_device *device, const abbe_image *source, struct planes *planes)
{
    int channels = planes->channels;
    for (int y = 0; y < planes->height; y++) {
        core_load_pixels(source, 0, y, planes->width, NULL, planes->row);
        int error = check_row(device, planes, "source", y);
        if (error)
            return error;
        for (int c = 0; c < 2 * planes->count; c++) {
            float *to = plane_row(planes, c / 2, y) + c % 2;
            for (size_t x = 0; x < (size_t)planes->width; x++)
                to[2 * x] = c < channels ? planes->row[x * (size_t)channels + (size_t)c] : 0;
        }
    }
    return ABBE_OK;
}

static void store_planes(const struct planes *planes, const abbe_image *result)
{
    size_t width = (size_t)planes->width, channels = (size_t)planes->channels;
    for (int y = 0; y < planes->height; y++) {
        for (int c = 0; c < planes->channels; c++) {
            const float *from = plane_row(planes, c / 2, y) + c % 2;
            for (size_t x = 0; x < width; x++)
                planes->row[x * channels + (size_t)c] = from[2 * x];
        }
        core_store_pixels(result, 0, y, planes->width, NULL, planes->row);
    }
}

/* ---- Spectra of planes -------------------------------------------------------------------------------- */

/* The addresses of Z(u, v) and Z(−u, −v) in a plane. */
struct conjugates {
    float *z, *mirrored;
};

static struct conjugates conjugates_at(const struct planes *planes, int plane, int u, int v)
{
    int mirrored_u = u ? planes->width - u : 0, mirrored_v = v ? planes->height - v : 0;
    return (struct conjugates){ plane_row(planes, plane, v) + 2 * (size_t)u,
                                plane_row(planes, plane, mirrored_v) + 2 * (size_t)mirrored_u };
}

static void untangle_at(const struct planes *planes, const abbe_image *packed, int u, int v,
                        const struct packed_place *place)
{
    for (int c = 0; c < planes->channels; c += 2) {
        struct conjugates at = conjugates_at(planes, c / 2, u, v);
        const float *z = at.z, *y = at.mirrored;
        struct frequency f = { 0.5f * (z[0] + y[0]), 0.5f * (z[1] - y[1]) };
        struct frequency g = { 0.5f * (z[1] + y[1]), 0.5f * (y[0] - z[0]) };
        packed_write(packed, place, c, f);
        if (c + 1 < planes->channels)
            packed_write(packed, place, c + 1, g);
    }
}

/* Writes Z = F + j·G, and F* + j·G* at the mirrored frequency. Where F is its own conjugate, both are one
 * element. */
static void tangle_at(const struct planes *planes, const abbe_image *packed, int u, int v,
                      const struct packed_place *place)
{
    for (int c = 0; c < planes->channels; c += 2) {
        struct conjugates at = conjugates_at(planes, c / 2, u, v);
        struct frequency f = packed_read(packed, place, c), g = { 0, 0 };
        if (c + 1 < planes->channels)
            g = packed_read(packed, place, c + 1);
        at.z[0] = f.re - g.im, at.z[1] = f.im + g.re;
        at.mirrored[0] = f.re + g.im, at.mirrored[1] = g.re - f.im;
    }
}

typedef void frequency_function(const struct planes *planes, const abbe_image *packed, int u, int v,
                                const struct packed_place *place);

/* Calls a function for one frequency of each conjugate pair. */
static void for_each_frequency(const struct planes *planes, const abbe_image *packed,
                               frequency_function *function)
{
    for (int v = 0; v < planes->height; v++)
        for (int u = 0; u < planes->width; u++) {
            struct packed_place place = packed_place(planes->width, planes->height, u, v);
            if (place.im_sign <= 0)
                function(planes, packed, u, v, &place);
        }
}

static int transform_planes(const abbe_device *device, const struct planes *planes, bool inverse)
{
    for (int p = 0; p < planes->count; p++) {
        float *plane = plane_row(planes, p, 0);
        int error = transform_plane(device, planes->width, planes->height, inverse, plane, plane);
        if (error)
            return error;
    }
    return ABBE_OK;
}

/* ---- Packed spectra ----------------------------------------------------------------------------------- */

static int check_spectrum_views(const abbe_device *device, const abbe_image *picture, const char *name,
                                const abbe_image *packed)
{
    int error = core_check_view(device, picture, name);
    if (!error)
        error = packed_check_packed(device, packed, "packed");
    if (!error)
        error = packed_check_shapes(device, picture, name, packed, "packed");
    if (!error)
        error = packed_check_overlap(device, picture, name, packed, "packed");
    return error;
}

/* The message for a view in which the device met a sample that is not finite. */
static int report_nonfinite(const abbe_device *device, const abbe_image *view, const char *name)
{
    size_t samples = (size_t)view->width * (size_t)view->channels;
    float *row = core_alloc(samples, sizeof *row);
    int y = 0;
    for (; row && y < view->height; y++) {
        core_load_pixels(view, 0, y, view->width, NULL, row);
        if (!row_is_finite(row, samples))
            break;
    }
    core_free(row);
    return core_fail(device, ABBE_ERR_NONFINITE, "%s: row %d contains a NaN or an infinity", name, y);
}

/* The forward transform by the portable engine. */
static int portable_forward(const abbe_device *device, const abbe_image *source, const abbe_image *packed)
{
    struct planes planes;
    int error = planes_create(device, source, &planes);
    if (error)
        return error;
    error = load_planes(device, source, &planes);
    if (!error)
        error = transform_planes(device, &planes, false);
    if (!error)
        for_each_frequency(&planes, packed, untangle_at);
    planes_free(&planes);
    return error;
}

static int spectrum_forward(abbe_device *device, const abbe_image *source, const abbe_image *packed)
{
    int error = check_spectrum_views(device, source, "source", packed);
    if (error)
        return error;
    error = device->table->spectrum_forward(device, source, packed);
    if (error == ABBE_ERR_NONFINITE)
        return report_nonfinite(device, source, "source");
    return error == DEVICE_ERR_DECLINED ? portable_forward(device, source, packed) : error;
}

int abbe_spectrum_forward(abbe_device *cpu, const abbe_image *source, const abbe_image *packed)
{
    abbe_device *host = NULL;
    int error = enter_host(cpu, "abbe_spectrum_forward", &host);
    return error ? error : leave_host(cpu, host, spectrum_forward(host, source, packed));
}

static int check_finite_packed(const abbe_device *device, const abbe_image *packed,
                               const struct planes *planes)
{
    for (int y = 0; y < planes->height; y++) {
        core_load_pixels(packed, 0, y, planes->width, NULL, planes->row);
        int error = check_row(device, planes, "packed", y);
        if (error)
            return error;
    }
    return ABBE_OK;
}

/* The inverse transform by the portable engine. */
static int portable_inverse(const abbe_device *device, const abbe_image *packed, const abbe_image *result)
{
    struct planes planes;
    int error = planes_create(device, result, &planes);
    if (error)
        return error;
    error = check_finite_packed(device, packed, &planes);
    if (!error) {
        for_each_frequency(&planes, packed, tangle_at);
        error = transform_planes(device, &planes, true);
    }
    if (!error)
        store_planes(&planes, result);
    planes_free(&planes);
    return error;
}

static int spectrum_inverse(abbe_device *device, const abbe_image *packed, const abbe_image *result)
{
    int error = check_spectrum_views(device, result, "result", packed);
    if (error)
        return error;
    error = device->table->spectrum_inverse(device, packed, result);
    if (error == ABBE_ERR_NONFINITE)
        return report_nonfinite(device, packed, "packed");
    return error == DEVICE_ERR_DECLINED ? portable_inverse(device, packed, result) : error;
}

int abbe_spectrum_inverse(abbe_device *cpu, const abbe_image *packed, const abbe_image *result)
{
    abbe_device *host = NULL;
    int error = enter_host(cpu, "abbe_spectrum_inverse", &host);
    return error ? error : leave_host(cpu, host, spectrum_inverse(host, packed, result));
}
