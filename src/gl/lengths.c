/* Lengths of transforms and their radices. */
#include "gl/engine.h"

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

/* Appends a radix as often as it divides the length, and divides the length by it. */
static int add_radix(int *length, int radix, int count, int *radices)
{
    while (count < ABGL_STEPS_MAX && *length % radix == 0) {
        radices[count++] = radix;
        *length /= radix;
    }
    return count;
}

/* Appends radices for a power of two, as few as possible and nearly equal: the cost of a step is its writing,
 * which is the same for every radix. A radix with more results than layers reads its inputs twice. The
 * largest radices therefore stand in the middle, where reading is cheapest: not in front, where pixels are
 * converted, nor at the end, where spectra are multiplied. */
static int add_twos(int twos, int bits_max, int count, int *radices)
{
    int steps = (twos + bits_max - 1) / bits_max;
    for (int i = 0; i < steps; i++) {
        int order = i + 1 == steps ? i : i == 0 ? steps - 2 : i - 1; /* the largest radix has order 0 */
        radices[count++] = 1 << (twos / steps + (order < twos % steps));
    }
    return count;
}

static int smooth_radices(const struct gl *gl, int length, int *radices)
{
    int twos = 0, count = 0;
    for (; length % 2 == 0; length /= 2)
        twos++;
    count = add_radix(&length, 3, count, radices);
    count = add_radix(&length, 5, count, radices);
    return add_twos(twos, gl->draw_buffers < ABGL_LAYERS_MAX ? 3 : 4, count, radices);
}

/* Radices for sums by definition, r terms each: 4, then primes in increasing order. */
static int prime_radices(int length, int *radices)
{
    int count = add_radix(&length, 4, 0, radices);
    for (int prime = 2; prime <= length / prime; prime += 1 + (prime > 2))
        count = add_radix(&length, prime, count, radices);
    if (length > 1)
        radices[count++] = length;
    return count;
}

int gl_length_radices(const struct gl *gl, int length, bool by_definition, int radices[ABGL_STEPS_MAX])
{
    return by_definition ? prime_radices(length, radices) : smooth_radices(gl, length, radices);
}
