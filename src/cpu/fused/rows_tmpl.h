/* Template: rows forward into the grid and back out of it, for one instruction set. A file that defines
 *     VECTOR_BYTES   16, 32 or 64
 *     ROWS           the table to define
 * includes this one and is compiled for that instruction set. */
#include "cpu/fused/pixels_tmpl.h"

#include "cpu/fused/planes_tmpl.h"

#include "cpu/fused/transpose_tmpl.h"
#include "fft/butterflies_tmpl.h"

#include "cpu/fused/prime_tmpl.h"

/* Multiplies by a vector of twiddles for each k > 0. */
INLINE void multiply_by_twiddles(int radix, const float *w, VECTOR *re, VECTOR *im)
{
    UNROLL
    for (int k = 1; k < radix; k++, w += 2 * LANES) {
        VECTOR x = re[k], y = im[k], cosine = load(w), sine = load(w + LANES);
        re[k] = x * cosine - y * sine;
        im[k] = x * sine + y * cosine;
    }
}

/* One butterfly of rows `stride` floats apart. The inverse exchanges real and imaginary parts (see
 * fft/stages_tmpl.h). */
INLINE void row_butterfly(float *x, size_t stride, int radix, half_function *half, bool inverse,
                          const float *w)
{
    VECTOR re[RADIX_MAX], im[RADIX_MAX];
    float *real = inverse ? x + LANES : x, *imaginary = inverse ? x : x + LANES;
    UNROLL
    for (int k = 0; k < radix; k++) {
        re[k] = load(real + (size_t)k * stride);
        im[k] = load(imaginary + (size_t)k * stride);
        KEEP_IN_REGISTER(re[k]);
        KEEP_IN_REGISTER(im[k]);
    }
    if (inverse)
        multiply_by_twiddles(radix, w, re, im);
    dft(radix, half, re, im);
    if (!inverse)
        multiply_by_twiddles(radix, w, re, im);
    UNROLL
    for (int k = 0; k < radix; k++) {
        store(real + (size_t)k * stride, re[k]);
        store(imaginary + (size_t)k * stride, im[k]);
    }
}

INLINE void row_step_of(float *x, int length, int m, int radix, half_function *half, bool inverse,
                        const float *twiddles)
{
    size_t stride = 2 * (size_t)m;
    for (int block = 0; block < length; block += radix * m)
        for (int j = 0; j < m; j += LANES)
            row_butterfly(x + 2 * (size_t)(block + j), stride, radix, half, inverse,
                          twiddles + 2 * (size_t)j * (size_t)(radix - 1));
}

/* A step whose radix is a prime above 7. */
INLINE void row_step_of_prime(float *x, int length, const struct fused_step *step, bool inverse,
                              const float *twiddles)
{
    struct prime_rows rows = { .stride = 2 * (size_t)step->m,
                               .inverse = inverse,
                               .before = inverse ? FACTOR_TWIDDLES : FACTOR_NONE,
                               .after = inverse ? FACTOR_NONE : FACTOR_TWIDDLES };
    float *scratch = x + 2 * ((size_t)length + LANES);
    for (int block = 0; block < length; block += step->radix * step->m)
        for (int j = 0; j < step->m; j += LANES) {
            rows.from = rows.to = x + 2 * (size_t)(block + j);
            rows.w = twiddles + 2 * (size_t)j * (size_t)(step->radix - 1);
            prime_dft(step->prime, &rows, scratch);
        }
}

APART void row_prime_forward(float *x, int length, const struct fused_step *step, const float *twiddles)
{
    row_step_of_prime(x, length, step, false, twiddles);
}

APART void row_prime_inverse(float *x, int length, const struct fused_step *step, const float *twiddles)
{
    row_step_of_prime(x, length, step, true, twiddles);
}

INLINE void row_step(float *x, int length, const struct fused_step *step, bool inverse, const float *twiddles)
{
    int m = step->m;
    switch (step->radix) {
    case 2: row_step_of(x, length, m, 2, half_2, inverse, twiddles); break;
    case 3: row_step_of(x, length, m, 3, half_3, inverse, twiddles); break;
    case 4: row_step_of(x, length, m, 4, half_4, inverse, twiddles); break;
    case 5: row_step_of(x, length, m, 5, half_5, inverse, twiddles); break;
    case 7: row_step_of(x, length, m, 7, half_7, inverse, twiddles); break;
    case 8: row_step_of(x, length, m, 8, half_8, inverse, twiddles); break;
    case 16: row_step_of(x, length, m, 16, half_16, inverse, twiddles); break;
    default: (inverse ? row_prime_inverse : row_prime_forward)(x, length, step, twiddles); break;
    }
}

static void row_steps_forward(const struct fused_row *transform, int begun, float *row)
{
    for (int i = begun; i < transform->step_count; i++)
        row_step(row, transform->length, &transform->steps[i], false,
                 transform->twiddles + transform->steps[i].twiddles);
    /* The vector of zeros that stands for residues that do not exist. */
    store(row + 2 * (size_t)transform->length, (VECTOR){ 0 });
    store(row + 2 * (size_t)transform->length + LANES, (VECTOR){ 0 });
}

static void row_steps_inverse(const struct fused_row *transform, int begun, float *row)
{
    for (int i = transform->step_count - 1; i >= begun; i--)
        row_step(row, transform->length, &transform->steps[i], true,
                 transform->twiddles + transform->steps[i].twiddles);
}

#include "cpu/fused/strands_tmpl.h"

/* ---- The last step, and the first one back: each vector is a transform of LANES samples --------------- */

INLINE void dft_lanes(VECTOR *re, VECTOR *im)
{
    if (LANES == 4)
        dft(4, half_4, re, im);
    else if (LANES == 8)
        dft(8, half_8, re, im);
    else
        dft(16, half_16, re, im);
}

/* Loads the real (part 0) or imaginary (part 1) samples of LANES residues, which lie in the vectors `place` of the row:
 * sample k of all of them goes to x[k]. */
INLINE void load_residues(const float *row, const int *place, int part, VECTOR *x)
{
    UNROLL
    for (int l = 0; l < LANES; l++)
        x[l] = load(row + 2 * LANES * (size_t)place[l] + part * LANES);
    transpose(x);
}

INLINE void store_residues(VECTOR *x, const int *place, int part, float *row)
{
    transpose(x);
    UNROLL
    for (int l = 0; l < LANES; l++)
        store(row + 2 * LANES * (size_t)place[l] + part * LANES, x[l]);
}

INLINE void store_complex(float *to, size_t distance, VECTOR re, VECTOR im)
{
    store(to, re);
    store(to + distance, im);
}

/* Frequency 0 of a group of residues in the grid. */
INLINE float *group_block(const struct fused_grid *grid, int group)
{
    int abreast = grid->lanes / LANES;
    return grid->data + (size_t)(group / abreast * grid->group_blocks) * grid->block_floats +
           group % abreast * LANES;
}

/* The next row of the grid, which is prefetched while `row` of a group's blocks is transformed: blocks lie too far apart
 * for the hardware prefetcher. NULL where the grid stays in the caches; of the groups that share a block only
 * the first prefetches. */
INLINE const float *row_ahead(const struct fused_grid *grid, int group, const float *row)
{
    return grid->ahead && group % (grid->lanes / LANES) == 0 ? row + grid->ahead : NULL;
}

/* Prefetches a row in the first (0) or second (1) half of LANES blocks. Halves alternate with arithmetic; in a burst,
 * prefetches would wait for each other. */
INLINE void prefetch_half(const struct fused_grid *grid, const float *ahead, int half)
{
    enum { LINE = 64 / sizeof(float) };
    if (!ahead)
        return;
    ahead += (size_t)half * (LANES / 2) * grid->block_floats;
    for (int k = 0; k < LANES / 2; k++, ahead += grid->block_floats)
        for (int i = 0; i < 2 * grid->lanes; i += LINE)
            __builtin_prefetch(ahead + i, 0, 2);
}

/* Transforms LANES residues of a row: frequency k of all of them goes to re[k] and im[k]. */
INLINE void residues_forward(const float *row, const int *place, const struct fused_grid *grid,
                             const float *ahead, VECTOR *re, VECTOR *im)
{
    load_residues(row, place, 0, re);
    prefetch_half(grid, ahead, 0);
    load_residues(row, place, 1, im);
    prefetch_half(grid, ahead, 1);
    dft_lanes(re, im);
}

/* The reverse. */
INLINE void residues_inverse(VECTOR *re, VECTOR *im, const struct fused_grid *grid, const float *ahead,
                             const int *place, float *row)
{
    dft_lanes(im, re);
    prefetch_half(grid, ahead, 0);
    store_residues(re, place, 0, row);
    prefetch_half(grid, ahead, 1);
    store_residues(im, place, 1, row);
}

/* Writes numbers of a row to the grid. */
INLINE void store_to_grid(const struct fused_grid *grid, float *to, VECTOR re, VECTOR im)
{
    if (grid->stream) {
        stream(to, re);
        stream(to + grid->lanes, im);
    } else {
        store_complex(to, (size_t)grid->lanes, re, im);
    }
}

static void pair_forward(const struct fused_row *transform, int begun, float *row,
                         const struct fused_grid *grid, size_t to)
{
    row_steps_forward(transform, begun, row);
    for (int group = 0; group < transform->groups; group++) {
        VECTOR re[LANES], im[LANES];
        float *block = group_block(grid, group) + to;
        residues_forward(row, transform->vector + group * LANES, grid, row_ahead(grid, group, block), re, im);
        UNROLL
        for (int k = 0; k < LANES; k++)
            store_to_grid(grid, block + (size_t)k * grid->block_floats, re[k], im[k]);
    }
}

static void pair_inverse(const struct fused_row *transform, int begun, const struct fused_grid *grid,
                         size_t from, float *row)
{
    for (int group = 0; group < transform->groups; group++) {
        VECTOR re[LANES], im[LANES];
        const float *block = group_block(grid, group) + from;
        UNROLL
        for (int k = 0; k < LANES; k++) {
            re[k] = load(block + (size_t)k * grid->block_floats);
            im[k] = load(block + (size_t)k * grid->block_floats + grid->lanes);
        }
        residues_inverse(re, im, grid, row_ahead(grid, group, block), transform->vector + group * LANES, row);
    }
    row_steps_inverse(transform, begun, row);
}

/* ---- Single planes ------------------------------------------------------------------------------------ */

/* Z = F + i·G is the transform of two real rows. The frequency opposite to frequency k of residue c is
 *     frequency LANES − 1 − k of residue (residues − c).
 * Let `near` be the transforms of a group of residues, and `far` those of the opposite residues. Then
 *     2 F(k) = near(k) + far*(LANES − 1 − k),   2 G(k) = −i (near(k) − far*(LANES − 1 − k)).
 * The spectrum that the columns are multiplied by includes the factor 1/2.
 *
 * Two residues are their own opposites:
 *     residue 0 with k ↔ (LANES − k) mod LANES,   residue (residues / 2) with k ↔ LANES − 1 − k.
 * Each takes half a lane: they share lane 0 of the first group as `near` and `far`. Residue 0 has one
 * frequency more, M / 2, which takes a separate block behind the others. */
struct tangled {
    _Alignas(VECTOR_BYTES) float near[LANES][2][LANES]; /* [k][re | im][lane] */
    _Alignas(VECTOR_BYTES) float far[LANES][2][LANES];
};

/* Untangles frequency k of lane 0; imaginary parts lie `distance` floats behind real parts. */
INLINE void untangle(float z[LANES][2][LANES], int k, int opposite, int distance, float *f, float *g)
{
    float re = z[k][0][0], im = z[k][1][0], far_re = z[opposite][0][0], far_im = z[opposite][1][0];
    g[0] = im + far_im;
    g[distance] = far_re - re;
    f[0] = re + far_re;
    f[distance] = im - far_im;
}

/* The block of frequency M / 2. */
INLINE float *last_block(const struct fused_row *transform, const struct fused_grid *grid)
{
    return group_block(grid, transform->groups);
}

/* Untangles lane 0 of the first group, and the block of frequency M / 2, whose other lanes stay zero. */
INLINE void untangle_first_lane(struct tangled *z, const struct fused_row *transform,
                                const struct fused_grid *grid, size_t real, size_t imaginary)
{
    float *block = grid->data;
    UNROLL
    for (int k = 0; k < LANES / 2; k++, block += grid->block_floats)
        untangle(z->near, k, (LANES - k) % LANES, grid->lanes, block + real, block + imaginary);
    UNROLL
    for (int k = 0; k < LANES / 2; k++, block += grid->block_floats)
        untangle(z->far, k, LANES - 1 - k, grid->lanes, block + real, block + imaginary);
    block = last_block(transform, grid);
    block[imaginary] = 2 * z->near[LANES / 2][1][0];
    block[imaginary + grid->lanes] = 0;
    block[real] = 2 * z->near[LANES / 2][0][0];
    block[real + grid->lanes] = 0;
}

/* Without a second row, `imaginary` is `real`, which is written last. */
static void single_forward(const struct fused_row *transform, int begun, float *row,
                           const struct fused_grid *grid, size_t real, size_t imaginary)
{
    row_steps_forward(transform, begun, row);
    for (int group = 0; group < transform->groups; group++) {
        struct tangled z;
        VECTOR re[LANES], im[LANES];
        float *block = group_block(grid, group);
        residues_forward(row, transform->vector + group * LANES, grid, row_ahead(grid, group, block + real),
                         re, im);
        UNROLL
        for (int k = 0; k < LANES; k++)
            store_complex(z.near[k][0], LANES, re[k], im[k]);
        residues_forward(row, transform->opposite + group * LANES, grid,
                         row_ahead(grid, group, block + imaginary), re, im);
        UNROLL
        for (int k = 0; k < LANES; k++, block += grid->block_floats) {
            VECTOR near_re = load(z.near[k][0]), near_im = load(z.near[k][1]);
            VECTOR far_re = re[LANES - 1 - k], far_im = im[LANES - 1 - k];
            store_to_grid(grid, block + imaginary, near_im + far_im, far_re - near_re);
            store_to_grid(grid, block + real, near_re + far_re, near_im - far_im);
        }
        if (group > 0)
            continue;
        UNROLL
        for (int k = 0; k < LANES; k++)
            store_complex(z.far[k][0], LANES, re[k], im[k]);
        untangle_first_lane(&z, transform, grid, real, imaginary);
    }
}

/* Z(k) = F + i·G and, because both rows are real, the opposite frequency is F* + i·G*. */
INLINE void tangle(const float *f, const float *g, int distance, int k, int opposite,
                   float z[LANES][2][LANES])
{
    z[opposite][0][0] = f[0] + g[distance];
    z[opposite][1][0] = g[0] - f[distance];
    z[k][0][0] = f[0] - g[distance];
    z[k][1][0] = f[distance] + g[0];
}

INLINE void tangle_first_lane(const struct fused_row *transform, const struct fused_grid *grid, size_t real,
                              size_t imaginary, struct tangled *z)
{
    const float *block = grid->data;
    UNROLL
    for (int k = 0; k < LANES / 2; k++, block += grid->block_floats)
        tangle(block + real, block + imaginary, grid->lanes, k, (LANES - k) % LANES, z->near);
    UNROLL
    for (int k = 0; k < LANES / 2; k++, block += grid->block_floats)
        tangle(block + real, block + imaginary, grid->lanes, k, LANES - 1 - k, z->far);
    block = last_block(transform, grid);
    z->near[LANES / 2][0][0] = block[real];
    z->near[LANES / 2][1][0] = block[imaginary];
}

static void single_inverse(const struct fused_row *transform, int begun, const struct fused_grid *grid,
                           size_t real, size_t imaginary, float *row)
{
    for (int group = 0; group < transform->groups; group++) {
        struct tangled z;
        VECTOR re[LANES], im[LANES];
        const float *block = group_block(grid, group), *ahead[2];
        ahead[0] = row_ahead(grid, group, block + real);
        ahead[1] = row_ahead(grid, group, block + imaginary);
        UNROLL
        for (int k = 0; k < LANES; k++, block += grid->block_floats) {
            VECTOR f_re = load(block + real), f_im = load(block + real + grid->lanes);
            VECTOR g_re = load(block + imaginary), g_im = load(block + imaginary + grid->lanes);
            store_complex(z.near[k][0], LANES, f_re - g_im, f_im + g_re);
            store_complex(z.far[LANES - 1 - k][0], LANES, f_re + g_im, g_re - f_im);
        }
        if (group == 0)
            tangle_first_lane(transform, grid, real, imaginary, &z);
        UNROLL
        for (int k = 0; k < LANES; k++)
            re[k] = load(z.near[k][0]), im[k] = load(z.near[k][1]);
        residues_inverse(re, im, grid, ahead[0], transform->vector + group * LANES, row);
        UNROLL
        for (int k = 0; k < LANES; k++)
            re[k] = load(z.far[k][0]), im[k] = load(z.far[k][1]);
        residues_inverse(re, im, grid, ahead[1], transform->opposite + group * LANES, row);
    }
    row_steps_inverse(transform, begun, row);
}

#include "cpu/fused/rows_beside_tmpl.h"

#include "cpu/fused/rows_beside_even_tmpl.h"
#include "cpu/fused/rows_even_tmpl.h"

const struct fused_row_kernels ROWS = {
    .lanes = LANES,
    .load_row = load_row,
    .store_row = store_row,
    .split = split_pixels,
    .merge = merge_pixels,
    .begin_row = begin_row,
    .end_row = end_row,
    .pair_forward = pair_forward,
    .pair_inverse = pair_inverse,
    .single_forward = single_forward,
    .single_inverse = single_inverse,
    .fold_strand = fold_strand,
    .unfold_strand = unfold_strand,
    .pair_even_forward = pair_even_forward,
    .pair_even_inverse = pair_even_inverse,
    .single_even_forward = single_even_forward,
    .single_even_inverse = single_even_inverse,
    .add_odd = add_odd,
    .pairs_even_forward = pairs_even_forward,
    .pairs_even_inverse = pairs_even_inverse,
    .singles_even_forward = singles_even_forward,
    .singles_even_inverse = singles_even_inverse,
    .pairs_forward = pairs_forward,
    .pairs_inverse = pairs_inverse,
    .singles_forward = singles_forward,
    .singles_inverse = singles_inverse,
};
