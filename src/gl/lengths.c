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

/* Powers of two in as few steps as there can be, of nearly equal radices: what a step costs is its writing, and that is
 * the same for all of them. A radix of more results than layers reads twice as much, so it stands where least is read:
 * neither in front, where pixels are, nor at the end, where spectra are. */
static int add_twos(int twos, int bits_max, int count, int *radices)
{
    int steps = (twos + bits_max - 1) / bits_max;
    for (int i = 0; i < steps; i++) {
        int rank = i + 1 == steps ? i : i == 0 ? steps - 2 : i - 1; /* among them, the largest first */
        radices[count++] = 1 << (twos / steps + (rank < twos % steps));
    }
    return count;
}

static int smooth_radices(const struct gl *gl, int length, int *radices)
{
    int twos = 0, count = 0;
    for (; length % 2 == 0; length /= 2)
        twos++;
    count = divide(&length, 3, count, radices);
    count = divide(&length, 5, count, radices);
    return add_twos(twos, gl->draw_buffers < GL_LAYERS_MAX ? 3 : 4, count, radices);
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

int gl_length_radices(const struct gl *gl, int length, bool by_sums, int radices[GL_STEPS_MAX])
{
    return by_sums ? prime_radices(length, radices) : smooth_radices(gl, length, radices);
}
