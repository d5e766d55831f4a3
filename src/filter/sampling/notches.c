/* Many butterworth notches at once: far from their points, their product is smooth and interpolated. */
#include "filter/sampling/notches.h"

#include "core/memory.h"
#include "filter/places.h"

#include <math.h>
#include <string.h>

/* Rows of a patch. With eight nodes on so many, near patches and interpolation take about the same time on
 * the grid of a picture of 24 megapixels. */
enum { NOTCH_ROWS = 128 };

/* Squares of distances along one axis, in radii: at the nodes, and at the centre of a patch, where it is
 * −∞ if a patch has more than one nearest copy of the point. */
struct node_squares {
    double nodes[NOTCH_V], centre;
};

struct notches {
    struct notch_grid grid;
    int count, patches, batches; /* factors; patches of a batch of columns; batches */
    struct notch *notch;
    struct node_squares *x, *y; /* [batch][factor] and [patch][factor] */
    double *far;                /* of each factor: the square in radii from which on it is interpolated */
    double *rows;               /* weights of nodes: [row of a patch][NOTCH_V] */
    double *columns;            /* [NOTCH_U][column] */
};

/* ---- Nodes and weights -------------------------------------------------------------------------------- */

/* Node k of `count` in −1 … 1. */
static double chebyshev_node(int k, int count)
{
    return cos((2 * k + 1) * M_PI / (2 * count));
}

/* The weight of node k at a point: Lagrange's polynomial. */
static double node_weight(int k, int count, double point)
{
    double weight = 1.0, node = chebyshev_node(k, count);
    for (int i = 0; i < count; i++)
        if (i != k)
            weight *= (point - chebyshev_node(i, count)) / (node - chebyshev_node(i, count));
    return weight;
}

/* Half of the distance from the first to the last of `count` frequencies, in cycles per pixel. */
static double half_length(size_t count, int length)
{
    return 0.5 * ((double)count - 1) / length;
}

/* The distance of a frequency from a point along one axis, where the plane has period 1. */
static double axis_distance(double frequency, double point)
{
    double d = frequency - point;
    return fabs(d - rint(d));
}

static double axis_square(double frequency, double point, double radius)
{
    double ratio = axis_distance(frequency, point) / radius;
    return ratio * ratio;
}

/* `count` consecutive intervals of `each` frequencies of an axis, with `nodes` nodes each. */
struct notch_axis {
    int length, each, nodes, count;
};

/* Fills the squares of a factor on the intervals of an axis, which are `step` entries apart. */
static void fill_squares(const struct notch_axis *axis, double point, double radius, size_t step,
                         struct node_squares *squares)
{
    double half = half_length((size_t)axis->each, axis->length);
    for (int i = 0; i < axis->count; i++, squares += step) {
        double centre = (double)i * axis->each / axis->length + half;
        bool one_copy = axis_distance(centre, point) + half < 0.5;
        squares->centre = one_copy ? axis_square(centre, point, radius) : -INFINITY;
        for (int k = 0; k < axis->nodes; k++)
            squares->nodes[k] = axis_square(centre + half * chebyshev_node(k, axis->nodes), point, radius);
    }
}

/* ---- The error of interpolation ----------------------------------------------------------------------- */

/* The bound for a factor at a distance from the centre of a patch with half-lengths hu and hv (notches.h). */
static double interpolation_error(const struct factor *factor, double distance, double hu, double hv)
{
    double r = factor->cutoff, d = distance - hypot(hu, hv), rho = 0.5 * (d - r);
    if (d <= 3.0 * r)
        return INFINITY;
    double w = pow(2.0 * r / (d + r), 2.0 * factor->order), most = w / (1.0 - w);
    return 2.0 * most * (3.0 * pow(0.5 * hu / rho, NOTCH_U) + pow(0.5 * hv / rho, NOTCH_V));
}

/* The distance from which on the bound is at most `error`. Infinite where it is never. */
static double near_distance(const struct factor *factor, double hu, double hv, double error)
{
    double below = 0.0, above = 1.0;
    if (interpolation_error(factor, above, hu, hv) > error)
        return INFINITY;
    for (int i = 0; i < 30; i++) {
        double middle = 0.5 * (below + above);
        if (interpolation_error(factor, middle, hu, hv) > error)
            below = middle;
        else
            above = middle;
    }
    return above;
}

/* ---- Making ------------------------------------------------------------------------------------------- */

static void fill_factor(struct notches *notches, int i)
{
    const struct notch_grid *grid = &notches->grid;
    const struct factor *factor = notches->notch[i].factor;
    const struct notch_axis x = { grid->width, (int)grid->columns, NOTCH_U, notches->batches };
    const struct notch_axis y = { grid->height, NOTCH_ROWS, NOTCH_V, notches->patches };
    double hu = half_length(grid->columns, grid->width), hv = half_length(NOTCH_ROWS, grid->height);
    double near = near_distance(factor, hu, hv, NOTCHES_ERROR / notches->count) / factor->cutoff;
    notches->far[i] = near * near;
    fill_squares(&x, factor->x, factor->cutoff, (size_t)notches->count, notches->x + i);
    fill_squares(&y, factor->y, factor->cutoff, (size_t)notches->count, notches->y + i);
}

static void fill_weights(struct notches *notches)
{
    size_t columns = notches->grid.columns;
    for (int v = 0; v < NOTCH_ROWS; v++)
        for (int k = 0; k < NOTCH_V; k++)
            notches->rows[v * NOTCH_V + k] = node_weight(k, NOTCH_V, 2.0 * v / (NOTCH_ROWS - 1) - 1.0);
    for (size_t c = 0; c < columns; c++)
        for (size_t k = 0; k < NOTCH_U; k++)
            notches->columns[k * columns + c] = node_weight((int)k, NOTCH_U,
                                                            2.0 * (double)c / ((double)columns - 1) - 1.0);
}

int notches_create(const struct notch_grid *grid, struct notch *notch, int count, struct notches **notches)
{
    struct notches *made = core_alloc_zero(1, sizeof *made);
    if (!made) {
        core_free(notch);
        return ABBE_ERR_MEMORY;
    }
    *made = (struct notches){ .grid = *grid, .count = count, .notch = notch };
    made->patches = (grid->rows + NOTCH_ROWS - 1) / NOTCH_ROWS;
    made->batches = grid->width / 2 / (int)grid->columns + 1;
    made->x = core_alloc((size_t)count * (size_t)made->batches, sizeof *made->x);
    made->y = core_alloc((size_t)count * (size_t)made->patches, sizeof *made->y);
    made->far = core_alloc((size_t)count, sizeof *made->far);
    made->rows = core_alloc(NOTCH_ROWS, NOTCH_V * sizeof *made->rows);
    made->columns = core_alloc(grid->columns, NOTCH_U * sizeof *made->columns);
    if (!made->x || !made->y || !made->far || !made->rows || !made->columns) {
        notches_destroy(&made);
        return ABBE_ERR_MEMORY;
    }
    for (int i = 0; i < count; i++)
        fill_factor(made, i);
    fill_weights(made);
    *notches = made;
    return ABBE_OK;
}

void notches_destroy(struct notches **notches)
{
    if (!*notches)
        return;
    core_free((*notches)->columns);
    core_free((*notches)->rows);
    core_free((*notches)->far);
    core_free((*notches)->y);
    core_free((*notches)->x);
    core_free((*notches)->notch);
    core_free(*notches);
    *notches = NULL;
}

double notches_bytes(int count, int width, int rows)
{
    double squares = (double)width / 2 / NOTCH_COLUMNS_MIN + 1 + (double)rows / NOTCH_ROWS + 1;
    return sizeof(struct notches) + 6 * CORE_ALIGNMENT +
           count * (sizeof(struct notch) + squares * sizeof(struct node_squares) + sizeof(double)) +
           (NOTCH_ROWS * NOTCH_V + GAIN_COLUMNS * NOTCH_U) * sizeof(double);
}

/* ---- Multiplying -------------------------------------------------------------------------------------- */

/* A patch of a batch: the squares of all factors, and its rows. */
struct notch_patch {
    const struct node_squares *x, *y;
    int u;
    struct gain_rows rows;
};

/* Whether a factor is interpolated on a patch. */
static bool is_far(const struct notches *notches, const struct notch_patch *patch, int i)
{
    return patch->x[i].centre + patch->y[i].centre >= notches->far[i];
}

/* Multiplies the rows of a patch by the far factors. */
static void multiply_far(const struct notches *notches, const struct gain_kernels *kernels,
                         const struct notch_patch *patch)
{
    const struct notch_weights weights = { notches->columns, notches->rows };
    struct notch_nodes nodes;
    kernels->start_nodes(&nodes);
    for (int i = 0; i < notches->count; i++)
        if (is_far(notches, patch, i))
            kernels->multiply_nodes(patch->x[i].nodes, patch->y[i].nodes,
                                    (int)notches->notch[i].factor->order, &nodes);
    kernels->finish_nodes(&nodes);
    kernels->multiply_smooth(&nodes, &weights, &patch->rows);
}

/* Multiplies the rows of a patch by one or two factors of the same order at every frequency. */
static void multiply_near(const struct notches *notches, const struct gain_kernels *kernels,
                          const int *numbers, int count, const struct notch_patch *patch)
{
    double x[2][GAIN_COLUMNS];
    struct product_tables product = { .falloff = FALLOFF_BUTTERWORTH, .factors = count };
    for (int i = 0; i < count; i++) {
        const struct notch *notch = &notches->notch[numbers[i]];
        for (int c = 0; c < GAIN_COLUMNS; c++)
            x[i][c] = axis_square((double)(patch->u + c) / notches->grid.width, notch->factor->x,
                                  notch->factor->cutoff);
        product.factor[i] = (struct factor_tables){ x[i], notch->y, 0.0, true };
        product.order = (int)notch->factor->order;
    }
    kernels->multiply_product(&patch->rows, &product);
}

/* Multiplies the rows of a patch by the near factors, two at a time where their orders are the same. */
static void multiply_all_near(const struct notches *notches, const struct gain_kernels *kernels,
                              const struct notch_patch *patch)
{
    int waiting[2], count = 0;
    for (int i = 0; i < notches->count; i++) {
        if (is_far(notches, patch, i))
            continue;
        waiting[count++] = i;
        if (count < 2)
            continue;
        bool same = notches->notch[waiting[0]].factor->order == notches->notch[i].factor->order;
        multiply_near(notches, kernels, waiting, same ? 2 : 1, patch);
        count = same ? 0 : 1;
        waiting[0] = i;
    }
    if (count)
        multiply_near(notches, kernels, waiting, count, patch);
}

void notches_multiply(const struct notches *notches, const struct gain_kernels *kernels, int u,
                      const struct gain_rows *rows)
{
    size_t batch = (size_t)u / rows->columns, count = (size_t)notches->count;
    struct notch_patch patch = { .x = notches->x + batch * count, .y = notches->y, .u = u, .rows = *rows };
    for (size_t first = rows->first; first < rows->end; first += NOTCH_ROWS, patch.y += count) {
        size_t rest = rows->end - first;
        patch.rows.first = first;
        patch.rows.end = first + (rest < NOTCH_ROWS ? rest : NOTCH_ROWS);
        patch.rows.start = rows->start;
        multiply_far(notches, kernels, &patch);
        patch.rows.start = NULL;
        multiply_all_near(notches, kernels, &patch);
    }
}
