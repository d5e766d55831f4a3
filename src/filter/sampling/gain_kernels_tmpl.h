/* Template: the kernels that multiply batches by gains, with vectors of VECTOR_BYTES. LEVEL(x) is x_baseline,
 * x_avx2 or x_avx512. */
#include "filter/sampling/gain_kernels.h"

#include <string.h>

#define REAL double
#include "core/vector_tmpl.h"

typedef long long LONGS __attribute__((vector_size(VECTOR_BYTES)));
typedef unsigned long long BITS __attribute__((vector_size(VECTOR_BYTES)));

INLINE VECTOR load(const double *from)
{
    VECTOR vector;
    memcpy(&vector, from, sizeof vector);
    return vector;
}

INLINE void store(double *to, VECTOR vector)
{
    memcpy(to, &vector, sizeof vector);
}

INLINE VECTOR choose(LONGS condition, VECTOR yes, VECTOR no)
{
    return (VECTOR)(((LONGS)yes & condition) | ((LONGS)no & ~condition));
}

INLINE VECTOR magnitude(VECTOR x)
{
    return (VECTOR)((BITS)x & 0x7FFFFFFFFFFFFFFF);
}

/* ---- Products of low-passes --------------------------------------------------------------------------- */

/* x^order. */
INLINE VECTOR whole_power(VECTOR x, int order)
{
    VECTOR power = x;
    for (int i = 1; i < order; i++)
        power *= x;
    return power;
}

/* log2 x for normal x > 0, as a whole number and the logarithm of what remains, 2^−½ … 2^½: with s = (m −
 * 1) / (m + 1), log2 m = 2 / ln 2 · (s + s³/3 + s⁵/5 + …), of which s²¹/21 is below 10⁻¹⁷. */
INLINE VECTOR logarithm(VECTOR x, VECTOR *whole)
{
    const unsigned long long root = 0x3FE6A09E667F3BCD, bias = 1024, two_52 = 0x4330000000000000;
    BITS exponent = ((BITS)x - root + (bias << 52)) >> 52;
    VECTOR m = (VECTOR)((BITS)x - (exponent << 52) + (bias << 52));
    *whole = (VECTOR)(exponent + two_52) - (0x1p52 + 1024);
    VECTOR s = (m - 1) / (m + 1), square = s * s, sum = (VECTOR){ 0 };
    UNROLL
    for (int i = 9; i >= 0; i--)
        sum = sum * square + 1.0 / (2 * i + 1);
    return sum * s * 2.8853900817779268;
}

/* 2^(whole + rest), for sums within ±1000 and small |rest|: the nearest whole number becomes the exponent,
 * and what remains, of at most ½, goes into the series of e^x, whose 14th term is below 10⁻¹⁷. */
INLINE VECTOR exponential(VECTOR whole, VECTOR rest)
{
    const double rounding = 0x1.8p52;
    VECTOR shifted = whole + rest + rounding, nearest = shifted - rounding;
    VECTOR x = ((whole - nearest) + rest) * 0.69314718055994531, sum = (VECTOR){ 0 } + 1;
    UNROLL
    for (int i = 13; i >= 1; i--)
        sum = sum * x * (1.0 / i) + 1;
    return (VECTOR)((BITS)sum + ((BITS)shifted << 52));
}

/* x^exponent for x ≥ 0 and exponents that give at most 2^±500; nearly 0 for x = 0 and positive exponents. */
INLINE VECTOR real_power(VECTOR x, double exponent)
{
    const double most = 500;
    VECTOR zero = (VECTOR){ 0 }, whole, rest = logarithm(x, &whole) * exponent;
    whole *= exponent;
    LONGS above = whole > most, below = whole < -most;
    return exponential(choose(above, zero + most, choose(below, zero - most, whole)), rest);
}

/* The product at the columns from c on in row v. `falloff`, `factors` and `order` are constants, as far as
 * they matter for time. */
INLINE VECTOR product_value(const struct product_tables *product, enum falloff falloff, int factors,
                            int order, size_t c, size_t v)
{
    VECTOR one = (VECTOR){ 0 } + 1, above = one, below = one;
    UNROLL
    for (int i = 0; i < factors; i++) {
        const struct factor_tables *factor = &product->factor[i];
        VECTOR x = load(factor->x + c), value;
        if (falloff == FALLOFF_BUTTERWORTH) {
            value = order ? whole_power(x + factor->y[v], order)
                          : real_power(x + factor->y[v], product->exponent);
            below *= one + value;
            above *= factor->complement ? value : one;
            continue;
        }
        if (falloff == FALLOFF_GAUSSIAN)
            value = x * factor->y[v];
        else
            value = (VECTOR)((LONGS)(x + factor->y[v] <= factor->limit) & (LONGS)one);
        above *= factor->complement ? one - value : value;
    }
    VECTOR value = falloff == FALLOFF_BUTTERWORTH ? above / below : above;
    return product->complement ? one - value : value;
}

/* Multiplies the columns from c on of a row, which begins at `row`. */
INLINE void multiply_row(const struct gain_rows *rows, VECTOR gain, size_t c, size_t columns, double *row)
{
    if (rows->start) {
        store(row + c, gain * *rows->start);
        if (rows->parts == 2)
            store(row + columns + c, (VECTOR){ 0 });
        return;
    }
    store(row + c, load(row + c) * gain);
    if (rows->parts == 2)
        store(row + columns + c, load(row + columns + c) * gain);
}

/* A batch with fewer columns than a vector, or a number that is not a multiple. */
INLINE void multiply_narrow_row(const struct gain_rows *rows, const VECTOR *gains, double *row)
{
    double *re = row, *im = row + rows->columns;
    for (size_t c = 0; c < rows->columns; c++) {
        double gain = gains[c / LANES][c % LANES];
        re[c] = (rows->start ? *rows->start : re[c]) * gain;
        if (rows->parts == 2)
            im[c] = rows->start ? 0 : im[c] * gain;
    }
}

INLINE void multiply_as(const struct gain_rows *rows, const struct product_tables *product,
                        enum falloff falloff, int factors, int order)
{
    size_t columns = rows->columns, pitch = columns * rows->parts;
    bool narrow = columns % LANES;
    for (size_t v = rows->first; v < rows->end; v++) {
        double *row = rows->batch + v * pitch;
        VECTOR gains[GAIN_COLUMNS / LANES];
        for (size_t c = 0; c < columns; c += LANES) {
            VECTOR gain = product_value(product, falloff, factors, order, c, v);
            if (narrow)
                gains[c / LANES] = gain;
            else
                multiply_row(rows, gain, c, columns, row);
        }
        if (narrow)
            multiply_narrow_row(rows, gains, row);
    }
}

INLINE void multiply_butterworth(const struct gain_rows *rows, const struct product_tables *product,
                                 int order)
{
    if (product->factors == 1)
        multiply_as(rows, product, FALLOFF_BUTTERWORTH, 1, order);
    else
        multiply_as(rows, product, FALLOFF_BUTTERWORTH, 2, order);
}

INLINE void multiply_exponential(const struct gain_rows *rows, const struct product_tables *product)
{
    if (product->factors == 1)
        multiply_as(rows, product, FALLOFF_GAUSSIAN, 1, 0);
    else
        multiply_as(rows, product, FALLOFF_GAUSSIAN, 2, 0);
}

static void LEVEL(multiply_product)(const struct gain_rows *rows, const struct product_tables *product)
{
    enum { USUAL_ORDER = 2 };
    switch (product->falloff) {
    case FALLOFF_BUTTERWORTH:
        if (product->order == USUAL_ORDER)
            multiply_butterworth(rows, product, USUAL_ORDER);
        else if (!product->order)
            multiply_butterworth(rows, product, 0);
        else
            multiply_butterworth(rows, product, product->order);
        break;
    case FALLOFF_IDEAL: multiply_as(rows, product, FALLOFF_IDEAL, product->factors, 0); break;
    case FALLOFF_GAUSSIAN: multiply_exponential(rows, product); break;
    }
}

/* ---- Power laws --------------------------------------------------------------------------------------- */

static void LEVEL(multiply_power)(const struct gain_rows *rows, const double *x, const double *y,
                                  double exponent)
{
    size_t columns = rows->columns, pitch = columns * rows->parts;
    VECTOR one = (VECTOR){ 0 } + 1, gains[GAIN_COLUMNS / LANES];
    for (size_t v = rows->first; v < rows->end; v++) {
        double *row = rows->batch + v * pitch;
        for (size_t c = 0; c < columns; c += LANES) {
            VECTOR square = load(x + c) + y[v];
            LONGS inside = square > 0;
            VECTOR gain = real_power((VECTOR)(((LONGS)square & inside) | ((LONGS)one & ~inside)), exponent);
            if (columns % LANES)
                gains[c / LANES] = gain;
            else
                multiply_row(rows, gain, c, columns, row);
        }
        if (columns % LANES)
            multiply_narrow_row(rows, gains, row);
    }
}

/* ---- Streaks ------------------------------------------------------------------------------------------ */

/* The angle of (x, y) for x, y ≥ 0, and 0 at (0, 0). The tangent t of the angle to the nearest of 0, π/4
 * and π/2 is at most √2 − 1, where the 22nd term of t − t³/3 + t⁵/5 − … is below 10⁻¹⁷. */
INLINE VECTOR angle_of(VECTOR x, VECTOR y)
{
    VECTOR zero = (VECTOR){ 0 };
    LONGS steep = y > x;
    VECTOR above = choose(steep, x, y), below = choose(steep, y, x);
    LONGS middle = above > below * 0.41421356237309503;
    VECTOR t = choose(middle, above - below, above) /
               choose(below > 0, choose(middle, above + below, below), zero + 1);
    VECTOR square = t * t, sum = zero;
    UNROLL
    for (int i = 21; i >= 0; i--)
        sum = (i % 2 ? -1.0 : 1.0) / (2 * i + 1) + sum * square;
    VECTOR angle = sum * t + choose(middle, zero + 0.78539816339744831, zero);
    return choose(steep, 1.5707963267948966 - angle, angle);
}

static void LEVEL(multiply_streak)(const struct gain_rows *rows, const struct streak_tables *streak)
{
    size_t columns = rows->columns, pitch = columns * rows->parts;
    VECTOR gains[GAIN_COLUMNS / LANES], zero = (VECTOR){ 0 };
    for (size_t v = rows->first; v < rows->end; v++) {
        double *row = rows->batch + v * pitch, fy = streak->y[v];
        for (size_t c = 0; c < columns; c += LANES) {
            VECTOR fx = load(streak->x + c);
            VECTOR along = magnitude(fx * streak->along_x + fy * streak->along_y);
            VECTOR across = magnitude(fx * streak->along_y - fy * streak->along_x);
            VECTOR delta = angle_of(across, along) * streak->scale, exponent = -delta * delta;
            VECTOR gain = exponential(choose(exponent < -1000, zero - 1000, exponent), zero);
            if (columns % LANES)
                gains[c / LANES] = gain;
            else
                multiply_row(rows, gain, c, columns, row);
        }
        if (columns % LANES)
            multiply_narrow_row(rows, gains, row);
    }
}

/* ---- Interpolated gains ------------------------------------------------------------------------------- */

INLINE VECTOR between(const double *above, const double *below, double fraction, size_t c)
{
    VECTOR from = load(above + c);
    return from + fraction * (load(below + c) - from);
}

INLINE void multiply_complex_row(const struct gain_rows *rows, const struct gain_lines *lines, size_t v,
                                 double *row)
{
    double fraction = lines->fractions[v], *im = row + rows->columns;
    for (size_t c = 0; c < rows->columns; c += LANES) {
        VECTOR gain = between(lines->above[0], lines->below[0], fraction, c);
        VECTOR turn = lines->turn * between(lines->above[1], lines->below[1], fraction, c);
        VECTOR x = load(row + c), y = load(im + c);
        store(row + c, x * gain - y * turn);
        store(im + c, x * turn + y * gain);
    }
}

/* The same column by column, for a number of columns that vectors do not divide. */
INLINE void multiply_narrow_complex_row(const struct gain_rows *rows, const struct gain_lines *lines,
                                        size_t v, double *row)
{
    double fraction = lines->fractions[v], *im = row + rows->columns;
    for (size_t c = 0; c < rows->columns; c++) {
        const double *const *above = lines->above, *const *below = lines->below;
        double gain = above[0][c] + fraction * (below[0][c] - above[0][c]);
        double turn = lines->turn * (above[1][c] + fraction * (below[1][c] - above[1][c]));
        double x = row[c], y = im[c];
        row[c] = x * gain - y * turn;
        im[c] = x * turn + y * gain;
    }
}

INLINE void multiply_real_row(const struct gain_rows *rows, const struct gain_lines *lines, size_t v,
                              double *row)
{
    size_t columns = rows->columns;
    VECTOR gains[GAIN_COLUMNS / LANES];
    for (size_t c = 0; c < columns; c += LANES) {
        VECTOR gain = between(lines->above[0], lines->below[0], lines->fractions[v], c);
        if (columns % LANES)
            gains[c / LANES] = gain;
        else
            multiply_row(rows, gain, c, columns, row);
    }
    if (columns % LANES)
        multiply_narrow_row(rows, gains, row);
}

static void LEVEL(multiply_lines)(const struct gain_rows *rows, const struct gain_lines *lines)
{
    size_t pitch = rows->columns * rows->parts;
    for (size_t v = rows->first; v < rows->end; v++) {
        double *row = rows->batch + v * pitch;
        if (!lines->above[1])
            multiply_real_row(rows, lines, v, row);
        else if (rows->columns % LANES)
            multiply_narrow_complex_row(rows, lines, v, row);
        else
            multiply_complex_row(rows, lines, v, row);
    }
}

/* ---- Many notches ------------------------------------------------------------------------------------- */

static void LEVEL(start_nodes)(struct notch_nodes *nodes)
{
    VECTOR one = (VECTOR){ 0 } + 1;
    for (size_t i = 0; i < NOTCH_U; i++)
        for (size_t k = 0; k < NOTCH_V; k += LANES) {
            store(&nodes->product[i][k], one);
            store(&nodes->above[i][k], one);
            store(&nodes->below[i][k], one);
        }
    nodes->factors = 0;
}

/* Divides what has been multiplied. */
static void LEVEL(divide_nodes)(struct notch_nodes *nodes)
{
    VECTOR one = (VECTOR){ 0 } + 1;
    for (size_t i = 0; i < NOTCH_U; i++)
        for (size_t k = 0; k < NOTCH_V; k += LANES) {
            VECTOR quotient = load(&nodes->above[i][k]) / load(&nodes->below[i][k]);
            store(&nodes->product[i][k], load(&nodes->product[i][k]) * quotient);
            store(&nodes->above[i][k], one);
            store(&nodes->below[i][k], one);
        }
    nodes->factors = 0;
}

/* Powers of squares are below 10⁷⁵: squares are below 2 / 0.00005², and orders are at most 8. Four do not
 * overflow. */
static void LEVEL(multiply_nodes)(const double *x, const double *y, int order, struct notch_nodes *nodes)
{
    enum { AT_ONCE = 4 };
    for (size_t i = 0; i < NOTCH_U; i++)
        for (size_t k = 0; k < NOTCH_V; k += LANES) {
            VECTOR power = whole_power(load(y + k) + x[i], order);
            VECTOR below = load(&nodes->below[i][k]);
            store(&nodes->above[i][k], load(&nodes->above[i][k]) * power);
            store(&nodes->below[i][k], below + below * power);
        }
    if (++nodes->factors == AT_ONCE)
        LEVEL(divide_nodes)(nodes);
}

/* Interpolates the columns from c on: along u once, which gives eight vectors that stay in registers, and
 * along v for each row. */
INLINE void multiply_smooth_columns(const struct notch_nodes *nodes, const struct notch_weights *weights,
                                    const struct gain_rows *rows, size_t c)
{
    size_t columns = rows->columns, pitch = columns * rows->parts;
    VECTOR line[NOTCH_V];
    UNROLL
    for (size_t k = 0; k < NOTCH_V; k++) {
        line[k] = (VECTOR){ 0 };
        UNROLL
        for (size_t i = 0; i < NOTCH_U; i++)
            line[k] += load(weights->columns + i * columns + c) * nodes->product[i][k];
    }
    const double *row = weights->rows;
    for (size_t v = rows->first; v < rows->end; v++, row += NOTCH_V) {
        VECTOR gain = line[0] * row[0], rest = line[1] * row[1];
        UNROLL
        for (size_t k = 2; k < NOTCH_V; k += 2) {
            gain += line[k] * row[k];
            rest += line[k + 1] * row[k + 1];
        }
        multiply_row(rows, gain + rest, c, columns, rows->batch + v * pitch);
    }
}

static void LEVEL(multiply_smooth)(const struct notch_nodes *nodes, const struct notch_weights *weights,
                                   const struct gain_rows *rows)
{
    for (size_t c = 0; c < rows->columns; c += LANES)
        multiply_smooth_columns(nodes, weights, rows, c);
}

const struct gain_kernels LEVEL(gain_kernels) = { .multiply_product = LEVEL(multiply_product),
                                                  .multiply_power = LEVEL(multiply_power),
                                                  .multiply_streak = LEVEL(multiply_streak),
                                                  .multiply_lines = LEVEL(multiply_lines),
                                                  .start_nodes = LEVEL(start_nodes),
                                                  .multiply_nodes = LEVEL(multiply_nodes),
                                                  .finish_nodes = LEVEL(divide_nodes),
                                                  .multiply_smooth = LEVEL(multiply_smooth) };
