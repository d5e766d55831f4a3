/* The price file: what is read from it, and that no content can do harm. */
#include "device/prices.h"
#include "support/apply.h"
#include "support/test.h"

#include <abbe/measure.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = { "row_flop", "far_byte", "run" };
static const double builtin[] = { 3e-11, 5e-11, 1e-6 };
enum { NAMES = 3 };

/* Parses a text and compares the prices with the expected ones. */
static void check_text(const char *text, size_t length, bool valid, const double *expected)
{
    double prices[NAMES];
    memcpy(prices, builtin, sizeof prices);
    /* A copy of the exact length, so that a sanitizer detects a read beyond it. */
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    bool found = prices_parse(copy, length, &(struct price_list){ "cpu:avx2", names, NAMES, prices });
    free(copy);
    if (found != valid || memcmp(prices, expected, sizeof prices) != 0)
        fail_msg("'%.*s': %d, %g %g %g", (int)length, text, found, prices[0], prices[1], prices[2]);
}

static void taken(const char *text, double row_flop, double far_byte, double run)
{
    check_text(text, strlen(text), true, (const double[]){ row_flop, far_byte, run });
}

static void ignored(const char *text)
{
    check_text(text, strlen(text), false, builtin);
}

static void prices_of_the_section_are_taken(void **state)
{
    (void)state;
    taken("abbe-prices 1\n[cpu:avx2]\nrow_flop 2e-11\nrun 2e-6\n", 2e-11, 5e-11, 2e-6);
    taken("abbe-prices 1\n[cpu:avx2]\nfar_byte 0.00000000004", 3e-11, 4e-11, 1e-6);
    taken("abbe-prices 1\n# row_flop 1\n\n[cpu:avx2]\n# why\nrun 3e-6\n\n[cpu:plain]\nrun 9e-6\n", 3e-11,
          5e-11, 3e-6);
    taken("abbe-prices 1\n[cpu:plain]\nrun 9e-6\n[cpu:avx2]\nrun 8e-6\n", 3e-11, 5e-11, 8e-6);
}

static void unknown_names_are_skipped(void **state)
{
    (void)state;
    taken("abbe-prices 1\n", 3e-11, 5e-11, 1e-6);
    taken("abbe-prices 1\n[vulkan]\ndispatch 1e-5\nrun 12\n[cpu:avx2]\nbutterfly 7e7\nrun 2e-6\n", 3e-11,
          5e-11, 2e-6);
}

/* One invalid line invalidates the whole file. */
static void a_text_with_an_error_is_ignored(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "row_flop",         "row_flop ",       " row_flop 2e-11",
        "row_flop  2e-11",  "row_flop 2e-11 ", "row_flop 2e-11 s",
        "row_flop nan",     "row_flop inf",    "row_flop -2e-11",
        "row_flop 0",       "row_flop 1e999",  "row_flop 0x1p-30",
        "row_flop 2e-11,",  "row_flop\t2e-11", "row_flop=2e-11",
        "row_flop 2e-7",    "row_flop 2e-15",  "run 2e-6",
        "Row_flop 2e-11",   "[cpu:avx2",       "[]",
        "[cpu avx2]",       "[cpu:avx2] ",     "row_flop 2e-11\r",
        "unknown",          "unknown word",    "\xff\xfe 1",
        "far_byte 5,1e-11", "far_byte 1e-11e", "]",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "abbe-prices 1\n[cpu:avx2]\nrun 2e-6\n%s\nfar_byte 4e-11\n", wrong[i]);
        ignored(text);
    }
    ignored("");
    ignored("\n");
    ignored("abbe-prices 2\n[cpu:avx2]\nrun 2e-6\n");
    ignored("abbe-prices 1 \n[cpu:avx2]\nrun 2e-6\n");
    ignored("\xef\xbb\xbf"
            "abbe-prices 1\n[cpu:avx2]\nrun 2e-6\n");
    ignored("abbe-prices 1\nrun 2e-6\n");
    check_text("abbe-prices 1\n[cpu:avx2]\nru\0n 2e-6\n", 35, false, builtin);
    check_text("abbe-prices 1\n[cpu:avx2]\nrun 2e-6\n\0", 35, false, builtin);
}

/* Every prefix of a valid file, and every file with one byte changed, is either valid or rejected. */
static void damaged_texts_do_no_harm(void **state)
{
    (void)state;
    const char good[] = "abbe-prices 1\n# comment\n[cpu:avx2]\nrow_flop 2e-11\nfar_byte 4e-11\nrun 2e-6\n";
    size_t length = sizeof good - 1;
    char text[sizeof good];
    for (size_t i = 0; i < length; i++)
        for (int byte = 0; byte < 256; byte++) {
            double prices[NAMES];
            memcpy(prices, builtin, sizeof prices);
            memcpy(text, good, sizeof good);
            text[i] = (char)byte;
            prices_parse(text, byte ? length : i, &(struct price_list){ "cpu:avx2", names, NAMES, prices });
            for (int j = 0; j < NAMES; j++)
                if (!(prices[j] >= builtin[j] / 1000 && prices[j] <= builtin[j] * 1000))
                    fail_msg("byte %zu as %d: %s costs %g", i, byte, names[j], prices[j]);
        }
}

/* ---- Files -------------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/abbe-prices-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[4][64];
    static int next;
    char *place = path[next++ % 4];
    snprintf(place, sizeof path[0], "%s/%s", folder, name);
    return place;
}

static void write_file(const char *path, const char *text, size_t times)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < times; i++)
        assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char header[] = "abbe-prices 1\n";

/* The warnings of the last device, and its cache folder. */
static int warnings;
static char warning[600];
static const char *cache_dir;

static void note_warning(void *user, abbe_log_level level, const char *text)
{
    assert_ptr_equal(user, &warnings);
    assert_int_equal(level, ABBE_LOG_WARNING);
    assert_null(strchr(text, '\n'));
    warnings++;
    snprintf(warning, sizeof warning, "%s", text);
}

/* The lowest price of a run on a newly opened device, which the file can set. */
static double price_of_run(void)
{
    abbe_device *device = NULL;
    abbe_device_params params = { .cache_dir = cache_dir, .log = note_warning, .log_user = &warnings };
    warnings = 0;
    assert_int_equal(abbe_device_open("cpu:plain", &params, &device), ABBE_OK);
    abbe_filter *filter = apply_filter("identity");
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = 8,
                                                              .height = 8,
                                                              .channels = 1,
                                                              .source_type = ABBE_F32,
                                                              .result_type = ABBE_F32,
                                                              .filters = (const abbe_filter *[]){ filter },
                                                              .filter_count = 1 });
    double seconds = 0;
    size_t count;
    const abbe_charge *charges = abbe_plan_charges(plan, abbe_plan_choice(plan)->method, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(charges[i].name, "run"))
            seconds = charges[i].seconds;
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
    abbe_device_close(&device);
    return seconds;
}

static void check_run(const char *what, double expected)
{
    double found = price_of_run();
    if (found < expected * 0.999 || found > expected * 1.001)
        fail_msg("%s: a run costs %g, not %g", what, found, expected);
}

/* The logger hears once that the file is ignored. */
static void check_warned(const char *path)
{
    if (warnings != 1 || !strstr(warning, "is ignored"))
        fail_msg("%s: %d warnings, the last is '%s'", path, warnings, warning);
}

static void the_file_is_found(void **state)
{
    (void)state;
    mkdir(in_folder("abbe"), 0700);
    mkdir(in_folder(".cache"), 0700);
    mkdir(in_folder(".cache/abbe"), 0700);
    write_file(in_folder("own"), "abbe-prices 1\n[cpu:plain]\nrun 1.1e-5\n", 1);
    write_file(in_folder("abbe/prices"), "abbe-prices 1\n[cpu:plain]\nrun 1.2e-5\n", 1);
    write_file(in_folder(".cache/abbe/prices"), "abbe-prices 1\n[cpu:plain]\nrun 1.3e-5\n", 1);
    setenv("HOME", folder, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("ABBE_PRICES", in_folder("own"), 1);
    check_run("ABBE_PRICES", 1.1e-5);
    unsetenv("ABBE_PRICES");
    check_run("XDG_CACHE_HOME", 1.2e-5);
    setenv("XDG_CACHE_HOME", "relative", 1);
    check_run("a relative XDG_CACHE_HOME", 1.3e-5);
    unsetenv("XDG_CACHE_HOME");
    check_run("HOME", 1.3e-5);
    assert_int_equal(warnings, 0);
}

/* The folder of the application comes before all others; an empty one switches files off. */
static void folder_of_the_application(void **state)
{
    (void)state;
    setenv("ABBE_PRICES", "builtin", 1);
    double expected = price_of_run();
    setenv("ABBE_PRICES", in_folder("own"), 1);
    char given[600];
    snprintf(given, sizeof given, "%s", in_folder("abbe"));
    cache_dir = given;
    check_run("cache_dir", 1.2e-5);
    cache_dir = "";
    check_run("an empty cache_dir", expected);
    cache_dir = "/nowhere/at/all";
    check_run("a folder that is missing", expected);
    assert_int_equal(warnings, 0);
    cache_dir = NULL;
    check_run("no cache_dir", 1.1e-5);
    char deep[4001];
    memset(deep, 'x', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    abbe_device *device = NULL;
    test_refused("long", abbe_device_open("cpu", &(abbe_device_params){ .cache_dir = deep }, &device),
                 ABBE_ERR_INVALID, NULL, "cache_dir has 4000 bytes; 3999 is the limit");
    deep[sizeof deep - 2] = 0;
    assert_int_equal(abbe_device_open("auto", &(abbe_device_params){ .cache_dir = deep }, &device), ABBE_OK);
    abbe_device_close(&device);
    unsetenv("ABBE_PRICES");
}

/* The built-in price is used; nothing fails or blocks. */
static void invalid_files_are_ignored(void **state)
{
    (void)state;
    setenv("ABBE_PRICES", "builtin", 1);
    double expected = price_of_run();
    assert_true(expected > 0);
    char deep[5000];
    memset(deep, 'x', sizeof deep - 1);
    deep[0] = '/';
    deep[sizeof deep - 1] = 0;
    write_file(in_folder("large"), header, 1);
    write_file(in_folder("huge"), "# padding padding padding padding padding\n", 100000);
    FILE *large = fopen(in_folder("large"), "a");
    assert_non_null(large);
    fputs("[cpu:plain]\nrun 1.1e-5\n", large);
    for (int i = 0; i < 2000; i++)
        fputs("# padding\n", large);
    assert_int_equal(fclose(large), 0);
    write_file(in_folder("broken"), "abbe-prices 1\n[cpu:plain]\nrun 1.1e-5\nrun\n", 1);
    write_file(in_folder("closed"), "abbe-prices 1\n[cpu:plain]\nrun 1.1e-5\n", 1);
    assert_int_equal(chmod(in_folder("closed"), 0), 0);
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    const char *const paths[] = { in_folder("missing"), folder, "/dev/zero", deep };
    for (int i = 0; i < 4; i++) {
        setenv("ABBE_PRICES", paths[i], 1);
        check_run(paths[i], expected);
        if (paths[i] != deep)
            check_warned(paths[i]);
    }
    static const char *const files[] = { "large", "huge", "broken", "pipe" };
    for (int i = 0; i < 4; i++) {
        setenv("ABBE_PRICES", in_folder(files[i]), 1);
        check_run(files[i], expected);
        check_warned(files[i]);
    }
    if (geteuid() != 0) {
        setenv("ABBE_PRICES", in_folder("closed"), 1);
        check_run("a file that may not be read", expected);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const all[] = { "own",         "abbe/prices", "abbe", ".cache/abbe/prices",
                                       ".cache/abbe", ".cache",      "huge", "large",
                                       "broken",      "closed",      "pipe" };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        remove(in_folder(all[i]));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_of_the_section_are_taken),
        cmocka_unit_test(unknown_names_are_skipped),
        cmocka_unit_test(a_text_with_an_error_is_ignored),
        cmocka_unit_test(damaged_texts_do_no_harm),
        cmocka_unit_test(the_file_is_found),
        cmocka_unit_test(folder_of_the_application),
        cmocka_unit_test(invalid_files_are_ignored),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
