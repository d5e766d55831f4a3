/* FFTW in its usual form: real to complex, times H, complex to real, one plane after the other.
 *
 * Plans are FFTW_PATIENT up to 2048 x 2048, on several threads up to 1024 x 1024, and FFTW_MEASURE above and
 * in the cases of the papers. The wisdom is kept in the user's cache folder, so that planning happens once
 * per machine. H is real, because the kernel is symmetric, and includes 1/(M·N). */
#include "../files.h"
#include "loops.h"
#include "peer.h"
#include "say.h"

#include <fftw3.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char WISDOM[] = "fftwf.wisdom";

/* On several threads, FFTW finds no patient plan of 2048 x 2048 within PLANNING_MAX. */
enum { PATIENT_SIDE = 2048, PATIENT_SIDE_THREADS = 1024 };

/* Time limit for one plan, in seconds. A patient plan on several threads takes minutes on an idle machine. On
 * a busy machine it may never end, because the threads wait for each other. */
static const double PLANNING_MAX = 300;

struct state {
    abbe_image source, result;
    int threads;
    size_t pixels, frequencies;
    float *planes[4]; /* of an RGBA picture; a picture of one channel needs none */
    fftwf_complex *spectrum;
    float *gains; /* H / (M·N) on the half plane */
    fftwf_plan forward, inverse;
};

static void write_fftw_version(char *text, size_t size)
{
    /* The text "fftw-3.3.10-sse2-avx" includes the instruction sets that FFTW was built for. */
    const char *name = strchr(fftwf_version, '-');
    snprintf(text, size, "%s", name ? name + 1 : fftwf_version);
}

static bool suits_fftw(const struct bench_case *what)
{
    bool plane = what->type == ABBE_F32 && what->channels == 1;
    bool rgb = what->type == ABBE_U8 && what->channels == 3;
    bool real = what->kernel == KERNEL_DISK || what->kernel == KERNEL_BOX;
    return what->border == ABBE_BORDER_WRAP && real && !what->frames && what->bank <= 1 &&
           (plane || rgb || what->channels == 4);
}

static void destroy_plans(struct state *state)
{
    fftwf_destroy_plan(state->inverse);
    fftwf_destroy_plan(state->forward);
    state->forward = state->inverse = NULL;
}

static void destroy_fftw(void *opaque)
{
    struct state *state = opaque;
    destroy_plans(state);
    fftwf_free(state->gains);
    fftwf_free(state->spectrum);
    for (int i = 0; i < 4; i++)
        fftwf_free(state->planes[i]);
    free(state);
}

/* ---- Planning ------------------------------------------------------------------------------------------ */

static void start_library(void)
{
    static bool started;
    if (started)
        return;
    started = true;
#ifdef ABBE_BENCH_FFTW_THREADS
    fftwf_init_threads();
#endif
    char *path = cache_path(WISDOM);
    if (path)
        fftwf_import_wisdom_from_filename(path);
    free(path);
}

/* Writes a second file and renames it, so that an interruption does not leave half a file. */
static void save_wisdom(void)
{
    char *path = cache_path(WISDOM), *draft = cache_path("fftwf.wisdom.new");
    if (path && draft && fftwf_export_wisdom_to_filename(draft))
        rename(draft, path);
    free(draft);
    free(path);
}

/* Planning overwrites its arrays. The plans serve other arrays, too, because all have the same alignment. */
static bool make_plans(struct state *state, float *plane, unsigned effort)
{
    int width = state->source.width, height = state->source.height;
    state->forward = fftwf_plan_dft_r2c_2d(height, width, plane, state->spectrum, effort);
    if (state->forward)
        state->inverse = fftwf_plan_dft_c2r_2d(height, width, state->spectrum, plane,
                                               effort | FFTW_DESTROY_INPUT);
    return state->forward && state->inverse;
}

/* Sets `cut` if the time limit ended the planning early, in which case FFTW keeps no wisdom for the plan. */
static bool plan_fftw(struct state *state, float *plane, unsigned effort, bool *cut)
{
    start_library();
    *cut = false;
#ifdef ABBE_BENCH_FFTW_THREADS
    fftwf_plan_with_nthreads(state->threads);
#endif
    if (make_plans(state, plane, effort | FFTW_WISDOM_ONLY))
        return true;
    destroy_plans(state);
    say_note("FFTW plans %d x %d on %d thread%s; this may take minutes, once per machine",
             state->source.width, state->source.height, state->threads, state->threads == 1 ? "" : "s");
    fftwf_set_timelimit(PLANNING_MAX);
    if (!make_plans(state, plane, effort))
        return false;
    save_wisdom();
    struct state again = { .source = state->source, .spectrum = state->spectrum };
    *cut = !make_plans(&again, plane, effort | FFTW_WISDOM_ONLY);
    destroy_plans(&again);
    return true;
}

/* ---- H ------------------------------------------------------------------------------------------------- */

static int wrap_index(int index, int length)
{
    index %= length;
    return index < 0 ? index + length : index;
}

/* Computes H as the spectrum of the kernel centred on the first pixel. */
static void write_gains(struct state *state, const abbe_matrix *taps, float *plane)
{
    int width = state->source.width, height = state->source.height;
    memset(plane, 0, state->pixels * sizeof *plane);
    for (int j = 0; j < taps->height; j++)
        for (int i = 0; i < taps->width; i++) {
            int x = wrap_index(i - taps->width / 2, width), y = wrap_index(j - taps->height / 2, height);
            plane[(size_t)y * width + x] += (float)taps->values[(size_t)j * taps->width + i];
        }
    fftwf_execute_dft_r2c(state->forward, plane, state->spectrum);
    for (size_t i = 0; i < state->frequencies; i++)
        state->gains[i] = state->spectrum[i][0] / (float)state->pixels;
}

/* ---- The peer ------------------------------------------------------------------------------------------ */

static bool allocate_planes(struct state *state, const struct peer_work *work)
{
    state->source = *work->source;
    state->result = *work->result;
    state->threads = work->threads;
    state->pixels = (size_t)work->source->width * work->source->height;
    state->frequencies = (size_t)(work->source->width / 2 + 1) * work->source->height;
    state->spectrum = fftwf_alloc_complex(state->frequencies);
    state->gains = fftwf_alloc_real(state->frequencies);
    bool fine = state->spectrum && state->gains;
    for (int i = 0; i < (work->what->channels > 1 ? work->what->channels : 0); i++)
        fine = (state->planes[i] = fftwf_alloc_real(state->pixels)) && fine;
    return fine;
}

static bool prepare_fftw(const struct peer_work *work, void **out, struct peer_note *note)
{
    struct state *state = calloc(1, sizeof *state);
    float *scratch = fftwf_alloc_real((size_t)work->source->width * work->source->height);
    int side = work->threads > 1 ? PATIENT_SIDE_THREADS : PATIENT_SIDE;
    bool patient = work->source->width <= side && work->source->height <= side && !work->what->papers;
    bool cut = false;
    if (!state || !scratch || !allocate_planes(state, work)) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        goto fail;
    }
    if (!plan_fftw(state, scratch, patient ? FFTW_PATIENT : FFTW_MEASURE, &cut)) {
        snprintf(note->problem, sizeof note->problem, "FFTW has no plan for this size");
        goto fail;
    }
    write_gains(state, work->taps, scratch);
    fftwf_free(scratch);
    snprintf(note->detail, sizeof note->detail, "%s plan%s", patient ? "patient" : "measured",
             cut ? " (cut)" : "");
    *out = state;
    return true;
fail:
    fftwf_free(scratch);
    if (state)
        destroy_fftw(state);
    return false;
}

static void filter_plane(struct state *state, float *from, float *to)
{
    fftwf_execute_dft_r2c(state->forward, from, state->spectrum);
    loop_multiply(&state->spectrum[0][0], state->gains, state->frequencies, state->threads);
    fftwf_execute_dft_c2r(state->inverse, state->spectrum, to);
}

static void filter_rgb(struct state *state)
{
    float *const *p = state->planes;
    loop_split_rgb(state->source.data, p, state->pixels, state->threads);
    for (int i = 0; i < 3; i++)
        filter_plane(state, p[i], p[i]);
    const float *const planes[3] = { p[0], p[1], p[2] };
    loop_join_rgb(planes, state->result.data, state->pixels, state->threads);
}

static void filter_rgba(struct state *state)
{
    bool bytes = state->source.type == ABBE_U8;
    float *const *p = state->planes;
    const float *const planes[4] = { p[0], p[1], p[2], p[3] };
    if (bytes)
        loop_split(state->source.data, p, state->pixels, state->threads);
    else
        loop_split_floats(state->source.data, p, state->pixels, state->threads);
    for (int i = 0; i < 4; i++)
        filter_plane(state, p[i], p[i]);
    if (bytes)
        loop_join(planes, state->result.data, state->pixels, state->threads);
    else
        loop_join_floats(planes, state->result.data, state->pixels, state->threads);
}

static const char *run_fftw(void *opaque)
{
    struct state *state = opaque;
    if (state->source.channels == 4)
        filter_rgba(state);
    else if (state->source.channels == 3)
        filter_rgb(state);
    else
        filter_plane(state, state->source.data, state->result.data);
    return NULL;
}

const struct peer peer_fftw = {
    .name = "FFTW",
    .version = write_fftw_version,
    .suits = suits_fftw,
    .prepare = prepare_fftw,
    .run = run_fftw,
    .destroy = destroy_fftw,
};
