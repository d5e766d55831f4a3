// The grid between the passes: [tile][group][band of BAND rows][block of BLOCK columns][row][column].
//
// A block of one band is contiguous. With BAND = 1 the grid is stored in rows. A workgroup of the column
// pass reads and writes one block of every band; a row pass one row of every block of its band. With
// TWO_COLUMNS, BLOCK is even.
const uint SPAN = TWO_COLUMNS ? 2u : 1u; // columns of an element

const uint BLOCKS = (COLUMNS + BLOCK - 1u) / BLOCK;

// Index of the element that holds a column and row.
uint grid_place(uint column, uint row)
{
    return (((row / BAND * BLOCKS + column / BLOCK) * BAND + row % BAND) * BLOCK + column % BLOCK) / SPAN;
}

// Index of the element `on` columns, or rows, further; `place` is grid_place() of the first. A step of whole
// blocks or bands, which the compiler knows, is a sum.
uint columns_on(uint place, uint column, uint row, uint on)
{
    return on % BLOCK == 0u ? place + on * BAND : grid_place(column + on, row);
}

uint rows_on(uint place, uint column, uint row, uint on)
{
    return on % BAND == 0u ? place + on * (BLOCKS * BLOCK / SPAN) : grid_place(column, row + on);
}

// to_grid() and from_grid() convert an element between arithmetic and memory. In 16 bits a spectrum
// is divided by the square root of the length: sums over the picture stay in range, and small
// values keep their digits.
#if HALF
#define GRID_SCALE inversesqrt(float(LENGTH))

HALVES to_grid(ELEMENT value)
{
    value = clamp(value, -65504.0, 65504.0);
#if PLANES == 2
    return uvec2(packHalf2x16(value.xy), packHalf2x16(value.zw));
#else
    return packHalf2x16(value);
#endif
}

ELEMENT from_grid(HALVES halves)
{
#if PLANES == 2
    return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
#else
    return unpackHalf2x16(halves);
#endif
}
#define SCALED(value) (GRID_SCALE * (value))
#else
#define to_grid(value) (value)
#define from_grid(value) (value)
#define SCALED(value) (value)
#endif
