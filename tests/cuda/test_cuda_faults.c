/* Faults of the CUDA device: every call of the driver and of NVRTC made to fail once, and files of compiled
 * kernels that are spoiled, exchanged, planted, or shared by two processes.
 *
 * * Needs the emulated driver, which ends the program when a spoiled image reaches it; skipped (77)
 * without. */
#include "cuda/driver.h"
#include "support/blur.h"
#include "support/drivers.h"
#include "support/emulated.h"
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct emulator *driver;

/* ---- Every call --------------------------------------------------------------------------------------- */

static int call_failure;

static void fail_call(long n)
{
    driver->fail_at(n, call_failure, false);
}

/* Failures of the last calls, which release something, may go unnoticed: every_call counts them. */
static bool call_failed(void)
{
    return false;
}

static void every_call(void **state)
{
    (void)state;
    const int failures[] = { CUDA_OUT_OF_MEMORY, CUDA_UNKNOWN };
    for (int i = 0; i < 2; i++) {
        const struct drivers_calls calls = { fail_call, call_failed, i ? ABBE_ERR_DEVICE : ABBE_ERR_MEMORY };
        for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
            float out[BLUR_SAMPLES];
            abbe_device *device = NULL;
            call_failure = failures[i];
            assert_int_equal(abbe_device_open("cuda", &(abbe_device_params){ .threads = 1 }, &device),
                             ABBE_OK);
            long noticed = drivers_fail_each_call(device, (abbe_method)method, &calls);
            driver->fail_at(-1, CUDA_OK, false);
            long before = driver->counts().calls;
            assert_int_equal(blur_run(device, (abbe_method)method, out), ABBE_OK);
            long all = driver->counts().calls - before;
            if (noticed < 15 || noticed < all - 2)
                fail_msg("method %d: the failure of call %ld of %ld is not noticed", method, noticed, all);
            abbe_device_close(&device);
            emulated_assert_empty(driver, abbe_method_name((abbe_method)method), i);
        }
    }
}

/* ---- Files of compiled kernels ------------------------------------------------------------------------- */

static char folder[] = "/tmp/abbe-test-XXXXXX";
static abbe_device_params options; /* of filter_once */
static int warnings;

static void count_warnings(void *user, abbe_log_level level, const char *text)
{
    (void)user, (void)text;
    warnings += level == ABBE_LOG_WARNING;
}

/* Filters in the Fourier plane and returns how many kernels NVRTC compiled for it. */
static int filter_once(void)
{
    float out[BLUR_SAMPLES];
    abbe_device *device = NULL;
    long before = driver->counts().compiled;
    assert_int_equal(abbe_device_open("cuda", &options, &device), ABBE_OK);
    if (blur_run(device, ABBE_METHOD_FFT, out))
        fail_msg("%s", abbe_error_text(device));
    blur_assert_right(out);
    abbe_device_close(&device);
    return (int)(driver->counts().compiled - before);
}

enum { FILES_MAX = 16, PATH_BYTES = 320 };
static char files[FILES_MAX][PATH_BYTES];

static int compare_paths(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int list_files(void)
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));)
        if (entry->d_name[0] != '.' && count < FILES_MAX)
            snprintf(files[count++], PATH_BYTES, "%s/%s", folder, entry->d_name);
    closedir(entries);
    qsort(files, (size_t)count, sizeof *files, compare_paths);
    return count;
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/abbe-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    options = (abbe_device_params){ .cache_dir = folder, .log = count_warnings };
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    options = (abbe_device_params){ 0 };
    return system(command);
}

/* Inverts one byte of a file, or cuts the file off there. */
static void corrupt(const char *path, double place, bool cut)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long at = (long)(place * (double)(ftell(file) - 1));
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 0x40, file);
    fflush(file);
    if (cut)
        assert_int_equal(ftruncate(fileno(file), at), 0);
    fclose(file);
}

static void spoiled_files(void **state)
{
    (void)state;
    int kernels = filter_once();
    assert_true(kernels >= 3);
    assert_int_equal(list_files(), kernels);
    assert_int_equal(filter_once(), 0);
    for (int i = 0; i <= 20; i++) {
        corrupt(files[i % kernels], i / 20.0, i % 2);
        assert_int_equal(filter_once(), 1);
        assert_int_equal(filter_once(), 0);
    }
    assert_int_equal(list_files(), kernels);
}

/* A sound file under the name of another kernel is ignored, and so are files for other GPUs and drivers. */
static void foreign_files(void **state)
{
    (void)state;
    char aside[PATH_BYTES + 8];
    int kernels = filter_once();
    list_files();
    snprintf(aside, sizeof aside, "%s/.aside", folder);
    assert_int_equal(rename(files[0], aside) | rename(files[1], files[0]) | rename(aside, files[1]), 0);
    assert_int_equal(filter_once(), 2);
    driver->set("CAPABILITY", 80);
    assert_int_equal(filter_once(), kernels);
    driver->set("CAPABILITY", 90);
    driver->set("DRIVER", 13010);
    assert_int_equal(filter_once(), kernels);
    driver->set("DRIVER", 13000);
    filter_once();
    assert_int_equal(filter_once(), 0);
}

/* Files that the driver refuses are compiled afresh. */
static void refused_files(void **state)
{
    (void)state;
    static const int results[] = { CUDA_INVALID_IMAGE, CUDA_NO_BINARY, CUDA_INVALID_PTX,
                                   CUDA_UNSUPPORTED_PTX };
    int kernels = filter_once();
    for (int i = 0; i < 4; i++) {
        int recovered = 0;
        bool done = false;
        for (long n = 0; !done; n++) {
            float out[BLUR_SAMPLES];
            abbe_device *device = NULL;
            driver->fail_at(-1, 0, false);
            assert_int_equal(abbe_device_open("cuda", &options, &device), ABBE_OK);
            long before = driver->counts().compiled;
            driver->fail_at(n, results[i], false);
            int error = blur_run(device, ABBE_METHOD_FFT, out);
            long compiled = driver->counts().compiled - before;
            done = !error && !driver->failed();
            recovered += (int)compiled;
            assert_true(compiled == 0 || (compiled == 1 && !error));
            if (!error)
                blur_assert_right(out);
            driver->fail_at(-1, 0, false);
            abbe_device_close(&device);
        }
        assert_int_equal(recovered, kernels);
    }
    assert_int_equal(filter_once(), 0);
}

/* What others can put into the folder: links and pipes in the place of files. They are replaced, and what
 * links lead to is left alone. */
static void planted_files(void **state)
{
    (void)state;
    char victim[64];
    snprintf(victim, sizeof victim, "%s/.victim", folder);
    filter_once();
    list_files();
    for (int pipe = 0; pipe < 2; pipe++) {
        struct stat about;
        assert_int_equal(unlink(files[0]), 0);
        assert_int_equal(pipe ? mkfifo(files[0], 0600) : symlink(victim, files[0]), 0);
        FILE *file = fopen(victim, "w");
        assert_true(file && fputs("precious", file) >= 0 && !fclose(file));
        warnings = 0;
        assert_int_equal(filter_once(), 1);
        assert_int_equal(warnings, 1);
        assert_true(!stat(victim, &about) && about.st_size == 8);
        assert_true(!lstat(files[0], &about) && S_ISREG(about.st_mode));
    }
    options.cache_dir = "/dev/null/nowhere";
    assert_true(filter_once() >= 3);
}

static int filter_often(void *argument)
{
    int wrong = 0;
    for (int i = 0; i < 10; i++) {
        float out[BLUR_SAMPLES];
        abbe_device *device = NULL;
        char path[PATH_BYTES];
        wrong += abbe_device_open("cuda", &options, &device) || blur_run(device, ABBE_METHOD_FFT, out) ||
                 !blur_is_right(out);
        abbe_device_close(&device);
        snprintf(path, sizeof path, "%s", files[i % *(int *)argument]);
        unlink(path);
    }
    return wrong;
}

/* Two processes write and remove the same files at once. */
static void two_processes(void **state)
{
    (void)state;
    int status, kernels = filter_once();
    list_files();
    pid_t other = fork();
    if (!other)
        _exit(execl("/proc/self/exe", "test_cuda_faults", folder, (char *)NULL));
    assert_int_equal(filter_often(&kernels), 0);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
}

/* The other process: `place` is the folder. */
static int be_the_other(const char *place)
{
    snprintf(folder, sizeof folder, "%s", place);
    options = (abbe_device_params){ .cache_dir = folder };
    int kernels = list_files();
    return blur_make_expected(NULL) || kernels < 1 || filter_often(&kernels);
}

int main(int argc, char **argv)
{
    driver = emulated_require();
    if (argc > 1)
        return be_the_other(argv[1]);
    test_require_device("cuda");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call),
        cmocka_unit_test_setup_teardown(spoiled_files, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(foreign_files, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(refused_files, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(planted_files, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(two_processes, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, blur_make_expected, NULL);
}
