/* The public functions on filters: made from taps, masks and functions, chained, and queried. */
#include "filter/filter.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/params.h"
#include "filter/matrix.h"
#include "filter/shapes.h"
#include "filter/transfer.h"

#include <float.h>
#include <math.h>

/* ---- Filters under construction ----------------------------------------------------------------------- */

void filter_clear(struct abbe_filter *filter)
{
    response_free(&filter->component[1]);
    response_free(&filter->component[0]);
    filter->components = 0;
}

int filter_set_transfer(struct transfer transfer, struct abbe_filter *filter)
{
    struct response response = { 0 };
    int error = shape_identity(&response.kernel);
    if (!error) {
        response.transfers = core_alloc(1, sizeof *response.transfers);
        error = response.transfers ? ABBE_OK : ABBE_ERR_MEMORY;
    }
    if (error) {
        response_free(&response);
        transfer_free(&transfer);
        return error;
    }
    response.transfers[0] = transfer;
    response.transfer_count = 1;
    *filter = (struct abbe_filter){ .components = 1, .component = { response } };
    return ABBE_OK;
}

int filter_plan_chain(struct chain_plan *plan, const struct abbe_filter *next)
{
    if (plan->components > 1)
        return ABBE_ERR_UNSUPPORTED;
    struct kernel_shape start = plan->components ? plan->shape : (struct kernel_shape){ 1, 1, 1 };
    for (int c = 0; c < next->components; c++) {
        plan->shape = start;
        int error = kernel_convolve_shape(&plan->shape, &next->component[c].kernel);
        if (error)
            return error;
    }
    plan->components = next->components;
    return ABBE_OK;
}

int filter_append(struct abbe_filter *chain, const struct abbe_filter *next)
{
    struct abbe_filter made = { 0 };
    int error = chain->components == 1 ? ABBE_OK : ABBE_ERR_UNSUPPORTED;
    while (!error && made.components < next->components) {
        struct response *component = &made.component[made.components];
        error = response_chain(&chain->component[0], &next->component[made.components], component);
        if (!error && !(kernel_bound(&component->kernel) <= FLT_MAX))
            error = ABBE_ERR_RANGE;
        made.components++;
    }
    if (error) {
        filter_clear(&made);
        return error;
    }
    filter_clear(chain);
    *chain = made;
    return ABBE_OK;
}

int filter_publish(struct abbe_filter *filter, abbe_filter **out)
{
    struct abbe_filter *published = core_alloc(1, sizeof *published);
    if (!published) {
        filter_clear(filter);
        return core_fail_memory(NULL);
    }
    const struct kernel *kernel = &filter->component[0].kernel;
    *published = *filter;
    published->info = (abbe_filter_info){
        .components = filter->components,
        .in_frequency = filter->component[0].transfer_count > 0,
        .width = kernel->width,
        .height = kernel->height,
        .centre_x = kernel->centre_x,
        .centre_y = kernel->centre_y,
    };
    *out = published;
    return ABBE_OK;
}

/* ---- Making ------------------------------------------------------------------------------------------- */

/* Records the message for an error of making a kernel or a chain. */
static int fail_making_filter(int error)
{
    if (error == ABBE_ERR_MEMORY)
        return core_fail_memory(NULL);
    if (error == ABBE_ERR_UNSUPPORTED)
        return core_fail(NULL, error, "chain: only the last filter may take a magnitude");
    if (error == ABBE_ERR_RANGE)
        return core_fail(NULL, error, "chain: the taps exceed the range of a float");
    return core_fail(NULL, error, "kernel: more than %d taps per side or %d in all", ABBE_KERNEL_SIDE_MAX,
                     KERNEL_AREA_MAX);
}

static int check_centre(const int *centre, int width, int height, const char *what)
{
    if (centre && (centre[0] < 0 || centre[0] >= width || centre[1] < 0 || centre[1] >= height))
        return core_fail(NULL, ABBE_ERR_INVALID, "%s: centre (%d, %d) lies outside the %d × %d taps", what,
                         centre[0], centre[1], width, height);
    return ABBE_OK;
}

/* Sets the centre of a filter of one kernel, normalises it and moves it to the heap. Clears it on failure. */
static int publish_taps(struct abbe_filter *made, const int *centre, bool normalize, const char *what,
                        abbe_filter **filter)
{
    struct kernel *kernel = &made->component[0].kernel;
    int error = ABBE_OK;
    if (centre) {
        kernel->centre_x = centre[0];
        kernel->centre_y = centre[1];
    }
    if (normalize && !shape_normalize(kernel))
        error = core_fail(NULL, ABBE_ERR_RANGE, "%s: the taps sum to nearly zero and cannot be normalized",
                          what);
    else if (!(kernel_bound(kernel) <= FLT_MAX))
        error = core_fail(NULL, ABBE_ERR_RANGE, "%s: the taps exceed the range of a float", what);
    if (error) {
        filter_clear(made);
        return error;
    }
    return filter_publish(made, filter);
}

int abbe_filter_from_kernel(const abbe_kernel_params *params, abbe_filter **filter)
{
    if (!params || !filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_from_kernel: %s is NULL",
                         params ? "filter" : "params");
    static const struct core_params about = { "abbe_filter_from_kernel: params", KERNEL_PARAMS_0_2,
                                              sizeof(abbe_kernel_params) };
    abbe_kernel_params known;
    int error = core_read_params(NULL, &about, params, &known);
    if (!error)
        error = matrix_check(known.taps, "kernel");
    if (!error)
        error = check_centre(known.centre, known.taps->width, known.taps->height, "kernel");
    if (error)
        return error;
    struct abbe_filter made = { .components = 1 };
    error = shape_from_taps(known.taps->values, known.taps->width, known.taps->height,
                            &made.component[0].kernel);
    if (error)
        return fail_making_filter(error);
    return publish_taps(&made, known.centre, known.normalize, "kernel", filter);
}

/* Refuses factors that are NULL, too long or not finite. */
static int check_factor(const double *values, int count, const char *values_name, const char *count_name)
{
    if (!values)
        return core_fail(NULL, ABBE_ERR_INVALID, "separable: %s is NULL", values_name);
    if (count < 1)
        return core_fail(NULL, ABBE_ERR_INVALID, "separable: %s is %d; it must be at least 1", count_name,
                         count);
    if (count > ABBE_KERNEL_SIDE_MAX)
        return core_fail(NULL, ABBE_ERR_SIZE, "separable: %s is %d; it may be at most %d", count_name, count,
                         ABBE_KERNEL_SIDE_MAX);
    for (int i = 0; i < count; i++)
        if (!(fabs(values[i]) <= FLT_MAX))
            return core_fail(NULL, ABBE_ERR_NONFINITE, "separable: %s[%d] is not finite as a float",
                             values_name, i);
    return ABBE_OK;
}

int abbe_filter_from_separable(const abbe_separable_params *params, abbe_filter **filter)
{
    if (!params || !filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_from_separable: %s is NULL",
                         params ? "filter" : "params");
    static const struct core_params about = { "abbe_filter_from_separable: params", SEPARABLE_PARAMS_0_2,
                                              sizeof(abbe_separable_params) };
    abbe_separable_params known;
    int error = core_read_params(NULL, &about, params, &known);
    if (!error)
        error = check_factor(known.row, known.width, "row", "width");
    if (!error)
        error = check_factor(known.column, known.height, "column", "height");
    if (!error)
        error = check_centre(known.centre, known.width, known.height, "separable");
    if (error)
        return error;
    struct abbe_filter made = { .components = 1 };
    error = shape_from_factors(known.row, known.width, known.column, known.height, &made.component[0].kernel);
    if (error)
        return fail_making_filter(error);
    return publish_taps(&made, known.centre, known.normalize, "separable", filter);
}

/* Takes ownership of the transfer function. */
static int publish_transfer(struct transfer transfer, abbe_filter **filter)
{
    struct abbe_filter made = { 0 };
    int error = filter_set_transfer(transfer, &made);
    return error ? fail_making_filter(error) : filter_publish(&made, filter);
}

int abbe_filter_from_mask(const abbe_matrix *mask, abbe_filter **filter)
{
    if (!mask || !filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_from_mask: %s is NULL",
                         mask ? "filter" : "mask");
    int error = matrix_check(mask, "mask");
    if (error)
        return error;
    abbe_matrix copy;
    error = matrix_copy(mask, &copy);
    return error ? fail_making_filter(error) : publish_transfer(transfer_mask(copy), filter);
}

int abbe_filter_from_gains(int width, int height, const double *gains, abbe_filter **filter)
{
    if (!gains || !filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_from_gains: %s is NULL",
                         gains ? "filter" : "gains");
    int error = matrix_check_size(width, height, "gains");
    if (error)
        return error;
    for (int v = 0; v < height; v++)
        for (int u = 0; u < width; u++) {
            const double *gain = gains + 2 * ((size_t)v * (size_t)width + (size_t)u);
            if (!(fabs(gain[0]) <= FLT_MAX && fabs(gain[1]) <= FLT_MAX))
                return core_fail(NULL, ABBE_ERR_NONFINITE,
                                 "gains: column %d, row %d is not finite as a float", u, v);
        }
    struct transfer transfer;
    error = transfer_gains(width, height, gains, &transfer);
    return error ? fail_making_filter(error) : publish_transfer(transfer, filter);
}

int abbe_filter_from_transfer(abbe_transfer transfer, void *user, abbe_filter **filter)
{
    if (!transfer || !filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_from_transfer: %s is NULL",
                         transfer ? "filter" : "transfer");
    return publish_transfer(transfer_callback(transfer, user), filter);
}

int abbe_filter_chain(const abbe_filter *const *filters, size_t count, abbe_filter **filter)
{
    if (!filters || !filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_chain: %s is NULL",
                         filters ? "filter" : "filters");
    if (!count)
        return core_fail(NULL, ABBE_ERR_INVALID,
                         "abbe_filter_chain: count of filters is 0; it must be at "
                         "least 1");
    for (size_t i = 0; i < count; i++)
        if (!filters[i])
            return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_chain: filters[%zu] is NULL", i);
    struct chain_plan plan = { 0 };
    for (size_t i = 0; i < count; i++) {
        int error = filter_plan_chain(&plan, filters[i]);
        if (error)
            return fail_making_filter(error);
    }
    struct abbe_filter chain = { .components = 1 };
    int error = shape_identity(&chain.component[0].kernel);
    for (size_t i = 0; !error && i < count; i++)
        error = filter_append(&chain, filters[i]);
    if (error) {
        filter_clear(&chain);
        return fail_making_filter(error);
    }
    return filter_publish(&chain, filter);
}

void abbe_filter_destroy(abbe_filter **filter)
{
    if (!filter || !*filter)
        return;
    filter_clear(*filter);
    core_free(*filter);
    *filter = NULL;
}

/* ---- Queries ------------------------------------------------------------------------------------------ */

const abbe_filter_info *abbe_filter_describe(const abbe_filter *filter)
{
    return filter ? &filter->info : NULL;
}

/* Refuses a NULL filter and a component that the filter does not have. */
static int check_component(const abbe_filter *filter, int component, const char *function)
{
    if (!filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "%s: filter is NULL", function);
    if (component < 0 || component >= filter->components)
        return core_fail(NULL, ABBE_ERR_INVALID, "%s: component is %d; it must be %s", function, component,
                         filter->components == 1 ? "0" : "0 or 1");
    return ABBE_OK;
}

int abbe_filter_taps(const abbe_filter *filter, int component, abbe_matrix *taps)
{
    int error = check_component(filter, component, "abbe_filter_taps");
    if (error)
        return error;
    if (!taps)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_taps: taps is NULL");
    const struct response *response = &filter->component[component];
    if (response->transfer_count)
        return core_fail(NULL, ABBE_ERR_UNSUPPORTED,
                         "abbe_filter_taps: a filter in frequency has no finite set of taps");
    struct kernel dense;
    error = kernel_expand(&response->kernel, &dense);
    if (error)
        return fail_making_filter(error);
    *taps = (abbe_matrix){ dense.width, dense.height, dense.taps };
    return ABBE_OK;
}

int abbe_filter_gain(const abbe_filter *filter, int component, double fx, double fy, double gain[2])
{
    int error = check_component(filter, component, "abbe_filter_gain");
    if (error)
        return error;
    if (!gain)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_gain: gain is NULL");
    if (!isfinite(fx) || !isfinite(fy))
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_gain: frequency %s is not finite",
                         isfinite(fx) ? "fy" : "fx");
    const struct response *response = &filter->component[component];
    double product[2], factor[2];
    kernel_gain(&response->kernel, fx, fy, product);
    for (int i = 0; i < response->transfer_count; i++) {
        transfer_gain(&response->transfers[i], fx, fy, factor);
        double re = product[0] * factor[0] - product[1] * factor[1];
        product[1] = product[0] * factor[1] + product[1] * factor[0];
        product[0] = re;
    }
    gain[0] = product[0];
    gain[1] = product[1];
    return ABBE_OK;
}
