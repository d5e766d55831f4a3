/* The vector kernels of the fused Fourier engine: what each instruction set compiles, and the tables that
 * kernels read.
 *
 * A row of M = lanes · residues samples is transformed in place in a buffer
 *     row        [sample / lanes][re | im][lanes]
 * by steps over the residues, whose strides are whole vectors. These steps leave `residues` transforms of
 * `lanes` samples, each in one vector: residue c holds the frequencies u = c + residues · k. `lanes` of them
 * are transposed in registers and transformed together, which leaves in vector k, lane l the frequency k of
 * residue c_l. The columns may lie in any order, so that vector goes to the grid as it is:
 *     grid       [block][row][re | im][lanes of a block]    block = group of residues · lanes of a row + k
 * A block is as wide as the vectors of the column kernels. These may be wider than the vectors of the row
 * kernels; then several groups of residues lie side by side in a block.
 *
 * A pair plane holds two channels, f + i·g, and all M columns. A single plane holds one channel: two rows of
 * the picture share a transform and are untangled before they leave the registers (Moreland & Angel 2003, eq.
 * 8), so only residues 0 … residues / 2 are kept. */
#ifndef ABBE_CPU_FUSED_KERNELS_H
#define ABBE_CPU_FUSED_KERNELS_H

#include <abbe/abbe.h>

#include <stdbool.h>
#include <stddef.h>

enum { FUSED_STEPS = 20, FUSED_LANES_MAX = 16 };

struct fused_column;

/* The transform of p samples for a prime p above 7 (see prime_tmpl.h). */
struct fused_prime {
    int p;
    /* Sums: [k = 1 … p / 2][j = 1 … p / 2]{ cos 2πjk/p, sin 2πjk/p }. Rader's algorithm by two convolutions of L
     * samples: { re, im } of e^(−jπn/L), n < p − 1; by one: NULL. */
    float *turns;

    /* Rader's algorithm; NULL for sums. */
    struct fused_column *cyclic;
    size_t block_floats; /* from the scratch of one convolution to that of the other */
    float *spectrum; /* { re, im }, for each convolution in the order of `cyclic`, divided by p − 1 or 2 L */
    int *power;      /* g^n mod p, n < p − 1 */
    void (*convolve)(const struct fused_column *cyclic, float *block, const float *spectrum);
};

/* The largest prime whose sums may be computed as they are defined. */
enum { FUSED_DIRECT_MAX = 61 };

/* A step of radix r on blocks of r · m samples. */
struct fused_step {
    int radix, m;
    size_t twiddles;           /* index of its first twiddle */
    struct fused_prime *prime; /* NULL where the radix is a straight-strand butterfly */
};

/* The transform of a row. The twiddles of a step are [j / lanes][k = 1 … r − 1][re | im][lanes]. */
struct fused_row {
    int length, residues;
    int groups; /* groups of `lanes` residues in the grid */
    int step_count;
    struct fused_step steps[FUSED_STEPS];
    float *twiddles;
    /* The vector of the row that holds lane l of group g, at [g · lanes + l]; and, for a single plane, the
     * vector of the opposite residue. Where no residue exists it is `residues`, the index of a vector of
     * zeros behind the row. */
    int *vector, *opposite;
    /* Of an even transform (rows_even_tmpl.h): e^(−jπu / 2M) of the frequencies of each group,
     * [group][k][re | im][lanes], and of those of residue `residues` / 2, [k]{ re, im }. */
    float *quarter, *quarter_middle;
};

/* The transform of a block of columns. The twiddles of a step are [j][k = 1 … r − 1]{ re, im }. */
struct fused_column {
    int length;
    int step_count;
    struct fused_step steps[FUSED_STEPS]; /* the last step has m = 1 and no twiddles */
    float *twiddles;
    int *offset; /* the position of row y in a block, in rows; gaps keep strides off powers of two */
    /* Of an even transform (columns_even_tmpl.h): e^(−jπv / 2N) of the frequency v at each position of a column,
     * { re, im }; and for each butterfly of the last step that which holds the opposite frequencies. */
    float *quarter;
    int *opposite;
    int *reversed; /* the position of frequency N − v; −1 for v = 0 */
};

struct fused_column_kernels;

/* The transform of `lanes` rows side by side, for lengths that are no multiple of the lanes. Frequency u lies
 * in column u of the grid. */
struct fused_beside {
    struct fused_column transform;
    const struct fused_column_kernels *kernels;
    size_t block_floats; /* of the rows side by side; scratch lies behind them */
    /* The rows of the block with the frequencies u and M − u, up to twice columns[1]; 0 where there is none. */
    int *near, *far;
    int columns[2]; /* columns of the grid, of a pair plane and of a single plane; they fill whole blocks */
    int *order;     /* the frequency at each position of the block */
};

/* The grid of one plane. */
struct fused_grid {
    float *data;
    size_t block_floats; /* from one block to the next */
    int lanes;           /* of a block: a multiple of the row kernels' lanes */
    int group_blocks;    /* blocks of a group of residues */
    size_t ahead;        /* floats from a row to the row to prefetch; 0: no prefetch */
    bool stream;         /* rows are written with non-temporal stores */
};

/* Interleaved pixels of up to this many channels are loaded and stored without a row of interleaved floats in
 * between; planes always are. */
enum { FUSED_DIRECT = 4 };

/* Consecutive vectors of a row that are loaded in the same way. */
struct fused_span {
    int vector, count;
    int pixel; /* the first pixel, if pixels are consecutive in the picture; −1: the index has the pixels */
};

/* How pixels become rows, or rows become pixels: planes, or up to FUSED_DIRECT interleaved channels. */
struct fused_pixels {
    abbe_type type;
    int channels;
    bool planar;      /* each channel is a plane */
    ptrdiff_t plane;  /* bytes from one plane to the next */
    bool premultiply; /* by alpha, the last channel; storing divides by it */

    /* Loading. */
    bool zero_nonfinite;
    const int *index; /* the pixel of each sample of a row, −1: the outside pixel */
    int span_count;
    const struct fused_span *spans; /* all vectors of a row */
    const float *outside;           /* ready to filter */
    const float *pedestal;          /* subtracted from each channel; NULL: nothing */
    ptrdiff_t ahead;                /* bytes to the row to prefetch; 0: no prefetch */

    /* Storing. */
    int first, count; /* samples of the row that are results */
    float alpha_gain;
    const float *offset; /* added to each channel; NULL: nothing */
    bool stream;         /* with non-temporal stores, where the kernel has them */
};

/* Where the real (0) and imaginary (1) samples of a row lie: in a buffer, or as two rows of floats in a picture, which
 * the first step then loads and the last one back stores. */
struct fused_strand {
    float *part[2];
    size_t step;     /* floats from one vector of a part to the next */
    float level[2];  /* subtracted from loaded samples, added to stored ones */
    ptrdiff_t ahead; /* floats to samples to prefetch; 0: no prefetch */
    bool stream;     /* with non-temporal stores; the parts are aligned to whole vectors */
};

/* The row kernels of one instruction set. Behind a row and its vector of zeros is the scratch of the primes in
 * its length (fused_scratch_floats). */
struct fused_row_kernels {
    int lanes;

    /* Load a row of the picture into the rows of every plane, and store it. The last of an odd number of
     * channels goes to the real (part 0) or imaginary (part 1) samples of the last row. load_row returns
     * whether all samples were finite. */
    bool (*load_row)(const struct fused_pixels *how, const void *from, int part, float *const *rows);
    void (*store_row)(const struct fused_pixels *how, const float *const *rows, int part, void *to);
    /* The same for interleaved floats; results begin at sample `first`. */
    void (*split)(const float *pixels, int channels, int count, int part, float *const *rows);
    void (*merge)(const float *const *rows, int first, int channels, int count, int part, float *pixels);

    /* The first step from a strand to a row, and the last step back; only where fused_begins_rows. begin_row returns
     * whether all samples were finite. */
    bool (*begin_row)(const struct fused_row *transform, const struct fused_strand *strand, float *row);
    void (*end_row)(const struct fused_row *transform, const float *row, const struct fused_strand *strand);

    /* Transform a row to the row of the grid that lies `to` floats into a block, and back, without the first `begun`
     * steps. The row is clobbered. */
    void (*pair_forward)(const struct fused_row *transform, int begun, float *row,
                         const struct fused_grid *grid, size_t to);
    void (*pair_inverse)(const struct fused_row *transform, int begun, const struct fused_grid *grid,
                         size_t from, float *row);
    /* A row of a single plane is two rows of the grid, which may be the same. */
    void (*single_forward)(const struct fused_row *transform, int begun, float *row,
                           const struct fused_grid *grid, size_t real, size_t imaginary);
    void (*single_inverse)(const struct fused_row *transform, int begun, const struct fused_grid *grid,
                           size_t real, size_t imaginary, float *row);

    /* The same for even transforms, of rows that fold_strand has folded; it returns whether all samples were finite. */
    bool (*fold_strand)(const struct fused_strand *strand, int length, float *row);
    void (*unfold_strand)(const float *row, int length, const struct fused_strand *strand);
    void (*pair_even_forward)(const struct fused_row *transform, float *row, const struct fused_grid *grid,
                              size_t to);
    void (*pair_even_inverse)(const struct fused_row *transform, const struct fused_grid *grid, size_t from,
                              float *row);
    void (*single_even_forward)(const struct fused_row *transform, float *row, const struct fused_grid *grid,
                                size_t real, size_t imaginary);
    void (*single_even_inverse)(const struct fused_row *transform, const struct fused_grid *grid, size_t real,
                                size_t imaginary, float *row);
    /* Adds the odd part of a row of results: sample n of `odd`, times (−1)^n and a sign, real and imaginary. */
    void (*add_odd)(const float *odd, int length, float real, float imaginary, float *row);

    /* The same for `lanes` rows side by side: `count` rows of a pair plane, or `count` of a single plane, two of which
     * share a strand. The strands that no row is left for are not stored. */
    bool (*pairs_forward)(const struct fused_beside *beside, const struct fused_strand *strands,
                          const struct fused_grid *grid, const size_t *to, int count, float *block);
    void (*pairs_inverse)(const struct fused_beside *beside, const struct fused_grid *grid,
                          const size_t *from, const struct fused_strand *strands, int count, float *block);
    bool (*singles_forward)(const struct fused_beside *beside, const struct fused_strand *strands,
                            const struct fused_grid *grid, const size_t *to, int count, float *block);
    void (*singles_inverse)(const struct fused_beside *beside, const struct fused_grid *grid,
                            const size_t *from, const struct fused_strand *strands, int count, float *block);
    /* The columns of a single plane with even transforms hold C(u) as real and C(u + columns[1]) as imaginary parts. */
    bool (*pairs_even_forward)(const struct fused_beside *beside, const struct fused_strand *strands,
                               const struct fused_grid *grid, const size_t *to, int count, float *block);
    void (*pairs_even_inverse)(const struct fused_beside *beside, const struct fused_grid *grid,
                               const size_t *from, const struct fused_strand *strands, int count,
                               float *block);
    bool (*singles_even_forward)(const struct fused_beside *beside, const struct fused_strand *strands,
                                 const struct fused_grid *grid, const size_t *to, int count, float *block);
    void (*singles_even_inverse)(const struct fused_beside *beside, const struct fused_grid *grid,
                                 const size_t *from, const struct fused_strand *strands, int count,
                                 float *block);
};

/* The column kernels of one instruction set. */
struct fused_column_kernels {
    int lanes; /* a multiple of the row kernels' lanes */

    /* Transform a block of columns forward, multiply it by h, and transform it back; h is [length][lanes] if
     * it is real, otherwise [length][re | im][lanes]. */
    void (*filter)(const struct fused_column *transform, float *block, const float *h, bool real,
                   float *scratch);
    /* The two halves of `filter`: the forward transform, and from there to `out`. */
    void (*forward)(const struct fused_column *transform, float *block, float *scratch);
    void (*apply)(const struct fused_column *transform, const float *in, const float *h, bool real,
                  float *out, float *scratch);
    /* The inverse transform. */
    void (*inverse)(const struct fused_column *transform, float *block, float *scratch);
    /* `filter` where all lanes have the gains { re, im } of a row, for lengths that need no scratch. */
    void (*convolve)(const struct fused_column *transform, float *block, const float *gains);

    /* The same for even transforms. h is [length][lanes], or [length][re | im][lanes] where `split`: gains of
     * the real and of the imaginary parts, which are different columns. */
    void (*even_filter)(const struct fused_column *transform, float *block, const float *h, bool split,
                        float *scratch);
    void (*even_forward)(const struct fused_column *transform, float *block, float *scratch);
    void (*even_apply)(const struct fused_column *transform, const float *in, const float *h, bool split,
                       float *out, float *scratch);
    void (*even_inverse)(const struct fused_column *transform, float *block, float *scratch);
    /* Multiplies a block of frequencies by gains and reverses it along both axes: out(M − u, N − v) = −h · in(u, v).
     * `in` and `h` are the block of the columns M − u. */
    void (*cross)(const struct fused_column *transform, const float *in, const float *h, bool split,
                  float *out);
};

extern const struct fused_row_kernels fused_rows_baseline, fused_rows_avx2, fused_rows_avx512,
    fused_rows_avx512_narrow;
extern const struct fused_column_kernels fused_columns_baseline, fused_columns_avx2, fused_columns_avx512,
    fused_columns_avx512_narrow;

/* Row and column kernels that work together. */
struct fused_kernels {
    const struct fused_row_kernels *rows;
    const struct fused_column_kernels *columns;
    /* Time for a block of columns with its share of the rows, relative to the other kernels of the level:
     * while the grid fits in the second cache, and when it does not. */
    double cached_cost, uncached_cost;
    const struct fused_column_kernels *across; /* with the lanes of the rows */
    /* Narrower pictures have their rows side by side: their groups of residues would leave lanes empty. */
    int beside_below;
};

#endif
