/* Abbe for programs that measure it: the times of a run's passes, and the terms of predicted times.
 *
 * abbe-bench fits prices with these functions, and `abbe filter --verbose` prints what they tell. Unlike
 * abbe.h, this header may change in every minor version: names of passes and charges are those of the
 * implementation. The conventions of abbe.h apply. */
#ifndef ABBE_MEASURE_H
#define ABBE_MEASURE_H

#include <abbe/abbe.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ABBE_PASSES_MAX 8

/* The time that a run spent on one kind of pass. */
typedef struct abbe_pass {
    const char *name; /* such as "rows", "columns", "tiles"; the library owns it */
    double seconds;
} abbe_pass;

/* The times of a run. */
typedef struct abbe_times {
    int pass_count;
    abbe_pass passes[ABBE_PASSES_MAX];
} abbe_times;

/* abbe_run_watched with timing.
 *
 * plan, source, results, watch   As for abbe_run_watched.
 * times                          Receives the times of the passes. After a failure it is unchanged.
 *
 * Aliasing, memory, threads and errors: as for abbe_run. */
ABBE_API int abbe_run_timed(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                            const abbe_watch *watch, abbe_times *times);

/* One term of a predicted time: units · seconds. docs/prices.md lists the names and what they count. */
typedef struct abbe_charge {
    const char *name; /* such as "row_flop" */
    double units;     /* on the thread with the most to do */
    double seconds;   /* per unit */
} abbe_charge;

/* Returns the terms of abbe_candidate.seconds.
 *
 * plan     The plan.
 * method   The method of one of its candidates; of two with FFT, the first is meant.
 * count    Receives the number of terms; 0 for a candidate that is not possible.
 *
 * Ownership: the plan owns the array. NULL, and 0 terms, for a plan of NULL and for other methods. */
ABBE_API const abbe_charge *abbe_plan_charges(const abbe_plan *plan, abbe_method method, size_t *count);

/* Makes a plan as far as the choice of its method, in a few milliseconds: abbe_plan_explain,
 * abbe_plan_choice, abbe_plan_charges, abbe_plan_device, abbe_plan_reason, abbe_plan_result_size and
 * abbe_plan_memory tell what abbe_plan_create would make. Spectra are not sampled, and runs of the draft
 * are INVALID.
 *
 * device, params, plan   As for abbe_plan_create.
 *
 * Errors: as for abbe_plan_create, without those of filters and devices that show up when spectra are
 * sampled. */
ABBE_API int abbe_plan_draft(abbe_device *device, const abbe_plan_params *params, abbe_plan **plan);

/* Returns the section of the price file that has the prices of a device, such as "cpu:avx512"; see
 * docs/prices.md. "" for NULL. The device owns the text. */
ABBE_API const char *abbe_device_section(const abbe_device *device);

#ifdef __cplusplus
}
#endif

#endif
