/* Filters under construction: values on the stack that become an abbe_filter when they are complete. */
#include "filter/build.h"

#include "core/error.h"
#include "core/memory.h"
#include "filter/shapes.h"
#include "filter/transfer.h"

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
