/* Filtering on an application's streams (abbe/cuda.h): pictures of every type and layout in the GPU's memory
 * against the oracle, banks, several streams, graphs, refused arguments, failing calls, and the
 * application's context, which stays as it was.
 *
 * * Runs on the emulated driver and on a GPU; skipped (77) without. */
#include "cuda/driver.h"
#include "support/apply.h"
#include "support/emulated.h"
#include "support/test.h"

#include <abbe/cuda.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 22, HEIGHT = 17, RESULTS_MAX = 3 };

/* ---- The application ----------------------------------------------------------------------------------- */

typedef struct graph_object *graph;

/* What the device itself does not call. */
#define MORE_FUNCTIONS(DO)                                                      \
    DO(begin_capture, cuStreamBeginCapture_v2, (cuda_stream stream, int mode))  \
    DO(end_capture, cuStreamEndCapture, (cuda_stream stream, graph * captured)) \
    DO(instantiate, cuGraphInstantiateWithFlags,                                \
       (graph * executable, graph captured, unsigned long long flags))          \
    DO(launch_graph, cuGraphLaunch, (graph executable, cuda_stream stream))     \
    DO(destroy_graph, cuGraphDestroy, (graph captured))                         \
    DO(destroy_executable, cuGraphExecDestroy, (graph executable))

#define FIELD(field, symbol, parameters) int(*field) parameters;
static struct cuda_driver f;
static struct {
    MORE_FUNCTIONS(FIELD)
} more;
static cuda_context context;
static cuda_stream streams[2];
static abbe_device *device;

static void find(void *library, const char *symbol, void *function)
{
    void *found = dlsym(library, symbol);
    memcpy(function, &found, sizeof found);
}

static bool open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
#define FIND(field, symbol, parameters) find(library, #symbol, &f.field);
#define FIND_MORE(field, symbol, parameters) find(library, #symbol, &more.field);
    if (!library)
        return false;
    CUDA_DRIVER_FUNCTIONS(FIND)
    MORE_FUNCTIONS(FIND_MORE)
    return !f.init(0) && !f.context_retain(&context, 0) && !f.context_push(context) &&
           !f.stream_create(&streams[0], CUDA_STREAM_NON_BLOCKING) && !f.stream_create(&streams[1], 0);
}

static int adopt(void **state)
{
    (void)state;
    if (abbe_cuda_adopt(&(abbe_cuda_params){ .context = NULL }, &device))
        fail_msg("%s", abbe_error_text(NULL));
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    abbe_device_close(&device);
    return 0;
}

/* A picture of the host, and the same bytes in the GPU's memory. */
struct held {
    struct stored host;
    cuda_pointer memory;
    abbe_image view; /* of the GPU's memory */
};

static struct held hold(struct stored host)
{
    struct held held = { .host = host, .view = host.view };
    assert_int_equal(f.memory_alloc(&held.memory, host.pixels), 0);
    held.view.data = (void *)(uintptr_t)(held.memory +
                                         (size_t)((unsigned char *)host.view.data - host.first));
    return held;
}

static void release(struct held *held)
{
    assert_int_equal(f.memory_free(held->memory), 0);
    stored_free(&held->host);
}

/* On a stream, behind what it has been given before. */
static void upload(const struct held *held, cuda_stream stream)
{
    stored_open_gaps(&held->host);
    assert_int_equal(f.upload_async(held->memory, held->host.first, held->host.pixels, stream), 0);
}

/* Waits for the stream. The bytes between samples must still hold their pattern. */
static struct picture download(struct held *held, cuda_stream stream)
{
    stored_open_gaps(&held->host);
    assert_int_equal(f.download_async(held->host.first, held->memory, held->host.pixels, stream), 0);
    assert_int_equal(f.stream_synchronize(stream), 0);
    assert_true(stored_check(&held->host));
    return stored_read(&held->host);
}

static void fill_with_noise(struct held *held, uint64_t seed, cuda_stream stream)
{
    struct random random = { seed };
    stored_randomize(&held->host, &random, true);
    upload(held, stream);
}

/* ---- Plans --------------------------------------------------------------------------------------------- */

static abbe_plan *make_plan(const struct held *source, const struct held *result, abbe_method method,
                            const abbe_filter *const *filters, size_t count)
{
    const abbe_image *view = &source->view;
    return apply_plan(device, &(abbe_plan_params){ .width = view->width,
                                                   .height = view->height,
                                                   .channels = view->channels,
                                                   .source_type = view->type,
                                                   .result_type = result->view.type,
                                                   .filters = filters,
                                                   .filter_count = count,
                                                   .method = method,
                                                   .tile_width = method == ABBE_METHOD_TILES ? 9 : 0,
                                                   .tile_height = method == ABBE_METHOD_TILES ? 9 : 0,
                                                   .nonfinite = ABBE_NONFINITE_TRUST });
}

static abbe_cuda_slot *make_slot(const abbe_plan *plan)
{
    abbe_cuda_slot *slot = NULL;
    if (abbe_cuda_slot_create(plan, &slot))
        fail_msg("%s", abbe_error_text(device));
    return slot;
}

static void filter_held(abbe_cuda_slot *slot, cuda_stream stream, const struct held *source,
                        const struct held *results, int count)
{
    abbe_image views[RESULTS_MAX];
    for (int i = 0; i < count; i++)
        views[i] = results[i].view;
    if (abbe_cuda_filter(slot, stream, &source->view, views))
        fail_msg("%s", abbe_error_text(device));
}

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

/* Compares what the stream wrote with the stored source convolved by the filter. */
static void assert_filtered(const struct held *source, struct held *result, const abbe_filter *filter,
                            cuda_stream stream, const char *what, int number)
{
    abbe_matrix taps;
    struct picture in = stored_read(&source->host), got = download(result, stream);
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
    struct picture expected = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &taps, taps.width / 2,
                                                 taps.height / 2);
    if (!apply_near(&got, &expected, tolerance_of(result->view.type)))
        fail_msg("%s, %d: types %d > %d, %d channels", what, number, (int)source->view.type,
                 (int)result->view.type, source->view.channels);
    picture_free(&in), picture_free(&got), picture_free(&expected);
    abbe_matrix_free(&taps);
}

/* ---- Pictures ------------------------------------------------------------------------------------------ */

static void check_once(struct stored from, struct stored to, abbe_method method, int number)
{
    abbe_filter *filter = apply_filter("gaussian:sigma=1");
    struct held source = hold(from), result = hold(to);
    abbe_plan *plan = make_plan(&source, &result, method, (const abbe_filter *const *)&filter, 1);
    abbe_cuda_slot *slot = make_slot(plan);
    fill_with_noise(&source, 7, streams[0]);
    upload(&result, streams[0]); /* the pattern between its samples */
    filter_held(slot, streams[0], &source, &result, 1);
    assert_filtered(&source, &result, filter, streams[0], abbe_method_name(method), number);
    abbe_cuda_slot_destroy(&slot);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
    release(&source), release(&result);
}

/* Every type, 1 to 6 channels, and layouts whose strides are multiples of a sample. */
static void layouts(void **state)
{
    (void)state;
    static const abbe_type types[] = { ABBE_U8, ABBE_U16, ABBE_F16, ABBE_F32 };
    static const enum layout laid[] = { LAYOUT_PACKED, LAYOUT_PLANES, LAYOUT_MIRRORED, LAYOUT_COLUMNS };
    for (int i = 0; i < 32; i++) {
        int channels = 1 + i % 6;
        struct stored from = stored_create_laid(WIDTH, HEIGHT, channels, types[i % 4],
                                                laid[(i / 4 + i / 16) % 4]);
        struct stored to = stored_create_laid(WIDTH, HEIGHT, channels, types[i / 4 % 4],
                                              laid[(i / 2 + 1) % 4]);
        check_once(from, to, (abbe_method)(ABBE_METHOD_DIRECT + (i + i / 4) % 4), i);
    }
}

/* Pitched rows, the last of them first in memory. Bytes of any distance. */
static void pitched_rows(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        check_once(
            stored_create(WIDTH, HEIGHT, 1 + i % 4, i < 4 ? ABBE_U8 : ABBE_F32, i < 4 ? 5 : 8, i % 2, true),
            stored_create(WIDTH, HEIGHT, 1 + i % 4, i < 4 ? ABBE_F32 : ABBE_U8, i < 4 ? 12 : 3, i / 2 % 2,
                          true),
            (abbe_method)(ABBE_METHOD_DIRECT + i % 4), i);
    for (int i = 0; i < 4; i++)
        check_once(stored_create_laid(WIDTH, HEIGHT, 3, ABBE_U8, LAYOUT_SPARSE),
                   stored_create_laid(WIDTH, HEIGHT, 3, ABBE_U8, LAYOUT_PADDED_PLANES),
                   (abbe_method)(ABBE_METHOD_DIRECT + i), i);
}

/* A length with a large prime, and one of a single row. */
static void lengths(void **state)
{
    (void)state;
    static const int sizes[][2] = { { 37, 41 }, { 1, 30 }, { 64, 1 } };
    for (int i = 0; i < 3; i++)
        check_once(stored_create_laid(sizes[i][0], sizes[i][1], 4, ABBE_F32, LAYOUT_PACKED),
                   stored_create_laid(sizes[i][0], sizes[i][1], 4, ABBE_F32, LAYOUT_PACKED), ABBE_METHOD_FFT,
                   i);
}

static void banks(void **state)
{
    (void)state;
    abbe_filter *filters[RESULTS_MAX] = { apply_filter("gaussian:sigma=1"), apply_filter("box:radius=1"),
                                          apply_filter("gaussian:sigma=1.5") };
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        struct held source = hold(stored_create_laid(WIDTH, HEIGHT, 3, ABBE_F32, LAYOUT_PLANES)),
                    results[RESULTS_MAX];
        for (int i = 0; i < RESULTS_MAX; i++)
            results[i] = hold(
                stored_create_laid(WIDTH, HEIGHT, 3, ABBE_F32, i ? LAYOUT_PLANES : LAYOUT_PACKED));
        abbe_plan *plan = make_plan(&source, &results[0], (abbe_method)method,
                                    (const abbe_filter *const *)filters, RESULTS_MAX);
        abbe_cuda_slot *slot = make_slot(plan);
        fill_with_noise(&source, 3, streams[0]);
        filter_held(slot, streams[0], &source, results, RESULTS_MAX);
        for (int i = 0; i < RESULTS_MAX; i++)
            assert_filtered(&source, &results[i], filters[i], streams[0], "bank", i);
        abbe_cuda_slot_destroy(&slot);
        abbe_plan_destroy(&plan);
        release(&source);
        for (int i = 0; i < RESULTS_MAX; i++)
            release(&results[i]);
    }
    for (int i = 0; i < RESULTS_MAX; i++)
        abbe_filter_destroy(&filters[i]);
}

/* ---- Streams and graphs -------------------------------------------------------------------------------- */

struct pair {
    struct held source, result;
};

static struct pair make_pair(uint64_t seed, cuda_stream stream)
{
    struct pair pair = { hold(stored_create_laid(WIDTH, HEIGHT, 4, ABBE_F32, LAYOUT_PACKED)),
                         hold(stored_create_laid(WIDTH, HEIGHT, 4, ABBE_F32, LAYOUT_PACKED)) };
    fill_with_noise(&pair.source, seed, stream);
    return pair;
}

static void release_pair(struct pair *pair)
{
    release(&pair->source), release(&pair->result);
}

/* A slot for each stream, runs that follow each other on one of them, and the default stream. */
static void several_streams(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("gaussian:sigma=1");
    cuda_stream on[] = { streams[0], streams[0], streams[1], NULL };
    struct pair pairs[4];
    for (int i = 0; i < 4; i++)
        pairs[i] = make_pair((uint64_t)i, on[i]);
    abbe_plan *plan = make_plan(&pairs[0].source, &pairs[0].result, ABBE_METHOD_FFT,
                                (const abbe_filter *const *)&filter, 1);
    abbe_cuda_slot *slots[] = { make_slot(plan), NULL, make_slot(plan), make_slot(plan) };
    for (int i = 0; i < 4; i++)
        filter_held(slots[i == 1 ? 0 : i], on[i], &pairs[i].source, &pairs[i].result, 1);
    for (int i = 3; i >= 0; i--)
        assert_filtered(&pairs[i].source, &pairs[i].result, filter, on[i], "stream", i);
    for (int i = 0; i < 4; i++) {
        abbe_cuda_slot_destroy(&slots[i]);
        release_pair(&pairs[i]);
    }
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

/* A captured run is executed twice, for two contents of the source. */
static void captured_runs(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("gaussian:sigma=1");
    struct pair pair = make_pair(1, streams[0]);
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        abbe_plan *plan = make_plan(&pair.source, &pair.result, (abbe_method)method,
                                    (const abbe_filter *const *)&filter, 1);
        abbe_cuda_slot *slot = make_slot(plan);
        graph captured, executable;
        assert_int_equal(more.begin_capture(streams[0], 0), 0); /* the strictest mode: global */
        filter_held(slot, streams[0], &pair.source, &pair.result, 1);
        assert_int_equal(more.end_capture(streams[0], &captured), 0);
        assert_int_equal(more.instantiate(&executable, captured, 0), 0);
        for (int turn = 0; turn < 2; turn++) {
            fill_with_noise(&pair.source, (uint64_t)(10 * method + turn), streams[0]);
            assert_int_equal(more.launch_graph(executable, streams[0]), 0);
            assert_filtered(&pair.source, &pair.result, filter, streams[0], "graph", turn);
        }
        assert_int_equal(more.destroy_executable(executable) | more.destroy_graph(captured), 0);
        abbe_cuda_slot_destroy(&slot);
        abbe_plan_destroy(&plan);
    }
    release_pair(&pair);
    abbe_filter_destroy(&filter);
}

/* ---- The application's context
 * -------------------------------------------------------------------------- */

static void assert_current(cuda_context expected)
{
    cuda_context found = NULL;
    assert_int_equal(f.context_current(&found), 0);
    assert_ptr_equal(found, expected);
}

/* Without a current context, one must be given; afterwards none is current, as before. */
static void context_stays(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("gaussian:sigma=1");
    struct pair pair = make_pair(1, streams[0]);
    abbe_device *other = NULL, *adopted = device;
    cuda_context popped;
    assert_int_equal(f.stream_synchronize(streams[0]) | f.context_pop(&popped), 0);
    test_refused("abbe_cuda_adopt", abbe_cuda_adopt(&(abbe_cuda_params){ .context = NULL }, &other),
                 ABBE_ERR_INVALID, NULL, "context");
    assert_int_equal(abbe_cuda_adopt(&(abbe_cuda_params){ .context = context }, &other), ABBE_OK);
    device = other;
    abbe_plan *plan = make_plan(&pair.source, &pair.result, ABBE_METHOD_FFT,
                                (const abbe_filter *const *)&filter, 1);
    abbe_cuda_slot *slot = make_slot(plan);
    filter_held(slot, streams[0], &pair.source, &pair.result, 1);
    assert_current(NULL);
    assert_int_equal(f.context_push(context), 0);
    assert_filtered(&pair.source, &pair.result, filter, streams[0], "another context", 0);
    assert_current(context);
    abbe_cuda_slot_destroy(&slot);
    abbe_plan_destroy(&plan);
    abbe_device_close(&other);
    assert_current(context);
    device = adopted;
    release_pair(&pair);
    abbe_filter_destroy(&filter);
}

/* ---- Refused ------------------------------------------------------------------------------------------- */

static void refused(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("gaussian:sigma=1");
    struct pair pair = make_pair(1, streams[0]);
    abbe_plan *plan = make_plan(&pair.source, &pair.result, ABBE_METHOD_FFT,
                                (const abbe_filter *const *)&filter, 1);
    abbe_cuda_slot *slot = make_slot(plan), *none = NULL;
    abbe_image source = pair.source.view, result = pair.result.view;
    test_refused("no plan", abbe_cuda_slot_create(NULL, &none), ABBE_ERR_INVALID, NULL, "plan");
    test_refused("no slot", abbe_cuda_filter(NULL, NULL, &source, &result), ABBE_ERR_INVALID, NULL, "slot");
    test_refused("no source", abbe_cuda_filter(slot, NULL, NULL, &result), ABBE_ERR_INVALID, device,
                 "source");
    test_refused("no results", abbe_cuda_filter(slot, NULL, &source, NULL), ABBE_ERR_INVALID, device,
                 "result");
    source.width--;
    test_refused("narrow", abbe_cuda_filter(slot, NULL, &source, &result), ABBE_ERR_INVALID, device,
                 "source");
    source = pair.source.view;
    result.type = ABBE_U8;
    test_refused("type", abbe_cuda_filter(slot, NULL, &source, &result), ABBE_ERR_INVALID, device, "result");
    result = pair.result.view;
    result.data = (char *)result.data + 1;
    test_refused("odd address", abbe_cuda_filter(slot, NULL, &source, &result), ABBE_ERR_INVALID, device,
                 "multiple");
    abbe_device *cpu = NULL;
    assert_int_equal(abbe_device_open("cpu", NULL, &cpu), ABBE_OK);
    abbe_plan_params params = { .width = 8,
                                .height = 8,
                                .channels = 1,
                                .source_type = ABBE_F32,
                                .result_type = ABBE_F32,
                                .filters = (const abbe_filter *const *)&filter,
                                .filter_count = 1 };
    abbe_plan *foreign = apply_plan(cpu, &params), *checking = apply_plan(device, &params);
    test_refused("another device", abbe_cuda_slot_create(foreign, &none), ABBE_ERR_INVALID, cpu,
                 "abbe_cuda_adopt");
    test_refused("nonfinite", abbe_cuda_slot_create(checking, &none), ABBE_ERR_INVALID, device, "NONFINITE");
    assert_null(none);
    abbe_plan_destroy(&foreign), abbe_plan_destroy(&checking), abbe_plan_destroy(&plan);
    abbe_device_close(&cpu);
    abbe_cuda_slot_destroy(&slot);
    release_pair(&pair);
    abbe_filter_destroy(&filter);
}

/* ---- Failing calls ------------------------------------------------------------------------------------- */

/* Every call of making a slot and of filtering fails once: a clean error, and the next try succeeds. */
static void failing_calls(void **state)
{
    (void)state;
    const struct emulator *driver = emulated_find();
    if (!driver)
        skip();
    abbe_filter *filter = apply_filter("gaussian:sigma=1");
    struct pair pair = make_pair(1, streams[0]);
    abbe_plan *plan = make_plan(&pair.source, &pair.result, ABBE_METHOD_FFT,
                                (const abbe_filter *const *)&filter, 1);
    abbe_cuda_slot *slot = NULL;
    int error = ABBE_ERR_DEVICE;
    long n = 0;
    for (; error; n++) {
        struct emulator_counts before = driver->counts();
        driver->fail_at(n, CUDA_UNKNOWN, false);
        error = abbe_cuda_slot_create(plan, &slot);
        if (!error)
            error = abbe_cuda_filter(slot, streams[0], &pair.source.view, &pair.result.view);
        if (error && error != ABBE_ERR_DEVICE)
            fail_msg("call %ld: %s, %s", n, abbe_error_name(error), abbe_error_text(device));
        driver->fail_at(-1, CUDA_OK, false);
        if (!error)
            break;
        assert_int_equal(f.stream_synchronize(streams[0]), 0);
        abbe_cuda_slot_destroy(&slot);
        assert_null(driver->first_difference(before, driver->counts()));
    }
    assert_true(n > 4);
    for (int i = 0; i < 4; i++) { /* entering the context, and three launches */
        driver->fail_at(i, CUDA_OUT_OF_MEMORY, false);
        assert_int_equal(abbe_cuda_filter(slot, streams[0], &pair.source.view, &pair.result.view),
                         ABBE_ERR_MEMORY);
    }
    driver->fail_at(-1, CUDA_OK, false);
    assert_int_equal(f.stream_synchronize(streams[0]), 0);
    assert_filtered(&pair.source, &pair.result, filter, streams[0], "after failures", 0);
    abbe_cuda_slot_destroy(&slot);
    abbe_plan_destroy(&plan);
    release_pair(&pair);
    abbe_filter_destroy(&filter);
}

/* abbe_run does what it does on any device. */
static void plain_runs(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("gaussian:sigma=1");
    struct picture in = apply_noise(WIDTH, HEIGHT, 2, 4, true);
    abbe_matrix taps;
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
    struct picture expected = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &taps, taps.width / 2,
                                                 taps.height / 2);
    struct picture got = apply(device, (abbe_plan_params){ .method = ABBE_METHOD_FFT }, filter, &in);
    assert_true(apply_near(&got, &expected, 1e-5));
    picture_free(&in), picture_free(&got), picture_free(&expected);
    abbe_matrix_free(&taps);
    abbe_filter_destroy(&filter);
}

int main(void)
{
    if (!open_driver()) {
        printf("there is no driver of CUDA\n");
        return TEST_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),       cmocka_unit_test(pitched_rows),    cmocka_unit_test(lengths),
        cmocka_unit_test(banks),         cmocka_unit_test(several_streams), cmocka_unit_test(captured_runs),
        cmocka_unit_test(context_stays), cmocka_unit_test(refused),         cmocka_unit_test(failing_calls),
        cmocka_unit_test(plain_runs),
    };
    int failures = cmocka_run_group_tests(tests, adopt, close_device);
    const struct emulator *driver = emulated_find();
    const struct emulator_counts own = { .contexts = 1, .streams = 2 };
    if (driver && !failures && driver->first_difference(driver->counts(), own)) {
        printf("the device leaves %s\n", driver->first_difference(driver->counts(), own));
        return 1;
    }
    return failures;
}
