/* Factoring of a kernel into few separable terms: exact ones where they exist (kernel_exact.c); else cross
 * approximation finds them, and a small SVD makes them orthogonal.
 *
 *     K = Σ_k σ_k · column_k · row_kᵀ
 *
 * A symmetric kernel is split into the part that is even in x and y and the part that is odd in x and y. The
 * two share no singular vector. The factors of each part are made even or odd to the last bit, which keeps
 * their sum symmetric. */
#include "core/memory.h"
#include "filter/kernel.h"
#include "filter/linalg.h"

#include <abbe/abbe.h>

#include <math.h>
#include <string.h>

/* Terms cancel each other when the sum of their norms exceeds the kernel's norm by this factor. Less
 * cancellation costs less than a bit of precision. */
static const double CANCELLATION = 1.5;

/* `count` separable terms, with room for `capacity`. */
struct terms {
    size_t width, height, count, capacity;
    double *rows, *columns;
};

static void free_terms(struct terms *terms)
{
    core_free(terms->columns);
    core_free(terms->rows);
    *terms = (struct terms){ 0 };
}

static int create_terms(size_t width, size_t height, size_t capacity, struct terms *out)
{
    struct terms terms = { .width = width, .height = height, .capacity = capacity };
    terms.rows = core_alloc_zero(capacity * width, sizeof *terms.rows);
    terms.columns = core_alloc_zero(capacity * height, sizeof *terms.columns);
    if (!terms.rows || !terms.columns) {
        free_terms(&terms);
        return ABBE_ERR_MEMORY;
    }
    *out = terms;
    return ABBE_OK;
}

/* A tap of the even or odd part of a kernel, or of the whole kernel for PARITY_NONE. */
static double part_tap(const struct kernel *kernel, int x, int y, enum parity part)
{
    double tap = kernel_tap(kernel, x, y);
    if (part == PARITY_NONE)
        return tap;
    double mirrored = kernel_tap(kernel, kernel->width - 1 - x, y);
    return part == PARITY_EVEN ? 0.5 * (tap + mirrored) : 0.5 * (tap - mirrored);
}

struct pivot {
    size_t x, y;
    double energy; /* Σ residual² */
};

static struct pivot find_pivot(const double *residual, size_t width, size_t height)
{
    struct pivot pivot = { 0 };
    double largest = 0.0;
    for (size_t i = 0; i < width * height; i++) {
        pivot.energy += residual[i] * residual[i];
        if (fabs(residual[i]) > largest) {
            largest = fabs(residual[i]);
            pivot.x = i % width;
            pivot.y = i / width;
        }
    }
    return pivot;
}

/* Moves the cross through the pivot from the residual to the terms:
 *     residual −= residual(·, x) · residual(y, ·) / residual(y, x). */
static void take_cross(double *residual, struct pivot pivot, struct terms *terms)
{
    size_t width = terms->width;
    double *row = terms->rows + terms->count * width;
    double *column = terms->columns + terms->count * terms->height;
    double value = residual[pivot.y * width + pivot.x];
    memcpy(row, residual + pivot.y * width, width * sizeof *row);
    for (size_t y = 0; y < terms->height; y++)
        column[y] = residual[y * width + pivot.x] / value;
    for (size_t y = 0; y < terms->height; y++)
        for (size_t x = 0; x < width; x++)
            residual[y * width + x] -= column[y] * row[x];
    terms->count++;
}

static void write_part(const struct kernel *kernel, enum parity part, double *taps)
{
    size_t width = (size_t)kernel->width, count = width * (size_t)kernel->height;
    for (size_t i = 0; i < count; i++)
        taps[i] = part_tap(kernel, (int)(i % width), (int)(i / width), part);
}

/* Cross approximation with complete pivoting, until the norm of the residual is at most `allowed` or the
 * capacity of `terms` is used up. */
static int take_crosses(const struct kernel *kernel, enum parity part, double allowed, struct terms *terms)
{
    size_t width = terms->width, height = terms->height;
    double *residual = core_alloc(width * height, sizeof *residual);
    if (!residual)
        return ABBE_ERR_MEMORY;
    write_part(kernel, part, residual);
    struct pivot pivot = find_pivot(residual, width, height);
    while (sqrt(pivot.energy) > allowed && terms->count < terms->capacity) {
        take_cross(residual, pivot, terms);
        pivot = find_pivot(residual, width, height);
    }
    core_free(residual);
    return ABBE_OK;
}

/* Computes rows = Kᵀ · columns, or columns = K · rows. */
static void project_terms(const struct kernel *kernel, enum parity part, bool onto_rows, struct terms *terms)
{
    size_t width = terms->width, height = terms->height;
    double *target = onto_rows ? terms->rows : terms->columns;
    memset(target, 0, terms->count * (onto_rows ? width : height) * sizeof *target);
    for (size_t i = 0; i < width * height; i++) {
        size_t x = i % width, y = i / width;
        double tap = part_tap(kernel, (int)x, (int)y, part);
        for (size_t k = 0; k < terms->count; k++) {
            double *row = terms->rows + k * width, *column = terms->columns + k * height;
            if (onto_rows)
                row[x] += tap * column[y];
            else
                column[y] += tap * row[x];
        }
    }
}

static double residual_norm(const struct kernel *kernel, enum parity part, const struct terms *terms)
{
    double energy = 0.0;
    for (size_t i = 0; i < terms->width * terms->height; i++) {
        size_t x = i % terms->width, y = i / terms->width;
        double rest = part_tap(kernel, (int)x, (int)y, part);
        for (size_t k = 0; k < terms->count; k++)
            rest -= terms->rows[k * terms->width + x] * terms->columns[k * terms->height + y];
        energy += rest * rest;
    }
    return sqrt(energy);
}

/* Finds the terms of a dense kernel. Crosses pass the rounding errors of their row and column on to all
 * others; one step of subspace iteration, columns = orthonormal K · rows, rows = Kᵀ · columns, gives nearly
 * the best terms of the same number. Lowers *allowed by the part that the residual uses. */
static int find_terms(const struct kernel *kernel, enum parity part, double *allowed, struct terms *terms)
{
    double *R = core_alloc(terms->capacity * terms->capacity, sizeof *R);
    int error = R ? take_crosses(kernel, part, *allowed, terms) : ABBE_ERR_MEMORY;
    if (!error) {
        linalg_orthonormalize(terms->rows, terms->count, terms->width, R);
        project_terms(kernel, part, false, terms);
        linalg_orthonormalize(terms->columns, terms->count, terms->height, R);
        project_terms(kernel, part, true, terms);
        double rest = residual_norm(kernel, part, terms);
        if (rest > *allowed)
            error = ABBE_ERR_UNSUPPORTED;
        else
            *allowed = sqrt((*allowed - rest) * (*allowed + rest));
    }
    core_free(R);
    return error;
}

/* Copies the terms of a separable kernel that belong to a part. The parity of the row decides, because in a
 * symmetric kernel the column has the same. */
static void select_terms(const struct kernel *kernel, enum parity part, struct terms *terms)
{
    for (size_t r = 0; r < (size_t)kernel->terms; r++) {
        const double *row = kernel->rows + r * terms->width;
        const double *column = kernel->columns + r * terms->height;
        bool even = parity_of(row, kernel->width, kernel->centre_x) & PARITY_EVEN;
        if (part != PARITY_NONE && even != (part == PARITY_EVEN))
            continue;
        memcpy(terms->rows + terms->count * terms->width, row, terms->width * sizeof *row);
        memcpy(terms->columns + terms->count * terms->height, column, terms->height * sizeof *column);
        terms->count++;
    }
}

/* out = Σ_k weight[k] · basis_k. */
static void combine_basis(const double *basis, const double *weights, size_t count, size_t length,
                          double *out)
{
    for (size_t i = 0; i < length; i++)
        out[i] = 0.0;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < length; i++)
            out[i] += weights[k] * basis[k * length + i];
}

/* The number of singular values (norms of X's columns) to keep, so that the norm of the dropped ones is at
 * most `allowed`. */
static size_t count_kept_terms(const double *X, size_t count, double allowed)
{
    double dropped = 0.0;
    size_t kept = count;
    while (kept > 0) {
        dropped = hypot(dropped, linalg_norm(X + (kept - 1) * count, count));
        if (dropped > allowed)
            break;
        kept--;
    }
    return kept;
}

/* Writes the singular vectors times √σ: columns = Q_columns · X / √σ, rows = Q_rows · W · √σ. */
static void write_vectors(const struct terms *Q, const double *X, const double *W, size_t count,
                          struct terms *out)
{
    for (size_t k = 0; k < count; k++) {
        double *row = out->rows + k * Q->width, *column = out->columns + k * Q->height;
        double root = sqrt(linalg_norm(X + k * Q->count, Q->count));
        combine_basis(Q->columns, X + k * Q->count, Q->count, Q->height, column);
        combine_basis(Q->rows, W + k * Q->count, Q->count, Q->width, row);
        for (size_t y = 0; y < Q->height; y++)
            column[y] /= root;
        for (size_t x = 0; x < Q->width; x++)
            row[x] *= root;
    }
    out->count = count;
}

/* Replaces terms by singular vectors and drops those whose joint norm is at most `allowed`:
 *     columns · rowsᵀ = Q_c R_c (Q_r R_r)ᵀ = Q_c (R_c R_rᵀ) Q_rᵀ,   (R_c R_rᵀ) W = X = U Σ. */
static int orthogonalize_terms(struct terms *terms, double allowed)
{
    size_t n = terms->count;
    struct terms out = { 0 };
    double *small = core_alloc_zero(4 * n * n, sizeof *small);
    int error = small ? create_terms(terms->width, terms->height, n, &out) : ABBE_ERR_MEMORY;
    if (error)
        goto fail;
    double *R_rows = small, *R_columns = R_rows + n * n, *X = R_columns + n * n, *W = X + n * n;
    linalg_orthonormalize(terms->rows, n, terms->width, R_rows);
    linalg_orthonormalize(terms->columns, n, terms->height, R_columns);
    for (size_t i = 0; i < n * n; i++) /* X is stored column by column */
        for (size_t k = 0; k < n; k++)
            X[i] += R_columns[i % n * n + k] * R_rows[i / n * n + k];
    linalg_jacobi(X, n, n, W);
    write_vectors(terms, X, W, count_kept_terms(X, n, allowed), &out);
    free_terms(terms);
    *terms = out;
    core_free(small);
    return ABBE_OK;
fail:
    core_free(small);
    return error;
}

/* Whether Σ_r ‖row_r‖ · ‖column_r‖ is well above ‖K‖. Devices round every term to float, and the rounding
 * errors of terms that cancel would exceed the precision of the kernel. For singular vectors the sum is at
 * most √terms · ‖K‖. */
static bool terms_cancel(const struct terms *terms, double norm)
{
    double sum = 0.0;
    for (size_t r = 0; r < terms->count; r++)
        sum += linalg_norm(terms->rows + r * terms->width, terms->width) *
               linalg_norm(terms->columns + r * terms->height, terms->height);
    return sum > CANCELLATION * norm;
}

/* Finds exact terms of a dense kernel that do not cancel each other, and leaves terms->count at 0 where there
 * are none. */
static int find_exact_terms(const struct kernel *kernel, enum parity part, struct terms *terms)
{
    size_t area = terms->width * terms->height;
    double *residual = core_alloc(area, sizeof *residual);
    if (!residual)
        return ABBE_ERR_MEMORY;
    write_part(kernel, part, residual);
    double norm = linalg_norm(residual, area);
    bool exact = kernel_factor_exactly(residual, terms->width, terms->height, terms->capacity, terms->rows,
                                       terms->columns, &terms->count);
    if (!exact || terms_cancel(terms, norm))
        terms->count = 0;
    core_free(residual);
    return ABBE_OK;
}

/* Finds the terms of one part; the terms of an even or odd part are exactly even or odd. */
static int factor_part(const struct kernel *kernel, enum parity part, int terms_max, double allowed,
                       struct terms *out)
{
    struct terms terms;
    size_t capacity = (size_t)(kernel->terms ? kernel->terms : terms_max);
    int error = create_terms((size_t)kernel->width, (size_t)kernel->height, capacity, &terms);
    if (error)
        return error;
    if (kernel->terms)
        select_terms(kernel, part, &terms);
    else
        error = find_exact_terms(kernel, part, &terms);
    bool exact = !kernel->terms && terms.count;
    if (!error && !kernel->terms && !exact)
        error = find_terms(kernel, part, &allowed, &terms);
    if (!error && terms.count && !exact)
        error = orthogonalize_terms(&terms, allowed);
    if (error) {
        free_terms(&terms);
        return error;
    }
    for (size_t k = 0; k < terms.count; k++) {
        parity_enforce(terms.rows + k * terms.width, kernel->width, kernel->width / 2, part);
        parity_enforce(terms.columns + k * terms.height, kernel->height, kernel->height / 2, part);
    }
    *out = terms;
    return ABBE_OK;
}

/* √Σ tap², for separable terms computed from their factors: Σ_r Σ_s (row_r · row_s)(column_r · column_s). */
static double frobenius_norm(const struct kernel *kernel)
{
    size_t width = (size_t)kernel->width, height = (size_t)kernel->height, count = (size_t)kernel->terms;
    if (!count)
        return linalg_norm(kernel->taps, width * height);
    double energy = 0.0;
    for (size_t pair = 0; pair < count * count; pair++) {
        size_t r = pair / count, s = pair % count;
        energy += linalg_dot(kernel->rows + r * width, kernel->rows + s * width, width) *
                  linalg_dot(kernel->columns + r * height, kernel->columns + s * height, height);
    }
    return sqrt(fmax(0.0, energy));
}

/* Tap (i, j) of a sample of n columns and n rows, spread evenly over a kernel. */
static double sampled_tap(const struct kernel *kernel, size_t n, size_t i, size_t j)
{
    size_t x = i * (size_t)(kernel->width - 1) / (n - 1), y = j * (size_t)(kernel->height - 1) / (n - 1);
    return kernel_tap(kernel, (int)x, (int)y);
}

/* Writes the pivots of a sample, at most as many as `crosses` has room for. Overwrites the sample. */
static void find_pivots(double *sample, struct terms *crosses, struct pivot *pivots)
{
    size_t n = crosses->width;
    struct pivot pivot = find_pivot(sample, n, n);
    while (pivot.energy > 0.0 && crosses->count < crosses->capacity) {
        pivots[crosses->count] = pivot;
        take_cross(sample, pivot, crosses);
        pivot = find_pivot(sample, n, n);
    }
}

/* Writes the least singular value of the submatrix formed by the rows and columns of the first `count` pivots
 * of a sample. It is at most singular value number `count` of the kernel, and the choice of pivots keeps it
 * close to the sample's. */
static int least_singular_value(const struct kernel *kernel, size_t n, size_t count, double *sigma)
{
    struct terms crosses = { 0 };
    double *sample = core_alloc(n * n, sizeof *sample);
    double *chosen = core_alloc_zero(count * count, sizeof *chosen);
    struct pivot *pivots = core_alloc(count, sizeof *pivots);
    int error = sample && chosen && pivots ? create_terms(n, n, count, &crosses) : ABBE_ERR_MEMORY;
    if (error)
        goto fail;
    for (size_t i = 0; i < n * n; i++)
        sample[i] = sampled_tap(kernel, n, i % n, i / n);
    find_pivots(sample, &crosses, pivots);
    for (size_t i = 0; i < crosses.count; i++)
        for (size_t j = 0; j < crosses.count; j++)
            chosen[i * count + j] = sampled_tap(kernel, n, pivots[i].x, pivots[j].y);
    linalg_jacobi(chosen, count, count, NULL);
    *sigma = linalg_norm(chosen + (count - 1) * count, count);
fail:
    free_terms(&crosses);
    core_free(pivots);
    core_free(chosen);
    core_free(sample);
    return error;
}

/* Returns ABBE_ERR_UNSUPPORTED when a sample of rows and columns proves that there are too many terms:
 * singular values of a submatrix never exceed those of the matrix. This refuses most dense kernels long
 * before the crosses. The sample has twice as many rows as the terms, doubled again because mirrored rows of
 * a symmetric kernel are equal. */
static int probe_terms(const struct kernel *kernel, int terms_max, double allowed)
{
    int n = 4 * terms_max + 4;
    double sigma = 0.0;
    if (kernel->terms || kernel->width <= n || kernel->height <= n)
        return ABBE_OK;
    int error = least_singular_value(kernel, (size_t)n, (size_t)terms_max + 1, &sigma);
    return !error && sigma > allowed ? ABBE_ERR_UNSUPPORTED : error;
}

/* Joins the terms of both parts in one kernel; a kernel of zeros becomes one term of zeros. */
static int join_parts(const struct kernel *kernel, const struct terms parts[2], int terms_max,
                      struct kernel *out)
{
    size_t width = (size_t)kernel->width, height = (size_t)kernel->height;
    size_t first = parts[0].count, count = first + parts[1].count;
    if (count > (size_t)terms_max)
        return ABBE_ERR_UNSUPPORTED;
    struct kernel made;
    int error = kernel_create_separable(kernel->width, kernel->height, count ? (int)count : 1, &made);
    if (error)
        return error;
    for (size_t k = 0; k < count; k++) {
        const struct terms *part = k < first ? &parts[0] : &parts[1];
        size_t index = k < first ? k : k - first;
        memcpy(made.rows + k * width, part->rows + index * width, width * sizeof *made.rows);
        memcpy(made.columns + k * height, part->columns + index * height, height * sizeof *made.columns);
    }
    made.centre_x = kernel->centre_x;
    made.centre_y = kernel->centre_y;
    *out = made;
    return ABBE_OK;
}

int kernel_factor(const struct kernel *kernel, int terms_max, double tolerance, struct kernel *out)
{
    double norm = frobenius_norm(kernel);
    const struct terms own = { (size_t)kernel->width, (size_t)kernel->height, (size_t)kernel->terms, 0,
                               kernel->rows,          kernel->columns };
    if (kernel->terms && kernel->terms <= terms_max && !terms_cancel(&own, norm))
        return kernel_copy(kernel, out);
    bool centred = kernel->width == 2 * kernel->centre_x + 1 && kernel->height == 2 * kernel->centre_y + 1;
    bool split = centred && kernel_is_symmetric(kernel);
    double allowed = tolerance * norm * (split ? M_SQRT1_2 : 1.0);
    struct terms parts[2] = { 0 };
    int error = terms_max < 1 ? ABBE_ERR_UNSUPPORTED : probe_terms(kernel, terms_max, tolerance * norm);
    if (!error)
        error = factor_part(kernel, split ? PARITY_EVEN : PARITY_NONE, terms_max, allowed, &parts[0]);
    if (!error && split)
        error = factor_part(kernel, PARITY_ODD, terms_max, allowed, &parts[1]);
    if (!error)
        error = join_parts(kernel, parts, terms_max, out);
    free_terms(&parts[1]);
    free_terms(&parts[0]);
    return error;
}
