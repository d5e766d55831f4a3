/* The vector kernels of convolution in space, compiled once for each instruction-set level.
 *
 * Channels stay interleaved: the sample one pixel to the right is `step` samples to the right, for every
 * channel. Taps are stored back to front, so that a kernel reads forward from its first row and column:
 *     to[r][x] = Σ_j Σ_i taps[j · width + i] · rows[r + j][x + i · step]. */
#ifndef ABBE_CPU_SPACE_KERNELS_H
#define ABBE_CPU_SPACE_KERNELS_H

#include <abbe/abbe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SPACE_ROWS: rows of results that are computed at once. SPACE_SLACK: samples that kernels may read beyond a
 * line. */
enum { SPACE_ROWS = 4, SPACE_SLACK = 32 };

/* At least so many products are added up before their sum is added to those of the same kernel before. */
enum { SPACE_PART = 256 };

/* The taps of a kernel, back to front. `taps` holds them row by row; `blocked` holds the SPACE_ROWS taps that
 * multiply one sample side by side,
 *     blocked[(j · width + i) · SPACE_ROWS + r] = taps[(j − r) · width + i], 0 ≤ j < height + SPACE_ROWS − 1,
 * or 0 where there is no such tap. Kernels of one row have no blocked taps. */
struct space_taps {
    int width, height;
    const float *taps, *blocked;
};

/* One tap of a kernel that is mostly zeros, with its position back to front. */
struct space_tap {
    int row, column;
    float value;
};

/* Taps in 16 bits, in units of 2^-15. Samples x are held as (x − 128) · SPACE_STEP, and `offset` adds to a
 * result what the subtraction of 128 took from it. SPACE_STEP · SPACE_STEP_INVERSE is a little less than
 * 2^15; the last taps are scaled to compensate. */
enum { SPACE_STEP = 252, SPACE_STEP_INVERSE = 130 };

/* Each 32-bit value holds its tap twice, because broadcasting 16 bits takes two instructions. */
struct space_short_taps {
    int width, height;
    int16_t offset;
    const int32_t *taps, *blocked;
};

/* Rows of floats, `pitch` apart. */
struct space_lines {
    float *data;
    ptrdiff_t pitch;
};

/* Rows of shorts, `pitch` apart. */
struct space_shorts {
    int16_t *data;
    ptrdiff_t pitch;
};

struct space_kernels {
    const char *name;

    /* Convert samples of a picture to floats, where integers keep their values, and back, rounded to nearest
     * and saturated (NaN gives 0). F16 is not supported. */
    void (*load)(abbe_type type, const void *from, size_t count, float *to);
    void (*store)(abbe_type type, const float *from, size_t count, void *to);

    /* Whether all samples are finite. */
    bool (*finite)(const float *from, size_t count);

    /* Multiply or divide the colours of four-channel pixels by alpha, the last channel, which is `white` when
     * opaque. divide_alpha first divides alpha by the filter's gain; a pixel with alpha below half a step of
     * 16 bits becomes black. */
    void (*multiply_alpha)(float *row, size_t pixels, float white);
    void (*divide_alpha)(float *row, size_t pixels, float gain, float white);

    /* Applies one column of taps to `results` + height − 1 stored rows of a picture, which gives `results`
     * rows, 1 … SPACE_ROWS. F16 is not supported. Reads and writes exactly `count` samples per row. */
    void (*columns)(abbe_type type, const void *const *rows, const struct space_taps *taps, int results,
                    size_t count, struct space_lines to);

    /* Applies all taps. Rows hold count + (width − 1) · step floats and SPACE_SLACK arbitrary ones after
     * them. Exactly `count` results per row are written, or added to what is there. */
    void (*dense)(const float *const *rows, size_t step, const struct space_taps *taps, int results,
                  size_t count, bool add, struct space_lines to);

    /* Applies `tap_count` single taps to rows as in `dense`, which gives one row of results. */
    void (*sparse)(const float *const *rows, size_t step, const struct space_tap *taps, int tap_count,
                   size_t count, float *to);

    /* The same from bytes to bytes in 16-bit arithmetic. NULL where the level does not have them. */
    void (*short_load)(const uint8_t *from, size_t count, int16_t *to);
    void (*short_columns)(const uint8_t *const *rows, const struct space_short_taps *taps, int results,
                          size_t count, struct space_shorts to);
    void (*short_dense)(const int16_t *const *rows, size_t step, const struct space_short_taps *taps,
                        int results, size_t count, ptrdiff_t pitch, uint8_t *to);
};

extern const struct space_kernels space_baseline, space_avx2, space_avx512;

#endif
