/* Convolution of two kernels into one, a ∗ b: directly when small, through a transform when large. */
#include "core/memory.h"
#include "fft/natural.h"
#include "fft/size.h"
#include "filter/kernel.h"

#include <abbe/abbe.h>

#include <math.h>
#include <stddef.h>

enum {
    PRODUCT_TERMS_MAX = 8,     /* more separable terms would cost more than dense taps */
    DIRECT_PRODUCTS = 1 << 22, /* up to this many products, direct convolution is fast enough */
    DIRECT_PER_TAP = 64        /* products per result at which a transform costs the same */
};

/* A rectangle of taps; a line of taps has height 1. */
struct taps {
    const double *values;
    int width, height;
};

static size_t taps_area(struct taps taps)
{
    return (size_t)taps.width * (size_t)taps.height;
}

/* corner += tap · a, where rows of `corner` are `stride` apart. */
static void add_scaled_taps(struct taps a, double tap, double *corner, size_t stride)
{
    for (size_t y = 0; y < (size_t)a.height; y++) {
        const double *row = a.values + y * (size_t)a.width;
        for (size_t x = 0; x < (size_t)a.width; x++)
            corner[y * stride + x] += tap * row[x];
    }
}

/* out += a ∗ b. */
static void convolve_direct(struct taps a, struct taps b, double *out)
{
    size_t stride = (size_t)a.width + (size_t)b.width - 1;
    for (size_t j = 0; j < (size_t)b.height; j++)
        for (size_t i = 0; i < (size_t)b.width; i++) {
            double tap = b.values[j * (size_t)b.width + i];
            if (tap != 0.0)
                add_scaled_taps(a, tap, out + j * stride + i, stride);
        }
}

static double taps_norm(struct taps taps)
{
    double sum = 0.0;
    for (size_t i = 0; i < taps_area(taps); i++)
        sum += taps.values[i] * taps.values[i];
    return sqrt(sum);
}

/* Writes scale · taps into the real (part 0) or imaginary (part 1) parts of rows of `stride` samples. */
static void write_scaled_taps(struct taps taps, double scale, double *z, size_t stride, size_t part)
{
    for (size_t y = 0; y < (size_t)taps.height; y++)
        for (size_t x = 0; x < (size_t)taps.width; x++)
            z[2 * (y * stride + x) + part] = scale * taps.values[y * (size_t)taps.width + x];
}

/* z = a + j·b gives z ∗ z = a ∗ a − b ∗ b + 2j · a ∗ b: one transform, a square and one inverse. a and b are
 * scaled to equal norms so that rounding stays relative to ‖a‖ · ‖b‖. */
static int convolve_by_fft(struct taps a, struct taps b, double *out)
{
    size_t width = (size_t)a.width + (size_t)b.width - 1, height = (size_t)a.height + (size_t)b.height - 1;
    double balance = sqrt(taps_norm(b) / taps_norm(a));
    if (!isfinite(balance) || balance == 0.0)
        return ABBE_OK; /* one of the kernels is zero, and so is `out` already */
    int M = fft_good_size((int)width), N = fft_good_size((int)height);
    size_t samples = (size_t)M * (size_t)N;
    double *z = core_alloc_zero(2 * samples, sizeof *z);
    if (!z)
        return ABBE_ERR_MEMORY;
    write_scaled_taps(a, balance, z, (size_t)M, 0);
    write_scaled_taps(b, 1.0 / balance, z, (size_t)M, 1);
    int error = fft_natural_f64(M, N, false, z, z, 1);
    for (size_t i = 0; !error && i < samples; i++) {
        double re = z[2 * i], im = z[2 * i + 1];
        z[2 * i] = re * re - im * im;
        z[2 * i + 1] = 2.0 * re * im;
    }
    if (!error)
        error = fft_natural_f64(M, N, true, z, z, 1);
    /* The forward transform scales by 1/(M·N), which the square applies twice; once is undone here. */
    for (size_t i = 0; !error && i < width * height; i++)
        out[i] = 0.5 * (double)samples * z[2 * (i / width * (size_t)M + i % width) + 1];
    core_free(z);
    return error;
}

static int convolve_taps(struct taps a, struct taps b, double *out)
{
    double results = ((double)a.width + b.width - 1) * ((double)a.height + b.height - 1);
    double products = (double)taps_area(a) * (double)taps_area(b);
    if (products > DIRECT_PRODUCTS && products > DIRECT_PER_TAP * results)
        return convolve_by_fft(a, b, out);
    if (taps_area(a) >= taps_area(b))
        convolve_direct(a, b, out);
    else
        convolve_direct(b, a, out);
    return ABBE_OK;
}

struct line {
    const double *values;
    int length, centre;
};

static int convolve_lines(struct line a, struct line b, double *out)
{
    int error = convolve_taps((struct taps){ a.values, a.length, 1 }, (struct taps){ b.values, b.length, 1 },
                              out);
    enum parity parity = parity_product(parity_of(a.values, a.length, a.centre),
                                        parity_of(b.values, b.length, b.centre));
    if (!error)
        parity_enforce(out, a.length + b.length - 1, a.centre + b.centre, parity);
    return error;
}

static struct line row_of(const struct kernel *kernel, int r)
{
    return (struct line){ kernel->rows + (size_t)r * (size_t)kernel->width, kernel->width, kernel->centre_x };
}

static struct line column_of(const struct kernel *kernel, int r)
{
    return (struct line){ kernel->columns + (size_t)r * (size_t)kernel->height, kernel->height,
                          kernel->centre_y };
}

/* Σ a_r ∗ Σ b_s = Σ a_r ∗ b_s: every pair of terms gives one term, whose row and column are convolved
 * separately. */
static int convolve_separable(const struct kernel *a, const struct kernel *b, struct kernel *out)
{
    struct kernel made;
    int error = kernel_create_separable(a->width + b->width - 1, a->height + b->height - 1,
                                        a->terms * b->terms, &made);
    if (error)
        return error;
    for (int r = 0; r < a->terms; r++)
        for (int s = 0; s < b->terms && !error; s++) {
            size_t term = (size_t)r * (size_t)b->terms + (size_t)s;
            error = convolve_lines(row_of(a, r), row_of(b, s), made.rows + term * (size_t)made.width);
            if (!error)
                error = convolve_lines(column_of(a, r), column_of(b, s),
                                       made.columns + term * (size_t)made.height);
        }
    if (error)
        kernel_free(&made);
    else
        *out = made;
    return error;
}

/* Makes the lower half the exact point reflection of the upper half, which rounding may have disturbed. */
static void enforce_symmetry(struct kernel *kernel)
{
    for (int y = 0; y < kernel->height; y++)
        for (int x = 0; x < kernel->width; x++) {
            int mx = 2 * kernel->centre_x - x, my = 2 * kernel->centre_y - y;
            double *tap = &kernel->taps[(size_t)y * (size_t)kernel->width + (size_t)x];
            if (mx < 0 || mx >= kernel->width || my < 0 || my >= kernel->height)
                *tap = 0.0;
            else if (my < y || (my == y && mx < x))
                *tap = kernel->taps[(size_t)my * (size_t)kernel->width + (size_t)mx];
        }
}

static int convolve_dense(const struct kernel *a, const struct kernel *b, struct kernel *out)
{
    struct kernel made = { 0 }, dense_a = { 0 }, dense_b = { 0 };
    int error = kernel_create_dense(a->width + b->width - 1, a->height + b->height - 1, &made);
    if (!error)
        error = kernel_expand(a, &dense_a);
    if (!error)
        error = kernel_expand(b, &dense_b);
    if (!error)
        error = convolve_taps((struct taps){ dense_a.taps, a->width, a->height },
                              (struct taps){ dense_b.taps, b->width, b->height }, made.taps);
    kernel_free(&dense_b);
    kernel_free(&dense_a);
    if (error) {
        kernel_free(&made);
        return error;
    }
    made.centre_x = a->centre_x + b->centre_x;
    made.centre_y = a->centre_y + b->centre_y;
    if (kernel_is_symmetric(a) && kernel_is_symmetric(b))
        enforce_symmetry(&made);
    *out = made;
    return ABBE_OK;
}

/* Separable terms of a product; 0: dense. */
static int product_terms(int a, int b)
{
    return a && b && a <= PRODUCT_TERMS_MAX / b ? a * b : 0;
}

int kernel_convolve_shape(struct kernel_shape *shape, const struct kernel *next)
{
    int width = shape->width + next->width - 1, height = shape->height + next->height - 1;
    int terms = product_terms(shape->terms, next->terms);
    if (width > ABBE_KERNEL_SIDE_MAX || height > ABBE_KERNEL_SIDE_MAX ||
        (!terms && (long long)width * height > KERNEL_AREA_MAX))
        return ABBE_ERR_SIZE;
    *shape = (struct kernel_shape){ width, height, terms };
    return ABBE_OK;
}

int kernel_convolve(const struct kernel *a, const struct kernel *b, struct kernel *out)
{
    if (!product_terms(a->terms, b->terms))
        return convolve_dense(a, b, out);
    struct kernel made;
    int error = convolve_separable(a, b, &made);
    if (error)
        return error;
    made.centre_x = a->centre_x + b->centre_x;
    made.centre_y = a->centre_y + b->centre_y;
    *out = made;
    return ABBE_OK;
}
