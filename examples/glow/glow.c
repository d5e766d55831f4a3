/* Draws fireworks with OpenGL ES and makes them glow. The frame is filtered on the GPU, from texture to
 * textures; only the pictures that are saved are downloaded.
 *
 *     glow [FOLDER [WIDTH HEIGHT]]          default: out 960 600
 *
 * writes the frame as drawn and as seen through a lens with a halo and crossed streaks: as PFM with its full
 * range of light, and as PNG to look at. */
#include "arguments.h"
#include "context.h"
#include "files.h"
#include "show.h"

#include <abbe/gl.h>

#include <stdio.h>
#include <stdlib.h>

/* Parts of the glow, one filter each. */
enum { PARTS = 3 };
static const char *const filters[PARTS] = { "gaussian:sigma=8", "motion:length=25:angle=30",
                                            "motion:length=25:angle=150" };
static const float weights[PARTS] = { 0.5f, 0.12f, 0.12f };

struct glow {
    const char *folder;
    int width, height;
    struct context context;
    struct show show;
    GLuint frame, parts[PARTS], sum; /* textures */
    abbe_device *device;
    abbe_filter *filters[PARTS];
    abbe_plan *plan;
};

/* ---- Abbe --------------------------------------------------------------------------------------------- */

static bool abbe_ok(const struct glow *glow, int error, const char *what)
{
    if (error)
        fprintf(stderr, "glow: %s: %s\n", what, abbe_error_text(glow->device));
    return !error;
}

/* Parses the filters and opens a device in the current context. */
static bool open_device(struct glow *glow)
{
    const abbe_gl_params params = { .get_proc_address = eglGetProcAddress,
                                    .get_current_context = eglGetCurrentContext };
    for (int i = 0; i < PARTS; i++)
        if (!abbe_ok(glow, abbe_filter_parse(filters[i], NULL, &glow->filters[i]), filters[i]))
            return false;
    return abbe_ok(glow, abbe_gl_adopt(&params, &glow->device), "adopting the context");
}

/* One plan for three filters transforms the frame only once. */
static bool make_plan(struct glow *glow)
{
    const abbe_plan_params params = { .width = glow->width,
                                      .height = glow->height,
                                      .channels = 4,
                                      .source_type = ABBE_F16,
                                      .result_type = ABBE_F32,
                                      .nonfinite = ABBE_NONFINITE_TRUST,
                                      .filters = (const abbe_filter *const *)glow->filters,
                                      .filter_count = PARTS };
    return abbe_ok(glow, abbe_plan_create(glow->device, &params, &glow->plan), "the plan");
}

/* ---- The frame ---------------------------------------------------------------------------------------- */

/* What an application does for every frame: draw, filter, add. */
static bool render(struct glow *glow)
{
    show_fireworks(&glow->show, glow->frame);
    if (!abbe_ok(glow, abbe_gl_filter(glow->plan, glow->frame, glow->parts), "the filters"))
        return false;
    show_sum(&glow->show, glow->frame, glow->parts, weights, PARTS, glow->sum);
    return true;
}

static void make_textures(struct glow *glow)
{
    glow->frame = show_texture(&glow->show, GL_RGBA16F);
    glow->sum = show_texture(&glow->show, GL_RGBA32F);
    for (int i = 0; i < PARTS; i++)
        glow->parts[i] = show_texture(&glow->show, GL_RGBA32F);
}

static bool save(const struct glow *glow, const char *name, GLuint texture)
{
    float *pixels = malloc((size_t)glow->width * (size_t)glow->height * 4 * sizeof *pixels);
    if (pixels)
        show_read(&glow->show, texture, pixels);
    bool saved = pixels && files_save(glow->folder, name, glow->width, glow->height, pixels, false);
    free(pixels);
    return saved;
}

/* ---- The program -------------------------------------------------------------------------------------- */

static bool run(struct glow *glow)
{
    if (!context_open(&glow->context) || !show_create(glow->width, glow->height, &glow->show))
        return false;
    make_textures(glow);
    return open_device(glow) && make_plan(glow) && render(glow) && save(glow, "frame", glow->frame) &&
           save(glow, "glow", glow->sum);
}

static void release(struct glow *glow)
{
    abbe_plan_destroy(&glow->plan);
    abbe_device_close(&glow->device);
    for (int i = 0; i < PARTS; i++)
        abbe_filter_destroy(&glow->filters[i]);
    context_close(&glow->context); /* deletes all objects in it */
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    if (!arguments_read("glow", argc, argv, &arguments))
        return 2;
    struct glow glow = { .folder = arguments.folder, .width = arguments.width, .height = arguments.height };
    bool done = run(&glow);
    if (done)
        printf("%s/frame.png, %s/glow.png, and both as .pfm: drawn and filtered on %s\n", glow.folder,
               glow.folder, abbe_device_detail(glow.device));
    release(&glow);
    return done ? 0 : 1;
}
