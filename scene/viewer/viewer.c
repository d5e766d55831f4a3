/* The viewer's main loop: events, scene, filter, spectrum, window. */
#include "viewer.h"

#include "brush.h"
#include "pictures.h"
#include "screen.h"
#include "window.h"

#include <adopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Milliseconds of each stage, smoothed to be readable. */
struct times {
    double scene, filter, spectrum, show, frame;
};

struct viewer {
    const struct viewer_params *params;
    struct state state;
    struct pictures pictures;
    struct mask mask;
    struct screen screen;
    struct window *window;
    struct scene *scene;
    struct area areas[PANES];
    struct times times;
    double clock;            /* start of the last frame */
    double turned;           /* time of the last turn of the teapot */
    double brush_x, brush_y; /* end of the last stroke; NAN if the brush is up */
    bool source_new, spectrum_new, mask_new, result_new;
    char note[FILTER_TEXT]; /* text about the last action */
};

enum { STATUS_ROWS = 3 };

/* In degrees per second. */
static const double turning_speed = 24;

/* ---- Events -------------------------------------------------------------------------------------------- */

static void on_key(void *user, int key)
{
    struct viewer *viewer = user;
    state_key(&viewer->state, key);
}

static void on_wheel(void *user, double steps)
{
    struct viewer *viewer = user;
    state_wheel(&viewer->state, steps);
}

/* The left button paints, the right button erases. */
static void on_pointer(void *user, double x, double y, int buttons)
{
    struct viewer *viewer = user;
    const struct area *area = &viewer->areas[PANE_SPECTRUM];
    struct mask *mask = &viewer->mask;
    bool inside = area->width && x >= area->x && x < area->x + area->width && y >= area->y &&
                  y < area->y + area->height;
    if (!buttons || (!inside && isnan(viewer->brush_x))) {
        viewer->brush_x = NAN;
        return;
    }
    double px = (x - area->x) * mask->width / area->width - 0.5;
    double py = (y - area->y) * mask->height / area->height - 0.5;
    uint8_t painted = (uint8_t)(255 - mask->ground);
    struct stroke stroke = {
        px, py, px, py, viewer->state.radius, buttons & BUTTON_LEFT ? painted : mask->ground
    };
    if (!isnan(viewer->brush_x)) {
        stroke.x0 = viewer->brush_x;
        stroke.y0 = viewer->brush_y;
    }
    mask_paint(mask, &stroke);
    viewer->brush_x = px;
    viewer->brush_y = py;
    viewer->mask_new = true;
}

/* ---- Stages -------------------------------------------------------------------------------------------- */

/* Updates a running mean over about ten frames. */
static void update_time(struct viewer *viewer, double *mean, double start)
{
    double now = 1e3 * (window_time(viewer->window) - start);
    *mean = *mean > 0 ? 0.9 * *mean + 0.1 * now : now;
}

static bool draw_scene(struct viewer *viewer, char reason[SCENE_REASON])
{
    struct state *state = &viewer->state;
    double now = window_time(viewer->window);
    if (state->turning)
        state_turn(state, turning_speed * fmin(now - viewer->turned, 0.5));
    viewer->turned = now;
    if (!state->is_scene || !state->scene_changed)
        return true;
    state->scene_changed = false;
    viewer->source_new = true;
    bool done = pictures_draw(&viewer->pictures, viewer->scene, &state->scene, reason);
    update_time(viewer, &viewer->times.scene, now);
    return done;
}

/* After a change of device, source and plan must be made again. */
static void request_redraw(struct viewer *viewer)
{
    viewer->state.filter_changed = viewer->state.scene_changed = viewer->source_new = true;
}

/* Opens the next device that works; the previous device is tried last. */
static void change_device(struct viewer *viewer)
{
    struct state *state = &viewer->state;
    state->device_changed = false;
    for (int i = 0; i < state->device_count; i++) {
        if (pictures_open_device(&viewer->pictures, state->devices[state->device], viewer->params->threads))
            break;
        state->device = (state->device + 1) % state->device_count;
    }
    snprintf(viewer->note, sizeof viewer->note, "%s: %s", state->devices[state->device],
             abbe_device_detail(viewer->pictures.device));
    request_redraw(viewer);
}

static void apply_requests(struct viewer *viewer)
{
    struct state *state = &viewer->state;
    if (state->clear_mask) {
        mask_clear(&viewer->mask, state->keep ? 0 : 255);
        state->clear_mask = false;
        viewer->mask_new = true;
    }
    if (state->device_changed)
        change_device(viewer);
    if (viewer->mask_new)
        screen_mask(&viewer->screen, viewer->mask.gains);
    if (viewer->mask_new || state->filter_changed)
        pictures_plan(&viewer->pictures, state, &viewer->mask);
    viewer->result_new = viewer->source_new || viewer->mask_new || state->filter_changed;
    viewer->mask_new = state->filter_changed = false;
}

static void show_picture(struct viewer *viewer, enum pane pane)
{
    const struct pictures *pictures = &viewer->pictures;
    bool is_source = pane == PANE_SOURCE;
    if (pictures->on_gpu)
        screen_copy(&viewer->screen, pane, (is_source ? &pictures->drawn : &pictures->filtered)->framebuffer);
    else
        screen_picture(&viewer->screen, pane, is_source ? pictures->source : pictures->result);
}

static void update_result(struct viewer *viewer)
{
    if (!viewer->result_new)
        return;
    double start = window_time(viewer->window);
    bool on_gpu = viewer->pictures.on_gpu;
    pictures_filter(&viewer->pictures);
    if (on_gpu && !viewer->pictures.on_gpu)
        request_redraw(viewer);
    update_time(viewer, &viewer->times.filter, start);
    show_picture(viewer, PANE_RESULT);
    viewer->result_new = false;
}

/* The spectrum is computed in memory, and only if it is visible. */
static void update_spectrum(struct viewer *viewer)
{
    enum layout layout = viewer->state.layout;
    if (viewer->source_new) {
        show_picture(viewer, PANE_SOURCE);
        viewer->spectrum_new = true;
        viewer->source_new = false;
    }
    if (!viewer->spectrum_new || (layout != LAYOUT_ALL && layout != LAYOUT_SPECTRUM))
        return;
    double start = window_time(viewer->window);
    pictures_spectrum(&viewer->pictures);
    update_time(viewer, &viewer->times.spectrum, start);
    screen_magnitudes(&viewer->screen, viewer->pictures.magnitudes);
    viewer->spectrum_new = false;
}

/* ---- Text ---------------------------------------------------------------------------------------------- */

static void write_titles(struct viewer *viewer)
{
    static const char *const titles[PANES] = { "original", "spectrum", "result" };
    struct screen *screen = &viewer->screen;
    for (int i = 0; i < PANES; i++)
        if (viewer->areas[i].width)
            screen_write(screen, (viewer->areas[i].x + 6 * screen->dot - 1) / (6 * screen->dot),
                         viewer->areas[i].y / (TEXT_PITCH * screen->dot) - 1, titles[i]);
}

/* Shows frames per second only while the teapot turns. */
static void write_times(struct viewer *viewer, int row)
{
    const struct times *times = &viewer->times;
    char text[FILTER_TEXT], rate[32] = "still";
    if (viewer->state.turning && times->frame > 0)
        snprintf(rate, sizeof rate, "%.1f fps", 1e3 / times->frame);
    snprintf(text, sizeof text, "%s  scene %.1f ms  filter %.1f ms  spectrum %.1f ms  show %.1f ms", rate,
             times->scene, times->filter, times->spectrum, times->show);
    screen_write(&viewer->screen, 1, row, text);
}

static void write_status(struct viewer *viewer, int rows)
{
    const struct state *state = &viewer->state;
    char text[2 * FILTER_TEXT], own[FILTER_TEXT];
    const char *message = *viewer->pictures.error ? viewer->pictures.error
                          : *viewer->note         ? viewer->note
                                                  : "h: help";
    state_filter_text(state, own);
    snprintf(text, sizeof text, "%s  border %s  device %s  brush %.0f px %s", own,
             abbe_border_name(state->border),
             viewer->pictures.device ? abbe_device_name(viewer->pictures.device) : "none", state->radius,
             state->keep ? "keeps" : "removes");
    screen_write(&viewer->screen, 1, rows - STATUS_ROWS, text);
    write_times(viewer, rows - STATUS_ROWS + 1);
    screen_write(&viewer->screen, 1, rows - 1, message);
}

static void write_help(struct viewer *viewer)
{
    for (int i = 0; state_help[i]; i++)
        screen_write(&viewer->screen, 3, 2 + i, state_help[i]);
}

static void draw_window(struct viewer *viewer)
{
    struct screen *screen = &viewer->screen;
    int width, height;
    window_size(viewer->window, &width, &height);
    if (width < 1 || height < 1)
        return; /* minimised */
    double start = window_time(viewer->window);
    int line = TEXT_PITCH * screen->dot, rows = screen_rows(screen, height);
    struct room room = { width, height, 2 * line, height - (rows - STATUS_ROWS) * line + 5 * screen->dot };
    layout_panes(viewer->state.layout, &room, screen->picture_width, screen->picture_height, viewer->areas);
    screen_clear_text(screen);
    screen->brightness = viewer->state.help ? 0.2f : 1;
    if (viewer->state.help)
        write_help(viewer);
    else
        write_titles(viewer);
    write_status(viewer, rows);
    screen_draw(screen, width, height, viewer->areas, viewer->state.is_scene);
    window_show(viewer->window);
    update_time(viewer, &viewer->times.show, start);
}

/* ---- Saving -------------------------------------------------------------------------------------------- */

/* Chooses the first of abbe-view-1.png, abbe-view-2.png, … that does not exist. */
static void choose_names(char result[64], char mask[64])
{
    int number = 1;
    do {
        snprintf(result, 64, "abbe-view-%d.png", number);
        snprintf(mask, 64, "abbe-view-%d-mask.png", number++);
    } while ((!access(result, F_OK) || !access(mask, F_OK)) && number < 100000);
}

static void save_result(struct viewer *viewer)
{
    const struct viewer_params *params = viewer->params;
    char result_name[64], mask_name[64], command[4 * FILTER_TEXT];
    abbe_image result = pictures_view(&viewer->pictures, viewer->pictures.result);
    abbe_image mask = { .data = viewer->mask.gains,
                        .width = viewer->mask.width,
                        .height = viewer->mask.height,
                        .channels = 1,
                        .stride = viewer->mask.width,
                        .type = ABBE_U8 };
    bool painted = !mask_is_open(&viewer->mask);
    viewer->state.save = false;
    pictures_read_result(&viewer->pictures);
    choose_names(result_name, mask_name);
    state_command(&viewer->state, params->picture ? params->picture_name : NULL, painted ? mask_name : NULL,
                  result_name, command, sizeof command);
    struct viewer_save kept = { .result_name = result_name,
                                .result = &result,
                                .is_light = viewer->state.is_scene,
                                .mask_name = painted ? mask_name : NULL,
                                .mask = &mask,
                                .command = command };
    bool done = params->save(params->user, &kept);
    snprintf(viewer->note, sizeof viewer->note, done ? "saved %s" : "%s cannot be saved", result_name);
}

/* ---- The loop ------------------------------------------------------------------------------------------ */

/* Draws continuously while the teapot turns, else waits for the next event. Returns false at the end. */
static bool wait_for_frame(struct viewer *viewer)
{
    const struct viewer_params *params = viewer->params;
    double start = window_time(viewer->window);
    bool idle = !viewer->state.turning && !params->frames;
    bool open = window_poll(viewer->window, idle ? 0.25 : 0);
    if (!idle)
        update_time(viewer, &viewer->times.frame, viewer->clock);
    viewer->clock = idle ? window_time(viewer->window) : start;
    return open && !viewer->state.quit;
}

static bool run_loop(struct viewer *viewer, char reason[SCENE_REASON])
{
    viewer->clock = viewer->turned = window_time(viewer->window);
    for (long frame = 0; !viewer->params->frames || frame < viewer->params->frames; frame++) {
        if (!draw_scene(viewer, reason))
            return false;
        apply_requests(viewer);
        update_result(viewer);
        update_spectrum(viewer);
        if (viewer->state.save)
            save_result(viewer);
        draw_window(viewer);
        if (!wait_for_frame(viewer))
            break;
    }
    return true;
}

/* ---- Start and end --------------------------------------------------------------------------------- */

static bool begin_pictures(struct viewer *viewer, char reason[SCENE_REASON])
{
    const struct viewer_params *params = viewer->params;
    const abbe_image *picture = params->picture;
    int width = picture ? picture->width : params->scene.width;
    int height = picture ? picture->height : params->scene.height;
    if (!pictures_create(width, height, picture ? picture->channels : 3, params->own, &viewer->pictures) ||
        !mask_create(width, height, &viewer->mask))
        return scene_refuse(reason, "out of memory");
    state_begin(&viewer->state, params);
    state_list_devices(&viewer->state, params->device);
    if (picture)
        memcpy(viewer->pictures.source, picture->data,
               (size_t)width * (size_t)height * (size_t)picture->channels * sizeof(float));
    viewer->source_new = viewer->mask_new = true;
    viewer->brush_x = NAN;
    return true;
}

static bool begin_device(struct viewer *viewer, char reason[SCENE_REASON])
{
    struct pictures *pictures = &viewer->pictures;
    if (pictures_open_device(pictures, viewer->params->device, viewer->params->threads))
        pictures_plan(pictures, &viewer->state, &viewer->mask);
    return !*pictures->error || scene_refuse(reason, "%s", pictures->error);
}

static bool begin_window(struct viewer *viewer, char reason[SCENE_REASON])
{
    const struct viewer_params *params = viewer->params;
    struct window_events events = { viewer, on_key, on_wheel, on_pointer };
    int width = params->window_width ? params->window_width : 1280;
    int height = params->window_height ? params->window_height : 600;
    viewer->window = window_open(width, height, "abbe view", &events, reason);
    if (!viewer->window ||
        !screen_create(window_functions(viewer->window), viewer->pictures.width, viewer->pictures.height,
                       viewer->pictures.channels, &viewer->screen, reason))
        return false;
    pictures_enter_window(&viewer->pictures, window_functions(viewer->window), &viewer->screen.gl);
    if (!params->picture)
        viewer->scene = scene_create(window_functions(viewer->window), reason);
    return params->picture || viewer->scene;
}

/* The device gl shares the window's context, so it is opened after the window. Any other device is opened
 * first, so that no window appears if the device is missing. */
static bool begin_viewer(struct viewer *viewer, char reason[SCENE_REASON])
{
    bool shares = adopt_is_gl(viewer->params->device);
    return begin_pictures(viewer, reason) && (shares || begin_device(viewer, reason)) &&
           begin_window(viewer, reason) && (!shares || begin_device(viewer, reason));
}

bool viewer_run(const struct viewer_params *params, char reason[SCENE_REASON])
{
    struct viewer viewer = { .params = params };
    bool done = begin_viewer(&viewer, reason) && run_loop(&viewer, reason);
    if (viewer.window) {
        pictures_leave_window(&viewer.pictures);
        scene_destroy(&viewer.scene);
        screen_destroy(&viewer.screen);
    }
    window_close(&viewer.window);
    mask_free(&viewer.mask);
    pictures_free(&viewer.pictures);
    return done;
}
