/* Transform lengths: factors, prices, and the cheapest length that is long enough. */
#include "fft/size.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>

/* Real operations of the butterflies in butterflies_tmpl.h, and of a complex multiplication. */
static const int butterfly_flops[9] = { [2] = 4, [3] = 16, [4] = 16, [5] = 48, [7] = 96, [8] = 56 };
enum { MULTIPLY_FLOPS = 6 };

static int divide_out(int *n, int prime)
{
    int power = 0;
    for (; *n % prime == 0; *n /= prime)
        power++;
    return power;
}

/* Radices rise from the first step to the last. The last step needs no twiddles, and a large radix saves most
 * there; the first steps stride through memory, and a small radix touches the fewest cache lines at once.
 * Powers of two become eights and at most two fours: 2 · 8 takes more operations than 4 · 4. */
int fft_factor(int n, int radices[FFT_FACTORS_MAX])
{
    int twos = divide_out(&n, 2), threes = divide_out(&n, 3);
    int fives = divide_out(&n, 5), sevens = divide_out(&n, 7);
    if (n != 1)
        return -1;
    int fours = twos % 3 == 2 ? 1 : twos % 3 == 1 && twos > 1 ? 2 : 0;
    const int powers[6][2] = {
        { 2, twos == 1 }, { 3, threes }, { 4, fours },
        { 5, fives },     { 7, sevens }, { 8, (twos - 2 * fours) / 3 },
    };
    int count = 0;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < powers[i][1]; k++)
            radices[count++] = powers[i][0];
    return count;
}

/* A step of radix r takes n / blocks / r butterflies for each of `blocks` blocks; all but the first of them
 * multiply r − 1 results by twiddles. */
static double mixed_radix_flops(int n, int count, const int *radices)
{
    double flops = 0, blocks = 1;
    for (int i = 0; i < count; i++) {
        int radix = radices[i];
        double butterflies = (double)n / radix;
        flops += butterflies * butterfly_flops[radix];
        flops += (butterflies - blocks) * (radix - 1) * MULTIPLY_FLOPS;
        blocks *= radix;
    }
    return flops;
}

double fft_padded_size(int n)
{
    int radices[FFT_FACTORS_MAX];
    if (fft_factor(n, radices) >= 0)
        return 0;
    int padded = n <= INT_MAX / 2 ? fft_good_size(2 * n - 1) : -1;
    return padded < 0 ? (double)INFINITY : padded;
}

double fft_flops(int n)
{
    int radices[FFT_FACTORS_MAX];
    int count = fft_factor(n, radices);
    if (count >= 0)
        return mixed_radix_flops(n, count, radices);
    double padded = fft_padded_size(n);
    if (isinf(padded))
        return INFINITY;
    /* Two transforms and a product of the padded length, and products with the chirp before and after. */
    return 2 * fft_flops((int)padded) + MULTIPLY_FLOPS * padded + 2.0 * MULTIPLY_FLOPS * n;
}

struct length_choice {
    int length;
    double price;
};

/* Tries the products of 3, 5 and 7, at most some hundreds, each times the power of two that brings it to need
 * … 2 · need − 1. A length with another prime factor is never cheaper: Bluestein's algorithm takes two
 * transforms of twice the length. */
int fft_cheapest(int need, double (*price)(const void *context, int length), const void *context)
{
    long long limit = 2LL * need;
    struct length_choice best = { .length = -1 };
    for (long long sevens = 1; sevens < limit; sevens *= 7)
        for (long long fives = sevens; fives < limit; fives *= 5)
            for (long long odd = fives; odd < limit; odd *= 3) {
                long long length = odd;
                while (length < need)
                    length *= 2;
                if (length > INT_MAX)
                    continue;
                struct length_choice one = { (int)length, price(context, (int)length) };
                if (best.length < 0 || one.price < best.price ||
                    (!(one.price > best.price) && one.length < best.length))
                    best = one;
            }
    return best.length;
}

static double price_by_flops(const void *context, int length)
{
    (void)context;
    return fft_flops(length);
}

int fft_good_size(int need)
{
    return fft_cheapest(need, price_by_flops, NULL);
}
