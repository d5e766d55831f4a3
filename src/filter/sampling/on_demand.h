/* Columns of a spectrum H that are sampled each time an engine needs them and not stored: for grids so large that H in
 * memory takes longer to write and read than to sample. */
#ifndef ABBE_FILTER_SAMPLING_ON_DEMAND_H
#define ABBE_FILTER_SAMPLING_ON_DEMAND_H

#include "filter/sampling/spectra.h"

/* Whether columns of a response can be sampled at any time, by any thread, without an error, and at little cost: it has
 * no function of a caller and no dense kernel. */
bool spectrum_suits_demand(const struct response *response);

struct spectrum_demand;

/* Of a layout its order, rows and scale are used. `response` and layout->order must outlive it. ABBE_OK, ABBE_ERR_SIZE
 * or ABBE_ERR_MEMORY; records no message. */
int spectrum_demand_create(const struct spectrum_grid *grid, const struct response *response,
                           const struct spectrum_layout *layout, struct spectrum_demand **demand);
void spectrum_demand_destroy(struct spectrum_demand **demand);

/* The doubles of scratch that spectrum_demand_columns needs; and the same before there is a demand. */
size_t spectrum_demand_scratch(const struct spectrum_demand *demand);
double spectrum_demand_scratch_doubles(int height);

/* An upper bound of the bytes that a demand keeps. */
double spectrum_demand_bytes(const struct response *response, int width, int height);

/* Writes a part of H at the frequencies u[0], u[1], … ≤ width / 2, to [row][lane]; a lane with −1 is 0. Lanes cost the
 * least where their frequencies follow one another, up or down. Threads may share a demand, each with its own
 * scratch. */
void spectrum_demand_columns(const struct spectrum_demand *demand, enum spectrum_part part, const int *u,
                             int lanes, double *scratch, float *h);

#endif
