/* Sums of pictures in double precision.
 *
 * A picture is low + rest exactly, also in 8 bits, if the rest is what the low pass leaves *as it was stored*:
 * its rounding then goes to the rest. A high pass that is rounded by itself misses that by up to a level. */
#include "sum.h"

#include "finish.h"
#include "samples.h"

double sum_default_offset(abbe_type type)
{
    return type == ABBE_F32 ? 0 : finish_offset(0.5, type);
}

int sum_colours(const struct picture *picture)
{
    return picture->view.channels - picture->has_alpha;
}

double sum_sample(const struct term *terms, int count, size_t pixel, int c)
{
    double sum = 0;
    for (const struct term *term = terms; term < terms + count; term++) {
        const abbe_image *view = &term->picture->view;
        double sample = (double)sample_load(view, pixel * (size_t)view->channels + (size_t)c);
        sum += (sample - term->offset) / term->gain;
    }
    return sum;
}

bool sum_rest(const struct picture *source, const struct term *terms, int count, abbe_type type, double gain,
              double offset, struct picture *rest, size_t *clipped)
{
    const abbe_image *from = &source->view;
    if (!picture_create(from->width, from->height, from->channels, type, source, rest))
        return false;
    size_t channels = (size_t)from->channels, pixels = (size_t)from->width * (size_t)from->height;
    int colours = sum_colours(source);
    double half = type == ABBE_F32 ? 0 : 0.5 / finish_top(type);
    *clipped = 0;
    for (size_t i = 0; i < pixels; i++) {
        for (int c = 0; c < colours; c++) {
            double sample = (double)sample_load(from, i * channels + (size_t)c);
            double value = gain * (sample - sum_sample(terms, count, i, c)) + offset;
            *clipped += type != ABBE_F32 && (value <= -half || value >= 1 + half);
            sample_store(&rest->view, i * channels + (size_t)c, value);
        }
        if (source->has_alpha)
            sample_store(&rest->view, i * channels + channels - 1,
                         (double)sample_load(from, i * channels + channels - 1));
    }
    return true;
}
