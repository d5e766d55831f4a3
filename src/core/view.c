/* Image views: checks, addresses, overlap. */
#include "core/view.h"

#include "core/error.h"
#include "core/memory.h"

size_t abbe_type_size(abbe_type type)
{
    switch (type) {
    case ABBE_U8: return 1;
    case ABBE_U16: return 2;
    case ABBE_F16: return 2;
    case ABBE_F32: return 4;
    }
    return 0;
}

int core_check_shape(const void *device, const abbe_image *view, const char *what)
{
    if (view->width < 1 || view->height < 1)
        return core_fail(device, ABBE_ERR_INVALID, "%s: size %d x %d; both must be at least 1", what,
                         view->width, view->height);
    if (view->width > ABBE_SIDE_MAX || view->height > ABBE_SIDE_MAX)
        return core_fail(device, ABBE_ERR_SIZE, "%s: size %d x %d is above the limit of %d a side", what,
                         view->width, view->height, ABBE_SIDE_MAX);
    if (view->channels < 1 || view->channels > ABBE_CHANNELS_MAX)
        return core_fail(device, ABBE_ERR_INVALID, "%s: %d channels; 1 to %d are possible", what,
                         view->channels, ABBE_CHANNELS_MAX);
    if (!abbe_type_size(view->type))
        return core_fail(device, ABBE_ERR_INVALID, "%s: unknown sample type %d", what, (int)view->type);
    return ABBE_OK;
}

/* stride may be PTRDIFF_MIN, whose magnitude only an unsigned number holds. */
static size_t magnitude(ptrdiff_t stride)
{
    return stride < 0 ? (size_t)0 - (size_t)stride : (size_t)stride;
}

int core_check_view(const void *device, const abbe_image *view, const char *what)
{
    if (!view)
        return core_fail(device, ABBE_ERR_INVALID, "%s: no image given", what);
    int error = core_check_shape(device, view, what);
    if (error)
        return error;
    if (!view->data)
        return core_fail(device, ABBE_ERR_INVALID, "%s: no pixels given", what);
    if (view->height == 1)
        return ABBE_OK;
    size_t row = core_row_bytes(view), stride = magnitude(view->stride), span;
    if (stride < row)
        return core_fail(device, ABBE_ERR_INVALID, "%s: a stride of %td bytes is shorter than a row of %zu",
                         what, view->stride, row);
    if (!core_multiply(stride, (size_t)view->height, &span) || span > PTRDIFF_MAX)
        return core_fail(device, ABBE_ERR_SIZE, "%s: %d rows at a stride of %td bytes cannot be addressed",
                         what, view->height, view->stride);
    return ABBE_OK;
}

struct span {
    uintptr_t first, end;
};

static struct span span_of(const abbe_image *view)
{
    uintptr_t top = (uintptr_t)view->data;
    uintptr_t bottom = (uintptr_t)core_row(view, view->height - 1);
    struct span span = { top < bottom ? top : bottom, top < bottom ? bottom : top };
    span.end += core_row_bytes(view);
    return span;
}

/* Rows of equal stride interleave without touching (fields of a frame, columns of a larger picture) when
 * their places within one stride do not meet, cyclically. */
static bool interleave_apart(const abbe_image *a, const abbe_image *b)
{
    size_t stride = magnitude(a->stride);
    if (a->height == 1 || b->height == 1 || stride != magnitude(b->stride))
        return false;
    uintptr_t low = span_of(a).first, high = span_of(b).first;
    size_t low_row = core_row_bytes(a), high_row = core_row_bytes(b);
    if (high < low) {
        uintptr_t address = low;
        low = high;
        high = address;
        size_t bytes = low_row;
        low_row = high_row;
        high_row = bytes;
    }
    size_t offset = (size_t)(high - low) % stride;
    return offset >= low_row && offset + high_row <= stride;
}

enum core_overlap core_overlap(const abbe_image *a, const abbe_image *b)
{
    struct span first = span_of(a), second = span_of(b);
    if (first.end <= second.first || second.end <= first.first)
        return CORE_APART;
    bool same_rows = a->height == b->height && (a->height == 1 || a->stride == b->stride);
    if (a->data == b->data && same_rows && a->type == b->type && core_row_bytes(a) == core_row_bytes(b))
        return CORE_SAME;
    return interleave_apart(a, b) ? CORE_APART : CORE_OVERLAP;
}
