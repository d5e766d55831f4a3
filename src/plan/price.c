/* Prices: what the device counts, times what it says a unit costs. */
#include "fft/size.h"
#include "plan/plan.h"

#include <math.h>

/* The plan's work as one method on one grid would have it. */
static struct work work_for(const struct abbe_plan *plan, abbe_method method, const struct axis *x,
                            const struct axis *y)
{
    struct work work = plan->work;
    work.method = method;
    if (x && y) {
        work.x = *x;
        work.y = *y;
        work.width = x->pixels;
        work.height = y->pixels;
    }
    return work;
}

struct footprint plan_footprint(const struct abbe_plan *plan, abbe_method method, const struct axis *x,
                                const struct axis *y)
{
    struct work work = work_for(plan, method, x, y);
    return plan->device->table->footprint(plan->device, &work);
}

const char *plan_refusal(const struct abbe_plan *plan, abbe_method method, const struct axis *x,
                         const struct axis *y)
{
    struct work work = work_for(plan, method, x, y);
    return plan->device->table->refusal ? plan->device->table->refusal(plan->device, &work) : NULL;
}

bool plan_fits(const struct abbe_plan *plan, struct footprint footprint)
{
    return footprint.run + footprint.plan <= plan->work.memory;
}

/* Seconds on so many threads, and the charges they are the sum of unless NULL. */
static double price_on(const abbe_device *device, const struct work *work, int threads, abbe_charge *charges)
{
    double units[CHARGES_MAX] = { 0 }, seconds = 0;
    device->table->count_units(device, work, threads, units);
    for (int i = 0; i < device->table->charge_count; i++) {
        seconds += units[i] * device->prices[i];
        if (charges)
            charges[i] = (abbe_charge){ device->table->charge_names[i], units[i], device->prices[i] };
    }
    return seconds;
}

double plan_price(const struct abbe_plan *plan, abbe_method method, const struct axis *x,
                  const struct axis *y, abbe_charge *charges)
{
    struct work work = work_for(plan, method, x, y);
    return price_on(plan->device, &work, plan->device->threads, charges);
}

double plan_rank(const struct abbe_plan *plan, abbe_method method, const struct axis *x, const struct axis *y)
{
    const abbe_device *device = plan->device;
    struct work work = work_for(plan, method, x, y);
    double alone = price_on(device, &work, 1, NULL);
    return device->processors > 1 ? sqrt(alone * price_on(device, &work, device->processors, NULL)) : alone;
}

double plan_price_axis(const struct axis_pricer *pricer, const struct axis *axis)
{
    if (!pricer->x && !pricer->y)
        return fft_flops(axis->length);
    return plan_rank(pricer->plan, pricer->method, pricer->x ? pricer->x : axis,
                     pricer->y ? pricer->y : axis);
}
