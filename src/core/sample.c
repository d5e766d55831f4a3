/* Conversion of samples between storage types and float. Pointers need not be aligned. */
#include "core/sample.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

/* binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits. */
float core_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half >> 15) << 31, exponent = (half >> 10) & 31, fraction = half & 1023;
    uint32_t bits;
    if (exponent == 31)
        bits = sign | 0x7f800000u | fraction << 13;
    else if (exponent)
        bits = sign | (exponent + 127 - 15) << 23 | fraction << 13;
    else {
        float tiny = (float)fraction * 0x1p-24f;
        return sign ? -tiny : tiny;
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint16_t core_float_to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t size = bits & 0x7fffffff;
    if (size > 0x7f800000)
        return (uint16_t)(sign | 0x7e00); /* NaN */
    if (size >= 0x477fe000)
        return (uint16_t)(sign | 0x7bff); /* at or beyond 65504, infinity included */
    if (size < 0x38800000)                /* below 2^-14: subnormal, a multiple of 2^-24 */
        return (uint16_t)(sign | (uint16_t)lrintf(fabsf(value) * 0x1p24f));
    /* Round to nearest even at bit 13, then move the exponent's bias from 127 to 15. */
    uint32_t rounded = size + 0xfff + (size >> 13 & 1);
    uint32_t half = (rounded >> 13) - ((127 - 15) << 10);
    return (uint16_t)(sign | (half > 0x7bff ? 0x7bff : half));
}

#define REAL float
#define NAME(x) x
#define LARGEST FLT_MAX
#include "core/srgb_tmpl.h"
#undef REAL
#undef NAME
#undef LARGEST

#define REAL double
#define NAME(x) x##_f64
#define LARGEST DBL_MAX
#include "core/srgb_tmpl.h"

static void load_u8(const unsigned char *source, float *result, size_t count)
{
    for (size_t i = 0; i < count; i++)
        result[i] = (float)source[i] / 255;
}

static void load_u16(const unsigned char *source, float *result, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t sample;
        memcpy(&sample, source + 2 * i, sizeof sample);
        result[i] = (float)sample / 65535;
    }
}

/* ---- F16, eight samples at a time where the processor has instructions for it -------------------------- */

#if defined __x86_64__
enum { HALVES = 8 };

/* Every processor with AVX2 has F16C; clang 14 does not know the name of the latter. */
static bool converts_halves(void)
{
    return __builtin_cpu_supports("avx2");
}

/* These convert whole vectors and return the number of samples. */
__attribute__((target("avx,f16c"))) static size_t load_halves(const unsigned char *source, float *result,
                                                              size_t count)
{
    size_t i = 0;
    for (; i + HALVES <= count; i += HALVES)
        _mm256_storeu_ps(result + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(source + 2 * i))));
    return i;
}

/* Minimum and maximum return their second operand if one is NaN. */
__attribute__((target("avx,f16c"))) static size_t store_halves(const float *source, unsigned char *result,
                                                               size_t count)
{
    const __m256 largest = _mm256_set1_ps(65504), least = _mm256_set1_ps(-65504);
    size_t i = 0;
    for (; i + HALVES <= count; i += HALVES) {
        __m256 x = _mm256_max_ps(least, _mm256_min_ps(largest, _mm256_loadu_ps(source + i)));
        _mm_storeu_si128((void *)(result + 2 * i), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
    }
    return i;
}
#else
static bool converts_halves(void)
{
    return false;
}

static size_t load_halves(const unsigned char *source, float *result, size_t count)
{
    (void)source, (void)result, (void)count;
    return 0;
}

static size_t store_halves(const float *source, unsigned char *result, size_t count)
{
    (void)source, (void)result, (void)count;
    return 0;
}
#endif

static void load_f16(const unsigned char *source, float *result, size_t count)
{
    size_t i = converts_halves() ? load_halves(source, result, count) : 0;
    for (; i < count; i++) {
        uint16_t sample;
        memcpy(&sample, source + 2 * i, sizeof sample);
        result[i] = core_half_to_float(sample);
    }
}

void core_load_samples(abbe_type type, const void *source, float *result, size_t count)
{
    switch (type) {
    case ABBE_U8: load_u8(source, result, count); return;
    case ABBE_U16: load_u16(source, result, count); return;
    case ABBE_F16: load_f16(source, result, count); return;
    case ABBE_F32: memcpy(result, source, count * sizeof *result); return;
    default: return; /* not a native type */
    }
}

/* Scales 0 … 1 to 0 … white and saturates; NaN gives 0 because the first comparison is false. */
static float scale_to_white(float value, float white)
{
    return !(value > 0) ? 0 : value < 1 ? value * white : white;
}

/* Rounds 0 ≤ value < 2^23 to the nearest integer, ties to even: adding 2^23 leaves the integer in the low
 * bits of the fraction. Unlike lrintf, this vectorises. */
static uint32_t round_to_nearest(float value)
{
    float shifted = value + 0x1p23f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return bits & 0x7fffff;
}

static void store_u8(const float *source, unsigned char *result, size_t count)
{
    for (size_t i = 0; i < count; i++)
        result[i] = (unsigned char)round_to_nearest(scale_to_white(source[i], 255));
}

static void store_u16(const float *source, unsigned char *result, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t sample = (uint16_t)round_to_nearest(scale_to_white(source[i], 65535));
        memcpy(result + 2 * i, &sample, sizeof sample);
    }
}

static void store_f16(const float *source, unsigned char *result, size_t count)
{
    size_t i = converts_halves() ? store_halves(source, result, count) : 0;
    for (; i < count; i++) {
        uint16_t sample = core_float_to_half(source[i]);
        memcpy(result + 2 * i, &sample, sizeof sample);
    }
}

void core_store_samples(abbe_type type, const float *source, void *result, size_t count)
{
    switch (type) {
    case ABBE_U8: store_u8(source, result, count); return;
    case ABBE_U16: store_u16(source, result, count); return;
    case ABBE_F16: store_f16(source, result, count); return;
    case ABBE_F32: memcpy(result, source, count * sizeof *source); return;
    default: return; /* not a native type */
    }
}
