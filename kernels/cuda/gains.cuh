// H in the column pass. Gains of a spectrum are stored by columns of the grid. Where every thread holds a
// multiple of four frequencies, those of registers 4i … 4i + 3 lie side by side: [column][i][thread][4];
// otherwise [column][place]. A complex gain is two floats.
#ifndef ABBE_KERNELS_CUDA_GAINS_CUH
#define ABBE_KERNELS_CUDA_GAINS_CUH

#include "transform.cuh"

ABCU_INLINE bool are_gains_in_fours()
{
    return ABCU_REGULAR && ABCU_REGISTERS % 4 == 0 && !is_bluestein();
}

// Gains of a column of even transforms of a single channel, which holds C(u) and C(N − u), are real and two;
// others are the same for both parts, or complex.
ABCU_INLINE bool is_even_single()
{
    return ABCU_HAS(EVEN) && ABCU_HAS(SINGLE);
}

ABCU_INLINE void multiply_register(float2 *z, float2 h)
{
#pragma unroll
    for (int v = 0; v < ABCU_HELD; v++)
        z[v] = is_even_single() ? make_float2(z[v].x * h.x, z[v].y * h.y)
               : ABCU_HAS(REAL) ? scaled(z[v], h.x)
                                : product(z[v], h);
}

// Gains of a spectrum and a column.
ABCU_INLINE const float *gains_of(const struct abcu_params &p, int number, int column)
{
    const int each = ABCU_HAS(REAL) ? 1 : 2;
    int columns = ABCU_HAS(EVEN) ? p.columns : ABCU_COLUMNS;
    return p.filters + ((long long)number * columns + column) * ABCU_LENGTH * each;
}

// Multiplies the frequencies of a column by the gains of spectrum `number`.
ABCU_INLINE void multiply(const struct abcu_params &p, const lane &me, int column, int number, float2 *x)
{
    const int radix = radix_at(frequency_stage()), each = ABCU_HAS(REAL) ? 1 : 2;
    column = min(column, ABCU_COLUMNS - 1);
    const float *gains = gains_of(p, number, column);
    const float *others = is_even_single() ? gains_of(p, number, column ? p.columns - column : 0) : gains;
    if (are_gains_in_fours())
#pragma unroll
        for (int i = 0; i < ABCU_REGISTERS / 4; i++) {
            const int at = (i * ABCU_THREADS + me.t) * each;
            float4 low = __ldg((const float4 *)gains + at), high = low;
            if (!ABCU_HAS(REAL))
                high = __ldg((const float4 *)gains + at + 1);
            else if (is_even_single())
                high = __ldg((const float4 *)others + at);
            float2 h[4];
            if (ABCU_HAS(REAL)) {
                h[0] = make_float2(low.x, high.x), h[1] = make_float2(low.y, high.y);
                h[2] = make_float2(low.z, high.z), h[3] = make_float2(low.w, high.w);
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
                if (!ABCU_HAS(REAL))
                    h = __ldg((const float2 *)gains + place);
                else
                    h = make_float2(__ldg(gains + place), is_even_single() ? __ldg(others + place) : 0);
                multiply_register(&x[(b * radix + k) * ABCU_HELD], h);
            }
}

#endif
