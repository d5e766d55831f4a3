/* Template: two-dimensional transforms in natural order, rows first, then columns. natural_f32.c and
 * natural_f64.c instantiate it, each defining
 *     REAL      float or double
 *     FFT       the transform's struct tag, fft_f32 or fft_f64
 *     NAME      NAME(x) is fft_f32_x or fft_f64_x
 *     NATURAL   the function's name
 *
 * A block of LANES neighbouring rows or columns is gathered into the lanes of the one-dimensional transform
 * and scattered back. The same copies convert between engine order and natural order. */
#include "core/memory.h"
#include "core/pool.h"
#include "core/threads.h"
#include "fft/fft.h"
#include "fft/natural.h"

#include <abbe/abbe.h>

/* The numbers in a cache line. */
enum { LANES = CORE_ALIGNMENT / sizeof(REAL) };

/* Transforms along one axis: sample k of line i is complex number k · step + i · pitch of the picture. */
struct axis_pass {
    const struct FFT *fft;
    size_t length, lines;
    size_t step, pitch;
    bool inverse;
    double scale;
};

/* Numbers that one worker needs: a block, and scratch of the transform. */
static size_t workspace_size(const struct FFT *fft, size_t length)
{
    return 2 * length * LANES + NAME(scratch)(fft, LANES);
}

static void gather_block_lines(const struct axis_pass *pass, const REAL *in, size_t first, size_t lanes,
                               REAL *block)
{
    const int *order = NAME(order)(pass->fft);
    for (size_t k = 0; k < pass->length; k++) {
        size_t sample = pass->inverse ? (size_t)order[k] : k;
        const REAL *from = in + 2 * (sample * pass->step + first * pass->pitch);
        REAL *row = block + 2 * k * lanes;
        for (size_t l = 0; l < lanes; l++) {
            row[l] = from[2 * l * pass->pitch];
            row[lanes + l] = from[2 * l * pass->pitch + 1];
        }
    }
}

/* Multiplies by the scale in double: one rounding, no bias. */
static void scatter_block_lines(const struct axis_pass *pass, const REAL *block, size_t first, size_t lanes,
                                REAL *out)
{
    const int *order = NAME(order)(pass->fft);
    for (size_t k = 0; k < pass->length; k++) {
        size_t sample = pass->inverse ? k : (size_t)order[k];
        const REAL *row = block + 2 * k * lanes;
        REAL *to = out + 2 * (sample * pass->step + first * pass->pitch);
        for (size_t l = 0; l < lanes; l++) {
            to[2 * l * pass->pitch] = (REAL)(row[l] * pass->scale);
            to[2 * l * pass->pitch + 1] = (REAL)(row[lanes + l] * pass->scale);
        }
    }
}

static void transform_block(const struct axis_pass *pass, const REAL *in, REAL *out, size_t first,
                            REAL *workspace)
{
    size_t lanes = pass->lines - first < LANES ? pass->lines - first : LANES;
    REAL *block = workspace, *scratch = workspace + 2 * pass->length * LANES;
    gather_block_lines(pass, in, first, lanes, block);
    if (pass->inverse)
        NAME(inverse)(pass->fft, block, lanes, scratch);
    else
        NAME(forward)(pass->fft, block, lanes, scratch);
    scatter_block_lines(pass, block, first, lanes, out);
}

/* One pass over the blocks of a picture. */
struct blocks_pass {
    struct axis_pass axis;
    const REAL *in;
    REAL *out, *workspace;
    size_t each; /* numbers in the workspace of one worker */
};

/* A pool_task over blocks. Blocks are independent, so the result does not depend on the number of workers. */
static void transform_axis_blocks(void *context, int worker, long long first, long long end)
{
    const struct blocks_pass *pass = context;
    for (long long block = first; block < end; block++)
        transform_block(&pass->axis, pass->in, pass->out, (size_t)block * LANES,
                        pass->workspace + (size_t)worker * pass->each);
}

static void transform_along_axis(struct blocks_pass *pass, int workers)
{
    pool_loop(workers, (long long)((pass->axis.lines - 1) / LANES + 1), 1, transform_axis_blocks, pass);
}

static int count_fft_workers(int width, int height, int threads)
{
    int lines = width > height ? width : height, blocks = (lines - 1) / LANES + 1;
    int workers = core_workers(threads, (double)width * height);
    return workers < blocks ? workers : blocks;
}

int NATURAL(int width, int height, bool inverse, const REAL *in, REAL *out, int threads)
{
    struct FFT *along_row = NULL, *along_column = NULL;
    REAL *workspace = NULL;
    int workers = count_fft_workers(width, height, threads);
    int error = NAME(create)(width, &along_row);
    if (!error)
        error = NAME(create)(height, &along_column);
    if (error)
        goto fail;
    size_t w = (size_t)width, h = (size_t)height;
    size_t for_rows = workspace_size(along_row, w), for_columns = workspace_size(along_column, h);
    size_t each = for_rows > for_columns ? for_rows : for_columns;
    workspace = core_alloc((size_t)workers * each, sizeof *workspace);
    if (!workspace) {
        error = ABBE_ERR_MEMORY;
        goto fail;
    }
    struct blocks_pass rows = {
        { along_row, w, h, 1, w, inverse, inverse ? 1 : 1.0 / width }, in, out, workspace, each
    };
    struct blocks_pass columns = {
        { along_column, h, w, w, 1, inverse, inverse ? 1 : 1.0 / height }, out, out, workspace, each
    };
    transform_along_axis(&rows, workers);
    if (height > 1)
        transform_along_axis(&columns, workers);
fail:
    core_free(workspace);
    NAME(destroy)(&along_column);
    NAME(destroy)(&along_row);
    return error;
}
