/* Rows of pixels between a view of any layout and type and packed memory. */
#include "core/pixels.h"

#include "core/memory.h"
#include "core/sample.h"
#include "core/view.h"

#include <math.h>
#include <string.h>

abbe_type core_native_type(abbe_type type)
{
    bool native = type == ABBE_U8 || type == ABBE_U16 || type == ABBE_F16;
    return native ? type : ABBE_F32;
}

double core_type_white(abbe_type type)
{
    switch (type) {
    case ABBE_U8: return UINT8_MAX;
    case ABBE_U16: return UINT16_MAX;
    case ABBE_I16: return INT16_MAX;
    case ABBE_U32: return UINT32_MAX;
    case ABBE_I32: return INT32_MAX;
    case ABBE_F16:
    case ABBE_F32:
    case ABBE_F64: break;
    }
    return 1;
}

bool core_type_has_nonfinite(abbe_type type)
{
    return type == ABBE_F16 || type == ABBE_F32 || type == ABBE_F64;
}

/* ---- One channel of a row ----------------------------------------------------------------------------- */

/* Samples of one channel: `count` of them, `step` bytes apart. */
struct strided {
    char *data;
    ptrdiff_t step;
    int count;
};

static struct strided channel_of_row(const abbe_image *view, int x, int y, int count, int channel)
{
    return (struct strided){ core_sample(view, x, y, channel), core_pixel_step(view), count };
}

/* value · scale, rounded to nearest and limited to low … high; NaN gives 0. */
static double to_integer(double value, double scale, double low, double high)
{
    double scaled = rint(value * scale);
    return scaled >= high ? high : scaled > low ? scaled : scaled <= low ? low : 0;
}

#define REAL float
#define NAME(x) x##_f32
#include "core/pixels_tmpl.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) x##_f64
#include "core/pixels_tmpl.h"

/* Floats at any address. */
typedef float loose_float __attribute__((aligned(1)));

/* to = from + levels, for packed pixels. Levels are laid out for several pixels, so that the inner loop is
 * one of vectors for any number of channels. */
static void shift_floats(const void *from, const float *levels, int channels, size_t pixels, void *to)
{
    enum { REPEATS = 16 };
    float pattern[REPEATS * ABBE_CHANNELS_MAX];
    size_t block = (pixels < REPEATS ? pixels : REPEATS) * channels, count = pixels * channels;
    for (size_t i = 0; i < block; i++)
        pattern[i] = levels[i % channels];
    for (size_t i = 0; i < count; i += block) {
        const loose_float *in = (const loose_float *)from + i;
        loose_float *out = (loose_float *)to + i;
        size_t length = count - i < block ? count - i : block;
        for (size_t k = 0; k < length; k++)
            out[k] = in[k] + pattern[k];
    }
}

static bool is_packed_floats(const abbe_image *view)
{
    return view->type == ABBE_F32 && core_is_packed(view);
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

void core_load_pixels(const abbe_image *view, int x, int y, int count, const double *pedestal, float *row)
{
    if (!pedestal && core_is_packed(view) && core_native_type(view->type) == view->type) {
        core_load_samples(view->type, core_sample(view, x, y, 0), row, (size_t)count * view->channels);
        return;
    }
    if (is_packed_floats(view)) {
        float levels[ABBE_CHANNELS_MAX];
        for (int c = 0; c < view->channels; c++)
            levels[c] = (float)-pedestal[c];
        shift_floats(core_sample(view, x, y, 0), levels, view->channels, (size_t)count, row);
        return;
    }
    load_row_f32(view, x, y, count, pedestal, row);
}

void core_load_pixels_f64(const abbe_image *view, int x, int y, int count, const double *pedestal,
                          double *row)
{
    load_row_f64(view, x, y, count, pedestal, row);
}

void core_store_pixels(const abbe_image *view, int x, int y, int count, const double *pedestal,
                       const float *row)
{
    if (!pedestal && core_is_packed(view) && core_native_type(view->type) == view->type) {
        core_store_samples(view->type, row, core_sample(view, x, y, 0), (size_t)count * view->channels);
        return;
    }
    if (is_packed_floats(view)) {
        float levels[ABBE_CHANNELS_MAX];
        for (int c = 0; c < view->channels; c++)
            levels[c] = (float)pedestal[c];
        shift_floats(row, levels, view->channels, (size_t)count, core_sample(view, x, y, 0));
        return;
    }
    store_row_f32(view, x, y, count, pedestal, row);
}

void core_store_pixels_f64(const abbe_image *view, int x, int y, int count, const double *pedestal,
                           const double *row)
{
    store_row_f64(view, x, y, count, pedestal, row);
}

/* Copies `count` samples of `size` bytes between steps; constant sizes let the compiler make plain moves. */
static void copy_strided(size_t size, const char *from, ptrdiff_t from_step, char *to, ptrdiff_t to_step,
                         int count)
{
#define COPY(bytes)                 \
    for (int i = 0; i < count; i++) \
    memcpy(to + i * to_step, from + i * from_step, bytes)
    switch (size) {
    case 1: COPY(1); return;
    case 2: COPY(2); return;
    case 4: COPY(4); return;
    case 8: COPY(8); return;
    }
#undef COPY
}

/* Copies pixels of a row between two views of the same type and number of channels. */
static void copy_row(const abbe_image *from, int x, int y, const abbe_image *to, int to_x, int to_y,
                     int count)
{
    size_t size = abbe_type_size(from->type);
    if (core_is_packed(from) && core_is_packed(to))
        memcpy(core_sample(to, to_x, to_y, 0), core_sample(from, x, y, 0),
               (size_t)count * (size_t)from->channels * size);
    else
        for (int c = 0; c < from->channels; c++)
            copy_strided(size, core_sample(from, x, y, c), core_pixel_step(from),
                         core_sample(to, to_x, to_y, c), core_pixel_step(to), count);
}

void core_pack_pixels(const abbe_image *view, int x, int y, int count, const double *pedestal, void *to)
{
    if (pedestal || core_native_type(view->type) != view->type) {
        core_load_pixels(view, x, y, count, pedestal, to);
        return;
    }
    const abbe_image packed = {
        .data = to, .width = count, .height = 1, .channels = view->channels, .type = view->type
    };
    copy_row(view, x, y, &packed, 0, 0, count);
}

void core_unpack_pixels(const abbe_image *view, int x, int y, int count, const double *pedestal,
                        const void *from)
{
    if (pedestal || core_native_type(view->type) != view->type) {
        core_store_pixels(view, x, y, count, pedestal, from);
        return;
    }
    const abbe_image packed = {
        .const_data = from, .width = count, .height = 1, .channels = view->channels, .type = view->type
    };
    copy_row(&packed, 0, 0, view, x, y, count);
}

/* ---- Pictures ----------------------------------------------------------------------------------------- */

void core_copy_picture(const abbe_image *from, const abbe_image *to)
{
    for (int y = 0; y < from->height; y++)
        copy_row(from, 0, y, to, 0, y, from->width);
}

bool core_alloc_picture(const abbe_image *view, abbe_type type, abbe_image *picture)
{
    *picture = (abbe_image){
        .width = view->width, .height = view->height, .channels = view->channels, .type = type
    };
    picture->stride = (ptrdiff_t)core_row_bytes(picture);
    picture->data = core_alloc((size_t)view->height, (size_t)picture->stride);
    return picture->data != NULL;
}

bool core_alloc_alike(const abbe_image *view, abbe_image *picture)
{
    bool allocated = core_alloc_picture(view, view->type, picture);
    if (core_is_planar(view) && !core_is_packed(view)) {
        picture->pixel_stride = (ptrdiff_t)abbe_type_size(view->type);
        picture->stride = picture->pixel_stride * view->width;
        picture->channel_stride = picture->stride * view->height;
    }
    return allocated;
}
