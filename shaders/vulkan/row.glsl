// Threads of a row pass. The threads of a transform are neighbours.
//
// With SINGLE a lane transforms two rows, first + i · second. With MIXED, two rows of n = 2p + 1 channels are
// n transforms on consecutive lanes: for each pair of channels 0, 1, … p − 1 one row after the other, and for
// the last channel both rows in one plane. In a row of the grid they lie side by side: p · LENGTH columns of
// the pairs, and LENGTH / 2 + 1 columns of the single.
uint lane;
uint group;  // group of channels
bool single; // this transform is of two rows of one channel

// Word of shared memory of place p of this transform.
uint word(uint p)
{
    return lane * (SHARED / LANES) + p;
}

// Sets the variables above and `thread`. Returns the row that this thread transforms, or the first of two.
uint find_row()
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

// Column of the grid that holds frequency u of this transform.
uint column_of(uint u)
{
    return MIXED ? group * LENGTH + u : u;
}
