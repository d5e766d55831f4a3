/* Faults of the Vulkan device: no such GPU, a corrupt pipeline cache, lengths without a transform, and every
 * call that can fail made to fail once.
 *
 * Needs a software driver; skipped (77) without one. */
#include "support/apply.h"
#include "support/blur.h"
#include "support/drivers.h"
#include "support/shims.h"
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char name[] = "vulkan:lavapipe";

/* ---- Opening ------------------------------------------------------------------------------------------ */

static void no_such_gpu(void **state)
{
    (void)state;
    drivers_assert_refused("vulkan:nobody", "no GPU or driver has that name");
    drivers_assert_refused("vulkan:99", "counted from 0");
}

/* A software driver is used when it is named or the environment allows it, and never otherwise. */
static void software_is_asked_for(void **state)
{
    (void)state;
    drivers_assert_software_on_request("vulkan", "ABBE_VULKAN_SOFTWARE");
}

/* ---- The pipeline cache ------------------------------------------------------------------------------- */

static char folder[] = "/tmp/abbe-test-XXXXXX";

static FILE *open_cache(const char *mode)
{
    DIR *entries = opendir(folder);
    FILE *file = NULL;
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) && !file;) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            file = fopen(path, mode);
    }
    closedir(entries);
    return file;
}

/* Inverts one byte of the cache file, or cuts the file off there. */
static void corrupt_cache(long place, bool cut)
{
    FILE *file = open_cache("r+b");
    assert_non_null(file);
    fseek(file, place, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, place, SEEK_SET);
    fputc(byte ^ 0x40, file);
    fflush(file);
    if (cut)
        assert_int_equal(ftruncate(fileno(file), place), 0);
    fclose(file);
}

static abbe_device_params options; /* of filter_once */
static int logged;
static char last_line[600];

static void note_log(void *user, abbe_log_level level, const char *text)
{
    (void)user, (void)level;
    logged++;
    snprintf(last_line, sizeof last_line, "%s", text);
}

static void filter_once(void)
{
    float out[BLUR_SAMPLES];
    abbe_device *device = NULL;
    assert_int_equal(abbe_device_open(name, &options, &device), ABBE_OK);
    assert_int_equal(blur_run(device, ABBE_METHOD_DIRECT, out), ABBE_OK);
    blur_assert_right(out);
    abbe_device_close(&device);
}

static void spoiled_cache(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    options = (abbe_device_params){ .cache_dir = folder, .log = note_log };
    filter_once();
    assert_int_equal(logged, 0);
    FILE *file = open_cache("rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    assert_true(size > 0);
    const long places[] = { 0, 9, size / 2, size - 1 };
    for (int i = 0; i < 8; i++) {
        corrupt_cache(places[i / 2], i % 2);
        logged = 0;
        filter_once(); /* and writes the cache file again */
        assert_int_equal(logged, 1);
        assert_non_null(strstr(last_line, "is ignored"));
    }
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    options.cache_dir = "/dev/null/nowhere";
    logged = 0;
    filter_once();
    assert_int_equal(logged, 1);
    assert_non_null(strstr(last_line, "cannot be written"));
    options = (abbe_device_params){ 0 };
}

/* What others can put into the folder: links at the cache's name and at names that its writer might use, and a
 * pipe that nobody writes to. */
static void planted_cache(void **state)
{
    (void)state;
    char place[] = "/tmp/abbe-test-XXXXXX", own[300] = "", path[400], victim[300], command[64];
    assert_non_null(mkdtemp(place));
    options = (abbe_device_params){ .cache_dir = place, .log = note_log };
    filter_once();
    DIR *entries = opendir(place);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));)
        if (entry->d_name[0] != '.')
            snprintf(own, sizeof own, "%s/%s", place, entry->d_name);
    closedir(entries);
    snprintf(victim, sizeof victim, "%s/victim", place);
    snprintf(path, sizeof path, "%s.%ld", own, (long)getpid());
    for (int pipe = 0; pipe < 2; pipe++) {
        struct stat about;
        assert_int_equal(unlink(own), 0);
        assert_int_equal(pipe ? mkfifo(own, 0600) : symlink(victim, own) | symlink(victim, path), 0);
        FILE *file = fopen(victim, "w");
        assert_true(file && fputs("precious", file) >= 0 && !fclose(file));
        logged = 0;
        filter_once();
        assert_int_equal(logged, 1);
        assert_non_null(strstr(last_line, pipe ? "regular" : "symbolic link"));
        assert_true(!stat(victim, &about) && about.st_size == 8);
        assert_true(!lstat(own, &about) && S_ISREG(about.st_mode));
    }
    snprintf(command, sizeof command, "rm -r %s", place);
    assert_int_equal(system(command), 0);
    options = (abbe_device_params){ 0 };
}

/* ---- Lengths ------------------------------------------------------------------------------------------ */

static void long_transforms(void **state)
{
    (void)state;
    abbe_device *device = NULL;
    abbe_filter *blur = apply_filter("gaussian:sigma=3"), *low = apply_filter("lowpass");
    abbe_plan *plan = NULL;
    assert_int_equal(abbe_device_open(name, NULL, &device), ABBE_OK);
    abbe_plan_params params = { .width = 400000, /* beyond 16 parts */
                                .height = 2,
                                .channels = 1,
                                .source_type = ABBE_U8,
                                .result_type = ABBE_U8,
                                .filters = (const abbe_filter *const *)&blur,
                                .filter_count = 1,
                                .method = ABBE_METHOD_FFT };
    assert_int_equal(abbe_plan_create(device, &params, &plan), ABBE_ERR_SIZE);
    assert_non_null(strstr(abbe_error_text(device), "long enough"));
    params.method = ABBE_METHOD_AUTO;
    assert_int_equal(abbe_plan_create(device, &params, &plan), ABBE_OK);
    abbe_plan_destroy(&plan);
    params.filters = (const abbe_filter *const *)&low;
    assert_int_equal(abbe_plan_create(device, &params, &plan), ABBE_ERR_SIZE);
    abbe_filter_destroy(&blur);
    abbe_filter_destroy(&low);
    abbe_device_close(&device);
}

/* ---- Every call --------------------------------------------------------------------------------------- */

static VkResult call_failure;

static void fail_call(long n)
{
    shims_fail(n, call_failure);
}

static void every_call(void **state)
{
    (void)state;
    const VkResult failures[] = { VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY,
                                  VK_ERROR_UNKNOWN };
    for (int i = 0; i < 3; i++) {
        abbe_device *device = NULL;
        assert_int_equal(abbe_device_open(name, &(abbe_device_params){ .threads = 1 }, &device), ABBE_OK);
        shims_put(device);
        call_failure = failures[i];
        const struct drivers_calls calls = { fail_call, shims_failed, shims_code(failures[i]) };
        for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++)
            assert_true(drivers_fail_each_call(device, (abbe_method)method, &calls) > 15);
        abbe_device_close(&device);
    }
}

int main(void)
{
    test_require_device(name);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_such_gpu),     cmocka_unit_test(software_is_asked_for),
        cmocka_unit_test(spoiled_cache),   cmocka_unit_test(planted_cache),
        cmocka_unit_test(long_transforms), cmocka_unit_test(every_call),
    };
    return cmocka_run_group_tests(tests, blur_make_expected, NULL);
}
