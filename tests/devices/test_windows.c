/* Result windows: full, same, valid and any rectangle, over all borders, against convolution in double
 * precision; what is refused.
 *
 * Arguments: DEVICE. */
#include "support/apply.h"
#include "support/exhaust.h"
#include "support/faults.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static abbe_device *device;

static bool on_cpu(void)
{
    return !strcmp(abbe_device_name(device), "cpu");
}

/* ---- Against the oracle ------------------------------------------------------------------------------- */

/* A window of one plan: its parameters, and the rectangle that the header promises for it. */
struct window_case {
    abbe_plan_params params;
    const struct trial_kernel *kernel;
    int x, y, width, height;
    enum layout source_layout, result_layout;
    uint64_t seed;
};

static double convolve_at(const struct window_case *one, const struct picture *in, int x, int y, int channel)
{
    const abbe_matrix *taps = &one->kernel->taps;
    double sum = 0, outside = one->params.border == ABBE_BORDER_CONSTANT ? one->params.border_value : 0;
    for (int j = 0; j < taps->height; j++)
        for (int i = 0; i < taps->width; i++) {
            int dx = i - one->kernel->centre_x, dy = j - one->kernel->centre_y;
            sum += taps->values[(size_t)j * (size_t)taps->width + (size_t)i] *
                   reference_sample(in, one->params.border, outside, one->params.correlate ? x + dx : x - dx,
                                    one->params.correlate ? y + dy : y - dy, channel);
        }
    return sum;
}

static double sum_taps(const abbe_matrix *taps)
{
    double sum = 0;
    for (int i = 0; i < taps->width * taps->height; i++)
        sum += fabs(taps->values[i]);
    return sum;
}

static struct picture expected_window(const struct window_case *one, const struct picture *in)
{
    struct picture right = picture_create(one->width, one->height, in->channels);
    for (int y = 0; y < one->height; y++)
        for (int x = 0; x < one->width; x++)
            for (int c = 0; c < in->channels; c++)
                *picture_at(&right, x, y, c) = convolve_at(one, in, one->x + x, one->y + y, c);
    return right;
}

/* Integers saturate and round; other results are as exact as F32 sums. */
static bool check_samples(const struct window_case *one, const struct picture *got,
                          const struct picture *right)
{
    double levels = type_levels(one->params.result_type), sum = sum_taps(&one->kernel->taps);
    double tolerance = levels > 0 ? 1.01 / levels : trial_tolerance(4e-6 * (1 + sum) * 2);
    if (levels > 0)
        for (size_t i = 0; i < picture_count(right); i++)
            right->samples[i] = fmin(fmax(right->samples[i], 0), 1);
    return apply_near(got, right, tolerance);
}

static void print_case(const struct window_case *one)
{
    const abbe_plan_params *p = &one->params;
    printf(
        "%d x %d x %d, window %d at %d, %d: %d x %d, kernel %d x %d (%d, %d), border %s, method %s, types %d "
        "and %d, correlate %d, layouts %d and %d, seed %llu\n",
        p->width, p->height, p->channels, (int)p->window, one->x, one->y, one->width, one->height,
        one->kernel->taps.width, one->kernel->taps.height, one->kernel->centre_x, one->kernel->centre_y,
        abbe_border_name(p->border), abbe_method_name(p->method), (int)p->source_type, (int)p->result_type,
        (int)p->correlate, (int)one->source_layout, (int)one->result_layout, (unsigned long long)one->seed);
}

static bool has_size(const abbe_plan *plan, const struct window_case *one)
{
    int width, height, x, y;
    assert_int_equal(abbe_plan_result_size(plan, &width, &height, &x, &y), ABBE_OK);
    return width == one->width && height == one->height && x == one->x && y == one->y;
}

/* Runs the window twice: at once, and in two steps with the scratch of the first run. */
static bool run_window(struct window_case *one)
{
    abbe_plan_params *p = &one->params;
    struct random random = { one->seed };
    p->filters = (const abbe_filter *const[]){ one->kernel->filter };
    p->filter_count = 1;
    struct stored source = stored_create_laid(p->width, p->height, p->channels, p->source_type,
                                              one->source_layout);
    struct stored result = stored_create_laid(one->width, one->height, p->channels, p->result_type,
                                              one->result_layout);
    stored_randomize(&source, &random, true);
    struct picture in = stored_read(&source), right = expected_window(one, &in);
    abbe_plan *plan = apply_plan(device, p);
    bool good = has_size(plan, one);
    for (int i = 0; i < 2 && good; i++) {
        abbe_ticket *ticket = NULL;
        int error = i ? abbe_submit(plan, &source.view, &result.view, &ticket)
                      : abbe_run(plan, &source.view, &result.view);
        if (!error && i)
            error = abbe_wait(&ticket);
        struct picture got = stored_read(&result);
        good = !error && stored_check(&result) && check_samples(one, &got, &right);
        picture_free(&got);
    }
    if (!good)
        print_case(one);
    abbe_plan_destroy(&plan);
    picture_free(&in);
    picture_free(&right);
    stored_free(&source);
    stored_free(&result);
    return good;
}

/* Sets the rectangle of a window as the header defines it; false where nothing remains. */
static bool place_window(struct window_case *one, const struct trial_kernel *kernel, int number)
{
    static const int places[][4] = { { 2, 1, 3, 4 },    { -3, -2, 5, 6 },  { 0, 0, 40, 1 },
                                     { 90, -70, 4, 3 }, { -40, 3, 2, 30 }, { 4, 5, 1, 1 } };
    abbe_plan_params *p = &one->params;
    int right = kernel->centre_x, left = kernel->taps.width - 1 - right;
    int down = kernel->centre_y, up = kernel->taps.height - 1 - down;
    int swap = p->correlate;
    int l = swap ? right : left, r = swap ? left : right, u = swap ? down : up, d = swap ? up : down;
    const int *place = places[number % 6];
    one->kernel = kernel;
    switch (p->window) {
    case ABBE_WINDOW_SAME: one->x = one->y = 0, one->width = p->width, one->height = p->height; break;
    case ABBE_WINDOW_FULL:
        one->x = -r, one->y = -d, one->width = p->width + l + r, one->height = p->height + u + d;
        break;
    case ABBE_WINDOW_VALID:
        one->x = l, one->y = u, one->width = p->width - l - r, one->height = p->height - u - d;
        break;
    case ABBE_WINDOW_RECTANGLE:
        p->result_x = one->x = place[0], p->result_y = one->y = place[1];
        p->result_width = one->width = place[2], p->result_height = one->height = place[3];
        break;
    }
    return one->width > 0 && one->height > 0;
}

static void windows_of_kernels(void **state)
{
    (void)state;
    static const int shapes[][3] = { { 13, 9, 1 }, { 1, 1, 3 }, { 1, 12, 4 }, { 11, 1, 2 }, { 24, 17, 3 } };
    static const abbe_type types[] = { ABBE_F32, ABBE_U8, ABBE_F32, ABBE_U16, ABBE_F64, ABBE_I16 };
    struct random random = { 11 };
    struct trial_kernel kernels[] = { trial_kernel_create(3, 3, TAPS_ANY, true, &random),
                                      trial_kernel_create(5, 4, TAPS_SEPARABLE, true, &random),
                                      trial_kernel_create(1, 7, TAPS_ANY, true, &random),
                                      trial_kernel_create(31, 23, TAPS_SEPARABLE, true, &random) };
    int failures = 0, runs = 0, step = !on_cpu() ? 1201 : effort_is_slight() ? 17 : effort_is_brief() ? 5 : 1;
    for (int number = 0; number < 5 * 4 * 4 * 6 * 5 * 2; number += step) {
        const int *shape = shapes[number % 5];
        struct window_case one = { .params = { .width = shape[0],
                                               .height = shape[1],
                                               .channels = shape[2],
                                               .window = (abbe_window)(number / 5 % 4),
                                               .border = (abbe_border)(number / 80 % 6),
                                               .border_value = number % 3 ? 0.3f : 0.2f,
                                               .method = (abbe_method)(number / 480 % 5),
                                               .correlate = number / 2400 % 2,
                                               .source_type = types[number % 6],
                                               .result_type = types[number / 7 % 3 * 2],
                                               .nonfinite = number % 2 ? ABBE_NONFINITE_ZERO
                                                                       : ABBE_NONFINITE_ERROR },
                                   .source_layout = (enum layout)(number % LAYOUTS),
                                   .result_layout = (enum layout)(number / 3 % LAYOUTS),
                                   .seed = (uint64_t)number };
        const struct trial_kernel *kernel = &kernels[number / 20 % 4];
        bool separable = kernel != &kernels[0];
        if (one.params.method == ABBE_METHOD_SEPARABLE && !separable)
            one.params.method = ABBE_METHOD_DIRECT;
        if (!place_window(&one, kernel, number))
            continue;
        runs++;
        failures += !run_window(&one);
    }
    for (int i = 0; i < 4; i++)
        trial_kernel_free(&kernels[i]);
    assert_true(runs > 2);
    assert_int_equal(failures, 0);
}

/* ---- Transfer functions ------------------------------------------------------------------------------- */

static struct stored random_floats(int width, int height, uint64_t seed)
{
    struct random random = { seed };
    struct stored stored = stored_create(width, height, 1, ABBE_F32, 0, false, true);
    stored_randomize(&stored, &random, true);
    return stored;
}

/* Filters `source` with a window; the result must be freed. */
static struct picture filter_window(const abbe_filter *filter, const struct stored *source,
                                    abbe_plan_params params)
{
    params.width = source->view.width, params.height = source->view.height, params.channels = 1;
    params.source_type = ABBE_F32;
    params.filters = &filter, params.filter_count = 1;
    abbe_plan *plan = apply_plan(device, &params);
    int width, height;
    abbe_plan_result_size(plan, &width, &height, NULL, NULL);
    struct stored result = stored_create(width, height, 1, ABBE_F32, 0, false, true);
    assert_int_equal(abbe_run(plan, &source->view, &result.view), ABBE_OK);
    struct picture got = stored_read(&result);
    stored_free(&result);
    abbe_plan_destroy(&plan);
    return got;
}

/* The oracle extends the picture far enough for all of the response, and filters cyclically. */
static void transfer_functions_reach_beyond_the_picture(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("lowpass:shape=gaussian:cutoff=0.2");
    struct stored source = random_floats(20, 14, 5);
    struct picture in = stored_read(&source);
    const abbe_plan_params params = { .window = ABBE_WINDOW_RECTANGLE,
                                      .border = ABBE_BORDER_REFLECT,
                                      .result_x = -9,
                                      .result_y = 5,
                                      .result_width = 21,
                                      .result_height = 16 };
    struct picture got = filter_window(filter, &source, params);
    struct picture large = picture_create(120, 120, 1), right = picture_create(21, 16, 1);
    for (int y = 0; y < 120; y++)
        for (int x = 0; x < 120; x++)
            *picture_at(&large, x, y, 0) = reference_sample(&in, ABBE_BORDER_REFLECT, 0, x - 50, y - 50, 0);
    struct picture filtered = reference_transfer(&large, ABBE_BORDER_WRAP, 0, 120, 120, 0, 0, filter, 0);
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 21; x++)
            *picture_at(&right, x, y, 0) = *picture_at(&filtered, x - 9 + 50, y + 5 + 50, 0);
    assert_true(apply_near(&got, &right, trial_tolerance(2e-4)));
    picture_free(&in), picture_free(&got), picture_free(&large), picture_free(&right),
        picture_free(&filtered);
    stored_free(&source);
    abbe_filter_destroy(&filter);
}

/* Rectangles inside the picture are parts of the whole result, also of filters without a reach. */
static void rectangles_inside_are_parts_of_the_whole(void **state)
{
    (void)state;
    static const char *const texts[] = { "lowpass:shape=ideal:cutoff=0.2", "gaussian:sigma=2,highpass" };
    struct stored source = random_floats(23, 18, 6);
    for (int i = 0; i < 2; i++) {
        abbe_filter *filter = apply_filter(texts[i]);
        struct picture whole = filter_window(filter, &source,
                                             (abbe_plan_params){ .border = ABBE_BORDER_MIRROR });
        struct picture got = filter_window(filter, &source,
                                           (abbe_plan_params){ .border = ABBE_BORDER_MIRROR,
                                                               .window = ABBE_WINDOW_RECTANGLE,
                                                               .result_x = 7,
                                                               .result_y = 2,
                                                               .result_width = 16,
                                                               .result_height = 5 });
        struct picture right = picture_create(16, 5, 1);
        for (int k = 0; k < 80; k++)
            right.samples[k] = *picture_at(&whole, 7 + k % 16, 2 + k / 16, 0);
        assert_true(apply_near(&got, &right, 0));
        picture_free(&whole), picture_free(&got), picture_free(&right);
        abbe_filter_destroy(&filter);
    }
    stored_free(&source);
}

/* ---- Bad input ---------------------------------------------------------------------------------------- */

static void refuse_plan(abbe_plan_params params, const abbe_filter *filter, int expected, const char *text)
{
    abbe_plan *plan = NULL;
    params.width = 10, params.height = 8, params.channels = 2;
    params.source_type = ABBE_U8;
    params.filters = &filter, params.filter_count = 1;
    test_refused(text, abbe_plan_create(device, &params, &plan), expected, device, text);
    assert_null(plan);
}

static void bad_windows(void **state)
{
    (void)state;
    abbe_filter *box = apply_filter("box:radius=4"), *ideal = apply_filter("lowpass:shape=ideal:cutoff=0.2");
    const abbe_window rectangle = ABBE_WINDOW_RECTANGLE;
    refuse_plan((abbe_plan_params){ .window = (abbe_window)4 }, box, ABBE_ERR_INVALID, "unknown window 4");
    refuse_plan((abbe_plan_params){ .window = (abbe_window)-1 }, box, ABBE_ERR_INVALID, "unknown window -1");
    refuse_plan((abbe_plan_params){ .window = ABBE_WINDOW_VALID }, box, ABBE_ERR_INVALID, "nothing remains");
    refuse_plan((abbe_plan_params){ .result_width = 3 }, box, ABBE_ERR_INVALID, "RECTANGLE");
    refuse_plan((abbe_plan_params){ .window = rectangle }, box, ABBE_ERR_INVALID, "0 x 0");
    refuse_plan((abbe_plan_params){ .window = rectangle, .result_width = 5, .result_height = -5 }, box,
                ABBE_ERR_INVALID, "5 x -5");
    refuse_plan(
        (abbe_plan_params){ .window = rectangle, .result_width = 1, .result_height = ABBE_SIDE_MAX + 1 }, box,
        ABBE_ERR_SIZE, "limit");
    refuse_plan(
        (abbe_plan_params){
            .window = rectangle, .result_x = -ABBE_SIDE_MAX - 1, .result_width = 1, .result_height = 1 },
        box, ABBE_ERR_SIZE, "limit");
    refuse_plan((abbe_plan_params){ .window = rectangle, .result_width = ABBE_SIDE_MAX, .result_height = 1 },
                box, ABBE_ERR_SIZE, "addressed");
    refuse_plan((abbe_plan_params){ .window = ABBE_WINDOW_FULL }, ideal, ABBE_ERR_UNSUPPORTED,
                "does not decay");
    refuse_plan(
        (abbe_plan_params){ .window = rectangle, .result_x = 9, .result_width = 2, .result_height = 1 },
        ideal, ABBE_ERR_UNSUPPORTED, "does not decay");
    refuse_plan((abbe_plan_params){ .window = ABBE_WINDOW_FULL,
                                    .border = ABBE_BORDER_CONSTANT,
                                    .border_value = 0.5f,
                                    .scale = ABBE_SCALE_VALUE,
                                    .linear_light = true },
                box, ABBE_ERR_UNSUPPORTED, "border_value");
    test_refused("size", abbe_plan_result_size(NULL, NULL, NULL, NULL, NULL), ABBE_ERR_INVALID, NULL, "plan");
    abbe_filter_destroy(&box);
    abbe_filter_destroy(&ideal);
}

/* The farthest rectangles that are allowed: coordinates do not overflow. */
static void farthest_windows(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("box:radius=1");
    const abbe_filter *const bank[] = { filter };
    for (int border = ABBE_BORDER_REFLECT; border <= ABBE_BORDER_WRAP; border++) {
        const float pixel = 0.75f;
        float got[2] = { -1, -1 };
        abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = 1,
                                                                  .height = 1,
                                                                  .channels = 1,
                                                                  .source_type = ABBE_F32,
                                                                  .filters = bank,
                                                                  .filter_count = 1,
                                                                  .border = (abbe_border)border,
                                                                  .method = ABBE_METHOD_DIRECT,
                                                                  .border_value = 0.5f,
                                                                  .window = ABBE_WINDOW_RECTANGLE,
                                                                  .result_x = ABBE_SIDE_MAX,
                                                                  .result_y = -ABBE_SIDE_MAX,
                                                                  .result_width = 2,
                                                                  .result_height = 1 });
        const abbe_image source = {
            .const_data = &pixel, .width = 1, .height = 1, .channels = 1, .type = ABBE_F32
        };
        const abbe_image result = { .data = got, .width = 2, .height = 1, .channels = 1, .type = ABBE_F32 };
        assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
        double right = border == ABBE_BORDER_ZERO ? 0 : border == ABBE_BORDER_CONSTANT ? 0.5 : 0.75;
        assert_true(fabs(got[0] - right) < trial_tolerance(1e-6) &&
                    fabs(got[1] - right) < trial_tolerance(1e-6));
        abbe_plan_destroy(&plan);
        if (!on_cpu())
            break;
    }
    abbe_filter_destroy(&filter);
}

/* Views of another size than the window's, and samples that are not finite. */
static void bad_views(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("box:radius=1");
    const abbe_filter *const bank[] = { filter };
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = 8,
                                                              .height = 6,
                                                              .channels = 1,
                                                              .source_type = ABBE_F32,
                                                              .filters = bank,
                                                              .filter_count = 1,
                                                              .window = ABBE_WINDOW_RECTANGLE,
                                                              .result_x = 2,
                                                              .result_y = 2,
                                                              .result_width = 3,
                                                              .result_height = 2 });
    float pixels[48] = { 0 }, got[48];
    for (int i = 0; i < 48; i++)
        got[i] = 7;
    const abbe_image source = { .data = pixels, .width = 8, .height = 6, .channels = 1, .type = ABBE_F32 };
    abbe_image result = { .data = got, .width = 8, .height = 6, .channels = 1, .type = ABBE_F32 };
    test_refused("size", abbe_run(plan, &source, &result), ABBE_ERR_INVALID, device, "3 x 2");
    result.width = 3, result.height = 2;
    test_refused("source", abbe_run(plan, &result, &result), ABBE_ERR_INVALID, device, "8 x 6");
    pixels[3 * 8 + 5] = NAN;
    test_refused("NaN", abbe_run(plan, &source, &result), ABBE_ERR_NONFINITE, device, "x 5, y 3, channel 0");
    for (int i = 0; i < 48; i++)
        assert_true(got[i] == 7);
    pixels[3 * 8 + 5] = 0;
    pixels[7] = INFINITY; /* is not read */
    assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
    for (int i = 0; i < 48; i++)
        assert_true(got[i] == (i < 6 ? 0 : 7));
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

static int call_full_run(const struct attempt *attempt, struct outputs *out)
{
    abbe_plan *plan = NULL;
    int error = abbe_plan_create(device, attempt->params, &plan), width = 0, height = 0;
    if (!error)
        error = abbe_plan_result_size(plan, &width, &height, NULL, NULL);
    const abbe_image source = {
        .const_data = attempt->source, .width = 9, .height = 7, .channels = 3, .type = ABBE_U8
    };
    const abbe_image result = {
        .data = out->array, .width = width, .height = height, .channels = 3, .type = ABBE_U8
    };
    abbe_ticket *ticket = NULL;
    if (!error)
        error = attempt->two_steps ? abbe_submit(plan, &source, &result, &ticket)
                                   : abbe_run(plan, &source, &result);
    if (!error)
        error = abbe_wait(&ticket);
    abbe_plan_destroy(&plan);
    return error;
}

/* A plan whose submitted runs fail leaks nothing, and then runs. */
static void submit_without_memory(const abbe_plan_params *params, const void *pixels, void *made)
{
    abbe_plan *plan = apply_plan(device, params);
    int width, height, error = ABBE_ERR_MEMORY;
    abbe_plan_result_size(plan, &width, &height, NULL, NULL);
    const abbe_image source = {
        .const_data = pixels, .width = 9, .height = 7, .channels = 3, .type = ABBE_U8
    };
    const abbe_image result = {
        .data = made, .width = width, .height = height, .channels = 3, .type = ABBE_U8
    };
    for (long n = 0; error; n++) {
        abbe_ticket *ticket = NULL;
        faults_arm(n, false);
        error = abbe_submit(plan, &source, &result, &ticket);
        if (!error)
            error = abbe_wait(&ticket);
        faults_disarm();
        assert_true(error == ABBE_OK || error == ABBE_ERR_MEMORY);
    }
    abbe_plan_destroy(&plan);
}

static void windows_without_memory(void **state)
{
    (void)state;
    static struct outputs out;
    static unsigned char pixels[ARRAY];
    abbe_filter *filter = apply_filter("gaussian:sigma=1");
    const abbe_filter *const bank[] = { filter };
    const abbe_plan_params params = { .width = 9,
                                      .height = 7,
                                      .channels = 3,
                                      .source_type = ABBE_U8,
                                      .filters = bank,
                                      .filter_count = 1,
                                      .window = ABBE_WINDOW_FULL };
    struct attempt attempt = {
        .name = "full", .call = call_full_run, .reports_to = device, .params = &params, .source = pixels
    };
    for (int i = 0; i < 2 && on_cpu(); i++) {
        attempt.two_steps = i;
        exhaust(&attempt, &out);
    }
    submit_without_memory(&params, pixels, out.array);
    abbe_filter_destroy(&filter);
}

/* A run takes what its plan announced. */
static void windows_take_what_was_announced(void **state)
{
    (void)state;
    enum { SIDE = 90 };
    static unsigned char pixels[SIDE * SIDE], results[SIDE * SIDE * 2];
    abbe_filter *filter = apply_filter("gaussian:sigma=2");
    const abbe_filter *const bank[] = { filter };
    for (int window = ABBE_WINDOW_FULL; window <= ABBE_WINDOW_VALID && on_cpu(); window++) {
        abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = SIDE,
                                                                  .height = SIDE,
                                                                  .channels = 1,
                                                                  .source_type = ABBE_U8,
                                                                  .filters = bank,
                                                                  .filter_count = 1,
                                                                  .window = (abbe_window)window });
        int width, height;
        abbe_plan_result_size(plan, &width, &height, NULL, NULL);
        const abbe_image source = {
            .data = pixels, .width = SIDE, .height = SIDE, .channels = 1, .type = ABBE_U8
        };
        const abbe_image result = {
            .data = results, .width = width, .height = height, .channels = 1, .type = ABBE_U8
        };
        faults_watch();
        size_t before = faults_bytes();
        assert_int_equal(abbe_run(plan, &source, &result), ABBE_OK);
        size_t taken = faults_peak() - before, announced = abbe_plan_choice(plan)->bytes;
        if (taken > announced + 512 || taken < announced / 2)
            fail_msg("window %d: %zu bytes announced, %zu taken", window, announced, taken);
        abbe_plan_destroy(&plan);
    }
    abbe_filter_destroy(&filter);
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_of_kernels),
        cmocka_unit_test(transfer_functions_reach_beyond_the_picture),
        cmocka_unit_test(rectangles_inside_are_parts_of_the_whole),
        cmocka_unit_test(bad_windows),
        cmocka_unit_test(farthest_windows),
        cmocka_unit_test(bad_views),
        cmocka_unit_test(windows_without_memory),
        cmocka_unit_test(windows_take_what_was_announced),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failures + (faults_live() != 0);
}
