/* Template: rows forward into the grid and back out of it. */

/* Turns by a vector of twiddles for each k; those of a block's first sample are 1. */
INLINE void turn_lanes(int radix, const float *w, VECTOR *re, VECTOR *im)
{
    UNROLL
    for (int k = 1; k < radix; k++, w += 2 * LANES) {
        VECTOR x = re[k], y = im[k], cosine = load(w), sine = load(w + LANES);
        re[k] = x * cosine - y * sine;
        im[k] = x * sine + y * cosine;
    }
}

INLINE void row_butterfly(float *x, size_t stride, int radix, half_function *half, bool inverse,
                          const float *w)
{
    VECTOR re[RADIX_MAX], im[RADIX_MAX];
    float *real = inverse ? x + LANES : x, *imaginary = inverse ? x : x + LANES;
    UNROLL
    for (int k = 0; k < radix; k++) {
        re[k] = load(real + (size_t)k * stride);
        im[k] = load(imaginary + (size_t)k * stride);
    }
    if (inverse)
        turn_lanes(radix, w, re, im);
    dft(radix, half, re, im);
    if (!inverse)
        turn_lanes(radix, w, re, im);
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
    }
}

static void row_steps_forward(const struct fused_row *transform, float *row)
{
    for (int i = 0; i < transform->step_count; i++)
        row_step(row, transform->length, &transform->steps[i], false,
                 transform->twiddles + transform->steps[i].twiddles);
    /* What residues that do not exist are read from. */
    store(row + 2 * (size_t)transform->length, (VECTOR){ 0 });
    store(row + 2 * (size_t)transform->length + LANES, (VECTOR){ 0 });
}

static void row_steps_inverse(const struct fused_row *transform, float *row)
{
    for (int i = transform->step_count - 1; i >= 0; i--)
        row_step(row, transform->length, &transform->steps[i], true,
                 transform->twiddles + transform->steps[i].twiddles);
}

/* ---- The last step, and the first one back: one vector is one transform of LANES samples -------------- */

INLINE void dft_lanes(VECTOR *re, VECTOR *im)
{
    if (LANES == 4)
        dft(4, half_4, re, im);
    else if (LANES == 8)
        dft(8, half_8, re, im);
    else
        dft(16, half_16, re, im);
}

/* The transforms of LANES residues: frequency k of all of them in re[k], im[k]. */
INLINE void residues_forward(const float *row, const int *place, VECTOR *re, VECTOR *im)
{
    UNROLL
    for (int l = 0; l < LANES; l++)
        re[l] = load(row + 2 * LANES * (size_t)place[l]);
    transpose(re);
    UNROLL
    for (int l = 0; l < LANES; l++)
        im[l] = load(row + 2 * LANES * (size_t)place[l] + LANES);
    transpose(im);
    dft_lanes(re, im);
}

INLINE void residues_inverse(VECTOR *re, VECTOR *im, const int *place, float *row)
{
    dft_lanes(im, re);
    transpose(re);
    UNROLL
    for (int l = 0; l < LANES; l++)
        store(row + 2 * LANES * (size_t)place[l], re[l]);
    transpose(im);
    UNROLL
    for (int l = 0; l < LANES; l++)
        store(row + 2 * LANES * (size_t)place[l] + LANES, im[l]);
}

INLINE void store_complex(float *to, VECTOR re, VECTOR im)
{
    store(to, re);
    store(to + LANES, im);
}

static void row_forward(const struct fused_row *transform, float *row, const struct fused_grid *grid,
                        struct fused_rows to)
{
    row_steps_forward(transform, row);
    for (int group = 0; group < transform->groups; group++) {
        VECTOR re[LANES], im[LANES];
        residues_forward(row, transform->near + group * LANES, re, im);
        float *block = grid->data + (size_t)group * LANES * grid->block_floats;
        for (int i = 0; i < to.count; i++)
            UNROLL
            for (int k = 0; k < LANES; k++)
                store_complex(block + (size_t)k * grid->block_floats + to.offset[i], re[k], im[k]);
    }
}

static void row_inverse(const struct fused_row *transform, const struct fused_grid *grid, size_t from,
                        float *row)
{
    for (int group = 0; group < transform->groups; group++) {
        VECTOR re[LANES], im[LANES];
        const float *block = grid->data + (size_t)group * LANES * grid->block_floats + from;
        UNROLL
        for (int k = 0; k < LANES; k++) {
            re[k] = load(block + (size_t)k * grid->block_floats);
            im[k] = load(block + (size_t)k * grid->block_floats + LANES);
        }
        residues_inverse(re, im, transform->near + group * LANES, row);
    }
    row_steps_inverse(transform, row);
}

/* ---- Lone planes -------------------------------------------------------------------------------------- */

/* Z = F + i·G of two real rows. Opposite to frequency k of residue c is frequency LANES − 1 − k of residue
 * residues − c, so with far the transforms of the opposite residues
 *     2 F(k) = near(k) + far*(LANES − 1 − k),   2 G(k) = −i (near(k) − far*(LANES − 1 − k)).
 * The factor 2 is in the spectrum that the columns multiply by.
 *
 * Residue 0 is opposite to itself with k ↔ (LANES − k) mod LANES, and so is residues / 2 with k ↔ LANES − 1 − k.
 * Each is worth half a lane: they share lane 0 of the first group as near and far. Residue 0 has one frequency
 * more, M / 2, which gets a block of its own behind the others. */
struct lone {
    VECTOR near_re[LANES], near_im[LANES], far_re[LANES], far_im[LANES];
};

INLINE void part(const float *z_re, const float *z_im, int k, int opposite, float *f, float *g)
{
    f[0] = z_re[k * LANES] + z_re[opposite * LANES];
    f[LANES] = z_im[k * LANES] - z_im[opposite * LANES];
    g[0] = z_im[k * LANES] + z_im[opposite * LANES];
    g[LANES] = z_re[opposite * LANES] - z_re[k * LANES];
}

/* Lane 0 of the first group, and the block behind the last. */
static void part_first_lane(const struct lone *lone, const struct fused_grid *grid, int groups,
                            struct fused_rows real, struct fused_rows imaginary)
{
    float near_re[LANES * LANES], near_im[LANES * LANES], far_re[LANES * LANES], far_im[LANES * LANES];
    memcpy(near_re, lone->near_re, sizeof near_re);
    memcpy(near_im, lone->near_im, sizeof near_im);
    memcpy(far_re, lone->far_re, sizeof far_re);
    memcpy(far_im, lone->far_im, sizeof far_im);
    float f[2 * LANES], g[2 * LANES];
    for (int slot = 0; slot < LANES; slot++) {
        int k = slot % (LANES / 2);
        if (slot < LANES / 2)
            part(near_re, near_im, k, (LANES - k) % LANES, f, g);
        else
            part(far_re, far_im, k, LANES - 1 - k, f, g);
        float *block = grid->data + (size_t)slot * grid->block_floats;
        for (int i = 0; i < real.count; i++) {
            block[real.offset[i]] = f[0];
            block[real.offset[i] + LANES] = f[LANES];
        }
        for (int i = 0; i < imaginary.count; i++) {
            block[imaginary.offset[i]] = g[0];
            block[imaginary.offset[i] + LANES] = g[LANES];
        }
    }
    float *last = grid->data + (size_t)groups * LANES * grid->block_floats;
    VECTOR f_re = { 2 * near_re[LANES / 2 * LANES] }, g_re = { 2 * near_im[LANES / 2 * LANES] };
    for (int i = 0; i < real.count; i++)
        store_complex(last + real.offset[i], f_re, (VECTOR){ 0 });
    for (int i = 0; i < imaginary.count; i++)
        store_complex(last + imaginary.offset[i], g_re, (VECTOR){ 0 });
}

static void lone_forward(const struct fused_row *transform, float *row, const struct fused_grid *grid,
                         struct fused_rows real, struct fused_rows imaginary)
{
    row_steps_forward(transform, row);
    for (int group = 0; group < transform->groups; group++) {
        struct lone z;
        residues_forward(row, transform->near + group * LANES, z.near_re, z.near_im);
        residues_forward(row, transform->far + group * LANES, z.far_re, z.far_im);
        float *block = grid->data + (size_t)group * LANES * grid->block_floats;
        UNROLL
        for (int k = 0; k < LANES; k++, block += grid->block_floats) {
            VECTOR near_re = z.near_re[k], near_im = z.near_im[k];
            VECTOR far_re = z.far_re[LANES - 1 - k], far_im = z.far_im[LANES - 1 - k];
            for (int i = 0; i < real.count; i++)
                store_complex(block + real.offset[i], near_re + far_re, near_im - far_im);
            for (int i = 0; i < imaginary.count; i++)
                store_complex(block + imaginary.offset[i], near_im + far_im, far_re - near_re);
        }
        if (group == 0)
            part_first_lane(&z, grid, transform->groups, real, imaginary);
    }
}

/* Z(k) = F + i·G and, both rows being real, the opposite one is F* + i·G*. */
INLINE void join(const float *f, const float *g, int k, int opposite, float *z_re, float *z_im)
{
    z_re[opposite * LANES] = f[0] + g[LANES];
    z_im[opposite * LANES] = g[0] - f[LANES];
    z_re[k * LANES] = f[0] - g[LANES];
    z_im[k * LANES] = f[LANES] + g[0];
}

static void join_first_lane(const struct fused_grid *grid, int groups, size_t real, size_t imaginary,
                            struct lone *lone)
{
    float near_re[LANES * LANES], near_im[LANES * LANES], far_re[LANES * LANES], far_im[LANES * LANES];
    memcpy(near_re, lone->near_re, sizeof near_re);
    memcpy(near_im, lone->near_im, sizeof near_im);
    memcpy(far_re, lone->far_re, sizeof far_re);
    memcpy(far_im, lone->far_im, sizeof far_im);
    const float *block = grid->data;
    for (int slot = 0; slot < LANES; slot++, block += grid->block_floats) {
        int k = slot % (LANES / 2);
        if (slot < LANES / 2)
            join(block + real, block + imaginary, k, (LANES - k) % LANES, near_re, near_im);
        else
            join(block + real, block + imaginary, k, LANES - 1 - k, far_re, far_im);
    }
    block = grid->data + (size_t)groups * LANES * grid->block_floats;
    near_re[LANES / 2 * LANES] = block[real];
    near_im[LANES / 2 * LANES] = block[imaginary];
    memcpy(lone->near_re, near_re, sizeof near_re);
    memcpy(lone->near_im, near_im, sizeof near_im);
    memcpy(lone->far_re, far_re, sizeof far_re);
    memcpy(lone->far_im, far_im, sizeof far_im);
}

static void lone_inverse(const struct fused_row *transform, const struct fused_grid *grid, size_t real,
                         size_t imaginary, float *row)
{
    for (int group = 0; group < transform->groups; group++) {
        struct lone z;
        const float *block = grid->data + (size_t)group * LANES * grid->block_floats;
        UNROLL
        for (int k = 0; k < LANES; k++, block += grid->block_floats) {
            VECTOR f_re = load(block + real), f_im = load(block + real + LANES);
            VECTOR g_re = load(block + imaginary), g_im = load(block + imaginary + LANES);
            z.near_re[k] = f_re - g_im, z.near_im[k] = f_im + g_re;
            z.far_re[LANES - 1 - k] = f_re + g_im, z.far_im[LANES - 1 - k] = g_re - f_im;
        }
        if (group == 0)
            join_first_lane(grid, transform->groups, real, imaginary, &z);
        residues_inverse(z.near_re, z.near_im, transform->near + group * LANES, row);
        residues_inverse(z.far_re, z.far_im, transform->far + group * LANES, row);
    }
    row_steps_inverse(transform, row);
}
