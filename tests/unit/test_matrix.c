/* Matrices from text and images: what is read, and the message of every refusal. */
#include <abbe/abbe.h>

#include "core/number.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_form(const char *text, abbe_matrix_form form, int width, int height, const double *values)
{
    abbe_matrix matrix = { 0 };
    if (abbe_matrix_parse(text, strlen(text), form, &matrix))
        fail_msg("\"%s\": %s", text, abbe_error_text(NULL));
    if (matrix.width != width || matrix.height != height)
        fail_msg("\"%s\": %d x %d, not %d x %d", text, matrix.width, matrix.height, width, height);
    for (int i = 0; i < width * height; i++)
        if (matrix.values[i] != values[i])
            fail_msg("\"%s\": number %d is %.17g, not %.17g", text, i, matrix.values[i], values[i]);
    abbe_matrix_free(&matrix);
    assert_null(matrix.values);
}

static void check_read(const char *text, int width, int height, const double *values)
{
    check_form(text, ABBE_MATRIX_AUTO, width, height, values);
}

static void check_refused(const char *text, size_t length, abbe_matrix_form form, int code,
                          const char *message)
{
    abbe_matrix matrix = { 7, 7, NULL };
    int error = abbe_matrix_parse(text, length, form, &matrix);
    if (error != code || strcmp(abbe_error_text(NULL), message))
        fail_msg("\"%s\": %s \"%s\", not \"%s\"", text, abbe_error_name(error), abbe_error_text(NULL),
                 message);
    assert_int_equal(matrix.width, 7);
}

static void check_syntax(const char *text, const char *message)
{
    check_refused(text, strlen(text), ABBE_MATRIX_AUTO, ABBE_ERR_SYNTAX, message);
}

static void rows_are_lines(void **state)
{
    (void)state;
    check_read("1 2 3\n4 5 6\n", 3, 2, (double[]){ 1, 2, 3, 4, 5, 6 });
    check_read("1", 1, 1, (double[]){ 1 });
    check_read("-1,+2;3\t.5\r\n1e2 , 1.5e-1, 5. ,0\r\n", 4, 2, (double[]){ -1, 2, 3, 0.5, 100, 0.15, 5, 0 });
    check_read("# a kernel, \xc3\xa9tude\n\n  \t\n1 2 # first\n#\n3 4", 2, 2, (double[]){ 1, 2, 3, 4 });
    check_read("\xef\xbb\xbf"
               "1 2",
               2, 1, (double[]){ 1, 2 });
}

static void headers_of_vips_are_understood(void **state)
{
    (void)state;
    check_read("3 2\n1 2 3\n4 5 6", 3, 2, (double[]){ 1, 2, 3, 4, 5, 6 });
    check_read("3 1\n2 4 8", 3, 1, (double[]){ 2, 4, 8 });
    check_read("1 2 2 0 # scale, offset\n\n4\n8\n", 1, 2, (double[]){ 2, 4 });
    check_refused(
        "1 2 2 128\n4\n8\n", 14, ABBE_MATRIX_AUTO, ABBE_ERR_UNSUPPORTED,
        "line 1: the vips offset is 128; it must be 0, because an offset belongs to the plan, not to "
        "the taps");
    const struct {
        const char *text;
        abbe_matrix_form form;
        bool scaled;
    } cases[] = {
        { "3 1 2\n1 2 1", ABBE_MATRIX_VIPS, true },    { "3 1 1 0\n1 2 1", ABBE_MATRIX_AUTO, true },
        { "3 1\n1 2 1", ABBE_MATRIX_VIPS, false },     { "3 1 2\n1 2 1", ABBE_MATRIX_ROWS, false },
        { "3 1 2 9\n1 2 1", ABBE_MATRIX_AUTO, false }, { "1 2 x", ABBE_MATRIX_AUTO, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (abbe_matrix_has_scale(cases[i].text, strlen(cases[i].text), cases[i].form) != cases[i].scaled)
            fail_msg("\"%s\": has a scale or not", cases[i].text);
    assert_false(abbe_matrix_has_scale(NULL, 0, ABBE_MATRIX_VIPS));
    /* Not a header: what follows does not match it. */
    check_read("3 2\n1 2\n4 5", 2, 3, (double[]){ 3, 2, 1, 2, 4, 5 });
    check_read("2.5 1\n1 2", 2, 2, (double[]){ 2.5, 1, 1, 2 });
}

/* Texts that are valid both as rows and as a header with rows: only the caller can decide. */
static void forms_that_both_fit_are_refused(void **state)
{
    (void)state;
    const char *text = "3 2 1\n2 4 2\n1 2 3\n";
    check_syntax(text, "line 1 is a row of 3 numbers or the vips header of 3 × 2 numbers: specify the form, "
                       "or put a line '3 3' above it if it is a row");
    check_form(text, ABBE_MATRIX_ROWS, 3, 3, (double[]){ 3, 2, 1, 2, 4, 2, 1, 2, 3 });
    check_form(text, ABBE_MATRIX_VIPS, 3, 2, (double[]){ 2, 4, 2, 1, 2, 3 });
    check_read("3 3\n3 2 1\n2 4 2\n1 2 3\n", 3, 3, (double[]){ 3, 2, 1, 2, 4, 2, 1, 2, 3 });
    text = "# two\n2 1\n5 6";
    check_syntax(text, "line 2 is a row of 2 numbers or the vips header of 2 × 1 numbers: specify the form, "
                       "or put a line '2 2 1' above it if it is a row");
    check_form(text, ABBE_MATRIX_ROWS, 2, 2, (double[]){ 2, 1, 5, 6 });
    check_form(text, ABBE_MATRIX_VIPS, 2, 1, (double[]){ 5, 6 });
    check_read("2 2 1\n2 1\n5 6", 2, 2, (double[]){ 2, 1, 5, 6 });
    check_form("4 1 2 0\n2 4 6 8", ABBE_MATRIX_VIPS, 4, 1, (double[]){ 1, 2, 3, 4 });
}

static void forms_are_demanded(void **state)
{
    (void)state;
    const struct {
        const char *text;
        abbe_matrix_form form;
        const char *message;
    } cases[] = {
        { "3 2\n1 2 3\n4 5 6", ABBE_MATRIX_ROWS, "line 2 has 3 numbers, but line 1 has 2" },
        { "1 2 3\n4 5 6", ABBE_MATRIX_VIPS,
          "line 1 is not the vips header 'width height [scale [offset]]' of the 3 × 1 numbers below it" },
        { "2 2", ABBE_MATRIX_VIPS,
          "line 1 is not the vips header 'width height [scale [offset]]' of the 0 × 0 numbers below it" },
        { "2 2\n1 2\n3", ABBE_MATRIX_VIPS, "line 3 has 1 numbers, but line 2 has 2" },
        { "3 1 0\n1 2 3", ABBE_MATRIX_VIPS, "line 2: a number divided by the scale of line 1 is not finite" },
        { "", ABBE_MATRIX_ROWS, "the text holds no numbers" },
        { "#", ABBE_MATRIX_VIPS, "the text holds no numbers" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(cases[i].text, strlen(cases[i].text), cases[i].form, ABBE_ERR_SYNTAX, cases[i].message);
    check_refused("1", 1, (abbe_matrix_form)3, ABBE_ERR_INVALID,
                  "abbe_matrix_parse: form is 3; it must be 0 to 2");
}

static void numbers_beyond_a_float(void **state)
{
    (void)state;
    const struct {
        const char *text;
        abbe_matrix_form form;
        const char *message;
    } cases[] = {
        { "1 2\n3  1e39", ABBE_MATRIX_ROWS,
          "line 2, column 4: '1e39' is beyond the range of a float, 3.4e38" },
        { "-3.5e38", ABBE_MATRIX_AUTO, "line 1, column 1: '-3.5e38' is beyond the range of a float, 3.4e38" },
        { "2 1 0.5\n1 2e38", ABBE_MATRIX_VIPS,
          "line 2, column 3: '2e38' divided by the scale is beyond the range of a float, 3.4e38" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(cases[i].text, strlen(cases[i].text), cases[i].form, ABBE_ERR_RANGE, cases[i].message);
    abbe_matrix matrix;
    assert_int_equal(abbe_matrix_parse("2 1 10\n1 1e39", 13, ABBE_MATRIX_VIPS, &matrix), ABBE_OK);
    assert_true(matrix.values[1] == 1e39 / 10);
    abbe_matrix_free(&matrix);
}

static void refusals_name_the_place(void **state)
{
    (void)state;
    check_syntax("", "the text holds no numbers");
    check_syntax("# only a comment\n\n", "the text holds no numbers");
    check_syntax("1 2 3 4 5\n1 2 3 4 5\n1 2 3 4", "line 3 has 4 numbers, but line 1 has 5");
    check_syntax("\n1 2\n\n1 2 3", "line 4 has 3 numbers, but line 2 has 2");
    check_syntax("3 3\n1 2 3\n4 5 6", "line 2 has 3 numbers, but line 1 has 2");
    check_syntax("1 2\n3 x4\n", "line 2, column 3: 'x4' is not a number");
    check_syntax("1 2px", "line 1, column 3: '2px' is not a number");
    check_syntax("1 nan", "line 1, column 3: 'nan' is not a number");
    check_syntax("inf", "line 1, column 1: 'inf' is not a number");
    check_syntax("1 -1e999", "line 1, column 3: '-1e999' is not a finite number");
    check_syntax("0x10", "line 1, column 1: '0x10' is not a number");
    check_syntax("1.2.3", "line 1, column 1: '1.2.3' is not a number");
    check_syntax("1 -", "line 1, column 3: '-' is not a number");
    check_syntax("1 . 2", "line 1, column 3: '.' is not a number");
    check_syntax("1e", "line 1, column 1: '1e' is not a number");
    check_syntax("1\v2", "line 1, column 1: '1?2' is not a number");
    check_syntax("1 # bell \a", "line 1, column 10: '?' is not printable text");
    check_syntax("1 1 0\n5", "line 2: a number divided by the scale of line 1 is not finite");
    check_syntax("1,,3\n4,5,6", "line 1, column 3: a number is missing before ','");
    check_syntax("1 ; , 2", "line 1, column 5: a number is missing before ','");
    check_refused("1 \0002", 4, ABBE_MATRIX_AUTO, ABBE_ERR_SYNTAX, "line 1, column 3: '?2' is not a number");
}

static void text_ends_where_it_is_said_to(void **state)
{
    (void)state;
    /* On the heap without a zero byte, so that a sanitizer reports a read past the end. */
    char *text = malloc(4);
    assert_non_null(text);
    memcpy(text, "1 23", 4);
    abbe_matrix matrix;
    assert_int_equal(abbe_matrix_parse(text, 3, ABBE_MATRIX_AUTO, &matrix), ABBE_OK);
    assert_true(matrix.values[1] == 2);
    abbe_matrix_free(&matrix);
    assert_int_equal(abbe_matrix_parse(text, 4, ABBE_MATRIX_AUTO, &matrix), ABBE_OK);
    assert_true(matrix.values[1] == 23);
    abbe_matrix_free(&matrix);
    memcpy(text, "12e+", 4);
    assert_int_equal(abbe_matrix_parse(text, 4, ABBE_MATRIX_AUTO, &matrix), ABBE_ERR_SYNTAX);
    free(text);
}

static void long_rows_are_refused(void **state)
{
    (void)state;
    size_t count = ABBE_KERNEL_SIDE_MAX + 1;
    char *text = malloc(2 * count);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + 2 * i, "1 ", 2);
    check_refused(text, 2 * count, ABBE_MATRIX_AUTO, ABBE_ERR_SIZE, "line 1 has more than 131072 numbers");
    for (size_t i = 0; i < count; i++)
        memcpy(text + 2 * i, "1\n", 2);
    check_refused(text, 2 * count, ABBE_MATRIX_AUTO, ABBE_ERR_SIZE,
                  "matrix: size is 1 × 131073; it may be at most 131072 per side and 67108864 in all");
    free(text);
}

static void numbers_are_close_to_strtod(void **state)
{
    (void)state;
    const char *texts[] = {
        "0",
        "-0",
        "0.1",
        "123456789012345678901234567890",
        "1e22",
        "1e23",
        "1.7976931348623157e308",
        "2.2250738585072014e-308",
        "4.9e-324",
        "1e-400",
        "9007199254740993",
        "3.141592653589793238462643",
        "0.000000000000000000000000000000000000001",
        "1e-22",
        "1e-23",
        "123.456e-7",
        "00012.50",
        "8.5e+3",
        "1E5",
        "179769313486231580793e288",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = NAN, expected = strtod(texts[i], NULL);
        size_t length = strlen(texts[i]);
        assert_int_equal(number_read(texts[i], length, &value), length);
        double ulp = nextafter(fabs(expected), INFINITY) - fabs(expected);
        if (!(fabs(value - expected) <= ulp))
            fail_msg("%s: %.17g, not %.17g", texts[i], value, expected);
    }
    double value;
    assert_int_equal(number_read("1e999999999999999999999", 23, &value), 23);
    assert_true(isinf(value));
    assert_int_equal(number_read("1e-999999999999999999999", 24, &value), 24);
    assert_true(value == 0.0);
    assert_int_equal(number_read("0.5cpp", 6, &value), 3);
    assert_int_equal(number_read("+", 1, &value), 0);
    assert_int_equal(number_read("", 0, &value), 0);
}

/* 0.000…1e(zeros + 1) and 1000…e−zeros are 1, however many zeros there are. */
static void exponents_make_up_for_zeros(void **state)
{
    (void)state;
    enum { ZEROS = 2000000, ROOM = ZEROS + 32 };
    char *text = malloc(ROOM);
    assert_non_null(text);
    double value = 0.0;
    memset(text, '0', ROOM);
    text[1] = '.';
    size_t length = ZEROS + 2;
    length += (size_t)sprintf(text + length, "1e%d", ZEROS + 1);
    assert_int_equal(number_read(text, length, &value), length);
    assert_true(value == 1.0);
    memset(text, '0', ROOM);
    text[0] = '1';
    length = ZEROS + 1;
    length += (size_t)sprintf(text + length, "e-%d", ZEROS);
    assert_int_equal(number_read(text, length, &value), length);
    assert_true(value == 1.0);
    free(text);
}

static void images_are_averaged(void **state)
{
    (void)state;
    uint8_t pixels[2][8] = { { 0, 255, 51, 0, 0, 0, 9, 9 }, { 255, 255, 255, 51, 102, 153, 9, 9 } };
    abbe_image image = {
        .data = pixels, .width = 2, .height = 2, .channels = 3, .stride = 8, .type = ABBE_U8
    };
    abbe_matrix matrix;
    assert_int_equal(abbe_matrix_from_image(&image, &matrix), ABBE_OK);
    const double expected[] = { 0.4, 0.0, 1.0, 0.4 };
    for (int i = 0; i < 4; i++)
        assert_true(fabs(matrix.values[i] - expected[i]) < 1e-7);
    abbe_matrix_free(&matrix);
    double tenth = 0.1;
    image = (abbe_image){ .data = &tenth, .width = 1, .height = 1, .channels = 1, .type = ABBE_F64 };
    assert_int_equal(abbe_matrix_from_image(&image, &matrix), ABBE_OK);
    assert_true(matrix.values[0] == 0.1);
    abbe_matrix_free(&matrix);
    float values[] = { 1.0f, NAN };
    image = (abbe_image){
        .data = values, .width = 1, .height = 2, .channels = 1, .stride = 4, .type = ABBE_F32
    };
    assert_int_equal(abbe_matrix_from_image(&image, &matrix), ABBE_ERR_NONFINITE);
    assert_string_equal(abbe_error_text(NULL), "image: row 1 holds a NaN or an infinity");
    image.data = NULL;
    assert_int_equal(abbe_matrix_from_image(&image, &matrix), ABBE_ERR_INVALID);
    image = (abbe_image){
        .data = values, .width = ABBE_KERNEL_SIDE_MAX + 1, .height = 1, .channels = 1, .type = ABBE_U8
    };
    image.stride = image.width;
    assert_int_equal(abbe_matrix_from_image(&image, &matrix), ABBE_ERR_SIZE);
}

static void bad_arguments(void **state)
{
    (void)state;
    abbe_matrix matrix;
    assert_int_equal(abbe_matrix_create(0, 1, &matrix), ABBE_ERR_INVALID);
    assert_string_equal(abbe_error_text(NULL), "matrix: size is 0 × 1; both sides must be at least 1");
    assert_int_equal(abbe_matrix_create(1, -1, &matrix), ABBE_ERR_INVALID);
    assert_int_equal(abbe_matrix_create(INT32_MAX, INT32_MAX, &matrix), ABBE_ERR_SIZE);
    assert_int_equal(abbe_matrix_create(1, 1, NULL), ABBE_ERR_INVALID);
    assert_int_equal(abbe_matrix_parse(NULL, 0, ABBE_MATRIX_AUTO, &matrix), ABBE_ERR_INVALID);
    assert_int_equal(abbe_matrix_parse("1", 1, ABBE_MATRIX_AUTO, NULL), ABBE_ERR_INVALID);
    assert_int_equal(abbe_matrix_from_image(NULL, &matrix), ABBE_ERR_INVALID);
    abbe_matrix_free(NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_are_lines),
    cmocka_unit_test(headers_of_vips_are_understood),
    cmocka_unit_test(forms_that_both_fit_are_refused),
    cmocka_unit_test(forms_are_demanded),
    cmocka_unit_test(numbers_beyond_a_float),
    cmocka_unit_test(refusals_name_the_place),
    cmocka_unit_test(text_ends_where_it_is_said_to),
    cmocka_unit_test(long_rows_are_refused),
    cmocka_unit_test(numbers_are_close_to_strtod),
    cmocka_unit_test(exponents_make_up_for_zeros),
    cmocka_unit_test(images_are_averaged),
    cmocka_unit_test(bad_arguments),
};

TEST_MAIN(tests)
