/* The named kernels by every possible method, compared with the oracle within the error bound of
 * docs/maths.md.
 *
 * Random taps cancel each other little; the taps of differences of Gaussians nearly cancel. Argument:
 * DEVICE. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

static abbe_device *device;

static const char *const texts[] = {
    "identity",
    "box:radius=3",
    "box:width=4:height=7",
    "gaussian:sigma=1.5",
    "derivative:sigma=1.5:order_x=2:order_y=1",
    "disk:radius=5",
    "motion:length=15:angle=30",
    "sharpen",
    "sharpen:amount=1000",
    "unsharp",
    "unsharp:sigma=1:amount=1000",
    "unsharp:sigma=3:amount=0.001",
    "laplacian",
    "laplacian:connect=8",
    "log:sigma=0.6",
    "log",
    "dog",
    "dog:sigma=1:ratio=1.001",
    "dog:sigma=1:ratio=1.01",
    "dog:sigma=3:ratio=1.001",
    "sobel:axis=x",
    "prewitt:axis=y",
    "scharr:axis=x",
    "emboss",
    "gabor",
    "gabor:period=12:angle=30:sigma=3",
    "gabor:period=6:angle=45",
    "gaussian:sigma=1,dog:sigma=1:ratio=1.01",
    "dog:sigma=1:ratio=1.1,dog:sigma=1.5:ratio=1.1",
};

static struct trial_kernel named_kernel(const char *text)
{
    struct trial_kernel kernel = { .filter = apply_filter(text) };
    const abbe_filter_info *info = abbe_filter_describe(kernel.filter);
    assert_int_equal(abbe_filter_taps(kernel.filter, 0, &kernel.taps), ABBE_OK);
    kernel.centre_x = info->centre_x;
    kernel.centre_y = info->centre_y;
    kernel.peak = reference_peak(&kernel.taps);
    return kernel;
}

static bool is_possible(const struct trial *trial, const struct trial_kernel *kernel, abbe_method method)
{
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){
                                             .width = trial->width,
                                             .height = trial->height,
                                             .channels = trial->channels,
                                             .source_type = trial->source_type,
                                             .result_type = trial->result_type,
                                             .border = trial->border,
                                             .filters = (const abbe_filter *const[]){ kernel->filter },
                                             .filter_count = 1,
                                         });
    size_t count;
    const abbe_candidate *const *candidates = abbe_plan_explain(plan, &count);
    bool possible = method == ABBE_METHOD_AUTO;
    for (size_t i = 0; i < count; i++)
        possible |= candidates[i]->method == method && candidates[i]->possible;
    abbe_plan_destroy(&plan);
    return possible;
}

static void check_kernel(const char *text, struct trial trial)
{
    struct trial_kernel kernel = named_kernel(text);
    struct trial_case one = trial_case_create(&trial, &kernel);
    for (int method = ABBE_METHOD_AUTO; method <= ABBE_METHOD_TILES; method++) {
        trial.method = (abbe_method)method;
        if (is_possible(&trial, &kernel, trial.method) && !trial_run(device, &trial, &kernel, &one))
            fail_msg("%s, method %s", text, abbe_method_name(trial.method));
    }
    trial_case_free(&one);
    trial_kernel_free(&kernel);
}

/* U8 samples are positive, so the terms that cancel are much larger than the result. */
static void named_kernels_keep_the_bound(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int turn = 0; turn < 4; turn++) {
            if (effort_is_slight() && turn != (int)i % 4)
                continue;
            struct trial trial = {
                .seed = i * 4 + (size_t)turn,
                .width = 61 - 9 * turn,
                .height = 40 + 5 * turn,
                .channels = 1 + turn / 2,
                .source_type = turn % 2 ? ABBE_F32 : ABBE_U8,
                .result_type = ABBE_F32,
                .border = (abbe_border)((i + (size_t)turn) % (ABBE_BORDER_WRAP + 1)),
            };
            trial.border_value = trial.border == ABBE_BORDER_CONSTANT ? 1.0f : 0.0f;
            check_kernel(texts[i], trial);
        }
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(named_kernels_keep_the_bound) };

TEST_MAIN_ON_DEVICE(tests, device, 2)
