/* abbe tile: a picture that repeats without seams, the periodic component of its decomposition (Moisan 2011).
 *
 * The smooth component is subtracted, so that a sample is as exact as it was: opposite edges that are equal
 * leave the picture unchanged. Colours are multiplied by alpha before and divided by it afterwards, so that
 * what is transparent does not shine through. */
#include "command.h"
#include "finish.h"
#include "periodic.h"
#include "samples.h"
#include "single.h"

#include <math.h>
#include <stdlib.h>

static const struct option_spec specs[] = {
    { OPTION_OUTPUT, 'o', "output", "OUT", "output file" },
    { FINISH_DEPTH, 0, "depth", "DEPTH", HELP_DEPTH },
    SINGLE_OPTIONS,
};

static const char usage[] = "abbe tile IN -o OUT [options]";
static const char summary[] =
    "Makes a picture repeat without seams: brightness and colour of opposite edges are led into each other "
    "by a\n"
    "smooth field over the whole picture (periodic plus smooth decomposition), which changes no detail and\n"
    "keeps the mean. Objects that an edge cuts stay cut. Levels may leave their range: integers are "
    "clipped,\n"
    "and the share of clipped samples is printed; --depth float keeps them.";
static const char examples[] = "  abbe tile bricks.jpg -o tile.png\n"
                               "  abbe tile sand.tif -o tile.tif --depth float\n";

static const double read_end = 0.4, run_end = 0.7;

/* As where filtered alpha counts as 0 (docs/maths.md). */
static const float least_alpha = 0.5f / 65535;

struct tiling {
    struct single single;
    struct finish finish; /* of which only the type is used */
    struct picture source, result;
    struct picture tile;   /* F32; first the source, then its periodic component */
    struct picture smooth; /* F32; the smooth component */
};

static int take_depth(void *own, const struct option *option)
{
    int taken = finish_take(&((struct tiling *)own)->finish, "tile", option);
    return taken < 0 ? WRONG_USAGE : DONE;
}

/* Loads the source as floats with colours multiplied by alpha. */
static void load_premultiplied(struct tiling *tiling)
{
    const abbe_image *view = &tiling->source.view;
    float *to = tiling->tile.view.data;
    size_t channels = (size_t)view->channels, count = sample_count(view);
    for (size_t i = 0; i < count; i++)
        to[i] = sample_load(view, i);
    if (!tiling->source.has_alpha)
        return;
    for (size_t i = 0; i < count; i += channels)
        for (size_t c = 0; c + 1 < channels; c++)
            to[i + c] *= to[i + channels - 1];
}

static void divide_by_alpha(struct tiling *tiling)
{
    float *values = tiling->tile.view.data;
    size_t channels = (size_t)tiling->tile.view.channels, count = sample_count(&tiling->tile.view);
    if (!tiling->source.has_alpha)
        return;
    for (size_t i = 0; i < count; i += channels) {
        float *alpha = &values[i + channels - 1];
        for (size_t c = 0; c + 1 < channels; c++)
            values[i + c] = *alpha > least_alpha ? values[i + c] / *alpha : 0;
        *alpha = fminf(1, fmaxf(0, *alpha));
    }
}

/* Replaces the tile by its periodic component. */
static bool subtract_smooth(struct tiling *tiling)
{
    abbe_device *cpu = tiling->single.device;
    const abbe_image *tile = &tiling->tile.view, *smooth = &tiling->smooth.view;
    if (smooth_spectrum(cpu, tile, smooth) || abbe_spectrum_inverse(cpu, smooth, smooth))
        return single_error(tiling->single.input);
    float *values = tile->data;
    for (size_t i = 0; i < sample_count(tile); i++)
        values[i] -= ((const float *)smooth->data)[i];
    return true;
}

/* Stores the tile, and prints the share of samples that integers cannot hold. */
static void store_tile(const struct tiling *tiling)
{
    const abbe_image *result = &tiling->result.view;
    const float *values = tiling->tile.view.data;
    double step = result->type == ABBE_U8 ? 1.0 / 255 : 1.0 / 65535;
    size_t count = sample_count(result), clipped = 0;
    for (size_t i = 0; i < count; i++) {
        clipped += values[i] < -step / 2 || values[i] > 1 + step / 2;
        sample_store(result, i, values[i]);
    }
    if (clipped && result->type != ABBE_F32)
        say_note("%s: %.2g %% of the samples are clipped; --depth float keeps them",
                 tiling->single.destination.name, 100.0 * (double)clipped / (double)count);
}

static bool create_pictures(struct tiling *tiling, abbe_type type)
{
    const abbe_image *view = &tiling->source.view;
    return picture_create(view->width, view->height, view->channels, ABBE_F32, NULL, &tiling->tile) &&
           picture_create(view->width, view->height, view->channels, ABBE_F32, NULL, &tiling->smooth) &&
           picture_create(view->width, view->height, view->channels, type, &tiling->source, &tiling->result);
}

static bool run_tile(struct tiling *tiling)
{
    struct single *single = &tiling->single;
    /* The type of the source does not matter where --depth is given. */
    if (!finish_type(&tiling->finish, &single->destination, ABBE_U8) ||
        !single_read_picture(single, single->input, read_end, &tiling->source))
        return false;
    abbe_type type = finish_type(&tiling->finish, &single->destination, tiling->source.view.type);
    if (!create_pictures(tiling, type))
        return false;
    progress_show("transforming", read_end);
    load_premultiplied(tiling);
    if (!subtract_smooth(tiling))
        return false;
    divide_by_alpha(tiling);
    store_tile(tiling);
    return picture_write(&tiling->result, &single->destination, NULL, run_end, 1);
}

int command_tile(int argc, char **argv)
{
    struct tiling tiling = { .single = { .command = "tile", .needs_cpu = true }, .finish = finish_default() };
    struct single *single = &tiling.single;
    int status = single_read(single, specs, argc, argv, take_depth, &tiling);
    if (status != DONE)
        return status;
    if (single->wants_help) {
        option_help(usage, summary, specs, examples);
        return DONE;
    }
    if (!single->input)
        return fail_usage("tile", "no input given: name a picture");
    if (!single->output)
        return fail_usage("tile", "no output given: -o OUT");
    status = single_begin(single);
    if (status == DONE && !run_tile(&tiling))
        status = FAILED;
    picture_free(&tiling.result);
    picture_free(&tiling.smooth);
    picture_free(&tiling.tile);
    picture_free(&tiling.source);
    single_end(single);
    return status;
}
