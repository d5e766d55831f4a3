/* NaN and infinity in the source: the run fails with their position and writes nothing, or treats them as 0.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static abbe_device *device;

enum { WIDTH = 300, HEIGHT = 7, CHANNELS = 3 };

static unsigned char *sample_of(const struct stored *stored, int x, int y, int channel)
{
    const abbe_image *view = &stored->view;
    ptrdiff_t size = (ptrdiff_t)abbe_type_size(view->type);
    ptrdiff_t pixel = view->pixel_stride ? view->pixel_stride : CHANNELS * size;
    return (unsigned char *)view->data + y * view->stride + x * pixel +
           channel * (view->channel_stride ? view->channel_stride : size);
}

/* Stores nonfinite value `number`: a quiet NaN, a signalling NaN or one of the two infinities. */
static void store_nonfinite(const struct stored *stored, int x, int y, int channel, int number)
{
    static const uint32_t singles[] = { 0x7fc00000, 0x7f800000, 0xff800000, 0xffa00001 };
    static const uint16_t halves[] = { 0x7e00, 0x7c00, 0xfc00, 0xfd01 };
    size_t size = abbe_type_size(stored->view.type);
    memcpy(sample_of(stored, x, y, channel),
           size == 2 ? (const void *)&halves[number] : (const void *)&singles[number], size);
}

static void blacken(const struct stored *stored, int x, int y, int channel)
{
    memset(sample_of(stored, x, y, channel), 0, abbe_type_size(stored->view.type));
}

struct setting {
    abbe_type type;
    bool planes;
    abbe_method method;
    abbe_nonfinite nonfinite;
    abbe_alpha alpha;
    bool linear_light;
};

static struct stored noise(const struct setting *setting, uint64_t seed)
{
    struct random random = { seed };
    struct stored stored = setting->planes
                               ? stored_create_laid(WIDTH, HEIGHT, CHANNELS, setting->type, LAYOUT_PLANES)
                               : stored_create(WIDTH, HEIGHT, CHANNELS, setting->type, 0, seed % 2, true);
    stored_randomize(&stored, &random, true);
    return stored;
}

static abbe_plan *plan_of(const struct setting *setting)
{
    abbe_filter *filter = apply_filter("gaussian:sigma=1");
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = WIDTH,
                                                              .height = HEIGHT,
                                                              .channels = CHANNELS,
                                                              .source_type = setting->type,
                                                              .result_type = setting->type,
                                                              .filters = (const abbe_filter *[]){ filter },
                                                              .filter_count = 1,
                                                              .method = setting->method,
                                                              .nonfinite = setting->nonfinite,
                                                              .alpha = setting->alpha,
                                                              .linear_light = setting->linear_light });
    abbe_filter_destroy(&filter);
    return plan;
}

static void each_setting(abbe_nonfinite nonfinite, void (*check)(const struct setting *setting))
{
    static const abbe_type types[] = { ABBE_F16, ABBE_F32 };
    int step = effort_is_slight() ? 5 : 1; /* meets every type, method and kind of alpha */
    for (int number = 0; number < 2 * 4 * 3 * 2; number += step) {
        struct setting setting = { types[number % 2],
                                   number / 3 % 2,
                                   (abbe_method)(ABBE_METHOD_DIRECT + number / 2 % 4),
                                   nonfinite,
                                   (abbe_alpha)(number / 8 % 3),
                                   number / 24 };
        check(&setting);
    }
}

/* ---- Refused ------------------------------------------------------------------------------------------ */

/* The message names the first nonfinite sample in reading order; source and result keep every byte. */
static void check_refused(const struct setting *setting)
{
    static const int places[][3] = { { 0, 0, 0 }, { WIDTH - 1, HEIGHT - 1, CHANNELS - 1 }, { 257, 3, 1 } };
    abbe_plan *plan = plan_of(setting);
    for (int number = 0; number < 12; number++) {
        const int *place = places[number % 3];
        struct stored source = noise(setting, (uint64_t)number), result = noise(setting, 20);
        struct stored before = noise(setting, 20);
        store_nonfinite(&source, place[0], place[1], place[2], number / 3);
        store_nonfinite(&source, WIDTH - 1, HEIGHT - 1, CHANNELS - 1, 1);
        assert_int_equal(abbe_run(plan, &source.view, &result.view), ABBE_ERR_NONFINITE);
        char expected[64];
        snprintf(expected, sizeof expected, "x %d, y %d, channel %d ", place[0], place[1], place[2]);
        if (!strstr(abbe_error_text(device), expected))
            fail_msg("'%s' does not contain '%s'", abbe_error_text(device), expected);
        assert_memory_equal(result.first, before.first, result.pixels);
        assert_int_equal(abbe_run(plan, &source.view, &source.view), ABBE_ERR_NONFINITE);
        stored_free(&source);
        stored_free(&result);
        stored_free(&before);
    }
    abbe_plan_destroy(&plan);
}

static void refused_with_the_place(void **state)
{
    (void)state;
    each_setting(ABBE_NONFINITE_ERROR, check_refused);
}

/* ---- Counted as 0 ------------------------------------------------------------------------------------- */

static void check_replaced(const struct setting *setting)
{
    abbe_plan *plan = plan_of(setting);
    struct stored spoiled = noise(setting, 2), replaced = noise(setting, 2);
    struct stored result = noise(setting, 4), expected = noise(setting, 4);
    for (int i = 0; i < 40; i++) {
        int x = i * 37 % WIDTH, y = i % HEIGHT, channel = i % CHANNELS;
        store_nonfinite(&spoiled, x, y, channel, i % 4);
        blacken(&replaced, x, y, channel);
    }
    assert_int_equal(abbe_run(plan, &spoiled.view, &result.view), ABBE_OK);
    assert_int_equal(abbe_run(plan, &replaced.view, &expected.view), ABBE_OK);
    if (memcmp(result.first, expected.first, result.pixels))
        fail_msg("type %d, method %s, alpha %d, linear %d", (int)setting->type,
                 abbe_method_name(setting->method), (int)setting->alpha, setting->linear_light);
    assert_int_equal(abbe_run(plan, &spoiled.view, &spoiled.view), ABBE_OK);
    assert_memory_equal(spoiled.first, expected.first, spoiled.pixels);
    struct stored *all[] = { &spoiled, &replaced, &result, &expected };
    for (int i = 0; i < 4; i++)
        stored_free(all[i]);
    abbe_plan_destroy(&plan);
}

static void replaced_by_zero(void **state)
{
    (void)state;
    each_setting(ABBE_NONFINITE_ZERO, check_replaced);
}

/* ---- Trusted ------------------------------------------------------------------------------------------ */

static bool is_near(const struct stored *a, const struct stored *b)
{
    struct picture first = stored_read(a), second = stored_read(b);
    bool near = apply_near(&first, &second, trial_tolerance(2e-6));
    picture_free(&first);
    picture_free(&second);
    return near;
}

/* All three treatments of nonfinite samples give the same bytes for a finite source. GPUs subtract no
 * pedestal where they replace samples; then ZERO differs by rounding. */
static void check_trusted(const struct setting *setting)
{
    struct setting checked = *setting, zeroed = *setting;
    checked.nonfinite = ABBE_NONFINITE_ERROR;
    zeroed.nonfinite = ABBE_NONFINITE_ZERO;
    const struct setting *all[] = { setting, &checked, &zeroed };
    struct stored source = noise(setting, 7), results[3];
    bool on_cpu = !strcmp(abbe_device_name(device), "cpu");
    for (int i = 0; i < 3; i++) {
        abbe_plan *plan = plan_of(all[i]);
        results[i] = noise(setting, 9);
        assert_int_equal(abbe_run(plan, &source.view, &results[i].view), ABBE_OK);
        if (i < 2 || on_cpu)
            assert_memory_equal(results[i].first, results[0].first, results[0].pixels);
        else
            assert_true(is_near(&results[i], &results[0]));
        abbe_plan_destroy(&plan);
    }
    stored_free(&source);
    for (int i = 0; i < 3; i++)
        stored_free(&results[i]);
}

static void trusted_is_the_same(void **state)
{
    (void)state;
    each_setting(ABBE_NONFINITE_TRUST, check_trusted);
}

/* ---- Spectra ------------------------------------------------------------------------------------------ */

static void spectra_refuse(void **state)
{
    (void)state;
    test_require_host(device);
    const struct setting floats = { .type = ABBE_F32 };
    struct stored source = noise(&floats, 1), packed = noise(&floats, 3), before = noise(&floats, 3);
    store_nonfinite(&source, 200, 5, 2, 1);
    assert_int_equal(abbe_spectrum_forward(device, &source.view, &packed.view), ABBE_ERR_NONFINITE);
    assert_int_equal(abbe_spectrum_inverse(device, &source.view, &packed.view), ABBE_ERR_NONFINITE);
    assert_memory_equal(packed.first, before.first, packed.pixels);
    stored_free(&source);
    stored_free(&packed);
    stored_free(&before);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(refused_with_the_place),
    cmocka_unit_test(replaced_by_zero),
    cmocka_unit_test(trusted_is_the_same),
    cmocka_unit_test(spectra_refuse),
};

TEST_MAIN_ON_DEVICE(tests, device, 1)
