/* Uniform random phases in the layout of a packed spectrum (eq. 10 of Moreland & Angel 2003). */
#include "random_phase.h"

#include <math.h>
#include <stddef.h>

/* splitmix64 (Steele, Lea & Flood 2014): a counter and a mixing function, with any seed as good as another. */
static uint64_t next_bits(uint64_t *state)
{
    uint64_t bits = *state += UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

/* The two floats of a pair of opposite frequencies: a real and an imaginary part, of which sign is all one. */
static void draw_pair(uint64_t *state, float *real, float *imaginary)
{
    double angle = 2.0 * M_PI * 0x1p-53 * (double)(next_bits(state) >> 11);
    *real = (float)cos(angle);
    *imaginary = (float)sin(angle);
}

/* A frequency that is its own opposite is real: its phase is 0 or π. */
static float draw_sign(uint64_t *state)
{
    return next_bits(state) >> 63 ? 1.0f : -1.0f;
}

/* Column 0, or column width/2 of an even width, is packed like one dimension (eq. 9). */
static void fill_real_column(uint64_t *state, int width, int height, float *column)
{
    for (int v = 0; 2 * (int64_t)v <= height && v < height; v++) {
        float *place = column + (size_t)v * (size_t)width;
        if (v == 0 || 2 * (int64_t)v == height)
            *place = draw_sign(state);
        else
            draw_pair(state, place, column + (size_t)(height - v) * (size_t)width);
    }
}

void random_phase_fill(uint64_t seed, int width, int height, float *packed)
{
    for (int v = 0; v < height; v++) {
        float *row = packed + (size_t)v * (size_t)width;
        for (int u = 1; 2 * (int64_t)u < width; u++)
            draw_pair(&seed, row + u, row + width - u);
    }
    fill_real_column(&seed, width, height, packed);
    if (width % 2 == 0)
        fill_real_column(&seed, width, height, packed + width / 2);
    packed[0] = 0.0f;
}
