// Second pass: columns of the grid are transformed, multiplied by H, and transformed back; for a bank, one forward
// transform serves all filters of the dispatch.
//
// One workgroup works on one block of LANES = BLOCK columns: x counts blocks, y groups, z tiles. Threads that are
// neighbours have neighbouring columns.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "interface.glsl"

const uint SIDE_BY_SIDE = LANES;
#include "transform.glsl"
#include "long.glsl"
#include "grid.glsl"

uint lane;
const uint KEPT = BANK ? REGISTERS : 1u;
ELEMENT kept[KEPT];

uint word(uint p)
{
    return p * LANES + lane;
}

// H of a filter: [filter][block][v][BLOCK] or [filter][block][v][re | im][BLOCK]. With ODD the columns of every plane
// take those of one: the grid has p · L + L / 2 + 1 of them for 2p + 1 channels, L of a plane.
vec2 gain(uint number, uint v)
{
    uint all = ODD ? (2u * columns - 1u) / channels : columns, blocks = (all + BLOCK - 1u) / BLOCK;
    uint u = ODD ? (gl_WorkGroupID.x * BLOCK + lane) % all : 0u;
    uint block = ODD ? u / BLOCK : gl_WorkGroupID.x, place = ODD ? u % BLOCK : lane;
    uint row = (number * blocks + block) * rows + v;
    if (REAL)
        return vec2(filters[row * BLOCK + place], 0.0);
    return vec2(filters[2u * row * BLOCK + place], filters[(2u * row + 1u) * BLOCK + place]);
}

void multiply(uint number)
{
    uint radix = frequency_radix();
    [[unroll]] for (uint b = 0u; b < turns(radix); b++)
        [[unroll]] for (uint k = 0u; k < radix; k++) {
            uint v = element_at(radix, b, k);
#if LONG
            ELEMENT value = x[b * radix + k];
#else
            ELEMENT value = BANK ? kept[BANK ? b * radix + k : 0u] : x[b * radix + k];
#endif
            if (v < LENGTH) {
                vec2 h = gain(number, PLACED(v));
                value = REAL ? value * h.x : times(value, h);
            }
            x[b * radix + k] = value;
        }
}

#if LONG
void load(uint first, uint column)
{
    [[unroll]] for (uint b = 0u; b < turns(space_radix()); b++)
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            ELEMENT sum = ELEMENT(0);
            if (column < columns)
                for (uint y = element_at(space_radix(), b, k); y < PARTS * N; y += N)
                    sum += times(taken(grid[first + grid_place(column, y)]), turn_of(y));
            x[b * space_radix() + k] = sum;
        }
}

// All parts of the column, filtered.
void filter_parts(uint first, uint column, uint number)
{
    for (part = 0u; part < PARTS; part++) {
        load(first, column);
        forward();
        multiply(number);
        inverse();
        add_part();
    }
    take_sums();
}
#else
void load(uint first, uint column)
{
    [[unroll]] for (uint b = 0u; b < turns(space_radix()); b++)
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            uint y = element_at(space_radix(), b, k);
            bool there = column < columns && y < LENGTH;
            x[b * space_radix() + k] = there ? taken(grid[first + grid_place(column, y)]) : ELEMENT(0);
        }
}
#endif

// Only rows that results come from.
void store(uint first, uint column)
{
    [[unroll]] for (uint b = 0u; b < turns(space_radix()); b++)
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            uint y = COMING_BACK(element_at(space_radix(), b, k));
            if (column < columns && y >= before_y && y < before_y + step_y)
                back[first + grid_place(column, y)] = kept_as(x[b * space_radix() + k]);
        }
}

void main()
{
    lane = gl_LocalInvocationID.x % LANES;
    thread = gl_LocalInvocationID.x / LANES;
    uint column = gl_WorkGroupID.x * BLOCK + lane;
    uint first = gl_WorkGroupID.z * tile_stride + GROUP * group_stride;
#if LONG
    output_part = gl_WorkGroupID.y % PARTS;
    for (uint f = 0u; f < filter_count; f++) {
        filter_parts(first, column, filter_first + f);
        store(first + f * back_stride, column);
    }
#else
    load(first, column);
    forward();
    if (BANK)
        [[unroll]] for (uint i = 0u; i < KEPT; i++)
            kept[i] = x[i];
    uint f = 0u;
    do {
        multiply(filter_first + f);
        inverse();
        store(first + f * back_stride, column);
    } while (BANK && ++f < filter_count);
#endif
}
