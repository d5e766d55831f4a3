// The threads of a row pass: those of a row are neighbours.
uint lane;

uint word(uint p)
{
    return lane * (SHARED / LANES) + p;
}

// Sets thread and lane; the row that this thread works on, of a pair the first.
uint settle_row()
{
    lane = gl_LocalInvocationID.x / T;
    thread = gl_LocalInvocationID.x % T;
    uint row = gl_WorkGroupID.x * LANES + lane;
    return LONE ? 2u * row : row;
}
