// Transforms that do not fit shared memory (LONG): PARTS · N samples by PARTS transforms of N points.
//
//     F(p + PARTS · q) = Σ_j W_N^(jq) Σ_i f(j + iN) W^(p (j + iN)),   W = W_(PARTS · N),   j < N, i < PARTS
//     f(n) = Σ_p W^(−pn) · (inverse transform of part p)(n mod N)
//
// Part p is the transform of N sums of PARTS samples each; a spectrum stores one part behind the
// other. A workgroup computes one part of a spectrum, or N samples of the inverse transform, for which
// it transforms every part.
#if LONG
uint part;        // part of the spectrum
uint output_part; // N samples of the inverse transform

#define GROUP (gl_WorkGroupID.y / PARTS)

// Place of frequency u of the current part in the spectrum; sample of point n of the
// output part, or none beyond N.
#define PLACE(u) (part * N + (u))
#define SAMPLE_AT(n) ((n) < N ? (n) + output_part * N : 0xffffffffu)

ELEMENT sums[REGISTERS];

// W^(part · n)
vec2 root_at(uint n)
{
    return tables[table + N + part * n % (PARTS * N)];
}

// Adds the inverse transform of the current part to the sums.
void add_part()
{
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(space_radix()); b++)
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            uint n = element_at(space_radix(), b, k), i = b * space_radix() + k;
            vec2 turn = root_at(n + output_part * N);
            sums[i] = (part == 0u ? ELEMENT(0) : sums[i]) + times(x[i], vec2(turn.x, -turn.y));
        }
}

// Replaces the elements by the sums of all parts.
void load_sums()
{
    [[unroll]] for (uint i = 0u; i < REGISTERS; i++)
        x[i] = sums[i];
}
#else
#define GROUP gl_WorkGroupID.y
#define PLACE(u) (u)
#define SAMPLE_AT(n) (n)
#endif
