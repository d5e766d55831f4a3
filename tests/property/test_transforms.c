/* Properties of Fourier transforms: inverse ∘ forward, Parseval, conjugate symmetry, the shift and
 * convolution theorems, for the complex transform and the packed spectrum.
 *
 * Argument: DEVICE. The scaling is that of abbe.h: the forward transform carries 1/(M·N). */
#include "support/apply.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static abbe_device *device;

/* Relative error in the 2-norm: 3·10⁻⁷·√log₂(MN) for two transforms of the largest size here. */
static const double tolerance = 2 * 3e-7 * 4;

static const int shapes[][2] = { { 1, 1 },    { 1, 8 },   { 9, 1 },   { 2, 2 },   { 5, 7 },   { 16, 16 },
                                 { 13, 12 },  { 30, 31 }, { 101, 2 }, { 64, 33 }, { 3, 127 }, { 1, 977 },
                                 { 120, 49 }, { 88, 67 }, { 376, 5 }, { 83, 22 } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

static float *random_array(size_t count, uint64_t seed)
{
    struct random random = { seed };
    float *array = malloc(count * sizeof *array);
    for (size_t i = 0; i < count; i++)
        array[i] = (float)random_signed(&random);
    return array;
}

static double norm(const float *array, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)array[i] * (double)array[i];
    return sqrt(sum);
}

static double distance(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sqrt(sum);
}

static void assert_small(double error, double scale, int width, int height, const char *what)
{
    if (!(error <= tolerance * scale))
        fail_msg("%s, %d x %d: error %g at a scale of %g", what, width, height, error, scale);
}

/* ---- Complex transforms ------------------------------------------------------------------------------- */

static void check_complex(int width, int height)
{
    size_t samples = (size_t)width * (size_t)height, floats = 2 * samples;
    float *in = random_array(floats, floats), *spectrum = malloc(floats * sizeof *spectrum);
    float *back = malloc(floats * sizeof *back);
    assert_int_equal(abbe_fft_forward(device, width, height, in, spectrum), ABBE_OK);
    /* Parseval with 1/(M·N) in front: Σ|F|² = Σ|f|² / (M·N). */
    double size = norm(spectrum, floats) * sqrt((double)samples);
    assert_small(fabs(size - norm(in, floats)), norm(in, floats), width, height, "Parseval");
    assert_int_equal(abbe_fft_inverse(device, width, height, spectrum, back), ABBE_OK);
    assert_small(distance(back, in, floats), norm(in, floats), width, height, "inverse of forward");
    assert_int_equal(abbe_fft_inverse(device, width, height, in, back), ABBE_OK);
    assert_int_equal(abbe_fft_forward(device, width, height, back, back), ABBE_OK);
    assert_small(distance(back, in, floats), norm(in, floats), width, height, "forward of inverse");
    memcpy(back, in, floats * sizeof *in);
    assert_int_equal(abbe_fft_forward(device, width, height, back, back), ABBE_OK);
    assert_memory_equal(back, spectrum, floats * sizeof *back);
    free(in);
    free(spectrum);
    free(back);
}

static void complex_transforms(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++)
        check_complex(shapes[shape][0], shapes[shape][1]);
}

/* The transform of a real picture has F(−u, −v) = F*(u, v). */
static void check_conjugates(int width, int height)
{
    size_t floats = 2 * (size_t)width * (size_t)height;
    float *array = random_array(floats, 5), *mirrored = malloc(floats * sizeof *mirrored);
    for (size_t i = 1; i < floats; i += 2)
        array[i] = 0;
    assert_int_equal(abbe_fft_forward(device, width, height, array, array), ABBE_OK);
    for (int v = 0; v < height; v++)
        for (int u = 0; u < width; u++) {
            const float *from = array + 2 * ((size_t)((height - v) % height) * width + (width - u) % width);
            float *to = mirrored + 2 * ((size_t)v * width + u);
            to[0] = from[0];
            to[1] = -from[1];
        }
    assert_small(distance(array, mirrored, floats), norm(array, floats), width, height, "conjugate symmetry");
    free(array);
    free(mirrored);
}

/* A pixel at (x, y) has the spectrum e^(−j2π(ux/M + vy/N)) / (M·N), which fixes every sign in both
 * directions. */
static void check_impulse(int width, int height)
{
    size_t floats = 2 * (size_t)width * (size_t)height;
    float *array = calloc(floats, sizeof *array), *expected = calloc(floats, sizeof *expected);
    int x = (width - 1) / 3, y = (height - 1) / 2;
    double scale = 1 / ((double)width * height);
    array[2 * ((size_t)y * width + x)] = 1;
    for (int v = 0; v < height; v++)
        for (int u = 0; u < width; u++) {
            double turns = (double)((long long)u * x % width) / width +
                           (double)((long long)v * y % height) / height;
            expected[2 * ((size_t)v * width + u)] = (float)(scale * cos(2 * M_PI * turns));
            expected[2 * ((size_t)v * width + u) + 1] = (float)(-scale * sin(2 * M_PI * turns));
        }
    assert_int_equal(abbe_fft_forward(device, width, height, array, array), ABBE_OK);
    assert_small(distance(array, expected, floats), norm(expected, floats), width, height,
                 "a pixel's spectrum");
    free(array);
    free(expected);
}

static void symmetry_and_signs(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        check_conjugates(shapes[shape][0], shapes[shape][1]);
        check_impulse(shapes[shape][0], shapes[shape][1]);
    }
}

/* ---- Packed spectra ----------------------------------------------------------------------------------- */

/* Parseval over the whole plane, read frequency by frequency, and the symmetry, which packing makes exact. */
static void check_packed_energy(const struct stored *source, const struct stored *packed, int channel)
{
    int width = source->view.width, height = source->view.height;
    struct picture in = stored_read(source);
    double energy = 0, spectral = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            energy += *picture_at(&in, x, y, channel) * *picture_at(&in, x, y, channel);
            float value[2], mirrored[2];
            assert_int_equal(abbe_spectrum_at(&packed->view, channel, x, y, value), ABBE_OK);
            assert_int_equal(abbe_spectrum_at(&packed->view, channel, (width - x) % width,
                                              (height - y) % height, mirrored),
                             ABBE_OK);
            assert_true(value[0] == mirrored[0] && value[1] == -mirrored[1]);
            spectral += hypot((double)value[0], (double)value[1]) * hypot((double)value[0], (double)value[1]);
        }
    spectral *= (double)width * height;
    assert_small(fabs(sqrt(spectral) - sqrt(energy)), sqrt(energy), width, height,
                 "Parseval of a packed spectrum");
    picture_free(&in);
}

static void check_packed(int width, int height, int channels, abbe_type type)
{
    struct random random = { (uint64_t)width };
    struct stored source = stored_create(width, height, channels, type, 3, true, true);
    struct stored packed = stored_create(width, height, channels, ABBE_F32, 5, false, true);
    struct stored result = stored_create(width, height, channels, type, 1, false, true);
    stored_randomize(&source, &random, false);
    assert_int_equal(abbe_spectrum_forward(device, &source.view, &packed.view), ABBE_OK);
    for (int c = 0; c < channels; c++)
        check_packed_energy(&source, &packed, c);
    assert_int_equal(abbe_spectrum_inverse(device, &packed.view, &result.view), ABBE_OK);
    struct picture in = stored_read(&source), out = stored_read(&result);
    /* Samples of 8 and 16 bits come back exactly, since their steps are far above the rounding. */
    double allowed = type_levels(type) > 0 ? 0 : type == ABBE_F16 ? 1e-3 : tolerance * picture_norm(&in);
    assert_small(picture_distance(&in, &out) - allowed, 0, width, height, "there and back");
    assert_true(stored_check(&source) && stored_check(&packed) && stored_check(&result));
    picture_free(&in);
    picture_free(&out);
    stored_free(&source);
    stored_free(&packed);
    stored_free(&result);
}

static void packed_spectra(void **state)
{
    (void)state;
    static const abbe_type types[] = { ABBE_F32, ABBE_U8, ABBE_U16 };
    for (int shape = 0; shape < SHAPES; shape++)
        for (int channels = 1; channels <= 4; channels++)
            check_packed(shapes[shape][0], shapes[shape][1], channels, types[(shape + channels) % 3]);
}

static void packed_in_place(void **state)
{
    (void)state;
    struct random random = { 11 };
    struct stored view = stored_create(21, 10, 3, ABBE_F32, 4, false, true);
    struct stored apart = stored_create(21, 10, 3, ABBE_F32, 4, false, true);
    stored_randomize(&view, &random, false);
    struct picture in = stored_read(&view);
    assert_int_equal(abbe_spectrum_forward(device, &view.view, &apart.view), ABBE_OK);
    assert_int_equal(abbe_spectrum_forward(device, &view.view, &view.view), ABBE_OK);
    struct picture here = stored_read(&view), there = stored_read(&apart);
    assert_true(picture_distance(&here, &there) == 0);
    assert_int_equal(abbe_spectrum_inverse(device, &view.view, &view.view), ABBE_OK);
    struct picture out = stored_read(&view);
    assert_small(picture_distance(&in, &out), picture_norm(&in), 21, 10, "in place");
    struct picture *pictures[] = { &in, &here, &there, &out };
    for (int i = 0; i < 4; i++)
        picture_free(pictures[i]);
    stored_free(&view);
    stored_free(&apart);
}

static void pack_and_unpack(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        int width = shapes[shape][0], height = shapes[shape][1];
        size_t samples = (size_t)width * (size_t)height;
        float *packed = random_array(samples, samples), *full = malloc(2 * samples * sizeof *full);
        float *again = malloc(samples * sizeof *again);
        assert_int_equal(abbe_spectrum_unpack(width, height, packed, full), ABBE_OK);
        assert_int_equal(abbe_spectrum_pack(width, height, full, again), ABBE_OK);
        assert_memory_equal(again, packed, samples * sizeof *packed);
        free(packed);
        free(full);
        free(again);
    }
}

/* ---- The convolution theorem -------------------------------------------------------------------------- */

/* F · G is the spectrum of the cyclic convolution (f ∗ g) / (M·N): multiplies, transforms back and
 * compares with the sum. */
static void check_theorem(int width, int height, int channels, int other_channels)
{
    struct stored f = stored_create(width, height, channels, ABBE_F32, 0, false, true);
    struct stored g = stored_create(width, height, other_channels, ABBE_F32, 0, false, true);
    struct random random = { 3 };
    stored_randomize(&f, &random, false);
    stored_randomize(&g, &random, false);
    struct picture in = stored_read(&f), other = stored_read(&g),
                   expected = picture_create(width, height, channels);
    for (int c = 0; c < channels; c++)
        for (int i = 0; i < width * height * width * height; i++) {
            int from = i / (width * height), to = i % (width * height);
            int x = (to % width - from % width + width) % width,
                y = (to / width - from / width + height) % height;
            *picture_at(&expected, to % width, to / width,
                        c) += *picture_at(&in, from % width, from / width, c) *
                              *picture_at(&other, x, y, other_channels == 1 ? 0 : c) / (width * height);
        }
    assert_int_equal(abbe_spectrum_forward(device, &f.view, &f.view), ABBE_OK);
    assert_int_equal(abbe_spectrum_forward(device, &g.view, &g.view), ABBE_OK);
    assert_int_equal(abbe_spectrum_multiply(&f.view, &g.view, &f.view), ABBE_OK);
    assert_int_equal(abbe_spectrum_inverse(device, &f.view, &f.view), ABBE_OK);
    struct picture got = stored_read(&f);
    assert_small(picture_distance(&got, &expected), picture_norm(&in), width, height, "convolution theorem");
    struct picture *pictures[] = { &in, &other, &expected, &got };
    for (int i = 0; i < 4; i++)
        picture_free(pictures[i]);
    stored_free(&f);
    stored_free(&g);
}

static void convolution_theorem(void **state)
{
    (void)state;
    static const int sizes[][2] = { { 1, 1 }, { 1, 6 }, { 7, 1 }, { 4, 4 }, { 5, 6 }, { 6, 5 }, { 9, 7 } };
    for (int size = 0; size < 7; size++) {
        check_theorem(sizes[size][0], sizes[size][1], 1 + size % 4, 1);
        check_theorem(sizes[size][0], sizes[size][1], 1 + size % 4, 1 + size % 4);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(complex_transforms), cmocka_unit_test(symmetry_and_signs),
    cmocka_unit_test(packed_spectra),     cmocka_unit_test(packed_in_place),
    cmocka_unit_test(pack_and_unpack),    cmocka_unit_test(convolution_theorem),
};

TEST_MAIN_ON_DEVICE(tests, device, 1)
