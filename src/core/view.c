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
    case ABBE_F64: return 8;
    case ABBE_I16: return 2;
    case ABBE_U32: return 4;
    case ABBE_I32: return 4;
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

/* ---- Strides ------------------------------------------------------------------------------------------ */

/* One axis of a view: `count` positions, `step` bytes apart. */
struct extent {
    const char *name;
    int count;
    ptrdiff_t step;
};

enum { EXTENTS = 3 };

static void extents_of(const abbe_image *view, struct extent extents[EXTENTS])
{
    extents[0] = (struct extent){ "channel_stride", view->channels, core_channel_step(view) };
    extents[1] = (struct extent){ "pixel_stride", view->width, core_pixel_step(view) };
    extents[2] = (struct extent){ "stride", view->height, core_row_step(view) };
}

/* |step|; unsigned, because a stride may be PTRDIFF_MIN. */
static size_t magnitude(ptrdiff_t step)
{
    return step < 0 ? (size_t)0 - (size_t)step : (size_t)step;
}

/* Orders axes by |step|; those with one position come first. */
static void sort_extents(struct extent extents[EXTENTS])
{
    for (int i = 0; i < EXTENTS; i++)
        for (int j = i; j > 0; j--) {
            size_t low = extents[j - 1].count > 1 ? magnitude(extents[j - 1].step) : 0;
            size_t high = extents[j].count > 1 ? magnitude(extents[j].step) : 0;
            if (low <= high)
                break;
            struct extent swapped = extents[j];
            extents[j] = extents[j - 1];
            extents[j - 1] = swapped;
        }
}

/* Checks that no product of the strides overflows. */
static int check_span(const void *device, const abbe_image *view, const char *name)
{
    size_t row, span, total = abbe_type_size(view->type);
    if (!core_multiply(magnitude(core_pixel_step(view)), (size_t)view->width, &row) || row > PTRDIFF_MAX)
        return core_fail(device, ABBE_ERR_SIZE,
                         "%s: %d pixels at a pixel_stride of %td bytes cannot be addressed", name,
                         view->width, core_pixel_step(view));
    struct extent extents[EXTENTS];
    extents_of(view, extents);
    for (int i = 0; i < EXTENTS; i++) {
        if (extents[i].count == 1)
            continue;
        bool fits = core_multiply(magnitude(extents[i].step), (size_t)extents[i].count, &span);
        if (!fits || span > PTRDIFF_MAX || total > (size_t)PTRDIFF_MAX - span)
            return core_fail(device, ABBE_ERR_SIZE, "%s: %d steps by a %s of %td bytes cannot be addressed",
                             name, extents[i].count, extents[i].name, extents[i].step);
        total += span;
    }
    return ABBE_OK;
}

/* Checks that no two samples share a byte: each axis must step over all that the shorter ones cover. */
static int check_steps(const void *device, const abbe_image *view, const char *name)
{
    struct extent extents[EXTENTS];
    extents_of(view, extents);
    sort_extents(extents);
    size_t covered = abbe_type_size(view->type);
    for (int i = 0; i < EXTENTS; i++) {
        if (extents[i].count == 1)
            continue;
        if (magnitude(extents[i].step) < covered)
            return core_fail(device, ABBE_ERR_INVALID,
                             "%s: a %s of %td bytes steps over less than %zu bytes, so that samples overlap",
                             name, extents[i].name, extents[i].step, covered);
        covered += magnitude(extents[i].step) * (size_t)(extents[i].count - 1);
    }
    return ABBE_OK;
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
    error = check_span(device, view, name);
    return error ? error : check_steps(device, view, name);
}

abbe_image core_channel_view(const abbe_image *view, int channel)
{
    abbe_image plane = *view;
    plane.data = core_sample(view, 0, 0, channel);
    plane.stride = core_row_step(view);
    plane.pixel_stride = core_pixel_step(view);
    plane.channel_stride = 0;
    plane.channels = 1;
    return plane;
}

/* ---- Overlap ------------------------------------------------------------------------------------------ */

/* The addresses from the first byte of a view to behind its last. */
struct address_range {
    uintptr_t first, end;
};

/* The bytes that a view covers beside the axes whose step is a multiple of `modulus`; all axes for 0. */
static struct address_range range_within(const abbe_image *view, size_t modulus)
{
    struct extent extents[EXTENTS];
    extents_of(view, extents);
    uintptr_t first = (uintptr_t)view->data, end = first + abbe_type_size(view->type);
    for (int i = 0; i < EXTENTS; i++) {
        size_t span = magnitude(extents[i].step) * (size_t)(extents[i].count - 1);
        if (modulus && magnitude(extents[i].step) % modulus == 0)
            continue;
        if (extents[i].step < 0)
            first -= span;
        else
            end += span;
    }
    return (struct address_range){ first, end };
}

/* Whether the bytes of two views differ modulo some number: fields of a frame, columns of a larger picture,
 * channels of a pixel. Axes whose steps are multiples of the number do not matter then; what the other axes
 * cover is an arc of the circle of remainders, and the arcs must not meet. */
static bool differ_modulo(const abbe_image *a, const abbe_image *b, size_t modulus)
{
    struct address_range low = range_within(a, modulus), high = range_within(b, modulus);
    if (high.first < low.first) {
        struct address_range swapped = low;
        low = high;
        high = swapped;
    }
    size_t low_bytes = low.end - low.first, high_bytes = high.end - high.first;
    size_t offset = (size_t)(high.first - low.first) % modulus;
    return low_bytes <= modulus && high_bytes <= modulus && offset >= low_bytes &&
           offset + high_bytes <= modulus;
}

static bool views_interleave(const abbe_image *a, const abbe_image *b)
{
    struct extent extents[EXTENTS];
    extents_of(a, extents);
    for (int i = 0; i < EXTENTS; i++)
        if (extents[i].count > 1 && extents[i].step && differ_modulo(a, b, magnitude(extents[i].step)))
            return true;
    return false;
}

static bool same_step(int count, ptrdiff_t a, ptrdiff_t b)
{
    return count == 1 || a == b;
}

static bool same_samples(const abbe_image *a, const abbe_image *b)
{
    return a->data == b->data && a->type == b->type && a->width == b->width && a->height == b->height &&
           a->channels == b->channels && same_step(a->height, core_row_step(a), core_row_step(b)) &&
           same_step(a->width, core_pixel_step(a), core_pixel_step(b)) &&
           same_step(a->channels, core_channel_step(a), core_channel_step(b));
}

enum core_overlap core_overlap(const abbe_image *a, const abbe_image *b)
{
    struct address_range first = range_within(a, 0), second = range_within(b, 0);
    if (first.end <= second.first || second.end <= first.first)
        return CORE_APART;
    if (same_samples(a, b))
        return CORE_SAME;
    return views_interleave(a, b) || views_interleave(b, a) ? CORE_APART : CORE_OVERLAP;
}
