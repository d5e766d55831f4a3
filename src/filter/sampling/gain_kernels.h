/* The vector kernels that multiply batches of a spectrum by gains, of each instruction-set level. */
#ifndef ABBE_FILTER_SAMPLING_GAIN_KERNELS_H
#define ABBE_FILTER_SAMPLING_GAIN_KERNELS_H

#include "core/level.h"
#include "filter/filter.h"

#include <stddef.h>

/* The most columns of a batch; tables along x have this many entries. */
enum { GAIN_COLUMNS = 16 };

/* Rows first … end − 1 of a batch. A row has `columns` numbers, or `columns` real parts and as many imaginary
 * parts. `start`, where it is not NULL, is what every row holds in place of the numbers of the batch. */
struct gain_rows {
    double *batch;
    size_t columns, parts;
    size_t first, end;
    const double *start;
};

/* A factor in tables along both axes: of L at (column, v),
 *     butterworth   (|f − c| / fc)² = x[column] + y[v]
 *     ideal         |f − c|² = x[column] + y[v]
 *     gaussian      L = x[column] · y[v] */
struct factor_tables {
    const double *x, *y;
    double limit; /* ideal: L is 1 up to this square */
    bool complement;
};

/* A product of one or two factors of one fall-off, or 1 − the product. The order of a butterworth is a
 * small whole number, or 0 where `exponent` has it. */
struct product_tables {
    enum falloff falloff;
    int order;
    double exponent;
    int factors;
    struct factor_tables factor[2];
    bool complement;
};

/* Two lines of samples of a gain, at the columns of the batch: real parts and, where the gain is complex,
 * imaginary parts. At row v the gain lies at fractions[v] of the way from one line to the other. */
struct gain_lines {
    const double *above[2], *below[2]; /* [1]: NULL where the gain is real */
    const double *fractions;
    double turn; /* the sign of imaginary parts */
};

/* Nodes of a patch along u and along v, at which many notches are multiplied (notches.h). A product of
 * numerators and one of denominators grow until they are divided. */
enum { NOTCH_U = 4, NOTCH_V = 8 };
struct notch_nodes {
    double product[NOTCH_U][NOTCH_V], above[NOTCH_U][NOTCH_V], below[NOTCH_U][NOTCH_V];
    int factors; /* since the last division */
};

/* The weights of the nodes: [NOTCH_U][column], and [row of a patch][NOTCH_V]. */
struct notch_weights {
    const double *columns, *rows;
};

/* A streak: 2^(−(scale · δ)²), where δ is the angle between the frequency (x[column], y[v]) and the
 * perpendicular of (along_x, along_y), and 1 at frequency 0. */
struct streak_tables {
    const double *x, *y;
    double along_x, along_y, scale;
};

struct gain_kernels {
    void (*multiply_product)(const struct gain_rows *rows, const struct product_tables *product);

    /* Multiplies by (x[column] + y[v])^exponent, or by 1 where the base is 0. */
    void (*multiply_power)(const struct gain_rows *rows, const double *x, const double *y, double exponent);
    void (*multiply_lines)(const struct gain_rows *rows, const struct gain_lines *lines);

    void (*multiply_streak)(const struct gain_rows *rows, const struct streak_tables *streak);

    /* Products of the factors 1 − L, butterworths of squares x[i] + y[k], at the nodes of a patch. */
    void (*start_nodes)(struct notch_nodes *nodes);
    void (*multiply_nodes)(const double *x, const double *y, int order, struct notch_nodes *nodes);
    void (*finish_nodes)(struct notch_nodes *nodes);

    /* Multiplies rows by what the nodes interpolate. */
    void (*multiply_smooth)(const struct notch_nodes *nodes, const struct notch_weights *weights,
                            const struct gain_rows *rows);
};

/* Levels without kernels have those of the baseline. */
const struct gain_kernels *gain_kernels_of(enum core_level level);

extern const struct gain_kernels gain_kernels_baseline;
#if defined __x86_64__
extern const struct gain_kernels gain_kernels_avx2, gain_kernels_avx512;
#endif

#endif
