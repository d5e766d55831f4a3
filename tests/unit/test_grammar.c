/* The grammar of filters: what it accepts, and the message for everything it refuses. */
#include "support/test.h"

#include <abbe/abbe.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes that load() may write to `user`: the filter and the file name. */
enum { SEEN = 64 };

/* Loads "good" (a 3 × 1 matrix), "zero" (sums to zero), "negative" (sums to −4), "scaled" (by 2), "ragged",
 * "endless" and "nothing"; other names fail. */
static int load(void *user, const char *filter, const char *name, abbe_matrix *matrix)
{
    if (user)
        snprintf(user, SEEN, "%s %s", filter, name);
    if (!strcmp(name, "good"))
        return abbe_matrix_parse("1 2 1", 5, ABBE_MATRIX_AUTO, matrix);
    if (!strcmp(name, "zero"))
        return abbe_matrix_parse("1 -2 1", 6, ABBE_MATRIX_AUTO, matrix);
    if (!strcmp(name, "negative"))
        return abbe_matrix_parse("-1 -2 -1", 8, ABBE_MATRIX_AUTO, matrix);
    if (!strcmp(name, "scaled")) {
        const char *text = "3 1 2\n1 2 1";
        int error = abbe_matrix_parse(text, strlen(text), ABBE_MATRIX_VIPS, matrix);
        return !error && abbe_matrix_has_scale(text, strlen(text), ABBE_MATRIX_VIPS) ? ABBE_LOADED_SCALED
                                                                                     : error;
    }
    if (!strcmp(name, "ragged"))
        return abbe_matrix_parse("1 2\n3", 5, ABBE_MATRIX_AUTO, matrix);
    if (!strcmp(name, "endless")) {
        int error = abbe_matrix_parse("1", 1, ABBE_MATRIX_AUTO, matrix);
        if (!error)
            matrix->values[0] = 1e300;
        return error;
    }
    if (!strcmp(name, "nothing"))
        return ABBE_OK;
    return ABBE_ERR_FILE;
}

static const abbe_loader loader = { load, NULL };

static void check_refused(const char *text, int code, const char *message)
{
    abbe_filter *filter = NULL;
    int error = abbe_filter_parse(text, &loader, &filter);
    if (error != code || strcmp(abbe_error_text(NULL), message))
        fail_msg("\"%s\": %s \"%s\", not \"%s\"", text, abbe_error_name(error), abbe_error_text(NULL),
                 message);
    assert_null(filter);
}

static void check_syntax(const char *text, const char *message)
{
    check_refused(text, ABBE_ERR_SYNTAX, message);
}

static void check_range(const char *text, const char *message)
{
    check_refused(text, ABBE_ERR_RANGE, message);
}

static void check_accepted(const char *text)
{
    abbe_filter *filter = NULL;
    if (abbe_filter_parse(text, &loader, &filter))
        fail_msg("\"%s\": %s", text, abbe_error_text(NULL));
    abbe_filter_destroy(&filter);
    assert_null(filter);
}

static void accepted(void **state)
{
    (void)state;
    check_accepted("gaussian");
    check_accepted("gaussian:sigma=12");
    check_accepted(" gaussian : sigma = 12 : truncate = 3 , box ");
    check_accepted("gaussian:sigma=\"1.5\"");
    check_accepted("notch:y=.1:x=-1e-1,lowpass:cutoff=24px");
    check_accepted("lowpass,highpass,box,sobel");
    check_accepted("kernel:file=good");
    check_accepted("mask:file=good");
    check_accepted("box:radius=+3");
    check_accepted("motion:length=1e1:angle=-360");
}

/* Words of other programs. Every filter that a message proposes must be one. */
static void synonyms(void **state)
{
    (void)state;
    static const struct {
        const char *word, *filter;
    } known[] = {
        { "blur", "gaussian" },     { "edge", "sobel" },
        { "edges", "sobel" },       { "sharp", "sharpen" },
        { "usm", "unsharp" },       { "bokeh", "disk" },
        { "denoise", "gaussian" },  { "descreen", "notch" },
        { "Box-Blur", "box" },      { "Unsharp_Mask", "unsharp" },
        { "outline", "laplacian" }, { "clarity", "unsharp:sigma=40:amount=0.3" },
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[64], message[160];
        snprintf(text, sizeof text, "box,%s:x=1", known[i].word);
        snprintf(message, sizeof message, "unknown filter '%s' at position 5; did you mean '%s'?",
                 known[i].word, known[i].filter);
        check_syntax(text, message);
        snprintf(text, sizeof text, "%s%s", known[i].filter,
                 strcmp(known[i].filter, "notch") ? "" : ":x=1:y=1");
        check_accepted(text);
    }
    check_syntax("median",
                 "unknown filter 'median' at position 1; it is not linear, as all filters here are");
}

static void unknown_names_and_the_nearest(void **state)
{
    (void)state;
    check_syntax("guassian", "unknown filter 'guassian' at position 1; did you mean 'gaussian'?");
    check_syntax("box,gausian:sigma=2", "unknown filter 'gausian' at position 5; did you mean 'gaussian'?");
    check_syntax("  sobell", "unknown filter 'sobell' at position 3; did you mean 'sobel'?");
    check_syntax("Box", "unknown filter 'Box' at position 1; did you mean 'box'?");
    check_syntax("UNSHRAP", "unknown filter 'UNSHRAP' at position 1; did you mean 'unsharp'?");
    check_syntax("high-pass", "unknown filter 'high-pass' at position 1; did you mean 'highpass'?");
    check_syntax("banana", "unknown filter 'banana' at position 1");
    check_syntax("q", "unknown filter 'q' at position 1");
    check_syntax("blurb", "unknown filter 'blurb' at position 1");
    check_syntax("gaussian:sgima=2", "unknown key 'sgima' at position 10; did you mean 'sigma'?");
    check_syntax(
        "gaussian:blur=2",
        "unknown key 'blur' at position 10; 'gaussian' takes sigma=2 truncate=4 [sigma_x=] [sigma_y=]");
    check_syntax("identity:blur=2", "unknown key 'blur' at position 10; 'identity' takes no keys");
    check_syntax("notch:x=1:z=1",
                 "unknown key 'z' at position 11; 'notch' takes x= y= radius=0.02 shape=gaussian"
                 " order=2");
    check_syntax("lowpass:shape=butterwort",
                 "unknown shape 'butterwort' at position 15; did you mean 'butterworth'?");
    check_syntax("lowpass:shape=square",
                 "unknown shape 'square' at position 15; the choices are butterworth, ideal, gaussian");
    check_syntax("sobel:axis=z", "unknown axis 'z' at position 12; the choices are both, x, y");
    check_syntax("laplacian:connect=6", "unknown connect '6' at position 19; the choices are 4, 8");
}

static void broken_structure(void **state)
{
    (void)state;
    check_syntax("", "the filter text is empty");
    check_syntax(" \t ", "the filter text is empty");
    check_syntax(",", "a filter name is missing at position 1");
    check_syntax("box,", "a filter name is missing at position 5");
    check_syntax("box,,box", "a filter name is missing at position 5");
    check_syntax("box, ,box", "a filter name is missing at position 6");
    check_syntax(":sigma=2", "a filter name is missing at position 1");
    check_syntax("gaussian:", "key=value is missing at position 10");
    check_syntax("gaussian::sigma=2", "key=value is missing at position 10");
    check_syntax("gaussian:=2", "key=value is missing at position 10");
    check_syntax("gaussian:sigma", "key 'sigma' at position 10 has no value");
    check_syntax("gaussian:sigma:truncate=3", "key 'sigma' at position 10 has no value");
    check_syntax("gaussian:sigma=", "key 'sigma' at position 10 has an empty value");
    check_syntax("gaussian:sigma= ,box", "key 'sigma' at position 10 has an empty value");
    check_syntax("gaussian:sigma=2:sigma=2", "key 'sigma' at position 18 is given twice");
    check_syntax("notch", "'notch' at position 1 needs x=VALUE");
    check_syntax("box,notch:x=0.2", "'notch' at position 5 needs y=VALUE");
    check_syntax("kernel", "'kernel' at position 1 needs file=VALUE");
    check_syntax("mask:file=", "key 'file' at position 6 has an empty value");
    check_syntax("kernel:file=\"\"", "key 'file' at position 8 has an empty value");
    check_syntax("kernel:file=\"good", "the quote at position 13 is not closed");
    check_syntax("kernel:file=\"good\"x", "'x' at position 19 follows a quoted value");
}

static void values_that_are_no_numbers(void **state)
{
    (void)state;
    check_syntax("gaussian:sigma=two", "sigma: 'two' at position 16 is not a number");
    check_syntax("gaussian:sigma=2x", "sigma: '2x' at position 16 is not a number");
    check_syntax("gaussian:sigma=2 3", "sigma: '2 3' at position 16 is not a number");
    check_syntax("gaussian:sigma=nan", "sigma: 'nan' at position 16 is not a number");
    check_syntax("gaussian:sigma=inf", "sigma: 'inf' at position 16 is not a number");
    check_syntax("gaussian:sigma=1e999", "sigma: '1e999' at position 16 is not a finite number");
    check_syntax("gaussian:sigma=0x2", "sigma: '0x2' at position 16 is not a number");
    check_syntax("gaussian:sigma=2px", "sigma: '2px' at position 16 is not a number");
    check_syntax("gaussian:sigma=--2", "sigma: '--2' at position 16 is not a number");
    check_syntax(
        "lowpass:cutoff=0.1hz",
        "cutoff: '0.1hz' at position 16 is not a frequency such as 0.25 (of Nyquist), 0.1cpp or 24px");
    check_syntax("lowpass:cutoff=px",
                 "cutoff: 'px' at position 16 is not a frequency such as 0.25 (of Nyquist), 0.1cpp or 24px");
    check_syntax(
        "lowpass:cutoff=1e999cpp",
        "cutoff: '1e999cpp' at position 16 is not a frequency such as 0.25 (of Nyquist), 0.1cpp or 24px");
}

static void values_out_of_range(void **state)
{
    (void)state;
    check_range("gaussian:sigma=-1", "sigma is '-1' at position 16; it must be 0.01 to 10000 pixels");
    check_range("gaussian:sigma=0", "sigma is '0' at position 16; it must be 0.01 to 10000 pixels");
    check_range("box,box:radius=-1",
                "radius is '-1' at position 16; it must be a whole number from 0 to 65535 pixels");
    check_range("box:radius=2.5",
                "radius is '2.5' at position 12; it must be a whole number from 0 to 65535 pixels");
    check_range("box:radius=1e300",
                "radius is '1e300' at position 12; it must be a whole number from 0 to 65535 pixels");
    check_range("lowpass:cutoff=0", "cutoff is '0' at position 16; it must be 0.0001 to 1.5 of Nyquist");
    check_range("lowpass:cutoff=1cpp",
                "cutoff is '1cpp' at position 16; it must be 0.0001 to 1.5 of Nyquist");
    check_range("lowpass:cutoff=0px", "cutoff is '0px' at position 16; it must be 0.0001 to 1.5 of Nyquist");
    check_range("notch:x=1.1:y=0", "x is '1.1' at position 9; it must be -1 to 1 of Nyquist");
    check_range("kernel:file=good:normalize=2",
                "normalize is '2' at position 28; it must be a whole number from 0 to 1");
    check_range("bandpass:low=0.4:high=0.3", "'bandpass' at position 1: low must be below high");
    check_range("box,bandreject:low=0.3", "'bandreject' at position 5: low must be below high");
    check_range("gabor:period=100", "'gabor' at position 1: sigma must be at least a tenth of the period");
    check_range("sharpen:amount=1000,sharpen:amount=1000,sharpen:amount=1000,sharpen:amount=1000,"
                "sharpen:amount=1000,sharpen:amount=1000,sharpen:amount=1000,sharpen:amount=1000,"
                "sharpen:amount=1000,sharpen:amount=1000,sharpen:amount=1000",
                "'sharpen' at position 201: the taps of the chain exceed the range of a float");
}

static void sizes_beyond_the_limits(void **state)
{
    (void)state;
    check_refused(
        "gaussian:sigma=10000:truncate=10", ABBE_ERR_SIZE,
        "'gaussian' at position 1: the kernel has more than 131072 taps per side or 67108864 in all");
    check_refused("box:radius=65535,box", ABBE_ERR_SIZE,
                  "'box' at position 18: the chain has more than 131072 taps per side or 67108864 in all");
    char chain[65 * 9 + 1] = "";
    for (int i = 0; i < 65; i++)
        strcat(chain, i ? ",identity" : "identity");
    check_refused(chain, ABBE_ERR_SIZE, "the chain has more than 64 filters, at position 577");
    chain[64 * 9 - 1] = '\0';
    check_accepted(chain);
}

static void magnitudes_come_last(void **state)
{
    (void)state;
    check_accepted("gaussian,sobel");
    check_accepted("sobel:axis=x,gaussian");
    check_refused(
        "sobel,gaussian", ABBE_ERR_UNSUPPORTED,
        "'gaussian' at position 7 follows a filter that takes a magnitude; such a filter must be the "
        "last");
}

static void files_come_through_the_loader(void **state)
{
    (void)state;
    char seen[SEEN] = "";
    abbe_filter *filter = NULL;
    abbe_loader watched = { load, seen };
    assert_int_equal(abbe_filter_parse("kernel:file=\"a,b:c d.png\"", &watched, &filter), ABBE_ERR_FILE);
    assert_string_equal(seen, "kernel a,b:c d.png");
    assert_string_equal(abbe_error_text(NULL), "file 'a,b:c d.png' at position 13 could not be loaded");
    assert_int_equal(abbe_filter_parse("kernel:file= a=b c.png ,box", &watched, &filter), ABBE_ERR_FILE);
    assert_string_equal(seen, "kernel a=b c.png");
    assert_int_equal(abbe_filter_parse("kernel:file=good,mask:file=nothing", &watched, &filter),
                     ABBE_ERR_FILE);
    assert_string_equal(seen, "mask nothing");
    check_refused("mask:file=ragged", ABBE_ERR_FILE,
                  "file 'ragged' at position 11 could not be loaded: line 2 has 1 numbers, but line 1 has 2");
    check_refused(
        "mask:file=endless", ABBE_ERR_FILE,
        "file 'endless' at position 11 could not be loaded: matrix: column 0, row 0 is not finite as a"
        " float");
    check_refused("mask:file=nothing", ABBE_ERR_FILE,
                  "file 'nothing' at position 11 could not be loaded: matrix: values is NULL");
    assert_int_equal(abbe_filter_parse("kernel:file=good", NULL, &filter), ABBE_ERR_FILE);
    assert_string_equal(
        abbe_error_text(NULL),
        "file 'good' at position 13 could not be loaded: abbe_filter_parse was given no loader");
}

static void kernels_are_normalized_unless_they_sum_to_zero(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double taps[3];
    } cases[] = {
        { "kernel:file=good", { 0.25, 0.5, 0.25 } },
        { "kernel:file=good:normalize=0", { 1, 2, 1 } },
        { "kernel:file=zero", { 1, -2, 1 } },
        { "kernel:file=negative", { -0.25, -0.5, -0.25 } },
        { "kernel:file=scaled", { 0.5, 1, 0.5 } },
        { "kernel:file=scaled:normalize=0", { 0.5, 1, 0.5 } },
        { "separable:x=1/2/1:y=-2", { -0.25, -0.5, -0.25 } },
        { "separable:x=-1/-2/-1:y=-2", { 0.25, 0.5, 0.25 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_filter *filter = NULL;
        abbe_matrix taps;
        assert_int_equal(abbe_filter_parse(cases[i].text, &loader, &filter), ABBE_OK);
        assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
        assert_memory_equal(taps.values, cases[i].taps, sizeof cases[i].taps);
        abbe_matrix_free(&taps);
        abbe_filter_destroy(&filter);
    }
}

static void hostile_text_is_shown_safely(void **state)
{
    (void)state;
    check_syntax("a\x1b[31m\b\x7f", "unknown filter 'a?[31m?\?' at position 1");
    check_syntax("a\x1b[31m\n\x7f", "unknown filter 'a?[31m' at position 1");
    check_syntax("caf\xc3\xa9", "unknown filter 'caf\xc3\xa9' at position 1");
    check_syntax("\xc3(\xff\xc2\x9b\xed\xa0\x80", "unknown filter '?(??\?\?\?\?' at position 1");
    check_syntax("0123456789012345678901234567890123456789",
                 "unknown filter '0123456789012345678901234567890123456789' at position 1");
    check_syntax("01234567890123456789012345678901234567890",
                 "unknown filter '0123456789012345678901234567890123456789...' at position 1");
    check_syntax("%s%n%d", "unknown filter '%s%n%d' at position 1");
}

static void text_of_any_length_is_refused(void **state)
{
    (void)state;
    size_t length = 1 << 20;
    char *text = malloc(length + 1);
    assert_non_null(text);
    const char *starts[] = {
        "",          "gaussian:sigma=", "gaussian:sigma=1.", "kernel:file=", "kernel:file=\"",
        "gaussian:", "lowpass:shape="
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        abbe_filter *filter = NULL;
        memset(text, i == 2 ? '0' : '7', length);
        memcpy(text, starts[i], strlen(starts[i]));
        text[length] = '\0';
        int error = abbe_filter_parse(text, &loader, &filter);
        assert_int_equal(error, i == 2 ? ABBE_OK : ABBE_ERR_SYNTAX);
        abbe_filter_destroy(&filter);
    }
    free(text);
}

/* Numbers are read the same when the decimal point of the process is a comma. */
static void locales_do_not_matter(void **state)
{
    (void)state;
    const char *names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8" };
    for (int i = 0; i < 4; i++)
        if (setlocale(LC_NUMERIC, names[i]))
            break;
    check_accepted("gaussian:sigma=2.5");
    check_syntax("gaussian:sigma=2;5", "sigma: '2;5' at position 16 is not a number");
    setlocale(LC_NUMERIC, "C");
}

static void bad_arguments(void **state)
{
    (void)state;
    abbe_filter *filter = NULL;
    assert_int_equal(abbe_filter_parse(NULL, NULL, &filter), ABBE_ERR_INVALID);
    assert_int_equal(abbe_filter_parse("box", NULL, NULL), ABBE_ERR_INVALID);
    abbe_filter_destroy(NULL);
    abbe_filter_destroy(&filter);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(accepted),
    cmocka_unit_test(unknown_names_and_the_nearest),
    cmocka_unit_test(synonyms),
    cmocka_unit_test(broken_structure),
    cmocka_unit_test(values_that_are_no_numbers),
    cmocka_unit_test(values_out_of_range),
    cmocka_unit_test(sizes_beyond_the_limits),
    cmocka_unit_test(magnitudes_come_last),
    cmocka_unit_test(files_come_through_the_loader),
    cmocka_unit_test(kernels_are_normalized_unless_they_sum_to_zero),
    cmocka_unit_test(hostile_text_is_shown_safely),
    cmocka_unit_test(text_of_any_length_is_refused),
    cmocka_unit_test(locales_do_not_matter),
    cmocka_unit_test(bad_arguments),
};

TEST_MAIN(tests)
