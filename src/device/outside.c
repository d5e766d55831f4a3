/* The outside pixel: what filters read beyond a ZERO or CONSTANT border. */
#include "device/outside.h"

#include "core/sample.h"

struct outside_pixel outside_pixel(const struct work *work)
{
    double value = work->border_value;
    struct outside_pixel pixel = { work->linear_light ? core_srgb_decode_f64(value) : value, value };
    if (work->alpha == ABBE_ALPHA_PREMULTIPLY)
        pixel.colour *= pixel.alpha;
    return pixel;
}
