/* Primes above 7 in the lengths of the fused engine: which algorithm transforms them, what it costs, and its
 * tables. */
#include "core/memory.h"
#include "cpu/fused/fused.h"
#include "fft/fft.h"
#include "fft/size.h"
#include "fft/twiddle.h"

#include <limits.h>
#include <math.h>

/* ---- Choice and cost ---------------------------------------------------------------------------------- */

/* What remains of n without its factors 2, 3, 5 and 7. */
static int without_small_primes(int n)
{
    for (int prime = 2; prime <= 7; prime++)
        while (n % prime == 0)
            n /= prime;
    return n;
}

int fused_next_prime(int n, int from)
{
    for (int prime = from; prime <= n / prime; prime += 2)
        if (n % prime == 0)
            return prime;
    return n;
}

/* Whether no prime factor of n needs Rader's algorithm. */
static bool is_direct(int n)
{
    n = without_small_primes(n);
    for (int prime = 11; n > 1; n /= prime) {
        prime = fused_next_prime(n, prime);
        if (prime > FUSED_DIRECT_MAX)
            return false;
    }
    return true;
}

/* Instructions of the sums of a prime; they load an operand each, which takes a little longer. */
static double sum_instructions(int p)
{
    double half = p / 2;
    return 1.15 * (4 * half * half + 8 * half);
}

/* Instructions of Rader's algorithm by transforms of a length: two of them, a product, and moves; and the same
 * again, with turns, for the second half of a padded convolution. */
static double rader_instructions(int p, int length)
{
    enum { MULTIPLY = 4, MOVE = 10 };
    int halves = length == p - 1 ? 1 : 2;
    return halves * (2 * fused_instructions(length) + (double)MULTIPLY * length + (double)MOVE * p);
}

static double price_cyclic(const void *context, int length)
{
    return rader_instructions(*(const int *)context, length);
}

int fused_cyclic_length(int p)
{
    if (p > INT_MAX / 4)
        return -1;
    int best = fft_cheapest(p - 1, price_cyclic, &p);
    if (is_direct(p - 1) && rader_instructions(p, p - 1) <= rader_instructions(p, best))
        best = p - 1;
    return p <= FUSED_DIRECT_MAX && sum_instructions(p) <= rader_instructions(p, best) ? 0 : best;
}

static double prime_instructions(int p)
{
    int cyclic = fused_cyclic_length(p);
    return cyclic < 0 ? INFINITY : cyclic ? rader_instructions(p, cyclic) : sum_instructions(p);
}

double fused_instructions(int n)
{
    enum { MULTIPLY = 4 };
    static const int butterfly[9] = { [2] = 4, [3] = 12, [4] = 16, [5] = 36, [7] = 66, [8] = 52 };
    int radices[FFT_FACTORS_MAX], large = without_small_primes(n);
    int count = fft_factor(n / large, radices);
    double sum = 0, blocks = 1;
    for (int prime = 11; large > 1; large /= prime, blocks *= prime) {
        prime = fused_next_prime(large, prime);
        double times = (double)n / prime;
        sum += times * prime_instructions(prime) + (times - blocks) * (prime - 1) * MULTIPLY;
    }
    for (int i = 0; i < count; i++) {
        double butterflies = (double)n / radices[i];
        sum += butterflies * butterfly[radices[i]] + (butterflies - blocks) * (radices[i] - 1) * MULTIPLY;
        blocks *= radices[i];
    }
    return sum;
}

size_t fused_scratch_floats(int lanes, int n)
{
    int longest = 0;
    n = without_small_primes(n);
    for (int prime = 11; n > 1; n /= prime) {
        prime = fused_next_prime(n, prime);
        int cyclic = fused_cyclic_length(prime);
        longest = cyclic > longest ? cyclic : longest;
    }
    return longest ? 2 * fused_column_floats(lanes, longest) : 0;
}

/* Sums have tables of p²/4 turns. Rader's algorithm takes 80 bytes for each sample of the convolution while its
 * spectrum is computed in double, and more where that needs Bluestein's algorithm. */
double fused_prime_bytes(int n)
{
    double bytes = 0;
    n = without_small_primes(n);
    for (int prime = 11; n > 1; n /= prime) {
        prime = fused_next_prime(n, prime);
        int cyclic = fused_cyclic_length(prime);
        int padded = cyclic == prime - 1 ? cyclic : 2 * cyclic;
        bytes += cyclic ? 12.0 * prime + 80.0 * padded + 72 * fft_padded_size(cyclic) : 2.0 * prime * prime;
        bytes += sizeof(struct fused_prime) + sizeof(struct fused_column) + 8 * CORE_ALIGNMENT;
    }
    return bytes;
}

/* ---- Tables ------------------------------------------------------------------------------------------- */

static bool create_turns(struct fused_prime *prime)
{
    long long p = prime->p, half = p / 2;
    prime->turns = core_alloc((size_t)(half * half), 2 * sizeof *prime->turns);
    float *next = prime->turns;
    for (long long k = 1; k <= half && next; k++)
        for (long long j = 1; j <= half; j++) {
            double w[2];
            fft_twiddle(j * k % p, p, w);
            *next++ = (float)w[0];
            *next++ = (float)-w[1];
        }
    return prime->turns != NULL;
}

static long long power_of(long long base, int exponent, long long modulus)
{
    long long result = 1;
    for (; exponent; exponent /= 2, base = base * base % modulus)
        if (exponent % 2)
            result = result * base % modulus;
    return result;
}

/* Whether the powers of g are all of 1 … p − 1. */
static bool is_primitive_root(int g, int p)
{
    int rest = p - 1;
    while (rest > 1) {
        int factor = rest % 2 ? fused_next_prime(rest, 3) : 2;
        while (rest % factor == 0)
            rest /= factor;
        if (power_of(g, (p - 1) / factor, p) == 1)
            return false;
    }
    return true;
}

static void fill_powers(struct fused_prime *prime)
{
    int g = 2;
    while (!is_primitive_root(g, prime->p))
        g++;
    long long power = 1;
    for (int n = 0; n < prime->p - 1; n++, power = power * g % prime->p)
        prime->power[n] = (int)power;
}

/* The length of the convolution: twice that of `cyclic` if it is padded. */
static int convolution_length(const struct fused_prime *prime)
{
    return prime->cyclic->length == prime->p - 1 ? prime->p - 1 : 2 * prime->cyclic->length;
}

/* Lays b(n) = W^(g^(−n)), |n| < p − 1, on the length of the convolution, divided by it. */
static void lay_roots(const struct fused_prime *prime, double *laid)
{
    int count = prime->p - 1, length = convolution_length(prime);
    for (int n = 0; n < count; n++) {
        double w[2];
        fft_twiddle(prime->power[n ? count - n : 0], prime->p, w);
        double *place = laid + 2 * (size_t)n, *before = laid + 2 * (size_t)(length - count + n);
        place[0] = w[0] / length, place[1] = w[1] / length;
        if (n)
            before[0] = place[0], before[1] = place[1];
    }
}

/* The spectrum is computed in double, so that the only error of the table is rounding. `order` is that of the
 * cyclic convolutions; the first of two has the even frequencies. */
static int fill_spectrum(const struct fused_prime *prime, const int *order)
{
    int length = convolution_length(prime), each = prime->cyclic->length, parts = length / each;
    struct fft_f64 *transform = NULL;
    double *laid = core_alloc_zero((size_t)length, 2 * sizeof *laid), *scratch = NULL;
    int *position = core_alloc((size_t)length, sizeof *position);
    int error = laid && position ? fft_f64_create(length, &transform) : ABBE_ERR_MEMORY;
    if (!error && !(scratch = core_alloc(fft_f64_scratch(transform, 1), sizeof *scratch)))
        error = ABBE_ERR_MEMORY;
    if (error)
        goto fail;
    lay_roots(prime, laid);
    fft_f64_forward(transform, laid, 1, scratch);
    for (int i = 0; i < length; i++)
        position[fft_f64_order(transform)[i]] = i;
    for (int i = 0; i < length; i++) {
        const double *at = laid + 2 * (size_t)position[parts * order[i % each] + i / each];
        prime->spectrum[2 * i] = (float)at[0];
        prime->spectrum[2 * i + 1] = (float)at[1];
    }
fail:
    fft_f64_destroy(&transform);
    core_free(scratch);
    core_free(position);
    core_free(laid);
    return error;
}

/* e^(−jπn/L), n < p − 1. */
static bool create_half_turns(struct fused_prime *prime)
{
    int count = prime->p - 1, length = 2 * prime->cyclic->length;
    prime->turns = core_alloc((size_t)count, 2 * sizeof *prime->turns);
    for (int n = 0; n < count && prime->turns; n++) {
        double w[2];
        fft_twiddle(n, length, w);
        prime->turns[2 * n] = (float)w[0];
        prime->turns[2 * n + 1] = (float)w[1];
    }
    return prime->turns != NULL;
}

static int create_rader(const struct fused_column_kernels *kernels, struct fused_prime *prime)
{
    int length = fused_cyclic_length(prime->p), *order = NULL;
    prime->convolve = kernels->convolve;
    prime->block_floats = fused_column_floats(kernels->lanes, length);
    prime->cyclic = core_alloc_zero(1, sizeof *prime->cyclic);
    prime->power = core_alloc((size_t)prime->p, sizeof *prime->power);
    prime->spectrum = core_alloc((size_t)length, 4 * sizeof *prime->spectrum);
    if (!prime->cyclic || !prime->power || !prime->spectrum)
        return ABBE_ERR_MEMORY;
    fill_powers(prime);
    int error = fused_column_create(kernels, length, true, prime->cyclic, &order);
    if (!error)
        error = fill_spectrum(prime, order);
    core_free(order);
    if (!error && length != prime->p - 1 && !create_half_turns(prime))
        error = ABBE_ERR_MEMORY;
    return error;
}

int fused_primes_create(const struct fused_column_kernels *kernels, bool direct, int count,
                        struct fused_step *steps)
{
    int error = ABBE_OK;
    for (int i = 0; i < count && !error; i++) {
        if (without_small_primes(steps[i].radix) == 1)
            continue;
        struct fused_prime *prime = steps[i].prime = core_alloc_zero(1, sizeof *prime);
        if (!prime)
            return ABBE_ERR_MEMORY;
        prime->p = steps[i].radix;
        if (!direct && fused_cyclic_length(prime->p))
            error = create_rader(kernels, prime);
        else
            error = create_turns(prime) ? ABBE_OK : ABBE_ERR_MEMORY;
    }
    return error;
}

void fused_primes_free(int count, struct fused_step *steps)
{
    for (int i = 0; i < count; i++) {
        struct fused_prime *prime = steps[i].prime;
        if (!prime)
            continue;
        if (prime->cyclic)
            fused_column_free(prime->cyclic);
        core_free(prime->cyclic);
        core_free(prime->turns);
        core_free(prime->spectrum);
        core_free(prime->power);
        core_free(prime);
        steps[i].prime = NULL;
    }
}
