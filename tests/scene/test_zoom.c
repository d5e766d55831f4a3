/* Zooming: where pictures lie, and that minified pixels are averages of light, against sums over the area. */
#include "event.h"
#include "model.h"
#include "pyramid.h"
#include "support/test.h"
#include "zoom.h"

#include <math.h>
#include <scene.h>
#include <stdlib.h>

/* ---- Places -------------------------------------------------------------------------------------------- */

static void the_whole_picture_fits_at_first(void **state)
{
    (void)state;
    const int sizes[][2] = { { 6000, 4000 }, { 1, 1 }, { 1, 5000 }, { 400, 300 } };
    struct area area = { 8, 44, 400, 300 };
    for (int i = 0; i < 4; i++) {
        struct extent size = { sizes[i][0], sizes[i][1] };
        struct place place = zoom_place(&(struct zoom){ 0 }, &area, size);
        assert_true(place.scale == fmin(400.0 / size.width, 300.0 / size.height));
        assert_true(place.left >= 7 && place.left + place.scale * size.width <= 409);
        assert_true(fabs(place.left + place.scale * size.width / 2 - 208) <= 1);
        assert_true(fabs(place.top + place.scale * size.height / 2 - 194) <= 1);
    }
}

/* The point of the picture under the pointer stays there, except for the rounding to whole pixels. */
static void zooming_keeps_the_point(void **state)
{
    (void)state;
    struct area area = { 8, 44, 400, 300 };
    struct extent size = { 6000, 4000 };
    struct zoom zoom = { 0 };
    double x = 130, y = 180;
    for (int i = 0; i < 12; i++) {
        struct place old = zoom_place(&zoom, &area, size);
        double px = (x - old.left) / old.scale, py = (y - old.top) / old.scale;
        zoom_by(&zoom, &area, size, x, y, 1.3);
        struct place now = zoom_place(&zoom, &area, size);
        assert_true(fabs(now.scale / old.scale - 1.3) < 1e-9);
        assert_true(fabs(now.left + px * now.scale - x) <= 1 && fabs(now.top + py * now.scale - y) <= 1);
    }
    for (int i = 0; i < 100; i++)
        zoom_by(&zoom, &area, size, x, y, 1.3);
    assert_true(zoom_place(&zoom, &area, size).scale == 64);
    for (int i = 0; i < 200; i++)
        zoom_by(&zoom, &area, size, x, y, 1 / 1.3);
    assert_true(zoom_place(&zoom, &area, size).scale == 400.0 / 6000 / 2);
    for (int i = 0; i < 100; i++)
        zoom_pan(&zoom, &area, size, 1000, -1000);
    struct place place = zoom_place(&zoom, &area, size); /* the picture cannot be lost */
    assert_true(place.left <= 209 && place.top + place.scale * 4000 >= 193);
}

static void keys_zoom_to_pixels_and_back(void **state)
{
    (void)state;
    static float values[1];
    struct model model;
    model_begin(&model, &(struct viewer_params){ .picture = { 6000, 4000, 1, values } });
    model_open(&model, 6000, 4000);
    model_event(&model, &(struct event){ .kind = EVENT_SIZE, .width = 1280, .height = 600 });
    double fit = model_place(&model, PANE_RESULT).scale;
    model_event(&model, &(struct event){ .kind = EVENT_POINTER, .x = 100, .y = 300 });
    model_event(&model, &(struct event){ .kind = EVENT_KEY, .key = 'z' });
    assert_true(model_place(&model, PANE_SOURCE).scale == 1 && model_place(&model, PANE_RESULT).scale == 1);
    assert_true(model_place(&model, PANE_SPECTRUM).scale == fit);
    model_event(&model, &(struct event){ .kind = EVENT_KEY, .key = KEY_LEFT });
    model_event(&model, &(struct event){ .kind = EVENT_KEY, .key = 'z' });
    assert_true(model_place(&model, PANE_SOURCE).scale == fit);
    model_event(&model, &(struct event){ .kind = EVENT_SIZE, .width = 200, .height = 150 });
    model_event(&model, &(struct event){ .kind = EVENT_KEY, .key = 'z' });
    model_event(&model, &(struct event){ .kind = EVENT_SIZE, .width = 10, .height = 10 });
    model_event(&model, &(struct event){ .kind = EVENT_KEY, .key = 'z' });
    model_event(&model, &(struct event){ .kind = EVENT_POINTER, .x = 5, .y = 5, .buttons = BUTTON_LEFT });
    model_free(&model);
}

/* ---- Pixels -------------------------------------------------------------------------------------------- */

static double decode(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double encode(double light)
{
    return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
}

static float *noise(int count)
{
    float *values = malloc((size_t)count * sizeof *values);
    srand(3);
    for (int i = 0; i < count; i++)
        values[i] = (float)(rand() % 256) / 255;
    return values;
}

/* The average of light around a point, with weights that form a triangle; squares at large magnifications. */
static double average(const float *values, int width, int height, int channels, int c, double px, double py,
                      double step, enum samples samples)
{
    double sum = 0, area = 0, wide = fmax(step, 1);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double dx = fabs(x + 0.5 - px), dy = fabs(y + 0.5 - py);
            double share = fmax(1 - dx / wide, 0) * fmax(1 - dy / wide, 0);
            if (step <= 0.25)
                share = fmax(fmin(0.5 + step / 2 - dx, step), 0) * fmax(fmin(0.5 + step / 2 - dy, step), 0);
            double value = (double)values[(y * width + x) * channels + c];
            sum += share * (samples == SAMPLES_CODED ? decode(value) : value);
            area += share;
        }
    return sum / area;
}

static void check_rendering(int width, int height, int channels, enum samples samples, double x, double y,
                            double step, bool build)
{
    enum { SIDE = 24 };
    static uint8_t rgba[SIDE * SIDE * 4];
    float *values = noise(width * height * channels);
    struct pyramid pyramid;
    pyramid_begin(&pyramid, samples, width, height, channels, values);
    if (build)
        assert_true(pyramid_build(&pyramid) && pyramid.count > 0);
    assert_true(pyramid_render(&pyramid, &(struct excerpt){ x, y, step, step, SIDE, SIDE }, rgba));
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++)
            for (int c = 0; c < 3; c++) {
                double px = x + (i + 0.5) * step, py = y + (j + 0.5) * step;
                double light = average(values, width, height, channels, channels == 1 ? 0 : c, px, py, step,
                                       samples);
                const uint8_t *at = rgba + 4 * (j * SIDE + i);
                double shown = samples == SAMPLES_CODED   ? encode(light)
                               : samples == SAMPLES_LIGHT ? scene_tone(light)
                                                          : light;
                bool inside = px + step / 2 > 0 && px - step / 2 < width && py + step / 2 > 0 &&
                              py - step / 2 < height;
                if (inside && (!at[3] || fabs(at[c] - 255 * shown) > 0.6))
                    fail_msg("step %g at (%d, %d): %d for %g", step, i, j, at[c], 255 * shown);
                if (!inside)
                    assert_int_equal(at[3], 0);
            }
    pyramid_free(&pyramid);
    free(values);
}

static void pixels_are_averages_of_light(void **state)
{
    (void)state;
    const double steps[] = { 0.1, 0.4, 1, 1.7, 3, 5.3, 17 };
    for (int i = 0; i < 7; i++) {
        check_rendering(40, 30, 3, SAMPLES_CODED, -3, 2, steps[i], false);
        check_rendering(40, 30, 1, SAMPLES_LIGHT, 3.25, -2.5, steps[i], false);
        check_rendering(40, 30, 3, SAMPLES_PLAIN, 3.25, -2.5, steps[i], false);
    }
    /* A smaller copy gives the same where its pixels are those of the screen. */
    check_rendering(272, 64, 1, SAMPLES_CODED, 0, 0, 4, true);
    check_rendering(272, 64, 3, SAMPLES_LIGHT, 16, -8, 4, true);
    check_rendering(1, 5000, 1, SAMPLES_CODED, -2, 0, 0.5, true);
    check_rendering(1, 1, 3, SAMPLES_CODED, 0, 0, 0.04, false);
}

/* Light that rises evenly is the same at every resolution; smaller copies do not move it. */
static void smaller_copies_keep_places(void **state)
{
    (void)state;
    enum { WIDTH = 3000, HEIGHT = 900, OUT = 60 };
    static float values[WIDTH * HEIGHT], rows[OUT * OUT];
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        values[i] = (float)(0.0002 * (i % WIDTH) + 0.0004 * (i / WIDTH));
    struct pyramid pyramid;
    pyramid_begin(&pyramid, SAMPLES_PLAIN, WIDTH, HEIGHT, 1, values);
    assert_true(pyramid_build(&pyramid));
    for (double step = 1.1; step < 14; step *= 1.37) {
        struct excerpt excerpt = { 40, 20, step, step, OUT, OUT };
        assert_true(pyramid_average(&pyramid, &excerpt, rows));
        for (int j = 2; j < OUT - 2; j++)
            for (int i = 2; i < OUT - 2; i++) {
                double x = 40 + (i + 0.5) * step - 0.5, y = 20 + (j + 0.5) * step - 0.5;
                double error = fabs((double)rows[j * OUT + i] - (0.0002 * x + 0.0004 * y));
                if (error > 0.0006 * 0.25 * step)
                    fail_msg("step %g at (%d, %d): off by %g pixels", step, i, j, error / 0.0006);
            }
    }
    pyramid_free(&pyramid);
}

static double contrast(const float *values, int count)
{
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        low = fminf(low, values[i]);
        high = fmaxf(high, values[i]);
    }
    return (double)(high - low) / 2;
}

/* Waves that the screen cannot show, of a period below 1.25 of its pixels, leave at most an eighth of their
 * contrast, at every reduction and with smaller copies. */
static void fine_waves_vanish(void **state)
{
    (void)state;
    enum { WIDTH = 4096, HEIGHT = 64 };
    static float values[WIDTH * HEIGHT], row[WIDTH];
    for (double period = 2.5; period < 40; period *= 1.07) {
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            values[i] = (float)cos(2 * M_PI * (i % WIDTH) / period);
        struct pyramid pyramid;
        pyramid_begin(&pyramid, SAMPLES_PLAIN, WIDTH, HEIGHT, 1, values);
        assert_true(pyramid_build(&pyramid));
        for (double step = period / 1.25; step < 4 * period; step *= 1.31) {
            struct excerpt excerpt = { 64, 30, step, 1, (int)((WIDTH - 128) / step), 1 };
            excerpt.step_y = step;
            assert_true(pyramid_average(&pyramid, &excerpt, row));
            if (contrast(row, excerpt.width) > 0.125)
                fail_msg("period %g, step %g: contrast %g", period, step, contrast(row, excerpt.width));
        }
        pyramid_free(&pyramid);
    }
}

/* A screen of single black and white pixels becomes the grey of half the light. */
static void fine_patterns_become_grey(void **state)
{
    (void)state;
    enum { SIDE = 1000, OUT = 71 };
    static float values[SIDE * SIDE];
    static uint8_t rgba[OUT * OUT * 4];
    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = (float)((i % SIDE + i / SIDE) % 2);
    struct pyramid pyramid;
    pyramid_begin(&pyramid, SAMPLES_CODED, SIDE, SIDE, 1, values);
    for (int built = 0; built < 2; built++) {
        double step = (double)SIDE / OUT;
        assert_true(pyramid_render(&pyramid, &(struct excerpt){ 0, 0, step, step, OUT, OUT }, rgba));
        for (int i = 0; i < OUT * OUT; i++)
            assert_true(abs(rgba[4 * i] - 188) <= 1); /* encode(0.5) · 255 = 187.5 */
        assert_true(pyramid_build(&pyramid));
    }
    pyramid_free(&pyramid);
}

static int begin_tables(void **state)
{
    (void)state;
    curve_begin();
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_whole_picture_fits_at_first),
    cmocka_unit_test(zooming_keeps_the_point),
    cmocka_unit_test(keys_zoom_to_pixels_and_back),
    cmocka_unit_test_setup(pixels_are_averages_of_light, begin_tables),
    cmocka_unit_test(smaller_copies_keep_places),
    cmocka_unit_test(fine_waves_vanish),
    cmocka_unit_test_setup(fine_patterns_become_grey, begin_tables),
};

TEST_MAIN(tests)
