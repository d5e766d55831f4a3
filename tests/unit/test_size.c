/* Transform lengths: every factorisation and price checked by counting, every choice by trying all. */
#include "fft/size.h"
#include "support/test.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>

static bool has_large_prime(int n)
{
    const int primes[] = { 2, 3, 5, 7 };
    for (int i = 0; i < 4; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n > 1;
}

static bool is_radix(int r)
{
    return (r >= 2 && r <= 5) || r == 7 || r == 8;
}

static void check_factors(int n)
{
    int radices[FFT_FACTORS_MAX];
    int count = fft_factor(n, radices);
    if (has_large_prime(n)) {
        if (count != -1)
            fail_msg("length %d has a large prime, yet %d factors", n, count);
        return;
    }
    long long product = 1;
    for (int i = 0; i < count; i++) {
        product *= radices[i];
        if (!is_radix(radices[i]) || (i > 0 && radices[i] < radices[i - 1]))
            fail_msg("length %d: radix %d at step %d", n, radices[i], i);
    }
    if (count < 0 || product != n)
        fail_msg("length %d: the product of its %d factors is %lld", n, count, product);
}

static void factors_multiply_to_the_length(void **state)
{
    (void)state;
    for (int n = 1; n <= 10000; n++)
        check_factors(n);
    const int large[] = { 1 << 30, 1977326743, 1220703125, 1162261467, 2144153025, 2147483647, 2147483646 };
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        check_factors(large[i]);
}

/* Counted by hand from the butterflies: 4 for two numbers, 16 for three and four, 48, 96, 56. */
static void prices_are_counted(void **state)
{
    (void)state;
    const double expected[][2] = {
        { 1, 0 },
        { 2, 4 },
        { 3, 16 },
        { 4, 16 },
        { 5, 48 },
        { 7, 96 },
        { 8, 56 },
        { 6, 3 * 4 + 2 * 16 + 2 * 6 },       /* 2 · 3: two of three butterflies multiply one result */
        { 16, 4 * 16 + 4 * 16 + 3 * 3 * 6 }, /* 4 · 4: three of four multiply three */
        { 64, 8 * 56 + 8 * 56 + 7 * 7 * 6 }, /* 8 · 8 */
        { 35, 7 * 48 + 5 * 96 + 6 * 4 * 6 }, /* 5 · 7 */
        { 12, 4 * 16 + 3 * 16 + 3 * 2 * 6 }, /* 3 · 4 */
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (fft_flops((int)expected[i][0]) != expected[i][1])
            fail_msg("length %g: %g flops, not %g", expected[i][0], fft_flops((int)expected[i][0]),
                     expected[i][1]);
}

static void bluestein_is_priced_by_its_padded_length(void **state)
{
    (void)state;
    for (int n = 11; n < 3000; n++) {
        if (!has_large_prime(n))
            continue;
        int padded = fft_good_size(2 * n - 1);
        double expected = 2 * fft_flops(padded) + 6.0 * padded + 12.0 * n;
        if (padded < 2 * n - 1 || fft_flops(n) != expected)
            fail_msg("length %d, padded %d: %g flops, not %g", n, padded, fft_flops(n), expected);
    }
    assert_true(isinf(fft_flops(INT_MAX)));
}

static void good_size_is_the_cheapest(void **state)
{
    (void)state;
    static double flops[3000];
    for (int n = 1; n < 3000; n++)
        flops[n] = fft_flops(n);
    for (int need = 1; need <= 1500; need++) {
        int best = need;
        for (int n = need; n < 2 * need; n++)
            if (flops[n] < flops[best])
                best = n;
        if (fft_good_size(need) != best)
            fail_msg("need %d: %d chosen, %d is cheapest", need, fft_good_size(need), best);
    }
}

static void good_size_reaches_the_limits(void **state)
{
    (void)state;
    for (int need = (1 << 30) - 50; need < (1 << 30) + 50; need++)
        if (fft_good_size(need) < need || has_large_prime(fft_good_size(need)))
            fail_msg("need %d: %d", need, fft_good_size(need));
    int most = (1 << 30) + (1 << 18);
    assert_in_range(fft_good_size(most), most, INT_MAX);
    assert_int_equal(fft_good_size(2144153025), 2144153025);
    assert_int_equal(fft_good_size(2144153026), -1);
    assert_int_equal(fft_good_size(INT_MAX), -1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(factors_multiply_to_the_length),
    cmocka_unit_test(prices_are_counted),
    cmocka_unit_test(bluestein_is_priced_by_its_padded_length),
    cmocka_unit_test(good_size_is_the_cheapest),
    cmocka_unit_test(good_size_reaches_the_limits),
};

TEST_MAIN(tests)
