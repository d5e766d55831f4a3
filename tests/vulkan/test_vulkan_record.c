/* Recordings into an application's command buffers: every format, kind and layout of pictures, by every
 * method, against the oracle; banks; alpha; several recordings in flight, and one that is submitted again.
 *
 * Needs a software driver; skipped (77) without one. */
#include "support/apply.h"
#include "support/program.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 22, HEIGHT = 17, RESULTS_MAX = 3 };

static struct program program;
static abbe_device *device;

static const VkFormat formats[] = { VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_SFLOAT,
                                    VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_B8G8R8A8_UNORM,
                                    VK_FORMAT_R16G16B16A16_UNORM };
enum { FORMATS = sizeof formats / sizeof *formats };

static double tolerance_of(abbe_type type)
{
    switch (type) {
    case ABBE_U8: return 0.5 / 255 + 1e-5;
    case ABBE_U16: return 0.5 / 65535 + 1e-5;
    case ABBE_F16: return 0x1p-11;
    default: break;
    }
    return 1e-5;
}

/* The stored picture convolved with a component of the filter. */
static struct picture convolved(const struct picture *in, const abbe_filter *filter, int component)
{
    abbe_matrix taps;
    assert_int_equal(abbe_filter_taps(filter, component, &taps), ABBE_OK);
    struct picture out = reference_convolve(in, ABBE_BORDER_REFLECT, 0, &taps, taps.width / 2,
                                            taps.height / 2);
    abbe_matrix_free(&taps);
    return out;
}

static abbe_plan_params params_of(const struct held *source, const struct held *result, abbe_method method)
{
    return (abbe_plan_params){ .width = source->picture.width,
                               .height = source->picture.height,
                               .channels = source->channels,
                               .source_type = source->type,
                               .result_type = result->type,
                               .filter_count = 1,
                               .method = method,
                               .tile_width = method == ABBE_METHOD_TILES ? 9 : 0,
                               .tile_height = method == ABBE_METHOD_TILES ? 9 : 0,
                               .nonfinite = ABBE_NONFINITE_TRUST };
}

static abbe_vulkan_kind kind_of(const struct held *held)
{
    return held->image ? ABBE_VULKAN_IMAGE : ABBE_VULKAN_BUFFER;
}

static abbe_vulkan_slot *make_slot(const abbe_plan *plan, const struct held *source,
                                   const struct held *result)
{
    abbe_vulkan_slot *slot = NULL;
    if (abbe_vulkan_slot_create(plan, kind_of(source), kind_of(result), &slot))
        fail_msg("%s", abbe_error_text(device));
    return slot;
}

/* Records with the barriers that must surround it. */
static void record(abbe_vulkan_slot *slot, VkCommandBuffer commands, const struct held *source,
                   const struct held *results, int count)
{
    abbe_vulkan_picture pictures[RESULTS_MAX];
    for (int i = 0; i < count; i++)
        pictures[i] = results[i].picture;
    program_barrier(commands);
    if (abbe_vulkan_record(slot, commands, &source->picture, pictures))
        fail_msg("%s", abbe_error_text(device));
    program_barrier(commands);
}

static void run(const abbe_plan_params *params, const struct held *source, const struct held *results)
{
    abbe_plan *plan = apply_plan(device, params);
    abbe_vulkan_slot *slot = make_slot(plan, source, results);
    VkCommandBuffer commands = program_begin(&program);
    record(slot, commands, source, results, (int)params->filter_count);
    program_submit(&program, commands);
    program_wait(&program);
    abbe_vulkan_slot_destroy(&slot);
    assert_null(slot);
    abbe_plan_destroy(&plan);
}

static void fill(struct held *held, uint64_t seed)
{
    struct picture noise = apply_noise(held->picture.width, held->picture.height, held->channels, seed, true);
    program_write(&program, held, &noise);
    picture_free(&noise);
}

/* ---- One result --------------------------------------------------------------------------------------- */

/* Checks noise that is filtered from one picture into another. */
static void check(struct held *source, struct held *result, abbe_method method, const char *text)
{
    abbe_filter *filter = apply_filter(text);
    abbe_plan_params params = params_of(source, result, method);
    params.filters = (const abbe_filter *const *)&filter;
    fill(source, 1);
    run(&params, source, result);
    struct picture in = program_read(&program, source), got = program_read(&program, result);
    struct picture expected = convolved(&in, filter, 0);
    if (!apply_near(&got, &expected, tolerance_of(result->type)))
        fail_msg("types %d > %d, images %d > %d, channels %d, %s", (int)source->type, (int)result->type,
                 source->image != NULL, result->image != NULL, source->channels, abbe_method_name(method));
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
    abbe_filter_destroy(&filter);
    program_free(&program, source);
    program_free(&program, result);
}

/* Every format into itself and into the next one, with the methods in turn. The example has a source in
 * SHADER_READ_ONLY_OPTIMAL. */
static void images(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * FORMATS; i++) {
        struct held source = program_image(&program, WIDTH, HEIGHT, formats[i % FORMATS]);
        struct held result = program_image(&program, WIDTH, HEIGHT,
                                           formats[(i % FORMATS + i / FORMATS) % FORMATS]);
        check(&source, &result, (abbe_method)(ABBE_METHOD_DIRECT + i % 4), "gaussian:sigma=1");
    }
}

static void images_and_buffers(void **state)
{
    (void)state;
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        struct held image = program_image(&program, WIDTH, HEIGHT, VK_FORMAT_R8G8B8A8_UNORM);
        struct held buffer = program_buffer(&program, WIDTH, HEIGHT, 4, ABBE_F32, 256, 32);
        check(&image, &buffer, (abbe_method)method, "gaussian:sigma=1");
        image = program_image(&program, WIDTH, HEIGHT, VK_FORMAT_R16G16B16A16_SFLOAT);
        buffer = program_buffer(&program, WIDTH, HEIGHT, 4, ABBE_U8, 512, 4);
        check(&buffer, &image, (abbe_method)method, "gaussian:sigma=1");
    }
    /* A transform of length 37 needs Bluestein's algorithm. */
    struct held source = program_image(&program, 37, 37, VK_FORMAT_R32G32B32A32_SFLOAT);
    struct held result = program_image(&program, 37, 37, VK_FORMAT_R32G32B32A32_SFLOAT);
    check(&source, &result, ABBE_METHOD_FFT, "emboss");
}

/* Any type and number of channels: pixels of whole words, packed pixels, pixels that pass through floats. 24
 * columns are whole words for every pixel size, and padding keeps it so. */
static void buffers(void **state)
{
    (void)state;
    static const abbe_type types[] = { ABBE_U8, ABBE_U16, ABBE_F16, ABBE_F32 };
    for (int i = 0; i < 12; i++) {
        int channels = 1 + i % 6;
        abbe_type from = types[i % 4], to = types[(i / 4 + i) % 4];
        struct held source = program_buffer(&program, 24, HEIGHT, channels, from, 256 * (i % 3),
                                            16 * (i % 4));
        struct held result = program_buffer(&program, 24, HEIGHT, channels, to, 256 * (i % 2), 16 * (i % 3));
        check(&source, &result, (abbe_method)(ABBE_METHOD_DIRECT + i % 4), "gaussian:sigma=1");
    }
}

/* Nothing is written in front of a result or behind it. */
static void buffers_are_kept_apart(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("box:radius=1");
    struct held source = program_buffer(&program, 24, HEIGHT, 3, ABBE_U8, 0, 0);
    struct held result = program_buffer(&program, 24, HEIGHT, 3, ABBE_U8, 256, 0);
    struct held larger = program_buffer(&program, 24, HEIGHT + 3, 3, ABBE_U8, 256, 0);
    abbe_plan_params params = params_of(&source, &result, ABBE_METHOD_FFT);
    params.filters = (const abbe_filter *const *)&filter;
    larger.picture.height = HEIGHT;
    fill(&source, 1);
    run(&params, &source, &larger);
    for (VkDeviceSize i = 0; i < larger.size; i++)
        if (i < 256 || i >= 256 + 24 * 3 * HEIGHT)
            assert_int_equal(larger.bytes[i], 0xEE);
    program_free(&program, &source);
    program_free(&program, &result);
    program_free(&program, &larger);
    abbe_filter_destroy(&filter);
}

/* ---- Banks -------------------------------------------------------------------------------------------- */

static void check_bank(const struct held *source, const struct held *results,
                       const abbe_filter *const *filters, const char *what)
{
    struct picture in = program_read(&program, source);
    for (int i = 0; i < RESULTS_MAX; i++) {
        struct picture got = program_read(&program, &results[i]), expected = convolved(&in, filters[i], 0);
        if (!apply_near(&got, &expected, tolerance_of(results[i].type)))
            fail_msg("%s: result %d", what, i + 1);
        picture_free(&got);
        picture_free(&expected);
    }
    picture_free(&in);
}

/* Results in buffers of different strides, and in images. Five channels pass through floats. */
static void banks(void **state)
{
    (void)state;
    abbe_filter *filters[RESULTS_MAX] = { apply_filter("gaussian:sigma=1"), apply_filter("box:radius=2"),
                                          apply_filter("disk:radius=2") };
    for (int i = 0; i < 6; i++) {
        bool image = i >= 4;
        int channels = image ? 4 : 4 + i / 2;
        struct held source = program_buffer(&program, 24, HEIGHT, channels, ABBE_U8, 0, 0),
                    results[RESULTS_MAX];
        for (int r = 0; r < RESULTS_MAX; r++)
            results[r] = image ? program_image(&program, 24, HEIGHT, VK_FORMAT_R16G16B16A16_SFLOAT)
                               : program_buffer(&program, 24, HEIGHT, channels, ABBE_F16, 256 * r, 16 * r);
        abbe_plan_params params = params_of(&source, results, i % 2 ? ABBE_METHOD_FFT : ABBE_METHOD_DIRECT);
        params.filters = (const abbe_filter *const *)filters;
        params.filter_count = RESULTS_MAX;
        fill(&source, (uint64_t)i);
        run(&params, &source, results);
        check_bank(&source, results, params.filters, abbe_method_name(params.method));
        for (int r = 0; r < RESULTS_MAX; r++)
            program_free(&program, &results[r]);
        program_free(&program, &source);
    }
    for (int r = 0; r < RESULTS_MAX; r++)
        abbe_filter_destroy(&filters[r]);
}

/* ---- Alpha -------------------------------------------------------------------------------------------- */

/* A filter whose gain for constants is 0 acts on premultiplied colours and keeps the source's alpha, which
 * the last pass reads. */
static void alpha_of_the_source(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("laplacian");
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_FFT; method++) {
        struct held source = program_image(&program, WIDTH, HEIGHT, VK_FORMAT_R8G8B8A8_UNORM);
        struct held result = program_image(&program, WIDTH, HEIGHT, VK_FORMAT_R32G32B32A32_SFLOAT);
        abbe_plan_params params = params_of(&source, &result, (abbe_method)method);
        params.filters = (const abbe_filter *const *)&filter;
        params.alpha = ABBE_ALPHA_PREMULTIPLY;
        fill(&source, 3);
        run(&params, &source, &result);
        struct picture in = program_read(&program, &source), got = program_read(&program, &result);
        for (size_t i = 0; i < picture_count(&in); i++)
            in.samples[i] *= i % 4 == 3 ? 1 : in.samples[i - i % 4 + 3];
        struct picture expected = convolved(&in, filter, 0);
        for (size_t i = 3; i < picture_count(&in); i += 4)
            expected.samples[i] = in.samples[i];
        if (!apply_near(&got, &expected, 1e-5))
            fail_msg("%s", abbe_method_name(params.method));
        picture_free(&in);
        picture_free(&got);
        picture_free(&expected);
        program_free(&program, &source);
        program_free(&program, &result);
    }
    abbe_filter_destroy(&filter);
}

/* ---- In flight ---------------------------------------------------------------------------------------- */

enum { FLIGHTS = 4 };

struct flight {
    struct held source, result;
    abbe_vulkan_slot *slot;
    VkCommandBuffer commands;
};

static void check_flight(const struct flight *flight, const abbe_filter *filter, const char *what)
{
    struct picture in = program_read(&program, &flight->source),
                   got = program_read(&program, &flight->result);
    struct picture expected = convolved(&in, filter, 0);
    if (!apply_near(&got, &expected, 1e-5))
        fail_msg("%s", what);
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
}

/* Slots of one plan, two in one command buffer and the others in one each, all submitted before the first
 * wait; then once more with other pixels. */
static void several_in_flight(void **state)
{
    (void)state;
    struct flight flights[FLIGHTS] = { 0 };
    abbe_filter *filter = apply_filter("gaussian:sigma=2");
    struct held first = program_image(&program, WIDTH, HEIGHT, VK_FORMAT_R32G32B32A32_SFLOAT);
    abbe_plan_params params = params_of(&first, &first, ABBE_METHOD_FFT);
    params.filters = (const abbe_filter *const *)&filter;
    abbe_plan *plan = apply_plan(device, &params);
    for (int i = 0; i < FLIGHTS; i++) {
        struct flight *flight = &flights[i];
        flight->source = program_image(&program, WIDTH, HEIGHT, VK_FORMAT_R32G32B32A32_SFLOAT);
        flight->result = program_image(&program, WIDTH, HEIGHT, VK_FORMAT_R32G32B32A32_SFLOAT);
        flight->slot = make_slot(plan, &flight->source, &flight->result);
        flight->commands = i == 1 ? flights[0].commands : program_begin(&program);
        record(flight->slot, flight->commands, &flight->source, &flight->result, 1);
    }
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < FLIGHTS; i++)
            fill(&flights[i].source, (uint64_t)(10 * turn + i));
        for (int i = 0; i < FLIGHTS; i++)
            if (i != 1 && turn == 0)
                program_submit(&program, flights[i].commands);
            else if (i != 1)
                program_submit_again(&program, flights[i].commands);
        program_wait(&program);
        for (int i = 0; i < FLIGHTS; i++)
            check_flight(&flights[i], filter, turn ? "submitted again" : "in flight");
    }
    for (int i = 0; i < FLIGHTS; i++) {
        abbe_vulkan_slot_destroy(&flights[i].slot);
        program_free(&program, &flights[i].source);
        program_free(&program, &flights[i].result);
    }
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
    program_free(&program, &first);
}

/* The same pictures twice in one command buffer and once in another, with other pixels each time. */
static void once_more(void **state)
{
    (void)state;
    struct flight flight = { 0 };
    abbe_filter *filter = apply_filter("gaussian:sigma=2");
    flight.source = program_buffer(&program, WIDTH, HEIGHT, 4, ABBE_F32, 0, 0);
    flight.result = program_buffer(&program, WIDTH, HEIGHT, 4, ABBE_F32, 0, 0);
    abbe_plan_params params = params_of(&flight.source, &flight.result, ABBE_METHOD_FFT);
    params.filters = (const abbe_filter *const *)&filter;
    abbe_plan *plan = apply_plan(device, &params);
    flight.slot = make_slot(plan, &flight.source, &flight.result);
    VkCommandBuffer commands[2] = { program_begin(&program), NULL };
    record(flight.slot, commands[0], &flight.source, &flight.result, 1);
    for (int i = 0; i < 2; i++) {
        if (i == 1)
            commands[1] = program_begin(&program);
        program_barrier(commands[i]);
        assert_int_equal(abbe_vulkan_record(flight.slot, commands[i], NULL, NULL), ABBE_OK);
        program_barrier(commands[i]);
    }
    for (int i = 0; i < 2; i++) {
        fill(&flight.source, (uint64_t)(30 + i));
        fill(&flight.result, 40);
        program_submit(&program, commands[i]);
        program_wait(&program);
        check_flight(&flight, filter, i ? "recorded once more elsewhere" : "recorded twice");
    }
    abbe_vulkan_slot_destroy(&flight.slot);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
    program_free(&program, &flight.source);
    program_free(&program, &flight.result);
}

int main(void)
{
    if (!program_open(&program)) {
        printf("no software driver, or no validation layer\n");
        return TEST_SKIPPED;
    }
    abbe_vulkan_params params = program_params(&program);
    if (abbe_vulkan_adopt(&params, &device)) {
        printf("%s\n", abbe_error_text(NULL));
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images),
        cmocka_unit_test(images_and_buffers),
        cmocka_unit_test(buffers),
        cmocka_unit_test(buffers_are_kept_apart),
        cmocka_unit_test(banks),
        cmocka_unit_test(alpha_of_the_source),
        cmocka_unit_test(several_in_flight),
        cmocka_unit_test(once_more),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    program_close(&program);
    return failures;
}
