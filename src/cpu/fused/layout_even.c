/* The layout of even transforms: their twiddles, and the order of frequencies in the grid. */
#include "core/memory.h"
#include "cpu/fused/fused.h"

#include <math.h>

/* e^(−jπk / 2n). */
static void write_quarter(int k, int n, float *re, float *im)
{
    const double half_pi = 1.57079632679489661923;
    *re = (float)cos(half_pi * k / n);
    *im = (float)-sin(half_pi * k / n);
}

int fused_even_row(int y, int height)
{
    return y % 2 ? height - 1 - y / 2 : y / 2;
}

/* Lanes without a residue have the twiddles of frequency 0. */
static float *create_row_quarter(const struct fused_row *row, int lanes)
{
    int kept = (row->residues + 1) / 2;
    float *quarter = core_alloc((size_t)row->groups * lanes, 2 * (size_t)lanes * sizeof *quarter);
    for (int c = 0; c < row->groups * lanes && quarter; c++)
        for (int k = 0; k < lanes; k++) {
            float *at = quarter + 2 * (size_t)lanes * (size_t)(c / lanes * lanes + k) + c % lanes;
            write_quarter(c < kept ? c + row->residues * k : 0, row->length, at, at + lanes);
        }
    return quarter;
}

static float *create_middle_quarter(const struct fused_row *row, int lanes)
{
    float *quarter = core_alloc((size_t)lanes, 2 * sizeof *quarter);
    for (int k = 0; k < lanes && quarter; k++)
        write_quarter(row->residues / 2 + row->residues * k, row->length, quarter + 2 * k,
                      quarter + 2 * k + 1);
    return quarter;
}

static float *create_column_quarter(const struct fused_column *columns, const int *order)
{
    int length = columns->length;
    float *quarter = core_alloc((size_t)length, 2 * sizeof *quarter);
    for (int v = 0; v < length && quarter; v++)
        write_quarter(order[v], length, quarter + 2 * v, quarter + 2 * v + 1);
    return quarter;
}

/* Butterfly i of the last step holds the frequencies order[i · radix] + k · length / radix; `scratch` has room for
 * `length` numbers. */
static int *create_opposites(const struct fused_column *columns, const int *order, int *scratch)
{
    int radix = columns->steps[columns->step_count - 1].radix, count = columns->length / radix;
    int *opposite = core_alloc((size_t)count, sizeof *opposite);
    for (int i = 0; i < count; i++)
        scratch[order[i * radix]] = i;
    for (int i = 0; i < count && opposite; i++)
        opposite[i] = scratch[(count - order[i * radix]) % count];
    return opposite;
}

static int *create_reversed(const struct fused_column *columns, const int *order, int *scratch)
{
    int length = columns->length;
    int *reversed = core_alloc((size_t)length, sizeof *reversed);
    for (int i = 0; i < length; i++)
        scratch[order[i]] = i;
    for (int i = 0; i < length && reversed; i++)
        reversed[i] = order[i] ? scratch[length - order[i]] : -1;
    return reversed;
}

/* Gives a column the tables of even transforms. */
static bool make_column_even(struct fused_column *columns, const int *order)
{
    int *scratch = core_alloc((size_t)columns->length, sizeof *scratch);
    columns->quarter = create_column_quarter(columns, order);
    if (scratch) {
        columns->opposite = create_opposites(columns, order, scratch);
        columns->reversed = create_reversed(columns, order, scratch);
    }
    core_free(scratch);
    return columns->quarter && columns->opposite && columns->reversed;
}

int fused_even_opposite(const struct fused_layout *layout, int block)
{
    int lanes = layout->kernels->rows->lanes;
    return block / lanes % 2 ? block - lanes : block + lanes;
}

/* Where a lane of a group of residues lies in a spectrum: a plane's blocks have `lanes` gains per row. */
struct even_place {
    const struct fused_layout *layout;
    enum fused_kind kind;
    int *column;
};

/* Frequency k of lane c; C(M − u) are the `far` ones. */
static void place_even(const struct even_place *place, int u, int c, int k, bool far)
{
    const struct fused_layout *layout = place->layout;
    int lanes = layout->kernels->columns->lanes, row_lanes = layout->kernels->rows->lanes;
    int group = c / lanes, lane = c % lanes;
    if (place->kind == FUSED_SINGLE)
        place->column[u] = (group * row_lanes + k) * 2 * lanes + (far ? lanes : 0) + lane;
    else
        place->column[u] = ((2 * group + far) * row_lanes + k) * lanes + lane;
}

/* The frequencies of a spectrum on the doubled grid; those from M on are not kept. */
static void place_even_frequencies(const struct even_place *place)
{
    const struct fused_row *row = &place->layout->rows[FUSED_SINGLE];
    int lanes = place->layout->kernels->rows->lanes, residues = row->residues, length = row->length;
    for (int u = 0; u < 2 * length; u++)
        place->column[u] = -1;
    for (int c = 0; c < (residues + 1) / 2; c++)
        for (int k = 0; k < lanes; k++) {
            int u = c + residues * k;
            place_even(place, u, c, k, false);
            if (c > 0)
                place_even(place, length - u, c, k, true);
            else if (residues % 2 == 0)
                place_even(place, residues / 2 + u, c, k, true);
        }
}

/* The same for rows side by side: natural order; a single plane has the upper columns as imaginary parts. */
static void place_beside_frequencies(const struct even_place *place)
{
    const struct fused_beside *beside = &place->layout->beside;
    int lanes = place->layout->kernels->columns->lanes, length = beside->transform.length;
    int low = beside->columns[FUSED_SINGLE];
    for (int u = 0; u < 2 * length; u++)
        if (u >= length)
            place->column[u] = -1;
        else if (place->kind == FUSED_PAIR)
            place->column[u] = u;
        else
            place->column[u] = (u % low / lanes * 2 + u / low) * lanes + u % low % lanes;
}

static bool make_rows_even(struct fused_layout *layout)
{
    int lanes = layout->kernels->rows->lanes;
    struct fused_row *row = &layout->rows[FUSED_SINGLE];
    if (layout->is_beside)
        return make_column_even(&layout->beside.transform, layout->beside.order);
    row->quarter = create_row_quarter(row, lanes);
    row->quarter_middle = create_middle_quarter(row, lanes);
    return row->quarter && row->quarter_middle;
}

int fused_layout_make_even(struct fused_layout *layout)
{
    int width = layout->is_beside ? layout->beside.transform.length : layout->rows[FUSED_SINGLE].length;
    bool complete = make_rows_even(layout);
    layout->even = true;
    complete = make_column_even(&layout->columns, layout->order) && complete;
    for (int kind = 0; kind < FUSED_KINDS; kind++) {
        core_free(layout->column[kind]);
        layout->column[kind] = core_alloc(2 * (size_t)width, sizeof(int));
        layout->blocks[kind] = fused_blocks(layout->kernels, width, kind, true);
        complete = complete && layout->column[kind];
        const struct even_place place = { layout, kind, layout->column[kind] };
        if (complete)
            (layout->is_beside ? place_beside_frequencies : place_even_frequencies)(&place);
    }
    return complete ? ABBE_OK : ABBE_ERR_MEMORY;
}
