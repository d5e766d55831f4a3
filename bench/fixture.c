/* Creates the pixels, the taps and the filter of a case. */
#include "fixture.h"

#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/* ---- Random numbers (splitmix64, Steele, Lea and Flood 2014) ------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static float random_float(uint64_t *state)
{
    return (float)(next_random(state) >> 40) * 0x1p-24f;
}

/* ---- Pixels -------------------------------------------------------------------------------------------- */

static size_t count_samples(const abbe_image *image)
{
    return (size_t)image->width * image->height * image->channels;
}

static bool make_image(const struct bench_case *what, abbe_image *image)
{
    size_t row = (size_t)what->width * what->channels * abbe_type_size(what->type);
    size_t bytes = (row * what->height + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    *image = (abbe_image){ .data = aligned_alloc(ALIGNMENT, bytes),
                           .width = what->width,
                           .height = what->height,
                           .channels = what->channels,
                           .stride = (ptrdiff_t)row,
                           .type = what->type };
    return image->data;
}

static void fill_pixels(abbe_image *image, uint64_t *state)
{
    size_t count = count_samples(image);
    if (image->type == ABBE_U8)
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)image->data)[i] = (uint8_t)next_random(state);
    else
        for (size_t i = 0; i < count; i++)
            ((float *)image->data)[i] = random_float(state);
}

/* ---- Filters ------------------------------------------------------------------------------------------- */

/* Positive taps of sum 1, so that results stay in the range of the source and nothing saturates. */
static int make_random(const struct bench_case *what, uint64_t *state, abbe_filter **filter)
{
    abbe_matrix taps = { 0 };
    int error = abbe_matrix_create(what->side, what->side, &taps);
    if (error)
        return error;
    for (int i = 0; i < what->side * what->side; i++)
        taps.values[i] = random_float(state);
    error = abbe_filter_from_kernel(&(abbe_kernel_params){ .taps = &taps, .normalize = true }, filter);
    abbe_matrix_free(&taps);
    return error;
}

static int make_case_filter(const struct bench_case *what, uint64_t *state, abbe_filter **filter)
{
    char text[96];
    int radius = what->side / 2;
    switch (what->kernel) {
    case KERNEL_DISK:
        snprintf(text, sizeof text, "disk:radius=%d", radius);
        return abbe_filter_parse(text, NULL, filter);
    case KERNEL_GAUSSIAN:
        snprintf(text, sizeof text, "gaussian:sigma=%.9g:truncate=%.9g", what->sigma, radius / what->sigma);
        return abbe_filter_parse(text, NULL, filter);
    case KERNEL_RANDOM: return make_random(what, state, filter);
    }
    return ABBE_ERR_INVALID;
}

/* ---- The fixture --------------------------------------------------------------------------------------- */

bool fixture_create(const struct bench_case *what, uint64_t seed, struct fixture *fixture)
{
    uint64_t state = seed;
    *fixture = (struct fixture){ 0 };
    if (make_case_filter(what, &state, &fixture->filter) ||
        abbe_filter_taps(fixture->filter, 0, &fixture->taps)) {
        say_error("%s: the filter cannot be created: %s", what->name, abbe_error_text(NULL));
        fixture_destroy(fixture);
        return false;
    }
    bool pictures = make_image(what, &fixture->source) && make_image(what, &fixture->result) &&
                    make_image(what, &fixture->expected);
    if (!pictures) {
        say_error("%s: out of memory", what->name);
        fixture_destroy(fixture);
        return false;
    }
    fill_pixels(&fixture->source, &state);
    return true;
}

void fixture_destroy(struct fixture *fixture)
{
    free(fixture->expected.data);
    free(fixture->result.data);
    free(fixture->source.data);
    abbe_matrix_free(&fixture->taps);
    abbe_filter_destroy(&fixture->filter);
    *fixture = (struct fixture){ 0 };
}

void fixture_erase_result(struct fixture *fixture)
{
    /* Each pair of 16-bit words is −3·10^26 as a float; bytes include 0 and 255. */
    uint16_t *pairs = fixture->result.data;
    size_t bytes = count_samples(&fixture->result) * abbe_type_size(fixture->result.type);
    for (size_t i = 0; i < bytes / 2; i++)
        pairs[i] = i % 2 ? 0xEB80 : 0x00FF;
}
