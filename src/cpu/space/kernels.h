/* The vector kernels of convolution in space: what each instruction set compiles.
 *
 * Channels stay interleaved: one pixel to the right is `step` samples to the right, whatever the channel.
 * Taps are stored back to front, so that a kernel reads forward from its first row and column:
 *     to[r][x] = Σ_j Σ_i taps[j · width + i] · rows[r + j][x + i · step]. */
#ifndef ABBE_CPU_SPACE_KERNELS_H
#define ABBE_CPU_SPACE_KERNELS_H

#include <abbe/abbe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of results that are made at once, and floats that kernels may read beyond a row of theirs. */
enum { SPACE_ROWS = 4, SPACE_SLACK = 32 };

/* Taps of a kernel, back to front: as they are, and with the SPACE_ROWS that meet one sample side by side,
 *     blocked[(j · width + i) · SPACE_ROWS + r] = taps[(j − r) · width + i],     0 ≤ j < height + SPACE_ROWS − 1,
 * or 0 where there is no such tap. Kernels of one row need no blocked ones. */
struct space_taps {
    int width, height;
    const float *taps, *blocked;
};

/* A tap among zeros, by its place back to front. */
struct space_tap {
    int row, column;
    float value;
};

/* The same in 2^-15. Samples on their way are (x − 128) · SPACE_LEVEL; what that leaves of a result's level
 * is in `offset`. SPACE_LEVEL · SPACE_UNLEVEL is a little less than 2^15, for which the last taps make up. */
enum { SPACE_LEVEL = 252, SPACE_UNLEVEL = 130 };

struct space_short_taps {
    int width, height;
    int16_t offset;
    const int32_t *taps,
        *blocked; /* each twice, side by side: it takes two instructions to fan out 16 bits */
};

/* Rows of floats, one every `pitch`. */
struct space_lines {
    float *data;
    ptrdiff_t pitch;
};

struct space_shorts {
    int16_t *data;
    ptrdiff_t pitch;
};

struct space_kernels {
    const char *name;

    /* Samples of a picture to floats, integers as the whole numbers they are; and back, rounded to nearest
     * and saturated (NaN gives 0). Never F16. */
    void (*load)(abbe_type type, const void *from, size_t count, float *to);
    void (*store)(abbe_type type, const float *from, size_t count, void *to);
    bool (*finite)(const float *from, size_t count);

    /* Pixels of four channels whose last is alpha, `white` when opaque: the others are multiplied by it, or
     * divided. Filtered alpha is freed of the filter's gain first; below half a level of 16 bits a pixel has
     * no colour. */
    void (*multiply_alpha)(float *row, size_t pixels, float white);
    void (*divide_alpha)(float *row, size_t pixels, float gain, float white);

    /* One column of taps, straight from `results` + height − 1 rows of a picture to as many results: 1 …
     * SPACE_ROWS. Never F16. Nothing but the count samples is read or written. */
    void (*columns)(abbe_type type, const void *const *rows, const struct space_taps *taps, int results,
                    size_t count, struct space_lines to);

    /* All taps. Rows hold count + (width − 1) · step floats, and SPACE_SLACK more that do not matter; exactly
     * count are written, or added to what is there. */
    void (*dense)(const float *const *rows, size_t step, const struct space_taps *taps, int results,
                  size_t count, bool add, struct space_lines to);

    /* A few taps among zeros, one row of results, of rows as above. */
    void (*sparse)(const float *const *rows, size_t step, const struct space_tap *taps, int tap_count,
                   size_t count, float *to);

    /* The same from bytes to bytes by way of 16 bits. NULL: not at this level. */
    void (*short_load)(const uint8_t *from, size_t count, int16_t *to);
    void (*short_columns)(const uint8_t *const *rows, const struct space_short_taps *taps, int results,
                          size_t count, struct space_shorts to);
    void (*short_dense)(const int16_t *const *rows, size_t step, const struct space_short_taps *taps,
                        int results, size_t count, ptrdiff_t pitch, uint8_t *to);
};

extern const struct space_kernels space_baseline, space_avx2, space_avx512;

#endif
