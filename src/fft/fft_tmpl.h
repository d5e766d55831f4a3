/* Template: creates and runs a transform of any length. fft_f32.c and fft_f64.c instantiate it, each defining
 *     REAL   float or double
 *     FFT    the struct's tag, fft_f32 or fft_f64
 *     NAME   NAME(x) is fft_f32_x or fft_f64_x */
#include "core/memory.h"
#include "fft/fft.h"
#include "fft/size.h"
#include "fft/twiddle.h"

#include <abbe/abbe.h>

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "fft/butterflies_tmpl.h"
#include "fft/struct_tmpl.h"

#include "fft/stages_tmpl.h"

#include "fft/tables_tmpl.h"

static void steps_forward(const struct FFT *fft, REAL *x, size_t lanes)
{
    if (fft->level && lanes % fft->level->lanes == 0)
        fft->level->forward(fft, x, lanes);
    else
        mixed_radix_forward(fft, x, lanes);
}

static void steps_inverse(const struct FFT *fft, REAL *x, size_t lanes)
{
    if (fft->level && lanes % fft->level->lanes == 0)
        fft->level->inverse(fft, x, lanes);
    else
        mixed_radix_inverse(fft, x, lanes);
}

#include "fft/bluestein_tmpl.h"

static int create_tables(struct FFT *fft)
{
    fft->steps = fft_factor(fft->length, fft->radices);
    int error = fft->steps < 0 ? create_bluestein(fft) : create_twiddles(fft);
    if (error)
        return error;
    fft->order = core_alloc((size_t)fft->length, sizeof *fft->order);
    if (!fft->order)
        return ABBE_ERR_MEMORY;
    if (fft->steps < 0)
        for (int k = 0; k < fft->length; k++)
            fft->order[k] = k;
    else
        fill_order(fft, fft->order);
    return ABBE_OK;
}

int NAME(create)(int length, struct FFT **result)
{
    if (length < 1)
        return ABBE_ERR_SIZE;
    struct FFT *fft = core_alloc_zero(1, sizeof *fft);
    if (!fft)
        return ABBE_ERR_MEMORY;
    fft->length = length;
    int error = create_tables(fft);
    if (error)
        NAME(destroy)(&fft);
    else
        *result = fft;
    return error;
}

void NAME(destroy)(struct FFT **address)
{
    struct FFT *fft = address ? *address : NULL;
    if (!fft)
        return;
    core_free(fft->order);
    core_free(fft->twiddles);
    core_free(fft->chirp_spectrum);
    core_free(fft->chirp);
    NAME(destroy)(&fft->padded);
    core_free(fft);
    *address = NULL;
}

size_t NAME(scratch)(const struct FFT *fft, size_t lanes)
{
    return fft->padded ? 2 * (size_t)fft->padded->length * lanes : 0;
}

const int *NAME(order)(const struct FFT *fft)
{
    return fft->order;
}

void NAME(forward)(const struct FFT *fft, REAL *x, size_t lanes, REAL *scratch)
{
    if (fft->padded)
        bluestein(fft, x, lanes, false, scratch);
    else
        steps_forward(fft, x, lanes);
}

void NAME(inverse)(const struct FFT *fft, REAL *x, size_t lanes, REAL *scratch)
{
    if (fft->padded)
        bluestein(fft, x, lanes, true, scratch);
    else
        steps_inverse(fft, x, lanes);
}
