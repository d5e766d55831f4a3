// The grid between the passes: [tile][group][band of BAND rows][strip of STRIP columns][row][column] pixels
// of PLANES complex numbers.
//
// A strip of one band is contiguous: the column pass reads and writes short runs of rows in place of single
// pixels, and the row passes write STRIP pixels at once. With BAND = 1 the grid is stored in rows.
#ifndef ABBE_KERNELS_CUDA_GRID_CUH
#define ABBE_KERNELS_CUDA_GRID_CUH

#include "machine.cuh"

ABCU_INLINE int strips()
{
    return (ABCU_COLUMNS + ABCU_STRIP - 1) / ABCU_STRIP;
}

// Index of the pixel at a column and row.
ABCU_INLINE int grid_place(int column, int row)
{
    return ((row / ABCU_BAND * strips() + column / ABCU_STRIP) * ABCU_BAND + row % ABCU_BAND) * ABCU_STRIP +
           column % ABCU_STRIP;
}

// Bytes of one plane of a pixel, and of the planes that a thread holds.
ABCU_INLINE int plane_bytes()
{
    return ABCU_HALF ? 4 : 8;
}

ABCU_INLINE int unit_bytes()
{
    return ABCU_HELD * plane_bytes();
}

// Address of the planes from `plane` on of a pixel of the grid whose tile and group begin at pixel `first`.
ABCU_INLINE char *grid_at(void *grid, long long first, int column, int row, int plane)
{
    return (char *)grid + ((first + grid_place(column, row)) * ABCU_PLANES + plane) * plane_bytes();
}

// Bytes between pixels that are `on` columns apart, if those are whole strips, or `on` rows, if those are
// whole bands: where the compiler knows `on`, such an address is a sum.
ABCU_INLINE long long bytes_of_columns(int on)
{
    return (long long)on * ABCU_BAND * ABCU_PLANES * plane_bytes();
}

ABCU_INLINE long long bytes_of_rows(int on)
{
    return (long long)on * (strips() * ABCU_STRIP) * ABCU_PLANES * plane_bytes();
}

// ---- Elements as stored ----

// In 16 bits a spectrum is divided by the square root of the row's length: sums over the picture stay in
// range, and small values keep their digits.
ABCU_INLINE float row_scale()
{
    return ABCU_HALF ? rsqrtf((float)ABCU_LENGTH) : 1;
}

ABCU_INLINE float2 plane_of_halves(float bits)
{
    unsigned both = __float_as_uint(bits);
    return make_float2(half_to_float(both & 0xffffu), half_to_float(both >> 16));
}

ABCU_INLINE float halves_of_plane(float2 z)
{
    const float most = 65504;
    unsigned low = float_to_half(fminf(fmaxf(z.x, -most), most));
    unsigned high = float_to_half(fminf(fmaxf(z.y, -most), most));
    return __uint_as_float(low | high << 16);
}

// The HELD planes of a unit.
ABCU_INLINE void load_unit(const void *from, float2 *z, unsigned long long policy)
{
    if (ABCU_HALF && ABCU_HELD == 2) {
        float2 bits = load_8(from, policy);
        z[0] = plane_of_halves(bits.x);
        z[ABCU_HELD - 1] = plane_of_halves(bits.y);
    } else if (ABCU_HALF)
        z[0] = plane_of_halves(load_4(from, policy));
    else if (ABCU_HELD == 2) {
        float4 both = load_16(from, policy);
        z[0] = make_float2(both.x, both.y);
        z[ABCU_HELD - 1] = make_float2(both.z, both.w);
    } else
        z[0] = load_8(from, policy);
}

ABCU_INLINE void store_unit(void *to, const float2 *z, unsigned long long policy)
{
    if (ABCU_HALF && ABCU_HELD == 2)
        store_8(to, make_float2(halves_of_plane(z[0]), halves_of_plane(z[ABCU_HELD - 1])), policy);
    else if (ABCU_HALF)
        store_4(to, halves_of_plane(z[0]), policy);
    else if (ABCU_HELD == 2)
        store_16(to, make_float4(z[0].x, z[0].y, z[ABCU_HELD - 1].x, z[ABCU_HELD - 1].y), policy);
    else
        store_8(to, z[0], policy);
}

// The same from shared memory, where an asynchronous copy has put it.
ABCU_INLINE void unit_of_slot(const char *slot, float2 *z)
{
    if (ABCU_HALF && ABCU_HELD == 2) {
        float2 bits = *(const float2 *)slot;
        z[0] = plane_of_halves(bits.x);
        z[ABCU_HELD - 1] = plane_of_halves(bits.y);
    } else if (ABCU_HALF)
        z[0] = plane_of_halves(*(const float *)slot);
    else if (ABCU_HELD == 2) {
        float4 both = *(const float4 *)slot;
        z[0] = make_float2(both.x, both.y);
        z[ABCU_HELD - 1] = make_float2(both.z, both.w);
    } else
        z[0] = *(const float2 *)slot;
}

#endif
