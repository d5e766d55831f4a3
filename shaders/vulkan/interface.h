/* The interface between the host and the shaders of the Vulkan device: specialisation constants, flags,
 * bindings, push constants and tile sizes. C (src/vulkan/shaders.h) and GLSL (interface.glsl) both include
 * this file, so it holds nothing but macros.
 *
 * Words used below: an element is what one thread moves at once, one complex plane (two channels of the
 * picture) or two planes (four channels); a group is the channels of one element. */
#ifndef ABBE_SHADERS_VULKAN_INTERFACE_H
#define ABBE_SHADERS_VULKAN_INTERFACE_H

/* ---- Specialisation constants, by constant_id ---- */

#define ABVK_WORKGROUP 0    /* threads of a workgroup */
#define ABVK_POINTS 1       /* points of the transform */
#define ABVK_THREADS 2      /* threads of one transform */
#define ABVK_LANES 3        /* transforms of one workgroup */
#define ABVK_REGISTERS 4    /* elements that a thread holds */
#define ABVK_SHARED 5       /* words of shared memory for one scalar of all elements */
#define ABVK_STAGES 6       /* stages of the transform: 0 to ABVK_STAGES_MAX */
#define ABVK_RADICES 7      /* ids 7 to 14: radices in the order of the forward transform; 1: no stage */
#define ABVK_PADDED 15      /* 1: shared memory has room for the gaps that keep strides in different banks */
#define ABVK_LENGTH 16      /* samples; fewer than ABVK_POINTS for Bluestein's algorithm */
#define ABVK_BLOCK 17       /* columns that are contiguous in the grid */
#define ABVK_SOURCE_TYPE 18 /* abbe_type of the source */
#define ABVK_RESULT_TYPE 19 /* abbe_type of the results */
#define ABVK_FLAGS 20       /* sum of ABVK_FLAG_… */
#define ABVK_BAND 21        /* rows that are contiguous in the grid */
#define ABVK_PARTS 22       /* transforms that a long transform is made of; 1 for others */
#define ABVK_TOGETHER 23    /* scalars of an element that one exchange moves: 1 or all */
#define ABVK_COLUMNS 24     /* columns of the grid */
#define ABVK_CONSTANTS 25

#define ABVK_STAGES_MAX 8

/* Shaders for few stages: most stages, and the largest radix. */
#define ABVK_FEW_STAGES 4
#define ABVK_FEW_RADIX 8

/* ---- Flags: bits of ABVK_FLAGS ---- */

#define ABVK_FLAG_LIGHT 1u          /* samples are sRGB-coded and are filtered in linear light */
#define ABVK_FLAG_ALPHA 2u          /* the last channel is alpha */
#define ABVK_FLAG_PREMULTIPLY 4u    /* colours are multiplied by alpha while they are filtered */
#define ABVK_FLAG_ZERO_NONFINITE 8u /* a NaN or infinite sample counts as 0 */
#define ABVK_FLAG_WIDE 16u          /* results go to the buffer `wide` as floats; finish.comp stores them */
#define ABVK_FLAG_REAL 32u          /* H is real */
#define ABVK_FLAG_BANK 64u          /* several filters share one forward transform */
#define ABVK_FLAG_MAGNITUDE 128u    /* the result is √(a² + b²) of two filters */
#define ABVK_FLAG_QUAD 256u         /* the picture has four channels */
#define ABVK_FLAG_SINGLE 512u       /* the picture has one channel: two rows share a plane */
#define ABVK_FLAG_PACKED 1024u      /* pixels are packed into words in shared memory before they are stored */
#define ABVK_FLAG_INTERIOR 2048u    /* the window is the picture: there is no border and no map is read */
#define ABVK_FLAG_MIXED 4096u       /* 3, 5, … channels: pairs and a single share a grid (row.glsl) */
#define ABVK_FLAG_TWO_COLUMNS 8192u /* column pass: an element is two neighbouring columns of one plane */
#define ABVK_FLAG_OFFSET 16384u     /* an offset is added to the results */
#define ABVK_FLAG_MANY_TAPS 32768u  /* direct, separable columns: more than ABVK_PART taps are added up in parts */
#define ABVK_FLAG_EVEN 65536u       /* even transforms: rows and columns are folded (even.glsl) */
#define ABVK_FLAG_ODD 131072u       /* EVEN: each filter has two spectra, its even part and its odd part */
#define ABVK_FLAG_GATHER 262144u    /* the grid has the picture's rows; columns read them through the map of rows */

/* ---- Bindings ---- */

#define ABVK_SOURCE 0  /* buffer: source pixels as stored, in words */
#define ABVK_RESULT 1  /* buffer: result pixels as stored, in words */
#define ABVK_GRID 2    /* buffer: transform grids; layout in grid.glsl */
#define ABVK_BACK 3    /* buffer: filtered grids; the grid itself unless the plan is a bank */
#define ABVK_FILTERS 4 /* buffer: spectra, or taps of kernels */
#define ABVK_TABLES 5  /* buffer: twiddles, and the chirps of Bluestein's algorithm */
#define ABVK_MAPS 6    /* buffer: borders; source column or row of each coordinate, or −1 outside */
#define ABVK_WIDE 7    /* buffer: results as interleaved floats */
#define ABVK_BUFFERS 8

#define ABVK_SOURCE_IMAGE 16 /* image: replaces ABVK_SOURCE */
#define ABVK_RESULT_IMAGE 17 /* image: replaces ABVK_RESULT */

/* ---- Push constants: FIELD(byte offset, GLSL type, name) ----
 *
 * Every field has four bytes, and the 128 bytes of all 32 are what every Vulkan device takes. GLSL declares
 * the offsets and C checks them. */

#define ABVK_PUSH_CONSTANTS(FIELD)                                                                           \
    FIELD(0, uint, width)             /* columns of the region's results */                                  \
    FIELD(4, uint, height)            /* rows of the region's results */                                     \
    FIELD(8, uint, channels)          /* channels of a pixel */                                              \
    FIELD(12, uint, source_pitch)     /* words from row to row of the source */                              \
    FIELD(16, uint, result_pitch)     /* words from row to row of a result */                                \
    FIELD(20, uint, number)           /* index of the result in its buffer */                                \
    FIELD(24, uint, step_x)           /* columns of results that a tile yields */                            \
    FIELD(28, uint, step_y)           /* rows of results that a tile yields */                               \
    FIELD(32, uint, before_x)         /* samples of a window left of its first result */                     \
    FIELD(36, uint, before_y)         /* samples of a window above its first result */                       \
    FIELD(40, uint, across)           /* tiles side by side */                                               \
    FIELD(44, uint, first_tile)       /* number of the first tile of the dispatch */                         \
    FIELD(48, uint, rows)             /* rows of the grid; in space, rows of the region's window */          \
    FIELD(52, uint, columns)          /* samples of a row of the grid; in space, columns of the window */    \
    FIELD(56, uint, map_x)            /* index in `maps` of the map of columns */                            \
    FIELD(60, uint, map_y)            /* index in `maps` of the map of rows */                               \
    FIELD(64, uint, table)            /* index in `tables` of the axis' twiddles */                          \
    FIELD(68, uint, tile_stride)      /* elements from tile to tile in the grid */                           \
    FIELD(72, uint, group_stride)     /* elements from group to group in the grid */                         \
    FIELD(76, uint, back_stride)      /* elements from filter to filter in `back` */                         \
    FIELD(80, uint, filter_first)     /* first filter of the dispatch; separable: terms of all components */ \
    FIELD(84, uint, filter_count)     /* filters of the dispatch; separable: groups of channels */           \
    FIELD(88, uint, filter_place)     /* index in `back`; separable: terms of the first component */         \
    FIELD(92, uint, taps_x)           /* columns of the kernel */                                            \
    FIELD(96, uint, taps_y)           /* rows of the kernel */                                               \
    FIELD(100, int, centre_x)         /* column of the kernel's centre */                                    \
    FIELD(104, int, centre_y)         /* row of the kernel's centre */                                       \
    FIELD(108, uint, taps_first)      /* index in `filters` of the first tap */                              \
    FIELD(112, float, outside_colour) /* colour of the outside pixel, ready to filter */                     \
    FIELD(116, float, outside_alpha)  /* alpha of the outside pixel */                                       \
    FIELD(120, float, alpha_gain)     /* divides filtered alpha; 0: the result takes the source's alpha */   \
    FIELD(124, float, offset)         /* added to results */

/* ---- Sizes ---- */

#define ABVK_SQUARE 32             /* side of a workgroup's results in direct.comp, separable_columns.comp */
#define ABVK_STRIP 256             /* results of a row of a workgroup in separable_rows.comp */
#define ABVK_DIRECT_EACH 8         /* results of one thread of direct.comp, one below the other */
#define ABVK_PART 256u             /* taps whose products are added up before their sum is added to others */
#define ABVK_PIECE 8               /* taps of a column that direct.comp unrolls */
#define ABVK_SEPARABLE_EACH 4      /* the same for separable_columns.comp */
#define ABVK_DIRECT_THREADS 128    /* ABVK_SQUARE² / ABVK_DIRECT_EACH */
#define ABVK_SEPARABLE_THREADS 256 /* ABVK_STRIP, and ABVK_SQUARE² / ABVK_SEPARABLE_EACH */
#define ABVK_FINISH_THREADS 64

#define ABVK_BANKS 32 /* words of shared memory that threads reach at the same time */

#endif
