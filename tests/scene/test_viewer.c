/* The viewer without its window: keys and wheel, filters and command lines as text, the brush, the panes. */
#include "brush.h"
#include "layout.h"
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct state begin(const char *filter, bool scene)
{
    static const abbe_image picture = { .width = 8, .height = 8, .channels = 1, .type = ABBE_F32 };
    struct state state;
    struct viewer_params params = { .picture = scene ? NULL : &picture,
                                    .filter = filter,
                                    .scene = scene_defaults() };
    state_begin(&state, &params);
    state.devices[state.device_count++] = "cpu";
    state.devices[state.device_count++] = "vulkan";
    state.filter_changed = state.scene_changed = false;
    return state;
}

static void check_text(const struct state *state, const char *expected)
{
    char text[FILTER_TEXT];
    state_filter_text(state, text);
    assert_string_equal(text, expected);
}

/* ---- Keys ---------------------------------------------------------------------------------------------- */

static void keys_choose_filters(void **state_of_test)
{
    (void)state_of_test;
    struct state state = begin(NULL, true);
    check_text(&state, "identity");
    assert_false(state_key(&state, 'f')); /* the command line has no filter */
    assert_true(state_key(&state, '2'));
    assert_true(state.filter_changed);
    check_text(&state, "gaussian:sigma=4");
    state_key(&state, '8');
    check_text(&state, "bandpass:low=0.06:high=0.18");
    state_key(&state, '9');
    check_text(&state, "streak:width=20:angle=20");
    state_key(&state, '0');
    check_text(&state, "sobel");
    struct state own = begin("box:radius=3", true);
    check_text(&own, "box:radius=3");
    state_key(&own, '1');
    check_text(&own, "identity");
    assert_true(state_key(&own, 'f'));
    check_text(&own, "box:radius=3");
}

/* The library accepts the filter at every position of the wheel. */
static void every_filter_is_one(void **state_of_test)
{
    (void)state_of_test;
    struct state state = begin(NULL, true);
    for (int i = 0; i < state_filter_count; i++) {
        if (!state_key(&state, state_filters[i].key))
            continue;
        const double turns[] = { 0, 3, 1000, -2000 };
        for (int k = 0; k < 4; k++) {
            char text[FILTER_TEXT];
            abbe_filter *filter = NULL;
            state_wheel(&state, turns[k]);
            state_filter_text(&state, text);
            if (abbe_filter_parse(text, NULL, &filter))
                fail_msg("%s: %s", text, abbe_error_text(NULL));
            abbe_filter_destroy(&filter);
        }
    }
}

static void wheel_multiplies(void **state_of_test)
{
    (void)state_of_test;
    struct state state = begin(NULL, true);
    state_key(&state, '2');
    state.filter_changed = false;
    state_wheel(&state, 2);
    assert_true(state.filter_changed);
    check_text(&state, "gaussian:sigma=5.29"); /* 4 · 1.15² */
    state_wheel(&state, -2);
    check_text(&state, "gaussian:sigma=4");
    state_wheel(&state, 1000);
    check_text(&state, "gaussian:sigma=60");
    state_wheel(&state, -1000);
    check_text(&state, "gaussian:sigma=0.3");
}

static void camera_moves_with_the_scene_only(void **state_of_test)
{
    (void)state_of_test;
    struct state state = begin(NULL, true), picture = begin(NULL, false);
    double angle = state.scene.angle;
    assert_true(state_key(&state, KEY_LEFT));
    assert_true(state.scene_changed && fabs(state.scene.angle - (angle - 5)) < 1e-9);
    for (int i = 0; i < 40; i++)
        state_key(&state, KEY_UP);
    assert_true(state.scene.elevation == 90);
    for (int i = 0; i < 100; i++)
        state_key(&state, KEY_RIGHT);
    assert_true(fabs(state.scene.angle) < 360);
    for (int i = 0; i < 100; i++)
        state_key(&state, '+');
    assert_true(state.scene.zoom == 10);
    assert_true(state_key(&state, ' ') && !state.turning);
    int materials = 0;
    while (scene_materials()[materials])
        assert_true(state_key(&state, 'm') && ++materials);
    assert_int_equal(state.scene.material, 0);
    assert_false(state_key(&picture, KEY_LEFT) || state_key(&picture, 'm') || state_key(&picture, ' '));
    assert_false(picture.turning);
}

static void other_keys_wish(void **state_of_test)
{
    (void)state_of_test;
    struct state state = begin(NULL, false);
    assert_true(state_key(&state, 'q') && state.quit);
    assert_true(state_key(&state, 's') && state.save);
    assert_true(state_key(&state, 'c') && state.clear_mask);
    assert_true(state_key(&state, 'k') && state.keep);
    assert_true(state_key(&state, 'd') && state.device == 1 && state.device_changed);
    for (int i = 0; i < LAYOUTS; i++)
        state_key(&state, KEY_TAB);
    assert_int_equal(state.layout, LAYOUT_ALL);
    for (int i = 0; i <= ABBE_BORDER_WRAP; i++) {
        assert_non_null(abbe_border_name(state.border));
        state_key(&state, 'b');
    }
    assert_int_equal(state.border, ABBE_BORDER_REFLECT);
    assert_false(state_key(&state, 'z'));
}

/* ---- Command lines ------------------------------------------------------------------------------------- */

static void check_command(const struct state *state, const char *input, const char *mask,
                          const char *expected)
{
    char text[2048];
    state_command(state, input, mask, "out.png", text, sizeof text);
    assert_string_equal(text, expected);
}

static void commands_repeat_what_is_seen(void **state_of_test)
{
    (void)state_of_test;
    struct state state = begin(NULL, true);
    state_turn(&state, 12.3456789);
    state_key(&state, '7');
    check_command(
        &state, NULL, NULL,
        "abbe scene --size 1024x768 --angle -17.654 --elevation 20 --zoom 1 --material ceramic --samples "
        "16 -f 'highpass:cutoff=0.05' --border reflect --offset 0.2 --device cpu -o 'out.png'");
    struct state picture = begin("box", false);
    picture.border = ABBE_BORDER_CONSTANT;
    picture.border_value = 0.5f;
    check_command(
        &picture, "it's one.png", "m.png",
        "abbe filter 'it'\\''s one.png' -f 'mask:file=\"m.png\",box' --border constant:0.5 --device cpu -o "
        "'out.png'");
    char small[20];
    state_command(&state, NULL, NULL, "out.png", small, sizeof small);
    assert_int_equal(strlen(small), sizeof small - 1);
}

/* ---- The brush ----------------------------------------------------------------------------------------- */

static double distance_to_segment(double x, double y, const struct stroke *s)
{
    double best = INFINITY;
    for (int i = 0; i <= 4000; i++) {
        double t = i / 4000.0, px = s->x0 + t * (s->x1 - s->x0), py = s->y0 + t * (s->y1 - s->y0);
        best = fmin(best, hypot(x - px, y - py));
    }
    return best;
}

static void check_stroke(int width, int height, struct stroke stroke, uint8_t ground)
{
    struct mask mask;
    assert_true(mask_create(width, height, &mask));
    mask_clear(&mask, ground);
    stroke.gain = (uint8_t)(255 - ground);
    mask_paint(&mask, &stroke);
    int cx = width / 2, cy = height / 2, painted = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double near = fmin(distance_to_segment(x, y, &stroke),
                               distance_to_segment(2 * cx - x, 2 * cy - y, &stroke));
            int gain = mask.gains[y * width + x];
            painted += gain != ground;
            if ((near < stroke.radius - 0.51 && gain != stroke.gain) ||
                (near > stroke.radius + 0.51 && gain != ground))
                fail_msg("%d x %d: gain %d at (%d, %d), %g from the stroke", width, height, gain, x, y, near);
        }
    assert_true(painted > 0);
    struct stroke back = stroke;
    back.gain = ground;
    back.radius += 2;
    mask_paint(&mask, &back);
    for (int i = 0; i < width * height; i++)
        assert_int_equal(mask.gains[i], ground);
    mask_free(&mask);
}

static void strokes_are_round_and_symmetric(void **state_of_test)
{
    (void)state_of_test;
    for (int ground = 0; ground <= 255; ground += 255) {
        check_stroke(64, 48, (struct stroke){ 10, 12, 25, 30, 3.5, 0 }, (uint8_t)ground);
        check_stroke(33, 21, (struct stroke){ 16, 10, 16, 10, 5, 0 }, (uint8_t)ground);
        check_stroke(40, 40, (struct stroke){ -5, 20, 60, 22, 2, 0 }, (uint8_t)ground);
        check_stroke(7, 5, (struct stroke){ 3, 2, 3, 2, 1, 0 }, (uint8_t)ground);
    }
}

static void masks_are_open_until_painted(void **state_of_test)
{
    (void)state_of_test;
    struct mask mask;
    assert_true(mask_create(16, 16, &mask));
    assert_true(mask_is_open(&mask));
    mask_paint(&mask, &(struct stroke){ 200, 200, 300, 300, 4, 0 });
    assert_true(mask_is_open(&mask)); /* the stroke misses the mask */
    mask_paint(&mask, &(struct stroke){ 3, 3, 3, 3, 1, 0 });
    assert_false(mask_is_open(&mask));
    mask_clear(&mask, 255);
    assert_true(mask_is_open(&mask));
    mask_clear(&mask, 0);
    assert_false(mask_is_open(&mask));
    mask_free(&mask);
}

/* ---- Panes --------------------------------------------------------------------------------------------- */

static void panes_keep_the_shape_and_the_window(void **state_of_test)
{
    (void)state_of_test;
    const int shapes[][2] = { { 512, 512 }, { 640, 200 }, { 30, 900 }, { 1, 1 } };
    for (int i = 0; i < 4; i++)
        for (int width = 100; width < 2000; width += 333)
            for (int layout = 0; layout < LAYOUTS; layout++) {
                struct area areas[PANES];
                struct room room = { width, 700, 44, 77 };
                layout_panes((enum layout)layout, &room, shapes[i][0], shapes[i][1], areas);
                int shown = 0, right = 0;
                for (int k = 0; k < PANES; k++) {
                    const struct area *a = &areas[k];
                    if (!a->width)
                        continue;
                    shown++;
                    assert_true(a->x >= right && a->x + a->width <= width && a->y >= 44 &&
                                a->y + a->height <= 700 - 77);
                    right = a->x + a->width;
                    double ratio = (double)shapes[i][0] / shapes[i][1];
                    assert_true(fabs(a->width - ratio * a->height) <= 1 + ratio);
                }
                assert_int_equal(shown, layout == LAYOUT_ALL ? 3 : 1);
            }
    struct area areas[PANES];
    layout_panes(LAYOUT_ALL, &(struct room){ 20, 20, 44, 77 }, 512, 512, areas);
    for (int k = 0; k < PANES; k++)
        assert_int_equal(areas[k].width, 0); /* the window is too small */
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(keys_choose_filters),
    cmocka_unit_test(every_filter_is_one),
    cmocka_unit_test(wheel_multiplies),
    cmocka_unit_test(camera_moves_with_the_scene_only),
    cmocka_unit_test(other_keys_wish),
    cmocka_unit_test(commands_repeat_what_is_seen),
    cmocka_unit_test(strokes_are_round_and_symmetric),
    cmocka_unit_test(masks_are_open_until_painted),
    cmocka_unit_test(panes_keep_the_shape_and_the_window),
};

TEST_MAIN(tests)
