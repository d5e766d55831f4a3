/* The fused Fourier engine: three passes over a picture, its rows and columns transformed by vector kernels.
 *
 *   picture ──load──▶ row in L1 ──▶ grid ──▶ column block in L1 and L2: forward · H · back ──▶ grid ──▶ row ──store──▶
 *
 * Every row of the picture is transformed once, however often the border repeats it. */
#ifndef ABBE_CPU_FUSED_FUSED_H
#define ABBE_CPU_FUSED_FUSED_H

#include "cpu/fused/kernels.h"
#include "cpu/spectra.h"

enum { FUSED_PLANES = (ABBE_CHANNELS_MAX + 1) / 2 };

/* A grid of this many bytes stays in the second cache of most machines, with what else is at work. Beyond, its rows
 * must be asked for early. Measured at 512² to 4096², see docs/cpu.md. */
enum { FUSED_NEAR_BYTES = 3 << 20 };

/* ---- layout.c: the transforms and where things lie ---- */

/* A plane of two channels, or the last one of an odd number. */
enum fused_kind { FUSED_PAIR, FUSED_LONE, FUSED_KINDS };

struct fused_layout {
    const struct fused_kernels *kernels;
    struct fused_row rows[FUSED_KINDS]; /* twiddles and steps are the same */
    struct fused_column columns;
    int blocks[FUSED_KINDS];  /* of columns in a plane */
    size_t block_floats;      /* from one block of the grid to the next */
    int *column[FUSED_KINDS]; /* of frequency u: block · lanes + lane, −1 when it is not kept */
    int *order;               /* the frequency that stands at position v of a column */
};

/* The kernels among those of `level` and below that filter M × N samples of so many channels the fastest,
 * or NULL when none does. */
const struct fused_kernels *fused_choose(int level, int width, int height, int channels);

/* What an operation takes with these kernels on such a grid, relative to the best ones of a level. */
double fused_relative_cost(const struct fused_kernels *kernels, int level, int width, int height,
                           int channels);

/* ABBE_OK or ABBE_ERR_MEMORY; fused_layout_free must follow in any case. */
int fused_layout_create(const struct fused_kernels *kernels, int width, int height,
                        struct fused_layout *layout);
void fused_layout_free(struct fused_layout *layout);

/* Blocks of a plane of one kind, those of all planes of so many channels, and floats from block to block, without
 * creating anything. */
int fused_blocks(const struct fused_kernels *kernels, int width, enum fused_kind kind);
double fused_all_blocks(const struct fused_kernels *kernels, int width, int channels);
size_t fused_block_floats(const struct fused_kernels *kernels, int height);

/* ---- fused.c ---- */

struct fused_scratch;

struct fused {
    struct fused_layout layout;
    int plane_count;
    struct spectrum *spectra;             /* one per filter */
    _Atomic(struct fused_scratch *) idle; /* of a finished run, for the next one */
};

void fused_scratch_destroy(struct fused_scratch **scratch);

#endif
