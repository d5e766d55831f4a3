/* The application's loops around FFTW, vectorised for the widest
 * vectors of the processor and run on several threads. */
#include "loops.h"

/* Compiles a function for each instruction set; the loader
 * chooses one. A careful user of FFTW would do the same. */
#if defined(__x86_64__) && defined(__gnu_linux__)
#define WIDE __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define WIDE
#endif

/* Elements that a thread processes at a time, few enough for its caches. Below THREADED_MIN elements, waking
 * threads costs more than it saves. */
enum { CHUNK = 1 << 14, THREADED_MIN = 1 << 16 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

WIDE static void split_bytes(const uint8_t *restrict pixels, float *restrict r, float *restrict g,
                             float *restrict b, float *restrict a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        r[i] = pixels[4 * i];
        g[i] = pixels[4 * i + 1];
        b[i] = pixels[4 * i + 2];
        a[i] = pixels[4 * i + 3];
    }
}

static inline uint8_t to_byte(float value)
{
    value = value > 0.0f ? value : 0.0f;
    value = value < 255.0f ? value : 255.0f;
    return (uint8_t)(int)(value + 0.5f);
}

WIDE static void join_bytes(const float *restrict r, const float *restrict g, const float *restrict b,
                            const float *restrict a, uint8_t *restrict pixels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pixels[4 * i] = to_byte(r[i]);
        pixels[4 * i + 1] = to_byte(g[i]);
        pixels[4 * i + 2] = to_byte(b[i]);
        pixels[4 * i + 3] = to_byte(a[i]);
    }
}

WIDE static void split_rgb(const uint8_t *restrict pixels, float *restrict r, float *restrict g,
                           float *restrict b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        r[i] = pixels[3 * i];
        g[i] = pixels[3 * i + 1];
        b[i] = pixels[3 * i + 2];
    }
}

WIDE static void join_rgb(const float *restrict r, const float *restrict g, const float *restrict b,
                          uint8_t *restrict pixels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pixels[3 * i] = to_byte(r[i]);
        pixels[3 * i + 1] = to_byte(g[i]);
        pixels[3 * i + 2] = to_byte(b[i]);
    }
}

WIDE static void split_floats(const float *restrict pixels, float *restrict r, float *restrict g,
                              float *restrict b, float *restrict a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        r[i] = pixels[4 * i];
        g[i] = pixels[4 * i + 1];
        b[i] = pixels[4 * i + 2];
        a[i] = pixels[4 * i + 3];
    }
}

WIDE static void join_floats(const float *restrict r, const float *restrict g, const float *restrict b,
                             const float *restrict a, float *restrict pixels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pixels[4 * i] = r[i];
        pixels[4 * i + 1] = g[i];
        pixels[4 * i + 2] = b[i];
        pixels[4 * i + 3] = a[i];
    }
}

WIDE static void multiply_spectrum(float *restrict spectrum, const float *restrict gains, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        spectrum[2 * i] *= gains[i];
        spectrum[2 * i + 1] *= gains[i];
    }
}

void loop_split(const uint8_t *pixels, float *const planes[4], size_t count, int threads)
{
#pragma omp parallel for num_threads(threads) if (threads > 1 && count >= THREADED_MIN)
    for (size_t start = 0; start < count; start += CHUNK)
        split_bytes(pixels + 4 * start, planes[0] + start, planes[1] + start, planes[2] + start,
                    planes[3] + start, smaller(CHUNK, count - start));
}

void loop_join(const float *const planes[4], uint8_t *pixels, size_t count, int threads)
{
#pragma omp parallel for num_threads(threads) if (threads > 1 && count >= THREADED_MIN)
    for (size_t start = 0; start < count; start += CHUNK)
        join_bytes(planes[0] + start, planes[1] + start, planes[2] + start, planes[3] + start,
                   pixels + 4 * start, smaller(CHUNK, count - start));
}

void loop_split_rgb(const uint8_t *pixels, float *const planes[3], size_t count, int threads)
{
#pragma omp parallel for num_threads(threads) if (threads > 1 && count >= THREADED_MIN)
    for (size_t start = 0; start < count; start += CHUNK)
        split_rgb(pixels + 3 * start, planes[0] + start, planes[1] + start, planes[2] + start,
                  smaller(CHUNK, count - start));
}

void loop_join_rgb(const float *const planes[3], uint8_t *pixels, size_t count, int threads)
{
#pragma omp parallel for num_threads(threads) if (threads > 1 && count >= THREADED_MIN)
    for (size_t start = 0; start < count; start += CHUNK)
        join_rgb(planes[0] + start, planes[1] + start, planes[2] + start, pixels + 3 * start,
                 smaller(CHUNK, count - start));
}

void loop_split_floats(const float *pixels, float *const planes[4], size_t count, int threads)
{
#pragma omp parallel for num_threads(threads) if (threads > 1 && count >= THREADED_MIN)
    for (size_t start = 0; start < count; start += CHUNK)
        split_floats(pixels + 4 * start, planes[0] + start, planes[1] + start, planes[2] + start,
                     planes[3] + start, smaller(CHUNK, count - start));
}

void loop_join_floats(const float *const planes[4], float *pixels, size_t count, int threads)
{
#pragma omp parallel for num_threads(threads) if (threads > 1 && count >= THREADED_MIN)
    for (size_t start = 0; start < count; start += CHUNK)
        join_floats(planes[0] + start, planes[1] + start, planes[2] + start, planes[3] + start,
                    pixels + 4 * start, smaller(CHUNK, count - start));
}

void loop_multiply(float *spectrum, const float *gains, size_t count, int threads)
{
#pragma omp parallel for num_threads(threads) if (threads > 1 && count >= THREADED_MIN)
    for (size_t start = 0; start < count; start += CHUNK)
        multiply_spectrum(spectrum + 2 * start, gains + start, smaller(CHUNK, count - start));
}
