/* One-dimensional transforms: how a length is divided among threads, its tables, and the order of frequencies. */
#include "cuda/transform.h"

#include "core/memory.h"
#include "fft/pairs.h"
#include "fft/size.h"
#include "fft/twiddle.h"

#include <math.h>
#include <string.h>

/* Most threads of a block. */
enum { THREADS_MAX = 1024 };

/* Most complex numbers of one plane that a thread holds, and most where each thread holds two planes. */
enum { REGISTERS_MAX = 36, REGISTERS_OF_PAIRS_MAX = 18 };

/* ---- Factors ------------------------------------------------------------------------------------------ */

/* Lengths that were measured (docs/cuda.md), with their radices. */
struct known_length {
    int points, registers, stages, radices[4];
};
static const struct known_length known_lengths[] = {
    { 256, 16, 2, { 16, 16 } },       { 512, 8, 3, { 8, 8, 8 } },      { 1024, 32, 2, { 32, 32 } },
    { 1280, 20, 4, { 20, 4, 4, 4 } }, { 1296, 36, 2, { 36, 36 } },     { 2048, 16, 3, { 16, 16, 8 } },
    { 2304, 24, 3, { 24, 12, 8 } },   { 4096, 16, 3, { 16, 16, 16 } }, { 8192, 16, 4, { 16, 8, 8, 8 } },
};

/* Work of a butterfly for each of its points, by its radix: multiply-adds of the arithmetic in butterflies.cuh with
 * twiddles, divided by those of radix 8. Radices without a number are not used. */
static const double radix_work[REGISTERS_MAX + 1] = {
    [2] = 0.45,  [3] = 0.8,  [4] = 0.75, [5] = 1.0,  [6] = 1.1,  [7] = 1.3,  [8] = 1,
    [9] = 1.4,   [10] = 1.3, [11] = 2,   [12] = 1.4, [13] = 2.3, [14] = 1.6, [15] = 1.6,
    [16] = 1.25, [18] = 1.7, [20] = 1.6, [24] = 1.7, [32] = 1.5, [36] = 2,
};

/* An exchange among the threads of a block, and among those of a warp, in the same unit. Estimates. */
static const double BLOCK_EXCHANGE = 0.6, WARP_EXCHANGE = 0.4;

/* A search for the factors of a number of points that cost least. */
struct factor_search {
    int points;
    int registers; /* REGULAR: those that every radix divides; 0: any */
    int stages, radices[ABCU_STAGES_MAX];
    struct cuda_transform *best;
    double best_cost;
};

static int registers_for(int points, int stages, const int *radices, int threads)
{
    int most = 1;
    for (int i = 0; i < stages; i++) {
        int butterflies = points / radices[i], held = (butterflies + threads - 1) / threads * radices[i];
        most = held > most ? held : most;
    }
    return most;
}

/* Cost of the stages with that many threads, idle ones included. */
static double cost_of_stages(const struct factor_search *search, int threads)
{
    double cost = 0;
    int behind = search->points;
    for (int i = 0; i < search->stages; i++) {
        int radix = search->radices[i], butterflies = search->points / radix;
        double waves = (butterflies + threads - 1) / threads;
        cost += radix_work[radix] * waves * threads / butterflies;
        behind /= radix;
        if (i + 1 < search->stages)
            cost += search->registers && i > 0 && behind <= 32 ? WARP_EXCHANGE : BLOCK_EXCHANGE;
    }
    return cost;
}

static void take_if_cheaper(struct factor_search *search, int threads, int registers)
{
    double cost = cost_of_stages(search, threads);
    if (cost >= search->best_cost || threads > THREADS_MAX)
        return;
    search->best_cost = cost;
    struct cuda_transform *best = search->best;
    best->points = search->points;
    best->threads = threads;
    best->registers = registers;
    best->regular = search->registers > 0;
    best->stages = search->stages;
    memcpy(best->radices, search->radices, sizeof best->radices);
}

/* Whether the threads are whole groups in every stage but the first: as many as there are points behind it. */
static bool has_whole_groups(const struct factor_search *search, int threads)
{
    int behind = search->points / search->radices[0];
    for (int i = 1; i < search->stages; i++) {
        behind /= search->radices[i];
        if (threads % behind)
            return false;
    }
    return true;
}

static void try_factors(struct factor_search *search)
{
    if (search->registers) {
        int threads = search->points / search->registers;
        if (has_whole_groups(search, threads))
            take_if_cheaper(search, threads, search->registers);
        return;
    }
    for (int i = 0; i < search->stages; i++)
        for (int waves = 1; waves <= 3; waves++) {
            int butterflies = search->points / search->radices[i],
                threads = (butterflies + waves - 1) / waves;
            int registers = registers_for(search->points, search->stages, search->radices, threads);
            if (registers <= REGISTERS_OF_PAIRS_MAX)
                take_if_cheaper(search, threads, registers);
        }
}

/* A bound of the cost of stages for `rest` points: no radix works less for each bit of its size than this. */
static const double WORK_OF_BIT = 0.29;

static double least_cost(int rest)
{
    double cost = 0;
    for (; rest > 1; rest /= 2)
        cost += WORK_OF_BIT;
    return cost;
}

/* Tries the ways to write `rest` as a product of radices up to `largest`, the largest first, as long as they may be
 * cheaper than the best one. `cost` is that of the stages so far without idle threads. */
static void search_factors(struct factor_search *search, int rest, int largest, double cost)
{
    if (rest == 1) {
        try_factors(search);
        return;
    }
    for (int radix = largest; radix > 1 && search->stages < ABCU_STAGES_MAX; radix--)
        if (radix_work[radix] > 0 && rest % radix == 0 &&
            (!search->registers || search->registers % radix == 0)) {
            double more = cost + radix_work[radix] + (rest > radix ? WARP_EXCHANGE : 0);
            if (more + least_cost(rest / radix) >= search->best_cost)
                continue;
            search->radices[search->stages++] = radix;
            search_factors(search, rest / radix, radix, more);
            search->radices[--search->stages] = 0;
        }
}

/* The largest prime with a butterfly. */
enum { PRIME_MAX = 13 };

/* The largest prime factor of n, or a number above PRIME_MAX. */
static int largest_prime(int n)
{
    int largest = 1;
    for (int prime = 2; prime <= PRIME_MAX; prime++)
        for (; n % prime == 0; n /= prime)
            largest = prime;
    return n > 1 ? PRIME_MAX + 1 : largest;
}

/* Fills in how `points` are divided, and returns the cost; infinite when they have no radices. */
static double divide_points(int points, struct cuda_transform *transform)
{
    for (size_t i = 0; i < sizeof known_lengths / sizeof *known_lengths; i++)
        if (known_lengths[i].points == points) {
            const struct known_length *known = &known_lengths[i];
            struct factor_search search = { .points = points,
                                            .registers = known->registers,
                                            .stages = known->stages,
                                            .best = transform,
                                            .best_cost = (double)INFINITY };
            memcpy(search.radices, known->radices, sizeof known->radices);
            try_factors(&search);
            return search.best_cost;
        }
    if (largest_prime(points) > PRIME_MAX)
        return (double)INFINITY;
    struct factor_search search = { .points = points, .best = transform, .best_cost = (double)INFINITY };
    for (int registers = points < REGISTERS_MAX ? points : REGISTERS_MAX; registers > 1; registers--)
        if (points % registers == 0) {
            search.registers = registers;
            search_factors(&search, points, registers, 0);
        }
    search.registers = 0;
    search_factors(&search, points, points < REGISTERS_OF_PAIRS_MAX ? points : REGISTERS_OF_PAIRS_MAX, 0);
    return search.best_cost;
}

/* ---- Planning ----------------------------------------------------------------------------------------- */

/* Points behind stage i: the distance of the positions of its butterflies. */
static int points_behind(const struct cuda_transform *transform, int stage)
{
    int points = transform->points;
    for (int i = 0; i <= stage; i++)
        points /= transform->radices[i];
    return points;
}

/* Whether gaps leave the positions of every butterfly equally far apart: a multiple of `pad`, or all within one. */
static bool keeps_distances(const struct cuda_transform *transform, int pad)
{
    for (int i = 0; i < transform->stages; i++) {
        int behind = points_behind(transform, i), block = behind * transform->radices[i];
        bool apart = behind % pad == 0, within = pad % block == 0,
             between = pad % behind == 0 && block % pad == 0;
        if (!apart && !within && !between)
            return false;
    }
    return true;
}

/* Threads of the last stages read positions `registers` apart; a gap behind each of them keeps them in different
 * banks. */
static int choose_pad(const struct cuda_transform *transform)
{
    if (transform->points % 2)
        return 0;
    for (int pad = transform->registers; pad >= 4; pad--)
        if (transform->points % pad == 0 && keeps_distances(transform, pad))
            return pad;
    return 0;
}

/* Bluestein's algorithm takes the cheaper of a power of two and a product of small primes that are long enough. Even a
 * length of 1, which has no radices, has such a transform. */
static double plan_bluestein(int length, struct cuda_transform *transform)
{
    struct cuda_transform smooth = *transform, power = *transform;
    int good = fft_good_size(2 * length - 1), two = 4;
    while (two < 2 * length - 1)
        two *= 2;
    double cost = divide_points(good, &smooth) * good, other = divide_points(two, &power) * two;
    *transform = other <= cost ? power : smooth;
    return fmin(cost, other) / length;
}

/* The transform of a length and its cost for each sample; infinite when there is none. */
static double plan_length(int length, struct cuda_transform *transform)
{
    *transform = (struct cuda_transform){ .length = length };
    if (length > THREADS_MAX * REGISTERS_MAX)
        return (double)INFINITY;
    double cost = divide_points(length, transform);
    if (isinf(cost))
        cost = 2 * plan_bluestein(length, transform);
    for (int i = transform->stages; i < ABCU_STAGES_MAX; i++)
        transform->radices[i] = 1;
    transform->pad = isinf(cost) ? 0 : choose_pad(transform);
    return cost;
}

/* Whether the device has the threads and shared memory for one transform of the planes of a pixel. */
static bool fits_alone(const struct cuda *cuda, const struct cuda_transform *transform)
{
    bool pairs = transform->registers <= REGISTERS_OF_PAIRS_MAX;
    const struct cuda_sharing least = {
        .held = pairs ? 2 : 1, .side = pairs ? 1 : 2, .lanes = 1, .min_blocks = 1, .split = true
    };
    return cuda_sharing_fits(cuda, transform, &least, false);
}

bool cuda_transform_plan(const struct cuda *cuda, int length, struct cuda_transform *transform)
{
    return !isinf(plan_length(length, transform)) && fits_alone(cuda, transform);
}

double cuda_transform_steps(const struct cuda *cuda, int length)
{
    struct cuda_transform transform;
    double cost = plan_length(length, &transform);
    /* A stage of radix 8 and an exchange are one step. */
    return !isinf(cost) && fits_alone(cuda, &transform) ? cost / (1 + BLOCK_EXCHANGE) : -1;
}

/* ---- Order -------------------------------------------------------------------------------------------- */

static bool is_bluestein(const struct cuda_transform *transform)
{
    return transform->points > transform->length;
}

/* Position of a place: the one of the register that holds it in the last stage. */
static int position_of_place(const struct cuda_transform *transform, int place)
{
    int radix = transform->radices[transform->stages - 1], all = transform->points / radix;
    int k = place / all, j = place % all;
    if (transform->regular && transform->stages > 1) {
        int b = j / transform->threads, t = j % transform->threads;
        j = t * (transform->registers / radix) + b;
    }
    return j * radix + k;
}

/* The frequency at a position has the position's digits in reverse. */
static int frequency_of_position(const struct cuda_transform *transform, int position)
{
    int frequency = 0, weight = 1, behind = transform->points;
    for (int i = 0; i < transform->stages; i++) {
        behind /= transform->radices[i];
        frequency += position / behind * weight;
        position %= behind;
        weight *= transform->radices[i];
    }
    return frequency;
}

static int position_of_frequency(const struct cuda_transform *transform, int frequency)
{
    int position = 0, behind = transform->points;
    for (int i = 0; i < transform->stages; i++) {
        behind /= transform->radices[i];
        position += frequency % transform->radices[i] * behind;
        frequency /= transform->radices[i];
    }
    return position;
}

int cuda_transform_frequency(const struct cuda_transform *transform, int place)
{
    return is_bluestein(transform) ? place
                                   : frequency_of_position(transform, position_of_place(transform, place));
}

/* ---- Tables ------------------------------------------------------------------------------------------- */

static size_t fours(size_t floats)
{
    return (floats + 3) / 4 * 4;
}

/* Entries of the twiddles. */
static size_t count_twiddles(const struct cuda_transform *transform)
{
    size_t count = 0;
    for (int i = 0; i + 1 < transform->stages; i++)
        count += (size_t)points_behind(transform, i) +
                 (size_t)(transform->points / points_behind(transform, i));
    return count;
}

size_t cuda_transform_floats(const struct cuda_transform *transform)
{
    size_t length = (size_t)transform->length, points = (size_t)transform->points;
    return 8 * count_twiddles(transform) +
           (is_bluestein(transform) ? fours(2 * length) + fours(2 * points) : 0) +
           (transform->pairs ? fours(length) : 0) +
           (transform->even ? 2 * fours(2 * length) + fours(length) : 0);
}

/* w, w², w⁴ and w⁸ of w = e^(−2πi k/n). Returns the place behind them. */
static float *write_powers(float *to, long long k, long long n)
{
    for (int power = 1; power <= 8; power *= 2) {
        double value[2];
        fft_twiddle(k * power % n, n, value);
        *to++ = (float)value[0];
        *to++ = (float)value[1];
    }
    return to;
}

static float *write_twiddles(const struct cuda_transform *transform, float *to)
{
    int last = transform->stages - 1;
    for (int i = 0, block = transform->points; i < last; i++) {
        int behind = block / transform->radices[i];
        for (int q = 0; q < behind; q++)
            to = write_powers(to, q, block);
        block = behind;
    }
    for (int i = 1, blocks = transform->radices[0]; i <= last; blocks *= transform->radices[i++])
        for (int block = 0; block < blocks; block++) {
            int behind = transform->points / blocks;
            to = write_powers(to, frequency_of_position(transform, block * behind),
                              (long long)blocks * transform->radices[i]);
        }
    return to;
}

/* The chirp, and its spectrum in the order of places. */
static int write_chirp(const struct cuda_transform *transform, float *to)
{
    size_t length = (size_t)transform->length, points = (size_t)transform->points;
    float *natural = core_alloc(2 * (length + points), sizeof *natural);
    int error = natural ? fft_pairs_chirp(transform->length, transform->points, natural) : ABBE_ERR_MEMORY;
    if (!error) {
        memcpy(to, natural, 2 * length * sizeof *natural);
        to += fours(2 * length);
        for (int place = 0; place < transform->points; place++) {
            int u = frequency_of_position(transform, position_of_place(transform, place));
            memcpy(to + 2 * place, natural + 2 * (length + (size_t)u), 2 * sizeof *natural);
        }
    }
    core_free(natural);
    return error;
}

/* Positions of frequencies, as integers in the place of floats. */
static void write_positions(const struct cuda_transform *transform, float *to)
{
    for (int position = 0; position < transform->length; position++) {
        int u = is_bluestein(transform) ? position : frequency_of_position(transform, position);
        int32_t value = position;
        memcpy(to + u, &value, sizeof value);
    }
}

/* Twiddles of each place, the position of the opposite frequency, and the twiddles in natural order, which are computed
 * first. */
static void write_even(const struct cuda_transform *transform, float *to)
{
    size_t length = (size_t)transform->length;
    float *mirrors = to + fours(2 * length), *natural = mirrors + fours(length);
    fft_pairs_quarter_roots(transform->length, natural);
    for (int place = 0; place < transform->length; place++) {
        int u = cuda_transform_frequency(transform, place);
        memcpy(to + 2 * place, natural + 2 * u, 2 * sizeof *to);
    }
    for (int place = 0; place < transform->length; place++) {
        int u = cuda_transform_frequency(transform, place), opposite = u ? transform->length - u : 0;
        int32_t position = is_bluestein(transform) ? opposite : position_of_frequency(transform, opposite);
        memcpy(mirrors + place, &position, sizeof position);
    }
}

int cuda_transform_fill(const struct cuda_transform *transform, float *table)
{
    int error = ABBE_OK;
    float *to = write_twiddles(transform, table);
    if (is_bluestein(transform)) {
        error = write_chirp(transform, to);
        to += fours(2 * (size_t)transform->length) + fours(2 * (size_t)transform->points);
    }
    if (transform->pairs) {
        write_positions(transform, to);
        to += fours((size_t)transform->length);
    }
    if (transform->even)
        write_even(transform, to);
    return error;
}

/* ---- Blocks of threads -------------------------------------------------------------------------------- */

void cuda_transform_constants(const struct cuda_transform *transform, const struct cuda_sharing *sharing,
                              struct abcu_constants *constants)
{
    int *values = constants->values;
    values[ABCU_ID_BLOCK_THREADS] = transform->threads * sharing->side * sharing->lanes;
    values[ABCU_ID_MIN_BLOCKS] = sharing->min_blocks;
    values[ABCU_ID_POINTS] = transform->points;
    values[ABCU_ID_LENGTH] = transform->length;
    values[ABCU_ID_THREADS] = transform->threads;
    values[ABCU_ID_REGISTERS] = transform->registers;
    values[ABCU_ID_HELD] = sharing->held;
    values[ABCU_ID_SIDE] = sharing->side;
    values[ABCU_ID_LANES] = sharing->lanes;
    values[ABCU_ID_STAGES] = transform->stages;
    for (int i = 0; i < ABCU_STAGES_MAX; i++)
        values[ABCU_ID_RADIX0 + i] = transform->radices[i];
    values[ABCU_ID_REGULAR] = transform->regular;
    values[ABCU_ID_PAD] = transform->pad;
    values[ABCU_ID_SPLIT] = sharing->split;
    values[ABCU_ID_SLOTS] = sharing->slots;
}

int cuda_shared_bytes(const struct abcu_constants *constants)
{
    const int *values = constants->values;
    int pad = values[ABCU_ID_PAD], points = values[ABCU_ID_POINTS], held = values[ABCU_ID_HELD];
    int positions = pad ? points + points / pad : points;
    int exchange = positions * values[ABCU_ID_SIDE] * values[ABCU_ID_LANES] * held * 8 /
                   (values[ABCU_ID_SPLIT] ? 2 : 1);
    int unit = held * (values[ABCU_ID_HALF] && values[ABCU_ID_PERSISTENT] ? 4 : 8);
    int slots = values[ABCU_ID_SLOTS] ? values[ABCU_ID_BLOCK_THREADS] * values[ABCU_ID_REGISTERS] * unit : 0;
    return (exchange + 15) / 16 * 16 + slots;
}

bool cuda_sharing_fits(const struct cuda *cuda, const struct cuda_transform *transform,
                       const struct cuda_sharing *sharing, bool half)
{
    struct abcu_constants constants = { 0 };
    cuda_transform_constants(transform, sharing, &constants);
    constants.values[ABCU_ID_HALF] = constants.values[ABCU_ID_PERSISTENT] = half;
    int most = cuda->limits.threads < THREADS_MAX ? cuda->limits.threads : THREADS_MAX;
    int shared = cuda_shared_bytes(&constants);
    return constants.values[ABCU_ID_BLOCK_THREADS] <= most && shared <= cuda->limits.shared &&
           (shared + 1024) * sharing->min_blocks <= cuda->limits.resident_shared;
}
