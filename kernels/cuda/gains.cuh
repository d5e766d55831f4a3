// H in the column pass. Gains of a spectrum are stored by columns of the grid. Where every thread holds a multiple of
// four frequencies, those of registers 4i … 4i + 3 lie side by side: [column][i][thread][4]; otherwise [column][place].
// A complex gain is two floats.
#ifndef ABBE_KERNELS_CUDA_GAINS_CUH
#define ABBE_KERNELS_CUDA_GAINS_CUH

#include "transform.cuh"

ABCU_INLINE bool are_gains_in_fours()
{
    return ABCU_REGULAR && ABCU_REGISTERS % 4 == 0 && !is_bluestein();
}

ABCU_INLINE void multiply_register(float2 *z, float2 h)
{
#pragma unroll
    for (int v = 0; v < ABCU_HELD; v++)
        z[v] = ABCU_HAS(REAL) ? scaled(z[v], h.x) : product(z[v], h);
}

// Multiplies the frequencies of a column by the gains of spectrum `number`.
ABCU_INLINE void multiply(const struct abcu_params &p, const lane &me, int column, int number, float2 *x)
{
    const int radix = radix_at(frequency_stage()), each = ABCU_HAS(REAL) ? 1 : 2;
    column = min(column, ABCU_COLUMNS - 1);
    const float *gains = p.filters + ((long long)number * ABCU_COLUMNS + column) * ABCU_LENGTH * each;
    if (are_gains_in_fours())
#pragma unroll
        for (int i = 0; i < ABCU_REGISTERS / 4; i++) {
            const float4 *four = (const float4 *)gains + (i * ABCU_THREADS + me.t) * each;
            float4 low = __ldg(four), high = ABCU_HAS(REAL) ? low : __ldg(four + 1);
            float2 h[4];
            if (ABCU_HAS(REAL)) {
                h[0].x = low.x, h[1].x = low.y, h[2].x = low.z, h[3].x = low.w;
            } else {
                h[0] = make_float2(low.x, low.y), h[1] = make_float2(low.z, low.w);
                h[2] = make_float2(high.x, high.y), h[3] = make_float2(high.z, high.w);
            }
#pragma unroll
            for (int m = 0; m < 4; m++)
                multiply_register(&x[(4 * i + m) * ABCU_HELD], h[m]);
        }
    else
#pragma unroll
        for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
            for (int k = 0; k < radix; k++) {
                int place = is_element(me.t, radix, b, k) ? element_at(me.t, radix, b, k) : 0;
                float2 h = make_float2(0, 0);
                if (ABCU_HAS(REAL))
                    h.x = __ldg(gains + place);
                else
                    h = __ldg((const float2 *)gains + place);
                multiply_register(&x[(b * radix + k) * ABCU_HELD], h);
            }
}

#endif
