// The grid between the passes: [tile][group][band of BAND rows][block of BLOCK columns][row][column].
//
// A band of one block lies together. With BAND = 1 that is the order of rows; a workgroup of the column pass reads and
// writes one block of every band, a row pass one row of every block of its band. BLOCK is even where elements are TWO_COLUMNS.
const uint SPAN = TWO_COLUMNS ? 2u : 1u; // columns of an element

const uint BLOCKS = (COLUMNS + BLOCK - 1u) / BLOCK;

uint grid_place(uint column, uint row)
{
    return (((row / BAND * BLOCKS + column / BLOCK) * BAND + row % BAND) * BLOCK + column % BLOCK) / SPAN;
}

// The place of a column `on` further, or of a row: `place` is where grid_place() has found the first. Where steps are
// whole blocks or bands, which the compiler knows, it is a sum.
uint columns_on(uint place, uint column, uint row, uint on)
{
    return on % BLOCK == 0u ? place + on * BAND : grid_place(column + on, row);
}

uint rows_on(uint place, uint column, uint row, uint on)
{
    return on % BAND == 0u ? place + on * (BLOCKS * BLOCK / SPAN) : grid_place(column, row + on);
}

// A grid's element as it lies in memory, and as one computes with it. In 16 bits a spectrum is kept divided by the root
// of its points: sums of the picture stay within range, and the smallest of noise keep their digits.
#if HALF
#define GRID_SCALE inversesqrt(float(LENGTH))

HALVES kept_as(ELEMENT value)
{
    value = clamp(value, -65504.0, 65504.0);
#if PLANES == 2
    return uvec2(packHalf2x16(value.xy), packHalf2x16(value.zw));
#else
    return packHalf2x16(value);
#endif
}

ELEMENT taken(HALVES halves)
{
#if PLANES == 2
    return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
#else
    return unpackHalf2x16(halves);
#endif
}
#define SCALED(value) (GRID_SCALE * (value))
#else
#define kept_as(value) (value)
#define taken(value) (value)
#define SCALED(value) (value)
#endif
