/* The vector kernels of the fused Fourier engine: what each instruction set compiles, and the tables they read.
 *
 * A row of M = lanes · residues samples is transformed in place in a buffer
 *     row        [sample / lanes][re | im][lanes]
 * by steps over the residues, all of whose strides are whole vectors. What is left are `residues` transforms of
 * `lanes` samples, each one vector: residue c holds the frequencies u = c + residues · k. Lanes of them are
 * transposed in registers and transformed at once, which leaves in vector k, lane l the frequency of residue c_l.
 * Nobody needs them in order, so that vector goes to the grid as it is:
 *     grid       [block][row][re | im][lanes]        block = group of residues · lanes + k
 *
 * A pair plane holds two channels, f + i·g, and all M columns. A lone plane holds one channel: two picture rows
 * share a transform and are told apart again before they leave the registers (Moreland & Angel 2003, eq. 8), so
 * only residues 0 … residues / 2 are kept. */
#ifndef ABBE_CPU_FUSED_KERNELS_H
#define ABBE_CPU_FUSED_KERNELS_H

#include <abbe/abbe.h>

#include <stdbool.h>
#include <stddef.h>

enum { FUSED_STEPS = 16, FUSED_RADIX_MAX = 16 };

/* A step of radix r on blocks of r · m samples. */
struct fused_step {
    int radix, m;
    size_t twiddles; /* where its own begin */
};

/* The transform of a row. Twiddles of a step are [j / lanes][k = 1 … r − 1][re | im][lanes]. */
struct fused_row {
    int length, residues;
    int groups; /* groups of `lanes` residues that the grid holds */
    bool lone;
    int step_count;
    struct fused_step steps[FUSED_STEPS];
    float *twiddles;
    /* Which vector of the row holds lane l of group g, [g · lanes + l]: of the group itself, and for a lone plane
     * of the residues opposite to it. −1: none. */
    int *near, *far;
};

/* The transform of a block of columns. Twiddles of a step are [j][k = 1 … r − 1]{ re, im }. */
struct fused_column {
    int length;
    int step_count;
    struct fused_step steps[FUSED_STEPS]; /* the last one has m = 1 and no twiddles */
    float *twiddles;
    int *offset; /* where row y lies in a block, in rows: strides stay off powers of two */
};

/* Where rows of one plane lie in the grid. */
struct fused_grid {
    float *data;
    size_t block_floats; /* from one block to the next */
};

/* How pixels of up to FUSED_DIRECT channels become rows, or rows pixels. */
enum { FUSED_DIRECT = 4 };

struct fused_pixels {
    abbe_type type;
    int channels;
    bool premultiply; /* by alpha, the last channel; or divide by it */

    /* Loading. */
    bool zero_nonfinite;
    int vectors;          /* in a row */
    const int *index;     /* the pixel of each sample, −1: the outside one */
    const int *start;     /* the first pixel of each vector where all of it lies side by side, otherwise −1 */
    const float *outside; /* ready to filter */

    /* Storing. */
    int first, count; /* samples of the row that are results */
    bool alpha;       /* the last channel takes no offset */
    float alpha_gain, offset;
};

struct fused_kernels {
    const char *name;
    int lanes;

    /* A row of the picture to the rows of every plane, and back. The last of an odd number of channels goes to the
     * real (part 0) or imaginary (part 1) samples of the last row. load_row: whether all samples were finite. */
    bool (*load_row)(const struct fused_pixels *how, const void *from, int part, float *const *rows);
    void (*store_row)(const struct fused_pixels *how, const float *const *rows, int part, void *to);
    /* The same for interleaved floats; results begin at sample `first`. */
    void (*split)(const float *pixels, int channels, int count, int part, float *const *rows);
    void (*merge)(const float *const *rows, int first, int channels, int count, int part, float *pixels);

    /* A row forward to the row of the grid that lies `to` floats into a block, and back. The row is clobbered. A
     * lone row goes as two, which may be one. */
    void (*row_forward)(const struct fused_row *transform, float *row, const struct fused_grid *grid, size_t to);
    void (*row_inverse)(const struct fused_row *transform, const struct fused_grid *grid, size_t from,
                        float *row);
    void (*lone_forward)(const struct fused_row *transform, float *row, const struct fused_grid *grid,
                         size_t real, size_t imaginary);
    void (*lone_inverse)(const struct fused_row *transform, const struct fused_grid *grid, size_t real,
                         size_t imaginary, float *row);

    /* One block of columns: forward, times h, back; h is [length][lanes], or [length][re | im][lanes] unless
     * real. `in` may be `out`. */
    void (*column_filter)(const struct fused_column *transform, float *block, const float *h, bool real);
    void (*column_forward)(const struct fused_column *transform, float *block);
    void (*column_apply)(const struct fused_column *transform, const float *in, const float *h, bool real,
                         float *out);
};

extern const struct fused_kernels fused_baseline, fused_avx2, fused_avx512;

#endif
