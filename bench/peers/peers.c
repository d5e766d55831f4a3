/* The list of the peers, and what several of them need. */
#include "peer.h"

const struct peer *const bench_peers[] = { &peer_fftw, &peer_opencv, &peer_cufft, &peer_vkfft, NULL };

double peer_count_copies(const struct bench_case *what)
{
    double quad = 4 * sizeof(float), bank = what->bank > 1 ? what->bank : 1;
    double between = what->precision == ABBE_PRECISION_HALF ? quad / 2 : quad;
    double ends = (1 + bank) * 4 * (double)abbe_type_size(what->type);
    if (what->method == ABBE_METHOD_DIRECT)
        return ends / (2 * quad);
    return (ends + 2 * between + 2 * bank * between) / (2 * quad);
}
