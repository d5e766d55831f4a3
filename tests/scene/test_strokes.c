/* Painting on the spectrum: strokes as data, undo and redo, and the mask against formulas of its own. */
#include "event.h"
#include "mask.h"
#include "model.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

/* ---- The mask ------------------------------------------------------------------------------------------ */

struct figure {
    enum tool tool;
    struct point a, b;
    double radius;
};

/* Tells whether a frequency lies in a figure grown by `more`, by sampling the definition of the tool. */
static bool is_inside(const struct figure *figure, int width, int height, double u, double v, double more)
{
    const struct point *a = &figure->a, *b = &figure->b;
    const int steps = 720;
    if (figure->tool == TOOL_BRUSH || figure->tool == TOOL_LINE) {
        for (int i = 0; i <= steps; i++) {
            double t = (double)i / steps, x = a->u + t * (b->u - a->u), y = a->v + t * (b->v - a->v);
            if (hypot(u - x, v - y) <= figure->radius + more)
                return true;
        }
        return false;
    }
    /* A point of the figure within the radius: searched on circles around the frequency. The frequencies on
     * a disk are all those between its lowest and its highest. */
    double low = hypot(a->u / width, a->v / height), high = hypot(b->u / width, b->v / height);
    double first = atan2(a->v, a->u), start = fmin(hypot(a->u, a->v), hypot(b->u, b->v));
    double opening = remainder(atan2(b->v, b->u) - first, 2 * M_PI), reach = fmax(figure->radius + more, 0);
    double lowest = INFINITY, highest = 0;
    for (int ring = 0; ring <= 8; ring++)
        for (int i = 0; i < 48; i++) {
            double r = reach * ring / 8, x = u + r * cos(2 * M_PI * i / 48),
                   y = v + r * sin(2 * M_PI * i / 48);
            double turn = remainder(atan2(y, x) - first, 2 * M_PI);
            bool within = opening >= 0 ? turn >= 0 && turn <= opening : turn <= 0 && turn >= opening;
            lowest = fmin(lowest, hypot(x / width, y / height));
            highest = fmax(highest, hypot(x / width, y / height));
            if (figure->tool == TOOL_WEDGE && within && hypot(x, y) >= start)
                return true;
        }
    return figure->tool == TOOL_RING && lowest <= fmax(low, high) && highest >= fmin(low, high);
}

static struct strokes draw_figure(int width, int height, const struct figure *figure, double softness)
{
    struct strokes strokes;
    strokes_begin(&strokes, width, height);
    strokes_press(&strokes,
                  &(struct stroke){ .tool = figure->tool, .radius = figure->radius, .softness = softness },
                  figure->a);
    strokes_drag(&strokes, figure->b);
    strokes_release(&strokes);
    return strokes;
}

/* Frequencies well inside are painted and those well outside are not; (u, v) and (−u, −v) are alike. */
static void check_figure(int width, int height, struct figure figure, double slack)
{
    struct strokes strokes = draw_figure(width, height, &figure, 0);
    struct mask mask;
    assert_true(mask_create(width, height, &mask));
    mask_draw(&mask, &strokes);
    int painted = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int u = x - width / 2, v = y - height / 2, amount = mask.amounts[y * width + x];
            bool within = is_inside(&figure, width, height, u, v, -slack) ||
                          is_inside(&figure, width, height, -u, -v, -slack);
            bool near = is_inside(&figure, width, height, u, v, slack) ||
                        is_inside(&figure, width, height, -u, -v, slack);
            /* The highest frequency of an even length stands for both signs. */
            int mx = (width - x + 2 * (width / 2)) % width, my = (height - y + 2 * (height / 2)) % height;
            int opposite = mask.amounts[my * width + mx];
            bool edge = (width % 2 == 0 && !x) || (height % 2 == 0 && !y);
            painted += amount > 0;
            if (amount != opposite)
                fail_msg("tool %d, %d x %d: (%d, %d) has %d and its opposite %d", figure.tool, width, height,
                         u, v, amount, opposite);
            if (!edge && ((within && amount != 255) || (!near && amount)))
                fail_msg("tool %d, %d x %d: %d at (%d, %d)", figure.tool, width, height, amount, u, v);
        }
    assert_true(painted > 0);
    mask_free(&mask);
    strokes_free(&strokes);
}

static void tools_paint_their_figures_symmetrically(void **state)
{
    (void)state;
    check_figure(64, 48, (struct figure){ TOOL_BRUSH, { -22, -12 }, { -7, 6 }, 3.5 }, 0.6);
    check_figure(33, 21, (struct figure){ TOOL_LINE, { 0, 0 }, { 0, 0 }, 5 }, 0.6);
    check_figure(40, 40, (struct figure){ TOOL_LINE, { -25, 0 }, { 40, 2 }, 2 }, 0.6);
    check_figure(7, 5, (struct figure){ TOOL_BRUSH, { 1, 1 }, { 1, 1 }, 1 }, 0.6);
    check_figure(40, 40, (struct figure){ TOOL_RING, { 8, 3 }, { 0, 14 }, 2 }, 1.5);
    check_figure(60, 30, (struct figure){ TOOL_RING, { 12, 0 }, { 12, 0 }, 2 }, 1.5);
    check_figure(48, 40, (struct figure){ TOOL_WEDGE, { 6, -2 }, { 5, 4 }, 1.5 }, 1);
    check_figure(48, 41, (struct figure){ TOOL_WEDGE, { -6, 2 }, { -5, -6 }, 1.5 }, 1);
    check_figure(32, 32, (struct figure){ TOOL_LINE, { -16, -9 }, { -16, -9 }, 1.5 }, 0.6);
}

static void soft_edges_fade_within_the_radius(void **state)
{
    (void)state;
    struct strokes strokes = draw_figure(101, 101, &(struct figure){ TOOL_LINE, { 0, 0 }, { 0, 0 }, 40 },
                                         0.5);
    struct mask mask;
    assert_true(mask_create(101, 101, &mask));
    mask_draw(&mask, &strokes);
    const uint8_t *row = mask.amounts + 50 * 101 + 50;
    for (int u = 0; u <= 50; u++) {
        double t = fmin(fmax((40 - u) / 20.0, 0), 1);
        assert_true(fabs(row[u] - 255 * t * t * (3 - 2 * t)) <= 0.51);
    }
    mask_free(&mask);
    strokes_free(&strokes);
}

/* The same strokes at twice the resolution, and in a part of the plane. */
static void masks_of_any_resolution_agree(void **state)
{
    (void)state;
    struct strokes strokes = draw_figure(64, 64, &(struct figure){ TOOL_BRUSH, { 5, 9 }, { 20, -12 }, 6 }, 1);
    struct mask whole, part;
    assert_true(mask_create(64, 64, &whole) && mask_create(40, 30, &part));
    mask_draw(&whole, &strokes);
    part.u0 = 2;
    part.v0 = -9;
    part.du = part.dv = 0.5;
    mask_draw(&part, &strokes);
    for (int y = 0; y < 30; y += 2)
        for (int x = 0; x < 40; x += 2)
            assert_int_equal(part.amounts[y * 40 + x], whole.amounts[(y / 2 - 9 + 32) * 64 + x / 2 + 2 + 32]);
    mask_free(&part);
    mask_free(&whole);
    strokes_free(&strokes);
}

/* ---- Undo ---------------------------------------------------------------------------------------------- */

static int amount_at(const struct strokes *strokes, int u, int v)
{
    struct mask mask;
    assert_true(mask_create(strokes->width, strokes->height, &mask));
    mask_draw(&mask, strokes);
    int amount = mask.amounts[(v + strokes->height / 2) * strokes->width + u + strokes->width / 2];
    mask_free(&mask);
    return amount;
}

static void dot(struct strokes *strokes, double u, double v, bool erases)
{
    strokes_press(strokes, &(struct stroke){ .erases = erases, .radius = 3 }, (struct point){ u, v });
    strokes_release(strokes);
}

static void deeds_are_undone_and_redone(void **state)
{
    (void)state;
    struct strokes strokes, copy;
    strokes_begin(&strokes, 64, 64);
    assert_false(strokes_undo(&strokes) || strokes_redo(&strokes) || strokes_painted(&strokes));
    dot(&strokes, 10, 0, false);
    dot(&strokes, 10, 20, false);
    dot(&strokes, 11, 0, true);
    assert_int_equal(amount_at(&strokes, 10, 0), 0);
    assert_int_equal(amount_at(&strokes, -10, -20), 255);
    assert_true(strokes_undo(&strokes));
    assert_int_equal(amount_at(&strokes, 10, 0), 255);
    strokes_clear(&strokes);
    assert_false(strokes_painted(&strokes));
    assert_int_equal(amount_at(&strokes, 10, 0), 0);
    assert_false(strokes_redo(&strokes)); /* the clearing replaced what was undone */
    assert_true(strokes_undo(&strokes) && strokes_painted(&strokes));
    assert_int_equal(amount_at(&strokes, 10, 20), 255);
    strokes_invert(&strokes);
    assert_true(strokes_keep(&strokes));
    assert_int_equal(mask_gain(255, true), 255);
    assert_int_equal(mask_gain(200, false), 55);
    assert_true(strokes_copy(&strokes, &copy));
    assert_true(strokes_undo(&strokes) && !strokes_keep(&strokes) && strokes_keep(&copy));
    assert_true(strokes_undo(&strokes) && strokes_undo(&strokes) && !strokes_undo(&strokes));
    assert_int_equal(amount_at(&copy, 10, 20), 255);
    assert_true(strokes_redo(&strokes) && strokes_redo(&strokes) && strokes_redo(&strokes));
    assert_false(strokes_redo(&strokes));
    assert_int_equal(amount_at(&strokes, 10, 20), 255);
    strokes_free(&strokes);
    strokes_free(&copy);
}

/* Thousands of deeds, done and undone at random, equal the list of those that count. */
static void undo_keeps_the_list(void **state)
{
    (void)state;
    struct strokes strokes;
    double expected[400];
    size_t done = 0, count = 0;
    strokes_begin(&strokes, 2000, 3);
    srand(7);
    for (int i = 0; i < 5000; i++) {
        int choice = rand() % 5;
        if (choice < 3 && done < 400) {
            expected[done] = rand() % 1000;
            strokes_press(&strokes, &(struct stroke){ .radius = 1 }, (struct point){ expected[done], 0 });
            for (int k = rand() % 4; k > 0; k--)
                strokes_drag(&strokes, (struct point){ expected[done] + k, 1 });
            strokes_release(&strokes);
            count = ++done;
        } else if (choice == 3) {
            assert_int_equal(strokes_undo(&strokes), done > 0);
            done -= done > 0;
        } else {
            assert_int_equal(strokes_redo(&strokes), done < count);
            done += done < count;
        }
        assert_int_equal(strokes.done, done);
        assert_int_equal(strokes.count, count);
        if (done)
            assert_true(strokes.points[strokes.list[done - 1].first].u == expected[done - 1]);
    }
    strokes_free(&strokes);
}

/* ---- The model ----------------------------------------------------------------------------------------- */

static struct model begin_model(int width, int height)
{
    static float values[1];
    struct model model;
    model_begin(&model, &(struct viewer_params){ .picture = { width, height, 1, values } });
    model_open(&model, width, height);
    model_event(&model, &(struct event){ .kind = EVENT_SIZE, .width = 1280, .height = 600 });
    return model;
}

static void point_at(struct model *model, double x, double y, int buttons)
{
    model_event(model, &(struct event){ .kind = EVENT_POINTER, .x = x, .y = y, .buttons = buttons });
}

static void press_key(struct model *model, int key)
{
    model_event(model, &(struct event){ .kind = EVENT_KEY, .key = key });
}

/* A stroke lies where the pointer was, whatever the zoom; its radius is that of the screen. */
static void strokes_follow_the_pointer(void **state)
{
    (void)state;
    struct model model = begin_model(600, 400);
    for (int zoomed = 0; zoomed < 2; zoomed++) {
        const struct area *area = &model.areas[PANE_SPECTRUM];
        double x = area->x + 300, y = area->y + 200;
        if (zoomed)
            model_event(&model, &(struct event){ .kind = EVENT_WHEEL, .x = x, .y = y, .steps = 6 });
        struct place place = model_place(&model, PANE_SPECTRUM);
        point_at(&model, x, y, BUTTON_LEFT);
        point_at(&model, x + 30, y - 10, BUTTON_LEFT);
        point_at(&model, x + 30, y - 10, 0);
        const struct stroke *stroke = &model.strokes.list[model.strokes.done - 1];
        const struct point *points = model.strokes.points + stroke->first;
        assert_int_equal(stroke->count, 2);
        assert_true(fabs(stroke->radius * place.scale - model.radius) < 1e-9);
        for (int i = 0; i < 2; i++) {
            double column = (x + 30 * i - place.left) / place.scale,
                   row = (y - 10 * i - place.top) / place.scale;
            assert_true(fabs(points[i].u - (column - 0.5 - 300)) < 1e-9);
            assert_true(fabs(points[i].v - (row - 0.5 - 200)) < 1e-9);
        }
    }
    assert_true(model_place(&model, PANE_SPECTRUM).scale > 3 * model_place(&model, PANE_SOURCE).scale);
    model_free(&model);
}

static void keys_choose_tools_and_undo(void **state)
{
    (void)state;
    struct model model = begin_model(64, 64);
    const struct area *area = &model.areas[PANE_SPECTRUM];
    double x = area->x + area->width / 2.0, y = area->y + area->height / 2.0;
    for (int i = 0; i < TOOLS; i++) {
        press_key(&model, model_tools[i].key);
        assert_int_equal(model.tool, i);
        point_at(&model, x, y, i % 2 ? BUTTON_RIGHT : BUTTON_LEFT);
        point_at(&model, x, y, 0);
        assert_int_equal(model.strokes.list[i].tool, i);
        assert_int_equal(model.strokes.list[i].erases, i % 2);
    }
    press_key(&model, 'u');
    press_key(&model, KEY_UNDO);
    assert_int_equal(model.strokes.done, TOOLS - 2);
    press_key(&model, 'r');
    press_key(&model, KEY_REDO);
    assert_int_equal(model.strokes.done, TOOLS);
    double radius = model.radius;
    press_key(&model, ']');
    assert_true(fabs(model.radius - 1.25 * radius) < 1e-9);
    for (int i = 0; i < 100; i++)
        press_key(&model, '[');
    assert_true(model.radius == 1);
    press_key(&model, 'k');
    assert_true(strokes_keep(&model.strokes));
    press_key(&model, 'c');
    assert_false(strokes_painted(&model.strokes));
    model_free(&model);
}

static void escape_ends_what_is_in_the_way(void **state)
{
    (void)state;
    struct model model = begin_model(64, 64);
    const struct area *area = &model.areas[PANE_SPECTRUM];
    point_at(&model, area->x + 200, area->y + 200, BUTTON_LEFT);
    point_at(&model, area->x + 220, area->y + 200, BUTTON_LEFT);
    press_key(&model, KEY_ESCAPE);
    assert_int_equal(model.strokes.done, 0);
    point_at(&model, area->x + 240, area->y + 200, BUTTON_LEFT); /* the button is still down */
    assert_int_equal(model.strokes.done, 0);
    point_at(&model, area->x + 240, area->y + 200, 0);
    press_key(&model, 'h');
    press_key(&model, KEY_ESCAPE);
    assert_false(model.state.help || model.state.quit);
    press_key(&model, KEY_ESCAPE);
    assert_true(model.state.quit);
    model_free(&model);
}

/* A press outside the spectrum paints nothing, even if the drag enters it. */
static void drags_belong_to_their_pane(void **state)
{
    (void)state;
    struct model model = begin_model(64, 64);
    const struct area *source = &model.areas[PANE_SOURCE], *spectrum = &model.areas[PANE_SPECTRUM];
    struct place before = model_place(&model, PANE_SOURCE);
    point_at(&model, source->x + 200, source->y + 200, BUTTON_LEFT);
    point_at(&model, source->x + 230, source->y + 190, BUTTON_LEFT);
    struct place after = model_place(&model, PANE_SOURCE);
    assert_true(after.left == before.left + 30 && after.top == before.top - 10 &&
                after.scale == before.scale);
    point_at(&model, spectrum->x + 200, spectrum->y + 200, BUTTON_LEFT);
    point_at(&model, spectrum->x + 200, spectrum->y + 200, 0);
    assert_int_equal(model.strokes.done, 0);
    press_key(&model, 'x');
    const struct area *result = &model.areas[PANE_RESULT];
    point_at(&model, result->x + result->width / 2.0, result->y + 50, BUTTON_LEFT);
    point_at(&model, result->x + result->width / 4.0, result->y + 50, BUTTON_LEFT);
    point_at(&model, result->x + result->width / 4.0, result->y + 50, 0);
    assert_true(fabs(model.split - 0.25) < 0.01);
    model_free(&model);
}

/* A click on either mark of a peak paints a dot there; then the peak is removed until that is undone. */
static void clicks_remove_peaks(void **state)
{
    (void)state;
    struct model model = begin_model(600, 400);
    const abbe_peak peak = { .x = 0.22, .y = 0.12, .radius = 0.01 }, *list[] = { &peak };
    model_take_peaks(&model, list, 1);
    double x, y, px, py;
    model_position(&model, (struct point){ 0.22 * 300, 0.12 * 200 }, &x, &y);
    struct place place = model_place(&model, PANE_SPECTRUM);
    px = place.left + (300 + 66 + 0.5) * place.scale;
    py = place.top + (200 + 24 + 0.5) * place.scale;
    assert_true(fabs(x - px) < 1e-9 && fabs(y - py) < 1e-9);
    assert_int_equal(model_peak_at(&model, x, y), -1); /* not shown */
    press_key(&model, 'n');
    assert_int_equal(model_peak_at(&model, x + 3, y - 2), 0);
    model_position(&model, (struct point){ -66, -24 }, &x, &y);
    point_at(&model, x + 3, y, BUTTON_LEFT);
    point_at(&model, x + 30, y, BUTTON_LEFT); /* the click does not begin a stroke */
    point_at(&model, x + 30, y, 0);
    assert_int_equal(model.strokes.done, 1);
    assert_int_equal(model.strokes.list[0].count, 1);
    assert_true(model_peak_removed(&model, 0) && model_peak_at(&model, x, y) == -1);
    for (int sign = -1; sign <= 1; sign += 2) {
        assert_int_equal(amount_at(&model.strokes, 66 * sign, 24 * sign), 255);
        assert_int_equal(amount_at(&model.strokes, 69 * sign, 24 * sign),
                         128); /* the notch's radius: one half */
        assert_int_equal(amount_at(&model.strokes, 73 * sign, 24 * sign), 0);
    }
    press_key(&model, 'u');
    assert_false(model_peak_removed(&model, 0));
    assert_int_equal(model_peak_at(&model, x, y), 0);
    model_free(&model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(clicks_remove_peaks),
    cmocka_unit_test(tools_paint_their_figures_symmetrically),
    cmocka_unit_test(soft_edges_fade_within_the_radius),
    cmocka_unit_test(masks_of_any_resolution_agree),
    cmocka_unit_test(deeds_are_undone_and_redone),
    cmocka_unit_test(undo_keeps_the_list),
    cmocka_unit_test(strokes_follow_the_pointer),
    cmocka_unit_test(keys_choose_tools_and_undo),
    cmocka_unit_test(escape_ends_what_is_in_the_way),
    cmocka_unit_test(drags_belong_to_their_pane),
};

TEST_MAIN(tests)
