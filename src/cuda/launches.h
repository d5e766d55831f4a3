/* Launches: which kernel a pass takes, the constants that it is compiled for, and its blocks. */
#ifndef ABBE_CUDA_LAUNCHES_H
#define ABBE_CUDA_LAUNCHES_H

#include "cuda/geometry.h"

#define ABCU_KERNEL_NUMBER(name) ABCU_KERNEL_##name,
enum cuda_kernel_name { ABCU_KERNELS(ABCU_KERNEL_NUMBER) ABCU_KERNEL_COUNT };
#undef ABCU_KERNEL_NUMBER

/* A kernel, compiled for its constants. */
struct cuda_pass {
    bool used;
    enum cuda_kernel_name kernel;
    struct abcu_constants constants;
    unsigned threads; /* of a block */
    unsigned shared;  /* bytes of a block */
};

/* The passes of a work. Index 1 of an array is for magnitudes of two components. */
struct cuda_passes {
    struct cuda_pass rows, columns, rows_back[2], direct[2], separable_rows, separable_columns[2], finish;
};

/* Pictures of a run. */
struct cuda_pictures {
    bool source_whole, result_whole; /* cuda_is_whole() */
};

/* Whether pixels of such a picture can be moved at once: 1, 2 or 4 channels side by side, and addresses that are
 * multiples of a pixel. */
bool cuda_is_whole(unsigned long long first, const struct abcu_strides *strides, int channels,
                   abbe_type type);

/* Chooses the passes of a work; `real`: all spectra are real. */
void cuda_plan_passes(const struct cuda *cuda, const struct work *work, const struct cuda_geometry *geometry,
                      bool real, const struct cuda_pictures *pictures, struct cuda_passes *passes);

/* The following set the parameters of one launch that depend on the pass, and its blocks. The caller sets pointers
 * (`table` included), strides of pictures, width, height, maps, outside pixel, alpha_gain and offset. */

/* Parameters of all Fourier passes of a region: steps, strides of the grid, tiles across. */
void cuda_set_fourier(const struct work *work, const struct cuda_geometry *geometry, int tiles_across,
                      struct abcu_params *params);

/* params->first_tile is set by the caller; `tiles` go through the launch. */
void cuda_blocks_rows(const struct work *work, const struct cuda_geometry *geometry, int tiles,
                      unsigned blocks[3]);
void cuda_blocks_rows_back(const struct work *work, const struct cuda_geometry *geometry, int tiles,
                           unsigned blocks[3]);
/* `resident`: blocks of the pass that the GPU has room for at a time; of no importance unless it is persistent. */
void cuda_blocks_columns(const struct cuda_geometry *geometry, int tiles, int resident, unsigned blocks[3]);

/* In space, for results of width × height; `window` rows are filtered by separable_rows. */
void cuda_blocks_squares(const struct cuda_geometry *geometry, int width, int height, unsigned blocks[3]);
void cuda_blocks_separable_rows(const struct cuda_geometry *geometry, int width, int window, int terms,
                                unsigned blocks[3]);
void cuda_blocks_finish(int width, int height, unsigned blocks[3]);

#endif
