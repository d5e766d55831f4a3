/* Previews of large pictures, against waves whose filtered form is known. With the argument `time`, prints how
 * long a preview and the whole take at 24 megapixels. */
#include "preview.h"
#include "reduce.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Reduced filters ----------------------------------------------------------------------------------- */

/* A frequency of the reduced picture is a lower one of the whole. Transfer functions agree exactly; taps that
 * are gathered lie a little apart from their places, so gains fall as those of linear interpolation do. */
static void check_reduced(const char *text, double step_x, double step_y, double tolerance)
{
    abbe_filter *full = NULL, *reduced = NULL;
    struct excerpt excerpt = { 0, 0, step_x, step_y, 50, 50 };
    assert_int_equal(abbe_filter_parse(text, NULL, &full), ABBE_OK);
    for (int component = 0; component < abbe_filter_describe(full)->components; component++) {
        assert_int_equal(reduce_filter(full, component, &excerpt, &reduced), ABBE_OK);
        for (int v = -6; v <= 6; v++)
            for (int u = -6; u <= 6; u++) {
                double fx = u / 50.0, fy = v / 50.0, small[2], large[2];
                abbe_filter_gain(reduced, 0, fx, fy, small);
                abbe_filter_gain(full, component, fx / step_x, fy / step_y, large);
                if (hypot(small[0] - large[0], small[1] - large[1]) > tolerance)
                    fail_msg("%s at (%g, %g): %g %g for %g %g", text, fx, fy, small[0], small[1], large[0],
                             large[1]);
            }
        abbe_filter_destroy(&reduced);
    }
    abbe_filter_destroy(&full);
}

static void filters_are_reduced(void **state)
{
    (void)state;
    check_reduced("identity", 7, 3, 1e-6);
    check_reduced("lowpass:cutoff=0.05", 8, 5.5, 1e-9);
    check_reduced("streak:width=20:angle=20", 3, 3, 1e-9);
    check_reduced("gaussian:sigma=20", 5, 5, 0.02);
    check_reduced("disk:radius=30", 5, 5, 0.02);
    check_reduced("motion:length=60:angle=30", 6, 6, 0.07);
    check_reduced("unsharp:sigma=20:amount=1.5", 5, 5, 0.05);
    check_reduced("sobel", 1, 1, 1e-6);
    abbe_filter *mixed = NULL, *reduced = NULL;
    assert_int_equal(abbe_filter_parse("box:radius=9,lowpass", NULL, &mixed), ABBE_OK);
    assert_int_equal(reduce_filter(mixed, 0, &(struct excerpt){ 0, 0, 4, 4, 50, 50 }, &reduced),
                     ABBE_ERR_UNSUPPORTED);
    abbe_filter_destroy(&mixed);
}

/* ---- Excerpts ------------------------------------------------------------------------------------------ */

static void check_excerpt(struct extent size, const struct area *area, struct place place, double pixels)
{
    struct excerpt e;
    preview_choose(&place, area, size, pixels, &e);
    double left = fmax((area->x - place.left) / place.scale, 0);
    double right = fmin((area->x + area->width - place.left) / place.scale, size.width);
    double top = fmax((area->y - place.top) / place.scale, 0);
    double bottom = fmin((area->y + area->height - place.top) / place.scale, size.height);
    bool covers = e.x <= left && e.x + e.width * e.step_x >= right - 1e-6 && e.y <= top &&
                  e.y + e.height * e.step_y >= bottom - 1e-6;
    bool within = e.x >= 0 && e.x + e.width * e.step_x <= size.width + 1e-6 && e.y >= 0 &&
                  e.y + e.height * e.step_y <= size.height + 1e-6 && e.width >= 1 && e.height >= 1;
    if (right > left && bottom > top && !covers)
        fail_msg("scale %g: %g + %d x %g, %g + %d x %g does not cover %g ... %g, %g ... %g", place.scale, e.x,
                 e.width, e.step_x, e.y, e.height, e.step_y, left, right, top, bottom);
    assert_true(within && e.step_x >= 1 && e.step_y >= 1);
    assert_true((double)e.width * e.height <= 1.2 * pixels + 2000);
}

static void excerpts_cover_what_is_visible(void **state)
{
    (void)state;
    const int sizes[][2] = { { 6000, 4000 }, { 1, 300000 }, { 263000, 1 }, { 4096, 4096 }, { 517, 519 } };
    const int windows[][2] = { { 416, 480 }, { 1900, 1000 }, { 10, 300 }, { 1, 1 } };
    for (int s = 0; s < 5; s++)
        for (int w = 0; w < 4; w++)
            for (int k = 0; k < 40; k++) {
                struct extent size = { sizes[s][0], sizes[s][1] };
                struct area area = { 8, 44, windows[w][0], windows[w][1] };
                struct zoom zoom = { 0 };
                for (int i = 0; i < k; i++)
                    zoom_by(&zoom, &area, size, 8 + i % area.width, 44 + 3 * i % area.height, 1.2);
                check_excerpt(size, &area, zoom_place(&zoom, &area, size), PREVIEW_PIXELS);
                check_excerpt(size, &area, zoom_place(&zoom, &area, size), PREVIEW_PIXELS_LEAST);
            }
}

/* On a machine for which a pixel takes `cost` seconds, previews come to take 50 ms at most, or are as coarse as
 * they may be; a single slow one is forgotten. */
static void slow_previews_become_coarser(void **state)
{
    (void)state;
    for (double cost = 1e-9; cost < 1e-4; cost *= 2) {
        struct preview preview = { .pixels = PREVIEW_PIXELS };
        for (int i = 0; i < 60; i++)
            preview_adapt(&preview, i == 10 ? 10 : cost * preview.pixels);
        assert_true(preview.pixels >= PREVIEW_PIXELS_LEAST && preview.pixels <= PREVIEW_PIXELS);
        assert_true(cost * preview.pixels <= 0.05 || preview.pixels == PREVIEW_PIXELS_LEAST);
        assert_true(cost * preview.pixels >= 0.015 || preview.pixels == PREVIEW_PIXELS);
    }
}

/* ---- Filtered excerpts --------------------------------------------------------------------------------- */

enum { WIDTH = 1536, HEIGHT = 1024 };

struct wave {
    double u, v, amplitude;
};

static const struct wave waves[] = { { 8, 5, 0.2 }, { 30, 0, 0.15 }, { -10, 17, 0.1 } };

static double waves_at(double x, double y, unsigned chosen)
{
    double sum = 0.5;
    for (unsigned i = 0; i < 3; i++)
        if (chosen >> i & 1)
            sum += waves[i].amplitude * cos(2 * M_PI * (waves[i].u * x / WIDTH + waves[i].v * y / HEIGHT));
    return sum;
}

static float *make_waves(int width, int height)
{
    float *values = malloc((size_t)width * (size_t)height * sizeof *values);
    assert_non_null(values);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            values[(size_t)y * (size_t)width + (size_t)x] = (float)waves_at(x, y, 7);
    return values;
}

static struct recipe begin_recipe(const char *text)
{
    struct recipe recipe = { .border = ABBE_BORDER_WRAP };
    snprintf(recipe.text, sizeof recipe.text, "%s", text);
    strokes_begin(&recipe.strokes, WIDTH, HEIGHT);
    return recipe;
}

/* Painting over two waves leaves the third, at every zoom that shows the whole picture. */
static void painted_waves_are_removed(void **state)
{
    (void)state;
    float *values = make_waves(WIDTH, HEIGHT);
    struct preview preview;
    assert_true(preview_begin(&preview, 1) && preview_take(&preview, WIDTH, HEIGHT, 1, values));
    struct recipe recipe = begin_recipe("identity");
    for (int i = 0; i < 2; i++) {
        struct stroke stroke = { .tool = TOOL_BRUSH, .radius = 2.5 };
        strokes_press(&recipe.strokes, &stroke, (struct point){ waves[i].u, waves[i].v });
    }
    recipe.masks = true;
    for (int k = 0; k < 2; k++) {
        struct area area = { 0, 0, k ? 640 : 300, k ? 500 : 200 };
        struct place place = zoom_place(&(struct zoom){ 0 }, &area, (struct extent){ WIDTH, HEIGHT });
        assert_int_equal(preview_filter(&preview, &recipe, &place, &area), ABBE_OK);
        const struct excerpt *e = &preview.excerpt;
        /* At the edges of the picture pixels are averages of one side only. */
        for (int y = 2; y < e->height - 2; y++)
            for (int x = 2; x < e->width - 2; x++) {
                double px = (x + 0.5) * e->step_x - 0.5, py = (y + 0.5) * e->step_y - 0.5;
                double error = fabs((double)preview.results[y * e->width + x] - waves_at(px, py, 4));
                if (error > 0.008)
                    fail_msg("%d x %d: %g at (%d, %d)", e->width, e->height, error, x, y);
            }
    }
    strokes_free(&recipe.strokes);
    preview_free(&preview);
    free(values);
}

/* A gradient magnitude has two components; of slow waves it is the slope, times 8 for the weights. */
static void magnitudes_have_both_components(void **state)
{
    (void)state;
    float *values = make_waves(WIDTH, HEIGHT);
    struct preview preview;
    abbe_filter *sobel = NULL;
    double gain[2];
    assert_true(preview_begin(&preview, 1) && preview_take(&preview, WIDTH, HEIGHT, 1, values));
    assert_int_equal(abbe_filter_parse("sobel", NULL, &sobel), ABBE_OK);
    abbe_filter_gain(sobel, 0, 0.001, 0, gain);
    double slope = hypot(gain[0], gain[1]) / (2 * M_PI * 0.001); /* the gain for a slope of 1 */
    struct recipe recipe = begin_recipe("sobel");
    struct area area = { 0, 0, 600, 600 };
    struct place place = { 1, -400, -200 };
    assert_int_equal(preview_filter(&preview, &recipe, &place, &area), ABBE_OK);
    const struct excerpt *e = &preview.excerpt;
    for (int y = 40; y < e->height - 40; y += 7)
        for (int x = 40; x < e->width - 40; x += 7) {
            double px = e->x + (x + 0.5) * e->step_x - 0.5, py = e->y + (y + 0.5) * e->step_y - 0.5;
            double dx = (waves_at(px + 1, py, 7) - waves_at(px - 1, py, 7)) / 2;
            double dy = (waves_at(px, py + 1, 7) - waves_at(px, py - 1, 7)) / 2;
            double error = (double)preview.results[y * e->width + x] - slope * hypot(dx, dy);
            assert_true(fabs(error) < 0.02 * slope * 0.05);
        }
    abbe_filter_destroy(&sobel);
    preview_free(&preview);
    free(values);
}

/* ---- Time ---------------------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Paints a stroke, point by point; each point is a preview. */
static void time_stroke(struct preview *preview, enum tool tool, const char *filter, const char *name,
                        const struct area *area, double scale)
{
    enum { POINTS = 25 };
    double times[POINTS];
    struct extent size = { preview->source.width, preview->source.height };
    struct zoom zoom = { scale > 0, scale, size.width / 2.0, size.height / 2.0 };
    struct place place = zoom_place(&zoom, area, size);
    struct recipe recipe = { .masks = true };
    snprintf(recipe.text, sizeof recipe.text, "%s", filter);
    strokes_begin(&recipe.strokes, size.width, size.height);
    for (int i = 0; i < POINTS; i++) {
        struct point at = { 600 + 10 * i, 300 + 4 * i };
        double start = seconds();
        if (i == 0)
            strokes_press(&recipe.strokes, &(struct stroke){ .tool = tool, .radius = 150, .softness = 0.5 },
                          at);
        else
            strokes_drag(&recipe.strokes, at);
        if (preview_filter(preview, &recipe, &place, area))
            printf("failed: %s\n", abbe_last_error());
        times[i] = 1e3 * (seconds() - start);
    }
    double first = times[0];
    qsort(times, POINTS, sizeof *times, compare_times);
    static const char *const tools[] = { "brush", "line", "ring", "wedge" };
    printf("%-4s %4d x %-4d pane  %-5s  %-20s  first %6.1f  median %6.1f  worst %6.1f ms\n", name,
           area->width, area->height, tools[tool], filter, first, times[POINTS / 2], times[POINTS - 1]);
    strokes_free(&recipe.strokes);
}

static int print_times(void)
{
    const int width = 6000, height = 4000;
    size_t samples = (size_t)width * (size_t)height * 3;
    float *values = malloc(samples * sizeof *values);
    struct preview preview;
    if (!values || !preview_begin(&preview, 0))
        return 1;
    for (size_t i = 0; i < samples; i++)
        values[i] = (float)(i * 7919 % 251) / 251;
    double start = seconds();
    if (!preview_take(&preview, width, height, 3, values))
        return 1;
    printf("%d x %d RGB, reduced copies %.0f ms; times of previews while a stroke is painted:\n", width,
           height, 1e3 * (seconds() - start));
    const struct area panes[] = { { 8, 44, 416, 479 }, { 8, 44, 624, 600 }, { 8, 44, 1264, 479 } };
    for (int i = 0; i < 3; i++) {
        time_stroke(&preview, TOOL_BRUSH, "identity", "fit", &panes[i], 0);
        time_stroke(&preview, TOOL_RING, "identity", "fit", &panes[i], 0);
        time_stroke(&preview, TOOL_WEDGE, "identity", "fit", &panes[i], 0);
        time_stroke(&preview, TOOL_BRUSH, "gaussian:sigma=4", "fit", &panes[i], 0);
        time_stroke(&preview, TOOL_BRUSH, "highpass:cutoff=0.05", "fit", &panes[i], 0);
        time_stroke(&preview, TOOL_BRUSH, "identity", "1:1", &panes[i], 1);
        time_stroke(&preview, TOOL_WEDGE, "identity", "1:1", &panes[i], 1);
        time_stroke(&preview, TOOL_BRUSH, "highpass:cutoff=0.05", "1:1", &panes[i], 1);
    }
    preview_free(&preview);
    free(values);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(filters_are_reduced),
    cmocka_unit_test(excerpts_cover_what_is_visible),
    cmocka_unit_test(slow_previews_become_coarser),
    cmocka_unit_test(painted_waves_are_removed),
    cmocka_unit_test(magnitudes_have_both_components),
};

int main(int argc, char **argv)
{
    curve_begin();
    if (argc > 1 && !strcmp(argv[1], "time"))
        return print_times();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
