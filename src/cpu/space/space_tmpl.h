/* Template: the kernels of convolution in space for one instruction set. A level is a file that defines
 *     VECTOR_BYTES   16, 32 or 64
 *     LEVEL          the name of the level, as in "cpu:avx2"
 *     KERNELS        the table to define
 * includes this file, and is compiled for that instruction set. */
#include "cpu/space/kernels.h"

#include "cpu/vector_tmpl.h"

#include "cpu/space/convert_tmpl.h"

#include "cpu/space/floats_tmpl.h"

#if VECTOR_BYTES >= 32
#include "cpu/space/shorts_tmpl.h"
#endif

const struct space_kernels KERNELS = {
    .name = LEVEL,
    .load = load_samples,
    .store = store_samples,
    .finite = are_samples_finite,
    .multiply_alpha = multiply_row_alpha,
    .divide_alpha = divide_row_alpha,
    .columns = apply_column_taps,
    .dense = apply_dense_taps,
    .sparse = apply_sparse_taps,
#if VECTOR_BYTES >= 32
    .short_load = load_shorts_from_bytes,
    .short_columns = apply_short_column_taps,
    .short_dense = apply_short_dense_taps,
#endif
};
