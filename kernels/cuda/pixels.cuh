// Loads source pixels as planes that are ready to filter, and stores planes as pixels of a result.
//
// A unit is the HELD planes from plane `plane` on of a group of channels: plane i of group g is the channels
// 2 (g · PLANES + i) and the next as one complex number. The last plane may lack its second channel.
#ifndef ABBE_KERNELS_CUDA_PIXELS_CUH
#define ABBE_KERNELS_CUDA_PIXELS_CUH

#include "samples.cuh"

// Below half a level of 16 bits a pixel is transparent, and its colour is 0.
#define ABCU_TRANSPARENT (0.5f / 65535)

// Replaces a nonfinite sample by 0 if the plan does.
ABCU_INLINE float clean(float value)
{
    return ABCU_HAS(ZERO_NONFINITE) && !is_finite(value) ? 0 : value;
}

// Whether channel c is a colour, to which the light curve, alpha and the offset apply.
ABCU_INLINE bool is_colour(int c)
{
    return !ABCU_HAS(ALPHA) || c != ABCU_CHANNELS - 1;
}

ABCU_INLINE int first_channel(int group, int plane)
{
    return 2 * (group * ABCU_PLANES + plane);
}

// ---- Source ----

// Bytes from pixel to pixel of a row of the source.
ABCU_INLINE long long source_step(const struct abcu_params &p)
{
    return ABCU_HAS(SOURCE_WHOLE) ? ABCU_CHANNELS * sample_bytes(ABCU_SOURCE_TYPE) : p.source_strides.pixel;
}

// Address of a pixel of the source.
ABCU_INLINE const char *source_at(const struct abcu_params &p, int column, int row)
{
    return (const char *)p.source + row * p.source_strides.row + column * source_step(p);
}

// The stored samples of a unit, SOURCE_WHOLE: HELD · 2 samples side by side, or the only one.
ABCU_INLINE void load_whole(const char *at, float2 *z, unsigned long long policy)
{
    const int type = ABCU_SOURCE_TYPE;
    if (ABCU_CHANNELS == 1)
        z[0] = make_float2(load_sample(at, type), 0);
    else if (type == F32 && ABCU_HELD == 2) {
        float4 both = load_16(at, policy);
        z[0] = make_float2(both.x, both.y);
        z[ABCU_HELD - 1] = make_float2(both.z, both.w);
    } else if (type == F32)
        z[0] = load_8(at, policy);
    else if (type == U8 && ABCU_HELD == 2) {
        unsigned bits = *(const unsigned *)at;
        z[0] = make_float2(value_of(bits & 255, U8), value_of(bits >> 8 & 255, U8));
        z[ABCU_HELD - 1] = make_float2(value_of(bits >> 16 & 255, U8), value_of(bits >> 24, U8));
    } else if (type == U8) {
        unsigned bits = *(const unsigned short *)at;
        z[0] = make_float2(value_of(bits & 255, U8), value_of(bits >> 8, U8));
    } else if (ABCU_HELD == 2) {
        uint2 bits = *(const uint2 *)at;
        z[0] = make_float2(value_of(bits.x & 0xffff, type), value_of(bits.x >> 16, type));
        z[ABCU_HELD - 1] = make_float2(value_of(bits.y & 0xffff, type), value_of(bits.y >> 16, type));
    } else {
        unsigned bits = *(const unsigned *)at;
        z[0] = make_float2(value_of(bits & 0xffff, type), value_of(bits >> 16, type));
    }
}

// The stored samples of a unit of the pixel at that address.
ABCU_INLINE void load_stored(const struct abcu_params &p, const char *pixel, int group, int plane, float2 *z,
                             unsigned long long policy)
{
    const int first = first_channel(group, plane);
    if (ABCU_HAS(SOURCE_WHOLE)) {
        load_whole(pixel + first * sample_bytes(ABCU_SOURCE_TYPE), z, policy);
        return;
    }
#pragma unroll
    for (int v = 0; v < ABCU_HELD; v++) {
        int c = first + 2 * v;
        z[v] = make_float2(0, 0);
        if (c < ABCU_CHANNELS)
            z[v].x = load_sample(pixel + c * p.source_strides.channel, ABCU_SOURCE_TYPE);
        if (c + 1 < ABCU_CHANNELS)
            z[v].y = load_sample(pixel + (c + 1) * p.source_strides.channel, ABCU_SOURCE_TYPE);
    }
}

ABCU_INLINE float load_alpha(const struct abcu_params &p, const char *pixel)
{
    return load_sample(pixel + (ABCU_CHANNELS - 1) * p.source_strides.channel, ABCU_SOURCE_TYPE);
}

ABCU_INLINE float prepared(float value, int c, float alpha)
{
    value = clean(value);
    if (is_colour(c)) {
        value = ABCU_HAS(LIGHT) ? srgb_decode(value) : value;
        value = ABCU_HAS(PREMULTIPLY) ? value * alpha : value;
    }
    return value;
}

// A unit ready to filter: finite, in linear light, multiplied by alpha, as the plan asks.
ABCU_INLINE void load_inside(const struct abcu_params &p, const char *pixel, int group, int plane, float2 *z,
                             unsigned long long policy)
{
    load_stored(p, pixel, group, plane, z, policy);
    float alpha = ABCU_HAS(PREMULTIPLY) ? clean(load_alpha(p, pixel)) : 1;
#pragma unroll
    for (int v = 0; v < ABCU_HELD; v++) {
        int c = first_channel(group, plane) + 2 * v;
        z[v] = make_float2(prepared(z[v].x, c, alpha), prepared(z[v].y, c + 1, alpha));
    }
}

// The outside pixel, which the host has prepared, times a factor.
ABCU_INLINE void load_outside(const struct abcu_params &p, int group, int plane, float factor, float2 *z)
{
    float colour = p.outside_colour * factor, alpha = p.outside_alpha * factor;
#pragma unroll
    for (int v = 0; v < ABCU_HELD; v++) {
        int c = first_channel(group, plane) + 2 * v;
        z[v].x = c >= ABCU_CHANNELS ? 0 : is_colour(c) ? colour : alpha;
        z[v].y = c + 1 >= ABCU_CHANNELS ? 0 : is_colour(c + 1) ? colour : alpha;
    }
}

// The unit at a column and row of the source, of which −1 is outside. There is a load in any case, so that
// the loads of a thread need not wait for each other.
ABCU_INLINE void load_pixel(const struct abcu_params &p, int column, int row, int group, int plane, float2 *z,
                            unsigned long long policy)
{
    load_inside(p, source_at(p, max(column, 0), max(row, 0)), group, plane, z, policy);
    if (row < 0 || column < 0)
        load_outside(p, group, plane, 1, z);
}

// ---- Results ----

// √(a² + b²), without overflow or underflow.
ABCU_INLINE float magnitude(float a, float b)
{
    float large = fmaxf(fabsf(a), fabsf(b)), small = fminf(fabsf(a), fabsf(b));
    float ratio = large == 0 ? 0 : small / large;
    return large * sqrtf(1 + ratio * ratio);
}

ABCU_INLINE float2 magnitudes(float2 a, float2 b)
{
    return make_float2(magnitude(a.x, b.x), magnitude(a.y, b.y));
}

// Undoes premultiplication and linear light of a filtered colour, and adds the offset.
ABCU_INLINE float finish_colour(const struct abcu_params &p, float value, float alpha)
{
    if (ABCU_HAS(PREMULTIPLY) && p.alpha_gain != 0)
        value = alpha > ABCU_TRANSPARENT ? value / alpha : 0;
    if (ABCU_HAS(LIGHT))
        value = srgb_encode(value);
    return ABCU_HAS(OFFSET) ? value + p.offset : value;
}

// What a result stores for channel c of a pixel with that alpha.
ABCU_INLINE float finished(const struct abcu_params &p, float value, int c, float alpha)
{
    return is_colour(c) ? finish_colour(p, value, alpha) : ABCU_HAS(PREMULTIPLY) ? alpha : value;
}

// Alpha of the result at (x, y): the filtered alpha divided by the filter's gain, or the source's.
ABCU_INLINE float result_alpha(const struct abcu_params &p, float filtered, int x, int y)
{
    if (p.alpha_gain != 0)
        return filtered / p.alpha_gain;
    bool is_direct = ABCU_HAS(INTERIOR) || ABCU_HAS(EVEN); // no border, or maps that fold
    float alpha = load_alpha(p, is_direct ? source_at(p, x, y)
                                          : source_at(p, p.map_x[p.before_x + x], p.map_y[p.before_y + y]));
    return is_finite(alpha) ? alpha : 0;
}

// Stores finished samples side by side, RESULT_WHOLE.
ABCU_INLINE void store_whole(char *at, const float2 *z, unsigned long long policy)
{
    const int type = ABCU_RESULT_TYPE;
    const float2 &last = z[ABCU_HELD - 1];
    if (ABCU_CHANNELS == 1)
        store_sample(at, z[0].x, type);
    else if (type == F32 && ABCU_HELD == 2)
        store_16(at, make_float4(z[0].x, z[0].y, last.x, last.y), policy);
    else if (type == F32)
        store_8(at, z[0], policy);
    else if (type == U8 && ABCU_HELD == 2)
        *(unsigned *)at = bits_of(z[0].x, U8) | bits_of(z[0].y, U8) << 8 | bits_of(last.x, U8) << 16 |
                          bits_of(last.y, U8) << 24;
    else if (type == U8)
        *(unsigned short *)at = (unsigned short)(bits_of(z[0].x, U8) | bits_of(z[0].y, U8) << 8);
    else if (ABCU_HELD == 2)
        *(uint2 *)at = make_uint2(bits_of(z[0].x, type) | bits_of(z[0].y, type) << 16,
                                  bits_of(last.x, type) | bits_of(last.y, type) << 16);
    else
        *(unsigned *)at = bits_of(z[0].x, type) | bits_of(z[0].y, type) << 16;
}

// Type of what a pass stores. With WIDE that is floats, which finish.cu converts.
ABCU_INLINE int stored_type()
{
    return ABCU_HAS(WIDE) ? F32 : ABCU_RESULT_TYPE;
}

// Bytes from pixel to pixel of a row of the result.
ABCU_INLINE long long result_step(const struct abcu_params &p)
{
    return ABCU_HAS(WIDE) || ABCU_HAS(RESULT_WHOLE) ? ABCU_CHANNELS * sample_bytes(stored_type())
                                                    : p.result_strides.pixel;
}

// Address of a pixel of the result.
ABCU_INLINE char *result_at(const struct abcu_params &p, int x, int y)
{
    char *row = ABCU_HAS(WIDE) ? (char *)(p.wide + (long long)y * p.width * ABCU_CHANNELS)
                               : (char *)p.result + y * p.result_strides.row;
    return row + x * result_step(p);
}

// Stores a unit of the pixel at that address, with the pixel's alpha.
ABCU_INLINE void store_pixel(const struct abcu_params &p, char *pixel, const float2 *z, int group, int plane,
                             float alpha, unsigned long long policy)
{
    const int first = first_channel(group, plane);
    float2 done[2];
#pragma unroll
    for (int v = 0; v < ABCU_HELD; v++) {
        int c = first + 2 * v;
        done[v] = ABCU_HAS(WIDE)
                      ? z[v]
                      : make_float2(finished(p, z[v].x, c, alpha), finished(p, z[v].y, c + 1, alpha));
    }
    if (!ABCU_HAS(WIDE) && ABCU_HAS(RESULT_WHOLE)) {
        store_whole(pixel + first * sample_bytes(ABCU_RESULT_TYPE), done, policy);
        return;
    }
    const long long step = ABCU_HAS(WIDE) ? 4 : p.result_strides.channel;
#pragma unroll
    for (int v = 0; v < 2 * ABCU_HELD; v++)
        if (first + v < ABCU_CHANNELS)
            store_sample(pixel + (first + v) * step, v % 2 ? done[v / 2].y : done[v / 2].x, stored_type());
}

#endif
