/* A finite kernel of taps in double precision: creating, copying, reflecting and queries. */
#include "filter/kernel.h"

#include "core/memory.h"

#include <abbe/abbe.h>

#include <assert.h>
#include <math.h>
#include <string.h>

static bool sides_fit(int width, int height)
{
    assert(width >= 1 && height >= 1);
    return width <= ABBE_KERNEL_SIDE_MAX && height <= ABBE_KERNEL_SIDE_MAX;
}

int kernel_create_dense(int width, int height, struct kernel *out)
{
    if (!sides_fit(width, height) || (long long)width * height > KERNEL_AREA_MAX)
        return ABBE_ERR_SIZE;
    double *taps = core_alloc_zero((size_t)width * (size_t)height, sizeof *taps);
    if (!taps)
        return ABBE_ERR_MEMORY;
    *out = (struct kernel){
        .width = width,
        .height = height,
        .centre_x = width / 2,
        .centre_y = height / 2,
        .taps = taps,
    };
    return ABBE_OK;
}

int kernel_create_separable(int width, int height, int terms, struct kernel *out)
{
    assert(terms >= 1);
    if (!sides_fit(width, height))
        return ABBE_ERR_SIZE;
    double *rows = core_alloc_zero((size_t)terms * (size_t)width, sizeof *rows);
    double *columns = core_alloc_zero((size_t)terms * (size_t)height, sizeof *columns);
    if (!rows || !columns)
        goto fail;
    *out = (struct kernel){
        .width = width,
        .height = height,
        .centre_x = width / 2,
        .centre_y = height / 2,
        .terms = terms,
        .rows = rows,
        .columns = columns,
    };
    return ABBE_OK;
fail:
    core_free(columns);
    core_free(rows);
    return ABBE_ERR_MEMORY;
}

void kernel_free(struct kernel *kernel)
{
    core_free(kernel->columns);
    core_free(kernel->rows);
    core_free(kernel->taps);
    *kernel = (struct kernel){ 0 };
}

/* Makes a kernel of zeros of the same size, number of terms and centre. */
static int create_kernel_like(const struct kernel *kernel, struct kernel *out)
{
    struct kernel made;
    int error = kernel->terms ? kernel_create_separable(kernel->width, kernel->height, kernel->terms, &made)
                              : kernel_create_dense(kernel->width, kernel->height, &made);
    if (error)
        return error;
    made.centre_x = kernel->centre_x;
    made.centre_y = kernel->centre_y;
    *out = made;
    return ABBE_OK;
}

static size_t kernel_area(const struct kernel *kernel)
{
    return (size_t)kernel->width * (size_t)kernel->height;
}

void kernel_scale(struct kernel *kernel, double factor)
{
    double *taps = kernel->terms ? kernel->columns : kernel->taps;
    long long count = kernel->terms ? (long long)kernel->terms * kernel->height
                                    : (long long)kernel->width * kernel->height;
    for (long long i = 0; i < count && factor != 1; i++)
        taps[i] *= factor;
}

int kernel_copy(const struct kernel *kernel, struct kernel *out)
{
    struct kernel copy;
    int error = create_kernel_like(kernel, &copy);
    if (error)
        return error;
    if (kernel->terms) {
        size_t terms = (size_t)kernel->terms;
        memcpy(copy.rows, kernel->rows, terms * (size_t)kernel->width * sizeof *copy.rows);
        memcpy(copy.columns, kernel->columns, terms * (size_t)kernel->height * sizeof *copy.columns);
    } else {
        memcpy(copy.taps, kernel->taps, kernel_area(kernel) * sizeof *copy.taps);
    }
    *out = copy;
    return ABBE_OK;
}

static void reverse_line(const double *line, size_t length, double *out)
{
    for (size_t i = 0; i < length; i++)
        out[i] = line[length - 1 - i];
}

int kernel_flip(const struct kernel *kernel, struct kernel *out)
{
    struct kernel flipped;
    int error = create_kernel_like(kernel, &flipped);
    if (error)
        return error;
    size_t width = (size_t)kernel->width, height = (size_t)kernel->height;
    flipped.centre_x = kernel->width - 1 - kernel->centre_x;
    flipped.centre_y = kernel->height - 1 - kernel->centre_y;
    /* Reversing all taps row by row is the point reflection. */
    if (!kernel->terms)
        reverse_line(kernel->taps, kernel_area(kernel), flipped.taps);
    for (size_t r = 0; r < (size_t)kernel->terms; r++) {
        reverse_line(kernel->rows + r * width, width, flipped.rows + r * width);
        reverse_line(kernel->columns + r * height, height, flipped.columns + r * height);
    }
    *out = flipped;
    return ABBE_OK;
}

int kernel_expand(const struct kernel *kernel, struct kernel *out)
{
    if (!kernel->terms)
        return kernel_copy(kernel, out);
    struct kernel dense;
    int error = kernel_create_dense(kernel->width, kernel->height, &dense);
    if (error)
        return error;
    dense.centre_x = kernel->centre_x;
    dense.centre_y = kernel->centre_y;
    for (int y = 0; y < dense.height; y++)
        for (int x = 0; x < dense.width; x++)
            dense.taps[(size_t)y * (size_t)dense.width + (size_t)x] = kernel_tap(kernel, x, y);
    *out = dense;
    return ABBE_OK;
}

double kernel_tap(const struct kernel *kernel, int x, int y)
{
    assert(x >= 0 && x < kernel->width && y >= 0 && y < kernel->height);
    size_t width = (size_t)kernel->width, height = (size_t)kernel->height;
    if (!kernel->terms)
        return kernel->taps[(size_t)y * width + (size_t)x];
    double sum = 0.0;
    for (size_t r = 0; r < (size_t)kernel->terms; r++)
        sum += kernel->rows[r * width + (size_t)x] * kernel->columns[r * height + (size_t)y];
    return sum;
}

static bool dense_is_symmetric(const struct kernel *kernel)
{
    for (int y = 0; y < kernel->height; y++)
        for (int x = 0; x < kernel->width; x++) {
            int mx = 2 * kernel->centre_x - x, my = 2 * kernel->centre_y - y;
            bool inside = mx >= 0 && mx < kernel->width && my >= 0 && my < kernel->height;
            if (kernel_tap(kernel, x, y) != (inside ? kernel_tap(kernel, mx, my) : 0.0))
                return false;
        }
    return true;
}

bool kernel_is_symmetric(const struct kernel *kernel)
{
    if (!kernel->terms)
        return dense_is_symmetric(kernel);
    /* Each term is symmetric when its row and column are both even or both odd. */
    for (int r = 0; r < kernel->terms; r++) {
        const double *row = kernel->rows + (size_t)r * (size_t)kernel->width;
        const double *column = kernel->columns + (size_t)r * (size_t)kernel->height;
        enum parity of_row = parity_of(row, kernel->width, kernel->centre_x);
        enum parity of_column = parity_of(column, kernel->height, kernel->centre_y);
        if (!(parity_product(of_row, of_column) & PARITY_EVEN))
            return false;
    }
    return true;
}

/* Whether every row of a dense kernel is even about the centre. */
static bool rows_are_even(const struct kernel *kernel)
{
    for (int y = 0; y < kernel->height; y++)
        if (!(parity_of(kernel->taps + (size_t)y * (size_t)kernel->width, kernel->width, kernel->centre_x) &
              PARITY_EVEN))
            return false;
    return true;
}

bool kernel_is_even(const struct kernel *kernel)
{
    if (!kernel->terms)
        return dense_is_symmetric(kernel) && rows_are_even(kernel);
    for (int r = 0; r < kernel->terms; r++) {
        const double *row = kernel->rows + (size_t)r * (size_t)kernel->width;
        const double *column = kernel->columns + (size_t)r * (size_t)kernel->height;
        if (!(parity_of(row, kernel->width, kernel->centre_x) & PARITY_EVEN) ||
            !(parity_of(column, kernel->height, kernel->centre_y) & PARITY_EVEN))
            return false;
    }
    return true;
}

/* Writes Σ line[i] · e^(−j2π f (i − centre)). Whole turns are subtracted first, which keeps the argument
 * small. */
static void line_gain(const double *line, int length, int centre, double f, double gain[2])
{
    gain[0] = gain[1] = 0.0;
    for (int i = 0; i < length; i++) {
        double turns = f * (i - centre);
        double phase = 2.0 * M_PI * (turns - rint(turns));
        gain[0] += line[i] * cos(phase);
        gain[1] -= line[i] * sin(phase);
    }
}

static void add_product(const double a[2], const double b[2], double sum[2])
{
    sum[0] += a[0] * b[0] - a[1] * b[1];
    sum[1] += a[0] * b[1] + a[1] * b[0];
}

void kernel_gain(const struct kernel *kernel, double fx, double fy, double gain[2])
{
    size_t width = (size_t)kernel->width, height = (size_t)kernel->height;
    double of_row[2], of_column[2];
    const double one = 1.0;
    gain[0] = gain[1] = 0.0;
    for (size_t r = 0; r < (size_t)kernel->terms; r++) {
        line_gain(kernel->rows + r * width, kernel->width, kernel->centre_x, fx, of_row);
        line_gain(kernel->columns + r * height, kernel->height, kernel->centre_y, fy, of_column);
        add_product(of_row, of_column, gain);
    }
    for (int y = 0; !kernel->terms && y < kernel->height; y++) {
        line_gain(kernel->taps + (size_t)y * width, kernel->width, kernel->centre_x, fx, of_row);
        line_gain(&one, 1, kernel->centre_y - y, fy, of_column);
        add_product(of_row, of_column, gain);
    }
}

/* The largest magnitude, or NaN if one of the values is. */
static double largest_magnitude(const double *values, size_t count)
{
    double found = 0.0;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(values[i]) <= found))
            found = isnan(found) ? found : fabs(values[i]);
    return found;
}

double kernel_bound(const struct kernel *kernel)
{
    if (!kernel->terms)
        return largest_magnitude(kernel->taps, kernel_area(kernel));
    size_t width = (size_t)kernel->width, height = (size_t)kernel->height;
    double bound = 0.0;
    for (size_t r = 0; r < (size_t)kernel->terms; r++)
        bound += largest_magnitude(kernel->rows + r * width, width) *
                 largest_magnitude(kernel->columns + r * height, height);
    return bound;
}

long long kernel_count(const struct kernel *kernel)
{
    if (kernel->terms)
        return (long long)kernel->width * kernel->height;
    long long count = 0;
    for (size_t i = 0; i < kernel_area(kernel); i++)
        count += kernel->taps[i] != 0.0;
    return count;
}

/* ---- Parity ------------------------------------------------------------------------------------------- */

static double tap_or_zero(const double *line, int length, int i)
{
    return i >= 0 && i < length ? line[i] : 0.0;
}

enum parity parity_of(const double *line, int length, int centre)
{
    unsigned parity = PARITY_BOTH;
    for (int i = 0; i < length && parity; i++) {
        double mirrored = tap_or_zero(line, length, 2 * centre - i);
        if (line[i] != mirrored)
            parity &= ~(unsigned)PARITY_EVEN;
        if (line[i] != -mirrored)
            parity &= ~(unsigned)PARITY_ODD;
    }
    return (enum parity)parity;
}

enum parity parity_product(enum parity a, enum parity b)
{
    if (a == PARITY_BOTH || b == PARITY_BOTH)
        return PARITY_BOTH;
    if (a == PARITY_NONE || b == PARITY_NONE)
        return PARITY_NONE;
    return a == b ? PARITY_EVEN : PARITY_ODD;
}

void parity_enforce(double *line, int length, int centre, enum parity parity)
{
    if (parity == PARITY_NONE)
        return;
    double sign = parity & PARITY_EVEN ? 1.0 : -1.0;
    for (int i = 0; i < length; i++) {
        int mirror = 2 * centre - i;
        if (mirror < 0 || mirror >= length)
            line[i] = 0.0;
        else if (mirror <= i)
            line[i] = mirror == i && sign < 0.0 ? 0.0 : sign * line[mirror];
    }
}
