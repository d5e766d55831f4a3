/* The table of probes, and its expansion. */
#include "probes.h"

#include <stdlib.h>

enum { PROBES_MAX = 160, LIST_MAX = 12 };

/* Probes for each combination of the lists. A zero ends a list. */
struct family {
    abbe_method method;
    enum probe_kernel kernel;
    int sides[LIST_MAX];
    int kernel_sides[LIST_MAX];
    int transforms[LIST_MAX]; /* empty: one probe with the planner's choice */
};

/* Timed with one channel of F32 and with four channels of U8.
 * The lengths of the last family have no vector kernels. */
static const struct family families[] = {
    { ABBE_METHOD_DIRECT, PROBE_RANDOM, { 64, 256 }, { 3, 5, 9, 17 }, { 0 } },
    { ABBE_METHOD_DIRECT, PROBE_RANDOM, { 1024 }, { 3, 5 }, { 0 } },
    { ABBE_METHOD_SEPARABLE, PROBE_GAUSSIAN, { 64, 256 }, { 3, 9, 33, 129 }, { 0 } },
    { ABBE_METHOD_SEPARABLE, PROBE_GAUSSIAN, { 1024, 2048 }, { 3, 9 }, { 0 } },
    { ABBE_METHOD_FFT, PROBE_LOWPASS, { 32, 48, 64, 96, 128, 160, 256, 320, 512, 1024, 2048 }, { 1 }, { 0 } },
    { ABBE_METHOD_FFT, PROBE_RANDOM, { 64, 256, 1024 }, { 17, 65 }, { 0 } },
    { ABBE_METHOD_TILES, PROBE_RANDOM, { 512 }, { 9, 33 }, { 96, 128, 192, 256 } },
    { ABBE_METHOD_TILES, PROBE_RANDOM, { 1024 }, { 33 }, { 128, 256, 384 } },
    { ABBE_METHOD_TILES, PROBE_RANDOM, { 2048 }, { 33 }, { 256 } },
    { ABBE_METHOD_FFT, PROBE_LOWPASS, { 97, 125, 250, 509 }, { 1 }, { 0 } },
};

/* Timed with one channel of F32, on one thread and on two. */
static const struct family shared[] = {
    { ABBE_METHOD_DIRECT, PROBE_RANDOM, { 128, 512 }, { 5 }, { 0 } },
    { ABBE_METHOD_SEPARABLE, PROBE_GAUSSIAN, { 128, 512 }, { 9 }, { 0 } },
    { ABBE_METHOD_FFT, PROBE_LOWPASS, { 128, 256, 512, 1024 }, { 1 }, { 0 } },
    { ABBE_METHOD_TILES, PROBE_RANDOM, { 512 }, { 33 }, { 192 } },
};

/* Timed with three channels: U16, F16, and U8 in linear light. */
static const struct family rare[] = {
    { ABBE_METHOD_DIRECT, PROBE_RANDOM, { 256 }, { 3 }, { 0 } },
    { ABBE_METHOD_SEPARABLE, PROBE_GAUSSIAN, { 256 }, { 5 }, { 0 } },
    { ABBE_METHOD_FFT, PROBE_LOWPASS, { 128, 256 }, { 1 }, { 0 } },
};

struct list {
    struct probe *probes;
    int count;
};

static void add_probes(struct list *list, const struct family *family, struct probe probe)
{
    probe.method = family->method;
    probe.kernel = family->kernel;
    for (int i = 0; i < LIST_MAX && family->sides[i]; i++)
        for (int k = 0; k < LIST_MAX && family->kernel_sides[k]; k++)
            for (int t = 0; t < LIST_MAX && (t == 0 || family->transforms[t]); t++) {
                probe.side = family->sides[i];
                probe.kernel_side = family->kernel_sides[k];
                probe.transform = family->transforms[t];
                if (list->count < PROBES_MAX)
                    list->probes[list->count++] = probe;
            }
}

#define COUNT(families) (int)(sizeof families / sizeof families[0])

struct probe *probes_create(int processors, int *count)
{
    struct list list = { calloc(PROBES_MAX, sizeof *list.probes), 0 };
    if (!list.probes)
        return NULL;
    for (int i = 0; i < COUNT(families); i++) {
        add_probes(&list, &families[i], (struct probe){ .type = ABBE_F32, .channels = 1, .threads = 1 });
        add_probes(&list, &families[i], (struct probe){ .type = ABBE_U8, .channels = 4, .threads = 1 });
    }
    for (int threads = 1; threads <= 2 && threads <= processors; threads++)
        for (int i = 0; i < COUNT(shared); i++)
            add_probes(&list, &shared[i],
                       (struct probe){ .type = ABBE_F32, .channels = 1, .threads = threads });
    for (int i = 0; i < COUNT(rare); i++) {
        add_probes(&list, &rare[i], (struct probe){ .type = ABBE_U16, .channels = 3, .threads = 1 });
        add_probes(&list, &rare[i], (struct probe){ .type = ABBE_F16, .channels = 3, .threads = 1 });
        add_probes(&list, &rare[i],
                   (struct probe){ .type = ABBE_U8, .channels = 3, .threads = 1, .linear_light = true });
    }
    *count = list.count;
    return list.probes;
}
