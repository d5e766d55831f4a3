/* Kernels from given taps, and the division by their sum. */
#include "filter/shapes.h"

#include <abbe/abbe.h>

#include <math.h>
#include <string.h>

int shape_from_taps(const double *taps, int width, int height, struct kernel *out)
{
    int status = kernel_create_dense(width, height, out);
    if (!status)
        memcpy(out->taps, taps, (size_t)width * (size_t)height * sizeof *taps);
    return status;
}

/* Nearly zero: at most 10⁻⁶ of Σ |tap|, which a kernel with a purpose is not unless it should be zero. */
bool shape_normalize(struct kernel *kernel)
{
    size_t count = (size_t)kernel->width * (size_t)kernel->height;
    double sum = 0.0, magnitude = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += kernel->taps[i];
        magnitude += fabs(kernel->taps[i]);
    }
    if (!(fabs(sum) > 1e-6 * magnitude))
        return false;
    for (size_t i = 0; i < count; i++)
        kernel->taps[i] /= sum;
    return true;
}
