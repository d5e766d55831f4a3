/* Drivers of CUDA that are missing, old, broken or lack something: each gives one message that names it, and
 * nothing is leaked. GPUs that are small: they filter as large ones do.
 *
 * * Needs the emulated driver; skipped (77) without. */
#include "cuda/driver.h"
#include "support/apply.h"
#include "support/blur.h"
#include "support/drivers.h"
#include "support/emulated.h"
#include "support/test.h"

#include <string.h>

static const struct emulator *driver;

/* ---- Drivers ------------------------------------------------------------------------------------------- */

static const char *missing_symbol;
static const int
    *nvrtc_versions; /* of one library after the other, 10 · major + minor; NULL: the emulator's */

static int tell_version(int *major, int *minor)
{
    *major = *nvrtc_versions / 10;
    *minor = *nvrtc_versions++ % 10;
    return 0;
}

static void *hide_symbol(const char *symbol, void *found)
{
    int (*tell)(int *, int *) = tell_version;
    if (nvrtc_versions && !strcmp(symbol, "nvrtcVersion"))
        memcpy(&found, &tell, sizeof found);
    return missing_symbol && !strcmp(symbol, missing_symbol) ? NULL : found;
}

/* A device opens again once the driver is as it was. */
static void refused(const char *words)
{
    abbe_device *device = NULL;
    drivers_assert_refused("cuda:0", words);
    emulated_assert_empty(driver, words, 0);
    drivers = (struct drivers){ .replace = hide_symbol };
    missing_symbol = NULL;
    assert_int_equal(abbe_device_open("cuda:0", NULL, &device), ABBE_OK);
    abbe_device_close(&device);
    emulated_assert_empty(driver, words, 1);
}

static void libraries(void **state)
{
    (void)state;
    drivers.missing_library = "libcuda";
    refused("libcuda.so.1 was not found; install NVIDIA's driver");
    drivers.missing_library = "libnvrtc";
    refused("NVRTC, which compiles kernels, was not found");
    missing_symbol = "cuInit";
    refused("the driver lacks cuInit");
    missing_symbol = "cuDevicePrimaryCtxRetain";
    refused("the driver lacks cuDevicePrimaryCtxRetain");
    missing_symbol = "nvrtcGetCUBIN";
    refused("NVRTC lacks nvrtcGetCUBIN");
}

/* All names of NVRTC are the emulator. */
static const char *one_nvrtc(const char *file)
{
    return strstr(file, "libnvrtc") ? "libnvrtc.so.13" : file;
}

/* NVRTC is the first one of four that the driver can go with. */
static void versions_of_nvrtc(void **state)
{
    (void)state;
    static const struct {
        int driver, versions[4];
        const char *chosen; /* NULL: none fits */
    } cases[] = {
        { 13000, { 130, 129, 118, 130 }, "NVRTC 13.0" }, { 13000, { 131, 129, 118, 131 }, "NVRTC 13.1" },
        { 12040, { 130, 129, 118, 130 }, "NVRTC 12.9" }, { 11080, { 130, 129, 117, 130 }, "NVRTC 11.7" },
        { 13000, { 116, 112, 140, 120 }, "NVRTC 12.0" }, { 11040, { 130, 129, 116, 130 }, NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        abbe_device *device = NULL;
        drivers = (struct drivers){ .replace = hide_symbol, .file = one_nvrtc };
        nvrtc_versions = cases[i].versions;
        driver->set("DRIVER", cases[i].driver);
        if (!cases[i].chosen) {
            drivers_assert_refused("cuda", "no NVRTC fits the driver (11.7 or later");
            continue;
        }
        assert_int_equal(abbe_device_open("cuda", NULL, &device), ABBE_OK);
        nvrtc_versions = NULL;
        assert_non_null(strstr(abbe_device_detail(device), cases[i].chosen));
        abbe_device_close(&device);
    }
    nvrtc_versions = NULL;
    drivers = (struct drivers){ .replace = hide_symbol };
    driver->set("DRIVER", 13000);
    emulated_assert_empty(driver, "versions of NVRTC", 0);
}

/* Every call that opening makes fails once. */
static void broken_drivers(void **state)
{
    (void)state;
    const int results[] = { CUDA_OUT_OF_MEMORY, CUDA_UNKNOWN, 700 };
    for (int i = 0; i < 3; i++) {
        abbe_device *device = NULL;
        int error = ABBE_ERR_DEVICE;
        long n = 0;
        for (; error; n++) {
            driver->fail_at(n, results[i], false);
            error = abbe_device_open("cuda", NULL, &device);
            if (error && error != ABBE_ERR_DEVICE && error != ABBE_ERR_MEMORY)
                fail_msg("call %ld: %s", n, abbe_error_name(error));
            if (error && (strncmp(abbe_error_text(NULL), "cuda: ", 6) != 0 &&
                          !strstr(abbe_error_text(NULL), "'cuda'")))
                fail_msg("call %ld: %s", n, abbe_error_text(NULL));
            if (error && strstr(abbe_error_text(NULL), "failed with"))
                assert_non_null(strstr(abbe_error_text(NULL), "failed with CUDA_ERROR_"));
            assert_true(!error == !!device);
            abbe_device_close(&device);
            emulated_assert_empty(driver, "opening", n);
        }
        assert_true(n > 10);
    }
    driver->fail_at(0, CUDA_NO_DEVICE, false);
    refused("the driver finds no GPU");
}

static void features(void **state)
{
    (void)state;
    drivers_assert_refused("cuda:nobody", "no GPU has that name");
    drivers_assert_refused("cuda:99", "counted from 0");
    driver->set("CAPABILITY", 70);
    drivers_assert_refused("cuda:0", "lacks compute capability 7.5");
    drivers_assert_refused("cuda", "no GPU here has what is needed");
    driver->set("CAPABILITY", 90);
    driver->set("SHARED", 32 << 10);
    drivers_assert_refused("cuda:0", "lacks 48 KiB of shared memory");
    driver->set("SHARED", 232448);
    driver->set("DEVICES", 0);
    drivers_assert_refused("cuda", "the driver finds no GPU");
    driver->set("DEVICES", 2);
    abbe_device *device = NULL;
    assert_int_equal(abbe_device_open("cuda:1", NULL, &device), ABBE_OK);
    abbe_device_close(&device);
    driver->set("DEVICES", 1);
    emulated_assert_empty(driver, "features", 0);
}

/* ---- Small GPUs ---------------------------------------------------------------------------------------- */

static void small_gpus(void **state)
{
    (void)state;
    static const struct {
        long long capability, shared, processors;
    } gpus[] = { { 75, 64 << 10, 40 }, { 75, 48 << 10, 1 }, { 86, 99 << 10, 1 }, { 121, 99 << 10, 2 } };
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        driver->set("CAPABILITY", gpus[i].capability);
        driver->set("SHARED", gpus[i].shared);
        driver->set("PROCESSORS", gpus[i].processors);
        abbe_device *device = NULL;
        assert_int_equal(abbe_device_open("cuda", NULL, &device), ABBE_OK);
        for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
            float out[BLUR_SAMPLES];
            if (blur_run(device, (abbe_method)method, out))
                fail_msg("GPU %zu: %s", i, abbe_error_text(device));
            blur_assert_right(out);
        }
        abbe_device_close(&device);
        emulated_assert_empty(driver, "a small GPU", (long)i);
    }
    driver->set("CAPABILITY", 90);
    driver->set("SHARED", 232448);
    driver->set("PROCESSORS", 3);
}

/* The columns of an even bank that exchange whole values do not fit this GPU: others are taken, as even transforms
 * do not exchange in halves. */
static void even_columns(void **state)
{
    (void)state;
    abbe_filter *filters[2] = { apply_filter("lowpass:cutoff=0.3"), apply_filter("highpass:cutoff=0.2") };
    const abbe_plan_params params = { .border = ABBE_BORDER_REFLECT,
                                      .method = ABBE_METHOD_FFT,
                                      .filters = (const abbe_filter *const *)filters,
                                      .filter_count = 2 };
    struct picture in = apply_noise(64, 512, 4, 5, true), out[2], expected[2];
    abbe_device *device = NULL, *cpu = NULL;
    driver->set("CAPABILITY", 75);
    driver->set("SHARED", 64 << 10);
    assert_int_equal(abbe_device_open("cuda", NULL, &device), ABBE_OK);
    assert_int_equal(abbe_device_open("cpu", NULL, &cpu), ABBE_OK);
    apply_bank(device, params, &in, out);
    apply_bank(cpu, params, &in, expected);
    for (int i = 0; i < 2; i++) {
        assert_true(apply_near(&out[i], &expected[i], 1e-5));
        picture_free(&out[i]), picture_free(&expected[i]), abbe_filter_destroy(&filters[i]);
    }
    picture_free(&in);
    abbe_device_close(&device), abbe_device_close(&cpu);
    driver->set("CAPABILITY", 90);
    driver->set("SHARED", 232448);
}

int main(void)
{
    driver = emulated_require();
    test_require_device("cuda");
    drivers.replace = hide_symbol;
    const struct CMUnitTest tests[] = { cmocka_unit_test(libraries),      cmocka_unit_test(versions_of_nvrtc),
                                        cmocka_unit_test(broken_drivers), cmocka_unit_test(features),
                                        cmocka_unit_test(small_gpus),     cmocka_unit_test(even_columns) };
    return cmocka_run_group_tests(tests, blur_make_expected, NULL);
}
