/* Transforms and packed spectra with bad input return a specific error with a message that names the
 * argument, and write nothing.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/test.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 5, HEIGHT = 4, CHANNELS = 3, SAMPLES = WIDTH * HEIGHT * CHANNELS };

static abbe_device *device;
static float in[2 * SAMPLES], out[2 * SAMPLES], before[2 * SAMPLES];

static int fill_arrays(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * SAMPLES; i++)
        in[i] = out[i] = before[i] = (float)i;
    return 0;
}

static void refused_unwritten(const char *what, int code, int expected, const abbe_device *reports_to,
                              const char *says)
{
    test_refused(what, code, expected, reports_to, says);
    assert_memory_equal(out, before, sizeof out);
}

static abbe_image view_of(float *pixels)
{
    return (abbe_image){ .data = pixels,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .channels = CHANNELS,
                         .stride = WIDTH * CHANNELS * 4,
                         .type = ABBE_F32 };
}

typedef int complex_transform(abbe_device *device, int width, int height, const float *in, float *out);

static void complex_transforms(void **state)
{
    (void)state;
    complex_transform *const transforms[] = { abbe_fft_forward, abbe_fft_inverse };
    const struct {
        int width, height, code;
        const char *says;
    } sizes[] = {
        { 0, 4, ABBE_ERR_INVALID, "size 0 x 4" },
        { 5, -4, ABBE_ERR_INVALID, "size 5 x -4" },
        { INT_MIN, INT_MIN, ABBE_ERR_INVALID, "size -2147483648" },
        { INT_MAX, 4, ABBE_ERR_SIZE, "2147483647" },
        { 5, ABBE_SIDE_MAX + 1, ABBE_ERR_SIZE, "1073741825" },
        { ABBE_SIDE_MAX, ABBE_SIDE_MAX, ABBE_ERR_SIZE, "cannot be addressed" },
    };
    for (int t = 0; t < 2; t++) {
        complex_transform *transform = transforms[t];
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            refused_unwritten("size", transform(device, sizes[i].width, sizes[i].height, in, out),
                              sizes[i].code, device, sizes[i].says);
        refused_unwritten("no device", transform(NULL, 5, 0, in, out), ABBE_ERR_INVALID, NULL, "size 5 x 0");
        refused_unwritten("no input", transform(device, 5, 4, NULL, out), ABBE_ERR_INVALID, device, "in: ");
        refused_unwritten("no output", transform(device, 5, 4, in, NULL), ABBE_ERR_INVALID, device, "out: ");
        refused_unwritten("overlap", transform(device, 5, 4, out + 2, out), ABBE_ERR_INVALID, device,
                          "overlap");
    }
}

/* A view with one wrong member, passed as the source and as the result of a transform. */
static void refuse_view(abbe_image wrong, int code, const char *says)
{
    abbe_image good = view_of(in), packed = view_of(out);
    refused_unwritten("source", abbe_spectrum_forward(device, &wrong, &packed), code, device, says);
    refused_unwritten("packed", abbe_spectrum_inverse(device, &wrong, &packed), code, device, says);
    wrong.data = wrong.data ? out : NULL;
    refused_unwritten("packed", abbe_spectrum_forward(device, &good, &wrong), code, device, says);
    refused_unwritten("result", abbe_spectrum_inverse(device, &good, &wrong), code, device, says);
    refused_unwritten("a", abbe_spectrum_multiply(&wrong, &good, &packed), code, NULL, says);
    refused_unwritten("b", abbe_spectrum_multiply(&good, &wrong, &packed), code, NULL, says);
    refused_unwritten("result", abbe_spectrum_multiply(&good, &good, &wrong), code, NULL, says);
}

static void views_of_spectra(void **state)
{
    (void)state;
    const ptrdiff_t row = WIDTH * CHANNELS * 4;
    refuse_view(
        (abbe_image){
            .width = WIDTH, .height = HEIGHT, .channels = CHANNELS, .stride = row, .type = ABBE_F32 },
        ABBE_ERR_INVALID, "data is NULL");
    refuse_view(
        (abbe_image){
            .data = in, .width = 0, .height = HEIGHT, .channels = CHANNELS, .stride = row, .type = ABBE_F32 },
        ABBE_ERR_INVALID, "size 0 x 4");
    refuse_view((abbe_image){ .data = in,
                              .width = WIDTH,
                              .height = INT_MAX,
                              .channels = CHANNELS,
                              .stride = row,
                              .type = ABBE_F32 },
                ABBE_ERR_SIZE, "2147483647");
    refuse_view(
        (abbe_image){
            .data = in, .width = WIDTH, .height = HEIGHT, .channels = 0, .stride = row, .type = ABBE_F32 },
        ABBE_ERR_INVALID, "0 channels");
    refuse_view(
        (abbe_image){
            .data = in, .width = WIDTH, .height = HEIGHT, .channels = 65, .stride = row, .type = ABBE_F32 },
        ABBE_ERR_INVALID, "65 channels");
    refuse_view((abbe_image){ .data = in,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .channels = CHANNELS,
                              .stride = row,
                              .type = (abbe_type)-1 },
                ABBE_ERR_INVALID, "type -1");
    refuse_view((abbe_image){ .data = in,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .channels = CHANNELS,
                              .stride = row - 1,
                              .type = ABBE_F32 },
                ABBE_ERR_INVALID, "stride of 59");
    refuse_view((abbe_image){ .data = in,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .channels = CHANNELS,
                              .stride = PTRDIFF_MIN,
                              .type = ABBE_F32 },
                ABBE_ERR_SIZE, "stride");
    refuse_view((abbe_image){ .data = in,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .channels = CHANNELS,
                              .stride = PTRDIFF_MAX,
                              .type = ABBE_F32 },
                ABBE_ERR_SIZE, "stride");
    refuse_view((abbe_image){ .data = in,
                              .width = WIDTH - 1,
                              .height = HEIGHT,
                              .channels = CHANNELS,
                              .stride = row,
                              .type = ABBE_F32 },
                ABBE_ERR_INVALID, "4 x 4");
    refuse_view((abbe_image){ .data = in,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .channels = CHANNELS - 1,
                              .stride = row,
                              .type = ABBE_F32 },
                ABBE_ERR_INVALID, "2");
}

static void pairs_of_views(void **state)
{
    (void)state;
    abbe_image picture = view_of(in), packed = view_of(out), shifted = view_of(out + 3), coarse = packed;
    coarse.type = ABBE_F16;
    refused_unwritten("no device", abbe_spectrum_forward(NULL, &picture, NULL), ABBE_ERR_INVALID, NULL,
                      "packed");
    refused_unwritten("no device", abbe_spectrum_inverse(NULL, &packed, NULL), ABBE_ERR_INVALID, NULL,
                      "result");
    refused_unwritten("no source", abbe_spectrum_forward(device, NULL, &packed), ABBE_ERR_INVALID, device,
                      "source");
    refused_unwritten("no packed", abbe_spectrum_forward(device, &picture, NULL), ABBE_ERR_INVALID, device,
                      "packed");
    refused_unwritten("no packed", abbe_spectrum_inverse(device, NULL, &packed), ABBE_ERR_INVALID, device,
                      "packed");
    refused_unwritten("no result", abbe_spectrum_inverse(device, &picture, NULL), ABBE_ERR_INVALID, device,
                      "result");
    refused_unwritten("half floats", abbe_spectrum_forward(device, &picture, &coarse), ABBE_ERR_INVALID,
                      device, "F32");
    refused_unwritten("half floats", abbe_spectrum_inverse(device, &coarse, &picture), ABBE_ERR_INVALID,
                      device, "F32");
    refused_unwritten("overlap", abbe_spectrum_forward(device, &shifted, &packed), ABBE_ERR_INVALID, device,
                      "overlap");
    refused_unwritten("overlap", abbe_spectrum_inverse(device, &shifted, &packed), ABBE_ERR_INVALID, device,
                      "overlap");
    refused_unwritten("no a", abbe_spectrum_multiply(NULL, &picture, &packed), ABBE_ERR_INVALID, NULL, "a: ");
    refused_unwritten("no b", abbe_spectrum_multiply(&picture, NULL, &packed), ABBE_ERR_INVALID, NULL, "b: ");
    refused_unwritten("no result", abbe_spectrum_multiply(&picture, &picture, NULL), ABBE_ERR_INVALID, NULL,
                      "result");
    refused_unwritten("half floats", abbe_spectrum_multiply(&picture, &coarse, &packed), ABBE_ERR_INVALID,
                      NULL, "F32");
    refused_unwritten("overlap", abbe_spectrum_multiply(&shifted, &picture, &packed), ABBE_ERR_INVALID, NULL,
                      "overlap");
    refused_unwritten("overlap", abbe_spectrum_multiply(&picture, &shifted, &packed), ABBE_ERR_INVALID, NULL,
                      "overlap");
}

static void samples_that_are_not_finite(void **state)
{
    (void)state;
    const float wild[] = { NAN, INFINITY, -INFINITY };
    abbe_image picture = view_of(in), packed = view_of(out);
    for (int i = 0; i < 3; i++) {
        in[2 * WIDTH * CHANNELS + 7] = wild[i];
        refused_unwritten("source", abbe_spectrum_forward(device, &picture, &packed), ABBE_ERR_NONFINITE,
                          device, "row 2");
        refused_unwritten("packed", abbe_spectrum_inverse(device, &picture, &packed), ABBE_ERR_NONFINITE,
                          device, "row 2");
    }
    in[2 * WIDTH * CHANNELS + 7] = 0;
}

static void single_frequencies(void **state)
{
    (void)state;
    const struct {
        int channel, u, v;
        const char *says;
    } cases[] = {
        { -1, 0, 0, "channel -1" },
        { CHANNELS, 0, 0, "channel 3" },
        { INT_MIN, 0, 0, "channel" },
        { 0, -1, 0, "frequency (-1, 0)" },
        { 0, WIDTH, 0, "(5, 0)" },
        { 0, 0, -1, "(0, -1)" },
        { 0, 0, HEIGHT, "frequency (0, 4)" },
        { 0, INT_MAX, INT_MIN, "frequency" },
    };
    abbe_image packed = view_of(in);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused_unwritten("place", abbe_spectrum_at(&packed, cases[i].channel, cases[i].u, cases[i].v, out),
                          ABBE_ERR_INVALID, NULL, cases[i].says);
    refused_unwritten("no value", abbe_spectrum_at(&packed, 0, 0, 0, NULL), ABBE_ERR_INVALID, NULL, "value");
    refused_unwritten("no spectrum", abbe_spectrum_at(NULL, 0, 0, 0, out), ABBE_ERR_INVALID, NULL, "packed");
    packed.type = ABBE_U8;
    refused_unwritten("bytes", abbe_spectrum_at(&packed, 0, 0, 0, out), ABBE_ERR_INVALID, NULL, "F32");
}

static void packing(void **state)
{
    (void)state;
    const int sizes[][3] = {
        { 0, 4, ABBE_ERR_INVALID },       { 5, -1, ABBE_ERR_INVALID },
        { INT_MAX, 4, ABBE_ERR_SIZE },    { 5, ABBE_SIDE_MAX + 1, ABBE_ERR_SIZE },
        { INT_MIN, 4, ABBE_ERR_INVALID }, { ABBE_SIDE_MAX, ABBE_SIDE_MAX, ABBE_ERR_SIZE }
    };
    for (int i = 0; i < 6; i++) {
        refused_unwritten("pack", abbe_spectrum_pack(sizes[i][0], sizes[i][1], in, out), sizes[i][2], NULL,
                          "spectrum: ");
        refused_unwritten("unpack", abbe_spectrum_unpack(sizes[i][0], sizes[i][1], in, out), sizes[i][2],
                          NULL, "spectrum: ");
    }
    refused_unwritten("no spectrum", abbe_spectrum_pack(5, 4, NULL, out), ABBE_ERR_INVALID, NULL, "spectrum");
    refused_unwritten("no packed", abbe_spectrum_pack(5, 4, in, NULL), ABBE_ERR_INVALID, NULL, "packed");
    refused_unwritten("no packed", abbe_spectrum_unpack(5, 4, NULL, out), ABBE_ERR_INVALID, NULL, "packed");
    refused_unwritten("no spectrum", abbe_spectrum_unpack(5, 4, in, NULL), ABBE_ERR_INVALID, NULL,
                      "spectrum");
    refused_unwritten("overlap", abbe_spectrum_pack(5, 4, out, out), ABBE_ERR_INVALID, NULL, "overlap");
    refused_unwritten("overlap", abbe_spectrum_unpack(5, 4, out + 4, out), ABBE_ERR_INVALID, NULL, "overlap");
}

/* A device that computes no spectra says so, instead of leaving them to the CPU unasked. */
static void gpus_refuse(void **state)
{
    (void)state;
    abbe_image picture = view_of(in), packed = view_of(out);
    complex_transform *const transforms[] = { abbe_fft_forward, abbe_fft_inverse };
    for (int t = 0; t < 2; t++)
        refused_unwritten("array", transforms[t](device, 5, 4, in, out), ABBE_ERR_UNSUPPORTED, device,
                          "computes no spectra");
    refused_unwritten("picture", abbe_spectrum_forward(device, &picture, &packed), ABBE_ERR_UNSUPPORTED,
                      device, abbe_device_name(device));
    refused_unwritten("spectrum", abbe_spectrum_inverse(device, &picture, &packed), ABBE_ERR_UNSUPPORTED,
                      device, "\"cpu\"");
    static float black[20]; /* nothing is transformed */
    abbe_image night = view_of(black);
    const abbe_peak *const *peaks = NULL;
    size_t count = 7;
    test_refused("peaks", abbe_peaks_find(device, &night, NULL, &peaks, &count), ABBE_ERR_UNSUPPORTED, device,
                 "abbe_peaks_find: the device");
    assert_true(!peaks && count == 7);
}

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 2);
    const struct CMUnitTest on_gpu[] = { cmocka_unit_test(gpus_refuse) };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complex_transforms), cmocka_unit_test(views_of_spectra),
        cmocka_unit_test(pairs_of_views),     cmocka_unit_test(samples_that_are_not_finite),
        cmocka_unit_test(single_frequencies), cmocka_unit_test(packing),
    };
    int failures = strcmp(abbe_device_name(device), "cpu") ? cmocka_run_group_tests(on_gpu, fill_arrays, NULL)
                                                           : cmocka_run_group_tests(tests, fill_arrays, NULL);
    abbe_device_close(&device);
    return failures;
}
