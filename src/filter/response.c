/* Responses: a kernel and transfer functions that act as one linear filter, and how far they reach. */
#include "core/memory.h"
#include "fft/natural.h"
#include "filter/filter.h"
#include "filter/transfer.h"

#include <assert.h>
#include <math.h>

enum { TRANSFERS_MAX = 4096 };

void response_free(struct response *response)
{
    for (int i = response->transfer_count - 1; i >= 0; i--)
        transfer_free(&response->transfers[i]);
    core_free(response->transfers);
    kernel_free(&response->kernel);
    *response = (struct response){ 0 };
}

/* Appends copies of transfer functions to an array with room for them. */
static int append_transfers(const struct response *from, struct response *to)
{
    for (int i = 0; i < from->transfer_count; i++) {
        int error = transfer_copy(&from->transfers[i], &to->transfers[to->transfer_count]);
        if (error)
            return error;
        to->transfer_count++;
    }
    return ABBE_OK;
}

/* Makes the response of a kernel and the transfer functions of a and b (b may be NULL). Takes ownership of
 * the kernel, also on failure. */
static int complete_response(const struct response *a, const struct response *b, struct kernel kernel,
                             struct response *out)
{
    struct response made = { .kernel = kernel };
    int error = ABBE_ERR_SIZE, count = a->transfer_count + (b ? b->transfer_count : 0);
    if (count > TRANSFERS_MAX)
        goto fail;
    error = ABBE_ERR_MEMORY;
    made.transfers = count ? core_alloc((size_t)count, sizeof *made.transfers) : NULL;
    if (count && !made.transfers)
        goto fail;
    error = append_transfers(a, &made);
    if (!error && b)
        error = append_transfers(b, &made);
    if (error)
        goto fail;
    *out = made;
    return ABBE_OK;
fail:
    response_free(&made);
    return error;
}

int response_copy(const struct response *response, struct response *out)
{
    struct kernel kernel;
    int error = kernel_copy(&response->kernel, &kernel);
    return error ? error : complete_response(response, NULL, kernel, out);
}

int response_chain(const struct response *a, const struct response *b, struct response *out)
{
    struct kernel kernel;
    int error = kernel_convolve(&a->kernel, &b->kernel, &kernel);
    return error ? error : complete_response(a, b, kernel, out);
}

int response_flip(const struct response *response, struct response *out)
{
    struct kernel kernel;
    int error = kernel_flip(&response->kernel, &kernel);
    return error ? error : complete_response(response, NULL, kernel, out);
}

bool response_has_callback(const struct response *response)
{
    for (int i = 0; i < response->transfer_count; i++)
        if (response->transfers[i].callback)
            return true;
    return false;
}

bool response_is_real(const struct response *response)
{
    for (int i = 0; i < response->transfer_count; i++)
        if (!response->transfers[i].is_even)
            return false;
    return kernel_is_symmetric(&response->kernel);
}

/* ---- The radius of the impulse response --------------------------------------------------------------- */

enum { GRID_MIN = 64, GRID_MAX = 512 };

/* The fraction of the energy that may lie beyond the radius. */
static const double OUTSIDE = 1e-6;

/* The smallest grid on which a response of `limit` pixels fits within three quarters of the half side. */
static int radius_grid_side(int limit)
{
    int n = GRID_MIN;
    while (n < GRID_MAX && n / 2 - n / 8 < limit)
        n *= 2;
    return n;
}

/* Writes the product of the transfer functions over an n × n grid of frequencies in natural order. */
static int sample_transfers(const struct response *response, int n, double *H)
{
    for (int k = 0; k < n * n; k++) {
        double fx = (double)(k % n) / n, fy = (double)(k / n) / n, gain[2];
        double re = 1.0, im = 0.0;
        for (int i = 0; i < response->transfer_count; i++) {
            transfer_gain(&response->transfers[i], fx, fy, gain);
            double product = re * gain[0] - im * gain[1];
            im = re * gain[1] + im * gain[0];
            re = product;
        }
        if (!isfinite(re) || !isfinite(im))
            return ABBE_ERR_NONFINITE;
        H[2 * k] = re;
        H[2 * k + 1] = im;
    }
    return ABBE_OK;
}

static int distance_to_zero(int i, int n)
{
    return i <= n / 2 ? i : n - i;
}

/* The smallest r such that at most OUTSIDE of the energy has max(|x|, |y|) > r. `rings` holds n / 2 + 1
 * zeros. */
static int smallest_radius(const double *h, int n, double *rings)
{
    double total = 0.0, outside = 0.0;
    for (int k = 0; k < n * n; k++) {
        int x = distance_to_zero(k % n, n), y = distance_to_zero(k / n, n);
        double energy = h[2 * k] * h[2 * k] + h[2 * k + 1] * h[2 * k + 1];
        rings[x > y ? x : y] += energy;
        total += energy;
    }
    int r = n / 2;
    while (r > 0 && outside + rings[r] <= OUTSIDE * total)
        outside += rings[r--];
    return r;
}

int response_radius(const struct response *response, int limit, int *radius)
{
    assert(limit >= 0);
    if (!response->transfer_count) {
        *radius = 0;
        return ABBE_OK;
    }
    int n = radius_grid_side(limit);
    double *grid = core_alloc(2 * (size_t)n * (size_t)n, sizeof *grid);
    double *rings = core_alloc_zero((size_t)n / 2 + 1, sizeof *rings);
    int error = grid && rings ? ABBE_OK : ABBE_ERR_MEMORY;
    if (!error)
        error = sample_transfers(response, n, grid);
    if (!error)
        error = fft_natural_f64(n, n, true, grid, grid, 1);
    if (!error) {
        int found = smallest_radius(grid, n, rings);
        bool fits = found <= n / 2 - n / 8;
        *radius = fits && found < limit ? found : limit;
    }
    core_free(rings);
    core_free(grid);
    return error;
}
