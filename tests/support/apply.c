/* Functions that filter a picture in one call, for tests that examine the result. */
#include "support/apply.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BANK_MAX = 8 };

static void must(int error, const abbe_device *device, const char *what)
{
    if (!error)
        return;
    printf("%s: %s: %s\n", what, abbe_error_name(error), abbe_error_text(device));
    fflush(stdout);
    abort();
}

abbe_filter *apply_filter(const char *text)
{
    abbe_filter *filter = NULL;
    must(abbe_filter_parse(text, NULL, &filter), NULL, text);
    return filter;
}

abbe_filter *apply_kernel(const abbe_matrix *taps, const int *centre)
{
    abbe_filter *filter = NULL;
    must(abbe_filter_from_kernel(&(abbe_kernel_params){ .taps = taps, .centre = centre }, &filter), NULL,
         "kernel");
    return filter;
}

abbe_plan *apply_plan(abbe_device *device, const abbe_plan_params *params)
{
    abbe_plan *plan = NULL;
    must(abbe_plan_create(device, params, &plan), device, "plan");
    return plan;
}

void apply_bank(abbe_device *device, abbe_plan_params params, const struct picture *in, struct picture *out)
{
    params.width = in->width, params.height = in->height, params.channels = in->channels;
    params.source_type = params.source_type ? params.source_type : ABBE_F32;
    params.result_type = params.result_type ? params.result_type : ABBE_F32;
    struct stored source = stored_create(in->width, in->height, in->channels, params.source_type, 0, false,
                                         true);
    struct stored results[BANK_MAX];
    abbe_image views[BANK_MAX];
    stored_write(&source, in);
    for (size_t i = 0; i < params.filter_count; i++) {
        results[i] = stored_create(in->width, in->height, in->channels, params.result_type, 0, false, true);
        views[i] = results[i].view;
    }
    abbe_plan *plan = apply_plan(device, &params);
    must(abbe_run(plan, &source.view, views), device, "run");
    for (size_t i = 0; i < params.filter_count; i++) {
        out[i] = stored_read(&results[i]);
        stored_free(&results[i]);
    }
    abbe_plan_destroy(&plan);
    stored_free(&source);
}

struct picture apply(abbe_device *device, abbe_plan_params params, const abbe_filter *filter,
                     const struct picture *in)
{
    struct picture out;
    params.filters = &filter;
    params.filter_count = 1;
    apply_bank(device, params, in, &out);
    return out;
}

struct picture apply_noise(int width, int height, int channels, uint64_t seed, bool positive)
{
    struct random random = { seed };
    struct picture picture = picture_create(width, height, channels);
    for (size_t i = 0; i < (size_t)width * height * channels; i++)
        picture.samples[i] = (float)(positive ? random_unit(&random) : random_signed(&random));
    return picture;
}

double apply_peak(const abbe_filter *filter)
{
    enum { GRID = 32 };
    double peak = 0, gain[2];
    for (int v = 0; v < GRID; v++)
        for (int u = 0; u <= GRID / 2; u++) {
            must(abbe_filter_gain(filter, 0, (double)u / GRID, (double)v / GRID - 0.5, gain), NULL, "gain");
            peak = fmax(peak, hypot(gain[0], gain[1]));
        }
    return peak;
}

bool apply_near(const struct picture *got, const struct picture *expected, double tolerance)
{
    for (int y = 0; y < got->height; y++)
        for (int x = 0; x < got->width; x++)
            for (int c = 0; c < got->channels; c++) {
                double a = *picture_at(got, x, y, c), b = *picture_at(expected, x, y, c);
                if (fabs(a - b) <= tolerance)
                    continue;
                printf("x %d, y %d, channel %d: %.9g, expected %.9g, tolerance %g\n", x, y, c, a, b,
                       tolerance);
                fflush(stdout);
                return false;
            }
    return true;
}
