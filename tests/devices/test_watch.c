/* Watched runs report progress that rises from 0 to 1 and passes by name, and give the same bytes as other
 * runs. Also the offset of results.
 *
 * Argument: DEVICE. */
#include "support/random.h"
#include "support/test.h"

#include <abbe/abbe.h>
#include <abbe/measure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 150, HEIGHT = 90, CHANNELS = 3, SAMPLES = WIDTH * HEIGHT * CHANNELS };

static const char *device_name = "cpu";
static float pixels[SAMPLES], plain[2][SAMPLES], watched[2][SAMPLES];

struct seen {
    int calls;
    double last;
    bool fell;
};

static int note(void *user, double done)
{
    struct seen *seen = user;
    seen->calls++;
    seen->fell = seen->fell || done < seen->last || done > 1 || done < 0;
    seen->last = done;
    return 0;
}

static abbe_image view_of(float *samples)
{
    return (abbe_image){ .data = samples,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .channels = CHANNELS,
                         .stride = WIDTH * CHANNELS * sizeof(float),
                         .type = ABBE_F32 };
}

static abbe_plan *make_plan(abbe_device *device, abbe_method method, size_t count,
                            const abbe_filter *const *filters)
{
    abbe_plan *plan = NULL;
    abbe_plan_params params = { .width = WIDTH,
                                .height = HEIGHT,
                                .channels = CHANNELS,
                                .source_type = ABBE_F32,
                                .result_type = ABBE_F32,
                                .filters = filters,
                                .filter_count = count,
                                .method = method,
                                .tile_width = 40,
                                .tile_height = 40 };
    if (abbe_plan_create(device, &params, &plan))
        fail_msg("%s", abbe_error_text(device));
    return plan;
}

static void check_watched(abbe_device *device, abbe_method method, size_t count,
                          const abbe_filter *const *filters, const char *passes)
{
    abbe_plan *plan = make_plan(device, method, count, filters);
    abbe_image source = view_of(pixels);
    abbe_image to[2] = { view_of(plain[0]), view_of(plain[1]) };
    abbe_image to_watched[2] = { view_of(watched[0]), view_of(watched[1]) };
    struct seen seen = { 0 };
    abbe_watch watch = { .progress = note, .user = &seen };
    abbe_times times = { .pass_count = 77 };
    assert_int_equal(abbe_run(plan, &source, to), ABBE_OK);
    assert_int_equal(abbe_run_timed(plan, &source, to_watched, &watch, &times), ABBE_OK);
    assert_memory_equal(plain, watched, count * sizeof plain[0]);
    assert_true(seen.calls > 0 && !seen.fell && seen.last == 1);
    char names[128] = "";
    for (int i = 0; i < times.pass_count; i++) {
        assert_true(times.passes[i].seconds >= 0 && isfinite(times.passes[i].seconds));
        strcat(strcat(names, times.passes[i].name), ";");
    }
    assert_string_equal(names, passes);
    abbe_plan_destroy(&plan);
}

static void every_method(void **state)
{
    (void)state;
    abbe_device *device = NULL;
    abbe_filter *filters[2] = { NULL, NULL };
    struct random random = { 9 };
    for (int i = 0; i < SAMPLES; i++)
        pixels[i] = (float)random_unit(&random);
    /* With one thread, the calls of the first thread report every unit. */
    if (abbe_device_open(device_name, &(abbe_device_params){ .threads = 1 }, &device))
        exit(77);
    assert_int_equal(abbe_filter_parse("gaussian:sigma=1.5", NULL, &filters[0]), ABBE_OK);
    assert_int_equal(abbe_filter_parse("sobel", NULL, &filters[1]), ABBE_OK);
    const abbe_filter *const *bank = (const abbe_filter *const *)filters;
    check_watched(device, ABBE_METHOD_DIRECT, 2, bank, "direct;");
    check_watched(device, ABBE_METHOD_SEPARABLE, 1, bank, "separable;");
    check_watched(device, ABBE_METHOD_TILES, 2, bank, "tiles;");
    check_watched(device, ABBE_METHOD_FFT, 1, bank, "rows;columns;rows back;");
    check_watched(device, ABBE_METHOD_FFT, 2, bank, "rows;columns;rows back;");
    abbe_filter_destroy(&filters[0]);
    abbe_filter_destroy(&filters[1]);
    abbe_device_close(&device);
}

/* The offset is added to colours as they are stored, not to alpha, and saturates with the type. */
static void offsets(void **state)
{
    (void)state;
    const uint8_t source[3][4] = { { 0, 100, 200, 255 }, { 50, 60, 70, 128 }, { 250, 0, 1, 0 } };
    uint8_t result[3][4];
    abbe_device *device = NULL;
    abbe_filter *identity = NULL;
    abbe_plan *plan = NULL;
    assert_int_equal(abbe_device_open(device_name, NULL, &device), ABBE_OK);
    assert_int_equal(abbe_filter_parse("identity", NULL, &identity), ABBE_OK);
    abbe_plan_params params = { .width = 3,
                                .height = 1,
                                .channels = 4,
                                .source_type = ABBE_U8,
                                .result_type = ABBE_U8,
                                .filters = (const abbe_filter *const[]){ identity },
                                .filter_count = 1,
                                .alpha = ABBE_ALPHA_INDEPENDENT,
                                .offset = 0.2f };
    abbe_image from = { .const_data = source,
                        .width = 3,
                        .height = 1,
                        .channels = 4,
                        .stride = sizeof source,
                        .type = ABBE_U8 },
               to = from;
    to.data = result;
    assert_int_equal(abbe_plan_create(device, &params, &plan), ABBE_OK);
    assert_int_equal(abbe_run(plan, &from, &to), ABBE_OK);
    for (int i = 0; i < 12; i++) {
        int exact = i % 4 == 3 ? source[i / 4][3] : source[i / 4][i % 4] + 51;
        assert_int_equal(result[i / 4][i % 4], exact > 255 ? 255 : exact);
    }
    abbe_plan_destroy(&plan);
    params.offset = NAN;
    assert_int_equal(abbe_plan_create(device, &params, &plan), ABBE_ERR_NONFINITE);
    assert_null(plan);
    abbe_filter_destroy(&identity);
    abbe_device_close(&device);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        device_name = argv[1];
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_method), cmocka_unit_test(offsets) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
