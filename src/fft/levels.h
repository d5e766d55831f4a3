/* The steps of transforms in double, for vectors that not every machine has. */
#ifndef ABBE_FFT_LEVELS_H
#define ABBE_FFT_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

/* One instruction set. Lanes come in multiples of `lanes`; lengths that need Bluestein's algorithm have no steps. */
struct fft_level {
    const char *name; /* NULL ends the list */
    bool (*present)(void);
    size_t lanes;
    void (*forward)(const void *fft, void *x, size_t lanes); /* of a struct fft_f64, in place */
    void (*inverse)(const void *fft, void *x, size_t lanes);
};

/* The widest first. */
extern const struct fft_level fft_levels[];

/* The first that is present; NULL when none is. */
const struct fft_level *fft_level_best(void);

void fft_f64_forward_avx2(const void *fft, void *x, size_t lanes);
void fft_f64_inverse_avx2(const void *fft, void *x, size_t lanes);
void fft_f64_forward_avx512(const void *fft, void *x, size_t lanes);
void fft_f64_inverse_avx512(const void *fft, void *x, size_t lanes);

#endif
