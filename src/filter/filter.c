/* The public face of filters: made from taps, masks and functions, chained, and asked about themselves. */
#include "filter/filter.h"

#include "core/error.h"
#include "core/memory.h"
#include "filter/matrix.h"
#include "filter/shapes.h"
#include "filter/transfer.h"

#include <float.h>
#include <math.h>

/* The sentence for what building a filter can run into. */
static int fail_building(int status)
{
    if (status == ABBE_ERR_MEMORY)
        return core_fail_memory(NULL);
    if (status == ABBE_ERR_UNSUPPORTED)
        return core_fail(NULL, status, "only the last filter of a chain may take a magnitude");
    if (status == ABBE_ERR_RANGE)
        return core_fail(NULL, status, "the chain's taps grow beyond what a float holds");
    return core_fail(NULL, status, "the kernel has more than %d taps a side or %d in all",
                     ABBE_KERNEL_SIDE_MAX, KERNEL_AREA_MAX);
}

static int check_kernel_params(const abbe_kernel_params *params)
{
    int status = matrix_check(params->taps, "kernel");
    if (status)
        return status;
    const int *centre = params->centre;
    if (centre && (centre[0] < 0 || centre[0] >= params->taps->width || centre[1] < 0 ||
                   centre[1] >= params->taps->height))
        return core_fail(NULL, ABBE_ERR_INVALID, "centre (%d, %d) lies outside a kernel of %d × %d",
                         centre[0], centre[1], params->taps->width, params->taps->height);
    return ABBE_OK;
}

int abbe_filter_from_kernel(const abbe_kernel_params *params, abbe_filter **filter)
{
    if (!params || !filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_from_kernel: params or filter is NULL");
    int status = check_kernel_params(params);
    if (status)
        return status;
    struct abbe_filter made = { .components = 1 };
    struct kernel *kernel = &made.component[0].kernel;
    status = shape_from_taps(params->taps->values, params->taps->width, params->taps->height, kernel);
    if (status)
        return fail_building(status);
    if (params->centre) {
        kernel->centre_x = params->centre[0];
        kernel->centre_y = params->centre[1];
    }
    if (params->normalize && !shape_normalize(kernel)) {
        filter_clear(&made);
        return core_fail(NULL, ABBE_ERR_RANGE, "the taps sum to nearly zero and cannot be normalized");
    }
    return filter_publish(&made, filter);
}

/* Takes the transfer function over. */
static int publish_transfer(struct transfer transfer, abbe_filter **filter)
{
    struct abbe_filter made = { 0 };
    int status = filter_set_transfer(transfer, &made);
    return status ? fail_building(status) : filter_publish(&made, filter);
}

int abbe_filter_from_mask(const abbe_matrix *mask, abbe_filter **filter)
{
    if (!mask || !filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_from_mask: mask or filter is NULL");
    int status = matrix_check(mask, "mask");
    if (status)
        return status;
    abbe_matrix copy;
    status = matrix_copy(mask, &copy);
    return status ? fail_building(status) : publish_transfer(transfer_mask(copy), filter);
}

int abbe_filter_from_transfer(abbe_transfer transfer, void *user, abbe_filter **filter)
{
    if (!transfer || !filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_from_transfer: transfer or filter is NULL");
    return publish_transfer(transfer_callback(transfer, user), filter);
}

int abbe_filter_chain(const abbe_filter *const *filters, size_t count, abbe_filter **filter)
{
    if (!filters || !filter || !count)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_chain: no filters, or filter is NULL");
    for (size_t i = 0; i < count; i++)
        if (!filters[i])
            return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_chain: filter %zu is NULL", i + 1);
    struct abbe_filter chain = { .components = 1 };
    int status = shape_identity(&chain.component[0].kernel);
    for (size_t i = 0; !status && i < count; i++)
        status = filter_append(&chain, filters[i]);
    if (status) {
        filter_clear(&chain);
        return fail_building(status);
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

int abbe_filter_describe(const abbe_filter *filter, abbe_filter_info *info)
{
    if (!filter || !info)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_describe: filter or info is NULL");
    const struct response *first = &filter->component[0];
    *info = (abbe_filter_info){
        .components = filter->components,
        .in_frequency = first->transfer_count > 0,
        .width = first->kernel.width,
        .height = first->kernel.height,
        .centre_x = first->kernel.centre_x,
        .centre_y = first->kernel.centre_y,
    };
    return ABBE_OK;
}

static int check_component(const abbe_filter *filter, int component, const void *result, const char *caller)
{
    if (!filter || !result)
        return core_fail(NULL, ABBE_ERR_INVALID, "%s: filter or result is NULL", caller);
    if (component < 0 || component >= filter->components)
        return core_fail(NULL, ABBE_ERR_INVALID, "%s: component %d of a filter that has %d", caller,
                         component, filter->components);
    return ABBE_OK;
}

int abbe_filter_taps(const abbe_filter *filter, int component, abbe_matrix *taps)
{
    int status = check_component(filter, component, taps, "abbe_filter_taps");
    if (status)
        return status;
    const struct response *response = &filter->component[component];
    if (response->transfer_count)
        return core_fail(NULL, ABBE_ERR_UNSUPPORTED, "a filter in frequency has no finite set of taps");
    struct kernel dense;
    status = kernel_expand(&response->kernel, &dense);
    if (status)
        return fail_building(status);
    *taps = (abbe_matrix){ dense.width, dense.height, dense.taps };
    return ABBE_OK;
}

int abbe_filter_gain(const abbe_filter *filter, int component, double fx, double fy, double gain[2])
{
    int status = check_component(filter, component, gain, "abbe_filter_gain");
    if (status)
        return status;
    if (!isfinite(fx) || !isfinite(fy))
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_gain: a frequency is not finite");
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
#include <float.h>

void filter_clear(struct abbe_filter *filter)
{
    response_free(&filter->component[1]);
    response_free(&filter->component[0]);
    filter->components = 0;
}

int filter_set_transfer(struct transfer transfer, struct abbe_filter *filter)
{
    struct response response = { 0 };
    int status = shape_identity(&response.kernel);
    if (status)
        goto fail;
    response.transfers = core_alloc(1, sizeof *response.transfers);
    if (!response.transfers) {
        status = ABBE_ERR_MEMORY;
        goto fail;
    }
    response.transfers[0] = transfer;
    response.transfer_count = 1;
    *filter = (struct abbe_filter){ .components = 1, .component = { response } };
    return ABBE_OK;
fail:
    response_free(&response);
    transfer_free(&transfer);
    return status;
}

int filter_append(struct abbe_filter *chain, const struct abbe_filter *next)
{
    struct abbe_filter made = { 0 };
    int status = chain->components == 1 ? ABBE_OK : ABBE_ERR_UNSUPPORTED;
    while (!status && made.components < next->components) {
        struct response *component = &made.component[made.components];
        status = response_chain(&chain->component[0], &next->component[made.components], component);
        if (!status && !(kernel_bound(&component->kernel) <= FLT_MAX))
            status = ABBE_ERR_RANGE;
        made.components++;
    }
    if (status) {
        filter_clear(&made);
        return status;
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
    *published = *filter;
    *out = published;
    return ABBE_OK;
}
