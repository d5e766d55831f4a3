/* Template: rows of an even transform forward into the grid and back out of it, for one instruction set. Included
 * by rows_tmpl.h.
 *
 * A row x of M samples that continues as its own reflection has real frequencies (docs/maths.md)
 *     C(u) = Σ x(n) cos(πu(2n + 1) / 2M),    0 ≤ u < M.
 * Folded to v = x(0) x(2) x(4) … x(5) x(3) x(1), it has the transform V, and with w = e^(−jπu / 2M)
 *     2 C(u) = w V(u) + w* V(M − u),    2 C(M − u) = j (w V(u) − w* V(M − u)),    V(u) = w* (C(u) − j C(M − u)).
 * The grid receives 2 C. All of this is linear over the real numbers, so that the real and imaginary parts of a
 * complex row, two channels or two rows of one channel, do not mix.
 *
 * V(u) and V(M − u) are `near` and `far` of a group of residues and of the opposite residues, as in a single plane of
 * rows_tmpl.h; lane 0 of the first group holds residue 0 as `near` and residue `residues` / 2 as `far`, each of
 * which is its own opposite. A group of a pair plane has LANES blocks for C(u) and LANES blocks for C(M − u). In a single
 * plane one block has both: C(u) as real and C(M − u) as imaginary parts. */

/* Index lists of two vectors of consecutive samples: EVENS, and the odd ones in reverse; and back. The last vector
 * of an odd number of vectors is folded by itself. */
#if VECTOR_BYTES == 16
#define EVENS 0, 2, 4, 6
#define REVERSED_ODDS 7, 5, 3, 1
#define FIRST_UNFOLDED 0, 7, 1, 6
#define SECOND_UNFOLDED 2, 5, 3, 4
#define FOLDED_ALONE 0, 2, 3, 1
#define UNFOLDED_ALONE 0, 3, 1, 2
#elif VECTOR_BYTES == 32
#define EVENS 0, 2, 4, 6, 8, 10, 12, 14
#define REVERSED_ODDS 15, 13, 11, 9, 7, 5, 3, 1
#define FIRST_UNFOLDED 0, 15, 1, 14, 2, 13, 3, 12
#define SECOND_UNFOLDED 4, 11, 5, 10, 6, 9, 7, 8
#define FOLDED_ALONE 0, 2, 4, 6, 7, 5, 3, 1
#define UNFOLDED_ALONE 0, 7, 1, 6, 2, 5, 3, 4
#elif VECTOR_BYTES == 64
#define EVENS 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define REVERSED_ODDS 31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1
#define FIRST_UNFOLDED 0, 31, 1, 30, 2, 29, 3, 28, 4, 27, 5, 26, 6, 25, 7, 24
#define SECOND_UNFOLDED 8, 23, 9, 22, 10, 21, 11, 20, 12, 19, 13, 18, 14, 17, 15, 16
#define FOLDED_ALONE 0, 2, 4, 6, 8, 10, 12, 14, 15, 13, 11, 9, 7, 5, 3, 1
#define UNFOLDED_ALONE 0, 15, 1, 14, 2, 13, 3, 12, 4, 11, 5, 10, 6, 9, 7, 8
#endif

/* Folds a strand into a row; returns whether all samples were finite. */
static bool fold_strand(const struct fused_strand *strand, int length, float *row)
{
    size_t vectors = (size_t)length / LANES;
    INTS nonfinite = { 0 };
    for (int part = 0; part < 2; part++) {
        float *folded = row + part * LANES;
        for (size_t i = 0; i < vectors / 2; i++) {
            VECTOR a = load_strand(strand, part, 2 * i, &nonfinite),
                   b = load_strand(strand, part, 2 * i + 1, &nonfinite);
            store(folded + 2 * LANES * i, __builtin_shufflevector(a, b, EVENS));
            store(folded + 2 * LANES * (vectors - 1 - i), __builtin_shufflevector(a, b, REVERSED_ODDS));
        }
        if (vectors % 2) {
            VECTOR last = load_strand(strand, part, vectors - 1, &nonfinite);
            store(folded + 2 * LANES * (vectors / 2), __builtin_shufflevector(last, last, FOLDED_ALONE));
        }
    }
    return is_all_zero(nonfinite);
}

/* The real part is stored last: without a second row the imaginary one goes to the same place. */
static void unfold_strand(const float *row, int length, const struct fused_strand *strand)
{
    size_t vectors = (size_t)length / LANES;
    for (int part = 1; part >= 0; part--) {
        const float *folded = row + part * LANES;
        for (size_t i = 0; i < vectors / 2; i++) {
            VECTOR evens = load(folded + 2 * LANES * i);
            VECTOR odds = load(folded + 2 * LANES * (vectors - 1 - i));
            store_strand(strand, part, 2 * i, __builtin_shufflevector(evens, odds, FIRST_UNFOLDED));
            store_strand(strand, part, 2 * i + 1, __builtin_shufflevector(evens, odds, SECOND_UNFOLDED));
        }
        if (vectors % 2) {
            VECTOR middle = load(folded + 2 * LANES * (vectors / 2));
            store_strand(strand, part, vectors - 1, __builtin_shufflevector(middle, middle, UNFOLDED_ALONE));
        }
    }
}

/* 2 C(u) and 2 C(M − u) of one vector of frequencies. */
struct even_pair {
    VECTOR re, im, opposite_re, opposite_im;
};

/* near = V(u), far = V(M − u). */
INLINE struct even_pair even_from_complex(const float *w, float near[2][LANES], VECTOR far_re, VECTOR far_im)
{
    VECTOR cosine = load(w), sine = load(w + LANES), near_re = load(near[0]), near_im = load(near[1]);
    VECTOR p_re = near_re * cosine - near_im * sine, p_im = near_re * sine + near_im * cosine;
    VECTOR q_re = far_re * cosine + far_im * sine, q_im = far_im * cosine - far_re * sine;
    return (struct even_pair){ p_re + q_re, p_im + q_im, q_im - p_im, p_re - q_re };
}

/* Sets near = V(u) and far = V(M − u). */
INLINE void even_to_complex(const float *w, const struct even_pair *c, float near[2][LANES],
                            float far[2][LANES])
{
    VECTOR cosine = load(w), sine = load(w + LANES);
    VECTOR p_re = c->re + c->opposite_im, p_im = c->im - c->opposite_re;
    VECTOR q_re = c->re - c->opposite_im, q_im = c->im + c->opposite_re;
    store(near[0], p_re * cosine + p_im * sine);
    store(near[1], p_im * cosine - p_re * sine);
    store(far[0], q_re * cosine - q_im * sine);
    store(far[1], q_re * sine + q_im * cosine);
}

/* 2 C of frequency k in lane 0, whose opposite frequency is `opposite` in the same lane. */
INLINE void even_from_lane(float w_re, float w_im, float z[LANES][2][LANES], int k, int opposite, float *re,
                           float *im)
{
    float a = z[k][0][0], b = z[k][1][0], c = z[opposite][0][0], d = z[opposite][1][0];
    *im = a * w_im + b * w_re + (d * w_re - c * w_im);
    *re = a * w_re - b * w_im + (c * w_re + d * w_im);
}

/* V(u) of C(u) = re + j·im and C(M − u) in lane 0. */
INLINE void even_to_lane(float w_re, float w_im, float re, float im, float opposite_re, float opposite_im,
                         float z[2][LANES])
{
    float p_re = re + opposite_im, p_im = im - opposite_re;
    z[0][0] = p_re * w_re + p_im * w_im;
    z[1][0] = p_im * w_re - p_re * w_im;
}

/* Where the numbers of lane 0 lie in the grid. */
struct even_lane {
    float *near_re, *near_im, *far_re, *far_im; /* of frequency k = 0 */
    size_t step;                                /* to that of k + 1 */
};

static void even_first_lane_forward(const struct fused_row *transform, struct tangled *z,
                                    const struct even_lane *to)
{
    for (int k = 0; k < LANES; k++) {
        const float *near = transform->quarter + 2 * (size_t)k * LANES,
                    *far = transform->quarter_middle + 2 * k;
        size_t at = (size_t)k * to->step;
        even_from_lane(near[0], near[LANES], z->near, k, (LANES - k) % LANES, to->near_re + at,
                       to->near_im + at);
        even_from_lane(far[0], far[1], z->far, k, LANES - 1 - k, to->far_re + at, to->far_im + at);
    }
}

/* C(M) is 0. */
static void even_first_lane_inverse(const struct fused_row *transform, const struct even_lane *from,
                                    struct tangled *z)
{
    for (int k = 0; k < LANES; k++) {
        const float *near = transform->quarter + 2 * (size_t)k * LANES,
                    *far = transform->quarter_middle + 2 * k;
        size_t at = (size_t)k * from->step, opposite = (size_t)(LANES - k) % LANES * from->step;
        size_t mirrored = (size_t)(LANES - 1 - k) * from->step;
        even_to_lane(near[0], near[LANES], from->near_re[at], from->near_im[at],
                     k ? from->near_re[opposite] : 0, k ? from->near_im[opposite] : 0, z->near[k]);
        even_to_lane(far[0], far[1], from->far_re[at], from->far_im[at], from->far_re[mirrored],
                     from->far_im[mirrored], z->far[k]);
    }
}

/* Loads `near` of a group, and `far` as vectors. `rows`: of the grid; the rows behind them are prefetched. */
INLINE void even_residues_forward(const struct fused_row *transform, const float *folded,
                                  const struct fused_grid *grid, int group, const float *const rows[2],
                                  struct tangled *z, VECTOR *re, VECTOR *im)
{
    residues_forward(folded, transform->vector + group * LANES, grid, row_ahead(grid, group, rows[0]), re,
                     im);
    UNROLL
    for (int k = 0; k < LANES; k++)
        store_complex(z->near[k][0], LANES, re[k], im[k]);
    residues_forward(folded, transform->opposite + group * LANES, grid, row_ahead(grid, group, rows[1]), re,
                     im);
    UNROLL
    for (int k = 0; k < LANES && group == 0; k++)
        store_complex(z->far[k][0], LANES, re[k], im[k]);
}

static void even_residues_inverse(const struct fused_row *transform, const struct tangled *z,
                                  const struct fused_grid *grid, int group, const float *const rows[2],
                                  float *folded)
{
    VECTOR re[LANES], im[LANES];
    UNROLL
    for (int k = 0; k < LANES; k++)
        re[k] = load(z->near[k][0]), im[k] = load(z->near[k][1]);
    residues_inverse(re, im, grid, row_ahead(grid, group, rows[0]), transform->vector + group * LANES,
                     folded);
    UNROLL
    for (int k = 0; k < LANES; k++)
        re[k] = load(z->far[k][0]), im[k] = load(z->far[k][1]);
    residues_inverse(re, im, grid, row_ahead(grid, group, rows[1]), transform->opposite + group * LANES,
                     folded);
}

/* The twiddles of frequency k of a group. */
INLINE const float *group_quarter(const struct fused_row *transform, int group, int k)
{
    return transform->quarter + 2 * LANES * ((size_t)group * LANES + (size_t)k);
}

/* ---- Pair planes -------------------------------------------------------------------------------------- */

INLINE struct even_lane pair_lane(const struct fused_grid *grid, size_t row)
{
    float *near = grid->data + row, *far = near + LANES * grid->block_floats;
    return (struct even_lane){ near, near + grid->lanes, far, far + grid->lanes, grid->block_floats };
}

static void pair_even_forward(const struct fused_row *transform, float *row, const struct fused_grid *grid,
                              size_t to)
{
    row_steps_forward(transform, 0, row);
    for (int group = 0; group < transform->groups; group++) {
        struct tangled z;
        VECTOR re[LANES], im[LANES];
        float *near = group_block(grid, group) + to, *far = near + LANES * grid->block_floats;
        even_residues_forward(transform, row, grid, group, (const float *[]){ near, far }, &z, re, im);
        UNROLL
        for (int k = 0; k < LANES; k++) {
            struct even_pair c = even_from_complex(group_quarter(transform, group, k), z.near[k],
                                                   re[LANES - 1 - k], im[LANES - 1 - k]);
            size_t at = (size_t)k * grid->block_floats;
            store_to_grid(grid, near + at, c.re, c.im);
            store_to_grid(grid, far + at, c.opposite_re, c.opposite_im);
        }
        if (group == 0) {
            struct even_lane lane = pair_lane(grid, to);
            even_first_lane_forward(transform, &z, &lane);
        }
    }
}

static void pair_even_inverse(const struct fused_row *transform, const struct fused_grid *grid, size_t from,
                              float *row)
{
    for (int group = 0; group < transform->groups; group++) {
        struct tangled z;
        const float *near = group_block(grid, group) + from, *far = near + LANES * grid->block_floats;
        UNROLL
        for (int k = 0; k < LANES; k++) {
            size_t at = (size_t)k * grid->block_floats;
            struct even_pair c = { load(near + at), load(near + at + grid->lanes), load(far + at),
                                   load(far + at + grid->lanes) };
            even_to_complex(group_quarter(transform, group, k), &c, z.near[k], z.far[LANES - 1 - k]);
        }
        if (group == 0) {
            struct even_lane lane = pair_lane(grid, from);
            even_first_lane_inverse(transform, &lane, &z);
        }
        even_residues_inverse(transform, &z, grid, group, (const float *[]){ near, far }, row);
    }
    row_steps_inverse(transform, 0, row);
}

/* ---- Single planes ------------------------------------------------------------------------------------ */

INLINE struct even_lane single_lane(const struct fused_grid *grid, size_t real, size_t imaginary)
{
    float *re = grid->data + real, *im = grid->data + imaginary;
    return (struct even_lane){ re, im, re + grid->lanes, im + grid->lanes, grid->block_floats };
}

/* Without a second row, `imaginary` is `real`, which is written last. */
static void single_even_forward(const struct fused_row *transform, float *row, const struct fused_grid *grid,
                                size_t real, size_t imaginary)
{
    row_steps_forward(transform, 0, row);
    for (int group = 0; group < transform->groups; group++) {
        struct tangled z;
        VECTOR re[LANES], im[LANES];
        float *block = group_block(grid, group);
        even_residues_forward(transform, row, grid, group,
                              (const float *[]){ block + real, block + imaginary }, &z, re, im);
        UNROLL
        for (int k = 0; k < LANES; k++, block += grid->block_floats) {
            struct even_pair c = even_from_complex(group_quarter(transform, group, k), z.near[k],
                                                   re[LANES - 1 - k], im[LANES - 1 - k]);
            store_to_grid(grid, block + imaginary, c.im, c.opposite_im);
            store_to_grid(grid, block + real, c.re, c.opposite_re);
        }
        if (group == 0) {
            struct even_lane lane = single_lane(grid, real, imaginary);
            even_first_lane_forward(transform, &z, &lane);
        }
    }
}

static void single_even_inverse(const struct fused_row *transform, const struct fused_grid *grid, size_t real,
                                size_t imaginary, float *row)
{
    for (int group = 0; group < transform->groups; group++) {
        struct tangled z;
        const float *block = group_block(grid, group);
        UNROLL
        for (int k = 0; k < LANES; k++, block += grid->block_floats) {
            struct even_pair c = { load(block + real), load(block + imaginary),
                                   load(block + real + grid->lanes), load(block + imaginary + grid->lanes) };
            even_to_complex(group_quarter(transform, group, k), &c, z.near[k], z.far[LANES - 1 - k]);
        }
        if (group == 0) {
            struct even_lane lane = single_lane(grid, real, imaginary);
            even_first_lane_inverse(transform, &lane, &z);
        }
        block = group_block(grid, group);
        even_residues_inverse(transform, &z, grid, group,
                              (const float *[]){ block + real, block + imaginary }, row);
    }
    row_steps_inverse(transform, 0, row);
}

/* ---- The odd part ------------------------------------------------------------------------------------- */

static void add_odd(const float *odd, int length, float real, float imaginary, float *row)
{
    VECTOR re, im;
    for (int l = 0; l < LANES; l++) {
        re[l] = l % 2 ? -real : real;
        im[l] = l % 2 ? -imaginary : imaginary;
    }
    for (size_t i = 0; i < 2 * (size_t)length; i += 2 * LANES) {
        store(row + i, load(row + i) + re * load(odd + i));
        store(row + i + LANES, load(row + i + LANES) + im * load(odd + i + LANES));
    }
}
