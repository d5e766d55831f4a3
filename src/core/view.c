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

int core_check_shape(const void *device, const abbe_image *view, const char *name)
{
    if (view->width < 1 || view->height < 1)
        return core_fail(device, ABBE_ERR_INVALID, "%s: size %d x %d; width and height must be at least 1",
                         name, view->width, view->height);
    if (view->width > ABBE_SIDE_MAX || view->height > ABBE_SIDE_MAX)
        return core_fail(device, ABBE_ERR_SIZE, "%s: size %d x %d is above the limit of %d per side", name,
                         view->width, view->height, ABBE_SIDE_MAX);
    if (view->channels < 1 || view->channels > ABBE_CHANNELS_MAX)
        return core_fail(device, ABBE_ERR_INVALID, "%s: %d channels; the number must be 1 to %d", name,
                         view->channels, ABBE_CHANNELS_MAX);
    if (!abbe_type_size(view->type))
        return core_fail(device, ABBE_ERR_INVALID, "%s: unknown sample type %d", name, (int)view->type);
    return ABBE_OK;
}

/* |stride|; unsigned, because the stride may be PTRDIFF_MIN. */
static size_t stride_magnitude(ptrdiff_t stride)
{
    return stride < 0 ? (size_t)0 - (size_t)stride : (size_t)stride;
}

int core_check_view(const void *device, const abbe_image *view, const char *name)
{
    if (!view)
        return core_fail(device, ABBE_ERR_INVALID, "%s: view is NULL", name);
    int error = core_check_shape(device, view, name);
    if (error)
        return error;
    if (!view->data)
        return core_fail(device, ABBE_ERR_INVALID, "%s: data is NULL", name);
    if (view->height == 1)
        return ABBE_OK;
    size_t row = core_row_bytes(view), stride = stride_magnitude(view->stride), span;
    if (stride < row)
        return core_fail(device, ABBE_ERR_INVALID,
                         "%s: a stride of %td bytes is shorter than a row of %zu bytes", name, view->stride,
                         row);
    if (!core_multiply(stride, (size_t)view->height, &span) || span > PTRDIFF_MAX)
        return core_fail(device, ABBE_ERR_SIZE, "%s: %d rows at a stride of %td bytes cannot be addressed",
                         name, view->height, view->stride);
    return ABBE_OK;
}

/* The addresses from the first byte of a view to behind its last. */
struct address_range {
    uintptr_t first, end;
};

static struct address_range address_range(const abbe_image *view)
{
    uintptr_t top = (uintptr_t)view->data;
    uintptr_t bottom = (uintptr_t)core_row(view, view->height - 1);
    struct address_range range = { top < bottom ? top : bottom, top < bottom ? bottom : top };
    range.end += core_row_bytes(view);
    return range;
}

/* Rows of equal stride may interleave without sharing a byte (fields of a frame, columns of a larger
 * picture): they do when their positions within one stride, taken cyclically, do not meet. */
static bool rows_interleave(const abbe_image *a, const abbe_image *b)
{
    size_t stride = stride_magnitude(a->stride);
    if (a->height == 1 || b->height == 1 || stride != stride_magnitude(b->stride))
        return false;
    uintptr_t low = address_range(a).first, high = address_range(b).first;
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
    struct address_range first = address_range(a), second = address_range(b);
    if (first.end <= second.first || second.end <= first.first)
        return CORE_APART;
    bool same_rows = a->height == b->height && (a->height == 1 || a->stride == b->stride);
    if (a->data == b->data && same_rows && a->type == b->type && core_row_bytes(a) == core_row_bytes(b))
        return CORE_SAME;
    return rows_interleave(a, b) ? CORE_APART : CORE_OVERLAP;
}
