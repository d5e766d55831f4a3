/* Plans and runs of the viewer, and its drawing of spectra. */
#include "work.h"

#include "card.h"

#include <adopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool work_create(int width, int height, int channels, const abbe_filter *own, struct work *work)
{
    size_t pixels = (size_t)width * (size_t)height, samples = pixels * (size_t)channels;
    *work = (struct work){ .width = width, .height = height, .channels = channels, .own = own };
    work->source = calloc(samples, sizeof *work->source);
    work->result = calloc(samples, sizeof *work->result);
    work->plane = calloc(pixels, sizeof *work->plane);
    work->spectrum = calloc(2 * pixels, sizeof *work->spectrum);
    work->magnitudes = calloc(pixels, sizeof *work->magnitudes);
    return work->source && work->result && work->plane && work->spectrum && work->magnitudes;
}

static void close_device(struct work *work)
{
    abbe_plan_destroy(&work->plan);
    abbe_device_close(&work->device);
    work->on_card = false;
}

void work_free(struct work *work)
{
    close_device(work);
    free(work->source);
    free(work->result);
    free(work->plane);
    free(work->spectrum);
    free(work->magnitudes);
    *work = (struct work){ 0 };
}

static bool fail(struct work *work, const abbe_device *device)
{
    snprintf(work->error, sizeof work->error, "%s", abbe_error_text(device));
    return false;
}

/* ---- Devices ------------------------------------------------------------------------------------------- */

void work_enter_window(struct work *work, scene_get_function functions, const struct scene_gl *gl)
{
    work->functions = functions;
    work->gl = gl;
}

void work_leave_window(struct work *work)
{
    close_device(work);
    if (work->gl)
        card_destroy(work);
}

bool work_open(struct work *work, const char *name, int threads)
{
    bool shares = work->functions && adopt_is_gl(name) && card_create(work);
    abbe_device *device = shares ? adopt_device(name, work->functions, threads) : NULL;
    bool on_card = device != NULL;
    if (!device && abbe_device_open(name, &(abbe_device_params){ .threads = threads }, &device))
        return fail(work, NULL);
    work_read_source(work);
    close_device(work);
    work->device = device;
    work->on_card = on_card;
    if (on_card)
        card_write(work);
    return true;
}

/* ---- Filters ------------------------------------------------------------------------------------------- */

static int filter_of_mask(const struct mask *mask, abbe_filter **filter)
{
    abbe_matrix matrix = { 0 };
    int error = abbe_matrix_create(mask->width, mask->height, &matrix);
    for (size_t i = 0; !error && i < (size_t)mask->width * (size_t)mask->height; i++)
        matrix.values[i] = (double)((float)mask->gains[i] / 255.0f); /* as the command reads it from a file */
    if (!error)
        error = abbe_filter_from_mask(&matrix, filter);
    abbe_matrix_free(&matrix);
    return error;
}

/* The mask first: behind a gradient's magnitude nothing may come. */
static int filter_of_state(const struct work *work, const struct state *state, const struct mask *mask,
                           abbe_filter **filter)
{
    char text[FILTER_TEXT];
    abbe_filter *made = NULL, *painted = NULL;
    const abbe_filter *chain[2];
    size_t count = 0;
    int error = mask_is_open(mask) ? ABBE_OK : filter_of_mask(mask, &painted);
    if (painted)
        chain[count++] = painted;
    state_filter_text(state, text);
    if (!error && !state_filter_is_own(state))
        error = abbe_filter_parse(text, NULL, &made);
    chain[count++] = made ? made : work->own;
    if (!error)
        error = abbe_filter_chain(chain, count, filter);
    abbe_filter_destroy(&painted);
    abbe_filter_destroy(&made);
    return error;
}

void work_plan(struct work *work, const struct state *state, const struct mask *mask)
{
    abbe_filter *filter = NULL;
    abbe_plan *plan = NULL;
    work->error[0] = '\0';
    if (filter_of_state(work, state, mask, &filter)) {
        fail(work, NULL);
        return;
    }
    abbe_plan_params params = { .width = work->width,
                                .height = work->height,
                                .channels = work->on_card ? 4 : work->channels,
                                .source_type = ABBE_F32,
                                .result_type = ABBE_F32,
                                .filters = (const abbe_filter *const[]){ filter },
                                .filter_count = 1,
                                .border = state->border,
                                .border_value = state->border_value,
                                .nonfinite = ABBE_NONFINITE_ZERO,
                                .offset = state_offset(state) };
    if (abbe_plan_create(work->device, &params, &plan)) {
        fail(work, work->device);
    } else {
        abbe_plan_destroy(&work->plan);
        work->plan = plan;
    }
    abbe_filter_destroy(&filter);
}

abbe_image work_view(const struct work *work, float *values)
{
    ptrdiff_t stride = (ptrdiff_t)work->width * work->channels * (ptrdiff_t)sizeof *values;
    return (abbe_image){ values, work->width, work->height, work->channels, stride, ABBE_F32 };
}

/* ---- Runs ---------------------------------------------------------------------------------------------- */

bool work_draw(struct work *work, struct scene *scene, const struct scene_params *params,
               char reason[SCENE_REASON])
{
    work->source_is_old = work->on_card;
    return work->on_card ? card_draw(work, scene, params, reason)
                         : scene_capture(scene, params, work->source, reason);
}

static int run(struct work *work)
{
    abbe_image source = work_view(work, work->source), result = work_view(work, work->result);
    return work->on_card ? card_filter(work) : abbe_run(work->plan, &source, &result);
}

void work_filter(struct work *work)
{
    int error = work->plan ? run(work) : ABBE_OK;
    if (error == ABBE_ERR_SIZE && work->on_card)
        work->on_card = false;
    else if (error)
        fail(work, work->device);
}

void work_read_source(struct work *work)
{
    if (work->source_is_old && !card_read(work, &work->drawn, work->source, work->error))
        return;
    work->source_is_old = false;
}

void work_read_result(struct work *work)
{
    if (work->on_card)
        card_read(work, &work->filtered, work->result, work->error);
}

/* ---- Spectra ------------------------------------------------------------------------------------------- */

/* Lights far above white would flood the plane with their own spectrum; as on the screen, they are white. */
static void set_plane(struct work *work)
{
    const float weights[] = { 0.2126f, 0.7152f, 0.0722f };
    size_t pixels = (size_t)work->width * (size_t)work->height;
    const float *from = work->source;
    for (size_t i = 0; i < pixels; i++, from += work->channels) {
        float sum = work->channels == 1 ? from[0]
                                        : weights[0] * from[0] + weights[1] * from[1] + weights[2] * from[2];
        work->plane[i] = sum < 1 ? sum : 1;
    }
}

/* From natural order to zero frequency in the middle. */
static void set_magnitudes(struct work *work)
{
    const float decades = 5;
    int w = work->width, h = work->height;
    float strongest = 1e-30f;
    for (size_t i = 1; i < (size_t)w * (size_t)h; i++)
        strongest = fmaxf(strongest, hypotf(work->spectrum[2 * i], work->spectrum[2 * i + 1]));
    for (int v = 0; v < h; v++)
        for (int u = 0; u < w; u++) {
            const float *at = work->spectrum + 2 * ((size_t)v * (size_t)w + (size_t)u);
            float square = (at[0] * at[0] + at[1] * at[1]) / (strongest * strongest);
            float level = 1 + 0.5f * log10f(square + 1e-20f) / decades;
            size_t row = (size_t)((v + h / 2) % h), column = (size_t)((u + w / 2) % w);
            work->magnitudes[row * (size_t)w + column] = (uint8_t)(255 * fminf(fmaxf(level, 0), 1));
        }
}

void work_spectrum(struct work *work)
{
    work_read_source(work);
    set_plane(work);
    abbe_image plane = work_view(work, work->plane);
    plane.channels = 1;
    plane.stride = (ptrdiff_t)work->width * (ptrdiff_t)sizeof *work->plane;
    if (abbe_spectrum_forward(work->device, &plane, &plane) ||
        abbe_spectrum_unpack(work->width, work->height, work->plane, work->spectrum)) {
        fail(work, work->device);
        return;
    }
    set_magnitudes(work);
}
