/* The list of the peers. */
#include "peer.h"

const struct peer *const bench_peers[] = { &peer_fftw, &peer_opencv, &peer_cufft, &peer_vkfft, NULL };
