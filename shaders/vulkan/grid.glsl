// The grid between the passes: [tile][group][block of BLOCK columns][row][column of the block].
//
// A workgroup of the column pass reads and writes one block, which is contiguous; a row pass touches BLOCK elements
// in a row of every block.

uint grid_place(uint column, uint row)
{
    return (column / BLOCK * rows + row) * BLOCK + column % BLOCK;
}
