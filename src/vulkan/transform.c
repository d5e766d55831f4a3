/* One-dimensional transforms: how a length is divided among the threads of a workgroup. */
#include "vulkan/transform.h"

#include "fft/pairs.h"
#include "fft/size.h"

/* Lengths up to which a thread should hold 4 and 8 elements, and the most it may hold: beyond
 * 32, registers spill. Few elements make many threads, which is fastest for short transforms;
 * many elements make few steps. */
enum { SHORT = 256, MEDIUM = 512, REGISTERS_MAX = 32 };

static int preferred_elements(const struct vk *vk, int length)
{
    int good = length <= SHORT ? 4 : length <= MEDIUM ? 8 : 16;
    return good < vk->elements ? good : vk->elements;
}

/* Most threads of a workgroup of several transforms, and of one. */
enum { THREADS_GOOD = 512, THREADS_MAX = 1024 };

/* Most parts of a long transform: each part is transformed as often as there are parts. */
enum { PARTS_MAX = 16 };

static int workgroup_limit(const struct vk *vk)
{
    const VkPhysicalDeviceLimits *limits = &vk->properties.limits;
    uint32_t limit = limits->maxComputeWorkGroupInvocations;
    if (limit > limits->maxComputeWorkGroupSize[0])
        limit = limits->maxComputeWorkGroupSize[0];
    return limit < THREADS_MAX ? (int)limit : THREADS_MAX;
}

static int shared_words(const struct vk *vk)
{
    return (int)(vk->properties.limits.maxComputeSharedMemorySize / sizeof(uint32_t));
}

/* Elements that a thread holds in the widest stage when `threads` threads share the butterflies. */
static int registers_for(const struct vk_transform *transform, int threads)
{
    int most = 1;
    for (int i = 0; i < transform->stages; i++) {
        int radix = transform->radices[i], butterflies = transform->points / radix;
        int registers = (butterflies + threads - 1) / threads * radix;
        if (registers > most)
            most = registers;
    }
    return most;
}

/* Chooses the threads with the fewest registers in all and at most `limit` each; the fewest threads of
 * equals. Returns false when there are none. */
static bool choose_threads(const struct vk *vk, int limit, struct vk_transform *transform)
{
    int best = 0, points = transform->points, widest = registers_for(transform, points);
    int most = workgroup_limit(vk) < points ? workgroup_limit(vk) : points;
    /* All threads together hold at least `points` elements, and each holds a whole butterfly: stop when no
     * more threads can do with fewer registers. */
    for (int threads = (points + limit - 1) / limit; threads <= most; threads++) {
        if (best && (best == points || threads * widest >= best))
            break;
        int registers = registers_for(transform, threads);
        if (registers > limit || (best && threads * registers >= best))
            continue;
        best = threads * registers;
        transform->threads = threads;
        transform->registers = registers;
    }
    return best > 0;
}

/* Radices of n: odd ones, then as few powers of two as possible, the smallest first. Returns their number, or
 * −1 if n has other primes than 2, 3, 5, 7, 11 and 13. */
static int find_radices(const struct vk *vk, int n, int radices[FFT_FACTORS_MAX])
{
    int all[FFT_FACTORS_MAX], count = 0, twos = 0, rest = n;
    for (int prime = 13; prime >= 11; prime -= 2)
        for (; rest % prime == 0; rest /= prime)
            radices[count++] = prime;
    int found = fft_factor(rest, all);
    for (int i = 0; i < found; i++)
        if (all[i] % 2)
            radices[count++] = all[i];
        else
            for (int power = all[i]; power > 1; power /= 2)
                twos++;
    int most = 1;
    while (2 << most <= preferred_elements(vk, n))
        most++;
    for (int stages = (twos + most - 1) / most; stages > 0; stages--) {
        int exponent = twos / stages;
        radices[count++] = 1 << exponent;
        twos -= exponent;
    }
    return found < 0 ? -1 : count;
}

/* Fewest parts of `length` that fit shared memory and have radices; −1 if there are none. */
static int count_parts(const struct vk *vk, int length)
{
    int radices[FFT_FACTORS_MAX];
    for (int parts = 1; parts <= PARTS_MAX; parts++)
        if (length % parts == 0 && length / parts <= shared_words(vk) &&
            find_radices(vk, length / parts, radices) >= 0)
            return parts;
    return -1;
}

bool vk_transform_plan(const struct vk *vk, int length, struct vk_transform *transform)
{
    int radices[FFT_FACTORS_MAX], parts = length > shared_words(vk) ? count_parts(vk, length) : 1;
    if (parts < 0)
        return false;
    *transform = (struct vk_transform){ .length = length, .points = length / parts, .parts = parts };
    int count = find_radices(vk, transform->points, radices);
    if (count < 0) {
        transform->points = fft_good_size(2 * length - 1);
        count = find_radices(vk, transform->points, radices);
    }
    if (transform->points > shared_words(vk) || count > ABVK_STAGES_MAX)
        return false;
    transform->stages = count;
    for (int i = 0; i < count; i++)
        transform->radices[i] = radices[i];
    for (int limit = preferred_elements(vk, transform->points); limit <= REGISTERS_MAX; limit *= 2)
        if (choose_threads(vk, limit, transform))
            return true;
    return false;
}

/* Relative cost of the stages: a stage of radix 8 counts 1, about half of it for the exchange. Those of 11 and 13
 * continue the line of 3, 5 and 7 and were not measured on a GPU. */
static double count_steps(int count, const int *radices)
{
    static const double steps[17] = {
        [2] = 0.7, [3] = 0.9, [4] = 0.85, [5] = 1.1, [7] = 1.3, [8] = 1, [11] = 1.7, [13] = 1.9, [16] = 1.2
    };
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += steps[radices[i]];
    return sum;
}

double vk_transform_steps(const struct vk *vk, int length)
{
    int radices[FFT_FACTORS_MAX], parts = length > shared_words(vk) ? count_parts(vk, length) : 1;
    if (parts < 0)
        return -1;
    int count = find_radices(vk, length / parts, radices);
    if (count >= 0) /* each part is transformed once for each part */
        return parts * count_steps(count, radices);
    int points = fft_good_size(2 * length - 1);
    count = find_radices(vk, points, radices);
    return points <= shared_words(vk) ? 2 * count_steps(count, radices) * points / length : -1;
}

/* ---- Tables ------------------------------------------------------------------------------------------- */

static bool is_bluestein(const struct vk_transform *transform)
{
    return transform->points > transform->length;
}

size_t vk_transform_pairs(const struct vk_transform *transform)
{
    size_t points = (size_t)transform->points, length = (size_t)transform->length;
    return points +
           (is_bluestein(transform) ? points + length
            : transform->parts > 1  ? length
                                    : 0) +
           (transform->even ? length : 0);
}

int vk_transform_fill(const struct vk_transform *transform, float *pairs)
{
    int error = fft_pairs_roots(transform->points, pairs);
    if (transform->even)
        fft_pairs_quarter_roots(transform->length,
                                pairs + 2 * (vk_transform_pairs(transform) - (size_t)transform->length));
    pairs += 2 * transform->points;
    if (!error && transform->parts > 1)
        error = fft_pairs_roots(transform->length, pairs);
    return error || !is_bluestein(transform) ? error
                                             : fft_pairs_chirp(transform->length, transform->points, pairs);
}

/* ---- Workgroups --------------------------------------------------------------------------------------- */

int vk_transform_lanes(const struct vk *vk, const struct vk_transform *transform, int wanted)
{
    int lanes = 1, good = workgroup_limit(vk) < THREADS_GOOD ? workgroup_limit(vk) : THREADS_GOOD;
    while (2 * lanes <= wanted && 2 * lanes * transform->threads <= good &&
           2 * lanes * transform->points <= shared_words(vk))
        lanes *= 2;
    return lanes;
}

/* Places of shared memory that an exchange takes, gaps included; the same rule as in transform.glsl. */
static int places_after(int points, int radix, int span, int next, int free_places)
{
    int every = span * radix, gap = span < free_places && radix % 2 == 0 ? span : 0;
    if (free_places && free_places % every == 0 && points / next % free_places == 0)
        every = free_places;
    return points + (points - 1) / every * gap;
}

/* Places that the widest exchange of either direction takes. */
static int padded_places(const struct vk_transform *transform, int free_places)
{
    int most = transform->points, last = transform->stages - 1;
    for (int way = 0; way < 2; way++)
        for (int i = 0, span = 1; i < last; i++) {
            int radix = transform->radices[way ? last - i : i];
            int next = transform->radices[way ? last - i - 1 : i + 1];
            int places = places_after(transform->points, radix, span, next, free_places);
            most = places > most ? places : most;
            span *= radix;
        }
    return most;
}

bool vk_transform_fits(const struct vk *vk, const struct vk_transform *transform, int lanes)
{
    return lanes * transform->threads <= workgroup_limit(vk) &&
           lanes * padded_places(transform, ABVK_BANKS) <= shared_words(vk);
}

/* Exchanging all scalars of the elements together takes fewer barriers, but long transforms have no room for
 * it, and medium ones would leave room for fewer workgroups. */
static void set_exchange(const struct vk *vk, const struct vk_transform *transform,
                         const struct vk_workgroup *workgroup, struct vk_constants *constants)
{
    int lanes = workgroup->lanes, neighbours = workgroup->side_by_side ? lanes : 1, room = shared_words(vk);
    int together = workgroup->channels,
        places = lanes * padded_places(transform, ABVK_BANKS / (neighbours * together));
    if (transform->points > MEDIUM || together * places > room) {
        together = 1;
        places = lanes * padded_places(transform, ABVK_BANKS / neighbours);
    }
    constants->values[ABVK_PADDED] = together * places <= room;
    constants->values[ABVK_SHARED] = (uint32_t)(constants->values[ABVK_PADDED] ? places
                                                                               : lanes * transform->points);
    constants->values[ABVK_TOGETHER] = (uint32_t)together;
}

void vk_transform_constants(const struct vk *vk, const struct vk_transform *transform,
                            const struct vk_workgroup *workgroup, struct vk_constants *constants)
{
    int stages = transform->stages;
    constants->values[ABVK_WORKGROUP] = (uint32_t)(transform->threads * workgroup->lanes);
    constants->values[ABVK_POINTS] = (uint32_t)transform->points;
    constants->values[ABVK_THREADS] = (uint32_t)transform->threads;
    constants->values[ABVK_LANES] = (uint32_t)workgroup->lanes;
    constants->values[ABVK_REGISTERS] = (uint32_t)transform->registers;
    constants->values[ABVK_STAGES] = (uint32_t)stages;
    for (int i = 0; i < ABVK_STAGES_MAX; i++)
        constants->values[ABVK_RADICES + i] = 1;
    for (int i = 0; i < stages; i++)
        constants->values[ABVK_RADICES + (workgroup->reversed ? stages - 1 - i : i)] =
            (uint32_t)transform->radices[i];
    constants->values[ABVK_LENGTH] = (uint32_t)(transform->length / transform->parts);
    constants->values[ABVK_PARTS] = (uint32_t)transform->parts;
    set_exchange(vk, transform, workgroup, constants);
}
