// Transforms that shared memory has no room for (LONG): PARTS · N samples by PARTS transforms of N points.
//
//     F(p + PARTS · q) = Σ_j W_N^(jq) Σ_i f(j + iN) W^(p (j + iN)),   W = W_(PARTS · N),   j < N, i < PARTS
//     f(n) = Σ_p W^(−pn) · (part p, transformed back)(n mod N)
//
// Part p is the transform of N sums, each of PARTS samples; spectra lie part behind part. One workgroup makes one part of
// a spectrum, or N of the samples that come back, for which it transforms every part.
#if LONG
uint part;        // of the spectrum
uint output_part; // of the samples that come back

#define GROUP (gl_WorkGroupID.y / PARTS)
#define PLACED(u) (part * N + (u))
#define COMING_BACK(n) ((n) < N ? (n) + output_part * N : 0xffffffffu)

ELEMENT sums[REGISTERS];

// W^(part · n)
vec2 turn_of(uint n)
{
    return tables[table + N + part * n % (PARTS * N)];
}

// Adds the part that has been transformed back to the samples that come back.
void add_part()
{
    [[unroll]] for (uint b = 0u; b < turns(space_radix()); b++)
        [[unroll]] for (uint k = 0u; k < space_radix(); k++) {
            uint n = element_at(space_radix(), b, k), i = b * space_radix() + k;
            vec2 turn = turn_of(n + output_part * N);
            sums[i] = (part == 0u ? ELEMENT(0) : sums[i]) + times(x[i], vec2(turn.x, -turn.y));
        }
}

void take_sums()
{
    [[unroll]] for (uint i = 0u; i < REGISTERS; i++)
        x[i] = sums[i];
}
#else
#define GROUP gl_WorkGroupID.y
#define PLACED(u) (u)
#define COMING_BACK(n) (n)
#endif
