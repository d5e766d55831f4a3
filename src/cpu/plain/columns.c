/* The middle pass of the plain Fourier engine: columns forward, times H, columns back. */
#include "cpu/plain/plain.h"

#include <omp.h>
#include <string.h>

/* One column of the grid: sample k at column[k · 2 · LANES] and LANES further. */
static float *grid_column(const struct field *field, int p, int u)
{
    const struct plain *plain = field->engine->plain;
    int place = plain->place[u];
    return field->grid[p] + (size_t)(place / LANES) * plain->planes[p].rows * 2 * LANES + place % LANES;
}

/* Moreland & Angel eq. 8: row k holds z = f + i·g of window rows 2k and 2k + 1, so
 *     F(u) = ½ (Z(u) + Z*(M − u)),   G(u) = −½ i (Z(u) − Z*(M − u)). */
static void untangle(const struct field *field, int p, int u, float *column)
{
    const struct plane *plane = &field->engine->plain->planes[p];
    int width = field->engine->work->x.length, height = field->engine->work->y.length;
    const float *near = grid_column(field, p, u), *far = grid_column(field, p, (width - u) % width);
    const size_t step = 2 * LANES;
    for (int k = 0; k < plane->rows; k++, near += step, far += step, column += 2 * step) {
        column[0] = (near[0] + far[0]) / 2;
        column[LANES] = (near[LANES] - far[LANES]) / 2;
        if (2 * k + 1 == height)
            break;
        column[step] = (near[LANES] + far[LANES]) / 2;
        column[step + LANES] = (far[0] - near[0]) / 2;
    }
}

/* Eq. 7 back: Z(u) = F + i·G and, both pictures being real, Z(M − u) = F* + i·G*. */
static void tangle(const struct field *field, int p, int u, const float *column)
{
    const struct plane *plane = &field->engine->plain->planes[p];
    int width = field->engine->work->x.length, height = field->engine->work->y.length;
    float *near = grid_column(field, p, u), *far = grid_column(field, p, (width - u) % width);
    const size_t step = 2 * LANES;
    for (int k = 0; k < plane->rows; k++, near += step, far += step, column += 2 * step) {
        bool alone = 2 * k + 1 == height;
        float f_re = column[0], f_im = column[LANES];
        float g_re = alone ? 0 : column[step], g_im = alone ? 0 : column[step + LANES];
        near[0] = f_re - g_im;
        near[LANES] = f_im + g_re;
        far[0] = f_re + g_im;
        far[LANES] = g_re - f_im;
    }
}

/* Frequencies u of a tangled plane that block `block` holds: 0 … M/2 in turn. */
static int tangled_count(const struct field *field, int block)
{
    int left = field->engine->work->x.length / 2 + 1 - block * LANES;
    return left < LANES ? left : LANES;
}

static void gather_block(const struct field *field, int p, int block, float *columns)
{
    const struct plane *plane = &field->engine->plain->planes[p];
    size_t floats = cpu_block_floats(field->engine);
    if (!plane->tangled) {
        memcpy(columns, field->grid[p] + (size_t)block * floats, floats * sizeof *columns);
        return;
    }
    memset(columns, 0, floats * sizeof *columns);
    for (int lane = 0; lane < tangled_count(field, block); lane++)
        untangle(field, p, block * LANES + lane, columns + lane);
}

static void scatter_block(const struct field *field, int p, int block, const float *columns)
{
    const struct plane *plane = &field->engine->plain->planes[p];
    size_t floats = cpu_block_floats(field->engine);
    if (!plane->tangled) {
        memcpy(field->grid[p] + (size_t)block * floats, columns, floats * sizeof *columns);
        return;
    }
    for (int lane = 0; lane < tangled_count(field, block); lane++)
        tangle(field, p, block * LANES + lane, columns + lane);
}

static void multiply_real(const float *in, const float *h, float *out, int height)
{
    for (int v = 0; v < height; v++, in += 2 * LANES, out += 2 * LANES, h += LANES)
        for (int i = 0; i < LANES; i++) {
            out[i] = in[i] * h[i];
            out[LANES + i] = in[LANES + i] * h[i];
        }
}

static void multiply_complex(const float *in, const float *h, float *out, int height)
{
    for (int v = 0; v < height; v++, in += 2 * LANES, out += 2 * LANES, h += 2 * LANES)
        for (int i = 0; i < LANES; i++) {
            float re = in[i] * h[i] - in[LANES + i] * h[LANES + i];
            float im = in[i] * h[LANES + i] + in[LANES + i] * h[i];
            out[i] = re;
            out[LANES + i] = im;
        }
}

/* out = in · H of one block; in and out may be one. */
static void multiply_block(const struct field *field, int p, int block, int filter, const float *in,
                           float *out)
{
    const struct plain *plain = field->engine->plain;
    const struct spectrum *spectrum = &plain->spectra[filter];
    const float *h = plain->planes[p].tangled ? spectrum->single : spectrum->pair;
    int height = field->engine->work->y.length;
    size_t block_floats = cpu_block_floats(field->engine);
    if (spectrum->real)
        multiply_real(in, h + (size_t)block * (block_floats / 2), out, height);
    else
        multiply_complex(in, h + (size_t)block * block_floats, out, height);
}

/* What happens to one block of one plane. */
typedef void block_function(struct field *field, int p, int block, int filter, struct worker *worker);

static void filter_block(struct field *field, int p, int block, int filter, struct worker *worker)
{
    const struct plain *plain = field->engine->plain;
    gather_block(field, p, block, worker->columns);
    fft_f32_forward(plain->columns, worker->columns, LANES, worker->scratch);
    multiply_block(field, p, block, filter, worker->columns, worker->columns);
    fft_f32_inverse(plain->columns, worker->columns, LANES, worker->scratch);
    scatter_block(field, p, block, worker->columns);
}

static void keep_block(struct field *field, int p, int block, int filter, struct worker *worker)
{
    (void)filter;
    float *columns = field->kept[p] + (size_t)block * cpu_block_floats(field->engine);
    gather_block(field, p, block, columns);
    fft_f32_forward(field->engine->plain->columns, columns, LANES, worker->scratch);
}

static void apply_block(struct field *field, int p, int block, int filter, struct worker *worker)
{
    const float *kept = field->kept[p] + (size_t)block * cpu_block_floats(field->engine);
    multiply_block(field, p, block, filter, kept, worker->columns);
    fft_f32_inverse(field->engine->plain->columns, worker->columns, LANES, worker->scratch);
    scatter_block(field, p, block, worker->columns);
}

static void each_block(struct field *field, int filter, block_function *work)
{
    const struct plain *plain = field->engine->plain;
    for (int p = 0; p < plain->plane_count; p++) {
#pragma omp parallel for schedule(static) num_threads(field->worker_count)
        for (int block = 0; block < plain->planes[p].column_blocks; block++) {
            work(field, p, block, filter, &field->workers[omp_get_thread_num()]);
            cpu_watch_advance(field->watcher);
        }
    }
    cpu_watch_pass(field->watcher, "columns");
}

void cpu_columns_filter(struct field *field, int filter)
{
    each_block(field, filter, filter_block);
}

void cpu_columns_keep(struct field *field)
{
    each_block(field, 0, keep_block);
}

void cpu_columns_apply(struct field *field, int filter)
{
    each_block(field, filter, apply_block);
}
