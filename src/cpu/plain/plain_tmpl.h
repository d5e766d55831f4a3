/* Template: the plain engines. plain_f32.c, plain_f64_baseline.c and its copies for other instruction sets
 * instantiate it, each defining
 *     REAL        float or double
 *     FFT         the struct's tag of transforms, fft_f32 or fft_f64
 *     TRANSFORM   TRANSFORM(x) is fft_f32_x or fft_f64_x
 *     NAME        NAME(x) is x or x_f64
 *     TABLE       the name of the table */
#include "core/error.h"
#include "core/memory.h"
#include "core/pool.h"
#include "cpu/plain/plain.h"
#include "cpu/run.h"
#include "cpu/space/kernels.h"
#include "cpu/spectra.h"
#include "fft/fft.h"
#include "fft/size.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define GATHER_ROW NAME(cpu_gather_row)
#define MAGNITUDE NAME(cpu_magnitude)
#define STORE_PIXELS NAME(cpu_store_pixels)
#define STORE_ROW NAME(cpu_store_row)

#include "cpu/plain/layout_tmpl.h"

#include "cpu/plain/even_tmpl.h"

#include "cpu/plain/columns_tmpl.h"
#include "cpu/plain/rows_tmpl.h"

#include "cpu/plain/fourier_tmpl.h"

#include "cpu/plain/space_tmpl.h"

const struct plain_table TABLE = {
    .windows_footprint = windows_footprint,
    .create = create_plain,
    .destroy = destroy_plain,
    .bands_footprint = bands_footprint,
    .run_in_bands = run_in_bands,
};
