/* Peaks: pictures with known components must yield exactly these, and pictures without any none. */
#include "fft/natural.h"
#include "support/faults.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static abbe_device *device;

/* A picture of one channel of doubles. */
struct sheet {
    int width, height;
    double *at;
};

static struct sheet sheet_create(int width, int height)
{
    return (struct sheet){ width, height, calloc((size_t)width * (size_t)height, sizeof(double)) };
}

static abbe_image sheet_view(const struct sheet *sheet)
{
    return (abbe_image){
        .data = sheet->at, .width = sheet->width, .height = sheet->height, .channels = 1, .type = ABBE_F64
    };
}

/* Adds noise whose amplitude falls as 1/f^exponent, as that of photographs does with 1: a part of a periodic
 * picture twice as large, so that opposite edges differ. Its standard deviation is `deviation`. */
static void add_noise(const struct sheet *sheet, double exponent, double deviation, uint64_t seed)
{
    int M = 2 * sheet->width, N = 2 * sheet->height;
    struct random random = { seed };
    size_t area = (size_t)M * (size_t)N;
    double *z = malloc(2 * area * sizeof *z), power = 0;
    for (size_t i = 0; i < area; i++) {
        int u = (int)(i % (size_t)M), v = (int)(i / (size_t)M);
        double f = hypot((double)(2 * u > M ? u - M : u) / M, (double)(2 * v > N ? v - N : v) / N);
        double size = i ? pow(f, -exponent) * sqrt(-2 * log(1 - random_unit(&random))) : 0;
        double phase = 2 * M_PI * random_unit(&random);
        z[2 * i] = size * cos(phase);
        z[2 * i + 1] = size * sin(phase);
        power += size * size / 2;
    }
    assert_int_equal(fft_natural_f64(M, N, true, z, z, 2), ABBE_OK);
    for (int y = 0; y < sheet->height; y++)
        for (int x = 0; x < sheet->width; x++)
            sheet->at[y * sheet->width + x] += deviation / sqrt(power) *
                                               z[2 * ((size_t)y * (size_t)M + (size_t)x)];
    free(z);
}

/* Adds amplitude · cos(π(x·column + y·row) + 1). */
static void add_component(const struct sheet *sheet, double x, double y, double amplitude)
{
    for (int row = 0; row < sheet->height; row++)
        for (int column = 0; column < sheet->width; column++)
            sheet->at[row * sheet->width + column] += amplitude * cos(M_PI * (x * column + y * row) + 1);
}

/* The sheet as a packed view of another type. The caller frees its data. */
static abbe_image sheet_store(const struct sheet *sheet, abbe_type type)
{
    abbe_image view = sheet_view(sheet);
    size_t count = (size_t)sheet->width * (size_t)sheet->height;
    view.type = type;
    view.data = malloc(count * abbe_type_size(type));
    for (size_t i = 0; i < count; i++) {
        double value = sheet->at[i], sure = fmin(1, fmax(0, value));
        switch (type) {
        case ABBE_U8: ((uint8_t *)view.data)[i] = (uint8_t)lrint(255 * sure); break;
        case ABBE_U16: ((uint16_t *)view.data)[i] = (uint16_t)lrint(65535 * sure); break;
        case ABBE_F32: ((float *)view.data)[i] = (float)value; break;
        case ABBE_F64: ((double *)view.data)[i] = value; break;
        default: fail_msg("type %d", (int)type);
        }
    }
    return view;
}

static size_t count_peaks(const abbe_image *view)
{
    const abbe_peak *const *peaks = NULL;
    size_t count = 77;
    if (abbe_peaks_find(device, view, NULL, &peaks, &count))
        fail_msg("%d x %d: %s", view->width, view->height, abbe_last_error());
    abbe_peaks_free(&peaks);
    assert_null(peaks);
    return count;
}

/* ---- Known components --------------------------------------------------------------------------------- */

static void check_component(const struct sheet *sheet, abbe_type type, double x, double y, double amplitude)
{
    abbe_image view = sheet_store(sheet, type);
    const abbe_peak *const *peaks = NULL;
    size_t count = 0;
    assert_int_equal(abbe_peaks_find(device, &view, NULL, &peaks, &count), ABBE_OK);
    if (count != 1)
        fail_msg("%d x %d, type %d: %zu peaks for one component at (%g, %g) of amplitude %g", sheet->width,
                 sheet->height, (int)type, count, x, y, amplitude);
    /* Frequencies of opposite sign are the same component. */
    double off_x = (peaks[0]->x - x) * sheet->width / 2, off_y = (peaks[0]->y - y) * sheet->height / 2;
    double size = peaks[0]->amplitude / amplitude;
    if (!(hypot(off_x, off_y) < 0.15 && size > 0.9 && size < 1.1 && peaks[0]->prominence >= 7 &&
          peaks[0]->harmonic == 1 && peaks[0]->fundamental == 0))
        fail_msg("%d x %d, type %d: (%g, %g) of %g found at (%g, %g) as %g, prominence %g", sheet->width,
                 sheet->height, (int)type, x, y, amplitude, peaks[0]->x, peaks[0]->y, peaks[0]->amplitude,
                 peaks[0]->prominence);
    assert_true(peaks[0]->radius >= 0.0001 && peaks[0]->radius <= 0.3 * hypot(x, y) * 1.01);
    abbe_peaks_free(&peaks);
    free(view.data);
}

/* Components on noise like that of photographs, at frequencies between those of the transform, in pictures
 * of even, odd and prime sides, and of one row or column. */
static void a_component_is_found(void **state)
{
    (void)state;
    static const struct {
        int width, height;
        double amplitude;
    } cases[] = { { 256, 256, 0.05 }, { 131, 257, 0.05 }, { 509, 97, 0.05 }, { 640, 480, 0.02 },
                  { 64, 64, 0.2 },    { 4093, 1, 0.1 },   { 1, 1000, 0.2 },  { 1000, 3, 0.2 } };
    static const abbe_type types[] = { ABBE_U8, ABBE_U16, ABBE_F32, ABBE_F64 };
    struct random random = { 1948 };
    for (size_t i = 0; i < 3 * sizeof cases / sizeof *cases; i++) {
        size_t k = i % (sizeof cases / sizeof *cases);
        struct sheet sheet = sheet_create(cases[k].width, cases[k].height);
        double x = sheet.width < 16 ? 0 : 0.35 + 0.6 * random_unit(&random);
        double y = sheet.height < 16
                       ? 0
                       : (0.35 + 0.6 * random_unit(&random)) * (sheet.width > 1 && i % 2 ? -1 : 1);
        for (int n = 0; n < sheet.width * sheet.height; n++)
            sheet.at[n] = 0.5;
        add_noise(&sheet, 1, 0.1, i);
        add_component(&sheet, x, y, cases[k].amplitude);
        for (int t = 0; t < 4; t++)
            check_component(&sheet, types[t], x, y, cases[k].amplitude);
        free(sheet.at);
    }
}

/* Components at and near the ends of the half of the frequencies that is looked at appear once. */
static void a_component_at_the_edge_is_found_once(void **state)
{
    (void)state;
    static const double places[][2] = { { 0, 0.5 },      { 0.001, 0.5 }, { 0.001, -0.5 }, { 0.999, 0.4 },
                                        { 0.999, -0.4 }, { 0.4, 0.999 }, { 0.5, 0 } };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (int width = 255; width <= 256; width++) {
            struct sheet sheet = sheet_create(width, 192);
            add_noise(&sheet, 1, 0.1, i);
            add_component(&sheet, places[i][0], places[i][1], 0.05);
            abbe_image view = sheet_view(&sheet);
            if (count_peaks(&view) != 1)
                fail_msg("width %d: (%g, %g) gives %zu peaks", width, places[i][0], places[i][1],
                         count_peaks(&view));
            free(sheet.at);
        }
    struct sheet sheet = sheet_create(128, 128);
    for (int i = 0; i < 128 * 128; i++)
        sheet.at[i] = (i + i / 128) % 2 ? 0.3 : -0.3; /* Nyquist in both directions */
    check_component(&sheet, ABBE_F32, 1, 1, 0.3);
    free(sheet.at);
}

/* A picture far from 0, and one whose samples exceed floats: amplitudes are those of the samples. */
static void any_range_of_samples(void **state)
{
    (void)state;
    static const double amplitudes[] = { 1e-3, 1e300, 1e-300 }, bases[] = { 1e6, 0, 0 };
    for (int i = 0; i < 3; i++) {
        struct sheet sheet = sheet_create(100, 120);
        add_component(&sheet, 0.41, 0.3, amplitudes[i]);
        for (int n = 0; n < 100 * 120; n++)
            sheet.at[n] += bases[i];
        check_component(&sheet, ABBE_F64, 0.41, 0.3, amplitudes[i]);
        free(sheet.at);
    }
}

static void check_list_order(const abbe_peak *const *peaks, size_t count)
{
    static const double expected[3][2] = { { 0.21, 0.13 }, { 0.5, -0.6 }, { 0.63, 0.39 } };
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(hypot(peaks[i]->x - expected[i][0], peaks[i]->y - expected[i][1]) < 1e-3);
    assert_true(peaks[0]->harmonic == 1 && peaks[0]->fundamental == 0);
    assert_true(peaks[1]->harmonic == 1 && peaks[1]->fundamental == 1);
    assert_true(peaks[2]->harmonic == 3 && peaks[2]->fundamental == 0);
}

static void the_strongest_come_first_and_harmonics_are_named(void **state)
{
    (void)state;
    struct sheet sheet = sheet_create(300, 260);
    add_noise(&sheet, 1, 0.05, 5);
    add_component(&sheet, 0.63, 0.39, 0.05);
    add_component(&sheet, 0.21, 0.13, 0.2);
    add_component(&sheet, 0.5, -0.6, 0.1);
    abbe_image view = sheet_view(&sheet);
    const abbe_peak *const *peaks = NULL;
    size_t count = 0;
    assert_int_equal(abbe_peaks_find(device, &view, NULL, &peaks, &count), ABBE_OK);
    check_list_order(peaks, count);
    abbe_peaks_free(&peaks);
    assert_int_equal(abbe_peaks_find(NULL, &view, &(abbe_peak_params){ .most = 2 }, &peaks, &count), ABBE_OK);
    assert_true(count == 2 && fabs(peaks[1]->amplitude - 0.1) < 0.01);
    abbe_peaks_free(&peaks);
    assert_int_equal(abbe_peaks_find(device, &view, &(abbe_peak_params){ .prominence = 1e6 }, &peaks, &count),
                     ABBE_OK);
    assert_true(count == 0 && peaks != NULL);
    abbe_peaks_free(&peaks);
    free(sheet.at);
}

/* A screen in one channel only, in pixels that have an alpha the view leaves out. */
static void every_channel_counts_and_alpha_does_not(void **state)
{
    (void)state;
    enum { WIDTH = 160, HEIGHT = 120 };
    uint8_t *pixels = malloc(WIDTH * HEIGHT * 4);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            uint8_t *to = pixels + 4 * (y * WIDTH + x);
            to[0] = (uint8_t)x, to[1] = (uint8_t)y;
            to[2] = (uint8_t)lrint(128 + 60 * cos(M_PI * (0.31 * x + 0.44 * y)));
            to[3] = (uint8_t)lrint(128 + 60 * cos(M_PI * (0.71 * x + 0.24 * y)));
        }
    abbe_image view = { .data = pixels, .width = WIDTH, .height = HEIGHT, .channels = 3, .type = ABBE_U8 };
    view.pixel_stride = 4;
    const abbe_peak *const *peaks = NULL;
    size_t count = 0;
    assert_int_equal(abbe_peaks_find(device, &view, NULL, &peaks, &count), ABBE_OK);
    assert_int_equal(count, 1);
    assert_true(hypot(peaks[0]->x - 0.31, peaks[0]->y - 0.44) < 1e-3);
    assert_true(fabs(peaks[0]->amplitude - 60 / 255.0 / sqrt(3)) < 0.002);
    abbe_peaks_free(&peaks);
    free(pixels);
}

/* ---- Pictures without components ---------------------------------------------------------------------- */

static void noise_has_no_peaks(void **state)
{
    (void)state;
    static const int sizes[][2] = { { 64, 64 },  { 128, 131 }, { 257, 509 },
                                    { 1, 1000 }, { 4096, 1 },  { 7, 900 } };
    for (int i = 0; i < 6; i++)
        for (uint64_t n = 0; n < 24; n++) {
            struct sheet sheet = sheet_create(sizes[i][0], sizes[i][1]);
            double exponent = 0.5 * (double)(n % 5);
            add_noise(&sheet, exponent, 0.15, 1000 + n);
            abbe_image view = sheet_view(&sheet);
            if (count_peaks(&view))
                fail_msg("noise 1/f^%g, %d x %d, seed %d: %zu peaks", exponent, sheet.width, sheet.height,
                         1000 + (int)n, count_peaks(&view));
            free(sheet.at);
        }
}

static double flat(double x, double y)
{
    return 0.7 + 0 * x * y;
}
static double ramp(double x, double y)
{
    return x + 0 * y;
}
static double slope(double x, double y)
{
    return 0.4 * x + 0.6 * y;
}
static double edge(double x, double y)
{
    return x + 0.31 * y > 0.6;
}
static double stairs(double x, double y)
{
    return 8 * y > x + 3;
}
static double bar(double x, double y)
{
    return fabs(x - 0.4) < 0.02 && y < 2;
}
static double box(double x, double y)
{
    return fabs(x - 0.4) < 0.2 && fabs(y - 0.6) < 0.11;
}
static double disk(double x, double y)
{
    return hypot(x - 0.4, y - 0.6) < 0.22;
}
static double ring(double x, double y)
{
    return fabs(hypot(x - 0.4, y - 0.5) - 0.22) < 0.01;
}
static double two(double x, double y)
{
    return hypot(x - 0.4, y - 0.5) < 0.01 || hypot(x - 0.47, y - 0.5) < 0.01;
}
static double point(double x, double y)
{
    return x == 0.5 && y == 0.5;
}
static double check3(double x, double y)
{
    return ((int)(3 * x) + (int)(3 * y)) % 2;
}
static double check8(double x, double y)
{
    return ((int)(8 * x) + (int)(8 * y)) % 2;
}

static void shapes_have_no_peaks(void **state)
{
    (void)state;
    static double (*const shapes[])(double, double) = { flat, ramp, slope, edge,  stairs, bar,   box,
                                                        disk, ring, two,   point, check3, check8 };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct sheet sheet = sheet_create(320, 240);
        for (int n = 0; n < 320 * 240; n++)
            sheet.at[n] = shapes[i](n % 320 / 320.0, n / 320 / 240.0);
        for (abbe_type type = ABBE_U8; type <= ABBE_F32; type += ABBE_F32 - ABBE_U8) {
            abbe_image view = sheet_store(&sheet, type);
            if (count_peaks(&view))
                fail_msg("shape %zu, type %d: %zu peaks", i, (int)type, count_peaks(&view));
            free(view.data);
        }
        free(sheet.at);
    }
}

static void tiny_pictures_have_no_peaks(void **state)
{
    (void)state;
    for (int width = 1; width <= 12; width++)
        for (int height = 1; height <= 12; height++) {
            struct sheet sheet = sheet_create(width, height);
            add_noise(&sheet, 0, 1, (uint64_t)(width * height));
            abbe_image view = sheet_view(&sheet);
            assert_int_equal(count_peaks(&view), 0);
            free(sheet.at);
        }
}

/* The stronger of two components lies between bins, in which it has less than the other has in one. */
static void the_strongest_are_kept(void **state)
{
    (void)state;
    struct sheet sheet = sheet_create(256, 256);
    add_component(&sheet, 2 * 40.5 / 256, 2 * 60.5 / 256, 0.1);
    add_component(&sheet, 2 * 90.0 / 256, 2 * 20.0 / 256, 0.085);
    abbe_image view = sheet_view(&sheet);
    for (int most = 1; most <= 2; most++) {
        const abbe_peak *const *peaks = NULL;
        size_t count = 0;
        abbe_peak_params params = { .most = most };
        assert_int_equal(abbe_peaks_find(device, &view, &params, &peaks, &count), ABBE_OK);
        assert_int_equal(count, most);
        if (fabs(peaks[0]->amplitude - 0.1) > 0.002 || fabs(peaks[0]->x - 2 * 40.5 / 256) > 1e-3)
            fail_msg("most %d: amplitude %g at %g", most, peaks[0]->amplitude, peaks[0]->x);
        abbe_peaks_free(&peaks);
    }
    free(sheet.at);
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

/* The bytes that abbe.h states. */
static void memory_is_as_stated(void **state)
{
    (void)state;
    static const int shapes[][2] = { { 600, 500 }, { 512, 512 }, { 501, 499 }, { 300000, 1 }, { 1, 100003 } };
    for (int i = 0; i < 5; i++) {
        int width = shapes[i][0], height = shapes[i][1];
        double pixels = (double)width * height, most = i < 3 ? 24 : 180;
        struct sheet sheet = sheet_create(width, height);
        add_component(&sheet, width > 1 ? 0.3 : 0, height > 1 ? 0.2 : 0, 1);
        abbe_image view = sheet_view(&sheet);
        abbe_device *fresh = NULL;
        const abbe_peak *const *peaks = NULL;
        size_t count;
        assert_int_equal(abbe_device_open("cpu", &(abbe_device_params){ .threads = 1 }, &fresh), ABBE_OK);
        size_t before = faults_bytes();
        faults_watch();
        assert_int_equal(abbe_peaks_find(fresh, &view, NULL, &peaks, &count), ABBE_OK);
        double each = (double)(faults_peak() - before) / pixels;
        if (each > most)
            fail_msg("%d x %d: %g bytes per pixel; allowed are %g", width, height, each, most);
        abbe_peaks_free(&peaks);
        abbe_device_close(&fresh);
        free(sheet.at);
    }
}

/* ---- Errors ------------------------------------------------------------------------------------------- */

static void wrong_parameters_are_refused(void **state)
{
    (void)state;
    float pixels[16] = { 1, 2, 3 };
    abbe_image view = { .data = pixels, .width = 4, .height = 4, .channels = 1, .type = ABBE_F32 };
    const abbe_peak *const *peaks = NULL;
    size_t count = 5;
    test_refused("peaks", abbe_peaks_find(device, &view, NULL, NULL, &count), ABBE_ERR_INVALID, device,
                 "peaks");
    test_refused("count", abbe_peaks_find(device, &view, NULL, &peaks, NULL), ABBE_ERR_INVALID, device,
                 "count");
    test_refused("view", abbe_peaks_find(NULL, NULL, NULL, &peaks, &count), ABBE_ERR_INVALID, NULL,
                 "picture");
    const struct {
        abbe_peak_params params;
        int error;
        const char *text;
    } cases[] = {
        { { .most = -1 }, ABBE_ERR_INVALID, "most is -1" },
        { { .most = 1025 }, ABBE_ERR_INVALID, "most is 1025" },
        { { .prominence = 1.5 }, ABBE_ERR_RANGE, "prominence is 1.5" },
        { { .prominence = NAN }, ABBE_ERR_RANGE, "prominence" },
        { { .prominence = -7 }, ABBE_ERR_RANGE, "prominence is -7" },
        { { .size = 3 }, ABBE_ERR_INVALID, "size is 3" },
    };
    for (int i = 0; i < 6; i++)
        test_refused(cases[i].text, abbe_peaks_find(device, &view, &cases[i].params, &peaks, &count),
                     cases[i].error, device, cases[i].text);
    pixels[9] = NAN;
    test_refused("NaN", abbe_peaks_find(device, &view, NULL, &peaks, &count), ABBE_ERR_NONFINITE, device,
                 "row 2");
    assert_true(!peaks && count == 5);
    abbe_peaks_free(NULL);
    abbe_peaks_free(&peaks);
}

/* Every allocation fails once. */
static void without_memory(void **state)
{
    (void)state;
    struct sheet sheet = sheet_create(90, 70);
    add_component(&sheet, 0.4, 0.5, 1);
    abbe_image view = sheet_view(&sheet);
    const abbe_peak *const *peaks = NULL;
    size_t count = 5;
    assert_int_equal(count_peaks(&view), 1); /* the device keeps its transform */
    size_t before = faults_live();
    long n = 0;
    for (;; n++) {
        faults_arm(n, false);
        int error = abbe_peaks_find(device, &view, NULL, &peaks, &count);
        if (!faults_disarm())
            break;
        test_refused("memory", error, ABBE_ERR_MEMORY, device, "memory");
        assert_true(!peaks && count == 5 && faults_live() == before);
    }
    assert_true(n >= 5 && count == 1);
    abbe_peaks_free(&peaks);
    assert_int_equal(faults_live(), before);
    free(sheet.at);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_component_is_found),
    cmocka_unit_test(a_component_at_the_edge_is_found_once),
    cmocka_unit_test(any_range_of_samples),
    cmocka_unit_test(the_strongest_come_first_and_harmonics_are_named),
    cmocka_unit_test(every_channel_counts_and_alpha_does_not),
    cmocka_unit_test(noise_has_no_peaks),
    cmocka_unit_test(shapes_have_no_peaks),
    cmocka_unit_test(tiny_pictures_have_no_peaks),
    cmocka_unit_test(the_strongest_are_kept),
    cmocka_unit_test(memory_is_as_stated),
    cmocka_unit_test(wrong_parameters_are_refused),
    cmocka_unit_test(without_memory),
};

TEST_MAIN_ON_DEVICE(tests, device, 2)
