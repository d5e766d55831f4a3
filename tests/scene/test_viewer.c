/* The viewer without its window: keys and wheel, filters and command lines as text, the panes. */
#include "event.h"
#include "layout.h"
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct state begin(const char *filter, bool scene)
{
    static float values[64];
    struct state state;
    struct viewer_params params = { .picture = { 8, 8, 1, scene ? NULL : values },
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
    assert_true(state_key(&state, '.'));
    check_text(&state, "gaussian:sigma=0.345");
    assert_true(state_key(&state, ','));
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
    assert_true(state_key(&state, 'x') && state.split && state_key(&state, 'x') && !state.split);
    assert_true(state_key(&state, 'g') && state.histogram);
    assert_true(state_key(&state, 'd') && state.device == 1 && state.device_changed);
    for (int i = 0; i < LAYOUTS; i++)
        state_key(&state, KEY_TAB);
    assert_int_equal(state.layout, LAYOUT_ALL);
    for (int i = 0; i <= ABBE_BORDER_WRAP; i++) {
        assert_non_null(abbe_border_name(state.border));
        state_key(&state, 'b');
    }
    assert_int_equal(state.border, ABBE_BORDER_REFLECT);
    assert_false(state_key(&state, '@'));
}

/* ---- Command lines ------------------------------------------------------------------------------------- */

static void check_command(const struct state *state, const char *input, const char *mask,
                          const char *expected)
{
    char *text = state_command(state, input, mask, "out.png");
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
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
    char filter[4000] = "identity", expected[4200];
    for (int i = 0; i < 200; i++)
        strcat(filter, ",gaussian:sigma=1");
    struct state chain = begin(filter, false);
    snprintf(expected, sizeof expected,
             "abbe filter 'in.png' -f '%s' --border reflect --device cpu -o 'out.png'", filter);
    check_command(&chain, "in.png", NULL, expected);
}

/* ---- Panes --------------------------------------------------------------------------------------------- */

static void panes_fill_the_window(void **state_of_test)
{
    (void)state_of_test;
    for (int width = 100; width < 2000; width += 333)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct area areas[PANES];
            layout_panes((enum layout)layout, &(struct room){ width, 700, 44, 77 }, areas);
            int shown = 0, right = 0;
            for (int k = 0; k < PANES; k++) {
                const struct area *a = &areas[k];
                if (!a->width)
                    continue;
                shown++;
                assert_true(a->x >= right && a->x + a->width <= width && a->y == 44 &&
                            a->y + a->height == 700 - 77);
                assert_true(area_contains(a, a->x, a->y) && !area_contains(a, a->x + a->width, a->y));
                right = a->x + a->width;
            }
            assert_int_equal(shown, layout == LAYOUT_ALL ? 3 : 1);
            assert_true(right >= width - 8 - 3 || layout != LAYOUT_ALL);
        }
    struct area areas[PANES];
    layout_panes(LAYOUT_ALL, &(struct room){ 20, 20, 44, 77 }, areas);
    for (int k = 0; k < PANES; k++)
        assert_int_equal(areas[k].width, 0); /* the window is too small */
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(keys_choose_filters),   cmocka_unit_test(every_filter_is_one),
    cmocka_unit_test(wheel_multiplies),      cmocka_unit_test(camera_moves_with_the_scene_only),
    cmocka_unit_test(other_keys_wish),       cmocka_unit_test(commands_repeat_what_is_seen),
    cmocka_unit_test(panes_fill_the_window),
};

TEST_MAIN(tests)
