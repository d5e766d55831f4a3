/* Charges of GPUs that compute in passes over their own memory, and how many units of each a run takes.
 *
 * The number of host threads matters only for copies into and out of memory that the GPU sees. */
#ifndef ABBE_DEVICE_GPU_UNITS_H
#define ABBE_DEVICE_GPU_UNITS_H

#include "device/device.h"

enum gpu_charge {
    GPU_RUN,           /* recording, submitting and waiting for a run */
    GPU_HOST_BYTE,     /* byte copied or checked by the host, on the busiest thread */
    GPU_BUS_BYTE,      /* byte between the memory of the host and that of a discrete GPU */
    GPU_SPECTRUM,      /* planning: writing one number of H, the unit of sampler_units(); none in a run */
    GPU_PASS,          /* a dispatch and the barrier behind it */
    GPU_SPACE_SAMPLE,  /* sample through a pass in space, without its taps */
    GPU_DIRECT_TAP,    /* tap of a sample */
    GPU_SEPARABLE_TAP, /* tap of a sample */
    GPU_FFT_SAMPLE,    /* complex sample through a pass of a transform */
    GPU_FFT_STEP,      /* complex sample through a step: a butterfly of radix 8 and an exchange */
    GPU_TILE,          /* one tile */
    GPU_CHARGES
};

extern const char *const gpu_charge_names[GPU_CHARGES];

/* What a device must tell about a work of a Fourier method. */
struct gpu_transforms {
    double row_steps,
        column_steps;  /* steps of each sample of a transform; negative: it has no such transform */
    double even_steps; /* further steps of even transforms */
    double planes;     /* complex planes: a pair of channels, or half a plane for a single one */
    double rows;       /* that the first pass transforms in place of all rows of a window; 0: all */
    double batch;      /* tiles of a dispatch */
};

/* Counts the units of a run on a number of threads. `transforms` is NULL for methods in space; `unified`: the
 * host sees the device's memory. */
void gpu_count_units(const struct work *work, const struct gpu_transforms *transforms, bool unified,
                     int threads, double *units);

#endif
