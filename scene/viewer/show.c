/* Renders the panes whose contents have changed, and draws the window. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* The part of a picture that a pane shows. */
static struct excerpt pane_excerpt(const struct area *area, const struct place *place)
{
    return (struct excerpt){ (area->x - place->left) / place->scale,
                             (area->y - place->top) / place->scale,
                             1 / place->scale,
                             1 / place->scale,
                             area->width,
                             area->height };
}

/* The same part in pixels of a preview, which covers `covered` of the picture. */
static struct excerpt within_preview(const struct excerpt *part, const struct excerpt *covered)
{
    return (struct excerpt){ (part->x - covered->x) / covered->step_x,
                             (part->y - covered->y) / covered->step_y,
                             part->step_x / covered->step_x,
                             part->step_y / covered->step_y,
                             part->width,
                             part->height };
}

/* ---- Pixels of panes ----------------------------------------------------------------------------------- */

static bool render_spectrum(struct viewer *viewer, const struct excerpt *excerpt, uint8_t *rgba)
{
    const struct strokes *strokes = &viewer->model.strokes;
    struct mask mask;
    if (!mask_create(excerpt->width, excerpt->height, &mask))
        return false;
    mask.du = excerpt->step_x;
    mask.dv = excerpt->step_y;
    mask.u0 = excerpt->x + excerpt->step_x / 2 - 0.5 - strokes->width / 2;
    mask.v0 = excerpt->y + excerpt->step_y / 2 - 0.5 - strokes->height / 2;
    mask_draw(&mask, strokes);
    magnitudes_render(&viewer->pictures.spectrum, excerpt, &mask, strokes_keep(strokes), rgba);
    mask_free(&mask);
    return true;
}

static bool render_result(struct viewer *viewer, const struct excerpt *excerpt, uint8_t *rgba)
{
    const struct pictures *pictures = &viewer->pictures;
    if (viewer->result == RESULT_PREVIEW) {
        struct excerpt within = within_preview(excerpt, &viewer->preview.excerpt);
        return pyramid_render(&viewer->preview.shown, &within, rgba);
    }
    bool is_source = viewer->result == RESULT_NONE || (viewer->result_is_source && !viewer_is_direct(viewer));
    if (!is_source && !pictures->result)
        return false;
    return pyramid_render(is_source ? &pictures->source_levels : &pictures->result_levels, excerpt, rgba);
}

static void render_pane(struct viewer *viewer, struct pane_picture *to, enum pane pane,
                        const struct area *area)
{
    struct place place = model_place(&viewer->model, pane == PANES ? PANE_RESULT : pane);
    struct excerpt excerpt = pane_excerpt(area, &place);
    uint8_t *rgba = calloc((size_t)area->width * (size_t)area->height, 4);
    bool done = false;
    if (rgba && pane == PANE_SPECTRUM)
        done = render_spectrum(viewer, &excerpt, rgba);
    else if (rgba && pane == PANE_RESULT)
        done = render_result(viewer, &excerpt, rgba);
    else if (rgba)
        done = pyramid_render(&viewer->pictures.source_levels, &excerpt, rgba);
    if (done)
        screen_bytes(&viewer->screen, to, area->width, area->height, rgba);
    free(rgba);
}

static void copy_pane(struct viewer *viewer, struct pane_picture *to, bool is_result)
{
    const struct pictures *pictures = &viewer->pictures;
    screen_copy(&viewer->screen, to, pictures->width, pictures->height,
                (is_result ? &pictures->filtered : &pictures->drawn)->framebuffer);
}

/* `pane` PANES is the source in the pane of the result. */
static void update_pane(struct viewer *viewer, struct pane_picture *to, enum pane pane)
{
    enum pane where = pane == PANES ? PANE_RESULT : pane, what = pane == PANES ? PANE_SOURCE : pane;
    bool copies = viewer->pictures.on_gpu && pane != PANE_SPECTRUM;
    struct shown now;
    memset(&now, 0, sizeof now);
    now.version = viewer->versions[what];
    now.is_copy = copies;
    if (!copies) {
        now.area = viewer->model.areas[where];
        now.place = model_place(&viewer->model, where);
    }
    if (!memcmp(&now, &viewer->shown[pane], sizeof now))
        return;
    viewer->shown[pane] = now;
    if (copies)
        copy_pane(viewer, to, what == PANE_RESULT);
    else
        render_pane(viewer, to, pane, &viewer->model.areas[where]);
}

/* ---- The window ---------------------------------------------------------------------------------------- */

static void draw_pane(struct viewer *viewer, enum pane pane)
{
    const struct model *model = &viewer->model;
    struct area area = model->areas[pane], left = area, right = area;
    struct place place = model_place(model, pane);
    struct screen *screen = &viewer->screen;
    update_pane(viewer, &screen->panes[pane], pane);
    if (pane == PANE_RESULT && model->state.split) {
        update_pane(viewer, &screen->before, PANES);
        left.width = (int)(model->split * area.width);
        right.x += left.width;
        right.width -= left.width;
        screen_pane(screen, model->width, model->height, &screen->before, &area, &left, &place,
                    model->state.is_scene);
    }
    screen_pane(screen, model->width, model->height, &screen->panes[pane], &area, &right, &place,
                model->state.is_scene);
}

static const char *describe_job(const struct viewer *viewer)
{
    static const char *const texts[] = { [JOB_OPEN] = "opening",
                                         [JOB_PREPARE] = "preparing the picture",
                                         [JOB_SPECTRUM] = "computing the spectrum",
                                         [JOB_PEAKS] = "searching for peaks",
                                         [JOB_FILTER] = "filtering the whole picture",
                                         [JOB_SAVE] = "saving" };
    return viewer->worker.busy ? texts[viewer->job.kind] : NULL;
}

static struct face describe_face(struct viewer *viewer)
{
    const struct pictures *pictures = &viewer->pictures;
    bool is_wrong = *pictures->error != 0;
    bool measures = viewer->worker.busy && viewer->job.kind == JOB_FILTER;
    return (struct face){ .name = viewer->picture_name,
                          .device = pictures->device ? abbe_device_name(pictures->device) : "none",
                          .note = is_wrong ? pictures->error : viewer->note,
                          .note_is_error = is_wrong || viewer->note_is_error,
                          .busy = describe_job(viewer),
                          .progress = measures ? atomic_load(&viewer->worker.permille) / 1000.0 : -1,
                          .is_preview = viewer->result == RESULT_PREVIEW,
                          .is_estimate = viewer->spectrum_is_estimate,
                          .histogram = viewer->model.state.histogram ? &viewer->histogram : NULL,
                          .times = viewer->times };
}

void show_window(struct viewer *viewer)
{
    struct model *model = &viewer->model;
    struct screen *screen = &viewer->screen;
    if (model->width < 1 || model->height < 1)
        return; /* minimised */
    screen->brightness = model->state.help ? 0.35f : 1;
    screen_begin(screen, model->width, model->height);
    for (int i = 0; i < PANES; i++)
        if (model->areas[i].width)
            draw_pane(viewer, (enum pane)i);
    struct face face = describe_face(viewer);
    face_draw(&viewer->ink, model, &face);
    screen_ink(screen, model->width, model->height, &viewer->ink);
    window_show(viewer->window);
}

void show_free(struct viewer *viewer)
{
    ink_free(&viewer->ink);
}
