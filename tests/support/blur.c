/* A small blur and its expected result. */
#include "support/blur.h"
#include "support/apply.h"
#include "support/test.h"

static float pixels[BLUR_SAMPLES], expected[BLUR_SAMPLES];

int blur_plan(abbe_device *device, abbe_method method, abbe_plan **plan)
{
    abbe_filter *blur = apply_filter("gaussian:sigma=1");
    abbe_plan_params params = { .width = BLUR_WIDTH,
                                .height = BLUR_HEIGHT,
                                .channels = 1,
                                .source_type = ABBE_F32,
                                .result_type = ABBE_F32,
                                .filters = (const abbe_filter *const *)&blur,
                                .filter_count = 1,
                                .method = method };
    int error = abbe_plan_create(device, &params, plan);
    abbe_filter_destroy(&blur);
    return error;
}

abbe_image blur_view(float *samples)
{
    return (abbe_image){ .data = samples,
                         .width = BLUR_WIDTH,
                         .height = BLUR_HEIGHT,
                         .channels = 1,
                         .stride = BLUR_WIDTH * sizeof(float),
                         .type = ABBE_F32 };
}

abbe_image blur_source(void)
{
    return blur_view(pixels);
}

int blur_run(abbe_device *device, abbe_method method, float *out)
{
    abbe_plan *plan = NULL;
    abbe_image source = blur_source(), result = blur_view(out);
    int error = blur_plan(device, method, &plan);
    if (!error)
        error = abbe_run(plan, &source, &result);
    abbe_plan_destroy(&plan);
    return error;
}

bool blur_is_right(const float *out)
{
    bool right = true;
    for (int i = 0; i < BLUR_SAMPLES; i++)
        right = right && out[i] - expected[i] < 1e-5f && expected[i] - out[i] < 1e-5f;
    return right;
}

void blur_assert_right(const float *out)
{
    assert_true(blur_is_right(out));
}

int blur_make_expected(void **state)
{
    (void)state;
    abbe_filter *blur = apply_filter("gaussian:sigma=1");
    abbe_matrix taps;
    const abbe_filter_info *info = abbe_filter_describe(blur);
    if (abbe_filter_taps(blur, 0, &taps))
        return 1;
    struct picture in = apply_noise(BLUR_WIDTH, BLUR_HEIGHT, 1, 1, true);
    struct picture out = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &taps, info->centre_x,
                                            info->centre_y);
    for (int i = 0; i < BLUR_SAMPLES; i++) {
        pixels[i] = (float)in.samples[i];
        expected[i] = (float)out.samples[i];
    }
    picture_free(&in);
    picture_free(&out);
    abbe_matrix_free(&taps);
    abbe_filter_destroy(&blur);
    return 0;
}
