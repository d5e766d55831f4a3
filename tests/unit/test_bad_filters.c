/* Matrices and filters under bad input: a specific code, a message that names the argument, nothing
 * written. */
#include "support/test.h"

#include <abbe/abbe.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static char somewhere;

static void refused(const char *what, int code, int expected, const char *part)
{
    test_refused(what, code, expected, NULL, part);
}

/* ---- Matrices ----------------------------------------------------------------------------------------- */

static abbe_matrix marked(void)
{
    return (abbe_matrix){ 11, 13, (double *)(void *)&somewhere };
}

static void assert_marked(const abbe_matrix *matrix)
{
    assert_int_equal(matrix->width, 11);
    assert_int_equal(matrix->height, 13);
    assert_ptr_equal(matrix->values, &somewhere);
}

static void sizes_of_matrices(void **state)
{
    (void)state;
    const struct {
        int width, height, code;
        const char *part;
    } cases[] = {
        { 0, 5, ABBE_ERR_INVALID, "0" },
        { 5, 0, ABBE_ERR_INVALID, "0" },
        { -1, 5, ABBE_ERR_INVALID, "-1" },
        { 5, INT_MIN, ABBE_ERR_INVALID, "-2147483648" },
        { INT_MAX, 1, ABBE_ERR_SIZE, "2147483647" },
        { 1, ABBE_KERNEL_SIDE_MAX + 1, ABBE_ERR_SIZE, "131073" },
        { ABBE_KERNEL_SIDE_MAX, ABBE_KERNEL_SIDE_MAX, ABBE_ERR_SIZE, "131072" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_matrix matrix = marked();
        refused("matrix", abbe_matrix_create(cases[i].width, cases[i].height, &matrix), cases[i].code,
                cases[i].part);
        assert_marked(&matrix);
    }
    refused("no matrix", abbe_matrix_create(3, 3, NULL), ABBE_ERR_INVALID, "NULL");
    abbe_matrix_free(NULL);
    abbe_matrix_free(&(abbe_matrix){ 0 });
}

static void texts_of_matrices(void **state)
{
    (void)state;
    const struct {
        const char *text;
        const char *part;
    } cases[] = {
        { "", "no numbers" },     { "# nothing\n\n", "no numbers" }, { "1 2\n3", "line 2" },
        { "1 2\n3 x", "line 2" }, { "1 2 3 4\n5 6\n", "line 2" },    { "1e999", "1e999" },
        { "nan", "nan" },         { "1 2\n3 inf", "inf" },           { "1 2..3", "1" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_matrix matrix = marked();
        refused(cases[i].text,
                abbe_matrix_parse(cases[i].text, strlen(cases[i].text), ABBE_MATRIX_AUTO, &matrix),
                ABBE_ERR_SYNTAX, cases[i].part);
        assert_marked(&matrix);
    }
    abbe_matrix matrix = marked();
    refused("no text", abbe_matrix_parse(NULL, 4, ABBE_MATRIX_AUTO, &matrix), ABBE_ERR_INVALID, "text");
    refused("no matrix", abbe_matrix_parse("1", 1, ABBE_MATRIX_AUTO, NULL), ABBE_ERR_INVALID, "matrix");
    assert_marked(&matrix);
}

static void images_as_matrices(void **state)
{
    (void)state;
    float pixels[12] = { 0 };
    const struct {
        abbe_image view;
        int code;
        const char *part;
    } cases[] = {
        { { { NULL }, 2, 2, 3, 24, ABBE_F32 }, ABBE_ERR_INVALID, "data is NULL" },
        { { { pixels }, 0, 2, 3, 24, ABBE_F32 }, ABBE_ERR_INVALID, "size 0 x 2" },
        { { { pixels }, 2, 2, 65, 24, ABBE_F32 }, ABBE_ERR_INVALID, "65 channels" },
        { { { pixels }, 2, 2, 3, 24, (abbe_type)77 }, ABBE_ERR_INVALID, "type 77" },
        { { { pixels }, 2, 2, 3, 23, ABBE_F32 }, ABBE_ERR_INVALID, "stride of 23" },
        { { { pixels }, 2, 2, 3, PTRDIFF_MIN, ABBE_F32 }, ABBE_ERR_SIZE, "stride" },
        { { { pixels }, ABBE_KERNEL_SIDE_MAX + 1, 1, 1, 0, ABBE_U8 }, ABBE_ERR_SIZE, "131073" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_matrix matrix = marked();
        refused("image", abbe_matrix_from_image(&cases[i].view, &matrix), cases[i].code, cases[i].part);
        assert_marked(&matrix);
    }
    abbe_matrix matrix = marked();
    abbe_image view = {
        .data = pixels, .width = 2, .height = 2, .channels = 3, .stride = 24, .type = ABBE_F32
    };
    refused("no image", abbe_matrix_from_image(NULL, &matrix), ABBE_ERR_INVALID, "image");
    refused("no matrix", abbe_matrix_from_image(&view, NULL), ABBE_ERR_INVALID, "matrix");
    pixels[7] = NAN;
    refused("NaN", abbe_matrix_from_image(&view, &matrix), ABBE_ERR_NONFINITE, "row 1");
    assert_marked(&matrix);
}

/* ---- Filters ------------------------------------------------------------------------------------------ */

static abbe_filter *const untouched = (abbe_filter *)&somewhere;

static int load_error(void *user, const char *filter, const char *name, abbe_matrix *matrix)
{
    (void)user, (void)filter, (void)name, (void)matrix;
    return ABBE_ERR_FILE;
}

/* Loaders that report success and return an invalid matrix. */
static int load_nothing(void *user, const char *filter, const char *name, abbe_matrix *matrix)
{
    (void)user, (void)filter, (void)name;
    *matrix = (abbe_matrix){ 0 };
    return ABBE_OK;
}

static int load_nan(void *user, const char *filter, const char *name, abbe_matrix *matrix)
{
    (void)user, (void)filter, (void)name;
    int error = abbe_matrix_create(3, 3, matrix);
    if (!error)
        matrix->values[4] = NAN;
    return error;
}

static void texts_of_filters(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int code;
        const char *part;
    } cases[] = {
        { "", ABBE_ERR_SYNTAX, "filter" },
        { "guassian", ABBE_ERR_SYNTAX, "did you mean 'gaussian'" },
        { "gaussian:sigma=1,guassian", ABBE_ERR_SYNTAX, "at position 18" },
        { "gaussian:sgima=1", ABBE_ERR_SYNTAX, "sgima" },
        { "gaussian:sigma", ABBE_ERR_SYNTAX, "sigma" },
        { "gaussian:sigma=", ABBE_ERR_SYNTAX, "sigma" },
        { "gaussian:sigma=two", ABBE_ERR_SYNTAX, "two" },
        { "gaussian:sigma=1:sigma=2", ABBE_ERR_SYNTAX, "sigma" },
        { "gaussian:", ABBE_ERR_SYNTAX, "10" },
        { "gaussian,", ABBE_ERR_SYNTAX, "10" },
        { "gaussian:sigma=-1", ABBE_ERR_RANGE, "sigma" },
        { "gaussian:sigma=1e300", ABBE_ERR_RANGE, "sigma" },
        { "lowpass:cutoff=-0.5", ABBE_ERR_RANGE, "cutoff" },
        { "kernel", ABBE_ERR_SYNTAX, "file" },
        { "kernel:file=a.txt", ABBE_ERR_FILE, "a.txt" },
        { "mask:file=b.png", ABBE_ERR_FILE, "b.png" },
    };
    const abbe_loader loader = { load_error, NULL };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_filter *filter = untouched;
        refused(cases[i].text, abbe_filter_parse(cases[i].text, &loader, &filter), cases[i].code,
                cases[i].part);
        refused(cases[i].text, abbe_filter_parse(cases[i].text, NULL, &filter), cases[i].code, cases[i].part);
        assert_ptr_equal(filter, untouched);
    }
    abbe_filter *filter = untouched;
    refused("no text", abbe_filter_parse(NULL, NULL, &filter), ABBE_ERR_INVALID, "text");
    refused("no output", abbe_filter_parse("box", NULL, NULL), ABBE_ERR_INVALID, "filter");
    refused("no function", abbe_filter_parse("mask:file=m", &(abbe_loader){ 0 }, &filter), ABBE_ERR_FILE,
            "m");
    refused("nothing loaded", abbe_filter_parse("mask:file=m", &(abbe_loader){ load_nothing, NULL }, &filter),
            ABBE_ERR_FILE, "m");
    refused("NaN loaded", abbe_filter_parse("kernel:file=k", &(abbe_loader){ load_nan, NULL }, &filter),
            ABBE_ERR_FILE, "not finite");
    assert_ptr_equal(filter, untouched);
}

static void kernels_and_masks(void **state)
{
    (void)state;
    double values[6] = { 1, -2, 1, 0, 0, 0 };
    const double wild[] = { NAN, INFINITY, -INFINITY, 1e39, -DBL_MAX };
    const int centres[][2] = { { -1, 0 }, { 0, -1 }, { 3, 0 }, { 0, 2 }, { INT_MIN, INT_MAX } };
    abbe_matrix matrix = { 3, 2, values };
    abbe_filter *filter = untouched;
    abbe_kernel_params params = { .taps = &matrix };
    refused("no parameters", abbe_filter_from_kernel(NULL, &filter), ABBE_ERR_INVALID, "params");
    refused("no output", abbe_filter_from_kernel(&params, NULL), ABBE_ERR_INVALID, "filter");
    refused("no taps", abbe_filter_from_kernel(&(abbe_kernel_params){ 0 }, &filter), ABBE_ERR_INVALID,
            "kernel");
    refused("no mask", abbe_filter_from_mask(NULL, &filter), ABBE_ERR_INVALID, "mask");
    refused("no output", abbe_filter_from_mask(&matrix, NULL), ABBE_ERR_INVALID, "filter");
    for (int i = 0; i < 5; i++) {
        params.centre = centres[i];
        refused("centre", abbe_filter_from_kernel(&params, &filter), ABBE_ERR_INVALID, "centre");
    }
    params.centre = NULL;
    params.normalize = true;
    refused("sum of zero", abbe_filter_from_kernel(&params, &filter), ABBE_ERR_RANGE, "zero");
    for (int i = 0; i < 5; i++) {
        values[4] = wild[i];
        refused("wild tap", abbe_filter_from_kernel(&params, &filter), ABBE_ERR_NONFINITE, "column 1, row 1");
        refused("wild gain", abbe_filter_from_mask(&matrix, &filter), ABBE_ERR_NONFINITE, "column 1, row 1");
    }
    const abbe_matrix broken[] = { { 0, 2, values }, { 3, -2, values }, { 3, 2, NULL } };
    for (int i = 0; i < 3; i++) {
        params.taps = &broken[i];
        refused("broken taps", abbe_filter_from_kernel(&params, &filter), ABBE_ERR_INVALID, "kernel");
        refused("broken mask", abbe_filter_from_mask(&broken[i], &filter), ABBE_ERR_INVALID, "mask");
    }
    refused("large mask", abbe_filter_from_mask(&(abbe_matrix){ INT_MAX, 1, values }, &filter), ABBE_ERR_SIZE,
            "mask");
    assert_ptr_equal(filter, untouched);
}

static void keep(void *user, double fx, double fy, double gain[2])
{
    (void)user, (void)fx, (void)fy;
    gain[0] = 1;
    gain[1] = 0;
}

static abbe_filter *parse(const char *text)
{
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_filter_parse(text, NULL, &filter), ABBE_OK);
    return filter;
}

static void transfers_and_chains(void **state)
{
    (void)state;
    abbe_filter *filter = untouched, *box = parse("box"), *sobel = parse("sobel");
    abbe_filter *wide = parse("box:radius=40000");
    refused("no function", abbe_filter_from_transfer(NULL, NULL, &filter), ABBE_ERR_INVALID, "transfer");
    refused("no output", abbe_filter_from_transfer(keep, NULL, NULL), ABBE_ERR_INVALID, "filter");
    const abbe_filter *hole[] = { box, NULL }, *magnitude[] = { sobel, box }, *too_wide[] = { wide, wide };
    refused("no filters", abbe_filter_chain(NULL, 2, &filter), ABBE_ERR_INVALID, "filters");
    refused("none", abbe_filter_chain(hole, 0, &filter), ABBE_ERR_INVALID, "filters");
    refused("no output", abbe_filter_chain(hole, 1, NULL), ABBE_ERR_INVALID, "filter");
    refused("a hole", abbe_filter_chain(hole, 2, &filter), ABBE_ERR_INVALID, "is NULL");
    refused("magnitude", abbe_filter_chain(magnitude, 2, &filter), ABBE_ERR_UNSUPPORTED, "last");
    refused("too wide", abbe_filter_chain(too_wide, 2, &filter), ABBE_ERR_SIZE, "131072");
    assert_ptr_equal(filter, untouched);
    abbe_filter_destroy(NULL);
    abbe_filter_destroy(&box);
    abbe_filter_destroy(&box);
    abbe_filter_destroy(&sobel);
    abbe_filter_destroy(&wide);
}

static void questions(void **state)
{
    (void)state;
    abbe_filter *box = parse("box"), *low = parse("lowpass");
    abbe_matrix taps = marked();
    double gain[2] = { 7, 8 };
    const int components[] = { -1, 1, 2, INT_MAX, INT_MIN };
    assert_null(abbe_filter_describe(NULL));
    refused("no filter", abbe_filter_taps(NULL, 0, &taps), ABBE_ERR_INVALID, "filter");
    refused("no output", abbe_filter_taps(box, 0, NULL), ABBE_ERR_INVALID, "filter");
    refused("no taps", abbe_filter_taps(low, 0, &taps), ABBE_ERR_UNSUPPORTED, "taps");
    refused("no filter", abbe_filter_gain(NULL, 0, 0, 0, gain), ABBE_ERR_INVALID, "filter");
    refused("no output", abbe_filter_gain(box, 0, 0, 0, NULL), ABBE_ERR_INVALID, "filter");
    refused("NaN", abbe_filter_gain(box, 0, NAN, 0, gain), ABBE_ERR_INVALID, "frequency");
    refused("infinity", abbe_filter_gain(box, 0, 0, INFINITY, gain), ABBE_ERR_INVALID, "frequency");
    for (int i = 0; i < 5; i++) {
        refused("component", abbe_filter_taps(box, components[i], &taps), ABBE_ERR_INVALID, "component");
        refused("component", abbe_filter_gain(box, components[i], 0, 0, gain), ABBE_ERR_INVALID, "component");
    }
    assert_marked(&taps);
    assert_true(gain[0] == 7 && gain[1] == 8);
    assert_non_null(abbe_filter_catalogue(NULL));
    abbe_filter_destroy(&box);
    abbe_filter_destroy(&low);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sizes_of_matrices),  cmocka_unit_test(texts_of_matrices),
    cmocka_unit_test(images_as_matrices), cmocka_unit_test(texts_of_filters),
    cmocka_unit_test(kernels_and_masks),  cmocka_unit_test(transfers_and_chains),
    cmocka_unit_test(questions),
};

TEST_MAIN(tests)
