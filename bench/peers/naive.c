/* The loops of figure 3 in Payne et al. 2005, which find the sample of each tap by a remainder.
 *
 * One loop runs over all samples of the interleaved RGB picture and adds the samples under the mask, whose
 * indices are taken modulo the number of samples; then it divides by the number of taps, in integers. At the
 * left and the right edge an index therefore runs on into the next row. The paper writes the nine taps of its
 * mask out; here two more loops run over the mask, so that it may have any size. */
#include "../clock.h"
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>

/* Taps times samples that a timing covers at most. Larger work is timed in part: every sample takes the same
 * number of steps. */
static const double WORK_MAX = 2e7;

struct state {
    const uint8_t *from;
    uint8_t *to;
    int width, height, side;
    int timed; /* samples that a timing covers */
};

static bool suits_naive(const struct bench_case *what)
{
    return what->kernel == KERNEL_BOX && what->type == ABBE_U8 && what->channels == 3 &&
           what->border == ABBE_BORDER_WRAP && what->kind == KIND_CPU;
}

static bool prepare_naive(const struct peer_work *work, void **out, struct peer_note *note)
{
    struct state *state = malloc(sizeof *state);
    if (!state) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        return false;
    }
    const abbe_image *source = work->source;
    int samples = source->width * source->height * 3, side = work->what->side;
    double all = (double)samples * side * side;
    *state = (struct state){ .from = source->data,
                             .to = work->result->data,
                             .width = source->width,
                             .height = source->height,
                             .side = side,
                             .timed = all > WORK_MAX ? (int)(samples * (WORK_MAX / all)) : samples };
    /* Ten timings' worth of work is done once for the check. */
    note->unchecked = all > 10 * WORK_MAX;
    if (state->timed < samples)
        snprintf(note->detail, sizeof note->detail, "loops, timed on 1/%.0f of the picture",
                 (double)samples / state->timed);
    else
        snprintf(note->detail, sizeof note->detail, "loops");
    *out = state;
    return true;
}

/* The first `count` samples of the result. */
static void average_samples(const struct state *state, int count)
{
    int wd = state->width, m = wd * state->height * 3, reach = state->side / 2;
    for (int r = 0; r < count; r++) {
        int sum = 0;
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++)
                sum += state->from[(r + (j * wd + i) * 3 + m) % m];
        state->to[r] = (uint8_t)(sum / (state->side * state->side));
    }
}

/* Computes a pixel whose mask crosses the left or the right edge, with the border wrap of the case. */
static void average_at(const struct state *state, int x, int y)
{
    int reach = state->side / 2, sums[3] = { 0 };
    for (int j = -reach; j <= reach; j++)
        for (int i = -reach; i <= reach; i++) {
            int row = (y + j + reach * state->height) % state->height;
            int column = (x + i + reach * state->width) % state->width;
            for (int c = 0; c < 3; c++)
                sums[c] += state->from[(row * state->width + column) * 3 + c];
        }
    for (int c = 0; c < 3; c++)
        state->to[(y * state->width + x) * 3 + c] = (uint8_t)(sums[c] / (state->side * state->side));
}

/* For checks: the edges, where the loops of the paper take samples of other rows, are computed anew. */
static const char *run_naive(void *opaque)
{
    const struct state *state = opaque;
    int reach = state->side / 2;
    average_samples(state, state->width * state->height * 3);
    for (int y = 0; y < state->height; y++)
        for (int x = 0; x < reach; x++) {
            average_at(state, x, y);
            average_at(state, state->width - 1 - x, y);
        }
    return NULL;
}

static const char *time_naive(void *opaque, double *seconds)
{
    const struct state *state = opaque;
    double start = seconds_now();
    average_samples(state, state->timed);
    *seconds = (seconds_now() - start) * (state->width * state->height * 3.0 / state->timed);
    return NULL;
}

static void destroy_naive(void *state)
{
    free(state);
}

const struct peer peer_naive = {
    .name = "naive",
    .suits = suits_naive,
    .prepare = prepare_naive,
    .run = run_naive,
    .destroy = destroy_naive,
    .time = time_naive,
};
