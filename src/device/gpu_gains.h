/* Spectra of a work's filters for GPUs: sampled on the host, in the order of the device's columns. */
#ifndef ABBE_DEVICE_GPU_GAINS_H
#define ABBE_DEVICE_GPU_GAINS_H

#include "device/device.h"

/* How a device lays the gains of one filter out: blocks of `lanes` columns, each [row][lane]. */
struct gpu_gain_layout {
    const struct work *work;
    int threads;          /* of the host that sample */
    bool real;            /* all spectra are real: a gain is one float instead of two */
    int columns;          /* columns that are kept; fewer than all for a single channel */
    int blocks, lanes;    /* blocks of columns; columns of a block */
    int parts_x, parts_y; /* transforms that one of the axis is made of: natural order within each */
    int spectra;          /* of a filter: 2 where its even and its odd part are apart, otherwise 1 */
    bool half;            /* the row passes divide by the row's length themselves */
    /* NULL, or a device's own order: the frequency at each place of a column, and the place of each column
     * that is sampled, or −1. Otherwise parts_x and parts_y say where these lie. */
    const int *order, *places;
};

/* Gains of a layout under way. */
struct gpu_gains {
    struct gpu_gain_layout layout;
    int *order, *places;
    size_t bytes; /* of one spectrum */
};

/* Whether all spectra of a work are real. */
bool gpu_gains_are_real(const struct work *work);

/* Whether spectra may be sampled again: no callback of the application is called. */
bool gpu_gains_are_repeatable(const struct work *work);

/* Spectra of each filter of a work: 2 where even transforms meet a filter that is not even, otherwise 1. */
int gpu_gains_of_filter(const struct work *work);

/* Columns that are sampled. Even transforms have the frequencies of a picture with its reflection, as far as
 * half the sampling rate. */
int gpu_gains_columns(const struct work *work);

/* Prepares the sampling. gpu_gains_release must follow, even after an error, which is MEMORY without a
 * message. */
int gpu_gains_prepare(const struct gpu_gain_layout *layout, struct gpu_gains *gains);
void gpu_gains_release(struct gpu_gains *gains);

/* Samples spectrum `number`, counting all spectra of all filters, into gains->bytes. Errors, with a message
 * for the device: NONFINITE (a gain), MEMORY. */
int gpu_gains_sample(const abbe_device *device, const struct gpu_gains *gains, int number, float *h);

#endif
