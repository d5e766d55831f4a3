// Third pass: transforms the rows that hold results back, crops, converts and stores them.
//
// A block transforms LANES rows of one group of channels; x counts blocks of rows, y groups, z tiles. SIDE =
// PLANES / HELD neighbouring threads share the pixels of a row. A single channel has two rows in one
// transform (pairs.cuh).
#include "even.cuh"
#include "grid.cuh"
#include "pairs.cuh"
#include "pixels.cuh"

// Loads a row of a filtered grid. Rows beyond the last one are not stored.
ABCU_INLINE void load_row(const struct abcu_params &p, const lane &me, long long first, int row, float2 *x,
                          unsigned long long policy)
{
    const int radix = radix_at(frequency_stage()), plane = me.side * ABCU_HELD;
    row = min(row, p.step_y - 1);
    const char *unit = grid_at(p.back, first, me.t, row, plane);
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++) {
            const int on = element_at(0, radix, b, k);
            if (is_element(me.t, radix, b, k))
                load_unit(on % ABCU_STRIP == 0 ? unit + bytes_of_columns(on)
                                               : grid_at(p.back, first, me.t + on, row, plane),
                          &x[(b * radix + k) * ABCU_HELD], policy);
        }
    if (ABCU_HALF)
#pragma unroll
        for (int i = 0; i < ABCU_HELD * ABCU_REGISTERS; i++)
            x[i] = scaled(x[i], row_scale());
}

// Transforms a row of a spectrum back; `odd`: it is the odd part of an even transform.
ABCU_INLINE void load_back(const struct abcu_params &p, long long first, int row, bool odd, float2 *x,
                           unsigned long long policy)
{
    lane me = make_lane(p.table);
    if (ABCU_HAS(SINGLE) && ABCU_HAS(EVEN))
        load_even_spectra_of_two(me, p.back, first, 2 * row, p.step_y, odd, x, policy);
    else if (ABCU_HAS(SINGLE))
        load_spectra_of_two(me, p.back, first, 2 * row, p.step_y, x, policy);
    else
        load_row(p, me, first, row, x, policy);
    if (ABCU_HAS(EVEN) && !ABCU_HAS(SINGLE))
        fold(me, x, odd);
    inverse(me, x);
}

// Combines two spectra of one result, of which the first was kept: the magnitude of two components, or the
// even and the odd part. The sign of an odd part alternates along the rows and columns of the picture, of
// which the second half of a folded row or column holds the odd ones.
ABCU_INLINE void combine(const struct abcu_params &p, const lane &me, int row, float2 *x)
{
    const int radix = ABCU_RADIX0;
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++) {
            bool right = 2 * element_at(me.t, radix, b, k) >= ABCU_LENGTH;
            float2 *z = &x[(b * radix + k) * ABCU_HELD], other[2];
            kept(b * radix + k, other);
#pragma unroll
            for (int v = 0; v < ABCU_HELD; v++) {
                if (ABCU_HAS(MAGNITUDE)) {
                    z[v] = magnitudes(z[v], other[v]);
                    continue;
                }
                int of_x = ABCU_HAS(SINGLE) ? 2 * row : row, of_y = ABCU_HAS(SINGLE) ? 2 * row + 1 : row;
                z[v].x = other[v].x + (right == (2 * of_x >= p.step_y) ? z[v].x : -z[v].x);
                z[v].y = other[v].y + (right == (2 * of_y >= p.step_y) ? z[v].y : -z[v].y);
            }
        }
}

// The filtered alpha of each sample, for the threads that hold other planes. Alpha is the last channel of the
// last plane.
ABCU_INLINE float *shared_alpha(int n)
{
    return (float *)abcu_shared + lane_number() * ABCU_POINTS + n;
}

ABCU_INLINE float alpha_in(const float2 *z)
{
    const int last = (ABCU_CHANNELS - 1) % (2 * ABCU_PLANES) / 2 % ABCU_HELD;
    return ABCU_CHANNELS % 2 ? z[last].x : z[last].y;
}

ABCU_INLINE void share_alpha(const lane &me, const float2 *x)
{
    const int radix = ABCU_RADIX0;
    __syncthreads();
    if (me.side == (ABCU_CHANNELS - 1) % (2 * ABCU_PLANES) / 2 / ABCU_HELD)
#pragma unroll
        for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
            for (int k = 0; k < radix; k++)
                if (has_butterfly(me.t, radix, b))
                    *shared_alpha(element_at(me.t, radix, b, k)) = alpha_in(&x[(b * radix + k) * ABCU_HELD]);
    __syncthreads();
}

// Stores row `row` of the tile, or two rows from 2 · row on, as far as they lie in the picture. Folded rows
// and columns are unfolded.
ABCU_INLINE void store_row(const struct abcu_params &p, const lane &me, const float2 *x, int tile, int row,
                           int group, unsigned long long policy)
{
    const int radix = ABCU_RADIX0, plane = me.side * ABCU_HELD;
    const int left = tile % p.across * p.step_x, top = tile / p.across * p.step_y;
    const int across = min(p.step_x, p.width - left), down = min(p.step_y, p.height - top);
    const bool takes_alpha = ABCU_HAS(PREMULTIPLY) && !ABCU_HAS(WIDE);
    if (ABCU_HAS(SINGLE))
        row *= 2;
    if (row >= down)
        return;
    const int begin = me.t - (ABCU_HAS(INTERIOR) ? 0 : p.before_x);
    const int y = ABCU_HAS(EVEN) ? unfolded(row, p.step_y) : top + row;
    const int below = ABCU_HAS(EVEN) ? unfolded(row + 1, p.step_y) : top + row + 1;
    char *pixels = result_at(p, left + begin, y), *pixels_below = result_at(p, left + begin, below);
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++) {
            const float2 *z = &x[(b * radix + k) * ABCU_HELD];
            const int on = element_at(0, radix, b, k);
            int n = begin + on, column = ABCU_HAS(EVEN) ? unfolded(n, p.step_x) : left + n;
            bool is_result = ABCU_HAS(INTERIOR) ? is_element(me.t, radix, b, k)
                                                : has_butterfly(me.t, radix, b) && n >= 0 && n < across;
            if (!is_result)
                continue;
            long long far = (ABCU_HAS(EVEN) ? column - begin : on) * result_step(p);
            float alpha = 1;
            if (takes_alpha)
                alpha = result_alpha(p, ABCU_SIDE > 1 ? *shared_alpha(me.t + on) : alpha_in(z), column, y);
            store_pixel(p, pixels + far, z, group, plane, alpha, policy);
            if (ABCU_HAS(SINGLE) && row + 1 < down) {
                float2 other = make_float2(z[0].y, z[0].x);
                store_pixel(p, pixels_below + far, &other, group, plane, alpha, policy);
            }
        }
}

ABCU_KERNEL(rows_back)
{
    const int group = (int)blockIdx.y, tile = p.first_tile + (int)blockIdx.z;
    const policies cache = make_policies();
    long long first = (int)blockIdx.z * p.tile_stride + group * p.group_stride +
                      p.filter_place * p.back_stride;
    const bool is_two = ABCU_HAS(MAGNITUDE) || ABCU_HAS(ODD); // a result is made of two spectra
    float2 x[ABCU_HELD * ABCU_REGISTERS];
    if (is_two) {
        load_back(p, first, (int)blockIdx.x * ABCU_LANES + lane_number(), false, x, cache.drop);
        keep(x);
        first += p.back_stride;
        __syncthreads(); // the exchanges of the first spectrum are finished
    }
    load_back(p, first, (int)blockIdx.x * ABCU_LANES + lane_number(), ABCU_HAS(ODD), x, cache.drop);
    lane me = make_lane(p.table);
    int row = (int)blockIdx.x * ABCU_LANES + lane_number();
    if (is_two)
        combine(p, me, row, x);
    if (ABCU_HAS(PREMULTIPLY) && !ABCU_HAS(WIDE) && ABCU_SIDE > 1)
        share_alpha(me, x);
    store_row(p, me, x, tile, row, group, cache.drop);
}
