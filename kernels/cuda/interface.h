/* The interface between the host and the kernels of the CUDA device: constants that a kernel is compiled for,
 * flags, parameters and launches. C (src/cuda) and CUDA C++ (the kernels) both include this file.
 *
 * Words used below: a plane is one complex number for each pixel, two channels of the picture; a pixel of the
 * grid has one or two planes, a group of channels. A unit is what one thread moves at once: the planes that it
 * holds of one pixel. A block is a block of threads; columns that are contiguous in the grid are a strip. */
#ifndef ABBE_KERNELS_CUDA_INTERFACE_H
#define ABBE_KERNELS_CUDA_INTERFACE_H

/* ---- Constants: the kernel is compiled with -DABCU_NAME=VALUE for each ----
 *
 * Kernels use them as ordinary integers. C has them as values[ABCU_ID_NAME] of struct abcu_constants. */

#define ABCU_CONSTANTS(DO)                                                                                   \
    DO(BLOCK_THREADS) /* threads of a block */                                                               \
    DO(MIN_BLOCKS)    /* blocks that a multiprocessor shall have registers for */                            \
    DO(POINTS)        /* points of the transform */                                                          \
    DO(LENGTH)        /* samples; fewer than POINTS for Bluestein's algorithm */                             \
    DO(THREADS)       /* threads of one transform */                                                         \
    DO(REGISTERS)     /* complex numbers of one plane that a thread holds */                                 \
    DO(HELD)          /* planes that a thread holds: 1 or 2 */                                               \
    DO(SIDE)          /* units side by side: neighbouring threads, and neighbours in shared memory */        \
    DO(LANES)         /* such transforms of a block, one behind the other */                                 \
    DO(STAGES)        /* stages of the transform: 1 to 8 */                                                  \
    DO(RADIX0)        /* radices in the order of the forward transform; 1: no stage */                       \
    DO(RADIX1)                                                                                               \
    DO(RADIX2)                                                                                               \
    DO(RADIX3)                                                                                               \
    DO(RADIX4)                                                                                               \
    DO(RADIX5)                                                                                               \
    DO(RADIX6)                                                                                               \
    DO(RADIX7)                                                                                               \
    DO(REGULAR)       /* 1: every radix divides REGISTERS; later stages stay within groups of threads */     \
    DO(PAD)           /* shared memory skips a place after every PAD places; 0: none */                      \
    DO(SPLIT)         /* 1: an exchange moves one half of a unit after the other */                          \
    DO(SLOTS)         /* 1: threads have a slot of shared memory for each unit, behind the exchange */       \
    DO(PERSISTENT)    /* 1: columns: a block takes several tiles and fetches the next one early */           \
    DO(PLANES)        /* planes of a pixel of the grid: 1 or 2 */                                            \
    DO(STRIP)         /* columns that are contiguous in the grid */                                          \
    DO(BAND)          /* rows that are contiguous in the grid */                                             \
    DO(COLUMNS)       /* columns of the grid */                                                              \
    DO(HALF)          /* 1: the grid is in 16 bits */                                                        \
    DO(RESIDENT)      /* sixteenths of the rows that the second-level cache is asked to keep */              \
    DO(PREFETCH)      /* bytes that a load asks the second-level cache to fetch: 0, 128 or 256 */            \
    DO(SOURCE_TYPE)   /* abbe_type of the source */                                                          \
    DO(RESULT_TYPE)   /* abbe_type of the results */                                                         \
    DO(CHANNELS)      /* channels of a pixel of the picture */                                               \
    DO(FLAGS)         /* sum of ABCU_FLAG_… */

#define ABCU_ID(name) ABCU_ID_##name,
enum { ABCU_CONSTANTS(ABCU_ID) ABCU_CONSTANT_COUNT };
#undef ABCU_ID

enum { ABCU_STAGES_MAX = 8 };

/* ---- Flags: bits of ABCU_FLAGS ---- */

enum {
    ABCU_FLAG_LIGHT = 1,           /* samples are sRGB-coded and are filtered in linear light */
    ABCU_FLAG_ALPHA = 2,           /* the last channel is alpha */
    ABCU_FLAG_PREMULTIPLY = 4,     /* colours are multiplied by alpha while they are filtered */
    ABCU_FLAG_ZERO_NONFINITE = 8,  /* a NaN or infinite sample counts as 0 */
    ABCU_FLAG_WIDE = 16,           /* results go to `wide` as floats; finish.cu stores them */
    ABCU_FLAG_REAL = 32,           /* H is real */
    ABCU_FLAG_BANK = 64,           /* columns: several filters share one forward transform (needs SLOTS) */
    ABCU_FLAG_MAGNITUDE = 128,     /* the result is √(a² + b²) of two filters (rows_back needs SLOTS) */
    ABCU_FLAG_SOURCE_WHOLE = 256,  /* source pixels of 1, 2 or 4 channels are aligned and moved at once */
    ABCU_FLAG_RESULT_WHOLE = 512,  /* the same for results */
    ABCU_FLAG_SINGLE = 1024,       /* the picture has one channel: two rows share a plane */
    ABCU_FLAG_INTERIOR = 2048,     /* the window is the picture: there is no border and no map is read */
    ABCU_FLAG_MAPPED_ROWS = 4096,  /* the grid has the source's rows; columns read them by the map */
    ABCU_FLAG_OFFSET = 8192,       /* an offset is added to the results */
    ABCU_FLAG_MANY_TAPS = 16384,   /* direct, separable columns: more than ABCU_PART taps */
    ABCU_FLAG_EVEN = 32768,        /* even transforms: rows and columns are folded (even.cuh) */
    ABCU_FLAG_ODD = 65536          /* EVEN: each filter has two spectra, its even part and its odd part */
};

/* ---- Parameters, the only argument of every kernel ---- */

/* A pointer to device memory: an address for the host, a pointer for kernels. */
#ifdef __cplusplus
#define ABCU_POINTER(type) type *
#else
#define ABCU_POINTER(type) unsigned long long
#endif

/* Where the samples of a picture lie: distances in bytes, which may be negative. */
struct abcu_strides {
    long long row, pixel, channel;
};

struct abcu_params {
    ABCU_POINTER(const void) source;   /* first sample of the region's source */
    ABCU_POINTER(void) result;         /* first sample of the region's result */
    ABCU_POINTER(void) grid;           /* transform grids; layout in grid.cuh */
    ABCU_POINTER(void) back;           /* filtered grids; the grid itself unless the plan is a bank */
    ABCU_POINTER(const float) filters; /* spectra, or taps of kernels */
    ABCU_POINTER(const float) table;   /* of the axis that the kernel transforms; layout in transform.h */
    ABCU_POINTER(const int) map_x;     /* source column of each coordinate of the window, or −1 outside */
    ABCU_POINTER(const int) map_y;     /* source row of each coordinate of the window, or −1 outside */
    ABCU_POINTER(float) wide;          /* results as interleaved floats */
    struct abcu_strides source_strides, result_strides;
    long long tile_stride;  /* pixels of the grid from tile to tile */
    long long group_stride; /* pixels of the grid from group to group */
    long long back_stride;  /* pixels of the grid from filter to filter in `back` */
    int width, height;      /* pixels of the region's results */
    int step_x, step_y;     /* pixels of results that a tile yields */
    int before_x, before_y; /* samples of a window in front of its first result */
    int across;             /* tiles side by side */
    int first_tile;         /* number of the first tile of the launch */
    int rows;               /* rows of the grid that rows.cu writes: samples of a column, or with MAPPED_ROWS
                               rows of the source; in space, rows of the region's window */
    int columns;            /* samples of a row of the grid; in space, columns of the region's window */
    int column_tiles;       /* columns: tiles of columns of the grid */
    int filter_first;       /* columns: first spectrum of the launch */
    int filter_count;       /* columns: spectra of the launch */
    int filter_place;       /* rows_back: the result's first spectrum in `back` */
    int groups;             /* groups of channels */
    int taps_x, taps_y;     /* columns and rows of the kernel */
    int centre_x, centre_y; /* column and row of the kernel's centre */
    int terms, first_terms; /* separable: terms of all components, and of the first */
    int taps_first;         /* index in `filters` of the first tap */
    float outside_colour;   /* colour of the outside pixel, ready to filter */
    float outside_alpha;    /* alpha of the outside pixel */
    float outside_sum;      /* frequency 0 of a row of ones as the grid holds it */
    float alpha_gain;       /* divides filtered alpha; 0: the result takes the source's alpha */
    float offset;           /* added to results */
};

/* ---- Launches ----
 *
 * Kernel `rows` is abcu_rows() of rows.cu. */

#define ABCU_KERNELS(DO) \
    DO(rows) DO(columns) DO(rows_back) DO(direct) DO(separable_rows) DO(separable_columns) DO(finish)

/*
 * kernel             x                           y               z               threads         shared memory
 * rows               ⌈transforms / LANES⌉ (1)    groups          tiles           BLOCK_THREADS   (3)
 * columns            column_tiles or fewer (2)   groups          tiles           BLOCK_THREADS   (3)
 * rows_back          ⌈transforms / LANES⌉ (1)    groups          tiles           BLOCK_THREADS   (3)
 * direct             ⌈width / SQUARE⌉            ⌈height / SQUARE⌉  groups       DIRECT_THREADS  0
 * separable_rows     ⌈width / ROW⌉               window rows     groups · terms  ROW             ROWS_BYTES
 * separable_columns  ⌈width / SQUARE⌉            ⌈height / SQUARE⌉  groups       COLUMNS_THREADS COLUMNS_BYTES
 * finish             ⌈width / FINISH_THREADS⌉    height          1               FINISH_THREADS  0
 *
 * (1) one for each row (params.rows, or step_y for rows_back), or for each two rows with SINGLE.
 * (2) PERSISTENT: at most as many as are resident together; otherwise exactly column_tiles.
 * (3) cuda_shared_bytes() of src/cuda/transform.h.
 * A result of r components takes r · taps_x · taps_y taps for direct; for separable, all row factors as
 * [term][taps_x] and behind them all column factors as [term][taps_y]. Separable rows are stored in the grid as
 * [term][group][window row][width] pixels of floats. */

enum {
    ABCU_SQUARE = 32,          /* side of a block's results in direct.cu and separable_columns.cu */
    ABCU_DIRECT_EACH = 8,      /* results of one thread of direct.cu, one below the other */
    ABCU_DIRECT_THREADS = 128, /* SQUARE² / DIRECT_EACH */
    ABCU_COLUMNS_EACH = 4,     /* the same for separable_columns.cu */
    ABCU_COLUMNS_THREADS = 256,
    ABCU_COLUMNS_LINES = 47,      /* filtered rows that it holds: SQUARE and 15 more */
    ABCU_COLUMNS_BYTES = 24064,   /* 16 bytes for each of SQUARE · COLUMNS_LINES pixels */
    ABCU_ROW = 256,               /* results of a block of separable_rows.cu */
    ABCU_ROWS_BYTES = 8192,       /* 16 bytes for each of 2 · ROW pixels */
    ABCU_PART = 256,              /* taps whose products are added up before their sum is added to others */
    ABCU_PIECE = 8,               /* taps of a column that direct.cu unrolls */
    ABCU_FINISH_THREADS = 128
};

#endif
