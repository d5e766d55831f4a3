/* The vector kernels of the fused Fourier engine: what each instruction set compiles, and the tables they read.
 *
 * A row of M = lanes · residues samples is transformed in place in a buffer
 *     row        [sample / lanes][re | im][lanes]
 * by steps over the residues, all of whose strides are whole vectors. What is left are `residues` transforms of
 * `lanes` samples, each one vector: residue c holds the frequencies u = c + residues · k. Lanes of them are
 * transposed in registers and transformed at once, which leaves in vector k, lane l the frequency of residue c_l.
 * Nobody needs them in order, so that vector goes to the grid as it is:
 *     grid       [block][row][re | im][lanes of a block]        block = group of residues · lanes of a row + k
 * A block is as wide as the vectors of the column kernels, which may be wider than those of the rows; then as many
 * groups of residues stand side by side in it.
 *
 * A pair plane holds two channels, f + i·g, and all M columns. A lone plane holds one channel: two picture rows
 * share a transform and are told apart again before they leave the registers (Moreland & Angel 2003, eq. 8), so
 * only residues 0 … residues / 2 are kept. */
#ifndef ABBE_CPU_FUSED_KERNELS_H
#define ABBE_CPU_FUSED_KERNELS_H

#include <abbe/abbe.h>

#include <stdbool.h>
#include <stddef.h>

enum { FUSED_STEPS = 20 };

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
     * of the residues opposite to it. `residues`, the vector of zeros behind the row, where there is none. */
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
    int lanes;           /* of a block: one or several times those of the rows */
    size_t ahead;        /* floats from a row to the one that will be wanted next, 0: do not fetch it yet */
};

/* How pixels of up to FUSED_DIRECT channels become rows, or rows pixels. */
enum { FUSED_DIRECT = 4 };

/* Vectors of a row that are loaded in one way. */
struct fused_run {
    int vector, count;
    int pixel; /* the first one, when all lie side by side in the picture; −1: as the index says */
};

struct fused_pixels {
    abbe_type type;
    int channels;
    bool premultiply; /* by alpha, the last channel; or divide by it */

    /* Loading. */
    bool zero_nonfinite;
    const int *index; /* the pixel of each sample of a row, −1: the outside one */
    int run_count;
    const struct fused_run *runs; /* all vectors of a row */
    const float *outside;         /* ready to filter */
    ptrdiff_t ahead;              /* bytes to the row that will be wanted next, 0: do not fetch it yet */

    /* Storing. */
    int first, count; /* samples of the row that are results */
    bool alpha;       /* the last channel takes no offset */
    float alpha_gain, offset;
    bool stream; /* past the caches */
};

/* Of one instruction set. */
struct fused_row_kernels {
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
    void (*row_forward)(const struct fused_row *transform, float *row, const struct fused_grid *grid,
                        size_t to);
    void (*row_inverse)(const struct fused_row *transform, const struct fused_grid *grid, size_t from,
                        float *row);
    void (*lone_forward)(const struct fused_row *transform, float *row, const struct fused_grid *grid,
                         size_t real, size_t imaginary);
    void (*lone_inverse)(const struct fused_row *transform, const struct fused_grid *grid, size_t real,
                         size_t imaginary, float *row);
};

struct fused_column_kernels {
    int lanes; /* a multiple of the rows' */

    /* One block of columns: forward, times h, back; h is [length][lanes], or [length][re | im][lanes] unless
     * real. */
    void (*filter)(const struct fused_column *transform, float *block, const float *h, bool real);
    void (*forward)(const struct fused_column *transform, float *block);
    void (*apply)(const struct fused_column *transform, const float *in, const float *h, bool real,
                  float *out);
};

extern const struct fused_row_kernels fused_rows_baseline, fused_rows_avx2, fused_rows_avx512,
    fused_rows_avx512_narrow;
extern const struct fused_column_kernels fused_columns_baseline, fused_columns_avx2, fused_columns_avx512,
    fused_columns_avx512_narrow;

/* Rows and columns that work together. */
struct fused_kernels {
    const struct fused_row_kernels *rows;
    const struct fused_column_kernels *columns;
    /* Time of a block of columns with its share of the rows, relative to other kernels: while the grid stays in the
     * second cache, and beyond. */
    double near_cost, far_cost;
};

#endif
