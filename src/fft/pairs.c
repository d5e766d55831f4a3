/* Tables of transforms for GPUs. */
#include "fft/pairs.h"

#include "core/memory.h"
#include "fft/natural.h"
#include "fft/twiddle.h"

#include <abbe/abbe.h>

static void write_pair(float *pair, const double *value)
{
    pair[0] = (float)value[0];
    pair[1] = (float)value[1];
}

int fft_pairs_roots(int points, float *pairs)
{
    double *roots = fft_roots(points);
    for (int k = 0; k < points && roots; k++)
        write_pair(pairs + 2 * k, roots + 2 * k);
    core_free(roots);
    return roots ? ABBE_OK : ABBE_ERR_MEMORY;
}

void fft_pairs_quarter_roots(int length, float *pairs)
{
    for (int u = 0; u < length; u++) {
        double value[2];
        fft_twiddle(u, 4LL * length, value);
        pairs[2 * u] = (float)(value[0] / 2);
        pairs[2 * u + 1] = (float)(value[1] / 2);
    }
}

/* e^(−iπn²/length). n² is taken modulo 2 · length, which does not change the value. */
static void chirp_at(int n, int length, double value[2])
{
    fft_twiddle((long long)n * n % (2LL * length), 2LL * length, value);
}

int fft_pairs_chirp(int length, int points, float *pairs)
{
    double *wave = core_alloc_zero((size_t)points, 2 * sizeof *wave), value[2];
    if (!wave)
        return ABBE_ERR_MEMORY;
    for (int n = 0; n < length; n++) {
        chirp_at(n, length, value);
        write_pair(pairs + 2 * n, value);
        int places[2] = { n, n ? points - n : 0 };
        for (int i = 0; i < 2; i++) {
            wave[2 * places[i]] = value[0];
            wave[2 * places[i] + 1] = -value[1];
        }
    }
    int error = fft_natural_f64(points, 1, false, wave, wave, 1);
    for (int k = 0; k < points && !error; k++)
        write_pair(pairs + 2 * (length + k), wave + 2 * k);
    core_free(wave);
    return error;
}
