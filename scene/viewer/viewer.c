/* The viewer's loop: events, the scene, the filter, the spectrum, the window. */
#include "viewer.h"

#include "brush.h"
#include "screen.h"
#include "window.h"
#include "work.h"

#include <adopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Milliseconds of each stage, smoothed so that they can be read. */
struct times {
    double scene, filter, spectrum, show, frame;
};

struct viewer {
    const struct viewer_params *params;
    struct state state;
    struct work work;
    struct mask mask;
    struct screen screen;
    struct window *window;
    struct scene *scene;
    struct area areas[PANES];
    struct times times;
    double clock;            /* when the last frame began */
    double turned;           /* when the pot was turned last */
    double brush_x, brush_y; /* where the last stroke ended; NAN when none is going on */
    bool source_new, spectrum_new, mask_new, result_new;
    char note[FILTER_TEXT]; /* what was done last */
};

enum { STATUS_ROWS = 3 };

/* Degrees per second. */
static const double turning_speed = 24;

/* ---- Events -------------------------------------------------------------------------------------------- */

static void take_key(void *user, int key)
{
    struct viewer *viewer = user;
    state_key(&viewer->state, key);
}

static void take_wheel(void *user, double steps)
{
    struct viewer *viewer = user;
    state_wheel(&viewer->state, steps);
}

/* Left paints: removes, or keeps. Right undoes it. */
static void take_pointer(void *user, double x, double y, int buttons)
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

/* Adds to a mean over the last ten frames or so. */
static void measure(struct viewer *viewer, double *mean, double start)
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
    bool done = work_draw(&viewer->work, viewer->scene, &state->scene, reason);
    measure(viewer, &viewer->times.scene, now);
    return done;
}

/* What was drawn, and the plan, are another device's. */
static void draw_again(struct viewer *viewer)
{
    viewer->state.filter_changed = viewer->state.scene_changed = viewer->source_new = true;
}

/* The next device that opens; the one before is the last to be tried. */
static void change_device(struct viewer *viewer)
{
    struct state *state = &viewer->state;
    state->device_changed = false;
    for (int i = 0; i < state->device_count; i++) {
        if (work_open(&viewer->work, state->devices[state->device], viewer->params->threads))
            break;
        state->device = (state->device + 1) % state->device_count;
    }
    snprintf(viewer->note, sizeof viewer->note, "%s: %s", state->devices[state->device],
             abbe_device_detail(viewer->work.device));
    draw_again(viewer);
}

static void apply_wishes(struct viewer *viewer)
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
        work_plan(&viewer->work, state, &viewer->mask);
    viewer->result_new = viewer->source_new || viewer->mask_new || state->filter_changed;
    viewer->mask_new = state->filter_changed = false;
}

static void show_picture(struct viewer *viewer, enum pane pane)
{
    const struct work *work = &viewer->work;
    bool is_source = pane == PANE_SOURCE;
    if (work->on_card)
        screen_copy(&viewer->screen, pane, (is_source ? &work->drawn : &work->filtered)->framebuffer);
    else
        screen_picture(&viewer->screen, pane, is_source ? work->source : work->result);
}

static void filter(struct viewer *viewer)
{
    if (!viewer->result_new)
        return;
    double start = window_time(viewer->window);
    bool on_card = viewer->work.on_card;
    work_filter(&viewer->work);
    if (on_card && !viewer->work.on_card)
        draw_again(viewer);
    measure(viewer, &viewer->times.filter, start);
    show_picture(viewer, PANE_RESULT);
    viewer->result_new = false;
}

/* Spectra are drawn in memory; who does not look at them need not wait for them. */
static void transform(struct viewer *viewer)
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
    work_spectrum(&viewer->work);
    measure(viewer, &viewer->times.spectrum, start);
    screen_magnitudes(&viewer->screen, viewer->work.magnitudes);
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

/* Frames per second while frames follow one another. */
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
    const char *said = *viewer->work.error ? viewer->work.error : *viewer->note ? viewer->note : "h: help";
    state_filter_text(state, own);
    snprintf(text, sizeof text, "%s  border %s  device %s  brush %.0f px %s", own,
             abbe_border_name(state->border),
             viewer->work.device ? abbe_device_name(viewer->work.device) : "none", state->radius,
             state->keep ? "keeps" : "removes");
    screen_write(&viewer->screen, 1, rows - STATUS_ROWS, text);
    write_times(viewer, rows - STATUS_ROWS + 1);
    screen_write(&viewer->screen, 1, rows - 1, said);
}

static void write_help(struct viewer *viewer)
{
    for (int i = 0; state_help[i]; i++)
        screen_write(&viewer->screen, 3, 2 + i, state_help[i]);
}

static void show(struct viewer *viewer)
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
    measure(viewer, &viewer->times.show, start);
}

/* ---- Saving -------------------------------------------------------------------------------------------- */

/* The first of abbe-view-1.png, abbe-view-2.png, … that is free. */
static void choose_names(char result[64], char mask[64])
{
    int number = 1;
    do {
        snprintf(result, 64, "abbe-view-%d.png", number);
        snprintf(mask, 64, "abbe-view-%d-mask.png", number++);
    } while ((!access(result, F_OK) || !access(mask, F_OK)) && number < 100000);
}

static void save(struct viewer *viewer)
{
    const struct viewer_params *params = viewer->params;
    char result_name[64], mask_name[64], command[4 * FILTER_TEXT];
    abbe_image result = work_view(&viewer->work, viewer->work.result);
    abbe_image mask = { viewer->mask.gains,  viewer->mask.width,
                        viewer->mask.height, 1,
                        viewer->mask.width,  ABBE_U8 };
    bool painted = !mask_is_open(&viewer->mask);
    viewer->state.save = false;
    work_read_result(&viewer->work);
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
    snprintf(viewer->note, sizeof viewer->note, done ? "saved %s" : "%s could not be saved", result_name);
}

/* ---- The loop ------------------------------------------------------------------------------------------ */

/* Frames follow one another while the pot turns; otherwise the next event is waited for. */
static bool next_frame(struct viewer *viewer)
{
    const struct viewer_params *params = viewer->params;
    double start = window_time(viewer->window);
    bool idle = !viewer->state.turning && !params->frames;
    bool open = window_poll(viewer->window, idle ? 0.25 : 0);
    if (!idle)
        measure(viewer, &viewer->times.frame, viewer->clock);
    viewer->clock = idle ? window_time(viewer->window) : start;
    return open && !viewer->state.quit;
}

static bool loop(struct viewer *viewer, char reason[SCENE_REASON])
{
    viewer->clock = viewer->turned = window_time(viewer->window);
    for (long frame = 0; !viewer->params->frames || frame < viewer->params->frames; frame++) {
        if (!draw_scene(viewer, reason))
            return false;
        apply_wishes(viewer);
        filter(viewer);
        transform(viewer);
        if (viewer->state.save)
            save(viewer);
        show(viewer);
        if (!next_frame(viewer))
            break;
    }
    return true;
}

/* ---- Beginning and end --------------------------------------------------------------------------------- */

static bool begin_work(struct viewer *viewer, char reason[SCENE_REASON])
{
    const struct viewer_params *params = viewer->params;
    const abbe_image *picture = params->picture;
    int width = picture ? picture->width : params->scene.width;
    int height = picture ? picture->height : params->scene.height;
    if (!work_create(width, height, picture ? picture->channels : 3, params->own, &viewer->work) ||
        !mask_create(width, height, &viewer->mask))
        return scene_refuse(reason, "out of memory");
    state_begin(&viewer->state, params);
    state_list_devices(&viewer->state, params->device);
    if (picture)
        memcpy(viewer->work.source, picture->data,
               (size_t)width * (size_t)height * (size_t)picture->channels * sizeof(float));
    viewer->source_new = viewer->mask_new = true;
    viewer->brush_x = NAN;
    return true;
}

static bool begin_device(struct viewer *viewer, char reason[SCENE_REASON])
{
    struct work *work = &viewer->work;
    if (work_open(work, viewer->params->device, viewer->params->threads))
        work_plan(work, &viewer->state, &viewer->mask);
    return !*work->error || scene_refuse(reason, "%s", work->error);
}

static bool begin_window(struct viewer *viewer, char reason[SCENE_REASON])
{
    const struct viewer_params *params = viewer->params;
    struct window_events events = { viewer, take_key, take_wheel, take_pointer };
    int width = params->window_width ? params->window_width : 1280;
    int height = params->window_height ? params->window_height : 600;
    viewer->window = window_open(width, height, "abbe view", &events, reason);
    if (!viewer->window ||
        !screen_create(window_functions(viewer->window), viewer->work.width, viewer->work.height,
                       viewer->work.channels, &viewer->screen, reason))
        return false;
    work_enter_window(&viewer->work, window_functions(viewer->window), &viewer->screen.gl);
    if (!params->picture)
        viewer->scene = scene_create(window_functions(viewer->window), reason);
    return params->picture || viewer->scene;
}

/* The device gl works in the window's context; whether another one is there is known before a window opens. */
static bool begin(struct viewer *viewer, char reason[SCENE_REASON])
{
    bool shares = adopt_is_gl(viewer->params->device);
    return begin_work(viewer, reason) && (shares || begin_device(viewer, reason)) &&
           begin_window(viewer, reason) && (!shares || begin_device(viewer, reason));
}

bool viewer_run(const struct viewer_params *params, char reason[SCENE_REASON])
{
    struct viewer viewer = { .params = params };
    bool done = begin(&viewer, reason) && loop(&viewer, reason);
    if (viewer.window) {
        work_leave_window(&viewer.work);
        scene_destroy(&viewer.scene);
        screen_destroy(&viewer.screen);
    }
    window_close(&viewer.window);
    mask_free(&viewer.mask);
    work_free(&viewer.work);
    return done;
}
