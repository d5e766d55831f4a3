/* The plain engines: the Fourier plane and convolution in space in portable C, for any length. In float they
 * are the readable reference that the vector kernels are compared with, and transform lengths that the
 * vectors do not take; in double they do all the work. */
#ifndef ABBE_CPU_PLAIN_H
#define ABBE_CPU_PLAIN_H

#include "cpu/cpu.h"

/* Convolution in space treats so many rows of results at a time. */
enum { CPU_BAND = 64 };

struct plain_table {
    /* FFT and TILES. */
    struct footprint (*windows_footprint)(const struct work *work, int threads);
    /* Fills engine->plain and engine->fourier; `destroy` must follow in any case. */
    int (*create)(const abbe_device *device, struct engine *engine);
    void (*destroy)(struct engine *engine);
    /* DIRECT and SEPARABLE, which need no preparation. */
    struct footprint (*bands_footprint)(const struct work *work, int threads);
    run_function *run_in_bands;
};

extern const struct plain_table plain_f32;
/* The same code compiled for each instruction set. */
extern const struct plain_table plain_f64_baseline;
extern const struct plain_table plain_f64_avx2;
extern const struct plain_table plain_f64_avx512;

#endif
