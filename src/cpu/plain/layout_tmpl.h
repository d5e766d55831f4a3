/* Template: the layout of the plain Fourier engine, and its memory. Included by plain_tmpl.h.
 *
 * Channels 2p and 2p + 1 form complex plane p as f + i·g and are never untangled: a real kernel filters both
 * channels in the same way. The last of an odd number of channels is a single plane: rows 2k and 2k + 1 of
 * the window form complex row k, which the column pass untangles (Moreland & Angel 2003, eq. 7 and 8), for
 * half of the columns, which are sufficient.
 *
 *   grid       [block of LANES columns][row][re | im][LANES]    between the passes; columns in engine order
 *   columns    [frequency v][re | im][LANES]                    one block in the column pass
 *   spectrum   [block][v][LANES] or [block][v][re | im][LANES]  H / (M·N), in the order of the columns */

enum { LANES = 16, PLAIN_PLANES = (ABBE_CHANNELS_MAX + 1) / 2 };

/* A complex plane: two channels, or a single one whose rows are tangled. */
struct plane {
    int channel; /* the first */
    bool single;
    int rows;          /* complex rows of the grid */
    int lanes;         /* complex rows that LANES rows of the window make */
    int column_blocks; /* blocks of the column pass */
};

/* What even transforms along one axis need beside those of the length: { cos, sin } of πu / 2 · length for u ≤ length / 2,
 * and the position of each frequency. */
struct even_axis {
    int length;
    REAL *turns;
    int *place;
};

struct plain {
    struct fourier head; /* even transforms: with the even parts of H */
    struct FFT *rows, *columns;
    int *place; /* the position of frequency u in a transformed row */
    int *half;  /* the column of frequency u in a single plane: u up to half the length, then −1 */
    bool even;  /* even transforms; `place` and `half` then have the frequencies of the doubled grid */
    struct even_axis even_x, even_y;
    bool has_odd;         /* a filter has an odd part */
    struct spectrum *odd; /* the odd parts of H */
    int grid_blocks;      /* blocks of LANES columns in a row */
    int plane_count;
    struct plane planes[PLAIN_PLANES];
};

/* The memory of one thread. */
struct plain_worker {
    REAL *line;    /* a row of the picture */
    REAL *row;     /* a row of the window, channels interleaved */
    REAL *rows;    /* per plane: LANES rows of the window, [x][re | im][lanes] */
    REAL *odd;     /* even transforms: the odd part of the rows of one plane */
    REAL *columns; /* one block of columns */
    REAL *scratch; /* for the transforms */
};

struct plain_window {
    struct window head;
    REAL *grid[PLAIN_PLANES];
    REAL *kept
        [PLAIN_PLANES]; /* the forward transform of the columns, for a bank of several filters or an odd part */
    REAL *odd[PLAIN_PLANES]; /* even transforms: the odd part, as `grid` */
    struct plain_worker *workers;
};

/* Blocks of LANES that hold `columns` columns. */
static inline int plain_blocks(int columns)
{
    return (columns - 1) / LANES + 1;
}

/* Numbers of a plane's grid. */
static inline size_t plain_grid_reals(const struct plain *plain, const struct plane *plane)
{
    return (size_t)plain->grid_blocks * plane->rows * 2 * LANES;
}

/* Numbers of a block of columns. */
static inline size_t plain_block_reals(const struct engine *engine)
{
    return (size_t)engine->work->y.length * 2 * LANES;
}
