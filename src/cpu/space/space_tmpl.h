/* Template: the kernels of convolution in space for one instruction set. A level is a file that defines
 *     VECTOR_BYTES   16, 32 or 64
 *     LEVEL          its name as people write it
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
    .finite = all_finite,
    .multiply_alpha = multiply_alpha,
    .divide_alpha = divide_alpha,
    .columns = columns,
    .dense = dense,
    .sparse = sparse,
#if VECTOR_BYTES >= 32
    .short_load = short_load,
    .short_columns = short_columns,
    .short_dense = short_dense,
#endif
};
