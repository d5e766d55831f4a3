/* Image views: checks, addresses, overlap. */
#ifndef ABBE_CORE_VIEW_H
#define ABBE_CORE_VIEW_H

#include <abbe/abbe.h>

/* ABBE_OK when sizes, channels and type are within the library's limits; data and stride are not looked at. */
int core_check_shape(const void *device, const abbe_image *view, const char *what);

/* ABBE_OK when the view is sound on its own: data, sizes, channels, type, stride, and a last byte that can
 * be addressed. Otherwise records a sentence that begins with `what` ("source", "result 2") for `device`. */
int core_check_view(const void *device, const abbe_image *view, const char *what);

/* Bytes of one row without padding; of a checked view or of sizes within the library's limits. */
static inline size_t core_row_bytes(const abbe_image *view)
{
    return (size_t)view->width * (size_t)view->channels * abbe_type_size(view->type);
}

static inline void *core_row(const abbe_image *view, int y)
{
    return (char *)view->data + (ptrdiff_t)y * view->stride;
}

enum core_overlap { CORE_APART, CORE_SAME, CORE_OVERLAP };

/* Whether two checked views share bytes: none, all of them in the same places, or some. */
enum core_overlap core_overlap(const abbe_image *a, const abbe_image *b);

#endif
