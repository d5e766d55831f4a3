// Shared by the programs of the engine of 2003 (Moreland & Angel, "The FFT on a GPU").
//
// Texels hold four real numbers, one for each channel, in an array of M × N. A complex number takes two
// texels; PART is the part that a program computes. Its parts are in rows n (real) and n + N/2 (imaginary)
// while ROWS are transformed; in columns 0 and M/2 while these two real columns are TANGLED; in columns u and
// M − u for all OTHERS.
#define REAL 0
#define IMAGINARY 1
#define ROWS 0
#define TANGLED 1
#define OTHERS 2
#include "common.glsl"

uniform sampler2DArray texels;
uniform ivec2 array; // M, N

vec4 at_place(ivec2 place)
{
    return texelFetch(texels, ivec3(place, 0), 0);
}

// The place of the other part of the number that has a part at `at`.
ivec2 other_part(ivec2 at)
{
    int side = PART == REAL ? 1 : -1;
#if LINES == ROWS
    return ivec2(at.x, at.y + side * array.y / 2);
#elif LINES == TANGLED
    return ivec2(at.x + side * array.x / 2, at.y);
#else
    return ivec2(array.x - at.x, at.y);
#endif
}

// The coordinate of a place along the lines that are transformed.
int along(ivec2 at)
{
    return LINES == ROWS ? at.x : at.y;
}

// The place whose coordinate along its line is n.
ivec2 moved(ivec2 at, int n)
{
    return LINES == ROWS ? ivec2(n, at.y) : ivec2(at.x, n);
}

int length_of_lines()
{
    return LINES == ROWS ? array.x : array.y;
}
