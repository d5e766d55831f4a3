/* Two-dimensional transforms in natural order, against the naive double sum. */
#include "fft/natural.h"
#include "support/test.h"

#include <abbe/abbe.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static double random_number(void)
{
    static uint64_t seed = 20060904;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0 - 0.5;
}

/* One picture, its naive transform, and room for results in both precisions; all interleaved { re, im }. */
struct picture {
    int width, height;
    size_t count; /* numbers */
    double *x, *expected, *f64;
    float *in, *f32;
};

static void picture_create(int width, int height, struct picture *picture)
{
    size_t count = 2 * (size_t)width * (size_t)height;
    *picture = (struct picture){ width,
                                 height,
                                 count,
                                 malloc(count * sizeof(double)),
                                 malloc(count * sizeof(double)),
                                 malloc(count * sizeof(double)),
                                 malloc(count * sizeof(float)),
                                 malloc(count * sizeof(float)) };
    for (size_t i = 0; i < count; i++) {
        picture->in[i] = (float)random_number();
        picture->x[i] = picture->in[i];
    }
}

static void picture_free(struct picture *picture)
{
    free(picture->x);
    free(picture->expected);
    free(picture->f64);
    free(picture->in);
    free(picture->f32);
}

/* sign −1: F(u, v) = 1/(MN) ΣΣ f(x, y) e^(−j2π(ux/M + vy/N)); sign +1: the inverse, without the factor. */
static void naive_at(const struct picture *picture, int u, int v, int sign, double value[2])
{
    int M = picture->width, N = picture->height;
    double re = 0, im = 0, scale = sign < 0 ? 1.0 / ((double)M * N) : 1;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < M; x++) {
            const double *f = picture->x + 2 * ((size_t)y * (size_t)M + (size_t)x);
            double turns = (double)(u * x % M) / M + (double)(v * y % N) / N;
            double c = cos(2 * acos(-1) * turns), s = sign * sin(2 * acos(-1) * turns);
            re += f[0] * c - f[1] * s;
            im += f[0] * s + f[1] * c;
        }
    value[0] = re * scale;
    value[1] = im * scale;
}

static void naive_transform(const struct picture *picture, int sign)
{
    for (int v = 0; v < picture->height; v++)
        for (int u = 0; u < picture->width; u++)
            naive_at(picture, u, v, sign,
                     picture->expected + 2 * ((size_t)v * (size_t)picture->width + (size_t)u));
}

static void check_result(const struct picture *picture, const char *what)
{
    double error32 = 0, error64 = 0, norm = 0;
    for (size_t i = 0; i < picture->count; i++) {
        norm += picture->expected[i] * picture->expected[i];
        error32 += pow(picture->f32[i] - picture->expected[i], 2);
        error64 += pow(picture->f64[i] - picture->expected[i], 2);
    }
    double bound = 3e-7 * sqrt(1 + log2((double)picture->count / 2));
    if (!(sqrt(error32 / norm) <= bound) || !(sqrt(error64 / norm) <= 1e-13))
        fail_msg("%s %d x %d: errors %g in float, %g in double", what, picture->width, picture->height,
                 sqrt(error32 / norm), sqrt(error64 / norm));
}

static void transform(const struct picture *picture, bool inverse, int threads)
{
    int width = picture->width, height = picture->height;
    assert_int_equal(fft_natural_f32(width, height, inverse, picture->in, picture->f32, threads), ABBE_OK);
    assert_int_equal(fft_natural_f64(width, height, inverse, picture->x, picture->f64, threads), ABBE_OK);
}

static void check_size(int width, int height)
{
    struct picture picture;
    picture_create(width, height, &picture);
    naive_transform(&picture, -1);
    transform(&picture, false, 2);
    check_result(&picture, "forward");
    naive_transform(&picture, 1);
    transform(&picture, true, 2);
    check_result(&picture, "inverse");
    picture_free(&picture);
}

static void sizes_match_the_sum(void **state)
{
    (void)state;
    for (int height = 1; height <= 12; height++)
        for (int width = 1; width <= 12; width++)
            check_size(width, height);
    const int larger[][2] = { { 17, 16 }, { 16, 17 }, { 33, 20 }, { 20, 35 }, { 31, 31 }, { 97, 3 },
                              { 1, 211 }, { 250, 1 }, { 48, 1 },  { 2, 130 }, { 40, 36 } };
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++)
        check_size(larger[i][0], larger[i][1]);
}

/* The result is the same to the last bit in place and with any number of threads. */
static void threads_and_place_change_nothing(void **state)
{
    (void)state;
    const int sizes[][2] = { { 320, 250 }, { 201, 499 }, { 1, 70000 }, { 65536, 1 }, { 64, 64 }, { 5, 5 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct picture picture;
        int width = sizes[i][0], height = sizes[i][1];
        picture_create(width, height, &picture);
        size_t bytes = picture.count * sizeof(float);
        float *copy = malloc(bytes);
        for (int inverse = 0; inverse < 2; inverse++) {
            fft_natural_f32(width, height, inverse, picture.in, picture.f32, 1);
            for (int threads = -1; threads <= 5; threads += 2) {
                memcpy(copy, picture.in, bytes);
                assert_int_equal(fft_natural_f32(width, height, inverse, copy, copy, threads), ABBE_OK);
                if (memcmp(copy, picture.f32, bytes))
                    fail_msg("%d x %d, inverse %d, %d threads: other bytes", width, height, inverse, threads);
            }
        }
        free(copy);
        picture_free(&picture);
    }
}

static void inverse_undoes_forward(void **state)
{
    (void)state;
    const int sizes[][2] = { { 512, 256 }, { 311, 127 }, { 360, 343 }, { 1009, 64 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct picture picture;
        int width = sizes[i][0], height = sizes[i][1];
        picture_create(width, height, &picture);
        memcpy(picture.expected, picture.x, picture.count * sizeof(double));
        transform(&picture, false, 2);
        fft_natural_f32(width, height, true, picture.f32, picture.f32, 2);
        fft_natural_f64(width, height, true, picture.f64, picture.f64, 2);
        check_result(&picture, "there and back");
        picture_free(&picture);
    }
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    float x[2] = { 1, 2 };
    double y[2] = { 1, 2 };
    assert_int_equal(fft_natural_f32(0, 1, false, x, x, 1), ABBE_ERR_SIZE);
    assert_int_equal(fft_natural_f32(1, 0, false, x, x, 1), ABBE_ERR_SIZE);
    assert_int_equal(fft_natural_f64(1, -5, true, y, y, 1), ABBE_ERR_SIZE);
    assert_true(x[0] == 1 && x[1] == 2 && y[0] == 1 && y[1] == 2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sizes_match_the_sum),
    cmocka_unit_test(threads_and_place_change_nothing),
    cmocka_unit_test(inverse_undoes_forward),
    cmocka_unit_test(impossible_sizes_are_refused),
};

TEST_MAIN(tests)
