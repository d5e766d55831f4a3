/* Pictures of abbe filter that are read, filtered and written in parts, because the whole would need too much memory. */
#ifndef ABBE_TOOL_STREAMING_H
#define ABBE_TOOL_STREAMING_H

#include "request.h"

/* One input and its results. */
struct streaming {
    const struct request *request;
    abbe_device *device;
    const abbe_plan_params *plan; /* of a page; its results are floats where they are finished one by one */
    struct inflow *source;
    const struct destination *destinations;
    const bool *skipped;
    const abbe_type *types; /* as they are stored */
    bool direct;            /* the plan makes results as they are stored */
    double from, to;        /* of the progress of all inputs */

    double memory;                      /* bytes that were allowed */
    double read_seconds, write_seconds; /* the latter waiting for writers */
};

/* Bytes that the pictures in memory take if the input is filtered as a whole. */
double streaming_whole_pictures(const struct streaming *streaming);

/* Writes into `reason` why the input cannot be filtered in parts; false if it can. */
bool streaming_has_obstacle(const struct streaming *streaming, char *reason, size_t size);

/* Filters and writes the input. Prints errors. */
bool streaming_run(struct streaming *streaming);

#endif
