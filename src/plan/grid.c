/* The transform grid of one axis: how long, and where the picture lies in it. */
#include "fft/size.h"
#include "plan/plan.h"

#include <math.h>

/* fft_cheapest answers up to here: the largest picture with the largest kernel around it. */
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

/* An axis but for its length, and who prices it. */
struct search {
    struct axis axis;
    const struct axis_pricer *pricer;
};

static double price_of(const void *context, int length)
{
    const struct search *search = context;
    struct axis axis = search->axis;
    axis.length = length;
    return plan_price_axis(search->pricer, &axis);
}

static void take_cheapest(struct axis *axis, int need, const struct axis_pricer *pricer)
{
    struct search search = { *axis, pricer };
    axis->length = fft_cheapest(need, price_of, &search);
}

/* Two grids are exact. One period of a periodic border serves any filter, even one larger than the picture.
 * A window with the border laid out `before` and `after` the picture serves any finite kernel (Podlozhnyuk
 * 2007); cyclic convolution then spoils only the samples that nobody reads. The cheaper one is taken. */
bool grid_whole(abbe_border border, int pixels, const struct reach *reach, const struct axis_pricer *pricer,
                struct axis *axis)
{
    long long cycle = period(border, pixels);
    long long need = (long long)pixels + reach->before + reach->after;
    bool cyclic = cycle > 0 && cycle <= LENGTH_MAX && isfinite(fft_flops((int)cycle));
    bool window = need <= LENGTH_MAX && !(reach->transfers && cycle > 0);
    if (!cyclic && !window)
        return false;
    struct axis round = { pixels, (int)(cyclic ? cycle : 0), 0, pixels };
    struct axis laid = { pixels, 0, reach->before, pixels };
    if (window)
        take_cheapest(&laid, (int)need, pricer);
    bool both = cyclic && window;
    *axis = both ? (plan_price_axis(pricer, &round) <= plan_price_axis(pricer, &laid) ? round : laid)
                 : (cyclic ? round : laid);
    return true;
}

bool grid_tile(int pixels, int length, const struct reach *reach, struct axis *axis)
{
    long long yield = (long long)length - reach->before - reach->after;
    if (yield < 1)
        return false;
    *axis = (struct axis){ pixels, length, reach->before, yield < pixels ? (int)yield : pixels };
    return true;
}

bool grid_cheapest_tile(int pixels, int wanted, const struct reach *reach, const struct axis_pricer *pricer,
                        struct axis *axis)
{
    int step = wanted < pixels ? wanted : pixels;
    long long need = (long long)step + reach->before + reach->after;
    if (step < 1 || need > LENGTH_MAX)
        return false;
    struct axis one = { step, 0, reach->before, step };
    take_cheapest(&one, (int)need, pricer);
    /* A longer transform than needed yields more pixels for the same price. */
    return grid_tile(pixels, one.length, reach, axis);
}
