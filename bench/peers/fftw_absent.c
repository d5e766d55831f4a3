/* Replaces the peer FFTW in a build without it. */
#include "peer.h"

const struct peer peer_fftw = { .name = "FFTW", .absent = "libfftw3-dev" };
