/* Reads decimal numbers independently of the locale. */
#include "core/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* 19 digits always fit 64 bits, and hold more than a double does. */
enum { DIGITS_MAX = 19 };

/* Beyond 10^±EXPONENT_MAX every double is infinite or zero, whatever its 19 digits are. */
enum { EXPONENT_MAX = 100000 };

/* Written exponents saturate here. They may offset as many leading or trailing zeros; no text has more. */
static const int64_t WRITTEN_MAX = INT64_C(1000000000000000000);

struct decimal {
    uint64_t digits;  /* the first 19 significant ones */
    int count;        /* how many of them */
    int64_t exponent; /* value = digits · 10^exponent */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Appends one digit; `fraction` when it is behind the point. */
static void append_digit(struct decimal *decimal, char digit, bool fraction)
{
    if (decimal->count < DIGITS_MAX) {
        decimal->digits = decimal->digits * 10 + (uint64_t)(digit - '0');
        decimal->count += decimal->digits != 0;
        decimal->exponent -= fraction;
    } else {
        decimal->exponent += !fraction;
    }
}

/* Reads digits with at most one point; returns the characters read, 0 without any digit. */
static size_t read_digits(const char *text, size_t length, struct decimal *decimal)
{
    size_t at = 0;
    bool fraction = false, any = false;
    for (; at < length; at++) {
        if (text[at] == '.' && !fraction) {
            fraction = true;
        } else if (is_digit(text[at])) {
            append_digit(decimal, text[at], fraction);
            any = true;
        } else {
            break;
        }
    }
    return any ? at : 0;
}

/* Reads e[+-]digits; returns the characters read, 0 when there is no complete exponent. */
static size_t read_exponent(const char *text, size_t length, int64_t *exponent)
{
    if (length < 2 || (text[0] != 'e' && text[0] != 'E'))
        return 0;
    size_t at = text[1] == '-' || text[1] == '+' ? 2 : 1, first = at;
    int64_t value = 0;
    for (; at < length && is_digit(text[at]); at++)
        value = value < WRITTEN_MAX / 10 ? value * 10 + (text[at] - '0') : WRITTEN_MAX;
    *exponent = text[1] == '-' ? -value : value;
    return at > first ? at : 0;
}

static long double power_of_ten(int64_t exponent)
{
    long double power = 1.0L, base = 10.0L;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1)
            power *= base;
    return power;
}

/* digits · 10^exponent. Up to 2^53 and 10^22 both factors are exact doubles and the one operation rounds
 * correctly (Clinger 1990); beyond, long double has about eleven more bits. */
static double scale_decimal(struct decimal decimal)
{
    if (!decimal.digits || decimal.exponent < -EXPONENT_MAX)
        return 0.0;
    if (decimal.exponent > EXPONENT_MAX)
        return HUGE_VAL;
    if (decimal.digits <= UINT64_C(1) << 53 && llabs(decimal.exponent) <= 22) {
        double power = (double)power_of_ten(llabs(decimal.exponent));
        return decimal.exponent < 0 ? (double)decimal.digits / power : (double)decimal.digits * power;
    }
    /* Two divisions, so that no power overflows where the quotient does not. */
    long double value = decimal.digits;
    if (decimal.exponent >= 0)
        return (double)(value * power_of_ten(decimal.exponent));
    int64_t first = decimal.exponent < -300 ? 300 : -decimal.exponent;
    return (double)(value / power_of_ten(first) / power_of_ten(-decimal.exponent - first));
}

size_t number_read(const char *text, size_t length, double *value)
{
    size_t at = length && (text[0] == '-' || text[0] == '+');
    struct decimal decimal = { 0 };
    size_t digits = read_digits(text + at, length - at, &decimal);
    if (!digits)
        return 0;
    bool negative = text[0] == '-';
    at += digits;
    int64_t exponent = 0;
    at += read_exponent(text + at, length - at, &exponent);
    decimal.exponent += exponent;
    *value = negative ? -scale_decimal(decimal) : scale_decimal(decimal);
    return at;
}
