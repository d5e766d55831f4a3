/* Rows of the picture with their border, gathered through index maps. */
#include "core/border.h"
#include "cpu/cpu.h"

#include <string.h>

void cpu_window(abbe_border border, long long first, int count, int pixels, struct window *window)
{
    window->count = count;
    window->low = pixels;
    window->high = -1;
    for (int i = 0; i < count; i++) {
        int index = core_border_index(border, first + i, pixels);
        window->index[i] = index;
        if (index >= 0 && index < window->low)
            window->low = index;
        if (index > window->high)
            window->high = index;
    }
}

/* How many pixels from i on stand in a row in the picture as well. */
static int run_length(const struct window *x, int i)
{
    int length = 1;
    while (i + length < x->count && x->index[i + length] == x->index[i] + length)
        length++;
    return length;
}

void cpu_gather_row(const struct engine *engine, const abbe_image *source, const struct window *x, int y,
                    float *line, float *row)
{
    const struct work *work = engine->work;
    size_t channels = (size_t)work->channels, pixel = channels * sizeof *row;
    bool inside = y >= 0 && x->low <= x->high;
    if (inside)
        cpu_load_pixels(work, source, x->low, y, x->high - x->low + 1, line);
    for (int i = 0, length; i < x->count; i += length) {
        bool held = inside && x->index[i] >= 0;
        const float *from = held ? line + (size_t)(x->index[i] - x->low) * channels : engine->outside;
        length = held ? run_length(x, i) : 1;
        memcpy(row + (size_t)i * channels, from, (size_t)length * pixel);
    }
}
