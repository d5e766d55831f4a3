/* Rows of pixels between their stored form and floats ready to filter. */
#define REAL float
#define NAME(x) x
#define OUTSIDE(engine, pedestal) ((pedestal) ? (pedestal)->outside : (engine)->outside)

#include "cpu/pixels_tmpl.h"

void cpu_magnitude(float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = (float)sqrt((double)a[i] * (double)a[i] + (double)b[i] * (double)b[i]);
}

bool cpu_result_offsets(const struct work *work, const struct pedestal *pedestal, int r, double *offsets)
{
    bool any = false;
    pedestal_filter(work, pedestal, r, offsets);
    for (int c = 0; c < work->channels; c++) {
        offsets[c] += c < colours(work) ? work->offset : 0;
        any = any || offsets[c] != 0;
    }
    return any;
}
