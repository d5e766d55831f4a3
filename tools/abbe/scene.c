/* abbe scene: draws the teapot, filters it, and writes it as light or as a display shows it.
 *
 *     draw     OpenGL ES without a window: linear light, where 1 is white and lights are brighter
 *     filter   a plan for that light; the device gl filters in the same context, other devices in memory
 *     store    floats if the format holds them, else the tone curve, then integers */
#include "command.h"
#include "scene_options.h"
#include "single.h"

#include <adopt.h>
#include <context.h>
#include <math.h>

enum { OFFSET = 1 };

static const struct option_spec specs[] = {
    { OPTION_OUTPUT, 'o', "output", "OUT", "output file; TIFF, PFM and Radiance keep light as floats" },
    { SCENE_SIZE, 0, "size", "WxH", "size in pixels (1024x768)" },
    SCENE_OPTIONS,
    { SCENE_SAMPLES, 0, "samples", "N", "average of N drawings, 1 to 1024 (16)" },
    { OPTION_FILTER, 'f', "filter", "FILTER", "filter to apply to the light" },
    { OFFSET, 0, "offset", "VALUE", "add VALUE to the light; 0.2 shows high passes on mid grey" },
    { OPTION_BORDER, 'b', "border", "NAME", HELP_BORDER },
    SINGLE_OPTIONS,
};

static const char usage[] = "abbe scene -o OUT [--size WxH] [--angle DEGREES] [-f FILTER] [options]";
static const char summary[] =
    "Draws a teapot on a checked cloth under a window, on a GPU or in software, and filters it.\n"
    "The picture is linear light, in which lights are brighter than white. Integer formats store what a\n"
    "display shows: light up to 0.6 unchanged, brighter light compressed towards white, encoded as sRGB.";
static const char examples[] = "  abbe scene -o teapot.png\n"
                               "  abbe scene -o teapot.tif --size 2048x2048 --samples 64\n"
                               "  abbe scene -o glow.png --material copper --angle 25 -f gaussian:sigma=6\n"
                               "  abbe scene -o sketch.png --material porcelain -f streak:angle=20:width=30\n"
                               "  abbe scene -o edges.png --elevation 45 -f laplacian --offset 0.2\n";

static const double draw_end = 0.5, run_end = 0.7;

struct drawing {
    struct single single;
    struct scene_params params;
    const char *filter_text; /* NULL if not given */
    float offset;
    abbe_filter *filter;
    struct picture light; /* F32, RGB */
    struct scene_context *context;
    struct scene *scene;
    bool is_shared;   /* the device uses the context of the scene */
    bool is_filtered; /* the light has been filtered */
};

/* ---- The command line ---------------------------------------------------------------------------------- */

static int take_filter(struct drawing *drawing, const char *text)
{
    if (drawing->filter_text)
        return fail_usage("scene",
                          "-f may be given once (use commas to chain filters), but '%s' and '%s' are two",
                          drawing->filter_text, text);
    drawing->filter_text = text;
    return DONE;
}

static int take_option(void *own, const struct option *option)
{
    struct drawing *drawing = own;
    double value;
    switch (option->id) {
    case OFFSET:
        if (!option_number(option->value, &value) || !isfinite((float)value))
            return fail_usage("scene", "--offset needs a number such as 0.2, not '%s'", option->value);
        drawing->offset = (float)value;
        return DONE;
    case OPTION_FILTER: return take_filter(drawing, option->value);
    default: return scene_take(&drawing->params, "scene", option) < 0 ? WRONG_USAGE : DONE;
    }
}

/* Checks the command line as a whole. */
static int check_options(const struct drawing *drawing)
{
    if (drawing->single.input)
        return fail_usage("scene", "unexpected argument '%s'; scene takes no input", drawing->single.input);
    if (!drawing->single.output)
        return fail_usage("scene", "no output given: -o OUT");
    return scene_size_fits(&drawing->params, &drawing->single.settings) ? DONE : FAILED;
}

/* ---- Filtering ----------------------------------------------------------------------------------------- */

static int make_plan(const struct drawing *drawing, int channels, abbe_plan **plan)
{
    const struct settings *settings = &drawing->single.settings;
    return abbe_plan_create(drawing->single.device,
                            &(abbe_plan_params){ .width = drawing->params.width,
                                                 .height = drawing->params.height,
                                                 .channels = channels,
                                                 .source_type = ABBE_F32,
                                                 .result_type = ABBE_F32,
                                                 .filters = (const abbe_filter *const[]){ drawing->filter },
                                                 .filter_count = 1,
                                                 .border = settings->border,
                                                 .border_value = settings->border_value,
                                                 .nonfinite = ABBE_NONFINITE_TRUST,
                                                 .offset = drawing->offset },
                            plan);
}

static int filter_textures(const struct drawing *drawing, unsigned source, unsigned result)
{
    abbe_plan *plan = NULL;
    progress_show("filtering", draw_end);
    int error = make_plan(drawing, 4, &plan);
    if (!error)
        error = adopt_filter(plan, source, result);
    abbe_plan_destroy(&plan);
    return error;
}

static int filter_memory(const struct drawing *drawing)
{
    abbe_plan *plan = NULL;
    const abbe_image *view = &drawing->light.view;
    progress_show("filtering", draw_end);
    int error = make_plan(drawing, view->channels, &plan);
    if (!error)
        error = abbe_run(plan, view, view);
    abbe_plan_destroy(&plan);
    return error;
}

/* Whether filtering succeeded; prints the error otherwise. */
static bool check_filtered(const struct drawing *drawing, int error)
{
    return !error || single_error(drawing->filter_text ? drawing->filter_text : "scene");
}

/* ---- Drawing ------------------------------------------------------------------------------------------- */

/* Draws and filters on the GPU. A picture that is too large for one texture is filtered in memory later. */
static bool draw_on_gpu(struct drawing *drawing, char reason[SCENE_REASON])
{
    const struct scene_gl *gl = scene_functions(drawing->scene);
    struct scene_picture drawn = { 0 }, result = { 0 };
    int width = drawing->params.width, height = drawing->params.height, error = ABBE_OK;
    bool done = scene_picture_create(gl, width, height, &drawn, reason) &&
                scene_picture_create(gl, width, height, &result, reason) &&
                scene_render(drawing->scene, &drawing->params, drawn.framebuffer, reason);
    if (done)
        error = filter_textures(drawing, drawn.texture, result.texture);
    drawing->is_filtered = !error;
    done = done && (error == ABBE_ERR_SIZE || check_filtered(drawing, error)) &&
           scene_picture_read(gl, error ? &drawn : &result, drawing->light.view.data, reason);
    scene_picture_destroy(gl, &drawn);
    scene_picture_destroy(gl, &result);
    return done;
}

/* Opens a GL device, in the context of the scene if possible. */
static bool open_gl_device(struct drawing *drawing)
{
    struct single *single = &drawing->single;
    if (!single->opens_device)
        return true;
    single->device = adopt_device(single->settings.device, scene_context_functions(drawing->context),
                                  single->settings.threads);
    drawing->is_shared = single->device != NULL;
    return drawing->is_shared || settings_open_device(&single->settings, &single->device);
}

static bool draw_scene(struct drawing *drawing)
{
    char reason[SCENE_REASON] = "";
    progress_show("drawing", 0);
    if (!picture_create(drawing->params.width, drawing->params.height, 3, ABBE_F32, NULL, &drawing->light))
        return false;
    drawing->context = scene_context_open(reason);
    if (drawing->context)
        drawing->scene = scene_create(scene_context_functions(drawing->context), reason);
    bool done = drawing->scene && open_gl_device(drawing) &&
                (drawing->is_shared && drawing->filter
                     ? draw_on_gpu(drawing, reason)
                     : scene_capture(drawing->scene, &drawing->params, drawing->light.view.data, reason));
    if (!done && *reason)
        say_error("the scene cannot be drawn: %s", reason);
    return done;
}

/* Called before another device works, so that the memory of the driver is free. */
static void close_scene(struct drawing *drawing)
{
    if (drawing->is_shared)
        abbe_device_close(&drawing->single.device);
    scene_destroy(&drawing->scene);
    scene_context_close(&drawing->context);
}

/* ---- The command --------------------------------------------------------------------------------------- */

/* An offset without a filter is applied by the identity. */
static int make_scene(struct drawing *drawing)
{
    const char *text = drawing->filter_text;
    if (!text && drawing->offset != 0)
        text = "identity";
    int status = text ? settings_make_filter(text, &drawing->single.settings.reading, &drawing->filter)
                      : DONE;
    if (status != DONE)
        return status;
    bool done = draw_scene(drawing);
    if (!drawing->is_shared)
        close_scene(drawing);
    if (done && drawing->filter && !drawing->is_filtered)
        done = check_filtered(drawing, filter_memory(drawing));
    close_scene(drawing);
    return done && light_write(&drawing->light, &drawing->single.destination, run_end, 1) ? DONE : FAILED;
}

int command_scene(int argc, char **argv)
{
    struct drawing drawing = { .single = { .command = "scene" }, .params = scene_defaults() };
    int status = single_read(&drawing.single, specs, argc, argv, take_option, &drawing);
    drawing.single.opens_device = adopt_is_gl(drawing.single.settings.device);
    if (status == DONE && drawing.single.wants_help) {
        option_help(usage, summary, specs, examples);
        return DONE;
    }
    if (status == DONE)
        status = check_options(&drawing);
    if (status != DONE)
        return status;
    status = single_begin(&drawing.single);
    if (status == DONE)
        status = make_scene(&drawing);
    picture_free(&drawing.light);
    abbe_filter_destroy(&drawing.filter);
    single_end(&drawing.single);
    return status;
}
