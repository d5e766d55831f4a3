/* Template: all kernels of one instruction set. A level is a file that defines
 *     VECTOR_BYTES   16, 32 or 64
 *     LEVEL          its name as people write it
 *     KERNELS        the table to define
 * includes this file, and is compiled for that instruction set. */
#include "core/sample.h"
#include "cpu/fused/kernels.h"

#include <string.h>

#include "cpu/fused/vector.h"

#include "cpu/fused/rows.h"

#include "cpu/fused/columns.h"

#include "cpu/fused/pixels.h"

const struct fused_kernels KERNELS = {
    .name = LEVEL,
    .lanes = LANES,
    .load_row = load_row,
    .store_row = store_row,
    .split = split,
    .merge = merge,
    .row_forward = row_forward,
    .row_inverse = row_inverse,
    .lone_forward = lone_forward,
    .lone_inverse = lone_inverse,
    .column_filter = column_filter,
    .column_forward = column_forward,
    .column_apply = column_apply,
};
