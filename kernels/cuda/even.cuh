// Even transforms (docs/maths.md): the rows and columns of a picture that its border reflects are folded,
// even samples first, then the odd ones in reverse. With V the transform of N folded samples and h = ½
// e^(−iπu/2N), the cosine coefficients of the reflected samples are
//
//     C(u) = h V(u) + h* V(N − u),    C(N − u) = i (h V(u) − h* V(N − u)),
//     ½ V(u) = h* (C(u) − i C(N − u)),
//
// C(N) = 0. H makes up for the ½. They are linear, so a plane of two channels holds both of theirs.
// Frequencies pass through shared memory, because u and N − u are in different threads.
#ifndef ABBE_KERNELS_CUDA_EVEN_CUH
#define ABBE_KERNELS_CUDA_EVEN_CUH

#include "pairs.cuh"

// The tables behind the positions: of each place, h, and the position of frequency −u.
ABCU_INLINE const float2 *roots_of_places(const lane &me)
{
    return (const float2 *)(positions(me) + (ABCU_LENGTH + 3) / 4 * 4);
}

ABCU_INLINE const int *mirrors(const lane &me)
{
    return (const int *)((const float *)roots_of_places(me) + (2 * ABCU_LENGTH + 3) / 4 * 4);
}

// h of each frequency in natural order.
ABCU_INLINE float2 root_of_frequency(const lane &me, int u)
{
    return __ldg((const float2 *)(mirrors(me) + (ABCU_LENGTH + 3) / 4 * 4) + u);
}

// Puts all frequencies where other threads can read them.
ABCU_INLINE void publish(const lane &me, const float2 *x)
{
    __syncthreads();
    put_stage(me, x, frequency_stage(), 0);
    __syncthreads();
}

// ½ V(u) of C(u) and C(N − u).
ABCU_INLINE float2 folded(float2 near, float2 far, float2 root)
{
    return product(make_float2(near.x + far.y, near.y - far.x), conjugate(root));
}

// Replaces V(u) by C(u).
ABCU_INLINE void take_cosines(const lane &me, float2 *x)
{
    ABCU_REQUIRE(!(ABCU_HAS(EVEN) && ABCU_SPLIT)); // exchanges in halves leave one half of a frequency
    const int radix = radix_at(frequency_stage());
    publish(me, x);
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++)
            if (is_element(me.t, radix, b, k)) {
                int place = element_at(me.t, radix, b, k);
                float2 root = __ldg(roots_of_places(me) + place), opposite[2];
                get_word(word_at(me, __ldg(mirrors(me) + place)), opposite, 0);
#pragma unroll
                for (int v = 0; v < ABCU_HELD; v++) {
                    float2 *z = &x[(b * radix + k) * ABCU_HELD + v];
                    *z = sum(product(*z, root), product(opposite[v], conjugate(root)));
                }
            }
    __syncthreads();
}

// Replaces C(u) by ½ V(u). The products of an odd part of H belong to the opposite frequencies: `swapped`
// takes C(N − u) for C(u).
ABCU_INLINE void fold(const lane &me, float2 *x, bool swapped)
{
    ABCU_REQUIRE(!(ABCU_HAS(EVEN) && ABCU_SPLIT)); // exchanges in halves leave one half of a frequency
    const int radix = radix_at(frequency_stage());
    publish(me, x);
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++)
            if (is_element(me.t, radix, b, k)) {
                int place = element_at(me.t, radix, b, k);
                float2 root = __ldg(roots_of_places(me) + place), opposite[2];
                get_word(word_at(me, __ldg(mirrors(me) + place)), opposite, 0);
#pragma unroll
                for (int v = 0; v < ABCU_HELD; v++) {
                    float2 *z = &x[(b * radix + k) * ABCU_HELD + v];
                    float2 far = place == 0 ? make_float2(0, 0) : opposite[v]; // place 0 holds frequency 0
                    *z = swapped ? folded(far, *z, root) : folded(*z, far, root);
                }
            }
    __syncthreads();
}

// Sample of the picture that is folded sample n of `count`; too large for n ≥ count.
ABCU_INLINE int unfolded(int n, int count)
{
    return n >= count ? count : 2 * n < count ? 2 * n : 2 * (count - n) - 1;
}

// ---- Two rows of a single channel: a column of the grid holds C(u) and C(N − u) of a row ----

ABCU_INLINE void store_two_even_rows(const struct abcu_params &p, const lane &me, const float2 *x,
                                     long long first, int row, unsigned long long policy)
{
    const float scale = row_scale();
    publish(me, x);
    for (int u = me.t; u <= ABCU_LENGTH / 2; u += ABCU_THREADS) {
        float2 near = scaled(*word_of_frequency(me, u), scale), far = make_float2(0, 0);
        if (u > 0)
            far = scaled(*word_of_frequency(me, ABCU_LENGTH - u), scale);
        float2 f = make_float2(near.x, far.x), g = make_float2(near.y, far.y);
        if (row < p.rows)
            store_unit(grid_at(p.grid, first, u, row, 0), &f, policy);
        if (row + 1 < p.rows)
            store_unit(grid_at(p.grid, first, u, row + 1, 0), &g, policy);
    }
}

// ½ V(u) of two rows, or V(N − u), of their products C(u) · H and C(N − u) · H.
ABCU_INLINE float2 folded_of_two(const lane &me, float2 near, float2 far, int u, bool swapped)
{
    float2 root = root_of_frequency(me, u);
    if (u == 0)
        return swapped ? make_float2(0, 0) : folded(near, make_float2(0, 0), root);
    return swapped ? folded(far, near, root) : folded(near, far, root);
}

ABCU_INLINE void load_even_spectra_of_two(const lane &me, void *back, long long first, int row, int count,
                                          bool swapped, float2 *x, unsigned long long policy)
{
    __syncthreads();
    for (int u = me.t; u <= ABCU_LENGTH / 2; u += ABCU_THREADS) {
        float2 f = make_float2(0, 0), g = make_float2(0, 0);
        if (row < count)
            load_unit(grid_at(back, first, u, row, 0), &f, policy);
        if (row + 1 < count)
            load_unit(grid_at(back, first, u, row + 1, 0), &g, policy);
        float2 near = scaled(make_float2(f.x, g.x), row_scale()),
               far = scaled(make_float2(f.y, g.y), row_scale());
        *word_of_frequency(me, u) = folded_of_two(me, near, far, u, swapped);
        if (u > 0 && 2 * u < ABCU_LENGTH)
            *word_of_frequency(me, ABCU_LENGTH - u) = folded_of_two(me, far, near, ABCU_LENGTH - u, swapped);
    }
    __syncthreads();
    get_stage(me, x, frequency_stage(), 0);
}

#endif
