/* Rows of pixels between a view of any layout and type and packed memory.
 *
 * A native type is one that every device reads and writes itself: U8, U16, F16, F32. Samples of the other
 * types are converted to F32 and back here. */
#ifndef ABBE_CORE_PIXELS_H
#define ABBE_CORE_PIXELS_H

#include <abbe/abbe.h>

/* The type itself if it is native, else F32. */
abbe_type core_native_type(abbe_type type);

/* The sample that stands for 1: the largest integer, or 1 for floating-point types. */
double core_type_white(abbe_type type);

/* Whether samples of the type may be NaN or infinite. */
bool core_type_has_nonfinite(abbe_type type);

/* Loads pixels x … x + count − 1 of row y as interleaved floats: integers as 0 … 1, or −1 … 1. `pedestal` is
 * NULL, or has one number per channel, which is subtracted from every sample before it is rounded to
 * float. The second function loads doubles. */
void core_load_pixels(const abbe_image *view, int x, int y, int count, const double *pedestal, float *row);
void core_load_pixels_f64(const abbe_image *view, int x, int y, int count, const double *pedestal,
                          double *row);

/* Stores interleaved floats as pixels x … x + count − 1 of row y: the inverse of core_load_pixels. Integers
 * are rounded to nearest and saturated, NaN gives 0; F16 is saturated to ±65504. `pedestal` is added. */
void core_store_pixels(const abbe_image *view, int x, int y, int count, const double *pedestal,
                       const float *row);
void core_store_pixels_f64(const abbe_image *view, int x, int y, int count, const double *pedestal,
                           const double *row);

/* Copies pixels x … x + count − 1 of row y into packed memory of the view's native type, and back. A
 * `pedestal` is only possible where the native type is F32. */
void core_pack_pixels(const abbe_image *view, int x, int y, int count, const double *pedestal, void *to);
void core_unpack_pixels(const abbe_image *view, int x, int y, int count, const double *pedestal,
                        const void *from);

/* Copies the samples between two views of the same shape and type. */
void core_copy_picture(const abbe_image *from, const abbe_image *to);

/* Allocates a packed picture of the view's shape and the given type; release its data with core_free. Returns
 * false without memory. */
bool core_alloc_picture(const abbe_image *view, abbe_type type, abbe_image *picture);

/* The same with the view's type, in planes if the view has planes. */
bool core_alloc_alike(const abbe_image *view, abbe_image *picture);

#endif
