/* abbe scene: draws the teapot, filters it, and writes it, as a display shows it or as light.
 *
 *     draw     OpenGL ES without a window: linear light, 1 is white, lights are brighter
 *     filter   the plan, on that light; by the device gl where it was drawn, by the others in memory
 *     store    floats where the format holds them; else the tone curve, then integers */
#include "errand.h"
#include "scene_options.h"

#include <adopt.h>
#include <context.h>
#include <math.h>

enum { OFFSET = 1 };

static const struct option_spec specs[] = {
    { OPTION_OUTPUT, 'o', "output", "OUT", "where to; TIFF, PFM and Radiance keep light as floats" },
    { SCENE_SIZE, 0, "size", "WxH", "pixels (1024x768)" },
    SCENE_OPTIONS,
    { SCENE_SAMPLES, 0, "samples", "N", "drawings that a picture is the mean of, 1 to 1024 (16)" },
    { OPTION_FILTER, 'f', "filter", "FILTER", "what to do to the light before it is stored" },
    { OFFSET, 0, "offset", "VALUE", "add to the result: 0.2 shows high passes on mid grey" },
    { OPTION_BORDER, 'b', "border", "NAME", "wrap zero constant[:VALUE] clamp reflect mirror (reflect)" },
    ERRAND_OPTIONS,
};

static const char usage[] = "abbe scene -o OUT [--size WxH] [--angle DEGREES] [-f FILTER] [options]";
static const char summary[] =
    "Draws a teapot on a checked cloth under a window, on a GPU or in software, and filters it.\n"
    "The picture is linear light, in which lights are brighter than white. Formats of integers get what a\n"
    "display shows of it: light up to 0.6 as it is, brighter light approaching white, coded as sRGB.";
static const char examples[] = "  abbe scene -o teapot.png\n"
                               "  abbe scene -o teapot.tif --size 2048x2048 --samples 64\n"
                               "  abbe scene -o glow.png --material copper --angle 25 -f gaussian:sigma=6\n"
                               "  abbe scene -o sketch.png --material porcelain -f streak:angle=20:width=30\n"
                               "  abbe scene -o edges.png --elevation 45 -f laplacian --offset 0.2\n";

static const double draw_end = 0.5, run_end = 0.7;

struct drawing {
    struct errand errand;
    struct scene_params params;
    const char *filter_text; /* NULL: not given */
    float offset;
    abbe_filter *filter;
    struct picture light; /* F32, RGB */
    struct scene_context *context;
    struct scene *scene;
    bool is_shared;   /* the device works in the scene's context */
    bool is_filtered; /* the light is */
};

/* ---- The command line ---------------------------------------------------------------------------------- */

static int take_offset(struct drawing *drawing, const char *text)
{
    double value;
    if (!option_number(text, &value) || !isfinite((float)value))
        return fail_usage("scene", "--offset needs a number such as 0.2, not '%s'", text);
    drawing->offset = (float)value;
    return DONE;
}

static int take_filter(struct drawing *drawing, const char *text)
{
    if (drawing->filter_text)
        return fail_usage("scene", "one -f is enough (a comma chains filters); '%s' and '%s' are two",
                          drawing->filter_text, text);
    drawing->filter_text = text;
    return DONE;
}

static int take(void *own, const struct option *option)
{
    struct drawing *drawing = own;
    switch (option->id) {
    case OFFSET: return take_offset(drawing, option->value);
    case OPTION_FILTER: return take_filter(drawing, option->value);
    default: return scene_take(&drawing->params, "scene", option) < 0 ? WRONG_USAGE : DONE;
    }
}

/* What only the whole command line shows. */
static int check(const struct drawing *drawing)
{
    if (drawing->errand.input)
        return fail_usage("scene", "unexpected '%s'; the scene is made from nothing", drawing->errand.input);
    if (!drawing->errand.output)
        return fail_usage("scene", "no output given: -o OUT");
    return scene_size_fits(&drawing->params, &drawing->errand.settings) ? DONE : FAILED;
}

/* ---- Filtering ----------------------------------------------------------------------------------------- */

static int make_plan(const struct drawing *drawing, int channels, abbe_plan **plan)
{
    const struct settings *settings = &drawing->errand.settings;
    return abbe_plan_create(drawing->errand.device,
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

static bool is_filtered(const struct drawing *drawing, int error)
{
    return !error || errand_error(&drawing->errand, drawing->filter_text ? drawing->filter_text : "scene");
}

/* ---- Drawing ------------------------------------------------------------------------------------------- */

/* Draws and filters without leaving the card. A picture that it does not hold as a whole is filtered in memory, later. */
static bool draw_on_card(struct drawing *drawing, char reason[SCENE_REASON])
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
    done = done && (error == ABBE_ERR_SIZE || is_filtered(drawing, error)) &&
           scene_picture_read(gl, error ? &drawn : &result, drawing->light.view.data, reason);
    scene_picture_destroy(gl, &drawn);
    scene_picture_destroy(gl, &result);
    return done;
}

/* The device that is asked for: in the scene's own context where it can be. */
static bool open_device(struct drawing *drawing)
{
    struct errand *errand = &drawing->errand;
    if (!errand->opens_device)
        return true;
    errand->device = adopt_device(errand->settings.device, scene_context_functions(drawing->context),
                                  errand->settings.threads);
    drawing->is_shared = errand->device != NULL;
    return drawing->is_shared || settings_open(&errand->settings, &errand->device);
}

static bool draw(struct drawing *drawing)
{
    char reason[SCENE_REASON] = "";
    progress_show("drawing", 0);
    if (!picture_create(drawing->params.width, drawing->params.height, 3, ABBE_F32, NULL, &drawing->light))
        return false;
    drawing->context = scene_context_open(reason);
    if (drawing->context)
        drawing->scene = scene_create(scene_context_functions(drawing->context), reason);
    bool done = drawing->scene && open_device(drawing) &&
                (drawing->is_shared && drawing->filter
                     ? draw_on_card(drawing, reason)
                     : scene_capture(drawing->scene, &drawing->params, drawing->light.view.data, reason));
    if (!done && *reason)
        say_error("the scene cannot be drawn: %s", reason);
    return done;
}

/* Before any other device works, so that the driver's memory is free. */
static void close_scene(struct drawing *drawing)
{
    if (drawing->is_shared)
        abbe_device_close(&drawing->errand.device);
    scene_destroy(&drawing->scene);
    scene_context_close(&drawing->context);
}

/* ---- The command --------------------------------------------------------------------------------------- */

/* An offset alone is a filter that changes nothing, and the offset. */
static int run(struct drawing *drawing)
{
    const char *text = drawing->filter_text;
    if (!text && drawing->offset != 0)
        text = "identity";
    int status = text ? filter_from_text(text, &drawing->errand.settings.reading, &drawing->filter) : DONE;
    if (status != DONE)
        return status;
    bool done = draw(drawing);
    if (!drawing->is_shared)
        close_scene(drawing);
    if (done && drawing->filter && !drawing->is_filtered)
        done = is_filtered(drawing, filter_memory(drawing));
    close_scene(drawing);
    return done && light_write(&drawing->light, drawing->errand.output, run_end, 1) ? DONE : FAILED;
}

int command_scene(int argc, char **argv)
{
    struct drawing drawing = { .errand = { .command = "scene" }, .params = scene_defaults() };
    int status = errand_read(&drawing.errand, specs, argc, argv, take, &drawing);
    drawing.errand.opens_device = adopt_is_gl(drawing.errand.settings.device);
    if (status == DONE && drawing.errand.wants_help) {
        option_help(usage, summary, specs, examples);
        return DONE;
    }
    if (status == DONE)
        status = check(&drawing);
    if (status != DONE)
        return status;
    status = errand_begin(&drawing.errand);
    if (status == DONE)
        status = run(&drawing);
    picture_free(&drawing.light);
    abbe_filter_destroy(&drawing.filter);
    errand_end(&drawing.errand);
    return status;
}
