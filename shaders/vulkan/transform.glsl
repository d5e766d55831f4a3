// A Fourier transform of N points by T threads, with elements in registers and natural
// order at both ends (Stockham).
//
// A stage of radix r takes elements j + k · N/r (k = 0 … r − 1) for every butterfly j < N/r, of which thread
// t has j = t, t + T, …; register b · r + k holds element k of the thread's butterfly b. The first stage
// reads and the last stage leaves elements in that order, so that H is multiplied and the inverse transform
// started in registers. Between two stages the scalars of the elements go through shared memory one after the
// other, which takes N words; in short transforms they go together.
//
// The includer defines
//     uint word(uint p)      word of place p of this transform; the word of p + 1 is SIDE_BY_SIDE further
//     SIDE_BY_SIDE           number of transforms whose words are neighbours
//     EARLY                  whether twiddles are fetched before an exchange, which takes registers meanwhile
//     BEFORE_LAST_EXCHANGE   statement executed before the last exchange of the forward transform
// and sets `thread`.

shared uint shared_words[TOGETHER * SHARED];
ELEMENT x[REGISTERS];
vec2 roots[REGISTERS]; // first power of the twiddles of each butterfly of a stage
uint thread;           // number of the thread in this transform

uint word(uint p);

// FEW shaders have neither the later stages nor the radices above 8 in their code: drivers that inline everything
// before they find out what is dead compile them in half the time.
uint radix_at(uint stage)
{
#if FEW
    return stage == 0u ? R0 : stage == 1u ? R1 : stage == 2u ? R2 : R3;
#else
    return stage == 0u   ? R0
           : stage == 1u ? R1
           : stage == 2u ? R2
           : stage == 3u ? R3
           : stage == 4u ? R4
           : stage == 5u ? R5
           : stage == 6u ? R6
                         : R7;
#endif
}

const uint LAST_RADIX = STAGES < 2u    ? R0
                        : STAGES == 2u ? R1
                        : STAGES == 3u ? R2
                        : STAGES == 4u ? R3
                        : STAGES == 5u ? R4
                        : STAGES == 6u ? R5
                        : STAGES == 7u ? R6
                                       : R7;

// Radix of the order that elements have in space, and in frequency.
uint space_radix()
{
    return R0;
}

uint frequency_radix()
{
    return BLUESTEIN == 1 ? R0 : LAST_RADIX;
}

// Butterflies of one thread in a stage.
uint butterflies_per_thread(uint radix)
{
    return (N / radix + T - 1u) / T;
}

// Whether the thread has a butterfly b. The compiler knows where all threads have one.
bool has_butterfly(uint radix, uint b)
{
    return (b + 1u) * T <= N / radix || thread + b * T < N / radix;
}

// Element that register k of the thread's butterfly b holds; N or more if there is none.
uint element_at(uint radix, uint b, uint k)
{
    return has_butterfly(radix, b) ? thread + b * T + k * (N / radix) : N;
}

// Whether that element is a sample of the picture or of its spectrum.
bool is_sample(uint radix, uint b, uint k)
{
    return LENGTH == N ? has_butterfly(radix, b) : element_at(radix, b, k) < LENGTH;
}

// ---- Arithmetic on elements ----

#if PLANES == 2
ELEMENT times_minus_i(ELEMENT a) // a · (−i)
{
    return ELEMENT(a.y, -a.x, a.w, -a.z);
}

ELEMENT swapped(ELEMENT a) // real and imaginary parts exchanged
{
    return a.yxwz;
}
#else
ELEMENT times_minus_i(ELEMENT a)
{
    return ELEMENT(a.y, -a.x);
}

ELEMENT swapped(ELEMENT a)
{
    return a.yx;
}
#endif

ELEMENT times(ELEMENT a, vec2 w) // a · w: w.x · a + w.y · (i · a)
{
    return a * w.x - times_minus_i(a) * w.y;
}

vec2 product(vec2 a, vec2 b)
{
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// ---- Butterflies on registers o, o + 1, … or o, o + s, … ----

void butterfly2(uint o)
{
    ELEMENT a = x[o];
    x[o] = a + x[o + 1u];
    x[o + 1u] = a - x[o + 1u];
}

void butterfly3(uint o)
{
    ELEMENT sum = x[o + 1u] + x[o + 2u];
    ELEMENT side = times_minus_i(x[o + 1u] - x[o + 2u]) * 0.866025403784438647; // sin 60°
    ELEMENT middle = x[o] - 0.5 * sum;
    x[o] += sum;
    x[o + 1u] = middle + side;
    x[o + 2u] = middle - side;
}

void butterfly4(uint o, uint s)
{
    ELEMENT a = x[o] + x[o + 2u * s], b = x[o] - x[o + 2u * s];
    ELEMENT c = x[o + s] + x[o + 3u * s], d = times_minus_i(x[o + s] - x[o + 3u * s]);
    x[o] = a + c;
    x[o + s] = b + d;
    x[o + 2u * s] = a - c;
    x[o + 3u * s] = b - d;
}

void butterfly5(uint o)
{
    const float C1 = 0.309016994374947424, C2 = -0.809016994374947424; // cos 72°, cos 144°
    const float S1 = 0.951056516295153572, S2 = 0.587785252292473129;
    ELEMENT a = x[o], p1 = x[o + 1u] + x[o + 4u], p2 = x[o + 2u] + x[o + 3u];
    ELEMENT m1 = times_minus_i(x[o + 1u] - x[o + 4u]), m2 = times_minus_i(x[o + 2u] - x[o + 3u]);
    ELEMENT r1 = a + C1 * p1 + C2 * p2, r2 = a + C2 * p1 + C1 * p2;
    ELEMENT i1 = S1 * m1 + S2 * m2, i2 = S2 * m1 - S1 * m2;
    x[o] = a + p1 + p2;
    x[o + 1u] = r1 + i1;
    x[o + 4u] = r1 - i1;
    x[o + 2u] = r2 + i2;
    x[o + 3u] = r2 - i2;
}

void butterfly7(uint o)
{
    const float C1 = 0.623489801858733531, C2 = -0.222520933956314404, C3 = -0.900968867902419126;
    const float S1 = 0.781831482468029809, S2 = 0.974927912181823607, S3 = 0.433883739117558120;
    ELEMENT a = x[o], p1 = x[o + 1u] + x[o + 6u], p2 = x[o + 2u] + x[o + 5u], p3 = x[o + 3u] + x[o + 4u];
    ELEMENT m1 = times_minus_i(x[o + 1u] - x[o + 6u]), m2 = times_minus_i(x[o + 2u] - x[o + 5u]);
    ELEMENT m3 = times_minus_i(x[o + 3u] - x[o + 4u]);
    ELEMENT r1 = a + C1 * p1 + C2 * p2 + C3 * p3, i1 = S1 * m1 + S2 * m2 + S3 * m3;
    ELEMENT r2 = a + C2 * p1 + C3 * p2 + C1 * p3, i2 = S2 * m1 - S3 * m2 - S1 * m3;
    ELEMENT r3 = a + C3 * p1 + C1 * p2 + C2 * p3, i3 = S3 * m1 - S1 * m2 + S2 * m3;
    x[o] = a + p1 + p2 + p3;
    x[o + 1u] = r1 + i1;
    x[o + 6u] = r1 - i1;
    x[o + 2u] = r2 + i2;
    x[o + 5u] = r2 - i2;
    x[o + 3u] = r3 + i3;
    x[o + 4u] = r3 - i3;
}

void butterfly8(uint o)
{
    const float H = 0.707106781186547524;
    ELEMENT a0 = x[o] + x[o + 4u], b0 = x[o] - x[o + 4u];
    ELEMENT a1 = x[o + 1u] + x[o + 5u], b1 = x[o + 1u] - x[o + 5u];
    ELEMENT a2 = x[o + 2u] + x[o + 6u], b2 = times_minus_i(x[o + 2u] - x[o + 6u]);
    ELEMENT a3 = x[o + 3u] + x[o + 7u], b3 = x[o + 3u] - x[o + 7u];
    ELEMENT c1 = H * (b1 + times_minus_i(b1)), c3 = H * (times_minus_i(b3) - b3); // times W_8 and W_8³
    ELEMENT e = a0 + a2, f = a0 - a2, g = a1 + a3, h = times_minus_i(a1 - a3);
    ELEMENT p = b0 + b2, q = b0 - b2, r = c1 + c3, s = times_minus_i(c1 - c3);
    x[o] = e + g;
    x[o + 4u] = e - g;
    x[o + 2u] = f + h;
    x[o + 6u] = f - h;
    x[o + 1u] = p + r;
    x[o + 5u] = p - r;
    x[o + 3u] = q + s;
    x[o + 7u] = q - s;
}

// An odd radix by definition: the sums and differences of elements k and radix − k, with the cosines and sines of
// multiples of 360° / radix.
void butterfly_odd(uint o, uint radix)
{
    const float C11[6] = float[](1.0, 0.841253532831181169, 0.415415013001886425, -0.142314838273285141,
                                 -0.654860733945285064, -0.959492973614497390);
    const float S11[6] = float[](0.0, 0.540640817455597582, 0.909631995354518371, 0.989821441880932732,
                                 0.755749574354258284, 0.281732556841429697);
    const float C13[7] = float[](1.0, 0.885456025653209895, 0.568064746731155773, 0.120536680255323011,
                                 -0.354604887042535608, -0.748510748171101099, -0.970941817426052028);
    const float S13[7] = float[](0.0, 0.464723172043768540, 0.822983865893656417, 0.992708874098054041,
                                 0.935016242685414799, 0.663122658240795325, 0.239315664287557682);
    const uint half_radix = radix / 2u;
    ELEMENT first = x[o], sums[6], sides[6];
    [[unroll]] for (uint j = 1u; j <= half_radix; j++) {
        sums[j - 1u] = x[o + j] + x[o + radix - j];
        sides[j - 1u] = times_minus_i(x[o + j] - x[o + radix - j]);
        x[o] += sums[j - 1u];
    }
    [[unroll]] for (uint k = 1u; k <= half_radix; k++) {
        ELEMENT middle = first, side = ELEMENT(0);
        [[unroll]] for (uint j = 1u; j <= half_radix; j++) {
            uint turn = j * k % radix, near = min(turn, radix - turn);
            middle += (radix == 11u ? C11[near % 6u] : C13[near % 7u]) * sums[j - 1u];
            side += (turn == near ? 1.0 : -1.0) * (radix == 11u ? S11[near % 6u] : S13[near % 7u]) *
                    sides[j - 1u];
        }
        x[o + k] = middle + side;
        x[o + radix - k] = middle - side;
    }
}

// Four by four: columns, twiddles W_16^(b c), rows, then a transposition.
void butterfly16(uint o)
{
    const float C = 0.923879532511286756, S = 0.382683432365089772; // cos, sin 22.5°
    const float H = 0.707106781186547524;
    const vec2 W[10] = vec2[](vec2(1, 0), vec2(C, -S), vec2(H, -H), vec2(S, -C), vec2(0, -1), vec2(-S, -C),
                              vec2(-H, -H), vec2(-C, -S), vec2(-1, 0), vec2(-C, S));
    [[unroll]] for (uint b = 0u; b < 4u; b++)
        butterfly4(o + b, 4u);
    [[unroll]] for (uint b = 1u; b < 4u; b++)
        [[unroll]] for (uint c = 1u; c < 4u; c++)
            x[o + 4u * c + b] = times(x[o + 4u * c + b], W[b * c]);
    [[unroll]] for (uint c = 0u; c < 4u; c++)
        butterfly4(o + 4u * c, 1u);
    [[unroll]] for (uint c = 0u; c < 4u; c++)
        [[unroll]] for (uint d = c + 1u; d < 4u; d++) {
            ELEMENT above = x[o + 4u * c + d];
            x[o + 4u * c + d] = x[o + 4u * d + c];
            x[o + 4u * d + c] = above;
        }
}

// Fetches W_(span · radix)^(j mod span) of each butterfly j.
void fetch_roots(uint radix, uint span)
{
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++)
        roots[b] = tables[table + (thread + b * T) % span * (N / (span * radix))];
}

// Multiplies element k of butterfly b by the k-th power of its root. Powers are computed in fours, from the
// first three and the last multiple of four, so that few of them are live at a time.
void twist(uint radix, uint b)
{
    vec2 one = roots[b], two = product(one, one), three = product(one, two), four = product(two, two);
    vec2 last = four;
    uint o = b * radix;
    [[unroll]] for (uint k = 1u; k < min(radix, 4u); k++)
        x[o + k] = times(x[o + k], k == 1u ? one : k == 2u ? two : three);
    [[unroll]] for (uint k = 4u; k < radix; k++) {
        if (k % 4u == 0u && k > 4u)
            last = product(last, four);
        vec2 power = last;
        if (k % 4u != 0u)
            power = product(last, k % 4u == 1u ? one : k % 4u == 2u ? two : three);
        x[o + k] = times(x[o + k], power);
    }
}

void butterflies(uint radix, uint span)
{
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++) {
        uint o = b * radix;
        if (span > 1u)
            twist(radix, b);
        switch (radix) {
        case 2u: butterfly2(o); break;
        case 3u: butterfly3(o); break;
        case 4u: butterfly4(o, 1u); break;
        case 5u: butterfly5(o); break;
        case 7u: butterfly7(o); break;
        case 8u: butterfly8(o); break;
#if !FEW
        case 16u: butterfly16(o); break;
#endif
#if !FEW && !BLUESTEIN
        default: butterfly_odd(o, radix); break; // 11, 13
#endif
        }
    }
}

// ---- Exchanges ----
//
// A stage of `radix` writes element k of its butterfly j to place
//
//     j / span · (span · radix) + j mod span + k · span
//
// and the next stage reads its elements from there in order. Neighbouring threads write sequences of `span`
// places, span · radix apart. If `radix` is even, `gap` places are skipped after every `every` places, so that
// the sequences lie in different banks. `every` divides the distance of two elements of a butterfly, or is a
// multiple of span · radix, so that element k is equally far from element 0 for all threads.

// Places whose words lie in different banks.
const uint FREE_PLACES = BANKS / (SIDE_BY_SIDE * TOGETHER);

// The distance of gaps, and their length, in the exchange after a stage.
uint every_after(uint radix, uint span, uint next)
{
    uint stride = span * radix, places = max(FREE_PLACES, 1u);
    return places % stride == 0u && N / next % places == 0u ? places : stride;
}

uint gap_after(uint radix, uint span)
{
    return PADDED == 1u && span < FREE_PLACES && radix % 2u == 0u ? span : 0u;
}

// Place to which butterfly j writes its element 0.
uint written_at(uint j, uint radix, uint span, uint every, uint gap)
{
    uint first = j / span * (span * radix) + j % span;
    return first + first / every * gap;
}

// Moves elements from the order that a stage leaves to the order that the next one reads,
// TOGETHER scalars at a time.
void exchange(uint radix, uint span, uint next, uint every, uint gap)
{
    [[unroll]] for (uint scalar = 0u; scalar < CHANNELS; scalar += TOGETHER) {
        barrier();
        [[unroll]] for (uint b = 0u; b < butterflies_per_thread(radix); b++) {
            uint to = word(written_at(thread + b * T, radix, span, every, gap));
            if (has_butterfly(radix, b))
                [[unroll]] for (uint k = 0u; k < radix; k++)
                    [[unroll]] for (uint p = 0u; p < TOGETHER; p++)
                        shared_words[(to + k * span * SIDE_BY_SIDE) * TOGETHER + p] =
                            floatBitsToUint(x[b * radix + k][scalar + p]);
        }
        barrier();
        [[unroll]] for (uint b = 0u; b < butterflies_per_thread(next); b++) {
            uint j = thread + b * T, from = word(j + j / every * gap);
            uint on = (N / next + N / next / every * gap) * SIDE_BY_SIDE;
            if (has_butterfly(next, b))
                [[unroll]] for (uint k = 0u; k < next; k++)
                    [[unroll]] for (uint p = 0u; p < TOGETHER; p++)
                        x[b * next + k][scalar + p] =
                            uintBitsToFloat(shared_words[(from + k * on) * TOGETHER + p]);
        }
    }
}

// ---- Transforms ----

#define STAGE(i)                                                                                \
    if (STAGES > i) {                                                                           \
        uint radix = radix_at(reversed ? STAGES - 1u - i : i);                                  \
        if (i > 0u && !EARLY)                                                                   \
            fetch_roots(radix, span);                                                           \
        butterflies(radix, span);                                                               \
        if (STAGES > i + 1u) {                                                                  \
            uint next = radix_at(reversed ? STAGES - 2u - i : i + 1u);                          \
            if (EARLY)                                                                          \
                fetch_roots(next, span * radix);                                                \
            if (STAGES == i + 2u && !reversed)                                                  \
                BEFORE_LAST_EXCHANGE;                                                           \
            exchange(radix, span, next, every_after(radix, span, next), gap_after(radix, span)); \
        }                                                                                       \
        span *= radix;                                                                          \
    }

// Σ x_n W_N^(kn), with the radices in order or reversed.
void stages(bool reversed)
{
    uint span = 1u;
    STAGE(0u)
    STAGE(1u)
    STAGE(2u)
    STAGE(3u)
#if !FEW
    STAGE(4u)
    STAGE(5u)
    STAGE(6u)
    STAGE(7u)
#endif
}

void swap_all()
{
    [[unroll]] for (uint i = 0u; i < REGISTERS; i++)
        x[i] = swapped(x[i]);
}

#if BLUESTEIN
// Multiplies by the chirp e^(−iπn²/LENGTH); elements beyond LENGTH become 0.
void multiply_chirp()
{
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(R0); b++)
        [[unroll]] for (uint k = 0u; k < R0; k++) {
            uint n = element_at(R0, b, k);
            x[b * R0 + k] = n < LENGTH ? times(x[b * R0 + k], tables[table + N + n]) : ELEMENT(0);
        }
}

// Bluestein's algorithm: a transform of any length is a convolution with a chirp, by
// transforms of N ≥ 2 · LENGTH − 1.
void bluestein()
{
    uint last = LAST_RADIX;
    multiply_chirp();
    stages(false);
    [[unroll]] for (uint b = 0u; b < butterflies_per_thread(last); b++)
        [[unroll]] for (uint k = 0u; k < last; k++) {
            uint p = min(element_at(last, b, k), N - 1u);
            x[b * last + k] = times(x[b * last + k], tables[table + N + LENGTH + p]);
        }
    swap_all();
    stages(true);
    swap_all();
    multiply_chirp();
}
#endif

// From the order of space_radix() to that of frequency_radix().
void forward()
{
#if BLUESTEIN
    bluestein();
#else
    stages(false);
#endif
}

// The inverse transform, unscaled: with real and imaginary parts swapped, forward is inverse.
void inverse()
{
    swap_all();
#if BLUESTEIN
    bluestein();
#else
    stages(true);
#endif
    swap_all();
}
