/* Image views: checks, addresses, overlap. */
#ifndef ABBE_CORE_VIEW_H
#define ABBE_CORE_VIEW_H

#include <abbe/abbe.h>

/* Checks that sizes, channels and type are within the library's limits, and ignores data and stride.
 * Otherwise records a message for `device` that begins with `name` ("source", "result 2"). */
int core_check_shape(const void *device, const abbe_image *view, const char *name);

/* Checks a whole view: core_check_shape, data, stride, and that its last byte can be addressed. `view` may be
 * NULL, which is an error too. Records a message like core_check_shape. */
int core_check_view(const void *device, const abbe_image *view, const char *name);

/* "U8", "U16", "F16", "F32"; NULL for an unknown type. */
const char *core_type_name(abbe_type type);

/* Bytes of one row without padding. The view must have passed core_check_shape. */
static inline size_t core_row_bytes(const abbe_image *view)
{
    return (size_t)view->width * (size_t)view->channels * abbe_type_size(view->type);
}

static inline void *core_row(const abbe_image *view, int y)
{
    return (char *)view->data + (ptrdiff_t)y * view->stride;
}

/* How two checked views share memory: no byte, every sample at the same address, or anything else. */
enum core_overlap { CORE_APART, CORE_SAME, CORE_OVERLAP };

enum core_overlap core_overlap(const abbe_image *a, const abbe_image *b);

#endif
