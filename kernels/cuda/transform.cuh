// A Fourier transform of POINTS points by THREADS threads, with the points in registers and exchanges through
// shared memory in place.
//
// The radices r_0 … r_(S−1) divide the points into ever smaller blocks: M_0 = POINTS, Q_s = M_s / r_s,
// M_(s+1) = Q_s. Stage s of the forward transform has POINTS / r_s butterflies. Butterfly j belongs to block
// κ = j / Q_s and takes the positions κ M_s + j mod Q_s + k Q_s, k < r_s, to which it also writes its
// results:
//
//     y_k = Σ_i w^i x_i e^(−2πi ik/r_s),    w = e^(−2πi f(κ) / (r_0 … r_s))
//
// where f(κ) is the frequency whose digits block κ has: the points of block κ are a polynomial modulo x^(M_s)
// − e^(−2πi f(κ) / (r_0 … r_(s−1))), and a butterfly reduces it modulo the r_s factors of that. At the end
// position p holds the frequency with the digits of p in reverse. The inverse transform undoes the stages
// from the last to the first, the usual decimation in time with w = e^(2πi q / M_s), q = j mod Q_s. In both
// directions the twiddles are powers of one number that come before the butterfly, so that a power of two
// needs six multiply-adds for each butterfly of radix 2.
//
// Register b · r_s + k holds element k of the thread's butterfly b. In the first stage that butterfly is
// t + b · T for thread t of T. In a REGULAR transform every radix divides REGISTERS, and REGISTERS the product of
// the first two: later stages give a thread neighbouring blocks, so that from stage 1 on only groups of Q_1 threads
// exchange points. Others go on as in the first stage, and some threads may have fewer butterflies.
//
// A thread writes the positions that it has read, so one barrier is enough for an exchange.
#ifndef ABBE_KERNELS_CUDA_TRANSFORM_CUH
#define ABBE_KERNELS_CUDA_TRANSFORM_CUH

#include "butterflies.cuh"

// One thread's part in a transform.
struct lane {
    int t;       // number of the thread in the transform
    int side;    // unit beside others of the same place
    char *words; // shared memory of the transform
    const float *table;
};

ABCU_INLINE int radix_at(int stage)
{
    return stage == 0   ? ABCU_RADIX0
           : stage == 1 ? ABCU_RADIX1
           : stage == 2 ? ABCU_RADIX2
           : stage == 3 ? ABCU_RADIX3
           : stage == 4 ? ABCU_RADIX4
           : stage == 5 ? ABCU_RADIX5
           : stage == 6 ? ABCU_RADIX6
                        : ABCU_RADIX7;
}

// Points of a block behind `stage`: Q_s.
ABCU_INLINE int block_behind(int stage)
{
    int points = ABCU_POINTS / ABCU_RADIX0;
    points /= stage > 0 ? ABCU_RADIX1 : 1;
    points /= stage > 1 ? ABCU_RADIX2 : 1;
    points /= stage > 2 ? ABCU_RADIX3 : 1;
    points /= stage > 3 ? ABCU_RADIX4 : 1;
    points /= stage > 4 ? ABCU_RADIX5 : 1;
    points /= stage > 5 ? ABCU_RADIX6 : 1;
    points /= stage > 6 ? ABCU_RADIX7 : 1;
    return points;
}

ABCU_INLINE bool is_bluestein()
{
    return ABCU_LENGTH < ABCU_POINTS;
}

ABCU_INLINE int last_stage()
{
    return ABCU_STAGES - 1;
}

// Stages whose order samples and frequencies have in registers.
ABCU_INLINE int frequency_stage()
{
    return is_bluestein() ? 0 : last_stage();
}

// Butterflies of one thread in a stage of that radix.
ABCU_INLINE int butterflies_of(int radix)
{
    return (ABCU_POINTS / radix + ABCU_THREADS - 1) / ABCU_THREADS;
}

// Whether the thread has a butterfly b. The compiler knows where all threads have one.
ABCU_INLINE bool has_butterfly(int t, int radix, int b)
{
    return (b + 1) * ABCU_THREADS <= ABCU_POINTS / radix || t + b * ABCU_THREADS < ABCU_POINTS / radix;
}

// The thread's butterfly b of a stage.
ABCU_INLINE int butterfly_at(int t, int stage, int b)
{
    int block = block_behind(stage);
    if (ABCU_REGULAR && stage > 0)
        return (t / block * butterflies_of(radix_at(stage)) + b) * block + t % block;
    return t + b * ABCU_THREADS;
}

// Number of element k of butterfly b among samples (stage 0) or places of the spectrum (last stage):
// neighbouring threads have neighbouring elements.
ABCU_INLINE int element_at(int t, int radix, int b, int k)
{
    return t + b * ABCU_THREADS + k * (ABCU_POINTS / radix);
}

// Whether register b · radix + k holds a sample, or a frequency.
ABCU_INLINE bool is_element(int t, int radix, int b, int k)
{
    if (is_bluestein())
        return has_butterfly(t, radix, b) && element_at(t, radix, b, k) < ABCU_LENGTH;
    return has_butterfly(t, radix, b);
}

// ---- Exchanges ----

ABCU_INLINE int padded(int position)
{
    return ABCU_PAD ? position + position / max(ABCU_PAD, 1) : position;
}

// Bytes of what an exchange moves at once.
ABCU_INLINE int word_bytes()
{
    return ABCU_HELD * 8 / (ABCU_SPLIT ? 2 : 1);
}

// Word of a position of this thread's unit.
ABCU_INLINE char *word_at(const lane &me, int position)
{
    return me.words + (padded(position) * ABCU_SIDE + me.side) * word_bytes();
}

// Moves a register to a word, or half of it: `part` is the plane, or the component of the only plane.
ABCU_INLINE void put_word(char *word, const float2 *x, int part)
{
    if (ABCU_HELD == 2 && !ABCU_SPLIT)
        *(float4 *)word = make_float4(x[0].x, x[0].y, x[ABCU_HELD - 1].x, x[ABCU_HELD - 1].y);
    else if (ABCU_HELD == 2)
        *(float2 *)word = x[part];
    else if (!ABCU_SPLIT)
        *(float2 *)word = x[0];
    else
        *(float *)word = part ? x[0].y : x[0].x;
}

ABCU_INLINE void get_word(const char *word, float2 *x, int part)
{
    if (ABCU_HELD == 2 && !ABCU_SPLIT) {
        float4 both = *(const float4 *)word;
        x[0] = make_float2(both.x, both.y);
        x[ABCU_HELD - 1] = make_float2(both.z, both.w);
    } else if (ABCU_HELD == 2)
        x[part] = *(const float2 *)word;
    else if (!ABCU_SPLIT)
        x[0] = *(const float2 *)word;
    else if (part)
        x[0].y = *(const float *)word;
    else
        x[0].x = *(const float *)word;
}

// Positions of a butterfly are a distance apart that is the same for all, gaps included: transform.c sees to
// it.
ABCU_INLINE void put_stage(const lane &me, const float2 *x, int stage, int part)
{
    const int radix = radix_at(stage), block = block_behind(stage), all = butterflies_of(radix);
#pragma unroll
    for (int b = 0; b < all; b++) {
        int j = butterfly_at(me.t, stage, b);
        char *word = word_at(me, j / block * (block * radix) + j % block);
        if (has_butterfly(me.t, radix, b))
#pragma unroll
            for (int k = 0; k < radix; k++)
                put_word(word + padded(k * block) * ABCU_SIDE * word_bytes(), &x[(b * radix + k) * ABCU_HELD],
                         part);
    }
}

ABCU_INLINE void get_stage(const lane &me, float2 *x, int stage, int part)
{
    const int radix = radix_at(stage), block = block_behind(stage), all = butterflies_of(radix);
#pragma unroll
    for (int b = 0; b < all; b++) {
        int j = butterfly_at(me.t, stage, b);
        char *word = word_at(me, j / block * (block * radix) + j % block);
        if (has_butterfly(me.t, radix, b))
#pragma unroll
            for (int k = 0; k < radix; k++)
                get_word(word + padded(k * block) * ABCU_SIDE * word_bytes(), &x[(b * radix + k) * ABCU_HELD],
                         part);
    }
}

// Waits for the threads that exchange points between stage `lower` and the next.
ABCU_INLINE void wait_for_group(int lower)
{
    int threads = block_behind(lower) * ABCU_SIDE;
    if (ABCU_REGULAR && lower > 0 && threads <= 32 && 32 % threads == 0)
        __syncwarp();
    else
        __syncthreads();
}

// Moves points from the registers' order in one stage to that in a stage beside it.
ABCU_INLINE void exchange(const lane &me, float2 *x, int from, int to)
{
    const int lower = min(from, to);
    put_stage(me, x, from, 0);
    wait_for_group(lower);
    get_stage(me, x, to, 0);
    if (ABCU_SPLIT) {
        wait_for_group(lower);
        put_stage(me, x, from, 1);
        wait_for_group(lower);
        get_stage(me, x, to, 1);
    }
}

// ---- Stages ----

// Twiddles of the inverse transform's stage, and of the forward transform's; four complex numbers each.
ABCU_INLINE int inverse_twiddles(int stage)
{
    return (stage > 0 ? block_behind(0) : 0) + (stage > 1 ? block_behind(1) : 0) +
           (stage > 2 ? block_behind(2) : 0) + (stage > 3 ? block_behind(3) : 0) +
           (stage > 4 ? block_behind(4) : 0) + (stage > 5 ? block_behind(5) : 0) +
           (stage > 6 ? block_behind(6) : 0);
}

ABCU_INLINE int blocks_before(int stage)
{
    return ABCU_POINTS / block_behind(stage - 1);
}

ABCU_INLINE int forward_twiddles(int stage)
{
    return inverse_twiddles(last_stage()) + (stage > 1 ? blocks_before(1) : 0) +
           (stage > 2 ? blocks_before(2) : 0) + (stage > 3 ? blocks_before(3) : 0) +
           (stage > 4 ? blocks_before(4) : 0) + (stage > 5 ? blocks_before(5) : 0) +
           (stage > 6 ? blocks_before(6) : 0) + (stage > 7 ? blocks_before(7) : 0);
}

// Where the table goes on behind the twiddles, in floats.
ABCU_INLINE int table_behind()
{
    return 8 * (inverse_twiddles(last_stage()) + (ABCU_STAGES > 1 ? blocks_before(1) : 0) +
                (ABCU_STAGES > 2 ? blocks_before(2) : 0) + (ABCU_STAGES > 3 ? blocks_before(3) : 0) +
                (ABCU_STAGES > 4 ? blocks_before(4) : 0) + (ABCU_STAGES > 5 ? blocks_before(5) : 0) +
                (ABCU_STAGES > 6 ? blocks_before(6) : 0) + (ABCU_STAGES > 7 ? blocks_before(7) : 0));
}

ABCU_INLINE void twisted(float2 *x, int n, const float *twiddles, bool inverse)
{
    float4 low = __ldg((const float4 *)twiddles), high = __ldg((const float4 *)twiddles + 1);
    float2 w = make_float2(low.x, inverse ? -low.y : low.y),
           w2 = make_float2(low.z, inverse ? -low.w : low.w);
    float2 w4 = make_float2(high.x, inverse ? -high.y : high.y),
           w8 = make_float2(high.z, inverse ? -high.w : high.w);
    if ((n & (n - 1)) == 0)
        twisted_power_of_2(x, n, w, w2, w4, w8, inverse);
    else
        twisted_other(x, n, w, w2, w4, inverse);
}

ABCU_INLINE void butterflies(const lane &me, float2 *x, int stage, bool inverse)
{
    const int radix = radix_at(stage), block = block_behind(stage), all = butterflies_of(radix);
    const bool has_twiddles = inverse ? stage < last_stage() : stage > 0;
#pragma unroll
    for (int b = 0; b < all; b++) {
        float2 *mine = &x[b * radix * ABCU_HELD];
        if (has_twiddles) {
            int j = butterfly_at(me.t, stage, b);
            if (!ABCU_REGULAR)
                j = min(j, ABCU_POINTS / radix - 1);
            int entry = inverse ? inverse_twiddles(stage) + j % block : forward_twiddles(stage) + j / block;
            twisted(mine, radix, me.table + 8 * entry, inverse);
        } else
#pragma unroll
            for (int v = 0; v < ABCU_HELD; v++) {
                float2 y[ABCU_RADIX_MAX];
#pragma unroll
                for (int k = 0; k < radix; k++)
                    y[k] = mine[k * ABCU_HELD + v];
                dft(y, radix, inverse);
#pragma unroll
                for (int k = 0; k < radix; k++)
                    mine[k * ABCU_HELD + v] = y[k];
            }
    }
}

#define ABCU_FORWARD_STAGE(i)         \
    if (ABCU_STAGES > i) {            \
        exchange(me, x, (i)-1, i);    \
        butterflies(me, x, i, false); \
    }

#define ABCU_INVERSE_STAGE(i)        \
    if (ABCU_STAGES > (i) + 1) {     \
        exchange(me, x, (i) + 1, i); \
        butterflies(me, x, i, true); \
    }

// The stages of the forward transform behind the first.
ABCU_INLINE void later_stages(const lane &me, float2 *x){ ABCU_FORWARD_STAGE(1) ABCU_FORWARD_STAGE(2)
                                                              ABCU_FORWARD_STAGE(3) ABCU_FORWARD_STAGE(4)
                                                                  ABCU_FORWARD_STAGE(5) ABCU_FORWARD_STAGE(6)
                                                                      ABCU_FORWARD_STAGE(7) }

// From samples in the order of stage 0 to frequencies in the order of the last stage.
ABCU_INLINE void forward_stages(const lane &me, float2 *x)
{
    butterflies(me, x, 0, false);
    later_stages(me, x);
}

// And back, unscaled.
ABCU_INLINE void inverse_stages(const lane &me, float2 *x)
{
    butterflies(me, x, last_stage(), true);
    ABCU_INVERSE_STAGE(6)
    ABCU_INVERSE_STAGE(5)
    ABCU_INVERSE_STAGE(4)
    ABCU_INVERSE_STAGE(3)
    ABCU_INVERSE_STAGE(2)
    ABCU_INVERSE_STAGE(1)
    ABCU_INVERSE_STAGE(0)
}

// ---- Bluestein's algorithm: a transform of any length is a convolution with a chirp (Bluestein 1970) ----

ABCU_INLINE float2 chirp_at(const lane &me, int n)
{
    return __ldg((const float2 *)(me.table + table_behind()) + n);
}

// Multiplies by the chirp e^(−iπn²/LENGTH), or for the inverse transform its conjugate; points beyond LENGTH
// are 0.
ABCU_INLINE void multiply_chirp(const lane &me, float2 *x, bool inverse)
{
#pragma unroll
    for (int b = 0; b < butterflies_of(ABCU_RADIX0); b++)
#pragma unroll
        for (int k = 0; k < ABCU_RADIX0; k++) {
            int n = element_at(me.t, ABCU_RADIX0, b, k);
            bool is_sample = is_element(me.t, ABCU_RADIX0, b, k);
            float2 w = chirp_at(me, is_sample ? n : 0);
#pragma unroll
            for (int v = 0; v < ABCU_HELD; v++) {
                float2 *z = &x[(b * ABCU_RADIX0 + k) * ABCU_HELD + v];
                *z = is_sample ? product(*z, inverse ? conjugate(w) : w) : make_float2(0, 0);
            }
        }
}

// Multiplies by the spectrum of the chirp's conjugate, or of the chirp, which is even: its spectrum S_k has
// S_(−k) = S_k, and the conjugate chirp has the spectrum S*_k.
ABCU_INLINE void multiply_spectrum(const lane &me, float2 *x, bool inverse)
{
    const int radix = radix_at(last_stage());
    const float2 *spectrum = (const float2 *)(me.table + table_behind() + (2 * ABCU_LENGTH + 3) / 4 * 4);
#pragma unroll
    for (int b = 0; b < butterflies_of(radix); b++)
#pragma unroll
        for (int k = 0; k < radix; k++) {
            float2 w = __ldg(spectrum + min(element_at(me.t, radix, b, k), ABCU_POINTS - 1));
#pragma unroll
            for (int v = 0; v < ABCU_HELD; v++) {
                float2 *z = &x[(b * radix + k) * ABCU_HELD + v];
                *z = product(*z, inverse ? conjugate(w) : w);
            }
        }
}

ABCU_INLINE void bluestein(const lane &me, float2 *x, bool inverse)
{
    multiply_chirp(me, x, inverse);
    forward_stages(me, x);
    multiply_spectrum(me, x, inverse);
    inverse_stages(me, x);
    multiply_chirp(me, x, inverse);
}

// ---- Transforms ----

// From samples in the order of stage 0 to frequencies in the order of frequency_stage().
ABCU_INLINE void forward(const lane &me, float2 *x)
{
    if (is_bluestein())
        bluestein(me, x, false);
    else
        forward_stages(me, x);
}

// And back, unscaled.
ABCU_INLINE void inverse(const lane &me, float2 *x)
{
    if (is_bluestein())
        bluestein(me, x, true);
    else
        inverse_stages(me, x);
}

// ---- Slots: each thread's own shared memory for its units, behind the exchange ----

ABCU_INLINE int exchange_bytes()
{
    int positions = ABCU_PAD ? ABCU_POINTS + ABCU_POINTS / max(ABCU_PAD, 1) : ABCU_POINTS;
    return (positions * ABCU_SIDE * ABCU_LANES * word_bytes() + 15) / 16 * 16;
}

ABCU_INLINE char *slot_of(int register_number, int unit_bytes)
{
    return (char *)abcu_shared + exchange_bytes() +
           (register_number * ABCU_BLOCK_THREADS + (int)threadIdx.x) * unit_bytes;
}

// Keeps the thread's registers in its slots, and brings them back.
ABCU_INLINE void keep(const float2 *x)
{
#pragma unroll
    for (int m = 0; m < ABCU_REGISTERS; m++)
        if (ABCU_HELD == 2)
            *(float4 *)slot_of(m, 16) = make_float4(x[m * ABCU_HELD].x, x[m * ABCU_HELD].y,
                                                    x[m * ABCU_HELD + ABCU_HELD - 1].x,
                                                    x[m * ABCU_HELD + ABCU_HELD - 1].y);
        else
            *(float2 *)slot_of(m, 8) = x[m];
}

ABCU_INLINE void kept(int m, float2 *z)
{
    if (ABCU_HELD == 2) {
        float4 both = *(const float4 *)slot_of(m, 16);
        z[0] = make_float2(both.x, both.y);
        z[ABCU_HELD - 1] = make_float2(both.z, both.w);
    } else
        z[0] = *(const float2 *)slot_of(m, 8);
}

// The thread's part in the transforms of its block. Its number is forgotten, so that the compiler computes
// addresses again instead of keeping them in registers through the stages.
ABCU_INLINE lane make_lane(const float *table)
{
    lane me;
    int thread = forget((int)threadIdx.x), each = ABCU_THREADS * ABCU_SIDE;
    int number = ABCU_LANES > 1 ? thread / each : 0, rest = ABCU_LANES > 1 ? thread % each : thread;
    me.side = rest % ABCU_SIDE;
    me.t = rest / ABCU_SIDE;
    me.words = (char *)abcu_shared + number * (padded(ABCU_POINTS - 1) + 1) * ABCU_SIDE * word_bytes();
    me.table = table;
    return me;
}

ABCU_INLINE int lane_number()
{
    return ABCU_LANES > 1 ? (int)threadIdx.x / (ABCU_THREADS * ABCU_SIDE) : 0;
}

#endif
