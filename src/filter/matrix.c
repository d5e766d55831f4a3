/* Matrices of numbers: created, checked, copied, and read from images. */
#include "filter/matrix.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/pixels.h"
#include "core/view.h"
#include "filter/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

int matrix_check_size(int width, int height, const char *what)
{
    if (width < 1 || height < 1)
        return core_fail(NULL, ABBE_ERR_INVALID, "%s: size is %d × %d; both sides must be at least 1", what,
                         width, height);
    if (width > ABBE_KERNEL_SIDE_MAX || height > ABBE_KERNEL_SIDE_MAX ||
        (long long)width * height > KERNEL_AREA_MAX)
        return core_fail(NULL, ABBE_ERR_SIZE,
                         "%s: size is %d × %d; it may be at most %d per side and %d in all", what, width,
                         height, ABBE_KERNEL_SIDE_MAX, KERNEL_AREA_MAX);
    return ABBE_OK;
}

int abbe_matrix_create(int width, int height, abbe_matrix *matrix)
{
    if (!matrix)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_matrix_create: matrix is NULL");
    int error = matrix_check_size(width, height, "matrix");
    if (error)
        return error;
    double *values = core_alloc_zero((size_t)width * (size_t)height, sizeof *values);
    if (!values)
        return core_fail_memory(NULL);
    *matrix = (abbe_matrix){ width, height, values };
    return ABBE_OK;
}

void abbe_matrix_free(abbe_matrix *matrix)
{
    if (!matrix)
        return;
    core_free(matrix->values);
    *matrix = (abbe_matrix){ 0 };
}

int matrix_check(const abbe_matrix *matrix, const char *what)
{
    if (!matrix || !matrix->values)
        return core_fail(NULL, ABBE_ERR_INVALID, "%s: values is NULL", what);
    int error = matrix_check_size(matrix->width, matrix->height, what);
    if (error)
        return error;
    for (int y = 0; y < matrix->height; y++)
        for (int x = 0; x < matrix->width; x++) {
            double value = matrix->values[(size_t)y * (size_t)matrix->width + (size_t)x];
            if (!(fabs(value) <= FLT_MAX))
                return core_fail(NULL, ABBE_ERR_NONFINITE, "%s: column %d, row %d is not finite as a float",
                                 what, x, y);
        }
    return ABBE_OK;
}

int matrix_copy(const abbe_matrix *matrix, abbe_matrix *out)
{
    size_t count = (size_t)matrix->width * (size_t)matrix->height;
    double *values = core_alloc(count, sizeof *values);
    if (!values)
        return ABBE_ERR_MEMORY;
    memcpy(values, matrix->values, count * sizeof *values);
    *out = (abbe_matrix){ matrix->width, matrix->height, values };
    return ABBE_OK;
}

/* Writes the mean of the channels of each pixel of a row. Returns false when one of them is not finite. */
static bool average_row(const double *samples, int width, int channels, double *values)
{
    bool finite = true;
    for (int x = 0; x < width; x++) {
        double sum = 0.0;
        for (int c = 0; c < channels; c++)
            sum += samples[(size_t)x * (size_t)channels + (size_t)c];
        values[x] = sum / channels;
        finite &= isfinite(sum) != 0;
    }
    return finite;
}

int abbe_matrix_from_image(const abbe_image *image, abbe_matrix *matrix)
{
    if (!image || !matrix)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_matrix_from_image: %s is NULL",
                         image ? "matrix" : "image");
    int error = core_check_view(NULL, image, "image");
    if (error)
        return error;
    abbe_matrix made;
    error = abbe_matrix_create(image->width, image->height, &made);
    if (error)
        return error;
    size_t samples = (size_t)image->width * (size_t)image->channels;
    double *row = core_alloc(samples, sizeof *row);
    if (!row) {
        error = core_fail_memory(NULL);
        goto fail;
    }
    for (int y = 0; y < image->height; y++) {
        core_load_pixels_f64(image, 0, y, image->width, NULL, row);
        if (!average_row(row, image->width, image->channels, made.values + (size_t)y * (size_t)made.width)) {
            error = core_fail(NULL, ABBE_ERR_NONFINITE, "image: row %d holds a NaN or an infinity", y);
            goto fail;
        }
    }
    core_free(row);
    *matrix = made;
    return ABBE_OK;
fail:
    core_free(row);
    abbe_matrix_free(&made);
    return error;
}
