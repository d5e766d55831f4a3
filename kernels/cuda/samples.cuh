// Samples: their stored bits, and the light curve.
#ifndef ABBE_KERNELS_CUDA_SAMPLES_CUH
#define ABBE_KERNELS_CUDA_SAMPLES_CUH

#include "machine.cuh"

// abbe_type
enum sample_type { U8 = 1, U16 = 2, F16 = 3, F32 = 4 };

ABCU_INLINE int sample_bytes(int type)
{
    return type == U8 ? 1 : type == F32 ? 4 : 2;
}

// Value of stored bits of a type.
ABCU_INLINE float value_of(unsigned bits, int type)
{
    return type == U8    ? (float)bits * (1.0f / 255)
           : type == U16 ? (float)bits * (1.0f / 65535)
           : type == F16 ? half_to_float(bits)
                         : __uint_as_float(bits);
}

// Bits that a result stores for a value. Integers are rounded and saturated; a NaN becomes 0. Halves saturate
// too.
ABCU_INLINE unsigned bits_of(float value, int type)
{
    if (type == F32)
        return __float_as_uint(value);
    if (type == F16)
        return float_to_half(value > 65504 ? 65504.0f : value < -65504 ? -65504.0f : value);
    return __float2uint_rn(__saturatef(value) * (type == U8 ? 255.0f : 65535.0f));
}

ABCU_INLINE float load_sample(const char *at, int type)
{
    return type == U8    ? value_of(*(const unsigned char *)at, U8)
           : type == F32 ? *(const float *)at
                         : value_of(*(const unsigned short *)at, type);
}

ABCU_INLINE void store_sample(char *at, float value, int type)
{
    unsigned bits = bits_of(value, type);
    if (type == U8)
        *(unsigned char *)at = (unsigned char)bits;
    else if (type == F32)
        *(unsigned *)at = bits;
    else
        *(unsigned short *)at = (unsigned short)bits;
}

ABCU_INLINE bool is_finite(float value)
{
    return (__float_as_uint(value) & 0x7f800000u) != 0x7f800000u;
}

// The curve of IEC 61966-2-1, continued as an odd function. A finite sample stays finite, so that alpha 0
// makes it 0.
ABCU_INLINE float srgb_decode(float coded)
{
    float size = fabsf(coded);
    float linear = size <= 0.04045f ? size / 12.92f : powf((size + 0.055f) / 1.055f, 2.4f);
    return copysignf(fminf(linear, 3.4028234e38f), coded);
}

ABCU_INLINE float srgb_encode(float linear)
{
    float size = fabsf(linear);
    float coded = size <= 0.0031308f ? size * 12.92f : 1.055f * powf(size, 1 / 2.4f) - 0.055f;
    return copysignf(coded, linear);
}

#endif
