/* The transform grid of one axis: how long, and where the picture lies in it. */
#include "fft/size.h"
#include "plan/plan.h"

#include <math.h>

/* fft_good_size answers up to here: the largest picture with the largest kernel around it. */
enum { LENGTH_MAX = ABBE_SIDE_MAX + 2 * ABBE_KERNEL_SIDE_MAX };

/* The period after which the border repeats the picture, 0 when it never does. */
static long long period(abbe_border border, int pixels)
{
    switch (border) {
    case ABBE_BORDER_WRAP: return pixels;
    case ABBE_BORDER_REFLECT: return 2LL * pixels;
    case ABBE_BORDER_MIRROR: return pixels == 1 ? 1 : 2LL * pixels - 2;
    case ABBE_BORDER_CLAMP:
    case ABBE_BORDER_ZERO:
    case ABBE_BORDER_CONSTANT: break;
    }
    return 0;
}

/* Two grids are exact. One period of a periodic border serves any filter, even one larger than the picture.
 * A window with the border laid out `before` and `after` the picture serves any finite kernel (Podlozhnyuk
 * 2007); cyclic convolution then spoils only the samples that nobody reads. The cheaper one is taken. */
bool grid_whole(abbe_border border, int pixels, const struct reach *reach, struct axis *axis)
{
    long long cycle = period(border, pixels);
    long long need = (long long)pixels + reach->before + reach->after;
    bool cyclic = cycle > 0 && cycle <= LENGTH_MAX && isfinite(fft_flops((int)cycle));
    bool window = need <= LENGTH_MAX && !(reach->transfers && cycle > 0);
    if (!cyclic && !window)
        return false;
    int length = window ? fft_good_size((int)need) : 0;
    if (cyclic && window)
        cyclic = fft_flops((int)cycle) <= fft_flops(length);
    *axis = cyclic ? (struct axis){ pixels, (int)cycle, 0, pixels }
                   : (struct axis){ pixels, length, reach->before, pixels };
    return true;
}

bool grid_tile(int pixels, int wanted, const struct reach *reach, struct axis *axis)
{
    int step = wanted < pixels ? wanted : pixels;
    long long need = (long long)step + reach->before + reach->after;
    if (step < 1 || need > LENGTH_MAX)
        return false;
    int length = fft_good_size((int)need);
    /* A longer transform than needed yields more pixels for the same price. */
    int yield = length - reach->before - reach->after;
    *axis = (struct axis){ pixels, length, reach->before, yield < pixels ? yield : pixels };
    return true;
}
