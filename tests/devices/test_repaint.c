/* abbe_plan_repaint: a plan whose mask is painted on filters as a plan of the new mask does, by the naive transform; what
 * does not suit is refused and leaves the plan as it was.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/faults.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 30, HEIGHT = 21, CHANNELS = 3 };

static abbe_device *device;
static struct picture noise;

/* ---- Masks ---------------------------------------------------------------------------------------------- */

static int opposite(int index, int length)
{
    return ((2 * (length / 2) - index) % length + length) % length;
}

/* Gains that differ between opposite rows. */
static abbe_matrix make_mask(int width, int height, struct random *random)
{
    abbe_matrix mask;
    assert_int_equal(abbe_matrix_create(width, height, &mask), ABBE_OK);
    for (int i = 0; i < width * height; i++)
        mask.values[i] = 0.5 + random_unit(random);
    return mask;
}

/* What abbe.h says that painting does to a mask of equal opposite gains. */
static void paint(abbe_matrix *mask, const abbe_matrix *gains, int x, int y)
{
    for (int j = 0; j < gains->height; j++)
        for (int i = 0; i < gains->width; i++) {
            int u = opposite(x + i, mask->width), v = opposite(y + j, mask->height);
            double gain = gains->values[j * gains->width + i];
            if (u >= x && u < x + gains->width && v >= y && v < y + gains->height)
                gain = 0.5 * (gain + gains->values[(v - y) * gains->width + u - x]);
            mask->values[(y + j) * mask->width + x + i] = mask->values[v * mask->width + u] = gain;
        }
}

static abbe_filter *mask_filter(const abbe_matrix *mask, const char *after)
{
    abbe_filter *filter, *chain, *second;
    assert_int_equal(abbe_filter_from_mask(mask, &filter), ABBE_OK);
    if (!after)
        return filter;
    second = apply_filter(after);
    const abbe_filter *both[] = { filter, second };
    assert_int_equal(abbe_filter_chain(both, 2, &chain), ABBE_OK);
    abbe_filter_destroy(&filter);
    abbe_filter_destroy(&second);
    return chain;
}

static abbe_plan *make_plan(const abbe_filter *filter, abbe_border border, abbe_method method, int channels)
{
    return apply_plan(device, &(abbe_plan_params){ .width = WIDTH,
                                                   .height = HEIGHT,
                                                   .channels = channels,
                                                   .source_type = ABBE_F32,
                                                   .filters = &filter,
                                                   .filter_count = 1,
                                                   .border = border,
                                                   .method = method });
}

static struct picture run_plan(const abbe_plan *plan, int channels)
{
    static float source[WIDTH * HEIGHT * CHANNELS], result[WIDTH * HEIGHT * CHANNELS];
    struct picture out = picture_create(WIDTH, HEIGHT, channels);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        for (int c = 0; c < channels; c++)
            source[i * channels + c] = (float)noise.samples[i * CHANNELS + c];
    abbe_image from = {
        .data = source, .width = WIDTH, .height = HEIGHT, .channels = channels, .type = ABBE_F32
    };
    abbe_image to = from;
    to.data = result;
    assert_int_equal(abbe_run(plan, &from, &to), ABBE_OK);
    for (size_t i = 0; i < picture_count(&out); i++)
        out.samples[i] = result[i];
    return out;
}

/* Compares a run with the naive transform, whose gains are those of a filter. */
static void check_run(const abbe_plan *plan, const abbe_filter *filter, abbe_border border, int channels,
                      const char *what)
{
    struct picture in = picture_create(WIDTH, HEIGHT, channels);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        for (int c = 0; c < channels; c++)
            in.samples[i * channels + c] = noise.samples[i * CHANNELS + c];
    int width = WIDTH, height = HEIGHT; /* the period of the picture with its border */
    if (border != ABBE_BORDER_WRAP) {
        width = 2 * WIDTH - 2 * (border == ABBE_BORDER_MIRROR);
        height = 2 * HEIGHT - 2 * (border == ABBE_BORDER_MIRROR);
    }
    struct picture expected = reference_transfer(&in, border, 0, width, height, 0, 0, filter, 0);
    struct picture got = run_plan(plan, channels);
    double distance = picture_distance(&got, &expected), bound = 3e-6 * picture_norm(&in);
    if (distance > bound)
        fail_msg("%s, border %s, %d channels: the error is %g, the bound %g", what, abbe_border_name(border),
                 channels, distance, bound);
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

static bool is_cpu(void)
{
    return strcmp(abbe_device_name(device), "cpu") == 0;
}

/* Rectangles anywhere, also around frequency 0, which keeps its gain. */
static void strokes(int side_x, int side_y, abbe_border border, int channels, const char *after,
                    struct random *random)
{
    enum { STROKES = 12 };
    abbe_matrix mask = make_mask(side_x, side_y, random);
    abbe_filter *first = mask_filter(&mask, after);
    abbe_plan *plan = make_plan(first, border, ABBE_METHOD_FFT, channels);
    for (int y = 0; y < side_y; y++) /* as abbe_filter_from_mask does */
        for (int x = 0; x < side_x; x++) {
            double *here = &mask.values[y * side_x + x],
                   *there = &mask.values[opposite(y, side_y) * side_x + opposite(x, side_x)];
            *here = *there = 0.5 * (*here + *there);
        }
    for (int i = 0; i < STROKES; i++) {
        int x = random_int(random, 0, side_x - 1), y = random_int(random, 0, side_y - 1);
        int width = random_int(random, 1, i % 4 ? side_x / 4 : side_x - x);
        int height = random_int(random, 1, i % 4 ? side_y / 4 : side_y - y);
        abbe_matrix gains = make_mask(width < side_x - x ? width : side_x - x,
                                      height < side_y - y ? height : side_y - y, random);
        int zero_x = side_x / 2 - x, zero_y = side_y / 2 - y;
        if (zero_x >= 0 && zero_x < gains.width && zero_y >= 0 && zero_y < gains.height)
            gains.values[zero_y * gains.width + zero_x] = mask.values[side_y / 2 * side_x + side_x / 2];
        if (abbe_plan_repaint(plan, 0, &gains, x, y))
            fail_msg("%d × %d gains at %d, %d: %s", gains.width, gains.height, x, y, abbe_error_text(device));
        paint(&mask, &gains, x, y);
        abbe_matrix_free(&gains);
    }
    abbe_filter *last = mask_filter(&mask, after);
    check_run(plan, last, border, channels, after ? after : "a mask");
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&first);
    abbe_filter_destroy(&last);
    abbe_matrix_free(&mask);
}

/* The reference transforms of the level `plain` are not painted on. */
static bool paints(void)
{
    return is_cpu() && strncmp(abbe_device_detail(device), "plain", 5) != 0;
}

static void strokes_are_sampled(void **state)
{
    (void)state;
    if (!paints())
        skip();
    static const abbe_border borders[] = { ABBE_BORDER_WRAP, ABBE_BORDER_REFLECT, ABBE_BORDER_MIRROR };
    struct random random = { 11 };
    for (int b = 0; b < 3; b++)
        for (int channels = 1; channels <= 3; channels++) {
            strokes(WIDTH, HEIGHT, borders[b], channels, NULL, &random);
            strokes(16, 9, borders[b], channels, NULL, &random);
            strokes(57, 64, borders[b], channels, "motion:length=5:angle=30", &random);
        }
}

static void what_does_not_suit_is_refused(void **state)
{
    (void)state;
    struct random random = { 12 };
    abbe_matrix mask = make_mask(16, 12, &random), gains = make_mask(3, 2, &random),
                flat = make_mask(16, 12, &random);
    for (int i = 0; i < 16 * 12; i++)
        flat.values[i] = 1;
    abbe_filter *painted = mask_filter(&mask, NULL), *same = mask_filter(&flat, NULL),
                *two = mask_filter(&mask, NULL), *lowpass = apply_filter("lowpass"), *twice;
    const abbe_filter *both[] = { painted, two };
    assert_int_equal(abbe_filter_chain(both, 2, &twice), ABBE_OK);
    const struct {
        const abbe_filter *filter;
        abbe_method method;
        const char *message;
    } cases[] = { { same, ABBE_METHOD_FFT, "opposite rows" },
                  { lowpass, ABBE_METHOD_FFT, "no mask" },
                  { twice, ABBE_METHOD_FFT, "several" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_plan *plan = make_plan(cases[i].filter, ABBE_BORDER_WRAP, cases[i].method, 1);
        test_refused("abbe_plan_repaint", abbe_plan_repaint(plan, 0, &gains, 1, 1), ABBE_ERR_UNSUPPORTED,
                     device, is_cpu() ? cases[i].message : "only plans of the CPU");
        check_run(plan, cases[i].filter, ABBE_BORDER_WRAP, 1, "after a refusal");
        abbe_plan_destroy(&plan);
    }
    abbe_plan *plan = make_plan(painted, ABBE_BORDER_WRAP, ABBE_METHOD_FFT, 1);
    test_refused("no plan", abbe_plan_repaint(NULL, 0, &gains, 0, 0), ABBE_ERR_INVALID, NULL, "plan is NULL");
    test_refused("no gains", abbe_plan_repaint(plan, 0, NULL, 0, 0), ABBE_ERR_INVALID, device,
                 "gains is NULL");
    test_refused("index", abbe_plan_repaint(plan, 1, &gains, 0, 0), ABBE_ERR_INVALID, device,
                 "has 1 filters");
    if (is_cpu()) {
        test_refused("right", abbe_plan_repaint(plan, 0, &gains, 14, 0), ABBE_ERR_INVALID, device,
                     "leave the mask");
        test_refused("below", abbe_plan_repaint(plan, 0, &gains, 0, 11), ABBE_ERR_INVALID, device,
                     "leave the mask");
        test_refused("left", abbe_plan_repaint(plan, 0, &gains, -1, 0), ABBE_ERR_INVALID, device,
                     "leave the mask");
        test_refused("zero", abbe_plan_repaint(plan, 0, &gains, 8, 6), ABBE_ERR_UNSUPPORTED, device,
                     "gain of a constant");
    }
    gains.values[1] = NAN;
    test_refused("NaN", abbe_plan_repaint(plan, 0, &gains, 0, 0), ABBE_ERR_NONFINITE, device, "not finite");
    check_run(plan, painted, ABBE_BORDER_WRAP, 1, "after all refusals");
    abbe_plan_destroy(&plan);
    abbe_matrix *matrices[] = { &mask, &gains, &flat };
    abbe_filter **filters[] = { &painted, &same, &two, &lowpass, &twice };
    for (int i = 0; i < 3; i++)
        abbe_matrix_free(matrices[i]);
    for (int i = 0; i < 5; i++)
        abbe_filter_destroy(filters[i]);
}

/* Results that are the same bit by bit, because nothing has changed. */
static void check_same(const abbe_plan *plan, const struct picture *before, const char *what)
{
    struct picture now = run_plan(plan, before->channels);
    if (memcmp(now.samples, before->samples, picture_count(before) * sizeof *now.samples))
        fail_msg("%s: the plan has changed", what);
    picture_free(&now);
}

/* Where a border is padding, it is as wide as the gains that the plan was made of need. */
static void padded_borders_are_refused(void **state)
{
    (void)state;
    static const abbe_border borders[] = { ABBE_BORDER_CLAMP, ABBE_BORDER_ZERO, ABBE_BORDER_CONSTANT };
    struct random random = { 14 };
    abbe_matrix mask = make_mask(16, 12, &random), gains = make_mask(3, 2, &random);
    abbe_filter *painted = mask_filter(&mask, NULL);
    for (int b = 0; b < 3; b++) {
        abbe_plan *plan = make_plan(painted, borders[b], ABBE_METHOD_FFT, 1);
        struct picture before = run_plan(plan, 1);
        test_refused(abbe_border_name(borders[b]), abbe_plan_repaint(plan, 0, &gains, 1, 1),
                     ABBE_ERR_UNSUPPORTED, device,
                     is_cpu() ? "as much of the border" : "only plans of the CPU");
        check_same(plan, &before, "after a refusal");
        picture_free(&before);
        abbe_plan_destroy(&plan);
    }
    abbe_filter_destroy(&painted);
    abbe_matrix_free(&mask);
    abbe_matrix_free(&gains);
}

static void count_call(void *user, double fx, double fy, double gain[2])
{
    ++*(int *)user;
    gain[0] = 1 + fx * fy;
    gain[1] = 0;
}

/* Functions of the application are called only while plans are made; and a magnitude has two masks. */
static void other_filters_are_refused(void **state)
{
    (void)state;
    int calls = 0;
    struct random random = { 15 };
    abbe_matrix mask = make_mask(16, 12, &random), gains = make_mask(3, 2, &random);
    abbe_filter *painted = mask_filter(&mask, NULL), *called, *chain,
                *magnitude = mask_filter(&mask, "sobel:axis=both");
    assert_int_equal(abbe_filter_from_transfer(count_call, &calls, &called), ABBE_OK);
    const abbe_filter *both[] = { painted, called };
    assert_int_equal(abbe_filter_chain(both, 2, &chain), ABBE_OK);
    const abbe_filter *cases[] = { chain, magnitude };
    static const char *const messages[] = { "a function of the application", "several components" };
    for (int i = 0; i < 2; i++) {
        abbe_plan *plan = make_plan(cases[i], ABBE_BORDER_WRAP, ABBE_METHOD_FFT, 1);
        struct picture before = run_plan(plan, 1);
        calls = 0;
        test_refused(messages[i], abbe_plan_repaint(plan, 0, &gains, 1, 1), ABBE_ERR_UNSUPPORTED, device,
                     is_cpu() ? messages[i] : "only plans of the CPU");
        assert_int_equal(calls, 0);
        check_same(plan, &before, messages[i]);
        picture_free(&before);
        abbe_plan_destroy(&plan);
    }
    abbe_filter **filters[] = { &painted, &called, &chain, &magnitude };
    for (int i = 0; i < 4; i++)
        abbe_filter_destroy(filters[i]);
    abbe_matrix_free(&mask);
    abbe_matrix_free(&gains);
}

/* Every allocation fails once, and all later ones; then none, and the error is `last`. After each error the
 * plan is as it was, and nothing leaks. */
static void fail_allocations(abbe_plan *plan, const abbe_matrix *gains, int last)
{
    struct picture before = run_plan(plan, 1);
    bool failed = true;
    int failures = 0;
    for (; failed; failures++) {
        size_t live = faults_live();
        faults_arm(failures, true);
        int error = abbe_plan_repaint(plan, 0, gains, 8, 1);
        failed = faults_disarm();
        assert_int_equal(faults_live(), live);
        assert_int_equal(error, failed ? ABBE_ERR_MEMORY : last);
        if (error)
            check_same(plan, &before, failed ? "without memory" : "after another error");
    }
    assert_true(failures > 4);
    picture_free(&before);
}

static void failures_change_nothing(void **state)
{
    (void)state;
    if (!paints())
        skip();
    static const abbe_border borders[] = { ABBE_BORDER_WRAP, ABBE_BORDER_REFLECT, ABBE_BORDER_MIRROR };
    double large = 1e30;
    struct random random = { 13 };
    abbe_matrix mask = make_mask(16, 12, &random), gains = make_mask(8, 2, &random);
    abbe_filter *first = mask_filter(&mask, NULL),
                *second = apply_kernel(&(abbe_matrix){ 1, 1, &large }, NULL), *chain;
    const abbe_filter *both[] = { first, second };
    assert_int_equal(abbe_filter_chain(both, 2, &chain), ABBE_OK);
    for (int b = 0; b < 3; b++) {
        abbe_plan *plan = make_plan(first, borders[b], ABBE_METHOD_FFT, 1);
        fail_allocations(plan, &gains, ABBE_OK);
        abbe_plan_destroy(&plan);
        plan = make_plan(chain, borders[b], ABBE_METHOD_FFT, 1);
        double kept = gains.values[7];
        gains.values[7] = 1e20; /* in the last columns: 1e50 is not a float */
        fail_allocations(plan, &gains, ABBE_ERR_NONFINITE);
        gains.values[7] = kept;
        assert_int_equal(abbe_plan_repaint(plan, 0, &gains, 8, 1), ABBE_OK);
        abbe_plan_destroy(&plan);
    }
    abbe_filter **filters[] = { &first, &second, &chain };
    for (int i = 0; i < 3; i++)
        abbe_filter_destroy(filters[i]);
    abbe_matrix_free(&mask);
    abbe_matrix_free(&gains);
}

/* ---- Large pictures, whose gains are sampled in runs ---- */

enum { SIDE = 2048 };

static abbe_plan *make_large(const abbe_filter *filter)
{
    return apply_plan(device, &(abbe_plan_params){ .width = SIDE,
                                                   .height = SIDE,
                                                   .channels = 1,
                                                   .source_type = ABBE_F32,
                                                   .filters = &filter,
                                                   .filter_count = 1,
                                                   .border = ABBE_BORDER_REFLECT,
                                                   .method = ABBE_METHOD_FFT });
}

static void run_large(const abbe_plan *plan, float *source, float *result)
{
    abbe_image from = { .data = source, .width = SIDE, .height = SIDE, .channels = 1, .type = ABBE_F32 };
    abbe_image to = from;
    to.data = result;
    assert_int_equal(abbe_run(plan, &from, &to), ABBE_OK);
}

static void large_pictures_are_painted_on(void **state)
{
    (void)state;
    if (!paints())
        skip();
    struct random random = { 16 };
    size_t bytes = (size_t)SIDE * SIDE * sizeof(float);
    float *source = malloc(bytes), *got = malloc(bytes), *expected = malloc(bytes);
    assert_true(source && got && expected);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        source[i] = (float)random_unit(&random);
    abbe_matrix mask = make_mask(57, 64, &random), gains = make_mask(9, 12, &random);
    abbe_filter *first = mask_filter(&mask, NULL);
    abbe_plan *plan = make_large(first);
    run_large(plan, source, got);
    assert_int_equal(abbe_plan_repaint(plan, 0, &gains, 31, 20), ABBE_OK);
    paint(&mask, &gains, 31, 20);
    abbe_filter *last = mask_filter(&mask, NULL);
    abbe_plan *other = make_large(last);
    run_large(plan, source, got);
    run_large(other, source, expected);
    assert_memory_equal(got, expected, bytes);
    gains.values[3] = 3e38; /* runs must not meet gains that may not be floats */
    int error = abbe_plan_repaint(plan, 0, &gains, 31, 20);
    assert_true(!error || error == ABBE_ERR_UNSUPPORTED);
    run_large(plan, source, got);
    assert_true((memcmp(got, expected, bytes) == 0) == (error != ABBE_OK));
    abbe_plan_destroy(&plan);
    abbe_plan_destroy(&other);
    abbe_filter_destroy(&first);
    abbe_filter_destroy(&last);
    abbe_matrix_free(&mask);
    abbe_matrix_free(&gains);
    free(source);
    free(got);
    free(expected);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(strokes_are_sampled),        cmocka_unit_test(what_does_not_suit_is_refused),
    cmocka_unit_test(padded_borders_are_refused), cmocka_unit_test(other_filters_are_refused),
    cmocka_unit_test(failures_change_nothing),    cmocka_unit_test(large_pictures_are_painted_on),
};

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 1);
    noise = apply_noise(WIDTH, HEIGHT, CHANNELS, 9, true);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    picture_free(&noise);
    abbe_device_close(&device);
    return failures;
}
