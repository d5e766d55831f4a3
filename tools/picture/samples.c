/* Single samples of U8, U16 and F32 pictures. */
#include "samples.h"

#include <math.h>

float sample_load(const abbe_image *view, size_t index)
{
    switch (view->type) {
    case ABBE_U8: return (float)((const uint8_t *)view->data)[index] / 255.0f;
    case ABBE_U16: return (float)((const uint16_t *)view->data)[index] / 65535.0f;
    case ABBE_F32: return ((const float *)view->data)[index];
    default: return 0.0f; /* pictures are read as no other type */
    }
}

/* NaN becomes 0, because it fails both comparisons. */
static double saturate_sample(double value, double top)
{
    return value >= 1.0 ? top : value > 0.0 ? floor(value * top + 0.5) : 0.0;
}

void sample_store(const abbe_image *view, size_t index, double value)
{
    switch (view->type) {
    case ABBE_U8: ((uint8_t *)view->data)[index] = (uint8_t)saturate_sample(value, 255.0); break;
    case ABBE_U16: ((uint16_t *)view->data)[index] = (uint16_t)saturate_sample(value, 65535.0); break;
    case ABBE_F32: ((float *)view->data)[index] = (float)value; break;
    default: break;
    }
}

size_t sample_count(const abbe_image *view)
{
    return (size_t)view->width * (size_t)view->height * (size_t)view->channels;
}

abbe_image sample_floats(float *values, int width, int height, int channels)
{
    return (abbe_image){ .data = values,
                         .width = width,
                         .height = height,
                         .channels = channels,
                         .stride = (ptrdiff_t)width * channels * (ptrdiff_t)sizeof *values,
                         .type = ABBE_F32 };
}
