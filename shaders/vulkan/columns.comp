// Second pass: columns of the grid are transformed, multiplied by H, and transformed back; for a bank, one forward
// transform serves all filters of the dispatch.
//
// One workgroup works on one block of LANES = BLOCK columns, or 2 · LANES of them where elements are TWIN: x counts
// blocks, y groups, z tiles. Threads that are neighbours have neighbouring columns.
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

// H of a filter in a column of the grid: [filter][block][v][BLOCK] or [filter][block][v][re | im][BLOCK]. With ODD the
// columns of every plane take those of one: of L columns, for 2p + 1 channels, the grid has p · L + L / 2 + 1.
vec2 gain(uint number, uint column, uint v)
{
    uint all = ODD ? (2u * columns - 1u) / channels : columns, blocks = (all + BLOCK - 1u) / BLOCK;
    uint u = ODD ? column % all : column;
    uint row = (number * blocks + u / BLOCK) * rows + v, place = u % BLOCK;
    if (REAL)
        return vec2(filters[row * BLOCK + place], 0.0);
    return vec2(filters[2u * row * BLOCK + place], filters[(2u * row + 1u) * BLOCK + place]);
}

void multiply(uint number, uint column)
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
                vec2 h = gain(number, column, PLACED(v));
#if PLANES == 2
                vec2 next = TWIN ? gain(number, column + 1u, PLACED(v)) : h;
                value = REAL ? value * vec4(h.xx, next.xx) : vec4(product(value.xy, h), product(value.zw, next));
#else
                value = REAL ? value * h.x : times(value, h);
#endif
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
        multiply(number, column);
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
    uint column = gl_WorkGroupID.x * BLOCK + lane * SPAN;
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
        multiply(filter_first + f, column);
        inverse();
        store(first + f * back_stride, column);
    } while (BANK && ++f < filter_count);
#endif
}
