/* Responses: a kernel and transfer functions that act as one linear filter. */
#include "core/memory.h"
#include "filter/filter.h"
#include "filter/transfer.h"

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

bool response_is_even(const struct response *response)
{
    for (int i = 0; i < response->transfer_count; i++)
        if (!response->transfers[i].is_even || !response->transfers[i].is_mirrored)
            return false;
    return kernel_is_even(&response->kernel);
}

/* Σ tap, and the sum of magnitudes, of which Σ tap is a rounding error if it is small enough. */
static double sum_response_taps(const double *taps, long long count, double *magnitudes)
{
    double sum = 0;
    *magnitudes = 0;
    for (long long i = 0; i < count; i++) {
        sum += taps[i];
        *magnitudes += fabs(taps[i]);
    }
    return sum;
}

static double sum_kernel(const struct kernel *kernel, double *magnitudes)
{
    if (!kernel->terms)
        return sum_response_taps(kernel->taps, (long long)kernel->width * kernel->height, magnitudes);
    double sum = 0;
    *magnitudes = 0;
    for (int r = 0; r < kernel->terms; r++) {
        double row, column;
        sum += sum_response_taps(kernel->rows + (long long)r * kernel->width, kernel->width, &row) *
               sum_response_taps(kernel->columns + (long long)r * kernel->height, kernel->height, &column);
        *magnitudes += row * column;
    }
    return sum;
}

double response_constant_gain(const struct response *response)
{
    static const double rounding = 1e-13;
    double magnitudes, factor[2], gain = sum_kernel(&response->kernel, &magnitudes);
    if (fabs(gain) < rounding * magnitudes)
        gain = 0;
    for (int i = 0; i < response->transfer_count; i++) {
        transfer_gain(&response->transfers[i], 0, 0, factor);
        gain *= factor[1] == 0 ? factor[0] : NAN;
    }
    return fabs(gain - 1) < rounding ? 1 : gain;
}
