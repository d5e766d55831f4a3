/* Columns of a spectrum H that are sampled when an engine needs them. */
#include "filter/sampling/on_demand.h"

#include "core/memory.h"

struct spectrum_demand {
    struct sampler *sampler;
    const int *order;
    size_t rows, height;
    double scale;
};

bool spectrum_suits_demand(const struct response *response)
{
    return sampler_is_light(response) && response_is_real(response);
}

int spectrum_demand_create(const struct spectrum_grid *grid, const struct response *response,
                           const struct spectrum_layout *layout, struct spectrum_demand **demand)
{
    struct spectrum_demand *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return ABBE_ERR_MEMORY;
    made->order = layout->order;
    made->rows = (size_t)layout->rows;
    made->height = (size_t)grid->height;
    made->scale = layout->scale;
    struct spectrum_grid rounded = *grid;
    rounded.rounded = true;
    int error = sampler_create(response, &rounded, &made->sampler);
    if (error)
        spectrum_demand_destroy(&made);
    else
        *demand = made;
    return error;
}

void spectrum_demand_destroy(struct spectrum_demand **demand)
{
    if (!*demand)
        return;
    sampler_destroy(&(*demand)->sampler);
    core_free(*demand);
    *demand = NULL;
}

size_t spectrum_demand_scratch(const struct spectrum_demand *demand)
{
    return sampler_batch_doubles(demand->sampler);
}

double spectrum_demand_scratch_doubles(int height)
{
    return (double)height * SAMPLER_ROW_MAX;
}

double spectrum_demand_bytes(const struct response *response, int width, int height)
{
    return sampler_kept_bytes(response, width, height) + sizeof(struct spectrum_demand) + CORE_ALIGNMENT;
}

/* Lanes whose frequencies follow one another. */
struct lane_run {
    int count, least; /* the lowest frequency; −1 for lanes that are 0 */
    bool down;
};

/* Whether frequencies may be in one batch. */
static bool share_batch(const struct sampler *sampler, int u, int other)
{
    int columns = sampler_columns(sampler);
    return !sampler_is_aligned(sampler) || u / columns == other / columns;
}

static struct lane_run next_lane_run(const struct sampler *sampler, const int *u, int lanes)
{
    int most = sampler_columns(sampler);
    struct lane_run run = { 1, u[0], false };
    int step = lanes > 1 ? u[1] - u[0] : 0;
    if (u[0] < 0) {
        while (run.count < lanes && u[run.count] < 0)
            run.count++;
    } else if (step == 1 || (step == -1 && u[1] >= 0)) {
        while (run.count < lanes && run.count < most && u[run.count] >= 0 &&
               u[run.count] == u[run.count - 1] + step && share_batch(sampler, u[run.count], u[0]))
            run.count++;
        run.down = step < 0;
        run.least = run.down ? u[run.count - 1] : u[0];
    }
    return run;
}

/* Writes lanes of a row: H, or ½ (H ± mirrored); `down` is a constant. */
static inline void write_lanes(const double *row, const double *mirrored, int count, double scale,
                               double sign, bool down, float *restrict to)
{
    for (int l = 0; l < count; l++) {
        int from = down ? count - 1 - l : l;
        to[l] = (float)((row[from] + sign * mirrored[from]) * scale);
    }
}

static void write_lane_run(const struct spectrum_demand *demand, enum spectrum_part part,
                           const struct lane_run *run, const double *batch, size_t lanes, float *h)
{
    size_t row_doubles = (size_t)sampler_row(demand->sampler);
    double scale = demand->scale * (part == SPECTRUM_WHOLE ? 1 : 0.5);
    double sign = part == SPECTRUM_WHOLE ? 0 : part == SPECTRUM_EVEN_PART ? 1 : -1;
    for (size_t v = 0; v < demand->rows; v++, h += lanes) {
        size_t at = (size_t)demand->order[v], opposite = at && sign != 0 ? demand->height - at : at;
        const double *row = batch + at * row_doubles, *mirrored = batch + opposite * row_doubles;
        if (run->down)
            write_lanes(row, mirrored, run->count, scale, sign, true, h);
        else
            write_lanes(row, mirrored, run->count, scale, sign, false, h);
    }
}

static void zero_lanes(const struct spectrum_demand *demand, int count, size_t lanes, float *h)
{
    for (size_t v = 0; v < demand->rows; v++, h += lanes)
        for (int l = 0; l < count; l++)
            h[l] = 0;
}

void spectrum_demand_columns(const struct spectrum_demand *demand, enum spectrum_part part, const int *u,
                             int lanes, double *scratch, float *h)
{
    const struct sampler *sampler = demand->sampler;
    struct lane_run run;
    for (int first = 0; first < lanes; first += run.count) {
        run = next_lane_run(sampler, u + first, lanes - first);
        if (run.least < 0) {
            zero_lanes(demand, run.count, (size_t)lanes, h + first);
            continue;
        }
        int skip = sampler_is_aligned(sampler) ? run.least % sampler_columns(sampler) : 0;
        sampler_batch(sampler, run.least - skip, scratch, NULL);
        write_lane_run(demand, part, &run, scratch + skip, (size_t)lanes, h + first);
    }
}
