/* Image views: checks, addresses, overlap. */
#ifndef ABBE_CORE_VIEW_H
#define ABBE_CORE_VIEW_H

#include <abbe/abbe.h>

/* Checks that sizes, channels and type are within the library's limits, and ignores data and strides.
 * Otherwise records a message for `device` that begins with `name` ("source", "result 2"). */
int core_check_shape(const void *device, const abbe_image *view, const char *name);

/* Checks a whole view: core_check_shape, data, that all samples can be addressed and that no two overlap.
 * `view` may be NULL, which is an error too. Records a message like core_check_shape. */
int core_check_view(const void *device, const abbe_image *view, const char *name);

/* abbe_type_size() of a valid type. */
static inline ptrdiff_t core_type_size(abbe_type type)
{
    static const unsigned char sizes[] = { [ABBE_U8] = 1,  [ABBE_U16] = 2, [ABBE_F16] = 2, [ABBE_F32] = 4,
                                           [ABBE_F64] = 8, [ABBE_I16] = 2, [ABBE_U32] = 4, [ABBE_I32] = 4 };
    return sizes[type];
}

/* Bytes from one channel, pixel or row to the next, with the meaning of 0 resolved. The view must have passed
 * core_check_shape. */
static inline ptrdiff_t core_channel_step(const abbe_image *view)
{
    return view->channel_stride ? view->channel_stride : core_type_size(view->type);
}

static inline ptrdiff_t core_pixel_step(const abbe_image *view)
{
    ptrdiff_t size = core_type_size(view->type);
    if (view->pixel_stride)
        return view->pixel_stride;
    bool planes = view->channel_stride && view->channel_stride != size;
    return planes ? size : size * view->channels;
}

static inline ptrdiff_t core_row_step(const abbe_image *view)
{
    return view->stride ? view->stride : core_pixel_step(view) * view->width;
}

/* The address of one sample. */
static inline char *core_sample(const abbe_image *view, int x, int y, int channel)
{
    return (char *)view->data + y * core_row_step(view) + x * core_pixel_step(view) +
           channel * core_channel_step(view);
}

/* Whether the samples of a row lie one behind the other, channels interleaved. */
static inline bool core_is_packed(const abbe_image *view)
{
    ptrdiff_t size = core_type_size(view->type);
    return (view->channels == 1 || core_channel_step(view) == size) &&
           (view->width == 1 || core_pixel_step(view) == size * view->channels);
}

/* Whether the samples of a row lie one behind the other in each channel. */
static inline bool core_is_planar(const abbe_image *view)
{
    return view->width == 1 || core_pixel_step(view) == core_type_size(view->type);
}

/* One channel of a view, as a view of its own. */
abbe_image core_channel_view(const abbe_image *view, int channel);

/* Bytes of one row of a packed view without padding. The view must have passed core_check_shape. */
static inline size_t core_row_bytes(const abbe_image *view)
{
    return (size_t)view->width * (size_t)view->channels * (size_t)core_type_size(view->type);
}

/* The address of a row's first sample. */
static inline void *core_row(const abbe_image *view, int y)
{
    return core_sample(view, 0, y, 0);
}

/* How two checked views share memory: no byte, every sample at the same address, or anything else. Views
 * whose samples interleave in an unusual way may count as CORE_OVERLAP although they share no byte. */
enum core_overlap { CORE_APART, CORE_SAME, CORE_OVERLAP };

enum core_overlap core_overlap(const abbe_image *a, const abbe_image *b);

#endif
