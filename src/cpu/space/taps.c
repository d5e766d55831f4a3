/* Taps in the layout of the vector kernels: back to front, blocked, in floats or in 16 bits. */
#include "core/memory.h"
#include "cpu/space/space.h"

#include <math.h>

double space_white(abbe_type type)
{
    return type == ABBE_U8 ? 255 : type == ABBE_U16 ? 65535 : 1;
}

/* The scale of the taps: samples are filtered with the values they are stored with, so the taps convert the
 * scale. */
static double tap_scale(const struct work *work, const struct space *space)
{
    double scale = space->fast_load ? 1 / space_white(work->source_type) : 1;
    return space->fast_store ? scale * space_white(work->result_type) : scale;
}

/* The kernel that a method applies for filter i. */
static const struct kernel *filter_kernel(const struct work *work, int i)
{
    return work->method == ABBE_METHOD_SEPARABLE ? &work->filters[i].factors : &work->filters[i].dense;
}

/* The number of blocked taps. */
static size_t count_blocked(int width, int height)
{
    return height > 1 ? ((size_t)height + SPACE_ROWS - 1) * (size_t)width * SPACE_ROWS : 0;
}

/* The number of values of a kernel's taps, blocked ones included. */
static size_t count_values(const struct kernel *kernel)
{
    size_t width = (size_t)kernel->width, height = (size_t)kernel->height;
    if (!kernel->terms)
        return width * height + count_blocked(kernel->width, kernel->height);
    return (size_t)kernel->terms * (width + height + count_blocked(1, kernel->height));
}

double space_taps_bytes(const struct kernel *kernel, abbe_method method)
{
    struct kernel dense = { .width = kernel->width, .height = kernel->height };
    const struct kernel *laid = method == ABBE_METHOD_SEPARABLE ? kernel : &dense;
    double values = (double)count_values(laid), area = (double)kernel->width * kernel->height;
    return values * (sizeof(float) + sizeof(int32_t)) + (2.0 * laid->terms + 1) * sizeof(struct space_taps) +
           (laid->terms ? 0 : area / 2 * sizeof(struct space_tap)) + sizeof(struct space_filter);
}

/* ---- Floats ------------------------------------------------------------------------------------------- */

/* The index of the tap at a position of the blocked taps, or −1 where there is no tap. */
static ptrdiff_t blocked_tap(int width, int height, size_t position)
{
    ptrdiff_t r = (ptrdiff_t)(position % SPACE_ROWS), i = (ptrdiff_t)(position / SPACE_ROWS) % width;
    ptrdiff_t j = (ptrdiff_t)(position / SPACE_ROWS) / width - r;
    return j >= 0 && j < height ? j * width + i : -1;
}

/* Writes taps times `scale` to *values and advances it. */
static struct space_taps write_float_taps(const double *taps, int width, int height, double scale,
                                          float **values)
{
    size_t count = (size_t)width * (size_t)height, blocked = count_blocked(width, height);
    float *to = *values, *block = to + count;
    for (size_t i = 0; i < count; i++)
        to[i] = (float)(taps[count - 1 - i] * scale);
    for (size_t i = 0; i < blocked; i++) {
        ptrdiff_t tap = blocked_tap(width, height, i);
        block[i] = tap < 0 ? 0 : to[tap];
    }
    *values += count + blocked;
    return (struct space_taps){ width, height, to, block };
}

static void create_float_taps(const struct work *work, const struct kernel *kernel, double scale,
                              struct space_filter *filter, struct space_taps **taps, float **values)
{
    filter->terms = kernel->terms;
    filter->x = work->left - (kernel->width - 1 - kernel->centre_x);
    filter->y = work->above - (kernel->height - 1 - kernel->centre_y);
    filter->dense = filter->row = *taps;
    filter->column = *taps + kernel->terms;
    *taps += kernel->terms ? 2 * kernel->terms : 1;
    if (!kernel->terms)
        *filter->dense = write_float_taps(kernel->taps, kernel->width, kernel->height, scale, values);
    for (int r = 0; r < kernel->terms; r++) {
        filter->row[r] = write_float_taps(kernel->rows + (size_t)r * kernel->width, kernel->width, 1, 1,
                                          values);
        filter->column[r] = write_float_taps(kernel->columns + (size_t)r * kernel->height, 1, kernel->height,
                                             scale, values);
    }
}

/* Whether most taps are zero. A single tap takes one and a half times as long as a blocked one, which shares
 * its loads. */
static bool is_sparse(const struct kernel *kernel)
{
    return !kernel->terms && 2 * kernel_count(kernel) < (long long)kernel->width * kernel->height;
}

static size_t count_sparse(const struct kernel *kernel)
{
    return is_sparse(kernel) ? (size_t)kernel_count(kernel) : 0;
}

static void create_sparse_taps(const struct kernel *kernel, struct space_filter *filter,
                               struct space_tap **taps)
{
    if (!is_sparse(kernel))
        return;
    filter->sparse = *taps;
    for (int i = 0; i < kernel->width * kernel->height; i++)
        if (filter->dense->taps[i] != 0)
            filter->sparse[filter->sparse_count++] = (struct space_tap){ i / kernel->width, i % kernel->width,
                                                                         filter->dense->taps[i] };
    *taps += count_sparse(kernel);
}

/* ---- Shorts ------------------------------------------------------------------------------------------- */

/* The allowed difference between the exact value and the sum before it is rounded to a byte: less than a
 * half, or the result might be off by more than one. */
static const double error_max = 0.45;

/* The accuracy of taps that were rounded to 16 bits. */
struct accuracy {
    double error; /* Σ |rounded tap − tap| */
    double mass;  /* Σ |rounded tap| */
};

/* Writes taps times `scale` in 16 bits to *values and advances it. */
static struct space_short_taps write_short_taps(const double *taps, int width, int height, double scale,
                                                int32_t **values, struct accuracy *accuracy)
{
    size_t count = (size_t)width * (size_t)height, blocked = count_blocked(width, height);
    int32_t *to = *values, *block = to + count;
    *accuracy = (struct accuracy){ 0, 0 };
    for (size_t i = 0; i < count; i++) {
        double exact = taps[count - 1 - i] * scale * 0x1p15;
        double near = fmin(fmax(nearbyint(exact), -32767), 32767);
        accuracy->error += fabs(near - exact) * 0x1p-15;
        accuracy->mass += fabs(near) * 0x1p-15;
        to[i] = (int32_t)(((uint32_t)(int32_t)near & 0xffff) * 0x10001);
    }
    for (size_t i = 0; i < blocked; i++) {
        ptrdiff_t tap = blocked_tap(width, height, i);
        block[i] = tap < 0 ? 0 : to[tap];
    }
    *values += count + blocked;
    return (struct space_short_taps){ width, height, 0, to, block };
}

static double sum_taps(const double *taps, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += taps[i];
    return sum;
}

/* Σ |tap|. */
static double sum_magnitudes(const double *taps, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(taps[i]);
    return sum;
}

/* The largest magnitudes of samples and of sums in 16 bits. */
static const double samples_most = 128.0 * SPACE_STEP, sums_most = 32767;

/* The largest sum of samples within ±most, with each product rounded up by a half. */
static double largest_sum(double most, const struct accuracy *accuracy, size_t taps)
{
    return most * accuracy->mass + 0.5 * (double)taps;
}

/* The error, in steps of a byte, that rounding the products of `taps` taps may add. */
static double product_rounding(size_t taps)
{
    return 0.5 * (double)taps / SPACE_STEP;
}

/* The factor of the last taps that compensates for SPACE_STEP · SPACE_STEP_INVERSE being less than 2^15. */
static const double correction = 0x1p15 / (SPACE_STEP * SPACE_STEP_INVERSE);

/* The whole number to add to a result because samples were reduced by 128. The fraction that remains is added
 * to *error. */
static int16_t byte_offset(double gain, double *error)
{
    double offset = 128 * gain, near = nearbyint(offset);
    *error += fabs(offset - near);
    return fabs(near) < 32768 ? (int16_t)near : 0;
}

/* Returns whether 16 bits are precise enough. */
static bool create_short_dense(const struct kernel *kernel, struct space_filter *filter, int32_t **values)
{
    struct accuracy accuracy;
    size_t count = (size_t)kernel->width * (size_t)kernel->height;
    double error = 0;
    if (filter->sparse || !(sum_magnitudes(kernel->taps, count) < 1.5))
        return false;
    filter->short_dense = write_short_taps(kernel->taps, kernel->width, kernel->height, correction, values,
                                           &accuracy);
    filter->short_dense.offset = byte_offset(sum_taps(kernel->taps, count), &error);
    error += 128 * accuracy.error + product_rounding(count);
    return largest_sum(samples_most, &accuracy, count) < sums_most && error <= error_max;
}

/* Row taps are scaled to mass 1, and column taps take the rest. Returns whether 16 bits are precise
 * enough. */
static bool create_short_factors(const struct kernel *kernel, struct space_filter *filter, int32_t **values)
{
    struct accuracy row, column;
    size_t width = (size_t)kernel->width, height = (size_t)kernel->height;
    double mass = sum_magnitudes(kernel->rows, width), error = 0;
    if (kernel->terms != 1 || !(mass > 0) || !(mass * sum_magnitudes(kernel->columns, height) < 1.5))
        return false;
    filter->short_column = write_short_taps(kernel->columns, 1, kernel->height, mass, values, &column);
    filter->short_row = write_short_taps(kernel->rows, kernel->width, 1, correction / mass, values, &row);
    filter->short_row.offset = byte_offset(sum_taps(kernel->rows, width) * sum_taps(kernel->columns, height),
                                           &error);
    error += 128 * column.error + product_rounding(height);
    error = error * row.mass + 128 * row.error + product_rounding(width);
    double most = largest_sum(samples_most, &column, height);
    return most < sums_most && largest_sum(most, &row, width) < sums_most && error <= error_max;
}

bool space_fits_shorts(const struct kernel *kernel, abbe_method method)
{
    size_t width = (size_t)kernel->width, height = (size_t)kernel->height;
    double taps = method == ABBE_METHOD_DIRECT ? (double)width * (double)height : (double)(width + height);
    double error = taps * (0.5 / SPACE_STEP + 128 * 0.25 * 0x1p-15), gain[2];
    if (error > error_max || kernel->terms > 1)
        return false;
    kernel_gain(kernel, 0, 0, gain);
    byte_offset(gain[0], &error);
    double mass = kernel->terms
                      ? sum_magnitudes(kernel->rows, width) * sum_magnitudes(kernel->columns, height)
                      : sum_magnitudes(kernel->taps, width * height);
    return samples_most * mass + 0.5 * taps < sums_most && error <= error_max;
}

static bool create_all_shorts(const struct work *work, struct space *space)
{
    bool fits = space_takes_shorts(work, space->kernels);
    int32_t *values = space->short_values;
    for (int i = 0; i < work->filter_count && fits; i++) {
        const struct kernel *kernel = filter_kernel(work, i);
        fits = kernel->terms ? create_short_factors(kernel, &space->filters[i], &values)
                             : create_short_dense(kernel, &space->filters[i], &values);
    }
    return fits;
}

/* ---- All taps of a work ------------------------------------------------------------------------------- */

static void set_outside_pixel(const struct engine *engine, struct space *space)
{
    const struct work *work = engine->work;
    double white = space->fast_load ? space_white(work->source_type) : 1;
    for (int c = 0; c < work->channels; c++)
        if (space->shorts)
            space->outside.shorts[c] = (int16_t)lrint(((double)engine->outside[c] * white - 128) *
                                                      SPACE_STEP);
        else
            space->outside.floats[c] = (float)((double)engine->outside[c] * white);
}

bool space_create_taps(struct engine *engine)
{
    const struct work *work = engine->work;
    struct space *space = engine->space;
    size_t taps = 0, values = 0, sparse = 0;
    for (int i = 0; i < work->filter_count; i++) {
        const struct kernel *kernel = filter_kernel(work, i);
        taps += kernel->terms ? 2 * (size_t)kernel->terms : 1;
        values += count_values(kernel);
        sparse += count_sparse(kernel);
    }
    space->filters = core_alloc_zero((size_t)work->filter_count, sizeof *space->filters);
    space->taps = core_alloc(taps, sizeof *space->taps);
    space->values = core_alloc(values, sizeof *space->values);
    space->short_values = core_alloc(space_takes_shorts(work, space->kernels) ? values : 0,
                                     sizeof *space->short_values);
    space->sparse = core_alloc(sparse, sizeof *space->sparse);
    if (!space->filters || !space->taps || !space->values || !space->short_values || !space->sparse)
        return false;
    struct space_taps *next_taps = space->taps;
    struct space_tap *next_sparse = space->sparse;
    float *next_values = space->values;
    for (int i = 0; i < work->filter_count; i++) {
        create_float_taps(work, filter_kernel(work, i), tap_scale(work, space), &space->filters[i],
                          &next_taps, &next_values);
        create_sparse_taps(filter_kernel(work, i), &space->filters[i], &next_sparse);
    }
    space->shorts = create_all_shorts(work, space);
    set_outside_pixel(engine, space);
    return true;
}

void space_free_taps(struct space *space)
{
    core_free(space->filters);
    core_free(space->taps);
    core_free(space->values);
    core_free(space->short_values);
    core_free(space->sparse);
}
