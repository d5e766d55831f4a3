// Opposite frequencies, and even transforms (docs/maths.md).
//
// The rows and columns of even transforms are folded: even samples first, then the odd ones in reverse. With V the
// transform of N folded samples and h = ½ e^(−jπu/2N), the cosine coefficients of the reflected samples are
//
//     C(u) = h V(u) + h* V(N − u),    C(N − u) = j (h V(u) − h* V(N − u)),    ½ V(u) = h* (C(u) − j C(N − u)).
//
// H makes up for the ½. A column of the grid that belongs to one channel holds C(u) as its real part and C(N − u)
// as its imaginary part.

// V(−u) or C(N − u) of each element u in one plane, which another register or thread holds.
vec2 opposite[REGISTERS];

vec2 plane_of(ELEMENT value, uint plane)
{
    return vec2(value[2u * plane], value[2u * plane + 1u]);
}

void set_plane(uint i, uint plane, vec2 value)
{
    x[i][2u * plane] = value.x;
    x[i][2u * plane + 1u] = value.y;
}

// Frequency −u.
uint mirrored(uint u)
{
    return u == 0u ? 0u : LENGTH - u;
}

// Sets `opposite` to the elements −u of a plane where `wanted`; all threads call it.
void find_opposite(uint plane, bool wanted)
{
    uint radix = frequency_radix();
    [[unroll]] for (uint scalar = 0u; scalar < 2u; scalar++) {
        barrier();
        [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++)
            [[unroll]] for (uint k = 0u; k < radix; k++) {
                uint u = element_at(radix, b, k);
                if (wanted && u < LENGTH)
                    shared_words[word(u)] = floatBitsToUint(x[b * radix + k][2u * plane + scalar]);
            }
        barrier();
        [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++)
            [[unroll]] for (uint k = 0u; k < radix; k++) {
                uint u = element_at(radix, b, k);
                if (wanted && u < LENGTH)
                    opposite[b * radix + k][scalar] = uintBitsToFloat(shared_words[word(mirrored(u))]);
            }
    }
}

// ½ e^(−jπu/2N)
vec2 quarter_root(uint u)
{
    return tables[table + (BLUESTEIN == 1 ? 2u * N + LENGTH : N) + u];
}

// Replaces V(u) of a plane by C(u), and sets `opposite` to C(N − u).
void take_cosines(uint plane)
{
    uint radix = frequency_radix();
    find_opposite(plane, true);
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++)
        [[unroll]] for (uint k = 0u; k < radix; k++) {
            uint i = b * radix + k, u = element_at(radix, b, k);
            if (is_sample(radix, b, k)) {
                vec2 root = quarter_root(u);
                vec2 a = product(plane_of(x[i], plane), root);
                vec2 c = product(opposite[i], vec2(root.x, -root.y));
                set_plane(i, plane, a + c);
                opposite[i] = vec2(c.y - a.y, a.x - c.x);
            }
        }
}

// ½ V(u) of C(u) and C(N − u).
vec2 folded_spectrum(vec2 near, vec2 far, uint u)
{
    vec2 root = quarter_root(u);
    return product(near + vec2(far.y, -far.x), vec2(root.x, -root.y));
}

// Sample of the picture that is folded sample n of `count`; too large for n ≥ count.
uint unfolded(uint n, uint count)
{
    return 2u * n < count ? 2u * n : 2u * (count - n) - 1u;
}
