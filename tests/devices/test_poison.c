/* The library never reads memory that it has not written: results do not depend on the contents of fresh
 * memory.
 *
 * Argument: DEVICE. posix_memalign, through which the library allocates all memory, is wrapped. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that as floats are a tiny negative number, a huge number, and a NaN, which even a multiplication
 * by 0 keeps. */
static const int poisons[] = { 0xA5, 0x5A, 0xFF };
enum { POISONS = sizeof poisons / sizeof *poisons, BANK = 3 };

static int poison = 0xA5;
static long poisoned;

int __real_posix_memalign(void **memory, size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
    int error = __real_posix_memalign(memory, alignment, size);
    if (!error)
        memset(*memory, poison, size);
    poisoned++;
    return error;
}

static abbe_device *device;

struct setting {
    int number;
    int width, height, channels;
    abbe_method method;
    abbe_border border;
    bool transfers;
};

static abbe_plan_params params_of(const struct setting *setting)
{
    bool tiles = setting->method == ABBE_METHOD_TILES;
    return (abbe_plan_params){
        .width = setting->width,
        .height = setting->height,
        .channels = setting->channels,
        .source_type = ABBE_U16,
        .result_type = setting->number % 2 ? ABBE_F32 : ABBE_F16,
        .filter_count = 1 + (size_t)setting->number % BANK,
        .border = setting->border,
        .border_value = 0.4f,
        .method = setting->method,
        .tile_width = tiles ? 6 : 0,
        .tile_height = tiles ? 5 : 0,
        .linear_light = setting->number % 5 == 0,
        .alpha = setting->channels == 4 ? ABBE_ALPHA_PREMULTIPLY : ABBE_ALPHA_NONE,
    };
}

/* Creates filters and a plan and runs it once under one poison, into results with the same initial bytes. */
static void run_once(const struct setting *setting, const abbe_image *source, struct stored *results)
{
    static const char *const kernels[BANK] = { "sobel", "gaussian:sigma=1.1", "disk:radius=2.5,emboss" };
    static const char *const gains[BANK] = { "lowpass:cutoff=0.2:shape=gaussian,sobel",
                                             "highpass:shape=gaussian",
                                             "gaussian:sigma=1,notch:x=0.3:y=0.2:radius=0.2" };
    abbe_plan_params params = params_of(setting);
    abbe_filter *filters[BANK];
    abbe_image views[BANK];
    for (size_t i = 0; i < params.filter_count; i++) {
        /* A disc is not separable. */
        size_t which = setting->method == ABBE_METHOD_SEPARABLE ? i % 2 : i;
        filters[i] = apply_filter(setting->transfers ? gains[i] : kernels[which]);
        results[i] = stored_create(setting->width, setting->height, setting->channels, params.result_type, 0,
                                   false, true);
        views[i] = results[i].view;
    }
    params.filters = (const abbe_filter *const *)filters;
    abbe_plan *plan = apply_plan(device, &params);
    if (abbe_run(plan, source, views))
        fail_msg("%s", abbe_error_text(device));
    abbe_plan_destroy(&plan);
    for (size_t i = 0; i < params.filter_count; i++)
        abbe_filter_destroy(&filters[i]);
}

static void check_poison(const struct setting *setting)
{
    size_t count = params_of(setting).filter_count;
    struct random random = { (uint64_t)setting->number };
    struct stored source = stored_create(setting->width, setting->height, setting->channels, ABBE_U16, 0,
                                         false, true);
    struct stored first[BANK], other[BANK];
    stored_randomize(&source, &random, true);
    poison = poisons[0];
    run_once(setting, &source.view, first);
    /* The first poison comes twice: two equal runs must give identical bytes. */
    for (int i = 0; i < POISONS; i++) {
        poison = poisons[i];
        run_once(setting, &source.view, other);
        for (size_t r = 0; r < count; r++) {
            if (memcmp(first[r].first, other[r].first, first[r].pixels))
                fail_msg("case %d: %d x %d x %d, method %s, border %s, transfers %d, result %zu of %zu, %02x",
                         setting->number, setting->width, setting->height, setting->channels,
                         abbe_method_name(setting->method), abbe_border_name(setting->border),
                         setting->transfers, r + 1, count, (unsigned)poison);
            stored_free(&other[r]);
        }
    }
    for (size_t r = 0; r < count; r++)
        stored_free(&first[r]);
    stored_free(&source);
}

static void filtering(void **state)
{
    (void)state;
    static const int shapes[][2] = {
        { 1, 1 }, { 1, 6 }, { 7, 1 }, { 5, 3 }, { 17, 9 }, { 16, 32 }, { 37, 23 }
    };
    int step = effort_is_slight() ? 47 : 1, cases = 0;
    for (int number = 0; number < 7 * 4 * 6 * 6; number += step) {
        if (!effort_takes(number / step))
            continue;
        struct setting setting = {
            .number = number,
            .width = shapes[number % 7][0],
            .height = shapes[number % 7][1],
            .channels = 1 + number / 7 % 4,
            .border = (abbe_border)(number / 28 % 6),
            .method = (abbe_method)(number / 168),
        };
        if (number / 168 > ABBE_METHOD_TILES) {
            setting.method = ABBE_METHOD_FFT;
            setting.transfers = true;
        }
        check_poison(&setting);
        cases++;
    }
    assert_true(poisoned > 9 * cases);
}

/* The packed spectrum of a picture and the picture of this spectrum, under each poison. */
static void spectra(void **state)
{
    (void)state;
    test_require_host(device);
    static const int shapes[][2] = { { 1, 1 }, { 6, 1 }, { 1, 11 }, { 12, 7 }, { 23, 46 }, { 97, 3 } };
    for (int number = 0; number < 6 * 4 * POISONS; number++) {
        int width = shapes[number % 6][0], height = shapes[number % 6][1], channels = 1 + number / 6 % 4;
        struct random random = { 1 };
        struct stored source = stored_create(width, height, channels, ABBE_U8, 0, false, true);
        struct stored packed[2], back[2];
        stored_randomize(&source, &random, true);
        for (int i = 0; i < 2; i++) {
            poison = poisons[(number / 24 + i) % POISONS];
            packed[i] = stored_create(width, height, channels, ABBE_F32, 0, false, true);
            back[i] = stored_create(width, height, channels, ABBE_F32, 0, false, true);
            assert_int_equal(abbe_spectrum_forward(device, &source.view, &packed[i].view), ABBE_OK);
            assert_int_equal(abbe_spectrum_inverse(device, &packed[i].view, &back[i].view), ABBE_OK);
        }
        assert_memory_equal(packed[0].first, packed[1].first, packed[0].pixels);
        assert_memory_equal(back[0].first, back[1].first, back[0].pixels);
        stored_free(&source);
        for (int i = 0; i < 2; i++) {
            stored_free(&packed[i]);
            stored_free(&back[i]);
        }
    }
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(filtering), cmocka_unit_test(spectra) };

TEST_MAIN_ON_DEVICE(tests, device, 1)
