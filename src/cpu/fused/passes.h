/* The passes of the fused engine, and what its passes over rows share. */
#ifndef ABBE_CPU_FUSED_PASSES_H
#define ABBE_CPU_FUSED_PASSES_H

#include "cpu/fused/fused.h"

/* ---- rows.c ---- */

/* Finds what the window reads, and transforms its rows to the grid. Sets `nonfinite`. */
void fused_rows_forward(struct fused_window *window);

/* The position of row y of a window in a block. */
int fused_grid_row(const struct fused_layout *layout, int y);

/* The grid of a plane as the row kernels see it. Rows of a single plane come in pairs. */
struct fused_grid fused_plane_grid(const struct fused_window *window, float *data, enum fused_kind kind);

/* Rows that are transformed together. */
int fused_count_together(const struct fused_window *window);

/* Makes row r of those side by side the current one of a worker. */
void fused_select_row(const struct fused_window *window, struct fused_worker *worker, int r);

/* The number of groups of rows that are transformed together, and how many of them a thread takes. */
int fused_count_groups(const struct fused_window *window, int rows, int *at_once);

/* Counts a group of `together` rows: a unit of progress for two of them. */
void fused_advance_group(const struct fused_window *window, int together);

/* ---- passes.c ---- */

/* Whether a filter needs the odd part of even transforms. */
bool fused_has_odd_part(const struct fused_window *window, int filter);

/* ---- rows_back.c ---- */

/* Stores result r from the filtered columns; `component` is the first (0) or second (1) of a magnitude. */
void fused_rows_inverse(struct fused_window *window, int r, int component);

#endif
