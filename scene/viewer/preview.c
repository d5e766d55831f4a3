/* Filters the visible part of a picture at the resolution of the screen. */
#include "preview.h"

#include "reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Every preview allocates and frees the same megabytes. Returned to the system each time, they would cost a third
 * of its time in page faults. */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

bool preview_begin(struct preview *preview, int threads)
{
    keep_freed_memory();
    abbe_device_params params = { .threads = threads };
    *preview = (struct preview){ .pixels = PREVIEW_PIXELS };
    return !abbe_device_open("cpu", &params, &preview->device);
}

void preview_free(struct preview *preview)
{
    abbe_device_close(&preview->device);
    pyramid_free(&preview->source);
    free(preview->part);
    free(preview->results);
    *preview = (struct preview){ 0 };
}

bool preview_take(struct preview *preview, int width, int height, int channels, const float *values)
{
    pyramid_free(&preview->source);
    pyramid_begin(&preview->source, SAMPLES_PLAIN, width, height, channels, values);
    preview->has_part = false;
    return pyramid_build(&preview->source);
}

/* ---- The excerpt --------------------------------------------------------------------------------------- */

/* The largest number up to `most` whose transform is fast: a multiple of 16 without prime factors above 5. */
static int fast_length(int most)
{
    for (int length = most - most % 16; length >= 16; length -= 16) {
        int rest = length;
        while (rest % 2 == 0)
            rest /= 2;
        while (rest % 3 == 0)
            rest /= 3;
        while (rest % 5 == 0)
            rest /= 5;
        if (rest == 1)
            return length;
    }
    return most > 1 ? most : 1;
}

/* Part of an axis: from `from` on, `count` pixels of `step`. */
struct span {
    double from, step;
    int count;
};

/* Grows the visible part by an eighth on both sides, within the picture, and divides it by the step. Pixels of
 * the picture stay whole where a fast length covers what is visible. */
static struct span choose_span(double from, double end, int size, double step)
{
    double margin = (end - from) / 8, visible = ceil(end) - floor(from);
    double low = fmin(fmax(floor(from - margin), 0), size - 1), high = fmin(ceil(end + margin), size);
    high = fmax(high, low + 1);
    int count = fast_length((int)fmin(ceil((high - low) / step), high - low));
    if (step > 1 || count < visible)
        return (struct span){ low, (high - low) / count, count };
    low = fmin(fmax(floor(from - (count - visible) / 2), 0), size - count);
    return (struct span){ low, 1, count };
}

/* A preview that is slow once may have met other work; several make it coarse. */
void preview_adapt(struct preview *preview, double seconds)
{
    double factor = seconds > 0.05 ? 0.7 : seconds < 0.015 ? 1.2 : 1;
    preview->pixels = fmin(fmax(preview->pixels * factor, PREVIEW_PIXELS_LEAST), PREVIEW_PIXELS);
}

void preview_choose(const struct place *place, const struct area *area, struct extent size, double most,
                    struct excerpt *excerpt)
{
    double left = (area->x - place->left) / place->scale, right = left + area->width / place->scale;
    double top = (area->y - place->top) / place->scale, bottom = top + area->height / place->scale;
    left = fmin(fmax(left, 0), size.width);
    right = fmin(fmax(right, left), size.width);
    top = fmin(fmax(top, 0), size.height);
    bottom = fmin(fmax(bottom, top), size.height);
    double pixels = 1.25 * 1.25 * (right - left) * (bottom - top);
    double step = fmax(1 / place->scale, 1);
    if (pixels / (step * step) > most)
        step = sqrt(pixels / most);
    struct span across = choose_span(left, right, size.width, step);
    struct span down = choose_span(top, bottom, size.height, step);
    *excerpt = (struct excerpt){ across.from, down.from, across.step, down.step, across.count, down.count };
}

/* Averages the source over the excerpt, unless that is the one at hand. */
static int update_part(struct preview *preview, const struct excerpt *excerpt)
{
    if (preview->has_part && !memcmp(&preview->excerpt, excerpt, sizeof *excerpt))
        return ABBE_OK;
    size_t samples = (size_t)excerpt->width * (size_t)excerpt->height * (size_t)preview->source.channels;
    preview->has_part = false;
    if (samples > preview->room) {
        free(preview->part);
        free(preview->results);
        preview->part = malloc(samples * sizeof(float));
        preview->results = malloc(2 * samples * sizeof(float));
        preview->room = preview->part && preview->results ? samples : 0;
    }
    if (samples > preview->room || !pyramid_average(&preview->source, excerpt, preview->part))
        return ABBE_ERR_MEMORY;
    preview->excerpt = *excerpt;
    preview->has_part = true;
    return ABBE_OK;
}

/* ---- Filters ------------------------------------------------------------------------------------------- */

/* A frequency of the excerpt's transform is one of the picture's, if the excerpt is the whole picture;
 * otherwise there are fewer of them. */
static int paint_excerpt(const struct recipe *recipe, const struct excerpt *excerpt, abbe_filter **filter)
{
    struct mask mask;
    if (!mask_create(excerpt->width, excerpt->height, &mask))
        return ABBE_ERR_MEMORY;
    mask.du = recipe->strokes.width / (excerpt->width * excerpt->step_x);
    mask.dv = recipe->strokes.height / (excerpt->height * excerpt->step_y);
    mask.u0 *= mask.du;
    mask.v0 *= mask.dv;
    mask_draw(&mask, &recipe->strokes);
    int error = recipe_mask_filter(&mask, strokes_keep(&recipe->strokes), filter);
    mask_free(&mask);
    return error;
}

/* The components of the filter, each after the mask. */
struct bank {
    abbe_filter *full, *painted, *reduced[2], *chained[2];
    int count;
};

static void free_bank(struct bank *bank)
{
    for (int i = 0; i < 2; i++) {
        abbe_filter_destroy(&bank->chained[i]);
        abbe_filter_destroy(&bank->reduced[i]);
    }
    abbe_filter_destroy(&bank->painted);
    abbe_filter_destroy(&bank->full);
}

static int make_bank(const struct recipe *recipe, const struct excerpt *excerpt, struct bank *bank)
{
    *bank = (struct bank){ 0 };
    int error = recipe_filter(recipe, &bank->full);
    if (!error && recipe->masks)
        error = paint_excerpt(recipe, excerpt, &bank->painted);
    bank->count = error ? 0 : abbe_filter_describe(bank->full)->components;
    /* Whole pixels need no other filter. */
    if (!error && excerpt->step_x == 1 && excerpt->step_y == 1) {
        const abbe_filter *chain[] = { bank->painted, bank->full };
        bank->count = 1;
        return abbe_filter_chain(bank->painted ? chain : chain + 1, bank->painted ? 2 : 1, &bank->chained[0]);
    }
    for (int i = 0; !error && i < bank->count; i++) {
        error = reduce_filter(bank->full, i, excerpt, &bank->reduced[i]);
        const abbe_filter *chain[] = { bank->painted, bank->reduced[i] };
        if (!error)
            error = abbe_filter_chain(bank->painted ? chain : chain + 1, bank->painted ? 2 : 1,
                                      &bank->chained[i]);
    }
    return error;
}

static int run_bank(struct preview *preview, const struct recipe *recipe, const struct bank *bank)
{
    int width = preview->excerpt.width, height = preview->excerpt.height;
    int channels = preview->source.channels;
    size_t samples = (size_t)width * (size_t)height * (size_t)channels;
    const abbe_filter *filters[] = { bank->chained[0], bank->chained[1] };
    abbe_plan_params params = recipe_params(recipe, width, height, channels);
    params.filters = filters;
    params.filter_count = (size_t)bank->count;
    if (bank->count == 2)
        params.offset = 0; /* is added to the magnitude */
    /* The edges of an excerpt are no borders of the picture. */
    if (width * preview->excerpt.step_x < preview->source.width - 0.5 ||
        height * preview->excerpt.step_y < preview->source.height - 0.5)
        params.border = ABBE_BORDER_REFLECT;
    abbe_image source = {
        .data = preview->part, .width = width, .height = height, .channels = channels, .type = ABBE_F32
    };
    abbe_image results[2] = { source, source };
    results[0].data = preview->results;
    results[1].data = preview->results + samples;
    abbe_plan *plan = NULL;
    int error = abbe_plan_create(preview->device, &params, &plan);
    if (!error)
        error = abbe_run(plan, &source, results);
    abbe_plan_destroy(&plan);
    for (size_t i = 0; !error && bank->count == 2 && i < samples; i++)
        preview->results[i] = hypotf(preview->results[i], preview->results[samples + i]) + recipe->offset;
    return error;
}

int preview_filter(struct preview *preview, const struct recipe *recipe, const struct place *place,
                   const struct area *area)
{
    struct excerpt excerpt;
    struct bank bank;
    preview_choose(place, area, (struct extent){ preview->source.width, preview->source.height },
                   preview->pixels, &excerpt);
    int error = update_part(preview, &excerpt);
    if (error)
        return error;
    error = make_bank(recipe, &excerpt, &bank);
    if (!error)
        error = run_bank(preview, recipe, &bank);
    free_bank(&bank);
    if (!error)
        pyramid_begin(&preview->shown, SAMPLES_CODED, excerpt.width, excerpt.height, preview->source.channels,
                      preview->results);
    return error;
}
