/* Spectra of a work's filters for GPUs. */
#include "device/gpu_gains.h"

#include "core/error.h"
#include "core/level.h"
#include "core/memory.h"
#include "filter/sampling/spectra.h"

#include <string.h>

bool gpu_gains_are_real(const struct work *work)
{
    for (int i = 0; i < work->filter_count; i++)
        if (!work->filters[i].real)
            return false;
    return true;
}

bool gpu_gains_are_repeatable(const struct work *work)
{
    for (int i = 0; i < work->filter_count; i++)
        if (response_has_callback(&work->filters[i].response))
            return false;
    return true;
}

int gpu_gains_of_filter(const struct work *work)
{
    bool even = work->method == ABBE_METHOD_FFT && work->x.even;
    for (int i = 0; i < work->filter_count && even; i++)
        if (!work->filters[i].even)
            return 2;
    return 1;
}

static int sampled_length(const struct axis *axis)
{
    return axis->even ? 2 * axis->length : axis->length;
}

int gpu_gains_columns(const struct work *work)
{
    return sampled_length(&work->x);
}

/* Place i of an axis whose parts lie one behind the other, each in natural order, has frequency
 * i % each · parts + i / each. NULL without memory. */
static int *list_frequencies(int length, int parts)
{
    int *order = core_alloc((size_t)length, sizeof *order);
    int each = length / parts;
    for (int i = 0; order && i < length; i++)
        order[i] = i % each * parts + i / each;
    return order;
}

/* Place of each column u in the spectrum, or −1 for columns that a single channel or an even transform does
 * not need. NULL without memory. */
static int *list_places(const struct gpu_gain_layout *layout)
{
    const struct axis *x = &layout->work->x;
    int columns = sampled_length(x), each = x->length / layout->parts_x;
    int *places = core_alloc((size_t)columns, sizeof *places);
    for (int u = 0; places && u < columns; u++)
        places[u] = u < layout->columns ? u % layout->parts_x * each + u / layout->parts_x : -1;
    return places;
}

static struct spectrum_grid grid_of(const struct gpu_gain_layout *layout)
{
    const struct work *work = layout->work;
    return (struct spectrum_grid){ .width = sampled_length(&work->x),
                                   .height = sampled_length(&work->y),
                                   .correlate = work->correlate,
                                   .threads = layout->threads,
                                   .level = core_level_best() };
}

/* Scale of H. A grid in 16 bits is divided by the root of the row's length by each row pass. Even transforms
 * return half of what they should along each axis. */
static double scale_of(const struct gpu_gain_layout *layout)
{
    const struct work *work = layout->work;
    return (work->x.even ? 4 : 1) / ((layout->half ? 1.0 : work->x.length) * work->y.length);
}

static struct spectrum_layout spectrum_layout_of(const struct gpu_gains *gains, bool odd)
{
    const struct gpu_gain_layout *layout = &gains->layout;
    return (struct spectrum_layout){ .blocks = layout->blocks,
                                     .lanes = layout->lanes,
                                     .rows = layout->work->y.length,
                                     .column = gains->places,
                                     .order = gains->order,
                                     .part = layout->spectra == 1 ? SPECTRUM_WHOLE
                                             : odd                ? SPECTRUM_ODD_PART
                                                                  : SPECTRUM_EVEN_PART,
                                     .scale = scale_of(layout) };
}

int gpu_gains_prepare(const struct gpu_gain_layout *layout, struct gpu_gains *gains)
{
    int length = layout->work->y.length;
    *gains = (struct gpu_gains){ .layout = *layout, .places = list_places(layout) };
    gains->order = list_frequencies(length, layout->parts_y);
    if (!gains->order || !gains->places)
        return ABBE_ERR_MEMORY;
    if (layout->order)
        memcpy(gains->order, layout->order, (size_t)length * sizeof *gains->order);
    if (layout->places)
        memcpy(gains->places, layout->places,
               (size_t)gpu_gains_columns(layout->work) * sizeof *gains->places);
    const struct spectrum_grid grid = grid_of(layout);
    const struct spectrum_layout one = spectrum_layout_of(gains, false);
    gains->bytes = spectrum_numbers(&grid, &one, layout->real) * sizeof(float);
    return ABBE_OK;
}

void gpu_gains_release(struct gpu_gains *gains)
{
    core_free(gains->order);
    core_free(gains->places);
}

int gpu_gains_sample(const abbe_device *device, const struct gpu_gains *gains, int number, float *h)
{
    const struct gpu_gain_layout *layout = &gains->layout;
    const struct spectrum_grid grid = grid_of(layout);
    const struct spectrum_layout one = spectrum_layout_of(gains, number % layout->spectra > 0);
    int filter = number / layout->spectra;
    int error = spectrum_fill(&grid, &layout->work->filters[filter].response, layout->real, &one, h);
    if (error == ABBE_ERR_NONFINITE)
        return core_fail(device, error, "filter %d has a gain that is not finite", filter + 1);
    return error ? core_fail_memory(device) : ABBE_OK;
}
