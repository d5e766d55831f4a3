/* Transform lengths and tiles: at every level the planner finds what an exhaustive search finds. */
#include "fft/size.h"
#include "plan/plan.h"
#include "support/apply.h"
#include "support/test.h"

#include <abbe/measure.h>

#include <math.h>
#include <string.h>

static abbe_device *device;
static const char *level;

/* A plan whose work is used to price other geometries. */
static abbe_plan *plan_of(const abbe_filter *filter, int width, int height, int channels, abbe_border border,
                          abbe_method method)
{
    bool bytes = channels > 1;
    return apply_plan(device, &(abbe_plan_params){ .width = width,
                                                   .height = height,
                                                   .channels = channels,
                                                   .source_type = bytes ? ABBE_U8 : ABBE_F32,
                                                   .result_type = bytes ? ABBE_U8 : ABBE_F32,
                                                   .filters = (const abbe_filter *const[]){ filter },
                                                   .filter_count = 1,
                                                   .border = border,
                                                   .method = method });
}

static double units_of(const abbe_plan *plan, abbe_method method, const char *name)
{
    size_t count;
    const abbe_charge *charges = abbe_plan_charges(plan, method, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(charges[i].name, name))
            return charges[i].units;
    fail_msg("there is no charge '%s'", name);
    return 0;
}

static bool is_smooth(int n)
{
    int radices[FFT_FACTORS_MAX];
    return fft_factor(n, radices) >= 0;
}

/* ---- The whole picture -------------------------------------------------------------------------------- */

static void transfer_functions_keep_the_exact_length(void **state)
{
    (void)state;
    static const int sides[] = { 1, 2, 7, 16, 31, 97, 100, 128, 251 };
    abbe_filter *filter = apply_filter("lowpass");
    for (int i = 0; i < 9; i++) {
        int n = sides[i], other = sides[8 - i];
        const int expected[][3] = { { ABBE_BORDER_WRAP, n, other },
                                    { ABBE_BORDER_REFLECT, 2 * n, 2 * other },
                                    { ABBE_BORDER_MIRROR, n == 1 ? 1 : 2 * n - 2,
                                      other == 1 ? 1 : 2 * other - 2 } };
        for (int border = 0; border < 3; border++) {
            abbe_plan *plan = plan_of(filter, n, other, 1, (abbe_border)expected[border][0],
                                      ABBE_METHOD_AUTO);
            const abbe_candidate *chosen = abbe_plan_choice(plan);
            /* Even transforms take the place of twice the length. */
            bool even = chosen->even && expected[border][0] == ABBE_BORDER_REFLECT;
            assert_int_equal(chosen->even, even);
            assert_int_equal(chosen->fft_width, even ? n : expected[border][1]);
            assert_int_equal(chosen->fft_height, even ? other : expected[border][2]);
            abbe_plan_destroy(&plan);
        }
    }
    abbe_filter_destroy(&filter);
}

/* The lowest price of any length of one axis that holds the picture and its border. */
static double least_price(const abbe_plan *plan, bool across, int need)
{
    double least = INFINITY;
    for (int length = need; length < 2 * need; length++) {
        struct axis x = plan->work.x, y = plan->work.y, *axis = across ? &x : &y;
        if (!is_smooth(length))
            continue;
        axis->length = length;
        axis->before = across ? plan->work.left : plan->work.above;
        least = fmin(least, plan_rank(plan, ABBE_METHOD_FFT, &x, &y));
    }
    return least;
}

static void no_other_length_is_cheaper(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("disk:radius=6");
    for (int side = 20; side <= 1100; side += side / 3)
        for (int channels = 1; channels <= 4; channels += 3) {
            abbe_plan *plan = plan_of(filter, side, side + 9, channels, ABBE_BORDER_CLAMP, ABBE_METHOD_FFT);
            const struct work *work = &plan->work;
            double price = plan_rank(plan, ABBE_METHOD_FFT, &work->x, &work->y);
            double by_x = least_price(plan, true, side + work->left + work->right);
            double by_y = least_price(plan, false, side + 9 + work->above + work->below);
            /* Columns are chosen first, for a row length that may change afterwards. */
            if (price > by_x * (1 + 1e-9) || price > by_y * 1.05)
                fail_msg("%s, %d x %d x %d: %d x %d samples for %g; another width %g, another height %g",
                         level, side, side + 9, channels, work->x.length, work->y.length, price, by_x, by_y);
            abbe_plan_destroy(&plan);
        }
    abbe_filter_destroy(&filter);
}

/* A row length that suits every kernel is kept. Beyond the second cache, a longer row with vectors half as
 * wide was once priced below 1920 and took a fifth longer. */
static void good_rows_keep_their_length(void **state)
{
    (void)state;
    static const int sizes[][2] = { { 256, 256 },   { 1024, 1024 }, { 1920, 1080 },
                                    { 1920, 1920 }, { 2048, 2048 }, { 3840, 2160 } };
    abbe_filter *filter = apply_filter("disk:radius=5");
    for (int i = 0; i < 6; i++) {
        abbe_plan *plan = plan_of(filter, sizes[i][0], sizes[i][1], 1, ABBE_BORDER_WRAP, ABBE_METHOD_FFT);
        const abbe_candidate *chosen = abbe_plan_choice(plan);
        if (chosen->fft_width != sizes[i][0])
            fail_msg("%s, %d x %d: transforms of %d x %d", level, sizes[i][0], sizes[i][1], chosen->fft_width,
                     chosen->fft_height);
        abbe_plan_destroy(&plan);
    }
    abbe_filter_destroy(&filter);
}

/* The plain engine is never used where a slightly longer transform avoids it. */
static void lengths_have_vector_kernels(void **state)
{
    (void)state;
    bool plain = !strcmp(level, "cpu:plain");
    abbe_filter *filter = apply_filter("disk:radius=4");
    for (int side = 40; side <= 270; side += 7)
        for (int method = ABBE_METHOD_FFT; method <= ABBE_METHOD_TILES; method++) {
            abbe_plan *plan = plan_of(filter, side, 310 - side, 1 + side % 4, ABBE_BORDER_WRAP,
                                      (abbe_method)method);
            const abbe_candidate *chosen = abbe_plan_choice(plan);
            double plainly = units_of(plan, chosen->method, "plain_flop"),
                   by_vectors = units_of(plan, chosen->method, "column_flop");
            if (plain ? by_vectors > 0 || plainly <= 0 : by_vectors <= 0 || plainly > 0)
                fail_msg("%s, %d x %d, %s: transforms of %d x %d", level, side, 310 - side,
                         abbe_method_name((abbe_method)method), chosen->fft_width, chosen->fft_height);
            abbe_plan_destroy(&plan);
        }
    abbe_filter_destroy(&filter);
}

/* ---- Tiles -------------------------------------------------------------------------------------------- */

static double least_tiles(const abbe_plan *plan, int limit)
{
    const struct work *work = &plan->work;
    const struct reach across = { work->left, work->right, false },
                       down = { work->above, work->below, false };
    double least = INFINITY;
    for (int width = 16; width <= limit; width += 8)
        for (int height = 16; height <= limit && is_smooth(width); height += 8) {
            struct axis x, y;
            if (is_smooth(height) && grid_tile(work->width, width, &across, &x) &&
                grid_tile(work->height, height, &down, &y))
                least = fmin(least, plan_rank(plan, ABBE_METHOD_TILES, &x, &y));
        }
    return least;
}

static void tiles_are_near_the_best(void **state)
{
    (void)state;
    static const char *const filters[] = { "disk:radius=2", "disk:radius=12", "motion:length=60",
                                           "disk:radius=60" };
    static const int sizes[][2] = { { 500, 500 }, { 1920, 1080 }, { 90, 4000 }, { 4096, 4096 } };
    for (int f = 0; f < 4; f++)
        for (int s = 0; s < 4; s++) {
            abbe_filter *filter = apply_filter(filters[f]);
            abbe_plan *plan = plan_of(filter, sizes[s][0], sizes[s][1], s % 2 ? 4 : 1, ABBE_BORDER_REFLECT,
                                      ABBE_METHOD_TILES);
            const struct work *work = &plan->work;
            double price = plan_rank(plan, ABBE_METHOD_TILES, &work->x, &work->y);
            double least = least_tiles(plan, 640);
            if (price > 1.04 * least)
                fail_msg("%s, %s on %d x %d: tiles by %d x %d samples for %g, others for %g", level,
                         filters[f], sizes[s][0], sizes[s][1], work->x.length, work->y.length, price, least);
            abbe_plan_destroy(&plan);
            abbe_filter_destroy(&filter);
        }
}

/* ---- Charges ------------------------------------------------------------------------------------------ */

static void charges_add_up(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("gaussian:sigma=3");
    abbe_plan *plan = plan_of(filter, 200, 150, 3, ABBE_BORDER_REFLECT, ABBE_METHOD_AUTO);
    size_t count;
    const abbe_candidate *const *candidates = abbe_plan_explain(plan, &count);
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        size_t terms;
        if (i > 0 && candidates[i]->method == candidates[i - 1]->method)
            continue; /* even transforms, or what they compete with: charges are those of the cheaper */
        const abbe_charge *charges = abbe_plan_charges(plan, candidates[i]->method, &terms);
        for (size_t j = 0; j < terms; j++) {
            const abbe_charge *charge = &charges[j];
            assert_true(charge->name && charge->units >= 0 && charge->seconds > 0);
            sum += charge->units * charge->seconds;
        }
        assert_true(candidates[i]->possible && fabs(sum - candidates[i]->seconds) <= 1e-12 * sum);
        assert_true(units_of(plan, candidates[i]->method, "run") == 1);
    }
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

int main(void)
{
    static const char *const levels[] = { "cpu:plain", "cpu:baseline", "cpu:avx2", "cpu:avx512", "cpu:neon" };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfer_functions_keep_the_exact_length),
        cmocka_unit_test(no_other_length_is_cheaper),
        cmocka_unit_test(good_rows_keep_their_length),
        cmocka_unit_test(lengths_have_vector_kernels),
        cmocka_unit_test(tiles_are_near_the_best),
        cmocka_unit_test(charges_add_up),
    };
    int failures = 0;
    for (int i = 0; i < 5; i++)
        for (int threads = 1; threads <= 4; threads += 3) {
            level = levels[i];
            if (abbe_device_open(level, &(abbe_device_params){ .threads = threads }, &device))
                continue;
            device->processors = threads;
            failures += cmocka_run_group_tests(tests, NULL, NULL);
            abbe_device_close(&device);
        }
    return failures;
}
