/* Kernels in space for GPUs: the components of a result in one box, as floats. */
#include "device/taps.h"

#include <math.h>

static int larger_of(int a, int b)
{
    return a > b ? a : b;
}

static const struct kernel *component_of(const struct work *work, int r, int i)
{
    const struct work_filter *filter = &work->filters[work->results[r].first + i];
    return work->method == ABBE_METHOD_DIRECT ? &filter->dense : &filter->factors;
}

/* Smallest box around the centres that holds every component of result r. */
static struct tap_box box_of(const struct work *work, int r)
{
    struct tap_box box = { 0 };
    int right = 0, below = 0;
    for (int i = 0; i < work->results[r].components; i++) {
        const struct kernel *kernel = component_of(work, r, i);
        box.centre_x = larger_of(box.centre_x, kernel->centre_x);
        box.centre_y = larger_of(box.centre_y, kernel->centre_y);
        right = larger_of(right, kernel->width - 1 - kernel->centre_x);
        below = larger_of(below, kernel->height - 1 - kernel->centre_y);
        box.terms += kernel->terms;
        box.first_terms += i ? 0 : kernel->terms;
    }
    box.width = box.centre_x + right + 1;
    box.height = box.centre_y + below + 1;
    return box;
}

static size_t box_floats(const struct work *work, int r, const struct tap_box *box)
{
    size_t width = (size_t)box->width, height = (size_t)box->height;
    return work->method == ABBE_METHOD_DIRECT ? (size_t)work->results[r].components * width * height
                                              : (size_t)box->terms * (width + height);
}

static void write_dense_taps(const struct tap_box *box, const struct kernel *kernel, float *taps)
{
    int right = box->centre_x - kernel->centre_x, down = box->centre_y - kernel->centre_y;
    for (int j = 0; j < kernel->height; j++)
        for (int i = 0; i < kernel->width; i++)
            taps[(size_t)(j + down) * box->width + i + right] =
                (float)kernel->taps[(size_t)j * kernel->width + i];
}

/* Writes the row factors as [term][width] and behind them the column factors as [term][height]. */
static void write_factors(const struct tap_box *box, const struct kernel *kernel, int first, float *taps)
{
    int right = box->centre_x - kernel->centre_x, down = box->centre_y - kernel->centre_y;
    float *columns = taps + (size_t)box->terms * box->width;
    for (int term = 0; term < kernel->terms; term++) {
        for (int i = 0; i < kernel->width; i++)
            taps[(size_t)(first + term) * box->width + i + right] =
                (float)kernel->rows[(size_t)term * kernel->width + i];
        for (int j = 0; j < kernel->height; j++)
            columns[(size_t)(first + term) * box->height + j + down] =
                (float)kernel->columns[(size_t)term * kernel->height + j];
    }
}

static void write_result_taps(const struct work *work, int r, const struct tap_box *box, float *taps)
{
    for (int i = 0; i < work->results[r].components; i++) {
        const struct kernel *kernel = component_of(work, r, i);
        if (work->method == ABBE_METHOD_DIRECT)
            write_dense_taps(box, kernel, taps + (size_t)i * box->width * box->height);
        else
            write_factors(box, kernel, i ? box->first_terms : 0, taps);
    }
}

size_t taps_place(const struct work *work, struct tap_box *boxes)
{
    size_t count = 0;
    for (int r = 0; r < work->result_count; r++) {
        boxes[r] = box_of(work, r);
        boxes[r].first = count;
        count += box_floats(work, r, &boxes[r]);
    }
    return count;
}

void taps_write(const struct work *work, const struct tap_box *boxes, float *taps)
{
    for (int r = 0; r < work->result_count; r++)
        write_result_taps(work, r, &boxes[r], taps + boxes[r].first);
}

double taps_bound(const struct work *work, int r)
{
    double left = 0, right = 0, above = 0, below = 0, terms = 0;
    const struct work_result *result = &work->results[r];
    for (int i = 0; i < result->components; i++) {
        const struct work_filter *filter = &work->filters[result->first + i];
        const struct kernel *kernel = &filter->response.kernel;
        left = fmax(left, kernel->centre_x);
        right = fmax(right, kernel->width - 1 - kernel->centre_x);
        above = fmax(above, kernel->centre_y);
        below = fmax(below, kernel->height - 1 - kernel->centre_y);
        terms += filter->factors.terms;
    }
    double width = left + right + 1, height = above + below + 1;
    return work->method == ABBE_METHOD_DIRECT ? result->components * width * height
                                              : terms * (width + height);
}

int taps_terms(const struct work *work, int r)
{
    int terms = 0;
    for (int i = 0; i < work->results[r].components; i++)
        terms += work->filters[work->results[r].first + i].factors.terms;
    return terms;
}
