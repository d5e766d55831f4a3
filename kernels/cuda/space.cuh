// Source pixels of convolutions in space, by coordinates of the region, border included. A unit is a group of
// up to four channels.
//
// Maps hold coordinates −before … size + after − 1. Only threads without a result read beyond them; they are
// clamped.
#ifndef ABBE_KERNELS_CUDA_SPACE_CUH
#define ABBE_KERNELS_CUDA_SPACE_CUH

#include "pixels.cuh"

// Column and row of the source at a coordinate.
ABCU_INLINE int2 mapped(const struct abcu_params &p, int x, int y)
{
    int column = min(max(x + p.before_x, 0), p.columns - 1), row = min(max(y + p.before_y, 0), p.rows - 1);
    return make_int2(p.map_x[column], p.map_y[row]);
}

ABCU_INLINE float4 as_pixel(const float2 *z)
{
    return make_float4(z[0].x, z[0].y, ABCU_HELD == 2 ? z[ABCU_HELD - 1].x : 0,
                       ABCU_HELD == 2 ? z[ABCU_HELD - 1].y : 0);
}

ABCU_INLINE float4 pixel_at(const struct abcu_params &p, int x, int y, int group)
{
    int2 at = mapped(p, x, y);
    float2 z[2];
    load_pixel(p, at.x, at.y, group, 0, z, 0);
    return as_pixel(z);
}

// sum + tap · pixel
ABCU_INLINE float4 added(float4 sum, float tap, float4 pixel)
{
    return make_float4(fmaf(tap, pixel.x, sum.x), fmaf(tap, pixel.y, sum.y),
                       ABCU_HELD == 2 ? fmaf(tap, pixel.z, sum.z) : 0,
                       ABCU_HELD == 2 ? fmaf(tap, pixel.w, sum.w) : 0);
}

// Stores `each` results of a thread, one below the other from (x, y) on, as far as they lie in the region.
ABCU_INLINE void store_results(const struct abcu_params &p, const float4 *sums, int each, int x, int y,
                               int group)
{
#pragma unroll
    for (int k = 0; k < each; k++) {
        float2 z[2] = { make_float2(sums[k].x, sums[k].y), make_float2(sums[k].z, sums[k].w) };
        if (x >= p.width || y + k >= p.height)
            continue;
        float alpha = ABCU_CHANNELS % 2 ? z[(ABCU_CHANNELS - 1) % 4 / 2].x : z[(ABCU_CHANNELS - 1) % 4 / 2].y;
        if (ABCU_HAS(PREMULTIPLY) && !ABCU_HAS(WIDE))
            alpha = result_alpha(p, alpha, x, y + k);
        store_pixel(p, result_at(p, x, y + k), z, group, 0, alpha, 0);
    }
}

ABCU_INLINE float4 magnitudes_of(float4 a, float4 b)
{
    return make_float4(magnitude(a.x, b.x), magnitude(a.y, b.y), magnitude(a.z, b.z), magnitude(a.w, b.w));
}

#endif
