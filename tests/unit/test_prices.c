/* Choices of the planner with the CPU's built-in prices that must hold whatever a calibration measures. */
#include "cpu/space/space.h"
#include "plan/plan.h"
#include "support/apply.h"
#include "support/test.h"

#include <abbe/measure.h>

#include <math.h>
#include <string.h>

static abbe_device *device;

static abbe_plan *plan_for(const abbe_filter *const *filters, size_t count, int side)
{
    return apply_plan(device, &(abbe_plan_params){
                                  .width = side,
                                  .height = side,
                                  .channels = 1,
                                  .source_type = ABBE_F32,
                                  .result_type = ABBE_F32,
                                  .filters = filters,
                                  .filter_count = count,
                              });
}

/* Random taps, which are not a sum of a few separable terms unless the kernel is tiny. */
static abbe_filter *dense_filter(int side)
{
    struct random random = { (uint64_t)side };
    abbe_matrix taps;
    assert_int_equal(abbe_matrix_create(side, side, &taps), ABBE_OK);
    for (int i = 0; i < side * side; i++)
        taps.values[i] = 0.1 + random_unit(&random);
    abbe_filter *filter = apply_kernel(&taps, NULL);
    abbe_matrix_free(&taps);
    return filter;
}

/* The price of a method; infinite when it is not possible. */
static double price(const abbe_plan *plan, abbe_method method)
{
    size_t count;
    const abbe_candidate *const *candidates = abbe_plan_explain(plan, &count);
    for (size_t i = 0; i < count; i++)
        if (candidates[i]->method == method && candidates[i]->possible)
            return candidates[i]->seconds;
    return INFINITY;
}

/* Checks what holds for any prices: the price of a possible candidate is a positive number of seconds, and
 * the chosen one is the lowest, or close to it where the choice must also serve one thread. */
static void check_table(const abbe_plan *plan, const char *what, int side)
{
    size_t count;
    const abbe_candidate *const *candidates = abbe_plan_explain(plan, &count),
                                *chosen = abbe_plan_choice(plan);
    double margin = device->threads > 1 ? 2 : 1;
    for (size_t i = 0; i < count; i++) {
        const abbe_candidate *one = candidates[i];
        bool sound = one->possible ? isfinite(one->seconds) && one->seconds * margin >= chosen->seconds &&
                                         one->seconds > 0
                                   : one->seconds == 0 && !one->chosen;
        if (!sound)
            fail_msg("%s on %d x %d: %s for %g seconds beside %s for %g", what, side, side,
                     abbe_method_name(one->method), one->seconds, abbe_method_name(chosen->method),
                     chosen->seconds);
    }
}

enum road { IN_SPACE, IN_FOURIER_PLANE };

/* Plans the filter, destroys it, and compares the choice with the method that is clearly faster. */
static void check_road(const char *what, abbe_filter *filter, int side, enum road expected)
{
    abbe_plan *plan = plan_for((const abbe_filter *const[]){ filter }, 1, side);
    abbe_method method = abbe_plan_choice(plan)->method;
    bool in_fourier_plane = method == ABBE_METHOD_FFT || method == ABBE_METHOD_TILES;
    check_table(plan, what, side);
    if (in_fourier_plane != (expected == IN_FOURIER_PLANE))
        fail_msg("%s on %d x %d: %s was chosen", what, side, side, abbe_method_name(method));
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

static void small_kernels_stay_in_space(void **state)
{
    (void)state;
    for (int side = 64; side <= 2048; side *= 2) {
        check_road("identity", apply_filter("identity"), side, IN_SPACE);
        check_road("3 x 3 taps", dense_filter(3), side, IN_SPACE);
        check_road("sobel", apply_filter("sobel"), side, IN_SPACE);
        check_road("gaussian:sigma=1", apply_filter("gaussian:sigma=1"), side, IN_SPACE);
    }
}

static void large_kernels_take_the_fourier_plane(void **state)
{
    (void)state;
    check_road("129 x 129 taps", dense_filter(129), 512, IN_FOURIER_PLANE);
    check_road("45 x 45 taps", dense_filter(45), 1024, IN_FOURIER_PLANE);
    check_road("disk:radius=40", apply_filter("disk:radius=40"), 512, IN_FOURIER_PLANE);
    check_road("gaussian:sigma=50", apply_filter("gaussian:sigma=50"), 1024, IN_FOURIER_PLANE);
    check_road("lowpass", apply_filter("lowpass"), 256, IN_FOURIER_PLANE);
}

/* Rows and columns of 51 + 51 taps cannot cost more than 51 · 51 taps. */
static void separable_beats_direct(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("box:radius=25");
    abbe_plan *plan = plan_for((const abbe_filter *const[]){ filter }, 1, 512);
    assert_true(price(plan, ABBE_METHOD_SEPARABLE) < price(plan, ABBE_METHOD_DIRECT));
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

/* A small kernel does not need a transform of sixteen million samples. */
static void tiles_beat_the_whole_of_a_large_picture(void **state)
{
    (void)state;
    abbe_filter *filter = dense_filter(9);
    abbe_plan *plan = plan_for((const abbe_filter *const[]){ filter }, 1, 4096);
    assert_true(price(plan, ABBE_METHOD_TILES) < price(plan, ABBE_METHOD_FFT));
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

static void taps_and_pixels_cost(void **state)
{
    (void)state;
    double before = 0;
    for (int side = 1; side <= 41; side += 4) {
        abbe_filter *filter = dense_filter(side);
        abbe_plan *plan = plan_for((const abbe_filter *const[]){ filter }, 1, 300);
        abbe_plan *larger = plan_for((const abbe_filter *const[]){ filter }, 1, 600);
        double now = price(plan, ABBE_METHOD_DIRECT);
        if (!(now > before))
            fail_msg("direct: %g seconds for %d x %d taps, %g for fewer", now, side, side, before);
        for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++)
            if (isfinite(price(plan, (abbe_method)method)) &&
                price(plan, (abbe_method)method) >= price(larger, (abbe_method)method))
                fail_msg("%s: four times the pixels are not dearer", abbe_method_name((abbe_method)method));
        before = now;
        abbe_plan_destroy(&larger);
        abbe_plan_destroy(&plan);
        abbe_filter_destroy(&filter);
    }
}

/* A bank of four shares one forward transform: it costs more than one filter and less than four. */
static void banks_share_the_forward_transform(void **state)
{
    (void)state;
    abbe_filter *filter = dense_filter(31);
    const abbe_filter *const bank[] = { filter, filter, filter, filter };
    abbe_plan *one = plan_for(bank, 1, 500), *four = plan_for(bank, 4, 500);
    for (int method = ABBE_METHOD_FFT; method <= ABBE_METHOD_TILES; method++) {
        double single = price(one, (abbe_method)method), all = price(four, (abbe_method)method);
        if (!(all > single && all < 4 * single))
            fail_msg("%s: one filter %g, four %g", abbe_method_name((abbe_method)method), single, all);
    }
    abbe_plan_destroy(&four);
    abbe_plan_destroy(&one);
    abbe_filter_destroy(&filter);
}

/* The choice must not depend on the number of threads, because results must not. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int side = 3; side <= 65; side += 2 + side / 3) {
        abbe_filter *filter = dense_filter(side);
        abbe_device *other = test_open_device(0, NULL, 3 * device->threads);
        abbe_device *own = device;
        other->processors = own->processors;
        abbe_plan *plan = plan_for((const abbe_filter *const[]){ filter }, 1, 400);
        device = other;
        abbe_plan *same = plan_for((const abbe_filter *const[]){ filter }, 1, 400);
        device = own;
        const abbe_candidate *a = abbe_plan_choice(plan), *b = abbe_plan_choice(same);
        if (a->method != b->method || a->fft_width != b->fft_width || a->fft_height != b->fft_height)
            fail_msg("%d x %d taps: %s %d x %d on %d threads, %s %d x %d on %d", side, side,
                     abbe_method_name(a->method), a->fft_width, a->fft_height, own->threads,
                     abbe_method_name(b->method), b->fft_width, b->fft_height, other->threads);
        abbe_plan_destroy(&same);
        abbe_plan_destroy(&plan);
        abbe_device_close(&other);
        abbe_filter_destroy(&filter);
    }
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

/* Bytes are filtered in 16 bits where the bounds of sums and errors allow it, and the price follows. */
static void prices_know_what_fits_16_bits(void **state)
{
    (void)state;
    static const double gains[] = { 0.25, 0.5, 1, 1.01, 1.02, 1.25, 1.45, 2 };
    for (int side = 3; side <= 8; side += 5)
        for (int i = 0; i < 16; i++) {
            double values[8 * 8];
            for (int tap = 0; tap < side * side; tap++)
                values[tap] = gains[i / 2] / (side * side);
            abbe_filter *filter = apply_kernel(&(abbe_matrix){ side, side, values }, NULL);
            abbe_method method = i % 2 ? ABBE_METHOD_DIRECT : ABBE_METHOD_SEPARABLE;
            abbe_plan *plan = apply_plan(
                device, &(abbe_plan_params){ .width = 100,
                                             .height = 100,
                                             .channels = 4,
                                             .source_type = ABBE_U8,
                                             .result_type = ABBE_U8,
                                             .filters = (const abbe_filter *const[]){ filter },
                                             .filter_count = 1,
                                             .method = method });
            const abbe_candidate *chosen = abbe_plan_choice(plan);
            bool priced = units_of(plan, chosen->method, i % 2 ? "direct_short_tap" : "separable_short_tap") >
                          0;
            if (plan->head.engine->space && priced != plan->head.engine->space->shorts)
                fail_msg("%d x %d taps of sum %g, %s: 16 bits are %s, and priced %s", side, side,
                         gains[i / 2], abbe_method_name(method),
                         plan->head.engine->space->shorts ? "taken" : "not taken",
                         priced ? "so" : "otherwise");
            abbe_plan_destroy(&plan);
            abbe_filter_destroy(&filter);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_kernels_stay_in_space),
        cmocka_unit_test(large_kernels_take_the_fourier_plane),
        cmocka_unit_test(separable_beats_direct),
        cmocka_unit_test(tiles_beat_the_whole_of_a_large_picture),
        cmocka_unit_test(taps_and_pixels_cost),
        cmocka_unit_test(banks_share_the_forward_transform),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(prices_know_what_fits_16_bits),
    };
    int failures = 0;
    for (int threads = 1; threads <= 16; threads *= 4) {
        device = test_open_device(0, NULL, threads);
        device->processors = threads; /* as on another machine */
        failures += cmocka_run_group_tests(tests, NULL, NULL);
        abbe_device_close(&device);
    }
    return failures;
}
