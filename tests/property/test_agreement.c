/* Different ways to the same result agree: methods, tiles, chains, banks and the automatic choice.
 *
 * Argument: DEVICE. */
#include "device/device.h"
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <stdio.h>
#include <string.h>

static abbe_device *device;

/* Twice the bound of docs/maths.md for the largest grid here, since both sides are rounded. */
static const double tolerance = 2 * 3e-7 * 4;

static void assert_close(const struct picture *got, const struct picture *expected, double scale,
                         const char *what)
{
    double error = picture_distance(got, expected);
    if (error > tolerance * scale)
        fail_msg("%s: %d x %d x %d: error %g at a scale of %g", what, got->width, got->height, got->channels,
                 error, scale);
}

static const int shapes[][2] = { { 1, 1 },   { 1, 29 },  { 40, 1 }, { 13, 13 },
                                 { 16, 24 }, { 31, 17 }, { 64, 35 } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Whether to try shape or size number `i` of `count` in case `turn`. Slight tests try one each time, and
 * all in turn. */
static bool is_tried(int i, int count, int turn)
{
    return !effort_is_slight() || i == turn % count;
}

/* ---- Methods ------------------------------------------------------------------------------------------ */

static void check_methods(const struct picture *in, abbe_border border, const struct trial_kernel *kernel)
{
    static const abbe_method others[] = { ABBE_METHOD_SEPARABLE, ABBE_METHOD_FFT, ABBE_METHOD_TILES };
    abbe_plan_params params = { .border = border, .border_value = 0.3f, .method = ABBE_METHOD_DIRECT };
    struct picture direct = apply(device, params, kernel->filter, in);
    for (int i = 0; i < 3; i++) {
        if (effort_is_slight() && i == 1 + (int)border % 2) /* either the whole picture or tiles */
            continue;
        params.method = others[i];
        struct picture other = apply(device, params, kernel->filter, in);
        char what[64];
        snprintf(what, sizeof what, "%s against direct, %s", abbe_method_name(others[i]),
                 abbe_border_name(border));
        assert_close(&other, &direct, (picture_norm(in) + 10) * kernel->peak, what);
        picture_free(&other);
    }
    picture_free(&direct);
}

static void methods_agree(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int border = ABBE_BORDER_REFLECT; border <= ABBE_BORDER_WRAP; border++) {
            if (!is_tried(shape, SHAPES, border + 1))
                continue;
            struct random random = { (uint64_t)(shape * 6 + border) };
            struct trial_kernel kernel = trial_kernel_create(
                random_int(&random, 1, 12), random_int(&random, 1, 12), TAPS_SEPARABLE, true, &random);
            struct picture in = apply_noise(shapes[shape][0], shapes[shape][1], 1 + (shape + border) % 4,
                                            random.state, false);
            check_methods(&in, (abbe_border)border, &kernel);
            picture_free(&in);
            trial_kernel_free(&kernel);
        }
}

/* ---- Tiles -------------------------------------------------------------------------------------------- */

/* Compares sample by sample, not in the mean, to find a single wrong line along the edge of a tile. Slight
 * tests transform the whole picture for every third border only. */
static void check_tiles(int tile_width, int tile_height, int channels, abbe_border border)
{
    struct random random = { (uint64_t)(tile_width * 100 + tile_height) };
    struct trial_kernel kernel = trial_kernel_create(6, 5, TAPS_ANY, true, &random);
    struct picture in = apply_noise(61, 47, channels, random.state, true);
    abbe_plan_params params = { .border = border, .border_value = 0.8f, .method = ABBE_METHOD_DIRECT };
    struct picture direct = apply(device, params, kernel.filter, &in);
    params.method = effort_is_slight() && border % 3 ? ABBE_METHOD_DIRECT : ABBE_METHOD_FFT;
    struct picture whole = apply(device, params, kernel.filter, &in);
    params.method = ABBE_METHOD_TILES;
    params.tile_width = tile_width;
    params.tile_height = tile_height;
    struct picture tiles = apply(device, params, kernel.filter, &in);
    if (!apply_near(&tiles, &direct, tolerance * kernel.peak) ||
        !apply_near(&tiles, &whole, tolerance * kernel.peak))
        fail_msg("tiles of %d x %d, %d channels, border %s", tile_width, tile_height, channels,
                 abbe_border_name(border));
    picture_free(&in);
    picture_free(&direct);
    picture_free(&whole);
    picture_free(&tiles);
    trial_kernel_free(&kernel);
}

static void tiles_leave_no_seam(void **state)
{
    (void)state;
    static const int sizes[][2] = { { 1, 1 },   { 2, 40 },  { 7, 5 },   { 16, 16 },
                                    { 23, 11 }, { 60, 46 }, { 61, 47 }, { 0, 0 } };
    for (int size = 0; size < 8; size++)
        for (int border = ABBE_BORDER_REFLECT; border <= ABBE_BORDER_WRAP; border++)
            if (is_tried(size, 8, border))
                check_tiles(sizes[size][0], sizes[size][1], 1 + (size + border) % 4, (abbe_border)border);
}

/* Tiles have at least the requested size; they are larger where the transform, less than twice as long as
 * needed, yields more at the same price. There are many tiles, without which the test above would show
 * nothing. */
static void tiles_are_as_asked(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("box:radius=2");
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = 61,
                                                              .height = 47,
                                                              .channels = 1,
                                                              .source_type = ABBE_F32,
                                                              .result_type = ABBE_F32,
                                                              .filters = (const abbe_filter *[]){ filter },
                                                              .filter_count = 1,
                                                              .method = ABBE_METHOD_TILES,
                                                              .tile_width = 7,
                                                              .tile_height = 5 });
    const abbe_candidate *chosen = abbe_plan_choice(plan);
    assert_int_equal(chosen->method, ABBE_METHOD_TILES);
    assert_in_range(chosen->tile_width, 7, 2 * 11 - 1 - 4);
    assert_in_range(chosen->tile_height, 5, 2 * 9 - 1 - 4);
    assert_true(chosen->fft_width >= chosen->tile_width + 4 && chosen->fft_height >= chosen->tile_height + 4);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

/* ---- Chains ------------------------------------------------------------------------------------------- */

/* With the border WRAP nothing is lost at the edges between two filters, so a chain equals its filters in
 * sequence. */
static void check_chain(const char *first, const char *second, int width, int height, int channels)
{
    char text[128];
    snprintf(text, sizeof text, "%s,%s", first, second);
    abbe_filter *links[] = { apply_filter(first), apply_filter(second) };
    abbe_filter *read = apply_filter(text), *joined = NULL;
    assert_int_equal(abbe_filter_chain((const abbe_filter *const *)links, 2, &joined), ABBE_OK);
    abbe_plan_params params = { .border = ABBE_BORDER_WRAP };
    struct picture in = apply_noise(width, height, channels, 7, false);
    struct picture middle = apply(device, params, links[0], &in);
    struct picture expected = apply(device, params, links[1], &middle);
    struct picture got = apply(device, params, read, &in), also = apply(device, params, joined, &in);
    double scale = picture_norm(&in) * apply_peak(links[0]) * apply_peak(links[1]) + picture_norm(&in);
    assert_close(&got, &expected, scale, text);
    assert_close(&also, &got, 0, text);
    struct picture *pictures[] = { &in, &middle, &expected, &got, &also };
    for (int i = 0; i < 5; i++)
        picture_free(pictures[i]);
    abbe_filter **filters[] = { &links[0], &links[1], &read, &joined };
    for (int i = 0; i < 4; i++)
        abbe_filter_destroy(filters[i]);
}

static void chains_are_sequences(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "gaussian:sigma=1.5", "laplacian" },           { "gaussian:sigma=2", "lowpass:cutoff=0.3" },
        { "lowpass:cutoff=0.5", "highpass:cutoff=0.2" }, { "motion:length=7:angle=30", "emboss" },
        { "streak:angle=40", "box:radius=3" },           { "gaussian:sigma=1", "sobel" },
        { "bandpass:low=0.1:high=0.4", "scharr" },
    };
    for (int pair = 0; pair < (int)(sizeof pairs / sizeof *pairs); pair++)
        for (int shape = 0; shape < SHAPES; shape++)
            if (is_tried(shape, SHAPES, pair))
                check_chain(pairs[pair][0], pairs[pair][1], shapes[shape][0], shapes[shape][1],
                            1 + (pair + shape) % 4);
}

/* ---- Banks -------------------------------------------------------------------------------------------- */

enum { BANK = 4 };

/* In space a bank computes the same sums as each filter alone and gives the same bytes. In the Fourier
 * plane its grid is the one of the widest filter, so results agree within the bound. */
static void check_bank(abbe_method method, const char *const texts[BANK], int width, int height, int channels,
                       abbe_border border)
{
    abbe_filter *filters[BANK];
    for (int i = 0; i < BANK; i++)
        filters[i] = apply_filter(texts[i]);
    struct picture in = apply_noise(width, height, channels, 8, true), results[BANK];
    abbe_plan_params params = { .method = method,
                                .border = border,
                                .filters = (const abbe_filter *const *)filters,
                                .filter_count = BANK };
    apply_bank(device, params, &in, results);
    bool in_space = method == ABBE_METHOD_DIRECT || method == ABBE_METHOD_SEPARABLE;
    int step = effort_is_slight() && !in_space ? 2 : 1; /* slight tests compare every second grid */
    for (int i = (int)border % step; i < BANK; i += step) {
        struct picture single = apply(device, params, filters[i], &in);
        double scale = in_space ? 0 : picture_norm(&in) * (1 + apply_peak(filters[i]));
        char what[96];
        snprintf(what, sizeof what, "%s in a bank, %s, %s", texts[i], abbe_method_name(method),
                 abbe_border_name(border));
        assert_close(&results[i], &single, scale, what);
        picture_free(&single);
    }
    for (int i = 0; i < BANK; i++) {
        picture_free(&results[i]);
        abbe_filter_destroy(&filters[i]);
    }
    picture_free(&in);
}

static void banks_are_singles(void **state)
{
    (void)state;
    static const char *const kernels[BANK] = { "gaussian:sigma=1.2", "sobel", "laplacian", "box:radius=3" };
    static const char *const gains[BANK] = { "sobel", "lowpass:cutoff=0.2", "identity", "highpass,scharr" };
    for (int shape = 0; shape < SHAPES; shape++)
        for (int border = ABBE_BORDER_REFLECT; border <= ABBE_BORDER_WRAP; border++) {
            if (effort_is_slight() && (border % 3 || !is_tried(shape, SHAPES, border + 3)))
                continue;
            int width = shapes[shape][0], height = shapes[shape][1], channels = 1 + (shape + border) % 4;
            for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++)
                check_bank((abbe_method)method, kernels, width, height, channels, (abbe_border)border);
            /* Other borders extend the picture by the largest radius of the bank instead of each filter's. */
            if (border == ABBE_BORDER_REFLECT || border == ABBE_BORDER_MIRROR || border == ABBE_BORDER_WRAP)
                check_bank(ABBE_METHOD_FFT, gains, width, height, channels, (abbe_border)border);
        }
}

/* ---- The automatic choice ----------------------------------------------------------------------------- */

static void check_choice(const char *text, int width, int height, int channels)
{
    abbe_filter *filter = apply_filter(text);
    struct picture in = apply_noise(width, height, channels, 9, true);
    abbe_plan_params params = { .width = width,
                                .height = height,
                                .channels = channels,
                                .source_type = ABBE_F32,
                                .result_type = ABBE_F32,
                                .filters = (const abbe_filter *[]){ filter },
                                .filter_count = 1 };
    abbe_plan *plan = apply_plan(device, &params);
    struct picture automatic = apply(device, params, filter, &in);
    params.method = abbe_plan_choice(plan)->method;
    struct picture asked = apply(device, params, filter, &in);
    assert_close(&automatic, &asked, 0, text);
    size_t count;
    const abbe_candidate *const *candidates = abbe_plan_explain(plan, &count);
    size_t listed[ABBE_METHOD_COUNT] = { 0 };
    for (size_t i = 0; i < count; i++) {
        listed[candidates[i]->method]++;
        assert_non_null(candidates[i]->reason);
        assert_true(candidates[i]->possible ? candidates[i]->seconds >= abbe_plan_choice(plan)->seconds
                                            : candidates[i]->reason[0] != 0);
    }
    for (int method = ABBE_METHOD_DIRECT; method < ABBE_METHOD_COUNT; method++)
        assert_in_range(listed[method], 1, method == ABBE_METHOD_FFT ? 2 : 1);
    picture_free(&in);
    picture_free(&automatic);
    picture_free(&asked);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

static void choice_is_as_told(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "identity", "laplacian", "gaussian:sigma=8",         "disk:radius=20",
        "lowpass",  "sobel",     "motion:length=31:angle=20"
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (is_tried(0, 2, (int)i))
            check_choice(texts[i], 3, 2, 4);
        if (is_tried(1, 2, (int)i))
            check_choice(texts[i], 150, 130, 1 + (int)i % 4);
    }
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 1);
    device->processors = 1; /* with one processor the planner takes the least price */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_agree),      cmocka_unit_test(tiles_leave_no_seam),
        cmocka_unit_test(tiles_are_as_asked), cmocka_unit_test(chains_are_sequences),
        cmocka_unit_test(banks_are_singles),  cmocka_unit_test(choice_is_as_told),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failures;
}
