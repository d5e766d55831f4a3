// The threads of a row pass: those of a transform are neighbours.
//
// With SINGLE the transform of a lane is that of two rows, first + i · second. With MIXED, two rows of n = 2p + 1 channels are
// n transforms, on lanes that follow one another: of pair 0, 1, … p − 1 of their channels, row after row, and of the last
// channel, which pairs its rows. They stand side by side in a row of the grid: p · LENGTH columns, and the
// LENGTH / 2 + 1 of two rows that share a plane.
uint lane;
uint group; // of channels
bool single;  // this transform is of two rows

uint word(uint p)
{
    return lane * (SHARED / LANES) + p;
}

// Sets the above, and thread; the row that this thread works on, of two the first.
uint settle_row()
{
    lane = gl_LocalInvocationID.x / T;
    thread = gl_LocalInvocationID.x % T;
    uint row = gl_WorkGroupID.x * LANES + lane;
    group = GROUP;
    single = SINGLE;
    if (MIXED) {
        uint kind = row % channels;
        group = kind / 2u;
        single = kind + 1u == channels;
        return row / channels * 2u + (single ? 0u : kind % 2u);
    }
    return SINGLE ? 2u * row : row;
}

// Where frequency u of this transform stands in a row of the grid.
uint column_of(uint u)
{
    return MIXED ? group * LENGTH + u : u;
}
