/* abbe_stream: strips and tiles against convolution in double precision and against abbe_run; order, memory,
 * callbacks that fail, cancellation, bad parameters.
 *
 * Arguments: DEVICE. */
#include "support/apply.h"
#include "support/faults.h"
#include "support/stopper.h"
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

/* ---- A picture in memory, read and written by callbacks ----------------------------------------------- */

enum { RESULTS_MAX = 2 };

struct film {
    struct stored source, results[RESULTS_MAX];
    unsigned char *written[RESULTS_MAX]; /* how often each pixel was written */
    int last_x[RESULTS_MAX], last_y[RESULTS_MAX];
    bool in_order;
    int calls, fail_at; /* −1: no call fails */
    int reads, writes, widest, pixels_read;
};

static void copy_view(const abbe_image *from, int fx, int fy, const abbe_image *to, int tx, int ty, int width,
                      int height)
{
    size_t size = abbe_type_size(from->type);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < from->channels; c++) {
                const abbe_image *v = from;
                const char *a = (const char *)v->data + (fy + y) * v->stride + (fx + x) * v->pixel_stride +
                                c * v->channel_stride;
                char *b = (char *)to->data + (ty + y) * to->stride + (tx + x) * to->pixel_stride +
                          c * to->channel_stride;
                memcpy(b, a, size);
            }
}

/* A view whose strides are all set. */
static abbe_image explicit_view(const abbe_image *view)
{
    abbe_image full = *view;
    ptrdiff_t size = (ptrdiff_t)abbe_type_size(view->type);
    full.channel_stride = view->channel_stride ? view->channel_stride : size;
    full.pixel_stride = view->pixel_stride ? view->pixel_stride : size * view->channels;
    full.stride = view->stride ? view->stride : full.pixel_stride * view->width;
    return full;
}

static int read_film(void *user, int x, int y, const abbe_image *to)
{
    struct film *film = user;
    if (film->calls++ == film->fail_at)
        return 5;
    const abbe_image *source = &film->source.view;
    assert_true(x >= 0 && y >= 0 && to->width > 0 && to->height > 0);
    assert_true(x + to->width <= source->width && y + to->height <= source->height);
    assert_true(to->type == source->type && to->channels == source->channels);
    film->reads++;
    film->pixels_read += to->width * to->height;
    abbe_image from = explicit_view(source), into = explicit_view(to);
    copy_view(&from, x, y, &into, 0, 0, to->width, to->height);
    return 0;
}

static int write_film(void *user, int result, int x, int y, const abbe_image *from)
{
    struct film *film = user;
    if (film->calls++ == film->fail_at)
        return -7;
    assert_true(result >= 0 && result < RESULTS_MAX);
    const abbe_image *whole = &film->results[result].view;
    assert_true(x >= 0 && y >= 0 && from->width > 0 && from->height > 0);
    assert_true(x + from->width <= whole->width && y + from->height <= whole->height);
    assert_true(from->type == whole->type && from->channels == whole->channels);
    film->in_order &= y > film->last_y[result] || (y == film->last_y[result] && x > film->last_x[result]);
    film->last_x[result] = x, film->last_y[result] = y;
    film->widest = from->width > film->widest ? from->width : film->widest;
    film->writes++;
    abbe_image view = explicit_view(from), into = explicit_view(whole);
    copy_view(&view, 0, 0, &into, x, y, from->width, from->height);
    for (int k = 0; k < from->width * from->height; k++)
        film->written[result][(y + k / from->width) * whole->width + x + k % from->width]++;
    return 0;
}

static struct film film_create(const abbe_plan_params *p, int width, int height, uint64_t seed)
{
    struct random random = { seed };
    struct film film = { .fail_at = -1, .in_order = true };
    film.source = stored_create(p->width, p->height, p->channels, p->source_type, 0, false, true);
    stored_randomize(&film.source, &random, true);
    for (int r = 0; r < RESULTS_MAX; r++) {
        abbe_type type = p->result_type ? p->result_type : p->source_type;
        film.results[r] = stored_create(width, height, p->channels, type, 0, false, true);
        film.written[r] = calloc((size_t)width * (size_t)height, 1);
        film.last_x[r] = film.last_y[r] = -1;
    }
    return film;
}

static void film_free(struct film *film)
{
    stored_free(&film->source);
    for (int r = 0; r < RESULTS_MAX; r++) {
        stored_free(&film->results[r]);
        free(film->written[r]);
    }
}

static bool film_is_whole(const struct film *film, int results)
{
    bool once = film->in_order;
    for (int r = 0; r < results; r++)
        for (int k = 0; k < film->results[r].view.width * film->results[r].view.height; k++)
            once = once && film->written[r][k] == 1;
    return once;
}

static int stream_film(struct film *film, const abbe_plan_params *params, size_t memory,
                       const abbe_watch *watch)
{
    return abbe_stream(
        device,
        &(abbe_stream_params){
            .plan = params, .read = read_film, .write = write_film, .user = film, .memory = memory },
        watch);
}

/* The smallest of rising bounds of memory with which the stream works; its results are in `film`. */
static size_t stream_least(struct film *film, const abbe_plan_params *params)
{
    for (size_t memory = 512;; memory += memory / 2) {
        int error = stream_film(film, params, memory, NULL);
        if (!error)
            return memory;
        assert_int_equal(error, ABBE_ERR_MEMORY);
        assert_int_equal(film->calls, 0);
    }
}

/* ---- Against the oracle ------------------------------------------------------------------------------- */

static double convolve_at(const abbe_plan_params *p, const struct trial_kernel *kernel,
                          const struct picture *in, int x, int y, int channel)
{
    const abbe_matrix *taps = &kernel->taps;
    double sum = 0, outside = p->border == ABBE_BORDER_CONSTANT ? p->border_value : 0;
    for (int j = 0; j < taps->height; j++)
        for (int i = 0; i < taps->width; i++) {
            int dx = i - kernel->centre_x, dy = j - kernel->centre_y;
            sum += taps->values[(size_t)j * (size_t)taps->width + (size_t)i] *
                   reference_sample(in, p->border, outside, p->correlate ? x + dx : x - dx,
                                    p->correlate ? y + dy : y - dy, channel);
        }
    return sum;
}

static struct picture expected_results(const abbe_plan_params *p, const struct trial_kernel *kernel,
                                       const struct picture *in)
{
    struct picture right = picture_create(p->width, p->height, p->channels);
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++)
            for (int c = 0; c < p->channels; c++) {
                double value = convolve_at(p, kernel, in, x, y, c);
                bool integer = type_levels(p->result_type) > 0;
                *picture_at(&right, x, y, c) = integer ? fmin(fmax(value, 0), 1) : value;
            }
    return right;
}

static double tolerance_of(const abbe_plan_params *p, const abbe_matrix *taps)
{
    double sum = 1;
    for (int i = 0; i < taps->width * taps->height; i++)
        sum += fabs(taps->values[i]);
    return type_levels(p->result_type) > 0 ? 1.01 / type_levels(p->result_type) : trial_tolerance(8e-6 * sum);
}

/* Streams with little memory, with enough for a few strips and with plenty. */
static bool stream_kernel(abbe_plan_params p, const struct trial_kernel *kernel, uint64_t seed)
{
    p.filters = (const abbe_filter *const[]){ kernel->filter };
    p.filter_count = 1;
    bool good = true;
    size_t least = 0;
    for (int round = 0; round < 3 && good; round++) {
        struct film film = film_create(&p, p.width, p.height, seed);
        struct picture in = stored_read(&film.source), right = expected_results(&p, kernel, &in);
        size_t memory = round == 1 ? 3 * least : 0;
        faults_watch();
        size_t before = faults_bytes();
        if (round == 0)
            memory = least = stream_least(&film, &p);
        else
            assert_int_equal(stream_film(&film, &p, memory, NULL), ABBE_OK);
        size_t taken = faults_peak() - before, bound = (memory ? memory : 1 << 28) + 32768;
        struct picture got = stored_read(&film.results[0]);
        good = film_is_whole(&film, 1) && apply_near(&got, &right, tolerance_of(&p, &kernel->taps)) &&
               (!on_cpu() || taken <= bound);
        if (!good)
            printf(
                "%d x %d x %d, kernel %d x %d, border %s, method %s, types %d, %d, memory %zu, taken %zu, in "
                "order %d, %d reads, %d writes\n",
                p.width, p.height, p.channels, kernel->taps.width, kernel->taps.height,
                abbe_border_name(p.border), abbe_method_name(p.method), (int)p.source_type,
                (int)p.result_type, memory, taken, film.in_order, film.reads, film.writes);
        picture_free(&in), picture_free(&right), picture_free(&got);
        film_free(&film);
        if (!on_cpu())
            break;
    }
    return good;
}

static void streams_of_kernels(void **state)
{
    (void)state;
    static const int shapes[][3] = { { 61, 47, 1 }, { 1, 1, 3 }, { 1, 60, 2 }, { 70, 1, 3 }, { 90, 40, 4 } };
    static const abbe_type types[] = { ABBE_F32, ABBE_U8, ABBE_U16, ABBE_F64, ABBE_U8 };
    struct random random = { 21 };
    struct trial_kernel kernels[] = { trial_kernel_create(3, 3, TAPS_ANY, true, &random),
                                      trial_kernel_create(9, 7, TAPS_SEPARABLE, true, &random),
                                      trial_kernel_create(25, 31, TAPS_SEPARABLE, true, &random) };
    int failures = 0, step = !on_cpu() ? 211 : effort_is_slight() ? 11 : effort_is_brief() ? 3 : 1;
    for (int number = 0; number < 5 * 3 * 6 * 5; number += step) {
        const int *shape = shapes[number % 5];
        const struct trial_kernel *kernel = &kernels[number / 5 % 3];
        abbe_plan_params p = { .width = shape[0],
                               .height = shape[1],
                               .channels = shape[2],
                               .border = (abbe_border)(number / 15 % 6),
                               .border_value = 0.3f,
                               .method = (abbe_method)(number / 90 % 5),
                               .source_type = types[number % 4],
                               .result_type = types[number / 3 % 5],
                               .correlate = number % 2 };
        if (p.method == ABBE_METHOD_SEPARABLE && kernel == &kernels[0])
            p.method = ABBE_METHOD_AUTO;
        failures += !stream_kernel(p, kernel, (uint64_t)number);
    }
    for (int i = 0; i < 3; i++)
        trial_kernel_free(&kernels[i]);
    assert_int_equal(failures, 0);
}

/* ---- The same bytes as the whole picture -------------------------------------------------------------- */

static void check_same_bytes(abbe_plan_params p)
{
    struct film film = film_create(&p, p.width, p.height, 9);
    struct stored whole[2];
    abbe_image views[2];
    for (int r = 0; r < 2; r++) {
        whole[r] = stored_create(p.width, p.height, p.channels, p.source_type, 0, false, true);
        views[r] = whole[r].view;
    }
    abbe_plan *plan = apply_plan(device, &p);
    assert_int_equal(abbe_run(plan, &film.source.view, views), ABBE_OK);
    stream_least(&film, &p);
    assert_true(film_is_whole(&film, 2));
    if (on_cpu())
        assert_true(film.writes > 4);
    for (int r = 0; r < 2; r++)
        if (memcmp(whole[r].first, film.results[r].first, whole[r].pixels))
            fail_msg("result %d: border %s, method %s, type %d: other bytes than at once", r,
                     abbe_border_name(p.border), abbe_method_name(p.method), (int)p.source_type);
    abbe_plan_destroy(&plan);
    for (int r = 0; r < 2; r++)
        stored_free(&whole[r]);
    film_free(&film);
}

static void banks_give_the_same_bytes_in_space(void **state)
{
    (void)state;
    static const abbe_type types[] = { ABBE_F32, ABBE_U8, ABBE_U16, ABBE_F16 };
    abbe_filter *filters[2] = { apply_filter("gaussian:sigma=1.5"), apply_filter("sobel") };
    for (int number = 0; number < 48; number += on_cpu() ? 1 : 41)
        check_same_bytes(
            (abbe_plan_params){ .width = on_cpu() ? 70 : 24,
                                .height = on_cpu() ? 83 : 31,
                                .channels = 1 + number % 3,
                                .border = (abbe_border)(number / 8),
                                .border_value = 1,
                                .method = number % 2 ? ABBE_METHOD_DIRECT : ABBE_METHOD_SEPARABLE,
                                .source_type = types[number / 2 % 4],
                                .filters = (const abbe_filter *const *)filters,
                                .filter_count = 2 });
    abbe_filter_destroy(&filters[0]);
    abbe_filter_destroy(&filters[1]);
}

/* ---- Integers from transforms -------------------------------------------------------------------------- */

/* Whether an integer result that differs between stream and whole is one level off, and its exact value lies
 * within `share` of a level of the middle of both. */
static bool is_near_tie(const abbe_plan_params *p, const struct trial_kernel *kernel,
                        const struct picture *in, size_t sample, double one, double other, double share)
{
    int channel = (int)(sample % (size_t)p->channels), pixel = (int)(sample / (size_t)p->channels);
    double levels = type_levels(p->result_type);
    double exact = levels * convolve_at(p, kernel, in, pixel % p->width, pixel / p->width, channel);
    return fabs(levels * (one - other)) < 1.5 && fabs(exact - floor(exact) - 0.5) < share;
}

/* The method's results at once and as a stream of many parts. */
static void check_integers(abbe_plan_params p, const struct trial_kernel *kernel, double share)
{
    p.filters = (const abbe_filter *const[]){ kernel->filter };
    p.filter_count = 1;
    struct film film = film_create(&p, p.width, p.height, 17);
    struct stored whole = stored_create(p.width, p.height, p.channels, p.result_type, 0, false, true);
    abbe_plan *plan = apply_plan(device, &p);
    assert_int_equal(abbe_run(plan, &film.source.view, &whole.view), ABBE_OK);
    stream_least(&film, &p);
    assert_true(film.writes > 4);
    struct picture in = stored_read(&film.source), a = stored_read(&whole), b = stored_read(&film.results[0]);
    size_t samples = (size_t)p.width * (size_t)p.height * (size_t)p.channels;
    for (size_t i = 0; i < samples; i++)
        if (a.samples[i] != b.samples[i] &&
            !is_near_tie(&p, kernel, &in, i, a.samples[i], b.samples[i], share))
            fail_msg("sample %zu: border %s, method %s, types %s, precision %s: %g at once, %g as a stream",
                     i, abbe_border_name(p.border), abbe_method_name(p.method), abbe_type_name(p.result_type),
                     abbe_precision_name(p.precision), a.samples[i], b.samples[i]);
    picture_free(&in), picture_free(&a), picture_free(&b);
    abbe_plan_destroy(&plan);
    stored_free(&whole);
    film_free(&film);
}

static void integers_differ_at_ties_only(void **state)
{
    (void)state;
    struct random random = { 5 };
    test_require_host(device);
    struct trial_kernel kernel = trial_kernel_create(9, 7, TAPS_SEPARABLE, true, &random);
    for (int number = 0; number < 48; number += effort_is_slight() || effort_is_brief() ? 5 : 1) {
        bool precise = number % 2, wide = number / 2 % 2;
        abbe_plan_params p = { .width = 70,
                               .height = 83,
                               .channels = 1 + number / 4 % 3,
                               .border = (abbe_border)(number / 8),
                               .border_value = 1,
                               .method = number / 4 % 2 ? ABBE_METHOD_TILES : ABBE_METHOD_FFT,
                               .source_type = wide ? ABBE_U16 : ABBE_U8,
                               .result_type = wide ? ABBE_U16 : ABBE_U8,
                               .precision = precise ? ABBE_PRECISION_DOUBLE : ABBE_PRECISION_FULL };
        check_integers(p, &kernel, precise ? 1e-9 : wide ? 0.25 : 1e-3);
    }
    trial_kernel_free(&kernel);
}

/* Strips read every row once where the border repeats none that is gone. */
static void strips_read_rows_once(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("box:radius=1");
    const abbe_filter *const bank[] = { filter };
    abbe_plan_params p = { .width = 40,
                           .height = 300,
                           .channels = 1,
                           .source_type = ABBE_U8,
                           .border = ABBE_BORDER_CLAMP,
                           .filters = bank,
                           .filter_count = 1,
                           .method = ABBE_METHOD_DIRECT };
    struct film film = film_create(&p, p.width, p.height, 3);
    size_t memory = 512;
    while (stream_film(&film, &p, memory, NULL) || film.widest < 40) {
        film_free(&film);
        film = film_create(&p, p.width, p.height, 3);
        memory += 512;
    }
    assert_int_equal(film.pixels_read, 40 * 300);
    if (on_cpu())
        assert_true(film.writes > 2);
    film_free(&film);
    abbe_filter_destroy(&filter);
}

/* A window of a stream: the results of FULL. */
static void streams_have_windows(void **state)
{
    (void)state;
    struct random random = { 4 };
    struct trial_kernel kernel = trial_kernel_create(5, 3, TAPS_ANY, false, &random);
    abbe_plan_params p = { .width = 30,
                           .height = 26,
                           .channels = 1,
                           .source_type = ABBE_F32,
                           .result_type = ABBE_F32,
                           .border = ABBE_BORDER_MIRROR,
                           .window = ABBE_WINDOW_FULL,
                           .filters = (const abbe_filter *const[]){ kernel.filter },
                           .filter_count = 1 };
    struct film film = film_create(&p, 34, 28, 8);
    struct picture in = stored_read(&film.source), right = picture_create(34, 28, 1);
    for (int k = 0; k < 34 * 28; k++)
        right.samples[k] = convolve_at(&p, &kernel, &in, k % 34 - kernel.centre_x, k / 34 - kernel.centre_y,
                                       0);
    stream_least(&film, &p);
    struct picture got = stored_read(&film.results[0]);
    assert_true(film_is_whole(&film, 1) && apply_near(&got, &right, trial_tolerance(1e-4)));
    picture_free(&in), picture_free(&right), picture_free(&got);
    film_free(&film);
    trial_kernel_free(&kernel);
}

static void transfer_functions_in_strips(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("lowpass:shape=gaussian:cutoff=0.25");
    abbe_plan_params p = { .width = 50,
                           .height = 64,
                           .channels = 1,
                           .source_type = ABBE_F32,
                           .border = ABBE_BORDER_REFLECT,
                           .filters = (const abbe_filter *const[]){ filter },
                           .filter_count = 1 };
    struct film film = film_create(&p, p.width, p.height, 12);
    struct picture in = stored_read(&film.source);
    struct picture right = reference_transfer(&in, ABBE_BORDER_REFLECT, 0, 100, 128, 0, 0, filter, 0);
    stream_least(&film, &p);
    struct picture got = stored_read(&film.results[0]);
    assert_true(film_is_whole(&film, 1) && apply_near(&got, &right, trial_tolerance(2e-4)));
    if (on_cpu())
        assert_true(film.writes > 1);
    picture_free(&in), picture_free(&right), picture_free(&got);
    film_free(&film);
    abbe_filter_destroy(&filter);
}

/* ---- Callbacks that fail, and cancellation ------------------------------------------------------------ */

static abbe_plan_params small_params(const abbe_filter *const *bank)
{
    return (abbe_plan_params){ .width = 33,
                               .height = 40,
                               .channels = 1,
                               .source_type = ABBE_F32,
                               .border = ABBE_BORDER_WRAP,
                               .method = ABBE_METHOD_DIRECT,
                               .filters = bank,
                               .filter_count = 1 };
}

static void callbacks_that_fail(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("box:radius=1");
    const abbe_filter *const bank[] = { filter };
    abbe_plan_params p = small_params(bank);
    struct film film = film_create(&p, p.width, p.height, 1);
    size_t memory = stream_least(&film, &p);
    int calls = film.calls;
    film_free(&film);
    for (int n = 0; n < calls; n += on_cpu() ? 1 : calls - 1) {
        film = film_create(&p, p.width, p.height, 1);
        film.fail_at = n;
        size_t live = faults_live();
        int error = stream_film(&film, &p, memory, NULL);
        test_refused("callback", error, ABBE_ERR_FILE, device, "returned");
        assert_true(strstr(abbe_error_text(device), "returned 5") ||
                    strstr(abbe_error_text(device), "returned -7"));
        assert_int_equal(film.calls, n + 1);
        if (on_cpu())
            assert_int_equal(faults_live(), live);
        film_free(&film);
    }
    abbe_filter_destroy(&filter);
}

static void cancelled_streams(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("box:radius=1");
    const abbe_filter *const bank[] = { filter };
    abbe_plan_params p = small_params(bank);
    struct film film = film_create(&p, p.width, p.height, 1);
    size_t memory = stream_least(&film, &p);
    film_free(&film);
    int error = ABBE_ERR_CANCELLED;
    for (int n = 0; error; n = on_cpu() ? n + 1 : 1000) {
        struct stopper stopper = { .stop_at = n };
        film = film_create(&p, p.width, p.height, 1);
        error = stream_film(&film, &p, memory, &(abbe_watch){ .progress = stop_late, .user = &stopper });
        if (error) {
            test_refused("cancel", error, ABBE_ERR_CANCELLED, device, "stopped");
            assert_int_equal(stopper.calls, n + 1);
        } else {
            assert_true(n > 3 && film_is_whole(&film, 1));
        }
        film_free(&film);
    }
    abbe_filter_destroy(&filter);
}

static void nonfinite_samples(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("box:radius=1");
    const abbe_filter *const bank[] = { filter };
    abbe_plan_params p = small_params(bank);
    struct film film = film_create(&p, p.width, p.height, 1);
    size_t memory = stream_least(&film, &p);
    ((float *)film.source.view.data)[25 * 33 + 17] = NAN;
    test_refused("NaN", stream_film(&film, &p, memory, NULL), ABBE_ERR_NONFINITE, device,
                 "x 17, y 25, channel 0");
    film_free(&film);
    film = film_create(&p, p.width, p.height, 1);
    ((float *)film.source.view.data)[25 * 33 + 17] = -INFINITY;
    p.nonfinite = ABBE_NONFINITE_ZERO;
    assert_int_equal(stream_film(&film, &p, memory, NULL), ABBE_OK);
    assert_true(isfinite(((float *)film.results[0].view.data)[25 * 33 + 17]));
    film_free(&film);
    abbe_filter_destroy(&filter);
}

/* ---- Bad parameters ----------------------------------------------------------------------------------- */

static int count_reads(void *user, int x, int y, const abbe_image *to)
{
    (void)x, (void)y, (void)to;
    ++*(int *)user;
    return 1;
}

static int write_nothing(void *user, int result, int x, int y, const abbe_image *from)
{
    (void)user, (void)result, (void)x, (void)y, (void)from;
    return 0;
}

static void refuse_stream(const abbe_stream_params *params, int expected, const char *text)
{
    test_refused(text, abbe_stream(device, params, NULL), expected, device, text);
}

static void bad_parameters(void **state)
{
    (void)state;
    int reads = 0;
    abbe_filter *filter = apply_filter("box:radius=1"),
                *ideal = apply_filter("lowpass:shape=ideal:cutoff=0.2");
    const abbe_filter *const bank[] = { filter }, *const ideal_bank[] = { ideal };
    abbe_plan_params p = small_params(bank);
    const abbe_stream_params good = {
        .plan = &p, .read = count_reads, .write = write_nothing, .user = &reads
    };
    struct {
        abbe_stream_params known;
        void *later;
    } future = { good, &reads };
    future.known.size = sizeof future;
    test_refused("device", abbe_stream(NULL, &good, NULL), ABBE_ERR_INVALID, NULL, "device is NULL");
    refuse_stream(NULL, ABBE_ERR_INVALID, "params is NULL");
    refuse_stream(&(abbe_stream_params){ .read = count_reads, .write = write_nothing }, ABBE_ERR_INVALID,
                  "plan");
    refuse_stream(&(abbe_stream_params){ .plan = &p, .write = write_nothing }, ABBE_ERR_INVALID, "read");
    refuse_stream(&(abbe_stream_params){ .plan = &p, .read = count_reads }, ABBE_ERR_INVALID, "write");
    refuse_stream(&(abbe_stream_params){ .size = 8 }, ABBE_ERR_INVALID, "size is 8");
    refuse_stream(&future.known, ABBE_ERR_UNSUPPORTED, "does not know");
    abbe_stream_params small = good;
    small.memory = 1;
    refuse_stream(&small, ABBE_ERR_MEMORY, "too little");
    const abbe_watch odd = { .size = 3 };
    test_refused("watch", abbe_stream(device, &good, &odd), ABBE_ERR_INVALID, device, "abbe_stream: watch");
    p.size = 5;
    refuse_stream(&good, ABBE_ERR_INVALID, "params.plan: size is 5");
    p.size = 0, p.width = 0;
    refuse_stream(&good, ABBE_ERR_INVALID, "size 0 x 40");
    p = small_params(ideal_bank), p.method = ABBE_METHOD_AUTO;
    refuse_stream(&good, ABBE_ERR_UNSUPPORTED, "does not decay");
    assert_int_equal(reads, 0);
    abbe_filter_destroy(&filter);
    abbe_filter_destroy(&ideal);
}

/* The largest pictures that can be addressed: the first read is reached at once. */
static void largest_pictures(void **state)
{
    (void)state;
    int reads = 0;
    abbe_filter *filter = apply_filter("gaussian:sigma=2");
    const abbe_filter *const bank[] = { filter };
    for (int channels = 1; channels <= 64 && on_cpu(); channels *= 8) {
        const abbe_plan_params p = { .width = ABBE_SIDE_MAX,
                                     .height = channels == 1 ? ABBE_SIDE_MAX : 1 << 20,
                                     .channels = channels,
                                     .source_type = ABBE_U8,
                                     .filters = bank,
                                     .filter_count = 1 };
        const abbe_stream_params stream = {
            .plan = &p, .read = count_reads, .write = write_nothing, .user = &reads, .memory = 1 << 22
        };
        refuse_stream(&stream, ABBE_ERR_FILE, "read()");
    }
    assert_int_equal(reads, on_cpu() ? 3 : 0);
    abbe_filter_destroy(&filter);
}

/* With one failed allocation a stream may go on in smaller parts; otherwise it fails with a message. Nothing
 * leaks. */
static void streams_without_memory(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("gaussian:sigma=1");
    const abbe_filter *const bank[] = { filter };
    abbe_plan_params p = small_params(bank);
    p.source_type = ABBE_U8, p.border = ABBE_BORDER_CONSTANT, p.border_value = 0.3f;
    int failures = 0;
    for (int and_all_after = 0; and_all_after < 2; and_all_after++) {
        bool failed = on_cpu();
        for (long n = 0; failed; n++) {
            struct film film = film_create(&p, p.width, p.height, 1);
            size_t live = faults_live();
            faults_arm(n, and_all_after);
            int error = stream_film(&film, &p, 1 << 16, NULL);
            failed = faults_disarm();
            assert_int_equal(faults_live(), live);
            failures += error != ABBE_OK;
            if (error || !film_is_whole(&film, 1))
                test_refused("no memory", error, ABBE_ERR_MEMORY, device, "memory");
            film_free(&film);
        }
    }
    assert_true(failures > 10 || !on_cpu());
    abbe_filter_destroy(&filter);
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_of_kernels),
        cmocka_unit_test(banks_give_the_same_bytes_in_space),
        cmocka_unit_test(integers_differ_at_ties_only),
        cmocka_unit_test(strips_read_rows_once),
        cmocka_unit_test(streams_have_windows),
        cmocka_unit_test(transfer_functions_in_strips),
        cmocka_unit_test(callbacks_that_fail),
        cmocka_unit_test(cancelled_streams),
        cmocka_unit_test(nonfinite_samples),
        cmocka_unit_test(bad_parameters),
        cmocka_unit_test(largest_pictures),
        cmocka_unit_test(streams_without_memory),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    abbe_device_close(&device);
    return failures + (faults_live() != 0);
}
