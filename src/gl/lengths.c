/* Lengths of transforms: powers of two, products of 2, 3 and 5, and all the others. */
#include "gl/gl.h"

bool gl_length_is_power(int length)
{
    return length >= 2 && (length & (length - 1)) == 0;
}

bool gl_length_is_smooth(int length)
{
    while (length % 2 == 0)
        length /= 2;
    while (length % 3 == 0)
        length /= 3;
    while (length % 5 == 0)
        length /= 5;
    return length == 1;
}

/* Appends a radix as often as it divides. */
static int divide(int *length, int radix, int count, int *radices)
{
    while (count < GL_STEPS_MAX && *length % radix == 0) {
        radices[count++] = radix;
        *length /= radix;
    }
    return count;
}

/* Eights, and fours rather than 2 · 8: a step costs about the same whatever its radix. The largest come last, where the
 * way there turns into the way back. */
static int smooth_radices(int length, int *radices)
{
    int twos = 0, count = 0;
    for (; length % 2 == 0; length /= 2)
        twos++;
    int fours = twos % 3 == 2 ? 1 : twos % 3 == 1 && twos > 1 ? 2 : 0;
    if (twos == 1)
        radices[count++] = 2;
    count = divide(&length, 3, count, radices);
    for (int i = 0; i < fours; i++)
        radices[count++] = 4;
    count = divide(&length, 5, count, radices);
    for (int i = 0; i < (twos - 2 * fours) / 3; i++)
        radices[count++] = 8;
    return count;
}

/* A sum of r terms for every radix r: small ones first, primes as they are. */
static int prime_radices(int length, int *radices)
{
    int count = divide(&length, 4, 0, radices);
    for (int prime = 2; prime <= length / prime; prime += 1 + (prime > 2))
        count = divide(&length, prime, count, radices);
    if (length > 1)
        radices[count++] = length;
    return count;
}

int gl_length_radices(int length, bool sums, int radices[GL_STEPS_MAX])
{
    return sums ? prime_radices(length, radices) : smooth_radices(length, radices);
}
