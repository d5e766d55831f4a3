/* abbe_apply in several threads and in children of fork(), while plans are released.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 31, HEIGHT = 40, CHANNELS = 3, SAMPLES = WIDTH * HEIGHT * CHANNELS, SHAPES = 24 };

static const char BOX[] = "box:radius=1";

static abbe_device *device;
static float pixels[SAMPLES];
static struct picture expected[SHAPES + 1]; /* of the first rows 1 … SHAPES, border reflect */

static bool is_on_cpu(void)
{
    return !strcmp(abbe_device_name(device), "cpu");
}

static abbe_image view_of(void *samples, int height, abbe_type type)
{
    return (
        abbe_image){ .data = samples, .width = WIDTH, .height = height, .channels = CHANNELS, .type = type };
}

/* The mean of 3 × 3 pixels in the first rows of the picture, by its definition. */
static struct picture mean_of_rows(int height, abbe_border border)
{
    double taps[9];
    for (int i = 0; i < 9; i++)
        taps[i] = 1 / 9.0;
    struct picture in = picture_create(WIDTH, height, CHANNELS);
    for (size_t i = 0; i < picture_count(&in); i++)
        in.samples[i] = (double)pixels[i];
    struct picture mean = reference_convolve(&in, border, 0, &(abbe_matrix){ 3, 3, taps }, 1, 1);
    picture_free(&in);
    return mean;
}

static bool is_near(const float *result, const struct picture *exact)
{
    for (size_t i = 0; i < picture_count(exact); i++)
        if (!(fabs((double)result[i] - exact->samples[i]) <= trial_tolerance(2e-6)))
            return false;
    return true;
}

/* Filters the first rows; whether the result is right. */
static bool apply_rows(abbe_device *used, int height)
{
    float out[SAMPLES] = { 0 };
    abbe_image source = view_of(pixels, height, ABBE_F32), result = view_of(out, height, ABBE_F32);
    return !abbe_apply(used, BOX, ABBE_BORDER_REFLECT, &source, &result) && is_near(out, &expected[height]);
}

struct crowd {
    abbe_device *device;
    atomic_int working;
    atomic_int wrong;
};

static void *apply_often(void *user)
{
    struct crowd *crowd = user;
    int calls = is_on_cpu() ? 300 : 4;
    struct random random = { (uint64_t)(uintptr_t)&random };
    for (int i = 0; i < calls; i++)
        crowd->wrong += !apply_rows(crowd->device, is_on_cpu() ? random_int(&random, 1, SHAPES) : 5);
    crowd->working--;
    return NULL;
}

/* Threads that share a device, more plans than are kept, and a thread that releases them meanwhile. */
static void many_threads(void **state)
{
    (void)state;
    enum { THREADS = 6 };
    for (int shared = 0; shared < 2; shared++) {
        pthread_t threads[THREADS];
        struct crowd crowd = { .device = shared ? NULL : device, .working = THREADS };
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, apply_often, &crowd), 0);
        while (crowd.working) {
            abbe_apply_clear(crowd.device);
            usleep(500);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(crowd.wrong, 0);
        abbe_apply_clear(crowd.device);
    }
}

/* Sanitizers do not know which threads and locks survive a fork: the thread sanitizer reports races with
 * threads that the child does not have, and the address sanitizer's allocator may be locked by one of them.
 * */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
#endif

/* A child finds plans and default device usable, also while another thread of the parent runs one. */
static void children(void **state)
{
    (void)state;
    if (!is_on_cpu())
        return;
    if (SANITIZED)
        skip();
    struct crowd crowd = { .device = NULL, .working = 1 };
    pthread_t thread;
    assert_true(apply_rows(NULL, 3));
    assert_int_equal(pthread_create(&thread, NULL, apply_often, &crowd), 0);
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            alarm(60);
            bool right = apply_rows(NULL, 3) && apply_rows(NULL, SHAPES) && apply_rows(device, 4);
            abbe_apply_clear(NULL);
            _exit(right && apply_rows(NULL, 3) ? 0 : 1);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    pthread_join(thread, NULL);
    assert_int_equal(crowd.wrong, 0);
}

static int prepare(void **state)
{
    (void)state;
    struct random random = { 3 };
    for (int i = 0; i < SAMPLES; i++)
        pixels[i] = (float)random_unit(&random);
    for (int height = 1; height <= SHAPES; height++)
        expected[height] = mean_of_rows(height, ABBE_BORDER_REFLECT);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    for (int height = 1; height <= SHAPES; height++)
        picture_free(&expected[height]);
    return 0;
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(children), cmocka_unit_test(many_threads) };

int main(int argc, char **argv)
{
    device = test_open_device(argc, argv, 2);
    int failures = cmocka_run_group_tests(tests, prepare, finish);
    abbe_device_close(&device);
    return failures;
}
