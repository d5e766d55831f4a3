/* Views of every layout and type: planes, pixels with gaps, mirrored rows, columns one after the other;
 * sources and results of eight types. Compared with convolution in double precision.
 *
 * Arguments: DEVICE. */
#include "core/view.h"
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static abbe_device *device;

static const abbe_type types[] = { ABBE_U8,  ABBE_U16, ABBE_F16, ABBE_F32,
                                   ABBE_F64, ABBE_I16, ABBE_U32, ABBE_I32 };
enum { TYPES = sizeof types / sizeof *types };

static const abbe_method methods[] = { ABBE_METHOD_DIRECT, ABBE_METHOD_SEPARABLE, ABBE_METHOD_FFT,
                                       ABBE_METHOD_TILES };

static bool run_layout(const struct trial *trial, const struct trial_kernel *kernel)
{
    struct trial_case one = trial_case_create(trial, kernel);
    bool good = trial_run(device, trial, kernel, &one);
    trial_case_free(&one);
    return good;
}

/* Every pair of layouts meets every number of channels, and all methods and types. */
static void layouts_of_memory(void **state)
{
    (void)state;
    struct random random = { 5 };
    struct trial_kernel kernel = trial_kernel_create(5, 3, TAPS_SEPARABLE, true, &random);
    int failures = 0, number = 0;
    for (int from = 0; from < LAYOUTS; from++)
        for (int to = 0; to < LAYOUTS; to++)
            for (int channels = 1; channels <= 5; channels++) {
                number++;
                if (effort_is_slight() && number % 11)
                    continue;
                struct trial trial = { .seed = (uint64_t)number,
                                       .width = 19,
                                       .height = 14,
                                       .channels = channels,
                                       .source_type = types[number % 4],
                                       .result_type = types[number / 4 % 4],
                                       .border = (abbe_border)(number % 6),
                                       .method = methods[number % 4],
                                       .source_layout = (enum layout)from,
                                       .result_layout = (enum layout)to };
                failures += !run_layout(&trial, &kernel);
            }
    trial_kernel_free(&kernel);
    assert_int_equal(failures, 0);
}

/* Every pair of types, half of them in planes. */
static void types_of_samples(void **state)
{
    (void)state;
    struct random random = { 6 };
    struct trial_kernel kernel = trial_kernel_create(3, 4, TAPS_ANY, true, &random);
    int failures = 0;
    for (int from = 0; from < TYPES; from++)
        for (int to = 0; to < TYPES; to++) {
            if (effort_is_slight() && (from * 3 + to) % 7)
                continue;
            struct trial trial = { .seed = (uint64_t)(from * TYPES + to),
                                   .width = 21,
                                   .height = 9,
                                   .channels = 3,
                                   .source_type = types[from],
                                   .result_type = types[to],
                                   .border = ABBE_BORDER_MIRROR,
                                   .method = (from + to) % 2 ? ABBE_METHOD_FFT : ABBE_METHOD_DIRECT,
                                   .source_layout = from % 2 ? LAYOUT_PLANES : LAYOUT_PACKED,
                                   .result_layout = to % 3 ? LAYOUT_PACKED : LAYOUT_PLANES };
            failures += !run_layout(&trial, &kernel);
        }
    trial_kernel_free(&kernel);
    assert_int_equal(failures, 0);
}

/* Each layout as its own result. */
static void in_place(void **state)
{
    (void)state;
    double values[] = { 0.25, 0.5, -0.25, 0.125, 0.75, 0.5 };
    const abbe_matrix taps = { 3, 2, values };
    abbe_filter *filter = apply_kernel(&taps, NULL);
    for (int layout = 0; layout < LAYOUTS; layout++)
        for (int m = 0; m < 4; m += effort_is_slight() ? 2 : 1) {
            struct random random = { (uint64_t)layout };
            abbe_type type = layout % 2 ? ABBE_F64 : ABBE_F32;
            struct stored picture = stored_create_laid(17, 11, 3, type, (enum layout)layout);
            stored_randomize(&picture, &random, false);
            struct picture in = stored_read(&picture);
            struct picture expected = reference_convolve(&in, ABBE_BORDER_WRAP, 0, &taps, 1, 1);
            abbe_plan *plan = apply_plan(device,
                                         &(abbe_plan_params){ .width = 17,
                                                              .height = 11,
                                                              .channels = 3,
                                                              .source_type = type,
                                                              .filters = (const abbe_filter *[]){ filter },
                                                              .filter_count = 1,
                                                              .border = ABBE_BORDER_WRAP,
                                                              .method = methods[m] });
            assert_int_equal(abbe_run(plan, &picture.view, &picture.view), ABBE_OK);
            struct picture got = stored_read(&picture);
            if (!apply_near(&got, &expected, trial_tolerance(2e-5)))
                fail_msg("layout %d, method %s", layout, abbe_method_name(methods[m]));
            assert_true(stored_check(&picture));
            picture_free(&in);
            picture_free(&expected);
            picture_free(&got);
            abbe_plan_destroy(&plan);
            stored_free(&picture);
        }
    abbe_filter_destroy(&filter);
}

/* Treatments of pixels that the kernels of one layout might do differently. */
struct treatment {
    const char *filter;
    abbe_alpha alpha;
    abbe_nonfinite nonfinite;
    float offset;
    bool linear_light;
};

/* Fills a picture with pixels that depend on the seed only; some of the float ones are not finite where these
 * are replaced. */
static void fill_layout(struct stored *picture, const struct treatment *treatment)
{
    struct random random = { 77 };
    stored_randomize(picture, &random, true);
    const abbe_image *view = &picture->view;
    float infinite = -INFINITY;
    if (treatment->nonfinite == ABBE_NONFINITE_ZERO && view->type == ABBE_F32)
        for (int y = 0; y < view->height; y += 3)
            memcpy(core_sample(view, y % view->width, y, y % view->channels), &infinite, sizeof infinite);
}

static struct picture apply_laid(const struct treatment *treatment, abbe_type type, int channels,
                                 abbe_method method, enum layout layout)
{
    struct stored source = stored_create_laid(37, 26, channels, type, layout);
    struct stored result = stored_create_laid(37, 26, channels, type, layout);
    fill_layout(&source, treatment);
    abbe_filter *filter = apply_filter(treatment->filter);
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = 37,
                                                              .height = 26,
                                                              .channels = channels,
                                                              .source_type = type,
                                                              .filters = (const abbe_filter *[]){ filter },
                                                              .filter_count = 1,
                                                              .border = ABBE_BORDER_CONSTANT,
                                                              .border_value = 0.75f,
                                                              .method = method,
                                                              .alpha = treatment->alpha,
                                                              .nonfinite = treatment->nonfinite,
                                                              .offset = treatment->offset,
                                                              .linear_light = treatment->linear_light });
    assert_int_equal(abbe_run(plan, &source.view, &result.view), ABBE_OK);
    assert_true(stored_check(&result));
    struct picture got = stored_read(&result);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
    stored_free(&source);
    stored_free(&result);
    return got;
}

/* Planes give what packed pixels give, whatever is done to the pixels; other tests compare packed pixels with
 * the oracle. */
static void treatments(void **state)
{
    (void)state;
    static const struct treatment all[] = {
        { "gaussian:sigma=1.5", ABBE_ALPHA_PREMULTIPLY, ABBE_NONFINITE_ERROR, 0, false },
        { "gaussian:sigma=1.5", ABBE_ALPHA_PREMULTIPLY, ABBE_NONFINITE_ZERO, 0.125f, false },
        { "laplacian", ABBE_ALPHA_PREMULTIPLY, ABBE_NONFINITE_ERROR, 0.5f, false },
        { "sobel", ABBE_ALPHA_INDEPENDENT, ABBE_NONFINITE_ZERO, 0.25f, false },
        { "gaussian:sigma=1.5", ABBE_ALPHA_INDEPENDENT, ABBE_NONFINITE_ERROR, 0, true },
    };
    bool gpu = strcmp(abbe_device_name(device), "cpu") != 0; /* GPUs get packed pixels from the host */
    for (int number = 0; number < 5 * 4 * 4 * 3; number += gpu ? 61 : effort_is_slight() ? 7 : 1) {
        const struct treatment *treatment = &all[number % 5];
        abbe_type type = types[number / 5 % 4];
        int channels = 2 + number / 20 % 4;
        abbe_method method = methods[number / 80 == 0 ? 0 : number / 80 + 1];
        struct picture packed = apply_laid(treatment, type, channels, method, LAYOUT_PACKED);
        struct picture planes = apply_laid(treatment, type, channels, method, LAYOUT_PADDED_PLANES);
        double levels = type_levels(type);
        if (!apply_near(&planes, &packed, trial_tolerance(levels > 0 ? 1.01 / levels : 1e-3)))
            fail_msg("%s, alpha %d, type %d, %d channels, method %s", treatment->filter,
                     (int)treatment->alpha, (int)type, channels, abbe_method_name(method));
        picture_free(&packed);
        picture_free(&planes);
    }
}

/* Integers that stand for themselves: the result of another type has the same number, border_value and
 * offset are levels. */
static void integers_as_values(void **state)
{
    (void)state;
    const uint8_t bytes[6] = { 0, 10, 255, 7, 128, 31 };
    static const double expected[6] = { 5 + 100 + 0.5, 5 + 0.5,     5 + 10 + 0.5,
                                        5 + 255 + 0.5, 5 + 7 + 0.5, 5 + 128 + 0.5 };
    double values[] = { 0, 0, 1 };
    abbe_filter *shift = apply_kernel(&(abbe_matrix){ 3, 1, values }, NULL);
    for (int t = 1; t < TYPES; t++) {
        struct stored result = stored_create_laid(6, 1, 1, types[t], LAYOUT_PACKED);
        abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = 6,
                                                                  .height = 1,
                                                                  .channels = 1,
                                                                  .source_type = ABBE_U8,
                                                                  .result_type = types[t],
                                                                  .filters = (const abbe_filter *[]){ shift },
                                                                  .filter_count = 1,
                                                                  .border = ABBE_BORDER_CONSTANT,
                                                                  .border_value = 100.5f,
                                                                  .offset = 5,
                                                                  .scale = ABBE_SCALE_VALUE });
        const abbe_image source = {
            .const_data = bytes, .width = 6, .height = 1, .channels = 1, .type = ABBE_U8
        };
        assert_int_equal(abbe_run(plan, &source, &result.view), ABBE_OK);
        struct picture got = stored_read(&result);
        double white = type_levels(types[t]) > 0 ? type_levels(types[t]) : 1;
        for (int i = 0; i < 6; i++)
            if (!(fabs(got.samples[i] * white - (expected[i] - (i ? 0.5 : 0))) <=
                  (type_levels(types[t]) > 0 ? 0.51 : 0.13) + white * 3e-7))
                fail_msg("type %d, sample %d is %g, not %g", (int)types[t], i, got.samples[i] * white,
                         expected[i]);
        picture_free(&got);
        abbe_plan_destroy(&plan);
        stored_free(&result);
    }
    abbe_filter_destroy(&shift);
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_of_memory), cmocka_unit_test(types_of_samples),   cmocka_unit_test(in_place),
        cmocka_unit_test(treatments),        cmocka_unit_test(integers_as_values),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failures;
}
