/* One-dimensional transforms of any length, in float and double, against a naive sum in long double. */
#include "core/memory.h"
#include "fft/fft.h"
#include "fft/levels.h"
#include "fft/twiddle.h"
#include "support/test.h"

#include <abbe/abbe.h>

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum kind { F32, F64 };
enum direction { FORWARD, INVERSE };
enum { LANES_MAX = 16 };

static const size_t lane_counts[] = { 1, 3, 8, 16 };

/* Primes, prime powers, powers of two, products of all radices, and primes times radices. */
static const int long_lengths[] = { 289,  343,  512,  625,  720,  997,  1000, 1001, 1009, 1024, 2048,
                                    2187, 2310, 2401, 3125, 4093, 4096, 5040, 6561, 8192, 10007 };

static const double pi = 3.14159265358979323846;

static double random_number(void)
{
    static uint64_t seed = 20030707;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0 - 0.5;
}

/* The error bound of docs/maths.md for a forward and inverse transform, relative to the data's norm; 2^29
 * smaller in double. */
static double bound(enum kind kind, int n)
{
    double bits = n > 2 ? log2(n) : 1;
    return 3e-7 * sqrt(bits) / (kind == F64 ? 536870912.0 : 1);
}

static void run_f32(int n, size_t lanes, enum direction direction, double *x, int *order)
{
    struct fft_f32 *fft = NULL;
    assert_int_equal(fft_f32_create(n, &fft), ABBE_OK);
    size_t count = 2 * (size_t)n * lanes;
    float *values = malloc(count * sizeof *values);
    float *scratch = malloc((fft_f32_scratch(fft, lanes) + 1) * sizeof *scratch);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)x[i];
    (direction == FORWARD ? fft_f32_forward : fft_f32_inverse)(fft, values, lanes, scratch);
    for (size_t i = 0; i < count; i++)
        x[i] = values[i];
    memcpy(order, fft_f32_order(fft), (size_t)n * sizeof *order);
    free(scratch);
    free(values);
    fft_f32_destroy(&fft);
    assert_null(fft);
}

static void run_f64(int n, size_t lanes, enum direction direction, double *x, int *order)
{
    struct fft_f64 *fft = NULL;
    assert_int_equal(fft_f64_create(n, &fft), ABBE_OK);
    double *scratch = malloc((fft_f64_scratch(fft, lanes) + 1) * sizeof *scratch);
    (direction == FORWARD ? fft_f64_forward : fft_f64_inverse)(fft, x, lanes, scratch);
    memcpy(order, fft_f64_order(fft), (size_t)n * sizeof *order);
    free(scratch);
    fft_f64_destroy(&fft);
    assert_null(fft);
}

static void run(enum kind kind, int n, size_t lanes, enum direction direction, double *x, int *order)
{
    (kind == F32 ? run_f32 : run_f64)(n, lanes, direction, x, order);
}

/* The data of a test of one length. x is one signal; lane l holds it multiplied by l + 1. */
struct signal {
    int n;
    double *x, *spectrum; /* interleaved { re, im }, natural order */
    double *work;         /* LANES_MAX lanes in the engine's layout */
    int *order;
    long double *roots; /* { cos, −sin } of 2πk/n */
};

static void signal_create(int n, struct signal *signal)
{
    size_t count = 2 * (size_t)n;
    *signal = (struct signal){ n,
                               malloc(count * sizeof(double)),
                               malloc(count * sizeof(double)),
                               malloc(count * LANES_MAX * sizeof(double)),
                               malloc((size_t)n * sizeof(int)),
                               malloc(count * sizeof(long double)) };
    for (size_t i = 0; i < count; i++)
        signal->x[i] = (float)random_number();
    for (int k = 0; k < n; k++) {
        long double angle = 2 * acosl(-1) * k / n;
        signal->roots[2 * k] = cosl(angle);
        signal->roots[2 * k + 1] = -sinl(angle);
    }
}

static void signal_free(struct signal *signal)
{
    free(signal->x);
    free(signal->spectrum);
    free(signal->work);
    free(signal->order);
    free(signal->roots);
}

/* F(f) = Σ x(k) e^(−j2πfk/n), by definition. */
static void naive_frequency(const struct signal *signal, int f, double value[2])
{
    long double re = 0, im = 0;
    for (int k = 0; k < signal->n; k++) {
        const long double *w = signal->roots + 2 * ((long long)f * k % signal->n);
        re += signal->x[2 * k] * w[0] - signal->x[2 * k + 1] * w[1];
        im += signal->x[2 * k] * w[1] + signal->x[2 * k + 1] * w[0];
    }
    value[0] = (double)re;
    value[1] = (double)im;
}

static void spread(const struct signal *signal, size_t lanes)
{
    for (size_t i = 0; i < 2 * (size_t)signal->n; i++)
        for (size_t l = 0; l < lanes; l++)
            signal->work[i * lanes + l] = signal->x[i] * (double)(l + 1);
}

static void check_order(const struct signal *signal, enum kind kind)
{
    bool *seen = calloc((size_t)signal->n, sizeof *seen);
    for (int p = 0; p < signal->n; p++) {
        int f = signal->order[p];
        if (f < 0 || f >= signal->n || seen[f])
            fail_msg("length %d, kind %d: position %d holds frequency %d", signal->n, kind, p, f);
        seen[f] = true;
    }
    free(seen);
}

/* Compares every `stride`-th position with the naive sum, lane by lane, in the L2 norm. */
static void check_forward(const struct signal *signal, enum kind kind, size_t lanes, int stride)
{
    double error[LANES_MAX] = { 0 }, norm = 0;
    for (int p = 0; p < signal->n; p += stride) {
        const double *expected = signal->spectrum + 2 * (size_t)signal->order[p];
        for (int part = 0; part < 2; part++) {
            const double *row = signal->work + (2 * (size_t)p + (size_t)part) * lanes;
            norm += expected[part] * expected[part];
            for (size_t l = 0; l < lanes; l++)
                error[l] += pow(row[l] / (double)(l + 1) - expected[part], 2);
        }
    }
    for (size_t l = 0; l < lanes; l++)
        if (!(sqrt(error[l] / norm) <= bound(kind, signal->n)))
            fail_msg("forward, length %d, kind %d, lane %zu of %zu: error %g", signal->n, kind, l, lanes,
                     sqrt(error[l] / norm));
}

static void check_return(const struct signal *signal, enum kind kind, size_t lanes)
{
    double error = 0, norm = 0;
    for (size_t i = 0; i < 2 * (size_t)signal->n; i++)
        for (size_t l = 0; l < lanes; l++) {
            double expected = signal->x[i] * (double)(l + 1);
            norm += expected * expected;
            error += pow(signal->work[i * lanes + l] / signal->n - expected, 2);
        }
    if (!(sqrt(error / norm) <= bound(kind, signal->n)))
        fail_msg("forward and inverse, length %d, kind %d, %zu lanes: error %g", signal->n, kind, lanes,
                 sqrt(error / norm));
}

static void check_length(int n, int stride)
{
    struct signal signal;
    signal_create(n, &signal);
    for (enum kind kind = F32; kind <= F64; kind++)
        for (size_t i = 0; i < 4; i++) {
            spread(&signal, lane_counts[i]);
            run(kind, n, lane_counts[i], FORWARD, signal.work, signal.order);
            check_order(&signal, kind);
            for (int p = 0; kind == F32 && i == 0 && p < n; p += stride)
                naive_frequency(&signal, signal.order[p], signal.spectrum + 2 * (size_t)signal.order[p]);
            check_forward(&signal, kind, lane_counts[i], stride);
            run(kind, n, lane_counts[i], INVERSE, signal.work, signal.order);
            check_return(&signal, kind, lane_counts[i]);
        }
    signal_free(&signal);
}

/* The kernels of every level that this machine has, forward and back, on lanes that fill one vector and
 * several. */
static void check_level(enum core_level number, const struct signal *signal, size_t lanes)
{
    const struct fft_level *level = &fft_levels[number];
    struct fft_f64 *fft = NULL;
    assert_int_equal(fft_f64_create(signal->n, &fft), ABBE_OK);
    const int *order = fft_f64_order(fft);
    size_t n = (size_t)signal->n;
    spread(signal, lanes);
    level->forward(fft, signal->work, lanes);
    for (size_t i = 0; i < n * lanes; i++) {
        size_t p = i / lanes, l = i % lanes;
        const double *row = signal->work + 2 * p * lanes + l, *expected = signal->spectrum + 2 * order[p];
        double off = hypot(row[0] / (double)(l + 1) - expected[0],
                           row[lanes] / (double)(l + 1) - expected[1]);
        if (!(off <= bound(F64, signal->n) * sqrt((double)n)))
            fail_msg("%s, n = %zu, lane %zu of %zu, frequency %d: off by %g", core_level_name(number), n, l,
                     lanes, order[p], off);
    }
    level->inverse(fft, signal->work, lanes);
    for (size_t i = 0; i < 2 * n * lanes; i++) {
        double expected = signal->x[i / lanes] * (double)(i % lanes + 1);
        if (!(fabs(signal->work[i] / (double)n - expected) <= 16 * bound(F64, signal->n)))
            fail_msg("%s, n = %zu, %zu lanes: sample %zu does not come back", core_level_name(number), n,
                     lanes, i / lanes);
    }
    fft_f64_destroy(&fft);
}

static void every_level_matches_the_sum(void **state)
{
    (void)state;
    const int lengths[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 35, 64, 105, 128, 210, 512, 1080 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct signal signal;
        signal_create(lengths[i], &signal);
        for (int f = 0; f < signal.n; f++)
            naive_frequency(&signal, f, signal.spectrum + 2 * f);
        for (int level = 0; level < LEVEL_COUNT; level++) {
            size_t vector = fft_levels[level].lanes;
            for (size_t lanes = vector; vector && core_level_present(level) && lanes <= LANES_MAX;
                 lanes += vector)
                check_level(level, &signal, lanes);
        }
        signal_free(&signal);
    }
}

/* The bound is half a unit in the last place of 1, and the error of long double. */
static void roots_are_rounded_once(void **state)
{
    (void)state;
    for (int n = 1; n <= 300; n++) {
        double *roots = fft_roots(n);
        assert_non_null(roots);
        for (int k = 0; k < n; k++) {
            long double angle = 2 * acosl(-1) * k / n;
            if (!(fabsl(roots[2 * k] - cosl(angle)) <= 0.56e-16L) ||
                !(fabsl(roots[2 * k + 1] + sinl(angle)) <= 0.56e-16L))
                fail_msg("W_%d^%d is (%.17g, %.17g)", n, k, roots[2 * k], roots[2 * k + 1]);
        }
        core_free(roots);
    }
}

static void short_lengths_match_the_sum(void **state)
{
    (void)state;
    for (int n = 1; n <= 257; n++)
        check_length(n, 1);
}

static void long_lengths_match_the_sum(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof long_lengths / sizeof *long_lengths; i++)
        check_length(long_lengths[i], long_lengths[i] / 61);
}

/* Both precisions have the same order, because the float transform uses tables that were made in double. */
static void kinds_share_their_order(void **state)
{
    (void)state;
    double x[2 * 360] = { 0 };
    int order_f32[360], order_f64[360];
    for (int n = 1; n <= 360; n++) {
        run(F32, n, 1, FORWARD, x, order_f32);
        run(F64, n, 1, FORWARD, x, order_f64);
        assert_memory_equal(order_f32, order_f64, (size_t)n * sizeof(int));
    }
}

static void impulse_gives_a_wave(void **state)
{
    (void)state;
    for (int n = 1; n <= 130; n++) {
        double *x = calloc(2 * (size_t)n, sizeof *x);
        int *order = malloc((size_t)n * sizeof *order), place = n * 2 / 3;
        x[2 * place] = 1;
        run(F64, n, 1, FORWARD, x, order);
        for (int p = 0; p < n; p++) {
            double angle = -2 * pi * (order[p] * place % n) / n;
            if (fabs(x[2 * p] - cos(angle)) > 1e-14 || fabs(x[2 * p + 1] - sin(angle)) > 1e-14)
                fail_msg("length %d: impulse at %d, frequency %d is (%g, %g)", n, place, order[p], x[2 * p],
                         x[2 * p + 1]);
        }
        free(order);
        free(x);
    }
}

static double energy(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < 2 * n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* The transform of x shifted by s is F(f) · W^(fs); Σ|F|² = n Σ|x|²; transform(a + 2b) = A + 2B. */
static void check_properties(int n, int shift)
{
    struct signal signal, other;
    signal_create(n, &signal);
    signal_create(n, &other);
    double *a = signal.work, *b = other.work, *shifted = a + 2 * n, *sum = b + 2 * n;
    for (int i = 0; i < 2 * n; i++) {
        a[i] = signal.x[i];
        b[i] = other.x[i];
        sum[i] = a[i] + 2 * b[i];
        shifted[(i + 2 * shift) % (2 * n)] = a[i];
    }
    double *all[] = { a, b, shifted, sum };
    for (int i = 0; i < 4; i++)
        run(F64, n, 1, FORWARD, all[i], signal.order);
    double tolerance = 1e-14 * n;
    if (fabs(energy(a, n) / n - energy(signal.x, n)) > tolerance)
        fail_msg("length %d: energy %g becomes %g", n, energy(signal.x, n), energy(a, n) / n);
    for (int p = 0; p < n; p++) {
        const long double *w = signal.roots + 2 * ((long long)signal.order[p] * shift % n);
        long double re = a[2 * p] * w[0] - a[2 * p + 1] * w[1], im = a[2 * p] * w[1] + a[2 * p + 1] * w[0];
        if (fabsl(shifted[2 * p] - re) > tolerance || fabsl(shifted[2 * p + 1] - im) > tolerance)
            fail_msg("length %d: shift by %d breaks position %d", n, shift, p);
        for (int i = 2 * p; i < 2 * p + 2; i++)
            if (fabs(sum[i] - a[i] - 2 * b[i]) > tolerance)
                fail_msg("length %d: a + 2b breaks position %d", n, p);
    }
    signal_free(&other);
    signal_free(&signal);
}

static void properties_hold(void **state)
{
    (void)state;
    for (int n = 1; n <= 100; n++)
        check_properties(n, n * 3 / 7);
    for (size_t i = 0; i < sizeof long_lengths / sizeof *long_lengths; i++)
        check_properties(long_lengths[i], 101);
}

/* A circular convolution with five taps, through the spectrum in the engine's order. */
static void filter(const struct signal *signal, const double *taps, double *norm)
{
    *norm = 0;
    for (int p = 0; p < signal->n; p++) {
        long double re = 0, im = 0;
        for (int i = 0; i < 5; i++) {
            const long double *w = signal->roots + 2 * ((long long)signal->order[p] * i % signal->n);
            re += taps[i] * w[0];
            im += taps[i] * w[1];
        }
        *norm = fmax(*norm, (double)hypotl(re, im));
        float h_re = (float)re, h_im = (float)im;
        float x = (float)signal->work[2 * p], y = (float)signal->work[2 * p + 1];
        signal->work[2 * p] = x * h_re - y * h_im;
        signal->work[2 * p + 1] = x * h_im + y * h_re;
    }
}

/* In float the transform may use half of the bound, because the rest of a run needs the other half. */
static void filtering_stays_within_the_bound(void **state)
{
    (void)state;
    const int lengths[] = { 11, 13, 17, 31, 97, 997, 1000, 1009, 1024, 4093, 4096, 10007 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct signal signal;
        double taps[5], largest, error = 0;
        int n = lengths[i];
        signal_create(n, &signal);
        for (int k = 0; k < 5; k++)
            taps[k] = random_number();
        spread(&signal, 1);
        run(F32, n, 1, FORWARD, signal.work, signal.order);
        filter(&signal, taps, &largest);
        run(F32, n, 1, INVERSE, signal.work, signal.order);
        for (int k = 0; k < 2 * n; k++) {
            double expected = 0;
            for (int t = 0; t < 5; t++)
                expected += taps[t] * signal.x[(k - 2 * t + 2 * n) % (2 * n)];
            error += pow(signal.work[k] / n - expected, 2);
        }
        error = sqrt(error / energy(signal.x, n)) / largest;
        if (!(error <= 0.5 * bound(F32, n)))
            fail_msg("length %d: error %g, half the bound is %g", n, error, 0.5 * bound(F32, n));
        signal_free(&signal);
    }
}

static void impossible_lengths_are_refused(void **state)
{
    (void)state;
    struct fft_f32 *f32 = NULL;
    struct fft_f64 *f64 = NULL;
    const int lengths[] = { 0, -1, INT_MIN, INT_MAX };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assert_int_equal(fft_f32_create(lengths[i], &f32), ABBE_ERR_SIZE);
        assert_int_equal(fft_f64_create(lengths[i], &f64), ABBE_ERR_SIZE);
        assert_true(f32 == NULL && f64 == NULL);
    }
    fft_f32_destroy(&f32);
    fft_f64_destroy(&f64);
    fft_f32_destroy(NULL);
    fft_f64_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(short_lengths_match_the_sum),
    cmocka_unit_test(long_lengths_match_the_sum),
    cmocka_unit_test(every_level_matches_the_sum),
    cmocka_unit_test(roots_are_rounded_once),
    cmocka_unit_test(kinds_share_their_order),
    cmocka_unit_test(impulse_gives_a_wave),
    cmocka_unit_test(properties_hold),
    cmocka_unit_test(filtering_stays_within_the_bound),
    cmocka_unit_test(impossible_lengths_are_refused),
};

TEST_MAIN(tests)
