// Second pass: transforms columns of the grid, multiplies them by H and transforms them back. In a bank, all
// filters of the dispatch share one forward transform.
//
// A workgroup takes one block of LANES = BLOCK columns, or 2 · LANES with TWO_COLUMNS: x counts blocks, y
// groups, z tiles. Neighbouring threads have neighbouring columns.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "interface.glsl"

const uint SIDE_BY_SIDE = LANES;
const bool EARLY = REGISTERS <= 8u;
const bool GAINS_EARLY = REAL && !EVEN && !BANK && !TWO_COLUMNS && STAGES > 1u && LONG == 0 && BLUESTEIN == 0;
#define BEFORE_LAST_EXCHANGE \
    if (GAINS_EARLY)         \
    fetch_gains()
void fetch_gains();
#include "transform.glsl"
#include "long.glsl"
#include "grid.glsl"
#include "even.glsl"

uint lane;
uint column; // first column of this thread's elements
const uint KEPT = BANK ? REGISTERS : 1u;
ELEMENT kept[KEPT];
float gains[REGISTERS];

uint word(uint p)
{
    return p * LANES + lane;
}

// Columns of H. Even transforms have one for each sample of a row. With MIXED all planes use the gains of one plane of L columns; for 2p + 1 channels the grid
// has p · L + L / 2 + 1 columns.
uint columns_of_gains()
{
    return EVEN ? columns : MIXED ? (2u * COLUMNS - 1u) / channels : COLUMNS;
}

// Gain of a filter at a column of the grid: [filter][block][v][BLOCK] or [filter][block][v][re | im][BLOCK].
vec2 gain(uint number, uint column, uint v)
{
    uint all = columns_of_gains(), u = MIXED ? column % all : column;
    uint row = (number * ((all + BLOCK - 1u) / BLOCK) + u / BLOCK) * rows + v, place = u % BLOCK;
    if (REAL)
        return vec2(filters[row * BLOCK + place], 0.0);
    return vec2(filters[2u * row * BLOCK + place], filters[(2u * row + 1u) * BLOCK + place]);
}

// Fetches the gains of the only filter, so that an exchange hides the latency.
void fetch_gains()
{
    uint radix = frequency_radix(), u = MIXED ? column % columns_of_gains() : column;
    uint first = u / BLOCK * rows * BLOCK + u % BLOCK;
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++)
        [[unroll]] for (uint k = 0u; k < radix; k++)
            if (has_butterfly(radix, b))
                gains[b * radix + k] = filters[first + element_at(radix, b, k) * BLOCK];
}

// Multiplies the elements by the gains of a filter.
void multiply(uint number)
{
    uint radix = frequency_radix();
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++)
        [[unroll]] for (uint k = 0u; k < radix; k++) {
            uint v = element_at(radix, b, k);
#if LONG
            ELEMENT value = x[b * radix + k];
#else
            ELEMENT value = BANK ? kept[BANK ? b * radix + k : 0u] : x[b * radix + k];
#endif
            if (GAINS_EARLY)
                value *= gains[b * radix + k];
            else if (is_sample(radix, b, k)) {
                vec2 h = gain(number, column, PLACE(v));
#if PLANES == 2
                vec2 next = TWO_COLUMNS ? gain(number, column + 1u, PLACE(v)) : h;
                value = REAL ? value * vec4(h.xx, next.xx)
                             : vec4(product(value.xy, h), product(value.zw, next));
#else
                value = REAL ? value * h.x : times(value, h);
#endif
            }
            x[b * radix + k] = value;
        }
}

// Gains of the real and the imaginary part of an even column. A column of a single channel holds C(u) and
// C(columns − u).
vec2 even_gains(uint number, uint column, uint v)
{
    uint u = MIXED ? column % columns : column;
    float near = gain(number, u, v).x;
    if (SINGLE || (MIXED && column >= channels / 2u * columns))
        return vec2(near, gain(number, u == 0u ? 0u : columns - u, v).x);
    return vec2(near);
}

// Multiplies by the gains of a filter between taking the cosine coefficients of folded columns and going back. The
// products of an odd part belong to the opposite frequencies, with the other sign.
void multiply_even(uint number)
{
    uint radix = frequency_radix();
    bool odd = ODD && number % 2u == 1u;
    if (BANK)
        [[unroll]] for (uint i = 0u; i < REGISTERS; i++)
            x[i] = kept[BANK ? i : 0u];
    [[unroll]] for (uint plane = 0u; plane < PLANES; plane++) {
        uint of = min(column + (TWO_COLUMNS ? plane : 0u), COLUMNS - 1u);
        take_cosines(plane);
        [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++)
            [[unroll]] for (uint k = 0u; k < radix; k++) {
                uint i = b * radix + k, v = element_at(radix, b, k);
                if (is_sample(radix, b, k)) {
                    vec2 near = plane_of(x[i], plane) * even_gains(number, of, v);
                    vec2 far = opposite[i] * even_gains(number, of, mirrored(v));
                    set_plane(i, plane, odd ? -folded_spectrum(far, near, v) : folded_spectrum(near, far, v));
                }
            }
    }
}

#if LONG
void load(uint first)
{
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(space_radix()); b++)
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            ELEMENT sum = ELEMENT(0);
            if (column < COLUMNS)
                for (uint y = element_at(space_radix(), b, k); y < PARTS * N; y += N)
                    sum += times(from_grid(grid[first + grid_place(column, y)]), root_at(y));
            x[b * space_radix() + k] = sum;
        }
}

// Filters all parts of the column.
void filter_parts(uint first, uint number)
{
    for (part = 0u; part < PARTS; part++) {
        load(first);
        forward();
        multiply(number);
        inverse();
        add_part();
    }
    load_sums();
}
#else
// Loads a column whose rows of the border are those of the picture that they repeat.
void gather(uint first)
{
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(space_radix()); b++)
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            ELEMENT value = ELEMENT(0);
            if (is_sample(space_radix(), b, k)) {
                uint row = uint(maps[map_y + element_at(space_radix(), b, k)]);
                value = from_grid(grid[first + grid_place(column, row)]);
            }
            x[b * space_radix() + k] = value;
        }
}

// The last block may reach beyond the grid; those columns stay undefined and are not stored.
void load(uint first)
{
    if (column >= COLUMNS)
        return;
    if (GATHER) {
        gather(first);
        return;
    }
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(space_radix()); b++) {
        uint y = element_at(space_radix(), b, 0u), place = grid_place(column, y);
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            uint at = first + rows_on(place, column, y, k * (N / space_radix()));
            x[b * space_radix() + k] = is_sample(space_radix(), b, k) ? from_grid(grid[at]) : ELEMENT(0);
        }
    }
}
#endif

// Stores the rows that hold results.
void store(uint first)
{
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(space_radix()); b++) {
        uint y = SAMPLE_AT(element_at(space_radix(), b, 0u)), place = grid_place(column, y);
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            uint on = k * (N / space_radix());
            bool there = column < COLUMNS && is_sample(space_radix(), b, k);
            if (there && (INTERIOR || y + on - before_y < step_y))
                back[first + rows_on(place, column, y, on)] = to_grid(x[b * space_radix() + k]);
        }
    }
}

void main()
{
    lane = gl_LocalInvocationID.x % LANES;
    thread = gl_LocalInvocationID.x / LANES;
    column = gl_WorkGroupID.x * BLOCK + lane * SPAN;
    uint first = gl_WorkGroupID.z * tile_stride + GROUP * group_stride;
#if LONG
    output_part = gl_WorkGroupID.y % PARTS;
    for (uint f = 0u; f < filter_count; f++) {
        filter_parts(first, filter_first + f);
        store(first + f * back_stride);
    }
#else
    load(first);
    forward();
    if (BANK)
        [[unroll]] for (uint i = 0u; i < KEPT; i++)
            kept[i] = x[i];
    uint f = 0u;
    do {
        if (EVEN)
            multiply_even(filter_first + f);
        else
            multiply(filter_first + f);
        inverse();
        store(first + f * back_stride);
    } while (BANK && ++f < filter_count);
#endif
}
