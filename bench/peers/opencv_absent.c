/* Replaces the peer OpenCV in a build without it. */
#include "peer.h"

const struct peer peer_opencv = { .name = "OpenCV", .absent = "libopencv-imgproc-dev" };
